/*
 * facts.c
 *	  The one fact of the model world: all its possible contents, and what the
 *	  real index.c says their entries are.
 *
 * The fact has an array property k of index keys, drawn from "a" and "b", and a
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

static tmodel_arena arena;
static const tmodel_entity *facts[NCONTENTS];
static tmodel_entries entries[MAX_INDEXES][NCONTENTS];

static tmodel_entity *
make_fact(int content)
{
	tmodel_entity bare = {.partition_key = TMODEL_SPAN("p"),
		.row_key = TMODEL_SPAN("r"), .timestamp = -1};
	tmodel_entity *fact = tmodel_entity_extend(&arena, &bare, 2);
	tmodel_value value = tmodel_int32(content & 1);

	tmodel_entity_set(fact, TMODEL_SPAN("d"), &value);
	if (CONTENT_KEYS(content) != 0)
	{
		value = tmodel_string(tmodel_span_of(key_sets[CONTENT_KEYS(content)]));
		tmodel_entity_set(fact, TMODEL_SPAN("k"), &value);
	}
	return fact;
}

void
facts_init(const scenario *scenario)
{
	static const tmodel_span covered = {"d", 1};
	tmodel_fact_def fact_def = {.table = TMODEL_SPAN(FACT_TABLE),
		.npartition = 1, .partition_types = &text_type,
		.nrow = 1, .row_types = &text_type};
	tmodel_index_column element = {.name = TMODEL_SPAN("key"),
		.type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_ELEMENT,
		.property = TMODEL_SPAN("k")};
	tmodel_index_column row = {.name = TMODEL_SPAN("row"),
		.type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_ROW};

	tmodel_arena_reset(&arena);
	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int content = 0; content < NCONTENTS; content++)
	{
		facts[content] = make_fact(content);
		for (int i = 0; i < scenario->nindexes; i++)
		{
			tmodel_index_def def = {.table = table_of(1 + i * NKEYS),
				.epoch = 1, .npartition = 1, .partition = &element,
				.nrow = 1, .row = &row,
				.ncovered = scenario->covering[i], .covered = &covered};

			if (!tmodel_index_entries(&arena, &fact_def, &def,
									  facts[content], &entries[i][content]))
				abort();
		}
	}
}

const tmodel_entity *
fact_of(int content)
{
	return facts[content];
}

/* -1: a stub, or no fact. */
int
content_of(const tmodel_entity *fact)
{
	if (fact == NULL || tmodel_entity_is_stub(fact))
		return -1;
	for (int content = 0; content < NCONTENTS; content++)
		if (tmodel_entity_same_content(fact, facts[content]))
			return content;
	abort();
}

const tmodel_entries *
entries_of(int index, int content)
{
	return &entries[index][content];
}

tmodel_span
table_of(int slot)
{
	return tmodel_span_of(slot == 0 ? FACT_TABLE :
						  index_tables[(slot - 1) / NKEYS]);
}

int
slot_of(tmodel_span table, const tmodel_entity *entity)
{
	for (int i = 0; i < MAX_INDEXES; i++)
		if (tmodel_span_equal(table, tmodel_span_of(index_tables[i])))
			return 1 + i * NKEYS + (entity->partition_key.data[0] - 'a');
	return 0;
}

const char *
slot_name(int slot)
{
	static const char *const names[NSLOTS] = {
		"fact", "index0/a", "index0/b", "index1/a", "index1/b"
	};

	return names[slot];
}
