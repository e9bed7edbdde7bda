/*
 * probe.c
 *	  Key conditions with their values, as point reads and queries.
 *
 * Answers "which partitions, which row keys, which filter?" at the start of
 * each scan.  Key text comes from model/key, filter text from model/filter.
 * Easy to break: a condition whose value is NULL, or can be no key, means that
 * no row matches; a bound that cannot be expressed is left out (rows are
 * rechecked), never guessed.
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "exec/constant.h"
#include "exec/keyset.h"
#include "exec/probe.h"
#include "exec/probe_filter.h"
#include "model/bucket.h"
#include "model/key_order.h"
#include "model/section.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "table/array.h"

/* More point reads than this cost more than reading wider. */
#define MAX_PROBES 100000

/* What the conditions say about one key component. */
typedef struct partValues
{
	bool		fixed;
	int			n;				/* values to choose from */
	tmodel_value *values;
	int			hashed;			/* > 0: the bucket of row component - 1 */
	int			buckets;
} partValues;

typedef struct keyValues
{
	bool		partition;
	int			ncomponents;
	const tmodel_key_type *types;
	itableColumn **columns;
	int			nfixed;			/* leading components with values */
	partValues *parts;
	List	   *bounds;			/* itableCond on component nfixed */
} keyValues;

typedef struct builder
{
	tmodel_arena *arena;
	const itablePlan *plan;
	const itableTable *relation;
	const itableTable *asked;
	const itableValues *values;
	keyValues	partition;
	keyValues	row;
	tmodel_key_range partition_range;	/* where it is not one partition */
	bool		nothing;		/* some condition cannot be met */
	bool		unusable;		/* nor says anything */
	itableProbes *probes;
	tmodel_span properties;		/* that filter's text */
	int			ncomparisons;
} builder;

/* A constant as the component's value; false when no key can have it. */
static bool
key_value(builder *b, const itableColumn *column, Oid type, Datum datum,
		  tmodel_value *value)
{
	int64		number;
	int64		slack;

	if (!itable_meet_datetime(column, &type, &datum, &slack) || slack != 0 ||
		!itable_is_storable(type, datum))
		return false;
	if (!itable_integer_value(type, datum, &number))
	{
		*value = itable_to_key_value(b->arena, column, datum);
		return true;
	}
	switch (column->key_type)
	{
		case TMODEL_KEY_INT16:
			*value = tmodel_int32((int32) number);
			return number >= PG_INT16_MIN && number <= PG_INT16_MAX;
		case TMODEL_KEY_INT32:
			*value = tmodel_int32((int32) number);
			return number >= PG_INT32_MIN && number <= PG_INT32_MAX;
		default:
			*value = tmodel_int64(number);
			return true;
	}
}

/* The elements of an array value that can be keys. */
static void
list_values(builder *b, const itableCond *cond, const itableColumn *column,
			partValues *part)
{
	itableArray array = itable_open_array(b->values->datums[cond->expr]);
	bool		has_null = false;

	part->values = palloc(sizeof(tmodel_value) * (array.n + 1));
	for (int i = 0; i < array.n; i++)
	{
		has_null |= array.nulls[i];
		if (!array.nulls[i] && key_value(b, column, array.type, array.values[i],
										 &part->values[part->n]))
			part->n++;
	}
	if (cond->match == ITABLE_ALL_OF)
	{
		/* one element leads to every candidate; NULL is contained nowhere */
		part->n = has_null || part->n < array.n ? 0 : Min(part->n, 1);
		b->unusable |= array.n == 0;	/* contained in every array */
	}
}

static void
fix_component(builder *b, keyValues *key, const itableCond *cond)
{
	partValues *part = &key->parts[cond->component];
	const itableColumn *column = key->columns[cond->component];

	part->fixed = true;
	if (cond->match == ITABLE_COMPARE)
	{
		part->values = palloc(sizeof(tmodel_value));
		if (key_value(b, column, b->values->types[cond->expr],
					  b->values->datums[cond->expr], &part->values[0]))
			part->n = 1;
	}
	else
		list_values(b, cond, column, part);
	if (part->n == 0)
		b->nothing = true;
}

/* A bucket: computed with each row key, or any of them. */
static void
fix_bucket(builder *b, keyValues *key, const itableCond *cond)
{
	partValues *part = &key->parts[cond->component];
	tmodel_key_type type = key->types[cond->component];

	part->fixed = true;
	part->buckets = cond->buckets;
	part->n = cond->match == ITABLE_HASHED ? 1 : cond->buckets;
	part->hashed = cond->match == ITABLE_HASHED ? cond->expr + 1 : 0;
	part->values = palloc0(sizeof(tmodel_value) * part->n);
	for (int i = 0; part->hashed == 0 && i < part->n; i++)
		(void) tmodel_bucket_value(b->arena, i, part->buckets, type,
								   &part->values[i]);
	itable_check_arena(b->arena);
}

static void
collect_key(builder *b, keyValues *key, bool partition)
{
	const itableTable *table = b->asked;
	ListCell   *cell;

	key->partition = partition;
	key->ncomponents = partition ? table->npartition_parts : table->nrow;
	key->types = partition ? table->partition_types : table->row_types;
	key->columns = partition ? table->partition : table->row;
	key->parts = palloc0(sizeof(partValues) * key->ncomponents);
	foreach(cell, b->plan->conds)
	{
		const itableCond *cond = lfirst(cell);

		if (cond->partition != partition)
			continue;
		if (!itable_cond_has_value(cond))
			fix_bucket(b, key, cond);
		else if (b->values->nulls[cond->expr])
			b->nothing = true;
		else if (cond->match == ITABLE_BEGINS || cond->match == ITABLE_LIKE ||
				 (cond->match == ITABLE_COMPARE && cond->op != TMODEL_EQ))
			key->bounds = lappend(key->bounds, (void *) cond);
		else
			fix_component(b, key, cond);
	}
	while (key->nfixed < key->ncomponents && key->parts[key->nfixed].fixed)
		key->nfixed++;
}

/*
 * How many combinations the fixed components allow.  A component that would
 * make more than "max" of them is left to be rechecked, and those behind it.
 */
static int
combinations(keyValues *key, int max)
{
	int			n = 1;

	for (int i = 0; i < key->nfixed; i++)
	{
		if (key->parts[i].n > max / Max(n, 1))
		{
			key->nfixed = i;
			key->bounds = NIL;
			break;
		}
		n *= key->parts[i].n;
	}
	return n;
}

/* The which-th combination. */
static tmodel_value *
combination(const keyValues *key, int which)
{
	tmodel_value *chosen = palloc(sizeof(tmodel_value) * (key->nfixed + 1));

	for (int i = key->nfixed - 1; i >= 0; i--)
	{
		chosen[i] = key->parts[i].values[which % key->parts[i].n];
		which /= key->parts[i].n;
	}
	return chosen;
}

static tmodel_span
section_of(const builder *b, const keyValues *key)
{
	return key->partition ? TMODEL_SPAN("") : b->asked->section;
}

/* A whole key; false when no entity can have it. */
static bool
whole_key(builder *b, const keyValues *key, const tmodel_value *values,
		  tmodel_span *result)
{
	tmodel_key_status status;
	bool		shortened;

	if (itable_is_index(b->asked))
		status = tmodel_section_key(b->arena, section_of(b, key),
									key->ncomponents, key->types, values,
									result, &shortened);
	else
		status = tmodel_key_encode(b->arena, b->asked->encoding,
								   key->ncomponents, key->types, values,
								   result);
	itable_check_arena(b->arena);
	return status == TMODEL_KEY_OK;
}

/* Narrows by the prefix and the bounds on the next component. */
static void
key_range(builder *b, const keyValues *key, const tmodel_value *prefix,
		  tmodel_key_range *range)
{
	ListCell   *cell;

	tmodel_key_range_all(range);
	if (key->nfixed > 0)
		(void) tmodel_key_narrow(b->arena, range, b->asked->encoding,
								 key->ncomponents, key->types, key->nfixed,
								 prefix, TMODEL_EQ, NULL);
	foreach(cell, key->bounds)
	{
		const itableCond *cond = lfirst(cell);
		tmodel_value value;

		if (cond->component != key->nfixed ||
			!key_value(b, key->columns[cond->component],
					   b->values->types[cond->expr],
					   b->values->datums[cond->expr], &value))
			continue;
		if (cond->match == ITABLE_LIKE)
			value.u.bytes = itable_like_prefix(b->arena, value.u.bytes);
		if (cond->match != ITABLE_COMPARE)
			(void) tmodel_key_narrow_begins(b->arena, range,
											b->asked->encoding,
											key->ncomponents, key->types,
											key->nfixed, prefix,
											value.u.bytes);
		else
			(void) tmodel_key_narrow(b->arena, range, b->asked->encoding,
									 key->ncomponents, key->types,
									 key->nfixed, prefix, cond->op, &value);
	}
	(void) tmodel_section_range(b->arena, section_of(b, key), range);
	itable_check_arena(b->arena);
}

static void
add_probe(builder *b, const itableProbe *probe)
{
	itableProbes *probes = b->probes;

	if (probe->point ?
		!itable_keyset_add(probes->points, probe->partition_key,
						   probe->row_key) :
		!itable_keyset_add(probes->queries, probe->partition_key,
						   probe->filter))
		return;
	if (probes->n == probes->max)
	{
		probes->max *= 2;
		probes->probes = repalloc_huge(probes->probes,
									   probes->max * sizeof(itableProbe));
	}
	probes->probes[probes->n++] = *probe;
}

/*
 * Adds a lower bound of the component to a floor.  No byte of an image is 0xFF,
 * so that it stands behind whatever begins like this.
 */
static void
append_bound(builder *b, const keyValues *key, int component,
			 tmodel_buf *image)
{
	ListCell   *cell;

	foreach(cell, key->bounds)
	{
		const itableCond *cond = lfirst(cell);
		tmodel_value value;

		if (cond->component != component || cond->match != ITABLE_COMPARE ||
			(cond->op != TMODEL_GT && cond->op != TMODEL_GE) ||
			!key_value(b, key->columns[component],
					   b->values->types[cond->expr],
					   b->values->datums[cond->expr], &value))
			continue;
		if (tmodel_key_image(image, 1, &key->types[component],
							 &value) == TMODEL_KEY_OK &&
			cond->op == TMODEL_GT)
			tmodel_buf_append(image, "\xff", 1);
		return;
	}
}

/*
 * The image of the parts that a probe fixes and its order begins with, and of a
 * bound behind them.
 */
static tmodel_span
probe_floor(builder *b, const tmodel_value *values,
			const tmodel_value *row_values)
{
	const itableOrder *order = &b->plan->order;
	int			npartition = b->partition.ncomponents;
	tmodel_buf	image;

	tmodel_buf_init(&image, b->arena);
	tmodel_buf_append(&image, "", 0);
	for (int i = order->first; i < order->last; i++)
	{
		bool		in_row = i >= npartition;
		const keyValues *key = in_row ? &b->row : &b->partition;
		int			component = in_row ? i - npartition : i;

		if (component >= key->nfixed)
		{
			append_bound(b, key, component, &image);
			break;
		}
		if (tmodel_key_image(&image, 1, &key->types[component],
							 in_row ? &row_values[component] :
							 &values[component]) != TMODEL_KEY_OK)
			break;
	}
	itable_check_arena(b->arena);
	return tmodel_buf_text(&image);
}

static int
compare_floors(const void *a, const void *b)
{
	return tmodel_span_compare(((const itableProbe *) a)->floor,
							   ((const itableProbe *) b)->floor);
}

/* Probes of an ordered plan in order; do they fix what the plan says? */
static void
order_probes(builder *b)
{
	int			fixed = b->partition.nfixed;

	if (!b->plan->order.on)
		return;
	if (fixed == b->partition.ncomponents)
		fixed += b->row.nfixed;
	b->probes->unordered = fixed < b->plan->order.fixed;
	qsort(b->probes->probes, b->probes->n, sizeof(itableProbe),
		  compare_floors);
}

static tmodel_filter *
key_equals(tmodel_arena *arena, tmodel_span name, tmodel_span key)
{
	tmodel_value value = tmodel_string(key);

	return tmodel_filter_compare(arena, name, TMODEL_EQ, &value);
}

/* ANDs a comparison of a key with a piece's bound; empty: none. */
static tmodel_filter *
and_bound(tmodel_arena *arena, tmodel_filter *filter, tmodel_span name,
		  tmodel_compare op, tmodel_span bound)
{
	tmodel_value value = tmodel_string(bound);

	if (bound.len == 0)
		return filter;
	return tmodel_filter_and(arena, filter,
							 tmodel_filter_compare(arena, name, op, &value));
}

static tmodel_filter *
piece_filter(tmodel_arena *arena, const itablePiece *piece)
{
	tmodel_span partition = TMODEL_SPAN("PartitionKey");
	tmodel_span row = TMODEL_SPAN("RowKey");
	tmodel_filter *filter = NULL;

	if (piece->one)
		filter = key_equals(arena, partition, piece->partition);
	filter = and_bound(arena, filter, partition,
					   piece->after ? TMODEL_GT : TMODEL_GE,
					   piece->partition_from);
	filter = and_bound(arena, filter, partition, TMODEL_LT, piece->partition_to);
	filter = and_bound(arena, filter, row, TMODEL_GE, piece->row_from);
	return and_bound(arena, filter, row, TMODEL_LT, piece->row_to);
}

tmodel_span
itable_piece_filter(tmodel_arena *arena, const itablePiece *piece,
					tmodel_span rest)
{
	tmodel_filter *filter = piece_filter(arena, piece);
	tmodel_buf	text;

	tmodel_buf_init(&text, arena);
	tmodel_filter_print(&text, filter);
	if (rest.len > 0)
	{
		tmodel_buf_puts(&text, " and (");
		tmodel_buf_span(&text, rest);
		tmodel_buf_putc(&text, ')');
	}
	itable_check_arena(arena);
	return tmodel_buf_text(&text);
}

/* The probe's filter; made anew, for a filter belongs to one tree. */
static tmodel_span
filter_text(builder *b, const itableProbe *probe, tmodel_filter *rows,
			const itablePiece *piece)
{
	tmodel_filter *filter;
	tmodel_filter *properties;
	tmodel_buf	text;

	if (probe->partition_key.data != NULL)
		filter = key_equals(b->arena, TMODEL_SPAN("PartitionKey"),
							probe->partition_key);
	else
		filter = tmodel_key_range_filter(b->arena, TMODEL_SPAN("PartitionKey"),
										 &b->partition_range);
	filter = tmodel_filter_and(b->arena, filter, rows);
	if (piece != NULL)
		filter = tmodel_filter_and(b->arena, filter, piece_filter(b->arena, piece));
	itable_build_filter(b->arena, b->plan->filter, b->relation, b->values,
						&properties);
	filter = tmodel_filter_and(b->arena, filter, properties);
	tmodel_buf_init(&text, b->arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	itable_check_arena(b->arena);
	return tmodel_buf_text(&text);
}

/* The range of row keys; without entries that stand among facts. */
static tmodel_filter *
rows_filter(tmodel_arena *arena, const itableTable *table,
			const tmodel_key_range *range, bool skip_sections)
{
	tmodel_filter *rows = tmodel_key_range_filter(arena, TMODEL_SPAN("RowKey"),
												  range);

	if (skip_sections)
		rows = tmodel_filter_and(arena, rows,
								 tmodel_section_hide(arena,
													 table->row_types[0],
													 range));
	return rows;
}

tmodel_span
itable_probe_part(tmodel_arena *arena, const itableTable *table,
				  const itableProbe *probe, bool partitions,
				  const tmodel_key_range *range)
{
	tmodel_span name = TMODEL_SPAN("PartitionKey");
	tmodel_value key = tmodel_string(probe->partition_key);
	tmodel_filter *filter = partitions ?
	tmodel_key_range_filter(arena, name, range) :
	tmodel_filter_compare(arena, name, TMODEL_EQ, &key);
	tmodel_buf	text;

	filter = tmodel_filter_and(arena, filter,
							   rows_filter(arena, table,
										   partitions ? &probe->rows : range,
										   itable_has_sections(table)));
	tmodel_buf_init(&text, arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	if (probe->properties.len > 0)
	{
		tmodel_buf_puts(&text, filter != NULL ? " and (" : "(");
		tmodel_buf_span(&text, probe->properties);
		tmodel_buf_putc(&text, ')');
	}
	itable_check_arena(arena);
	return tmodel_buf_text(&text);
}

/* A probe that asks for all of the table's entities that pass "also". */
static itableProbe
table_probe(tmodel_arena *arena, const itableTable *table, tmodel_filter *also)
{
	itableProbe probe = {0};
	tmodel_key_range range;
	tmodel_filter *filter;
	tmodel_buf	text;

	tmodel_key_range_all(&range);
	(void) tmodel_section_range(arena, table->section, &range);
	filter = rows_filter(arena, table, &range, itable_has_sections(table));
	filter = tmodel_filter_and(arena, also, filter);
	tmodel_buf_init(&text, arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	probe.filter = tmodel_buf_text(&text);
	return probe;
}

void
itable_probe_everything(const itableTable *table, itableProbes *probes)
{
	memset(probes, 0, sizeof(*probes));
	probes->n = 1;
	probes->probes = palloc0(sizeof(itableProbe));
	probes->probes[0] = table_probe(itable_arena(CurrentMemoryContext), table,
									NULL);
}

void
itable_probe_pieces(const itableTable *table, itableProbes *probes)
{
	List	   *pieces = itable_table_pieces(table);
	builder		b = {.arena = itable_arena(CurrentMemoryContext)};
	ListCell   *cell;

	if (pieces == NIL)
	{
		itable_probe_everything(table, probes);
		return;
	}
	memset(probes, 0, sizeof(*probes));
	probes->probes = palloc0(sizeof(itableProbe) * list_length(pieces));
	foreach(cell, pieces)
		probes->probes[probes->n++] = table_probe(b.arena, table,
												  piece_filter(b.arena,
															   lfirst(cell)));
}

static tmodel_filter *
key_compare(tmodel_arena *arena, const char *name, tmodel_compare op,
			tmodel_span key)
{
	tmodel_value value = tmodel_string(key);

	return tmodel_filter_compare(arena, tmodel_span_of(name), op, &value);
}

/* Two queries: the store seeks to a range of keys only where there is no OR. */
void
itable_probe_after(const itableTable *table, tmodel_span partition_key,
				   tmodel_span row_key, itableProbes *probes)
{
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	tmodel_filter *rest = tmodel_filter_and(arena,
											key_compare(arena, "PartitionKey",
														TMODEL_EQ,
														partition_key),
											key_compare(arena, "RowKey",
														TMODEL_GT, row_key));

	memset(probes, 0, sizeof(*probes));
	probes->n = 2;
	probes->probes = palloc0(sizeof(itableProbe) * 2);
	probes->probes[0] = table_probe(arena, table, rest);
	probes->probes[1] = table_probe(arena, table,
									key_compare(arena, "PartitionKey",
												TMODEL_GT, partition_key));
}

/* What is asked about row keys; false when no entity can have such a one. */
static bool
rows_asked(builder *b, itableProbe *probe, const tmodel_value *row_values,
		   tmodel_filter **rows)
{
	tmodel_key_range range;

	if (b->row.nfixed == b->row.ncomponents)
	{
		if (!whole_key(b, &b->row, row_values, &probe->row_key))
			return false;
		probe->point = probe->partition_key.data != NULL;
		probe->rows.has_lower = probe->rows.has_upper = true;
		probe->rows.lower = probe->row_key;
		probe->rows.upper = itable_key_behind(b->arena, probe->row_key);
		*rows = key_equals(b->arena, TMODEL_SPAN("RowKey"), probe->row_key);
		return true;
	}
	key_range(b, &b->row, row_values, &range);
	if (range.empty)
		return false;
	probe->rows = range;
	*rows = rows_filter(b->arena, b->asked, &range, b->plan->skip_sections);
	return true;
}

/* One combination of row key values within a partition, in its pieces. */
static void
probe_rows(builder *b, itableProbe *probe, const tmodel_value *row_values)
{
	int			npieces = list_length(b->plan->pieces);

	probe->point = false;
	probe->row_key = (tmodel_span) {NULL, 0};
	for (int i = 0; i < Max(npieces, 1); i++)
	{
		tmodel_filter *rows;

		if (!rows_asked(b, probe, row_values, &rows))
			return;
		probe->partitions = b->partition_range;
		probe->properties = b->properties;
		probe->ncomparisons = b->ncomparisons;
		probe->filter = filter_text(b, probe, rows, npieces == 0 ? NULL :
									list_nth(b->plan->pieces, i));
		if (b->plan->cut)
		{
			probe->rest = probe->filter;
			if (npieces > 0)
			{
				probe->piece = *(itablePiece *) list_nth(b->plan->pieces, i);
				if (!rows_asked(b, probe, row_values, &rows))
					return;
				probe->rest = filter_text(b, probe, rows, NULL);
			}
		}
		add_probe(b, probe);
	}
}

/* Buckets that depend on the row key; false when one cannot be computed. */
static bool
compute_buckets(builder *b, tmodel_value *partition_values,
				const tmodel_value *row_values)
{
	for (int i = 0; i < b->partition.nfixed; i++)
	{
		const partValues *part = &b->partition.parts[i];

		if (part->hashed > 0 &&
			tmodel_key_bucket(b->arena, b->row.types[part->hashed - 1],
							  &row_values[part->hashed - 1], part->buckets,
							  b->partition.types[i],
							  &partition_values[i]) != TMODEL_KEY_OK)
			return false;
	}
	return true;
}

/* One partition, or a stretch of them where they are not all fixed. */
static void
probe_partition(builder *b, int which, int which_row)
{
	tmodel_value *values = combination(&b->partition, which);
	tmodel_value *row_values = combination(&b->row, which_row);
	itableProbe probe = {0};

	if (!compute_buckets(b, values, row_values))
		return;
	if (b->partition.nfixed == b->partition.ncomponents)
	{
		if (!whole_key(b, &b->partition, values, &probe.partition_key))
			return;
	}
	else
	{
		key_range(b, &b->partition, values, &b->partition_range);
		if (b->partition_range.empty)
			return;
		b->probes->everything |= !b->partition_range.has_lower &&
			!b->partition_range.has_upper;
	}
	if (b->plan->order.on)
		probe.floor = probe_floor(b, values, row_values);
	probe_rows(b, &probe, row_values);
}

/* The filter on properties as a text. */
static void
print_properties(builder *b, const tmodel_filter *filter)
{
	tmodel_buf	text;

	tmodel_buf_init(&text, b->arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	itable_check_arena(b->arena);
	b->properties = tmodel_buf_text(&text);
	b->ncomparisons = filter != NULL ? tmodel_filter_size(filter) : 0;
}

tmodel_span
itable_key_behind(tmodel_arena *arena, tmodel_span key)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	tmodel_buf_span(&buf, key);
	tmodel_buf_putc(&buf, ' ');
	itable_check_arena(arena);
	return tmodel_buf_text(&buf);
}

/*
 * The combinations of partitions and rows that the conditions allow.  A bucket
 * of a row key's value is known only while that value is.
 */
static void
combine(builder *b)
{
	int			npartitions = combinations(&b->partition, MAX_PROBES);
	int			nrows = combinations(&b->row,
									 MAX_PROBES / Max(npartitions, 1));

	for (int i = 0; i < b->partition.nfixed; i++)
		if (b->partition.parts[i].hashed > b->row.nfixed)
		{
			b->partition.nfixed = i;
			b->partition.bounds = NIL;
			npartitions = combinations(&b->partition, MAX_PROBES);
		}
	for (int i = 0; i < npartitions; i++)
		for (int j = 0; j < nrows; j++)
			probe_partition(b, i, j);
}

void
itable_probes_init(itableProbes *probes)
{
	memset(probes, 0, sizeof(*probes));
	probes->max = 8;
	probes->probes = palloc(probes->max * sizeof(itableProbe));
	probes->points = itable_keyset(CurrentMemoryContext);
	probes->queries = itable_keyset(CurrentMemoryContext);
}

bool
itable_add_probes(tmodel_arena *arena, const itablePlan *plan,
				  const itableTable *relation, const itableTable *asked,
				  const itableValues *values, itableProbes *probes)
{
	builder		b = {.arena = arena,.plan = plan,.relation = relation,
	.asked = asked,.values = values,.probes = probes};
	tmodel_filter *properties;

	collect_key(&b, &b.partition, true);
	collect_key(&b, &b.row, false);
	if (b.unusable)
		return false;
	if (b.nothing ||
		!itable_build_filter(arena, plan->filter, relation, values, &properties))
		return true;
	print_properties(&b, properties);
	combine(&b);
	order_probes(&b);
	return true;
}

void
itable_build_probes(tmodel_arena *arena, const itablePlan *plan,
					const itableTable *relation, const itableTable *asked,
					const itableValues *values, itableProbes *probes)
{
	itable_probes_init(probes);
	(void) itable_add_probes(arena, plan, relation, asked, values, probes);
}
