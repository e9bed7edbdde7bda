/*
 * test_protocol_outcomes.c
 *	  What each answer leads to: conflicts, lost answers, refusals.
 */
#include "test_protocol_script.h"

/* An indexed INSERT with one covering entry, stub at etag s1, at its commit. */
static void
insert_at_commit(script *s)
{
	script_begin(s, TMODEL_CHANGE_INSERT, true);
	script_index(s, true, "", "a");
	script_start(s);
	script_answer(s, TMODEL_APPLIED, "s1");
	script_answer(s, TMODEL_APPLIED, "a1");
}

/* An UPDATE or DELETE of e0, written by w0, pointer entry a, at its commit. */
static void
change_at_commit(script *s, tmodel_change_kind kind)
{
	script_begin(s, kind, true);
	script_index(s, false, "a", kind == TMODEL_CHANGE_DELETE ? "" : "b");
	script_start(s);
	script_until(s, TMODEL_COMMIT);
}

/* What the machine asks for when the fact turns out to be "found". */
#define CHECK_FOUND(s, found, want) \
	do { \
		CHECK_STR(script_asks(s), "TOUCH: GET facts/p"); \
		script_found((s), (found)); \
		CHECK_STR(script_asks(s), (want)); \
		script_end(s); \
	} while (0)

UNIT_TEST(protocol_reserve_exists)
{
	script		s;

	for (int i = 0; i < 4; i++)
	{
		script_begin(&s, TMODEL_CHANGE_INSERT, true);
		script_index(&s, true, "", "a");
		script_start(&s);
		script_answer(&s, TMODEL_EXISTS, NULL);
		CHECK_STR(script_asks(&s), "RESERVE: GET facts/p");
		switch (i)
		{
			case 0:
				script_found(&s, script_fact(&s, "x", "e9", "w9"));
				CHECK_STR(script_asks(&s), "FINISHED DUPLICATE");
				break;
			case 1:
				/* Another's stub, whose id must not get into our fact. */
				script_found(&s, script_stub(&s, "s9", "w9"));
				script_answer(&s, TMODEL_APPLIED, "a1");
				CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @s9"
						  " d=new _itWrites=me");
				/* ... and which we do not delete when we give up. */
				tmodel_machine_abandon(s.machine);
				CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
				break;
			case 2:
				script_found(&s, NULL);
				CHECK_STR(script_asks(&s), "RESERVE: INSERT facts/p"
						  " _itStub=true _itWrites=me");
				break;
			case 3:
				script_found(&s, script_fact(&s, "x", "e9", "w9,me"));
				CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
				break;
		}
		script_end(&s);
	}
}

UNIT_TEST(protocol_reserve_unknown)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "RESERVE: GET facts/p");
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "RESERVE: GET facts/p");
	script_found(&s, script_stub(&s, "s1", MINE));
	CHECK_STR(script_asks(&s),
			  "COMMIT: REPLACE facts/p @s1 d=new _itWrites=me");
	/* The own stub, though its insertion seemed to have failed. */
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE facts/p @s1");
	script_end(&s);

	/* A stub insert that never gets an answer. */
	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_start(&s);
	for (int i = 0; i < 3; i++)
	{
		script_answer(&s, TMODEL_UNKNOWN, NULL);
		script_found(&s, NULL);
	}
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);
}

/* Whoever was quicker; the commit was certainly not applied. */
UNIT_TEST(protocol_insert_mismatch)
{
	script		s;

	insert_at_commit(&s);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e9", "w9"), "FINISHED DUPLICATE");

	insert_at_commit(&s);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_stub(&s, "s9", "w9"),
				"TOUCH: UPSERT ix/a d=new _itWrite=me");

	insert_at_commit(&s);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, NULL, "RESERVE: INSERT facts/p _itStub=true _itWrites=me");

	insert_at_commit(&s);
	script_answer(&s, TMODEL_ABSENT, NULL);
	CHECK_STR(script_asks(&s),
			  "RESERVE: INSERT facts/p _itStub=true _itWrites=me");
	script_end(&s);
}

UNIT_TEST(protocol_insert_unknown)
{
	script		s;

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e1", MINE),
				"SETTLE: MERGE ix/a @a1 _itVerified=true");

	/* Changed by another since: still applied. */
	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e2", "w9,me"),
				"SETTLE: MERGE ix/a @a1 _itVerified=true");

	/* The stub as it was: the same request again, without touches. */
	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_stub(&s, "s1", MINE),
				"COMMIT: REPLACE facts/p @s1 d=new _itWrites=me");

	/* Never applied, or applied and then deleted: nobody can know. */
	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, NULL, "FINISHED DOUBTFUL");

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_stub(&s, "s9", "w9"), "FINISHED DOUBTFUL");

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e9", "w9"), "FINISHED DOUBTFUL");
}

/* The late first copy makes the second one a mismatch: COMMITTED. */
UNIT_TEST(protocol_insert_unknown_then_mismatch)
{
	script		s;

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_found(&s, script_stub(&s, "s1", MINE));
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e1", MINE),
				"SETTLE: MERGE ix/a @a1 _itVerified=true");
}

UNIT_TEST(protocol_commit_unknown_for_ever)
{
	script		s;

	insert_at_commit(&s);
	for (int i = 0; i < 3; i++)
	{
		script_answer(&s, TMODEL_UNKNOWN, NULL);
		script_found(&s, script_stub(&s, "s1", MINE));
		CHECK_STR(script_phase(&s), "COMMIT");
	}
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "FINISHED DOUBTFUL");
	script_end(&s);
}

/* After an UNKNOWN a refusal decides nothing, nor does a failing read. */
UNIT_TEST(protocol_unknown_then_refused)
{
	script		s;

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_found(&s, script_stub(&s, "s1", MINE));
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED DOUBTFUL");
	script_end(&s);

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED DOUBTFUL");
	script_end(&s);

	insert_at_commit(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	for (int i = 0; i < 3; i++)
	{
		script_answer(&s, TMODEL_UNKNOWN, NULL);
		CHECK_STR(script_asks(&s), "TOUCH: GET facts/p");
	}
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "FINISHED DOUBTFUL");
	script_end(&s);
}

/* A refused commit of an INSERT takes its stub back, then its entries. */
UNIT_TEST(protocol_insert_refused)
{
	script		s;

	insert_at_commit(&s);
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_verdict(&s), "FAILED");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE facts/p @s1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);
}

UNIT_TEST(protocol_update_conflicts)
{
	script		s;

	/* Only fenced: the touches again, then the newer version. */
	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "TOUCH: GET facts/p");
	script_found(&s, script_fact(&s, "old", "e1", "w9,w0"));
	CHECK_STR(script_asks(&s), "TOUCH: GET ix/a; UPSERT ix/b _itWrite=me");
	script_found(&s, NULL);
	script_answer(&s, TMODEL_APPLIED, "b2");
	CHECK_STR(script_asks(&s),
			  "COMMIT: REPLACE facts/p @e1 d=new _itWrites=me,w9,w0");
	script_end(&s);

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e1", "w9,w0"), "FINISHED LOST_RACE");

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_stub(&s, "s9", "w9"), "FINISHED LOST_RACE");

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_ABSENT, NULL);
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);
}

UNIT_TEST(protocol_update_unknown)
{
	script		s;

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e2", "w9,me,w0"),
				"SETTLE: DELETE ix/a @t0");

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "old", "e0", "w0"),
				"COMMIT: REPLACE facts/p @e0 d=new _itWrites=me,w0");

	/* w0 is still listed, so an own success would be listed too. */
	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e2", "w9,w0"), "FINISHED LOST_RACE");

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "old", "e2", "w0"),
				"TOUCH: GET ix/a; UPSERT ix/b _itWrite=me");

	/* The list ran over, or this is another incarnation. */
	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "old", "e2", "w4,w3,w2,w1"),
				"FINISHED DOUBTFUL");

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, NULL, "FINISHED DOUBTFUL");

	/* Proved not applied, so that a refusal is one again. */
	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_found(&s, script_fact(&s, "old", "e2", "w0"));
	script_until(&s, TMODEL_COMMIT);
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);
}

UNIT_TEST(protocol_delete_outcomes)
{
	script		s;

	change_at_commit(&s, TMODEL_CHANGE_DELETE);
	script_answer(&s, TMODEL_ABSENT, NULL);
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);

	change_at_commit(&s, TMODEL_CHANGE_DELETE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, NULL, "SETTLE: DELETE ix/a @t0");

	change_at_commit(&s, TMODEL_CHANGE_DELETE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_found(&s, script_fact(&s, "old", "e0", "w0"));
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e0");
	script_answer(&s, TMODEL_ABSENT, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @t0");
	script_end(&s);

	/* Deleted and inserted by another, or deleted by us: not known. */
	change_at_commit(&s, TMODEL_CHANGE_DELETE);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e2", "w9"), "FINISHED DOUBTFUL");

	change_at_commit(&s, TMODEL_CHANGE_DELETE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_FOUND(&s, script_fact(&s, "old", "e2", "w0"), "TOUCH: GET ix/a");
}

/* A fact that is fenced again and again. */
UNIT_TEST(protocol_update_gives_up)
{
	script		s;
	int			rounds = 0;
	char		etag[16];

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	while (strcmp(script_phase(&s), "FINISHED") != 0 && rounds < 100)
	{
		script_answer(&s, TMODEL_MISMATCH, NULL);
		snprintf(etag, sizeof(etag), "n%d", rounds++);
		script_found(&s, script_fact(&s, "old", etag, "w0"));
		script_until(&s, TMODEL_COMMIT);
	}
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	CHECK_INT(rounds, 17);
	script_end(&s);
}

/* Without write ids the contents decide. */
UNIT_TEST(protocol_not_indexed_outcomes)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	script_answer(&s, TMODEL_EXISTS, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e9", NULL), "FINISHED DUPLICATE");

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	script_answer(&s, TMODEL_EXISTS, NULL);
	CHECK_FOUND(&s, script_stub(&s, "s9", "w9"),
				"COMMIT: REPLACE facts/p @s9 d=new");

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e9", NULL), "FINISHED COMMITTED");

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, NULL, "COMMIT: INSERT facts/p d=new");

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e9", NULL), "FINISHED DOUBTFUL");

	script_begin(&s, TMODEL_CHANGE_UPDATE, false);
	script_start(&s);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_UPDATE, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "new", "e1", NULL), "FINISHED COMMITTED");

	script_begin(&s, TMODEL_CHANGE_UPDATE, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, script_fact(&s, "x", "e1", NULL), "FINISHED DOUBTFUL");

	script_begin(&s, TMODEL_CHANGE_DELETE, false);
	script_start(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_FOUND(&s, NULL, "FINISHED COMMITTED");
}

UNIT_TEST(protocol_direct_outcomes)
{
	script		s;

	for (int i = 0; i < 5; i++)
	{
		script_begin(&s, TMODEL_CHANGE_INSERT, true);
		s.change.direct = true;
		script_index(&s, true, "", "a");
		script_start(&s);
		script_answer(&s, TMODEL_APPLIED, "a1");
		if (i == 0)
		{
			script_answer(&s, TMODEL_EXISTS, NULL);
			CHECK_FOUND(&s, script_fact(&s, "x", "e9", "w9"),
						"FINISHED DUPLICATE");
		}
		else if (i == 1)
		{
			script_answer(&s, TMODEL_UNKNOWN, NULL);
			CHECK_FOUND(&s, script_fact(&s, "new", "e9", MINE),
						"SETTLE: MERGE ix/a @a1 _itVerified=true");
		}
		else if (i < 4)
		{
			/* Four writers since may have pushed the own id out. */
			script_answer(&s, TMODEL_UNKNOWN, NULL);
			CHECK_FOUND(&s, script_fact(&s, "x", "e9", i == 2 ?
										"w4,w3,w2" : "w4,w3,w2,w1"),
						i == 2 ? "FINISHED DUPLICATE" : "FINISHED DOUBTFUL");
		}
		else
		{
			/* Not touched again: the ETag must precede any late copy. */
			script_answer(&s, TMODEL_UNKNOWN, NULL);
			CHECK_FOUND(&s, NULL,
						"COMMIT: INSERT facts/p d=new _itWrites=me");
		}
	}
}

/* A rolled back batch is no answer at all. */
UNIT_TEST(protocol_rolled_back)
{
	script		s;

	insert_at_commit(&s);
	for (int i = 0; i < 100; i++)
		script_answer(&s, TMODEL_ROLLED_BACK, NULL);
	CHECK_STR(script_asks(&s),
			  "COMMIT: REPLACE facts/p @s1 d=new _itWrites=me");
	script_answer(&s, TMODEL_APPLIED, "e1");
	for (int i = 0; i < 8; i++)
	{
		script_answer(&s, TMODEL_ROLLED_BACK, NULL);
		CHECK_STR(script_phase(&s), "SETTLE");
	}
	script_answer(&s, TMODEL_ROLLED_BACK, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

UNIT_TEST(protocol_touch_outcomes)
{
	script		s;

	change_at_commit(&s, TMODEL_CHANGE_UPDATE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	script_found(&s, script_fact(&s, "old", "e1", "w0"));
	for (int i = 0; i < 3; i++)
		script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "TOUCH: GET ix/a; UPSERT ix/b _itWrite=me");
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, true, "a", "a");
	script_start(&s);
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED FAILED");
	script_end(&s);
}
