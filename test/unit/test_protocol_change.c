/*
 * test_protocol_change.c
 *	  Which requests each kind of change asks for, in which order, how many.
 */
#include "test_protocol_script.h"

/* N entries: a stub, N touches, the fact; covering: N verifications. */
static void
count_insert(bool covering, const char *keys, int want)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, covering, "", keys);
	script_start(&s);
	script_until(&s, TMODEL_FINISHED);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK_INT(s.nsent, want);
	script_end(&s);
}

UNIT_TEST(protocol_insert_counts)
{
	count_insert(false, "", 2);
	count_insert(false, "a", 3);
	count_insert(false, "abcde", 7);
	count_insert(true, "a", 4);
	count_insert(true, "abcde", 12);
}

UNIT_TEST(protocol_insert_covering)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, true, "", "ba");
	script_start(&s);
	CHECK_STR(script_asks(&s),
			  "RESERVE: INSERT facts/p _itStub=true _itWrites=me");
	script_answer(&s, TMODEL_APPLIED, "s1");
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=new _itWrite=me;"
			  " UPSERT ix/b d=new _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a1");
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/b d=new _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "b1");
	CHECK_STR(script_asks(&s),
			  "COMMIT: REPLACE facts/p @s1 d=new _itWrites=me");
	CHECK_STR(script_verdict(&s), "PENDING");
	script_answer(&s, TMODEL_APPLIED, "f1");
	CHECK_STR(script_verdict(&s), "COMMITTED");
	CHECK_STR(script_asks(&s), "SETTLE: MERGE ix/a @a1 _itVerified=true;"
			  " MERGE ix/b @b1 _itVerified=true");
	script_answer(&s, TMODEL_MISMATCH, NULL);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

UNIT_TEST(protocol_insert_direct)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	s.change.direct = true;
	script_index(&s, true, "", "a");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=new _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a1");
	CHECK_STR(script_asks(&s), "COMMIT: INSERT facts/p d=new _itWrites=me");
	script_answer(&s, TMODEL_APPLIED, "f1");
	CHECK_STR(script_asks(&s), "SETTLE: MERGE ix/a @a1 _itVerified=true");
	script_answer(&s, TMODEL_APPLIED, "a2");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Without sync indexes a change is one request and adds nothing. */
UNIT_TEST(protocol_not_indexed)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_INSERT, false);
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: INSERT facts/p d=new");
	script_until(&s, TMODEL_FINISHED);
	CHECK_INT(s.nsent, 1);
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_UPDATE, false);
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @e0 d=new");
	script_until(&s, TMODEL_FINISHED);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK_INT(s.nsent, 1);
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_DELETE, false);
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e0");
	script_until(&s, TMODEL_FINISHED);
	CHECK_INT(s.nsent, 1);
	script_end(&s);
}

/* Reserved properties of a fact that was indexed once are not lost. */
UNIT_TEST(protocol_not_indexed_carries_reserved)
{
	script		s;
	tmodel_entity *old;

	script_begin(&s, TMODEL_CHANGE_UPDATE, false);
	old = script_fact(&s, "old", "e0", "w1,w0");
	script_set(old, TMODEL_P_FENCE, tmodel_int32(7));
	s.change.old_fact = old;
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @e0 d=new"
			  " _itFence=7 _itWrites=w1,w0");
	script_end(&s);
}

/* The own write id first, at most four; the fence as it was. */
UNIT_TEST(protocol_update_write_ids)
{
	script		s;
	tmodel_entity *old;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	old = script_fact(&s, "old", "e0", "w5,w4,w3,w2");
	script_set(old, TMODEL_P_FENCE, tmodel_int32(7));
	s.change.old_fact = old;
	script_start(&s);
	CHECK_STR(script_asks(&s), "COMMIT: REPLACE facts/p @e0 d=new"
			  " _itFence=7 _itWrites=me,w5,w4,w3");
	script_end(&s);
}

/* Pointer: touch what is new, read what goes; what stays is left alone. */
UNIT_TEST(protocol_update_pointer)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, false, "abc", "bcd");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: GET ix/a; UPSERT ix/d _itWrite=me");
	script_found(&s, script_entity(&s, "a", "p,r", "a1"));
	script_answer(&s, TMODEL_APPLIED, "d1");
	CHECK_STR(script_asks(&s),
			  "COMMIT: REPLACE facts/p @e0 d=new _itWrites=me,w0");
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* An old entry that is not there need not be deleted. */
UNIT_TEST(protocol_update_pointer_absent_entry)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, false, "a", "");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: GET ix/a");
	script_found(&s, NULL);
	CHECK_STR(script_phase(&s), "COMMIT");
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Covering: the contents of all change; the old one is un-verified as it is. */
UNIT_TEST(protocol_update_covering)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, true, "ab", "bc");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=old _itWrite=me;"
			  " UPSERT ix/b d=new _itWrite=me;"
			  " UPSERT ix/c d=new _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a1");
	script_answer(&s, TMODEL_APPLIED, "b1");
	script_answer(&s, TMODEL_APPLIED, "c1");
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1;"
			  " MERGE ix/b @b1 _itVerified=true;"
			  " MERGE ix/c @c1 _itVerified=true");
	script_end(&s);
}

/* Entries that the change does not concern cost no request. */
UNIT_TEST(protocol_update_unchanged_entries)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	script_index(&s, true, "ab", "ab");
	script_index(&s, false, "a", "a");
	s.parts[0].new_entries = s.parts[0].old_entries;
	script_start(&s);
	CHECK_STR(script_phase(&s), "COMMIT");
	script_until(&s, TMODEL_FINISHED);
	CHECK_INT(s.nsent, 1);
	script_end(&s);
}

UNIT_TEST(protocol_two_indexes_in_one_phase)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_DELETE, true);
	script_index(&s, true, "a", "");
	script_index(&s, false, "b", "");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=old _itWrite=me;"
			  " GET iy/b");
	script_answer(&s, TMODEL_APPLIED, "a1");
	script_found(&s, script_entity(&s, "b", "p,r", "b1"));
	CHECK_STR(script_asks(&s), "COMMIT: DELETE facts/p @e0");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1; DELETE iy/b @b1");
	script_end(&s);
}

/* A fence, because it wants to verify. */
UNIT_TEST(protocol_refresh_covering)
{
	script		s;
	tmodel_entity *old;

	script_begin(&s, TMODEL_CHANGE_REFRESH, true);
	old = script_fact(&s, "old", "e0", NULL);
	script_set(old, TMODEL_P_FENCE, tmodel_int32(41));
	s.change.old_fact = old;
	script_index(&s, true, "a", "a");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=old _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a1");
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=42");
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: MERGE ix/a @a1 _itVerified=true");
	script_end(&s);
}

UNIT_TEST(protocol_refresh_pointer_needs_no_fence)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_REFRESH, true);
	script_index(&s, false, "ab", "ab");
	script_start(&s);
	script_until(&s, TMODEL_FINISHED);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK_INT(s.nsent, 2);
	script_end(&s);

	script_begin(&s, TMODEL_CHANGE_REFRESH, true);
	script_index(&s, true, "", "");
	script_start(&s);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* A fact that moved is read again by the caller, not here. */
UNIT_TEST(protocol_refresh_lost)
{
	static const tmodel_outcome outcomes[] = {
		TMODEL_MISMATCH, TMODEL_ABSENT, TMODEL_UNKNOWN
	};

	for (int i = 0; i < 3; i++)
	{
		script		s;

		script_begin(&s, TMODEL_CHANGE_REFRESH, true);
		script_index(&s, true, "a", "a");
		script_start(&s);
		script_until(&s, TMODEL_COMMIT);
		script_answer(&s, outcomes[i], NULL);
		CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
		script_end(&s);
	}
}

/* A late answer to a phase that is over changes nothing. */
UNIT_TEST(protocol_slots_are_not_reused)
{
	script		s;
	const tmodel_step_request *requests;
	tmodel_answer refused = {.outcome = TMODEL_REFUSED};
	int			slot;

	script_begin(&s, TMODEL_CHANGE_INSERT, true);
	script_index(&s, true, "", "a");
	script_start(&s);
	CHECK_INT(tmodel_machine_requests(s.machine, &s.arena, &requests), 1);
	slot = requests[0].slot;
	script_answer(&s, TMODEL_APPLIED, "s1");
	CHECK(tmodel_machine_answer(s.machine, slot, &refused));
	CHECK(tmodel_machine_answer(s.machine, 1000, &refused));
	CHECK(tmodel_machine_answer(s.machine, -1, &refused));
	CHECK_STR(script_asks(&s), "TOUCH: UPSERT ix/a d=new _itWrite=me");
	script_end(&s);
}
