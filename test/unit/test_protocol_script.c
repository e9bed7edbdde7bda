/*
 * test_protocol_script.c
 *	  The protocol tests' fixtures and words; see the header.
 */
#include "test_protocol_script.h"

void
script_set(tmodel_entity *entity, const char *name, tmodel_value value)
{
	tmodel_entity_set(entity, tmodel_span_of(name), &value);
}

tmodel_entity *
script_entity(script *s, const char *pk, const char *rk, const char *etag)
{
	tmodel_entity bare = {.partition_key = tmodel_span_of(pk),
		.row_key = tmodel_span_of(rk), .etag = tmodel_span_of(etag),
		.timestamp = -1};

	return tmodel_entity_extend(&s->arena, &bare, 12);
}

/* A live fact; writes NULL: without write ids. */
tmodel_entity *
script_fact(script *s, const char *d, const char *etag, const char *writes)
{
	tmodel_entity *fact = script_entity(s, "p", "r", etag);

	script_set(fact, "d", tmodel_string(tmodel_span_of(d)));
	if (writes != NULL)
		script_set(fact, TMODEL_P_WRITES,
				   tmodel_string(tmodel_span_of(writes)));
	return fact;
}

tmodel_entity *
script_stub(script *s, const char *etag, const char *writes)
{
	tmodel_entity *stub = script_entity(s, "p", "r", etag);

	script_set(stub, TMODEL_P_STUB, tmodel_boolean(true));
	script_set(stub, TMODEL_P_WRITES, tmodel_string(tmodel_span_of(writes)));
	return stub;
}

/* One entry per letter of keys; d NULL: of a pointer index. */
tmodel_entries
script_entries(script *s, const char *keys, const char *d)
{
	tmodel_entries entries = {.n = (int) strlen(keys)};

	entries.entries = tmodel_alloc(&s->arena, (strlen(keys) + 1) *
								   sizeof(tmodel_entity));
	for (int i = 0; i < entries.n; i++)
	{
		tmodel_span key = {keys + i, 1};
		tmodel_entity *entry = script_entity(s, NULL, "p,r", NULL);

		entry->partition_key = tmodel_span_copy(&s->arena, key);
		if (d != NULL)
			script_set(entry, "d", tmodel_string(tmodel_span_of(d)));
		entries.entries[i] = *entry;
	}
	return entries;
}

/* A change without indexes; the fact is "old" at etag e0, written by w0. */
void
script_begin(script *s, tmodel_change_kind kind, bool indexed)
{
	memset(s, 0, sizeof(*s));
	tmodel_arena_init(&s->arena, &tmodel_malloc);
	s->change.kind = kind;
	s->change.table = TMODEL_SPAN("facts");
	s->change.indexed = indexed;
	s->change.write_id = TMODEL_SPAN(MINE);
	s->change.indexes = s->parts;
	if (kind != TMODEL_CHANGE_INSERT)
		s->change.old_fact = script_fact(s, "old", "e0", indexed ? "w0" : NULL);
	if (kind == TMODEL_CHANGE_INSERT || kind == TMODEL_CHANGE_UPDATE)
		s->change.new_fact = script_fact(s, "new", NULL, NULL);
}

/* Adds an index; keys are letters.  Covering entries copy d. */
void
script_index(script *s, bool covering, const char *old_keys,
			 const char *new_keys)
{
	static const char *const tables[] = {"ix", "iy"};
	tmodel_index_change *part = &s->parts[s->change.nindexes];
	bool		refresh = s->change.kind == TMODEL_CHANGE_REFRESH;

	part->table = tmodel_span_of(tables[s->change.nindexes++]);
	part->covering = covering;
	part->old_entries = script_entries(s, old_keys, covering ? "old" : NULL);
	part->new_entries = script_entries(s, new_keys, !covering ? NULL :
									   refresh ? "old" : "new");
}

void
script_start(script *s)
{
	s->machine = tmodel_machine_start(&s->arena, &s->change);
	if (s->machine == NULL)
		UNIT_FAIL("no machine");
}

void
script_end(script *s)
{
	tmodel_arena_reset(&s->arena);
}

const char *
script_phase(const script *s)
{
	static const char *const names[] = {
		"RESERVE", "CLAIM", "TOUCH", "COMMIT", "SETTLE", "FINISHED"
	};

	return names[tmodel_machine_phase(s->machine)];
}

const char *
script_verdict(const script *s)
{
	static const char *const names[] = {
		"PENDING", "COMMITTED", "DUPLICATE", "LOST_RACE", "FAILED",
		"DOUBTFUL", "ABANDONED"
	};

	return names[tmodel_machine_verdict(s->machine)];
}

/* Appends "NAME=value" of a property that decides something, if it is there. */
static void
script_property(tmodel_buf *buf, const tmodel_entity *entity, const char *name)
{
	const tmodel_value *value = tmodel_entity_get(entity, tmodel_span_of(name));

	if (value == NULL)
		return;
	tmodel_buf_printf(buf, " %s=", name);
	tmodel_value_print(buf, value);
}

/*
 * "PHASE: ACTION table/pk [if-match etag] [properties]; ..." of all the
 * requests that are open, or "FINISHED VERDICT".
 */
const char *
script_asks(script *s)
{
	static const char *const actions[] = {
		"GET", "INSERT", "UPSERT", "REPLACE", "MERGE", "DELETE"
	};
	const tmodel_step_request *requests;
	int			n = tmodel_machine_requests(s->machine, &s->arena, &requests);
	tmodel_arena arena;
	tmodel_buf	buf;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&buf, &arena);
	tmodel_buf_puts(&buf, script_phase(s));
	if (n == 0)
		tmodel_buf_printf(&buf, " %s", script_verdict(s));
	for (int i = 0; i < n; i++)
	{
		const tmodel_entity *entity = tmodel_machine_body(s->machine,
														  requests[i].slot,
														  &arena);

		tmodel_buf_printf(&buf, "%s %s %.*s/%.*s", i == 0 ? ":" : ";",
						  actions[requests[i].action],
						  (int) requests[i].table.len, requests[i].table.data,
						  (int) entity->partition_key.len,
						  entity->partition_key.data);
		if (requests[i].if_match.len > 0)
			tmodel_buf_printf(&buf, " @%.*s", (int) requests[i].if_match.len,
							  requests[i].if_match.data);
		if (requests[i].action == TMODEL_GET ||
			requests[i].action == TMODEL_DELETE)
			continue;
		script_property(&buf, entity, "d");
		script_property(&buf, entity, TMODEL_P_STUB);
		script_property(&buf, entity, TMODEL_P_FENCE);
		script_property(&buf, entity, TMODEL_P_WRITES);
		script_property(&buf, entity, TMODEL_P_VERIFIED);
		script_property(&buf, entity, TMODEL_P_WRITE);
	}
	snprintf(s->text, sizeof(s->text), "%s", buf.data);
	tmodel_arena_reset(&arena);
	return s->text;
}

/* Answers the first open request.  etag: of a write that was applied. */
void
script_answer(script *s, tmodel_outcome outcome, const char *etag)
{
	const tmodel_step_request *requests;
	tmodel_answer answer = {.outcome = outcome, .etag = tmodel_span_of(etag)};

	if (tmodel_machine_requests(s->machine, &s->arena, &requests) == 0)
		UNIT_FAIL("nothing to answer");
	else
	{
		s->nsent++;
		if (!tmodel_machine_answer(s->machine, requests[0].slot, &answer))
			UNIT_FAIL("out of memory");
	}
}

/* Answers the first open request, a GET, with what was found; NULL: 404. */
void
script_found(script *s, const tmodel_entity *entity)
{
	const tmodel_step_request *requests;
	tmodel_answer answer = {.entity = entity};

	answer.outcome = entity != NULL ? TMODEL_APPLIED : TMODEL_ABSENT;
	if (tmodel_machine_requests(s->machine, &s->arena, &requests) == 0 ||
		requests[0].action != TMODEL_GET)
		UNIT_FAIL("no GET to answer");
	else
	{
		s->nsent++;
		if (!tmodel_machine_answer(s->machine, requests[0].slot, &answer))
			UNIT_FAIL("out of memory");
	}
}

/* Answers everything with success until the phase is reached. */
void
script_until(script *s, tmodel_phase phase)
{
	char		etag[16];

	for (int i = 0; i < 1000 && !unit_failed(); i++)
	{
		const tmodel_step_request *requests;

		if (tmodel_machine_phase(s->machine) >= phase ||
			tmodel_machine_requests(s->machine, &s->arena, &requests) == 0)
			return;
		snprintf(etag, sizeof(etag), "t%d", s->nsent);
		if (requests[0].action == TMODEL_GET)
			script_found(s, script_entity(s, "x", "x", etag));
		else
			script_answer(s, TMODEL_APPLIED, etag);
	}
}
