/*
 * facts.c
 *	  The facts of the model world: all their possible contents, and what the
 *	  real index.c says their entries are.
 *
 * A fact has an array property k of index keys, drawn from "a" and "b", and a
 * data property d, which covering indexes copy.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACT_TABLE "facts"

static const char *const key_sets[] = {
	NULL, "[\"a\"]", "[\"b\"]", "[\"a\",\"b\"]"
};
static const char *const index_tables[MAX_INDEXES] = {"index0", "index1"};
static const tmodel_key_type text_type = TMODEL_KEY_TEXT;

static const tmodel_span covered = {"d", 1};
static const tmodel_index_column element = {.name = {"key", 3},
	.type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_ELEMENT,
	.property = {"k", 1}};
static const tmodel_index_column row = {.name = {"row", 3},
	.type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_ROW};
static const tmodel_fact_def fact_def = {.table = {FACT_TABLE, 5},
	.npartition = 1, .partition_types = &text_type,
	.nrow = 1, .row_types = &text_type};

static tmodel_arena arena;
static tmodel_index_def defs[MAX_INDEXES];
static const tmodel_entity *facts[MAX_FACTS][NCONTENTS];
static tmodel_entries entries[MAX_INDEXES][MAX_FACTS][NCONTENTS];

static tmodel_entity *
make_fact(int at, int content)
{
	tmodel_entity bare = {.partition_key = TMODEL_SPAN("p"), .timestamp = -1};
	tmodel_entity *fact;
	tmodel_value value = tmodel_int32(content & 1);

	bare.row_key = at == 0 ? TMODEL_SPAN("r") : TMODEL_SPAN("s");
	fact = tmodel_entity_extend(&arena, &bare, 2);
	tmodel_entity_set(fact, TMODEL_SPAN("d"), &value);
	if (CONTENT_KEYS(content) != 0)
	{
		value = tmodel_string(tmodel_span_of(key_sets[CONTENT_KEYS(content)]));
		tmodel_entity_set(fact, TMODEL_SPAN("k"), &value);
	}
	return fact;
}

int
count_facts(const scenario *scenario)
{
	return scenario->nfacts > 0 ? scenario->nfacts : 1;
}

void
facts_init(const scenario *scenario)
{
	tmodel_arena_reset(&arena);
	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int i = 0; i < scenario->nindexes; i++)
		defs[i] = (tmodel_index_def) {
			.table = tmodel_span_of(index_tables[i]), .epoch = 1,
			.npartition = 1, .partition = &element,
			.nrow = !scenario->unique[i], .row = &row,
			.ncovered = scenario->covering[i], .covered = &covered,
			.unique = scenario->unique[i]
		};
	for (int at = 0; at < count_facts(scenario); at++)
		for (int content = 0; content < NCONTENTS; content++)
		{
			facts[at][content] = make_fact(at, content);
			for (int i = 0; i < scenario->nindexes; i++)
				if (!tmodel_index_entries(&arena, &fact_def, &defs[i],
										  facts[at][content],
										  &entries[i][at][content]))
					abort();
		}
}

const tmodel_entity *
fact_of(int fact, int content)
{
	return facts[fact][content];
}

/* -1: a stub, or no fact. */
int
content_of(const tmodel_entity *fact)
{
	int			at;

	if (fact == NULL || tmodel_entity_is_stub(fact))
		return -1;
	at = slot_of(fact_def.table, fact);
	for (int content = 0; content < NCONTENTS; content++)
		if (tmodel_entity_same_content(fact, facts[at][content]))
			return content;
	abort();
}

const tmodel_entries *
entries_of(int index, int fact, int content)
{
	return &entries[index][fact][content];
}

/* Whose the entry is, by its own properties. */
int
fact_named_by(const tmodel_entity *entry)
{
	const tmodel_value *row_key = tmodel_entity_get(entry,
													TMODEL_SPAN(TMODEL_P_FACT_RK));

	return row_key->u.bytes.data[0] - 'r';
}

void
fill_index_change(int index, tmodel_index_change *change)
{
	change->table = defs[index].table;
	change->covering = the_world.scenario->covering[index];
	change->touch_old = the_world.scenario->touch_old;
	change->fact_def = &fact_def;
	if (the_world.scenario->unique[index])
		change->unique = &defs[index];
}

tmodel_span
table_of(int slot)
{
	return tmodel_span_of(slot < FIRST_ENTRY ? FACT_TABLE :
						  index_tables[INDEX_OF_SLOT(slot)]);
}

int
slot_of(tmodel_span table, const tmodel_entity *entity)
{
	for (int i = 0; i < MAX_INDEXES; i++)
		if (tmodel_span_equal(table, tmodel_span_of(index_tables[i])))
			return ENTRY_SLOT(i, entity->partition_key.data[0] - 'a',
							  entity->row_key.data[0] == 's');
	return entity->row_key.data[0] - 'r';
}

const char *
slot_name(int slot)
{
	static const char *const names[NSLOTS] = {
		"fact", "fact 1", "index0/a", "index0/a of 1", "index0/b",
		"index0/b of 1", "index1/a", "index1/a of 1", "index1/b",
		"index1/b of 1"
	};

	return names[slot];
}
