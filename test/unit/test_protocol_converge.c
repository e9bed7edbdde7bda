/*
 * test_protocol_converge.c
 *	  Queued maintenance: what a change leaves to be done, and the machine that
 *	  does it.
 */
#include "test_protocol_script.h"

#include "model/outbox.h"
#include "model/section.h"

/* A live fact: its entries are touched, older ones read, then the fence. */
UNIT_TEST(converge_live)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_CONVERGE, true);
	script_index(&s, false, "abca", "c");
	script_start(&s);
	CHECK_STR(script_asks(&s), "TOUCH: GET ix/a; GET ix/b;"
			  " UPSERT ix/c _itWrite=me");
	script_found(&s, script_entity(&s, "a", "p,r", "a1"));
	script_found(&s, NULL);
	script_answer(&s, TMODEL_APPLIED, "c1");
	CHECK_STR(script_asks(&s), "COMMIT: MERGE facts/p @e0 _itFence=1");
	script_answer(&s, TMODEL_APPLIED, "f1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK(tmodel_machine_is_settled(s.machine));
	script_end(&s);
}

/* An entry that somebody touched meanwhile: the work is not done. */
UNIT_TEST(converge_not_settled)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_CONVERGE, true);
	script_index(&s, true, "a", "a");
	script_start(&s);
	script_until(&s, TMODEL_SETTLE);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK(!tmodel_machine_is_settled(s.machine));
	script_end(&s);
}

/* The fact changed before the fence: nothing is verified or deleted. */
UNIT_TEST(converge_lost_race)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_CONVERGE, true);
	script_index(&s, true, "a", "b");
	script_start(&s);
	script_until(&s, TMODEL_COMMIT);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);
}

static void
start_absent(script *s)
{
	script_begin(s, TMODEL_CHANGE_CONVERGE, true);
	s->change.old_fact = script_entity(s, "p", "r", "");
	script_index(s, false, "a", "");
	script_start(s);
	CHECK_STR(script_asks(s), "TOUCH: GET ix/a");
	script_found(s, script_entity(s, "a", "p,r", "a1"));
	CHECK_STR(script_asks(s), "TOUCH: GET facts/p");
}

/* Absence has no ETag: it is looked at again after the entries were read. */
UNIT_TEST(converge_absent)
{
	script		s;

	start_absent(&s);
	script_found(&s, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_ABSENT, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK(tmodel_machine_is_settled(s.machine));
	script_end(&s);

	start_absent(&s);
	script_found(&s, script_fact(&s, "new", "f1", "w1"));
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	script_end(&s);

	/* a stub is no fact: who makes it live has the entries touched later */
	start_absent(&s);
	script_found(&s, script_stub(&s, "s1", "w1"));
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_end(&s);
}

UNIT_TEST(converge_nothing)
{
	script		s;

	script_begin(&s, TMODEL_CHANGE_CONVERGE, true);
	script_index(&s, false, "", "");
	script_start(&s);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

/* Index on d: the outbox keeps d of the old fact, and nothing else. */
UNIT_TEST(outbox_keeps_what_keys_are_made_of)
{
	static const tmodel_index_column d = {.name = {"d", 1},.type =
	TMODEL_KEY_TEXT,.source = TMODEL_FROM_PROPERTY,.property = {"d", 1}};
	static const tmodel_index_column r = {.name = {"r", 1},.type =
	TMODEL_KEY_TEXT,.source = TMODEL_FROM_ROW};
	static const tmodel_index_def one = {.table = {"ByD", 3},.npartition = 1,
	.partition = &d,.nrow = 1,.row = &r};
	static const tmodel_index_def two = {.table = {"other", 5},.npartition = 1,
	.partition = &r,.nrow = 1,.row = &r};
	const tmodel_index_def *const both[] = {&one, &two};
	script		s;
	tmodel_entity *old_fact;
	tmodel_entity *outbox;
	tmodel_entity *again;
	tmodel_entity *fact;

	script_begin(&s, TMODEL_CHANGE_UPDATE, true);
	old_fact = tmodel_entity_extend(&s.arena, s.change.old_fact, 1);
	script_set(old_fact, "big", tmodel_string(TMODEL_SPAN("not kept")));
	outbox = tmodel_outbox_entity(&s.arena, TMODEL_SPAN("w"), 10, old_fact,
								  s.change.new_fact, 2, both);
	CHECK(tmodel_is_outbox(outbox) && tmodel_key_is_reserved(outbox->row_key));
	CHECK(tmodel_utf16_compare(outbox->row_key,
							   TMODEL_SPAN(TMODEL_OUTBOX_KEY_END)) < 0);
	CHECK(tmodel_outbox_names(outbox, TMODEL_SPAN("byd")));
	CHECK(tmodel_outbox_names(outbox, TMODEL_SPAN("OTHER")));
	CHECK(!tmodel_outbox_names(outbox, TMODEL_SPAN("othe")));
	fact = tmodel_outbox_fact(&s.arena, outbox);
	CHECK(tmodel_span_equal(fact->row_key, old_fact->row_key));
	CHECK(tmodel_span_equal(fact->partition_key, old_fact->partition_key));
	CHECK_INT(fact->nproperties, 1);
	CHECK(tmodel_value_equal(tmodel_entity_get(fact, TMODEL_SPAN("d")),
							 tmodel_entity_get(old_fact, TMODEL_SPAN("d"))));
	/* every change has one of its own; without an old fact there is nothing */
	again = tmodel_outbox_entity(&s.arena, TMODEL_SPAN("w"), 11, NULL,
								 s.change.new_fact, 1, both);
	CHECK(!tmodel_span_equal(again->row_key, outbox->row_key));
	CHECK_INT(tmodel_outbox_fact(&s.arena, again)->nproperties, 0);
	/* what somebody else put there asks for nothing */
	CHECK(!tmodel_is_outbox(old_fact));
	outbox->row_key = TMODEL_SPAN("\"!q");
	CHECK(!tmodel_is_outbox(outbox));
	outbox->row_key = TMODEL_SPAN(TMODEL_BATON_KEY);
	CHECK(tmodel_key_is_reserved(outbox->row_key));
	script_end(&s);
}

static void
start_baton(script *s)
{
	script_begin(s, TMODEL_CHANGE_UPDATE, false);
	s->change.keeps_etag = true;
	script_start(s);
	CHECK_STR(script_asks(s), "COMMIT: REPLACE facts/p @e0 d=new");
	CHECK_INT(tmodel_machine_etag(s->machine).len, 0);
}

/* What the baton needs: the ETag of what was written, to write it again. */
UNIT_TEST(keeps_etag)
{
	script		s;

	start_baton(&s);
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK(tmodel_span_equal(tmodel_machine_etag(s.machine),
							TMODEL_SPAN("e1")));
	script_end(&s);

	start_baton(&s);
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "FINISHED LOST_RACE");
	CHECK_INT(tmodel_machine_etag(s.machine).len, 0);
	script_end(&s);
}

/* The same where the reply was lost. */
UNIT_TEST(keeps_etag_of_lost_reply)
{
	script		s;

	start_baton(&s);
	script_answer(&s, TMODEL_UNKNOWN, NULL);
	script_found(&s, script_fact(&s, "new", "e1", NULL));
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK(tmodel_span_equal(tmodel_machine_etag(s.machine),
							TMODEL_SPAN("e1")));
	script_end(&s);
}
