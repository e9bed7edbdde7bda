/*
 * test_protocol_claim.c
 *	  Claims of unique indexes: which requests, in which order, and what each
 *	  answer leads to.
 *
 * Facts have the property k, which is the index's key; claims are ix/KEY.
 */
#include "test_protocol_script.h"

#include "model/claim.h"

static const tmodel_key_type text_type = TMODEL_KEY_TEXT;
static const tmodel_index_column key_column = {.name = {"k", 1},
	.type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_PROPERTY,
	.property = {"k", 1}};
static const tmodel_fact_def fact_def = {.table = {"facts", 5},
	.npartition = 1, .partition_types = &text_type,
	.nrow = 1, .row_types = &text_type};
static const tmodel_index_def index_def = {.table = {"ix", 2},
	.npartition = 1, .partition = &key_column, .unique = true};

/* The claim of that key, owned by the fact p/row. */
static tmodel_entity *
claim(script *s, const char *key, const char *row, const char *etag)
{
	tmodel_entity *entity = script_entity(s, key, TMODEL_KEY_NONE, etag);

	script_set(entity, TMODEL_P_FACT_PK, tmodel_string(TMODEL_SPAN("p")));
	script_set(entity, TMODEL_P_FACT_RK, tmodel_string(tmodel_span_of(row)));
	return entity;
}

/* Another fact, live with that key; NULL: with none. */
static tmodel_entity *
other(script *s, const char *key, const char *etag)
{
	tmodel_entity *fact = script_entity(s, "p", "other", etag);

	if (key != NULL)
		script_set(fact, "k", tmodel_string(tmodel_span_of(key)));
	return fact;
}

static tmodel_entries
claims(script *s, const char *keys)
{
	tmodel_entries entries = {.n = (int) strlen(keys)};

	entries.entries = tmodel_alloc(&s->arena, (strlen(keys) + 1) *
								   sizeof(tmodel_entity));
	for (int i = 0; i < entries.n; i++)
	{
		tmodel_span key = tmodel_span_copy(&s->arena,
										   (tmodel_span) {keys + i, 1});

		entries.entries[i] = *claim(s, key.data, "r", NULL);
	}
	return entries;
}

/* Old and new keys are letters. */
static void
begin(script *s, tmodel_change_kind kind, bool covering, const char *old_keys,
	  const char *new_keys)
{
	tmodel_index_change *part = s->parts;

	script_begin(s, kind, true);
	part->table = TMODEL_SPAN("ix");
	part->covering = covering;
	part->unique = &index_def;
	part->fact_def = &fact_def;
	part->old_entries = claims(s, old_keys);
	part->new_entries = claims(s, new_keys);
	s->change.nindexes = 1;
	s->change.patience = 2;
	script_start(s);
}

/* An INSERT whose stub is there and whose claim of a is found to be owner's. */
static void
begin_insert(script *s, const char *owner, bool old)
{
	tmodel_answer answer = {.outcome = TMODEL_APPLIED, .old = old};
	const tmodel_step_request *requests;

	begin(s, TMODEL_CHANGE_INSERT, false, "", "a");
	script_answer(s, TMODEL_APPLIED, "s1");
	CHECK_STR(script_asks(s), "CLAIM: INSERT ix/a _itWrite=me");
	script_answer(s, TMODEL_EXISTS, NULL);
	CHECK_STR(script_asks(s), "CLAIM: GET ix/a");
	answer.entity = claim(s, "a", owner, "a1");
	tmodel_machine_requests(s->machine, &s->arena, &requests);
	tmodel_machine_answer(s->machine, requests[0].slot, &answer);
}

UNIT_TEST(protocol_claim_insert)
{
	script		s;

	begin(&s, TMODEL_CHANGE_INSERT, false, "", "a");
	script_until(&s, TMODEL_FINISHED);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK_INT(s.nsent, 3);
	script_end(&s);

	begin(&s, TMODEL_CHANGE_INSERT, true, "", "ab");
	script_until(&s, TMODEL_FINISHED);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	CHECK_INT(s.nsent, 6);
	script_end(&s);
}

/* Pointer: claim, read, commit, delete.  Covering: the old is touched too. */
UNIT_TEST(protocol_claim_update)
{
	script		s;

	begin(&s, TMODEL_CHANGE_UPDATE, false, "a", "b");
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a; INSERT ix/b _itWrite=me");
	script_found(&s, claim(&s, "a", "r", "a1"));
	script_answer(&s, TMODEL_APPLIED, "b1");
	CHECK_STR(script_phase(&s), "COMMIT");
	script_answer(&s, TMODEL_APPLIED, "e1");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);

	begin(&s, TMODEL_CHANGE_DELETE, true, "a", "");
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	script_found(&s, claim(&s, "a", "r", "a1"));
	CHECK_STR(script_asks(&s), "CLAIM: REPLACE ix/a @a1 _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a2");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a2");
	script_end(&s);
}

/* What another fact owns is not deleted with the old key. */
UNIT_TEST(protocol_claim_release_of_others)
{
	script		s;

	begin(&s, TMODEL_CHANGE_DELETE, true, "a", "");
	script_found(&s, claim(&s, "a", "other", "a1"));
	CHECK_STR(script_phase(&s), "COMMIT");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}

UNIT_TEST(protocol_claim_duplicate)
{
	script		s;
	const tmodel_index_change *index = NULL;

	begin_insert(&s, "other", true);
	CHECK_STR(script_asks(&s), "CLAIM: GET facts/p");
	script_found(&s, other(&s, "a", "o1"));
	CHECK_STR(script_verdict(&s), "DUPLICATE");
	CHECK(tmodel_machine_refused(s.machine, &index) != NULL);
	CHECK(index == s.parts);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE facts/p @s1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED DUPLICATE");
	script_end(&s);
}

/* Of the same fact: touched all the same. */
UNIT_TEST(protocol_claim_own)
{
	script		s;

	begin_insert(&s, "r", false);
	CHECK_STR(script_asks(&s), "CLAIM: REPLACE ix/a @a1 _itWrite=me");
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	script_found(&s, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: INSERT ix/a _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "a2");
	CHECK_STR(script_phase(&s), "COMMIT");
	script_end(&s);
}

/* Live without the key, reserved, absent: only the last needs no fence. */
UNIT_TEST(protocol_claim_orphans)
{
	script		s;

	begin_insert(&s, "other", true);
	script_found(&s, other(&s, "b", "o1"));
	CHECK_STR(script_asks(&s), "CLAIM: MERGE facts/p @o1 _itFence=1");
	script_answer(&s, TMODEL_MISMATCH, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	script_end(&s);

	begin_insert(&s, "other", true);
	script_found(&s, script_stub(&s, "o1", "w1"));
	CHECK_STR(script_asks(&s), "CLAIM: DELETE facts/p @o1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: REPLACE ix/a @a1 _itWrite=me");
	script_end(&s);

	begin_insert(&s, "other", true);
	script_found(&s, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: REPLACE ix/a @a1 _itWrite=me");
	script_end(&s);
}

/* In order: what was made goes first, then one at a time. */
UNIT_TEST(protocol_claim_in_order)
{
	script		s;
	tmodel_span table;

	begin(&s, TMODEL_CHANGE_UPDATE, false, "", "ba");
	CHECK_STR(script_asks(&s),
			  "CLAIM: INSERT ix/a _itWrite=me; INSERT ix/b _itWrite=me");
	script_answer(&s, TMODEL_EXISTS, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a; INSERT ix/b _itWrite=me");
	CHECK(tmodel_machine_turn(s.machine, &table) == NULL);
	tmodel_machine_order_claims(s.machine);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	CHECK(tmodel_machine_turn(s.machine, &table) != NULL);
	script_found(&s, NULL);
	script_answer(&s, TMODEL_APPLIED, "a2");
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/b");
	script_found(&s, NULL);
	script_answer(&s, TMODEL_APPLIED, "b2");
	CHECK_STR(script_phase(&s), "COMMIT");
	script_end(&s);

	begin(&s, TMODEL_CHANGE_UPDATE, false, "", "ab");
	script_answer(&s, TMODEL_APPLIED, "a1");
	tmodel_machine_order_claims(s.machine);
	CHECK_STR(script_asks(&s), "CLAIM: DELETE ix/a @a1");
	CHECK(tmodel_machine_turn(s.machine, &table) == NULL);
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	script_end(&s);
}

/* The heir waits for the donor's commit, and takes what he touched. */
UNIT_TEST(protocol_claim_inherited)
{
	script		heir;
	script		donor;
	tmodel_entity *key;

	begin(&donor, TMODEL_CHANGE_DELETE, false, "a", "");
	begin(&heir, TMODEL_CHANGE_UPDATE, false, "", "a");
	key = claim(&heir, "a", "r", NULL);
	CHECK(tmodel_machine_inherit(heir.machine, donor.machine,
								 TMODEL_SPAN("ix"), key));
	CHECK_STR(script_asks(&heir), "COMMIT PENDING");
	script_found(&donor, claim(&donor, "a", "r", "a1"));
	CHECK_STR(script_asks(&donor), "CLAIM: REPLACE ix/a @a1 _itWrite=me");
	script_answer(&donor, TMODEL_APPLIED, "a2");
	tmodel_machine_resume(heir.machine);
	CHECK_STR(script_asks(&heir), "COMMIT PENDING");
	script_answer(&donor, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&donor), "FINISHED COMMITTED");
	tmodel_machine_resume(heir.machine);
	CHECK_STR(script_asks(&heir), "CLAIM: REPLACE ix/a @a2 _itWrite=me");
	script_answer(&heir, TMODEL_APPLIED, "a3");
	CHECK_STR(script_phase(&heir), "COMMIT");
	script_end(&heir);
	script_end(&donor);
}

/* A claim under way when another fails is known, and given up. */
UNIT_TEST(protocol_claim_fails_beside)
{
	script		s;

	begin(&s, TMODEL_CHANGE_UPDATE, false, "", "ab");
	script_answer(&s, TMODEL_REFUSED, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: INSERT ix/b _itWrite=me");
	script_answer(&s, TMODEL_APPLIED, "b1");
	CHECK_STR(script_verdict(&s), "FAILED");
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/b @b1");
	script_end(&s);
}

/* Others are at it: read again, later and later; then 40001, not 23505. */
UNIT_TEST(protocol_claim_patience)
{
	script		s;
	const tmodel_step_request *requests;

	begin_insert(&s, "other", false);
	for (int wait = 1; wait <= 2; wait++)
	{
		script_found(&s, script_stub(&s, "o1", "w1"));
		CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
		tmodel_machine_requests(s.machine, &s.arena, &requests);
		CHECK_INT(requests[0].pause, wait);
		script_found(&s, claim(&s, "a", "other", "a1"));
	}
	script_found(&s, script_stub(&s, "o1", "w1"));
	CHECK_STR(script_verdict(&s), "LOST_RACE");
	script_end(&s);
}

/* A failed UPDATE gives up what it has claimed, and nothing else. */
UNIT_TEST(protocol_claim_given_up)
{
	script		s;

	begin(&s, TMODEL_CHANGE_UPDATE, false, "", "a");
	script_answer(&s, TMODEL_APPLIED, "a1");
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_asks(&s), "SETTLE: DELETE ix/a @a1");
	script_answer(&s, TMODEL_APPLIED, NULL);
	CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
	script_end(&s);

	begin(&s, TMODEL_CHANGE_UPDATE, false, "", "a");
	script_answer(&s, TMODEL_EXISTS, NULL);
	script_found(&s, claim(&s, "a", "r", "a1"));
	script_answer(&s, TMODEL_APPLIED, "a2");
	tmodel_machine_abandon(s.machine);
	CHECK_STR(script_asks(&s), "FINISHED ABANDONED");
	script_end(&s);
}

/* In a batch that another's claim spoiled, each looks before it inserts. */
UNIT_TEST(protocol_claim_rolled_back)
{
	script		s;

	begin(&s, TMODEL_CHANGE_REFRESH, false, "", "a");
	CHECK_STR(script_asks(&s), "CLAIM: INSERT ix/a _itWrite=me");
	script_answer(&s, TMODEL_ROLLED_BACK, NULL);
	CHECK_STR(script_asks(&s), "CLAIM: GET ix/a");
	script_found(&s, NULL);
	script_answer(&s, TMODEL_APPLIED, "a1");
	CHECK_STR(script_asks(&s), "FINISHED COMMITTED");
	script_end(&s);
}
