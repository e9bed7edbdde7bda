/*
 * pieces.c
 *	  Cuts what a scan reads into pieces that are read side by side.
 *
 * A page names where the next one begins, so one stretch of keys is read page
 * by page; several stretches need to be known beforehand.  Statistics of the
 * key columns say where to cut so that pieces are about equally large: between
 * partitions, and within a partition that is large itself.  Called by cost.c and exec/.
 * Easy to break: pieces must be disjoint and together everything, however wrong
 * the statistics are.  So each ends exactly where the next begins, and cuts are
 * ASCII, whose order no store can see differently.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "nodes/value.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "plan/plan.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "table/settings.h"

/* Fewer pages than this for each piece are not worth a request more. */
#define PAGES_PER_PIECE 2

/* A partition with more than this part of a piece is cut in itself. */
#define LARGE_PARTITION 1.5

/* A key that statistics know, and how much of the table stands for it. */
typedef struct knownKey
{
	tmodel_span key;
	double		weight;
	bool		common;			/* an MCV: the weight is this key's alone */
} knownKey;

typedef struct knownKeys
{
	int			n;
	knownKey   *keys;
} knownKeys;

/* May it be a cut?  Services misread '%' in constants. */
static bool
is_plain(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((signed char) text.data[i] < ' ' || text.data[i] == '%')
			return false;
	return text.len > 0;
}

/* Where keys with this value as first component begin. */
static void
add_key(knownKeys *known, tmodel_arena *arena, const itableTable *table,
		bool partition, Datum datum, double weight, bool common)
{
	const itableColumn *column = partition ? table->partition[0] :
	table->row[0];
	tmodel_value value;
	tmodel_key_range range;

	if (!itable_is_storable(column->base_type, datum))
		return;
	value = itable_to_key_value(arena, column, datum);
	tmodel_key_range_all(&range);
	if (tmodel_key_narrow(arena, &range, table->encoding,
						  partition ? table->npartition_parts : table->nrow,
						  partition ? table->partition_types :
						  table->row_types, 0, NULL, TMODEL_GE,
						  &value) != TMODEL_KEY_OK ||
		!range.has_lower || !is_plain(range.lower))
		return;
	known->keys[known->n++] = (knownKey)
	{
		range.lower, weight, common
	};
}

static int
compare_keys(const void *a, const void *b)
{
	return tmodel_span_compare(((const knownKey *) a)->key,
							   ((const knownKey *) b)->key);
}

/* In the store's order, each once: pieces rely on it. */
static void
sort_keys(knownKeys *known)
{
	int			n = 0;

	qsort(known->keys, known->n, sizeof(knownKey), compare_keys);
	for (int i = 0; i < known->n; i++)
	{
		const knownKey *key = &known->keys[i];

		if (n > 0 && tmodel_span_equal(known->keys[n - 1].key, key->key))
		{
			known->keys[n - 1].weight += key->weight;
			known->keys[n - 1].common |= key->common;
		}
		else
			known->keys[n++] = *key;
	}
	known->n = n;
}

/* The keys that ANALYZE knows. */
static void
read_statistics(knownKeys *known, tmodel_arena *arena,
				const itableTable *table, bool partition)
{
	AttrNumber	attnum = (partition ? table->partition[0] :
						  table->row[0])->attnum;
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(table->relid),
										Int16GetDatum(attnum),
										BoolGetDatum(false));
	AttStatsSlot common = {0};
	AttStatsSlot bounds = {0};
	double		rest = 1;

	known->n = 0;
	if (!HeapTupleIsValid(tuple))
		return;
	(void) get_attstatsslot(&common, tuple, STATISTIC_KIND_MCV, InvalidOid,
							ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	(void) get_attstatsslot(&bounds, tuple, STATISTIC_KIND_HISTOGRAM,
							InvalidOid, ATTSTATSSLOT_VALUES);
	known->keys = palloc(sizeof(knownKey) *
						 (common.nvalues + bounds.nvalues + 1));
	for (int i = 0; i < common.nvalues; i++)
	{
		add_key(known, arena, table, partition, common.values[i],
				common.numbers[i], true);
		rest -= common.numbers[i];
	}
	for (int i = 0; i < bounds.nvalues; i++)
		add_key(known, arena, table, partition, bounds.values[i],
				Max(rest, 0) / bounds.nvalues, false);
	itable_check_arena(arena);
	free_attstatsslot(&common);
	free_attstatsslot(&bounds);
	ReleaseSysCache(tuple);
	sort_keys(known);
}

List *
itable_known_keys(const itableTable *table, bool partition)
{
	knownKeys	known;
	List	   *result = NIL;

	read_statistics(&known, itable_arena(CurrentMemoryContext), table,
					partition);
	for (int i = 0; i < known.n; i++)
		result = lappend(result, makeString(itable_cstring(known.keys[i].key)));
	return result;
}

static void
add_piece(List **pieces, const itablePiece *like)
{
	itablePiece *piece = palloc(sizeof(itablePiece));

	*piece = *like;
	*pieces = lappend(*pieces, piece);
}

/* Pieces of "whole", which fixes the partition or leaves it alone. */
static void
cut_rows(List **pieces, const itablePiece *whole, const knownKeys *rows,
		 int n)
{
	itablePiece piece = *whole;
	double		sum = 0;
	int			done = 1;

	for (int i = 0; i < rows->n && done < n; i++)
	{
		if (sum >= (double) done / n)
		{
			piece.row_to = rows->keys[i].key;
			add_piece(pieces, &piece);
			piece.row_from = piece.row_to;
			done = (int) (sum * n) + 1;
		}
		sum += rows->keys[i].weight;
	}
	piece.row_to = whole->row_to;
	add_piece(pieces, &piece);
}

/* Ends the piece before the key and begins one there. */
static void
cut_before(List **pieces, itablePiece *piece, tmodel_span key)
{
	piece->partition_to = key;
	add_piece(pieces, piece);
	*piece = (itablePiece)
	{
		.partition_from = key
	};
}

/* Pieces of the whole table. */
static List *
cut_partitions(const itableTable *table, const knownKeys *partitions,
			   const knownKeys *rows, int n)
{
	List	   *pieces = NIL;
	itablePiece piece = {0};
	double		sum = 0;		/* of the piece so far */

	for (int i = 0; i < partitions->n; i++)
	{
		const knownKey *key = &partitions->keys[i];
		int			parts = (int) (key->weight * n + 0.5);

		if (key->common && table->npartition_parts == 1 && parts > 1 &&
			key->weight * n > LARGE_PARTITION && rows->n > 1)
		{
			itablePiece whole = {.partition = key->key,.one = true};

			cut_before(&pieces, &piece, key->key);
			cut_rows(&pieces, &whole, rows, parts);
			piece.after = true;
			sum = 0;
			continue;
		}
		if (sum + key->weight / 2 >= 1.0 / n && sum > 0)
		{
			cut_before(&pieces, &piece, key->key);
			sum = 0;
		}
		sum += key->weight;
	}
	add_piece(&pieces, &piece);
	return pieces;
}

/* May the scan's rows come from all over the table at a time? */
static bool
is_worth_it(const PlannerInfo *root, const itableChoice *choice)
{
	/* whoever wants a few rows wants them from one place */
	if (root->tuple_fraction > 0 || root->limit_tuples >= 0)
		return false;
	if (choice->index != NULL || choice->rinfos != NIL)
		return choice->index == NULL && choice->access == ITABLE_PARTITION &&
			choice->probes == 1;
	return choice->access == ITABLE_FULL;
}

int
itable_in_flight(const itableTable *table)
{
	return itable_scan_ranges > 0 ? itable_scan_ranges :
		table->max_connections;
}

int
itable_pieces_for(const itableTable *table, double entities)
{
	return Min(itable_in_flight(table),
			   (int) Min(entities / table->fetch_size / PAGES_PER_PIECE,
						 1000));
}

List *
itable_table_pieces(const itableTable *table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table->relid));
	double		entities = 0;
	tmodel_arena *arena;
	knownKeys	partitions;
	knownKeys	rows;
	List	   *pieces;

	if (HeapTupleIsValid(tuple))
	{
		entities = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	if (itable_pieces_for(table, entities) < 2)
		return NIL;
	arena = itable_arena(CurrentMemoryContext);
	read_statistics(&rows, arena, table, false);
	read_statistics(&partitions, arena, table, true);
	pieces = cut_partitions(table, &partitions, &rows,
							itable_pieces_for(table, entities));
	return list_length(pieces) > 1 ? pieces : NIL;
}

List *
itable_pieces(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			  itableChoice *choice, double entities)
{
	const itableTable *table = info->table;
	int			n = itable_pieces_for(table, entities);
	tmodel_arena *arena;
	knownKeys	partitions;
	knownKeys	rows;
	List	   *pieces = NIL;

	choice->cut = itable_in_flight(table) > 1 && is_worth_it(root, choice);
	if (info->guessed || n < 2 || !choice->cut)
		return NIL;
	arena = itable_arena(CurrentMemoryContext);
	read_statistics(&rows, arena, table, false);
	if (choice->access == ITABLE_PARTITION)
	{
		itablePiece whole = {0};

		cut_rows(&pieces, &whole, &rows, n);
	}
	else
	{
		read_statistics(&partitions, arena, table, true);
		pieces = cut_partitions(table, &partitions, &rows, n);
	}
	return list_length(pieces) > 1 ? pieces : NIL;
}
