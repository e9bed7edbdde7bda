/*
 * index.c
 *	  Which entries of an index table a fact has: a pure function of the fact.
 *
 * Writers, readers that recheck, repair and backfill all come here.  A fact
 * whose value cannot be brought to the index column's type has no entry; it
 * never has a different one depending on who asks.
 *
 * Easy to break: nothing here may depend on a locale, a time zone or on the
 * order of the fact's properties.
 */
#include "index.h"

#include "bucket.h"
#include "section.h"

#include <string.h>

/* A day in the store's ticks of 100 ns */
#define TICKS_PER_DAY INT64_C(864000000000)

/* What one call works with, so that helpers need not pass it around. */
typedef struct entry_builder
{
	tmodel_arena *arena;
	const tmodel_fact_def *fact_def;
	const tmodel_index_def *index;
	const tmodel_entity *fact;
	tmodel_key_type *types;		/* partition columns, then row columns */
	tmodel_value *values;		/* alike; the element's is set per entry */
	tmodel_value *fact_partition;	/* the fact's keys, decoded when needed */
	tmodel_value *fact_row;
	int			element_at;		/* the FROM_ELEMENT column, or -1 */
	int			nelements;		/* 1 without an element column */
	const tmodel_element *elements; /* of the array property */
	int			capacity;		/* of seen, a power of two */
	int		   *seen;			/* hash of keys -> entry number + 1 */
} entry_builder;

bool
tmodel_index_is_covering(const tmodel_index_def *index)
{
	return index->ncovered > 0 || index->nowner > 0;
}

const tmodel_entity *
tmodel_entries_find(const tmodel_entries *entries, tmodel_span partition_key,
					tmodel_span row_key)
{
	for (int i = 0; i < entries->n; i++)
	{
		const tmodel_entity *entry = &entries->entries[i];

		if (tmodel_span_equal(entry->row_key, row_key) &&
			tmodel_span_equal(entry->partition_key, partition_key))
			return entry;
	}
	return NULL;
}

/* The store's type of a key column's values. */
static tmodel_type
stored_type(tmodel_key_type type)
{
	switch (type)
	{
		case TMODEL_KEY_TEXT:
			return TMODEL_STRING;
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
			return TMODEL_INT32;
		case TMODEL_KEY_INT64:
			return TMODEL_INT64;
		case TMODEL_KEY_BOOL:
			return TMODEL_BOOLEAN;
		case TMODEL_KEY_DATE:
		case TMODEL_KEY_TIMESTAMP:
		case TMODEL_KEY_TIMESTAMPTZ:
			return TMODEL_DATETIME;
		case TMODEL_KEY_UUID:
			return TMODEL_GUID;
	}
	return TMODEL_NULL;
}

/*
 * Rewrites a date or time as SQL prints it (in UTC) to the store's form, since
 * elements of an array hold SQL's text: 2024-01-31, 2024-01-31 12:00:00[+00].
 */
static tmodel_span
datetime_text(tmodel_arena *arena, tmodel_span text)
{
	tmodel_buf	buf;
	size_t		len = text.len;

	if (len < 10 || memchr(text.data, 'Z', len) != NULL)
		return text;
	if (len > 13 && memcmp(text.data + len - 3, "+00", 3) == 0)
		len -= 3;
	tmodel_buf_init(&buf, arena);
	tmodel_buf_append(&buf, text.data, 10);
	if (len == 10)
		tmodel_buf_puts(&buf, "T00:00:00");
	else
	{
		tmodel_buf_putc(&buf, 'T');
		tmodel_buf_append(&buf, text.data + 11, len - 11);
	}
	tmodel_buf_putc(&buf, 'Z');
	return tmodel_buf_text(&buf);
}

/* Reads a text as a value of a key column; false when it is not one. */
static bool
read_text(tmodel_arena *arena, tmodel_key_type type, tmodel_span text,
		  tmodel_value *value)
{
	tmodel_type stored = stored_type(type);

	if (stored == TMODEL_STRING)
	{
		*value = tmodel_string(text);
		return true;
	}
	if (stored == TMODEL_BOOLEAN && text.len == 1 &&
		(text.data[0] == 't' || text.data[0] == 'f'))
	{
		*value = tmodel_boolean(text.data[0] == 't');
		return true;
	}
	if (stored == TMODEL_DATETIME)
		text = datetime_text(arena, text);
	return tmodel_value_parse(arena, stored, text, value);
}

/*
 * Brings a value to the type of the column.  False when it cannot be one of
 * that type: then the fact has no entry.
 */
static bool
convert(tmodel_arena *arena, tmodel_key_type type, const tmodel_value *from,
		tmodel_value *to)
{
	if (from->type == stored_type(type))
		*to = *from;
	else
	{
		tmodel_buf	buf;

		tmodel_buf_init(&buf, arena);
		if (!tmodel_value_print(&buf, from) ||
			!read_text(arena, type, tmodel_buf_text(&buf), to))
			return false;
	}
	if (type == TMODEL_KEY_INT16 &&
		(to->u.int32 < INT16_MIN || to->u.int32 > INT16_MAX))
		return false;
	if (type == TMODEL_KEY_DATE)
		to->u.ticks -= to->u.ticks % TICKS_PER_DAY;
	return true;
}

static const tmodel_index_column *
column_at(const tmodel_index_def *index, int at)
{
	return at < index->npartition ? &index->partition[at] :
		&index->row[at - index->npartition];
}

/* One component of the fact's PartitionKey or RowKey; NULL: not decodable. */
static const tmodel_value *
fact_component(entry_builder *builder, bool partition, int component)
{
	const tmodel_fact_def *def = builder->fact_def;
	tmodel_value **decoded = partition ? &builder->fact_partition :
		&builder->fact_row;
	int			n = partition ? def->npartition : def->nrow;

	if (component < 0 || component >= n)
		return NULL;
	if (*decoded == NULL)
	{
		tmodel_value *values = tmodel_alloc(builder->arena,
											sizeof(tmodel_value) * (size_t) n);

		if (values == NULL ||
			tmodel_key_decode(builder->arena, def->encoding, n,
							  partition ? def->partition_types : def->row_types,
							  partition ? builder->fact->partition_key :
							  builder->fact->row_key, values) != TMODEL_KEY_OK)
			return NULL;
		*decoded = values;
	}
	return &(*decoded)[component];
}

/* Finds the elements of the column that makes several entries. */
static void
read_elements(entry_builder *builder, const tmodel_index_column *column)
{
	const tmodel_value *array = tmodel_entity_get(builder->fact,
												  column->property);
	tmodel_list list;

	builder->nelements = 0;
	if (array != NULL && array->type == TMODEL_STRING &&
		tmodel_list_parse(builder->arena, array->u.bytes, &list))
	{
		builder->nelements = list.nelements;
		builder->elements = list.elements;
	}
}

/*
 * Fills in every column's value but the element's.  *none is set when one is
 * NULL, so that there is no entry.  False: the fact's keys do not decode.
 */
static bool
read_columns(entry_builder *builder, bool *none)
{
	int			n = builder->index->npartition + builder->index->nrow;

	*none = false;
	builder->element_at = -1;
	builder->nelements = 1;
	for (int i = 0; i < n; i++)
	{
		const tmodel_index_column *column = column_at(builder->index, i);
		const tmodel_value *from = NULL;

		builder->types[i] = column->type;
		switch (column->source)
		{
			case TMODEL_FROM_PROPERTY:
				from = tmodel_entity_get(builder->fact, column->property);
				break;
			case TMODEL_FROM_ELEMENT:
				builder->element_at = i;
				read_elements(builder, column);
				continue;
			case TMODEL_FROM_PARTITION:
			case TMODEL_FROM_ROW:
				from = fact_component(builder,
									  column->source == TMODEL_FROM_PARTITION,
									  column->component);
				if (from == NULL)
					return false;
				break;
			case TMODEL_FROM_HASH:
			case TMODEL_FROM_FACT_HASH:
				continue;		/* fill_buckets, once the others are known */
		}
		if (from == NULL || from->type == TMODEL_NULL ||
			!convert(builder->arena, column->type, from, &builder->values[i]))
			*none = true;
	}
	return true;
}

/* FNV-1a over both keys: only to find equal keys of one fact quickly. */
static uint32_t
hash_keys(tmodel_span partition_key, tmodel_span row_key)
{
	uint32_t	hash = 2166136261u;

	for (size_t i = 0; i < partition_key.len; i++)
		hash = (hash ^ (unsigned char) partition_key.data[i]) * 16777619u;
	hash = (hash ^ 0xffu) * 16777619u;
	for (size_t i = 0; i < row_key.len; i++)
		hash = (hash ^ (unsigned char) row_key.data[i]) * 16777619u;
	return hash;
}

/* False when an entry with these keys is there already; else notes it. */
static bool
first_with_keys(entry_builder *builder, const tmodel_entries *entries,
				tmodel_span partition_key, tmodel_span row_key)
{
	uint32_t	mask = (uint32_t) builder->capacity - 1;
	uint32_t	at = hash_keys(partition_key, row_key) & mask;

	for (; builder->seen[at] != 0; at = (at + 1) & mask)
	{
		const tmodel_entity *entry = &entries->entries[builder->seen[at] - 1];

		if (tmodel_span_equal(entry->row_key, row_key) &&
			tmodel_span_equal(entry->partition_key, partition_key))
			return false;
	}
	builder->seen[at] = entries->n + 1;
	return true;
}

/* Sets the entry's properties; false: out of memory. */
static bool
fill_entry(entry_builder *builder, tmodel_entity *entry, bool shortened)
{
	const tmodel_index_def *index = builder->index;
	int			ncolumns = shortened ? index->npartition + index->nrow : 0;
	tmodel_entity *filled = tmodel_entity_extend(builder->arena, entry,
												 ncolumns + index->ncovered +
												 index->nowner + 3);
	tmodel_value value;

	if (filled == NULL)
		return false;
	for (int i = 0; i < ncolumns; i++)
		tmodel_entity_set(filled, column_at(index, i)->name,
						  &builder->values[i]);
	for (int i = 0; i < index->ncovered; i++)
	{
		const tmodel_value *covered = tmodel_entity_get(builder->fact,
														index->covered[i]);

		if (covered != NULL)
			tmodel_entity_set(filled, index->covered[i], covered);
	}
	for (int i = 0; i < index->nowner; i++)
	{
		const tmodel_index_column *column = &index->owner[i];
		const tmodel_value *part =
			fact_component(builder, column->source == TMODEL_FROM_PARTITION,
						   column->component);

		if (part == NULL)
			return false;
		tmodel_entity_set(filled, column->name, part);
	}
	value = tmodel_string(builder->fact->partition_key);
	tmodel_entity_set(filled, TMODEL_SPAN(TMODEL_P_FACT_PK), &value);
	value = tmodel_string(builder->fact->row_key);
	tmodel_entity_set(filled, TMODEL_SPAN(TMODEL_P_FACT_RK), &value);
	value = tmodel_int32(index->epoch);
	tmodel_entity_set(filled, TMODEL_SPAN(TMODEL_P_EPOCH), &value);
	*entry = *filled;
	return true;
}

/* Columns that are buckets, from the values they are of. */
static tmodel_key_status
fill_buckets(entry_builder *builder)
{
	int			n = builder->index->npartition + builder->index->nrow;
	tmodel_key_status status = TMODEL_KEY_OK;

	for (int i = 0; i < n && status == TMODEL_KEY_OK; i++)
	{
		const tmodel_index_column *column = column_at(builder->index, i);

		if (column->source == TMODEL_FROM_HASH)
			status = tmodel_key_bucket(builder->arena,
									   builder->types[column->component],
									   &builder->values[column->component],
									   column->buckets, column->type,
									   &builder->values[i]);
		else if (column->source == TMODEL_FROM_FACT_HASH)
			status = tmodel_bucket_value(builder->arena,
										 tmodel_bucket(builder->fact->row_key,
													   column->buckets),
										 column->buckets, column->type,
										 &builder->values[i]);
	}
	return status;
}

/* Adds the entry of the present values unless it is there; false: no memory. */
static bool
add_entry(entry_builder *builder, tmodel_entries *entries)
{
	const tmodel_index_def *index = builder->index;
	tmodel_entity entry;
	tmodel_key_status status;
	bool		short_partition = false;
	bool		short_row = false;

	memset(&entry, 0, sizeof(entry));
	entry.timestamp = -1;
	status = fill_buckets(builder);
	if (status == TMODEL_KEY_OK)
		status = tmodel_key_encode_index(builder->arena, index->npartition,
										 builder->types, builder->values,
										 &entry.partition_key,
										 &short_partition);
	if (status == TMODEL_KEY_OK)
		status = tmodel_section_key(builder->arena, index->section,
									index->nrow,
									builder->types + index->npartition,
									builder->values + index->npartition,
									&entry.row_key, &short_row);
	if (status == TMODEL_KEY_NO_MEMORY)
		return false;
	if (status != TMODEL_KEY_OK ||
		!first_with_keys(builder, entries, entry.partition_key, entry.row_key))
		return true;
	if (!fill_entry(builder, &entry, short_partition || short_row))
		return false;
	entries->entries[entries->n++] = entry;
	return true;
}

/* Memory for the columns' values and, once known, for the entries. */
static bool
prepare_columns(entry_builder *builder)
{
	size_t		n = (size_t) (builder->index->npartition +
							  builder->index->nrow);

	builder->types = tmodel_alloc(builder->arena, n * sizeof(tmodel_key_type));
	builder->values = tmodel_alloc(builder->arena, n * sizeof(tmodel_value));
	return builder->types != NULL && builder->values != NULL;
}

static bool
prepare_entries(entry_builder *builder, tmodel_entries *entries)
{
	builder->capacity = 4;
	while (builder->capacity < 2 * builder->nelements)
		builder->capacity *= 2;
	builder->seen = tmodel_alloc(builder->arena,
								 (size_t) builder->capacity * sizeof(int));
	entries->entries = tmodel_alloc(builder->arena,
									(size_t) builder->nelements *
									sizeof(tmodel_entity));
	return builder->seen != NULL && entries->entries != NULL;
}

bool
tmodel_index_entries(tmodel_arena *arena, const tmodel_fact_def *fact_def,
					 const tmodel_index_def *index, const tmodel_entity *fact,
					 tmodel_entries *entries)
{
	entry_builder builder;
	bool		none;

	memset(&builder, 0, sizeof(builder));
	builder.arena = arena;
	builder.fact_def = fact_def;
	builder.index = index;
	builder.fact = fact;
	entries->n = 0;
	entries->entries = NULL;

	if (!prepare_columns(&builder) || !read_columns(&builder, &none))
		return false;
	if (none || builder.nelements == 0)
		return !arena->failed;
	if (!prepare_entries(&builder, entries))
		return false;

	for (int i = 0; i < builder.nelements; i++)
	{
		if (builder.element_at >= 0)
		{
			const tmodel_element *element = &builder.elements[i];
			tmodel_value text = tmodel_string(element->text);

			if (element->is_null ||
				!convert(arena, builder.types[builder.element_at], &text,
						 &builder.values[builder.element_at]))
				continue;
		}
		if (!add_entry(&builder, entries))
			return false;
	}
	/* A conversion that ran out of memory must not pass for "no entry". */
	return !arena->failed;
}
