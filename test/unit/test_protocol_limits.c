/*
 * test_protocol_limits.c
 *	  Repair, giving up, stopping, memory that ends, and the promise that every
 *	  machine comes to an end whatever it is answered.
 */
#include "test_protocol_script.h"

#include "model/repair.h"

/* Starts the repair of covering or pointer entry a, read at etag a1. */
static void
begin_repair(script *s, tmodel_repair *repair, bool covering,
			 const tmodel_entity *fact, bool justified)
{
	memset(repair, 0, sizeof(*repair));
	repair->fact_table = TMODEL_SPAN("facts");
	repair->index_table = TMODEL_SPAN("ix");
	repair->covering = covering;
	repair->entry = script_entity(s, "a", "p,r", "a1");
	repair->fact = fact;
	if (justified)
		repair->justified = script_entries(s, "a", "old").entries;
	s->machine = tmodel_repair_start(&s->arena, repair);
}

UNIT_TEST(protocol_repair_absent_fact)
{
	script		s;
	tmodel_repair repair;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, true, NULL, false);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

UNIT_TEST(protocol_repair_stub)
{
	script		s;
	tmodel_repair repair;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, true, script_stub(&s, "s1", "w1"), false);
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @s1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_end(&s);
}

UNIT_TEST(protocol_repair_live)
{
	script		s;
	tmodel_repair repair;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, true, s.change.old_fact, true);
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=1");
	script_answer(&s, TMODEL_APPLIED, "e1");
	/* With the contents: the entry may hold those of another version. */
	CHECK_STR(script_asks(&s), "SETTLE: REPLACE ix/a @a1 d=old"
			  " _itVerified=true");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, true, s.change.old_fact, false);
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, false, s.change.old_fact, false);
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	begin_repair(&s, &repair, false, s.change.old_fact, true);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Without its own ETag change a repair touches nothing. */
UNIT_TEST(protocol_repair_not_fenced)
{
	static const struct
	{
		tmodel_outcome outcome;
		const char *want;
	}			cases[] = {
		{TMODEL_MISMATCH, "FINISHED LOST_RACE"},
		{TMODEL_ABSENT, "FINISHED LOST_RACE"},
		{TMODEL_UNKNOWN, "FINISHED LOST_RACE"},
		{TMODEL_REFUSED, "FINISHED FAILED"},
	};

	for (int i = 0; i < 4; i++)
	{
		script		s;
		tmodel_repair repair;

		script_begin(&s, TMODEL_CHANGE_DELETE, true);
		begin_repair(&s, &repair, true, s.change.old_fact, true);
		script_answer(&s, cases[i].outcome, NULL);
		CHECK_STR(script_asks(&s), cases[i].want);
		script_end(&s);
	}
}

/* The fence counter starts again rather than leave Int32. */
UNIT_TEST(protocol_fence_wraps)
{
	script		s;
	tmodel_repair repair;
	tmodel_entity *fact;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	fact = script_fact(&s, "old", "e0", NULL);
	script_set(fact, TMODEL_P_FENCE, tmodel_int32(INT32_MAX));
	begin_repair(&s, &repair, true, fact, true);
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=1");
	script_end(&s);
}

UNIT_TEST(protocol_abandon_insert)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, true, "", "ab");
	script_start(&s);
	script_answer(&s, TMODEL_APPLIED, "s1");
	script_answer(&s, TMODEL_APPLIED, "a1");
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_verdict(&s), "ABANDONED");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE facts/p @s1");
	tmodel_machine_abandon(s.machine);
	script_answer(&s, TMODEL_APPLIED, NULL);
	/* b's touch has no answer, so its ETag is not known. */
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
	script_end(&s);

	/* The stub is no longer ours: the entries are not either. */
	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, true, "", "a");
	script_start(&s);
	script_until(&s, TMODEL_COMMIT);
	tmodel_machine_abandon(s.machine);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
	script_end(&s);
}

UNIT_TEST(protocol_abandon_others)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, true, "a", "b");
	script_start(&s);
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
	script_end(&s);

	/* Perhaps applied: giving up does not make it undone. */
	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_start(&s);
	script_until(&s, TMODEL_COMMIT);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_asks(&s), "FINISHED DOUBTFUL");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, true, "", "a");
	script_start(&s);
	script_until(&s, TMODEL_SETTLE);
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_verdict(&s), "COMMITTED");
	CHECK_STR(script_phase(&s), "SETTLE");
	tmodel_machine_stop(s.machine);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* stop() is for SETTLE; before that it would hide an outcome. */
UNIT_TEST(protocol_stop)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_start(&s);
	tmodel_machine_stop(s.machine);
	CHECK_STR(script_phase(&s), "COMMIT");
	script_end(&s);
}

/* ---- every answer everywhere --------------------------------------------- */

static void
begin_any(script *s, int which)
{
	tmodel_change_kind kind = (tmodel_change_kind) (which % 4);
	bool		insert = kind == TMODEL_CHANGE_INSERT;

	script_begin(s, kind, which / 4 % 2 == 0);
	s->change.direct = which / 8 % 2 == 1;
	if (s->change.indexed)
	{
		script_index(s, true, insert ? "" : "ab",
					 kind == TMODEL_CHANGE_DELETE ? "" : "bc");
		script_index(s, false, insert ? "" : "a",
					 kind == TMODEL_CHANGE_DELETE ? "" : "c");
	}
	script_start(s);
}

/* The state of the fact a GET finds, of six. */
static const tmodel_entity *
any_fact(script *s, int which)
{
	switch (which)
	{
		case 0:
			return script_stub(s, "s9", "w9");
		case 1:
			return script_stub(s, "s8", MINE);
		case 2:
			return script_fact(s, "old", "e9", "w0");
		case 3:
			return script_fact(s, "new", "e8", "me,w0");
		case 4:
			return script_fact(s, "x", "e7", "w4,w3,w2,w1");
		default:
			return s->change.old_fact;
	}
}

/* One answer of 7 outcomes, or for a GET of 6 facts and 6 failures. */
static void
any_answer(script *s, unsigned choice)
{
	static const tmodel_outcome failures[] = {
		TMODEL_ABSENT, TMODEL_UNKNOWN, TMODEL_REFUSED, TMODEL_ROLLED_BACK,
		TMODEL_MISMATCH, TMODEL_EXISTS
	};
	const tmodel_step_request *requests;

	if (tmodel_machine_requests(s->machine, &s->arena, &requests) == 0)
		UNIT_FAIL("asks for nothing");
	else if (requests[0].action != TMODEL_GET)
		script_answer(s, (tmodel_outcome) (choice % 7), "z");
	else if (choice % 2 == 0 && any_fact(s, (int) choice / 2 % 6) != NULL)
		script_found(s, any_fact(s, (int) choice / 2 % 6));
	else
		script_answer(s, failures[choice / 2 % 6], NULL);
}

/* Whatever comes, the machine ends, and with a verdict. */
UNIT_TEST(protocol_always_ends)
{
	uint32_t	random = 12345;

	for (int run = 0; run < 20000 && !unit_failed(); run++)
	{
		script		s;

		begin_any(&s, run % 16);
		while (tmodel_machine_phase(s.machine) != TMODEL_FINISHED &&
			   !unit_failed())
		{
			random = random * 1664525u + 1013904223u;
			/* Now and then only, else nothing gets past the touches. */
			if (random >> 28 < 12 && run % 3 > 0)
				script_until(&s, tmodel_machine_phase(s.machine) + 1);
			else
				any_answer(&s, random >> 16);
			if (s.nsent > 5000)
				UNIT_FAIL("does not end");
		}
		CHECK(tmodel_machine_verdict(s.machine) != TMODEL_PENDING);
		script_end(&s);
	}
}

/* ---- memory -------------------------------------------------------------- */

static int	allocations_left;

static void *
poor_alloc(void *ctx, size_t size)
{
	(void) ctx;
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void
poor_release(void *ctx, void *ptr)
{
	(void) ctx;
	free(ptr);
}

static const tmodel_allocator poor = {poor_alloc, poor_release, NULL};

/* Runs one change in an arena that has only so many chunks. */
static void
run_poor(script *s, tmodel_arena *arena, int chunks, int *ended)
{
	const tmodel_step_request *requests;
	tmodel_answer answer = {.etag = TMODEL_SPAN("z")};
	tmodel_answer found = {.entity = s->change.old_fact};

	allocations_left = chunks;
	s->machine = tmodel_machine_start(arena, &s->change);
	if (s->machine == NULL)
		return;
	while (tmodel_machine_requests(s->machine, &s->arena, &requests) > 0)
	{
		if (tmodel_machine_answer(s->machine, requests[0].slot,
								  requests[0].action == TMODEL_GET ? &found :
								  &answer))
			continue;
		CHECK_STR(script_asks(s), "FINISHED FAILED");
		return;
	}
	CHECK_STR(script_asks(s), "FINISHED COMMITTED");
	(*ended)++;
}

UNIT_TEST(protocol_out_of_memory)
{
	static char keys[4000];

	memset(keys, 'k', sizeof(keys) - 1);
	for (int kind = 0; kind < 4; kind++)
	{
		int			ended = 0;

		for (int chunks = 0; ended == 0 && chunks < 2000; chunks++)
		{
			script		s;
			tmodel_arena arena;

			tmodel_arena_init(&arena, &poor);
			script_begin(&s, (tmodel_change_kind) kind, true);
			/* Many different keys, so that every phase needs memory. */
			script_index(&s, true, "", "");
			s.parts[0].new_entries = script_entries(&s, keys, "new");
			for (int i = 0; i < s.parts[0].new_entries.n; i++)
			{
				char		name[16];

				snprintf(name, sizeof(name), "%d", i);
				s.parts[0].new_entries.entries[i].partition_key =
					tmodel_span_copy(&s.arena, tmodel_span_of(name));
			}
			if (kind == TMODEL_CHANGE_DELETE)
			{
				s.parts[0].old_entries = s.parts[0].new_entries;
				s.parts[0].new_entries.n = 0;
			}
			run_poor(&s, &arena, chunks, &ended);
			tmodel_arena_reset(&arena);
			script_end(&s);
			if (unit_failed())
				return;
		}
		CHECK_INT(ended, 1);
	}
}
