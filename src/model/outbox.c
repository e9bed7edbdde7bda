/*
 * outbox.c
 *	  Making and reading outbox entities (outbox.h tells what they are).
 *
 * Called by txn/companions when a fact is written, and by txn/converge.
 *
 * Easy to break: every property that a key column of a concerned index is made
 * of must be kept, also one that this change leaves as it is, for the next
 * change may not.
 */
#include "outbox.h"

#include "section.h"

#include <string.h>

/* Copies the property an index column is made of, if the old fact has it. */
static void
keep_property(tmodel_entity *outbox, const tmodel_entity *old_fact,
			  const tmodel_index_column *column)
{
	const tmodel_value *value;

	if (column->source != TMODEL_FROM_PROPERTY &&
		column->source != TMODEL_FROM_ELEMENT)
		return;
	value = tmodel_entity_get(old_fact, column->property);
	if (value != NULL)
		tmodel_entity_set(outbox, column->property, value);
}

/* Names in lower case, between commas; names have no comma. */
static tmodel_span
join_names(tmodel_arena *arena, int nindexes,
		   const tmodel_index_def *const *indexes)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	tmodel_buf_puts(&buf, "");
	for (int i = 0; i < nindexes; i++)
	{
		if (i > 0)
			tmodel_buf_putc(&buf, ',');
		for (size_t j = 0; j < indexes[i]->table.len; j++)
		{
			char		c = indexes[i]->table.data[j];

			tmodel_buf_putc(&buf, c >= 'A' && c <= 'Z' ?
							(char) (c - 'A' + 'a') : c);
		}
	}
	return tmodel_buf_text(&buf);
}

tmodel_entity *
tmodel_outbox_entity(tmodel_arena *arena, tmodel_span write_id, int number,
					 const tmodel_entity *old_fact,
					 const tmodel_entity *new_fact, int nindexes,
					 const tmodel_index_def *const *indexes)
{
	const tmodel_entity *fact = new_fact != NULL ? new_fact : old_fact;
	tmodel_entity bare = {.partition_key = fact->partition_key,.timestamp = -1};
	tmodel_entity *outbox;
	tmodel_value value;
	tmodel_buf	key;
	int			room = 2;

	for (int i = 0; i < nindexes; i++)
		room += indexes[i]->npartition + indexes[i]->nrow;
	tmodel_buf_init(&key, arena);
	tmodel_buf_puts(&key, TMODEL_OUTBOX_KEY);
	tmodel_buf_span(&key, write_id);
	tmodel_buf_printf(&key, "!%x", (unsigned) number);
	bare.row_key = tmodel_buf_text(&key);
	outbox = tmodel_entity_extend(arena, &bare, room);
	if (outbox == NULL)
		return NULL;
	value = tmodel_string(fact->row_key);
	tmodel_entity_set(outbox, TMODEL_SPAN(TMODEL_P_FACT_RK), &value);
	value = tmodel_string(join_names(arena, nindexes, indexes));
	tmodel_entity_set(outbox, TMODEL_SPAN(TMODEL_P_INDEXES), &value);
	for (int i = 0; i < nindexes && old_fact != NULL; i++)
	{
		for (int j = 0; j < indexes[i]->npartition; j++)
			keep_property(outbox, old_fact, &indexes[i]->partition[j]);
		for (int j = 0; j < indexes[i]->nrow; j++)
			keep_property(outbox, old_fact, &indexes[i]->row[j]);
	}
	return arena->failed ? NULL : outbox;
}

/* A property that must be text; NULL: it is not there. */
static const tmodel_value *
text_property(const tmodel_entity *entity, tmodel_span name)
{
	const tmodel_value *value = tmodel_entity_get(entity, name);

	return value != NULL && value->type == TMODEL_STRING ? value : NULL;
}

bool
tmodel_is_outbox(const tmodel_entity *entity)
{
	size_t		len = sizeof(TMODEL_OUTBOX_KEY) - 1;

	return entity->row_key.len > len &&
		memcmp(entity->row_key.data, TMODEL_OUTBOX_KEY, len) == 0 &&
		text_property(entity, TMODEL_SPAN(TMODEL_P_FACT_RK)) != NULL &&
		text_property(entity, TMODEL_SPAN(TMODEL_P_INDEXES)) != NULL;
}

tmodel_entity *
tmodel_outbox_fact(tmodel_arena *arena, const tmodel_entity *outbox)
{
	tmodel_entity bare = {.partition_key = outbox->partition_key,
	.timestamp = -1};
	tmodel_entity *fact;

	bare.row_key = text_property(outbox,
								 TMODEL_SPAN(TMODEL_P_FACT_RK))->u.bytes;
	fact = tmodel_entity_extend(arena, &bare, outbox->nproperties);
	for (int i = 0; fact != NULL && i < outbox->nproperties; i++)
		if (!tmodel_is_reserved(outbox->properties[i].name))
			tmodel_entity_set(fact, outbox->properties[i].name,
							  &outbox->properties[i].value);
	return fact;
}

/* ASCII, and the list is in lower case already. */
static bool
same_name(tmodel_span lower, tmodel_span name)
{
	if (lower.len != name.len)
		return false;
	for (size_t i = 0; i < name.len; i++)
	{
		char		c = name.data[i];

		if ((c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c) !=
			lower.data[i])
			return false;
	}
	return true;
}

bool
tmodel_outbox_names(const tmodel_entity *outbox, tmodel_span index)
{
	tmodel_span names = text_property(outbox,
									  TMODEL_SPAN(TMODEL_P_INDEXES))->u.bytes;

	while (names.len > 0)
		if (same_name(tmodel_span_take(&names, ','), index))
			return true;
	return false;
}
