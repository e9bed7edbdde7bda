/*
 * test_protocol_companions.c
 *	  What shares the transaction of a commit point: colocated entries, how
 *	  they are grouped, and what happens when one of them is gone.
 */
#include "test_protocol_script.h"

#include "model/batch.h"
#include "model/companion.h"

/* Adds a colocated index; keys are letters, contents follow the fact. */
static void
colocated(script *s, const char *old_keys, const char *new_keys)
{
	static tmodel_companions result;
	bool		refresh = s->change.kind == TMODEL_CHANGE_REFRESH;
	tmodel_entries olds = script_entries(s, old_keys, "old");
	tmodel_entries news = script_entries(s, new_keys, refresh ? "old" : "new");

	memset(&result, 0, sizeof(result));
	CHECK(tmodel_companions_of_index(&s->arena, &olds, &news, refresh,
									 &result));
	s->change.ncompanions = result.n;
	s->change.companions = result.list;
	s->change.direct = s->change.nindexes == 0;
}

/* The request at that place among the open ones is answered. */
static void
answer_at(script *s, int at, tmodel_outcome outcome)
{
	const tmodel_step_request *requests;
	tmodel_answer answer = {.outcome = outcome};
	int			n = tmodel_machine_requests(s->machine, &s->arena, &requests);

	if (at >= n)
		UNIT_FAIL("there are %d requests", n);
	else
		tmodel_machine_answer(s->machine, requests[at].slot, &answer);
}

/* A batch failed because of one operation: the others were rolled back. */
static void
answer_blamed(script *s, int culprit, tmodel_outcome outcome)
{
	const tmodel_step_request *requests;
	tmodel_step_request copy[8];
	int			n = tmodel_machine_requests(s->machine, &s->arena, &requests);

	memcpy(copy, requests, sizeof(copy[0]) * (size_t) n);
	for (int i = 0; i < n; i++)
	{
		tmodel_answer answer = {.outcome = i == culprit ? outcome :
		TMODEL_ROLLED_BACK};

		tmodel_machine_answer(s->machine, copy[i].slot, &answer);
	}
}

UNIT_TEST(companions_insert)
{
	script		s;
	const tmodel_step_request *requests;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	colocated(&s, "", "ab");
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: INSERT facts/p d=new _itWrites=me;"
			  " UPSERT facts/a d=new _itVerified=true;"
			  " UPSERT facts/b d=new _itVerified=true");
	CHECK_INT(tmodel_machine_requests(s.machine, &s.arena, &requests), 3);
	CHECK(!requests[0].companion && requests[1].companion &&
		  requests[2].companion);
	script_answer(&s, TMODEL_APPLIED, "f1");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Only what changes: a goes, b has new contents, c comes. */
UNIT_TEST(companions_update)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	colocated(&s, "ab", "bc");
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @e0 d=new"
			  " _itWrites=me,w0; DELETE facts/a @*;"
			  " UPSERT facts/b d=new _itVerified=true;"
			  " UPSERT facts/c d=new _itVerified=true");
	script_answer(&s, TMODEL_APPLIED, "f1");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Beside an index of its own: companions travel with the commit alone. */
UNIT_TEST(companions_beside_touches)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, false, "", "x");
	colocated(&s, "", "a");
	script_start(&s);
	CHECK_STR(script_asks(&s),
			  "RESERVE: INSERT facts/p _itStub=true _itWrites=me");
	script_answer(&s, TMODEL_APPLIED, "s1");
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/x _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "x1");
	CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @s1 d=new"
			  " _itWrites=me; UPSERT facts/a d=new _itVerified=true");
	script_end(&s);
}

/* An entry somebody removed is left out; the fact can still be changed. */
UNIT_TEST(companions_gone)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	colocated(&s, "ab", "");
	script_start(&s);
	answer_blamed(&s, 1, TMODEL_ABSENT);
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e0; DELETE facts/b @*");
	/* another fenced the fact, and may have mended the entry */
	answer_blamed(&s, 0, TMODEL_MISMATCH);
	CHECK_STR(script_asks(&s), "TOUCH: GET facts/p");
	script_found(&s, script_fact(&s, "old", "e1", "w0"));
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e1; DELETE facts/a @*;"
			  " DELETE facts/b @*");
	answer_blamed(&s, 2, TMODEL_ABSENT);
	answer_blamed(&s, 1, TMODEL_ABSENT);
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* The fact itself decides what became of a lost answer. */
UNIT_TEST(companions_unknown)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	colocated(&s, "a", "b");
	script_start(&s);
	for (int i = 2; i >= 0; i--)
		answer_at(&s, i, TMODEL_UNKNOWN);
	CHECK_STR(script_asks(&s), "TOUCH: GET facts/p");
	script_found(&s, script_fact(&s, "new", "f1", "me,w0"));
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

UNIT_TEST(companions_refused)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	colocated(&s, "a", "b");
	script_start(&s);
	answer_blamed(&s, 2, TMODEL_REFUSED);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);
}

/* Backfill writes entries with a fence, and again until one of both holds. */
UNIT_TEST(companions_refresh)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_REFRESH, true);
	colocated(&s, "a", "a");
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=1;"
			  " UPSERT facts/a d=old _itVerified=true");
	/* not known: the same again, which can be applied once at most */
	answer_at(&s, 1, TMODEL_UNKNOWN);
	answer_at(&s, 0, TMODEL_UNKNOWN);
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=1;"
			  " UPSERT facts/a d=old _itVerified=true");
	/* another backfill's fence does not excuse */
	answer_blamed(&s, 0, TMODEL_MISMATCH);
	script_found(&s, script_fact(&s, "old", "e1", "w0"));
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e1 _itFence=1;"
			  " UPSERT facts/a d=old _itVerified=true");
	/* a writer does: it maintains the index itself */
	answer_blamed(&s, 0, TMODEL_MISMATCH);
	script_found(&s, script_fact(&s, "new", "e2", "w1"));
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);
}

/* What may not be separated is counted as a whole, and may be large alone. */
UNIT_TEST(companions_batches)
{
	tmodel_batch_item items[4] = {
		{TMODEL_SPAN("t"), TMODEL_SPAN("p"), TMODEL_SPAN("1"), 1000, 39},
		{TMODEL_SPAN("t"), TMODEL_SPAN("p"), TMODEL_SPAN("2"), 1000, 59},
		{TMODEL_SPAN("t"), TMODEL_SPAN("p"), TMODEL_SPAN("3"), 1000, 0},
		{TMODEL_SPAN("t"), TMODEL_SPAN("p"), TMODEL_SPAN("4"), 1000, 99},
	};
	tmodel_batch_plan plan;
	tmodel_arena arena;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_batch_group(&arena, 4, items, 100, &plan));
	CHECK_INT(plan.nbatches, 3);
	CHECK_INT(plan.batches[0].nitems, 2);
	CHECK_INT(plan.batches[1].nitems, 1);
	CHECK(tmodel_batch_group(&arena, 4, items, 10, &plan));
	CHECK_INT(plan.nbatches, 4);
	tmodel_arena_reset(&arena);
}
