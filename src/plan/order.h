/*
 * order.h
 *	  In which order a way to read hands out rows, and how many of them will be
 *	  wanted first.
 *
 * The parts of a key are counted through both keys: the components of the
 * PartitionKey (a bucket is one), then those of the RowKey.
 */
#ifndef ITABLE_ORDER_H
#define ITABLE_ORDER_H

#include "postgres.h"
#include "nodes/pathnodes.h"

#include "table/table_def.h"

/*
 * Rows come ordered by the parts first..last-1 of the key of the table that is
 * asked.  Each probe fixes the parts before "fixed" to one value; where parts
 * before "first" have several values the probes are merged.
 */
typedef struct itableOrder
{
	bool		on;
	int			first;
	int			last;
	int			fixed;
	List	   *attnums;		/* the columns, for EXPLAIN (int list) */
	bool		back;			/* descending by one part (exec/back.c) */
	List	   *hints;			/* back: keys ANALYZE knew (String, ascending) */
} itableOrder;

/* What of the rows is wanted first; a hint for the size of pages. */
typedef struct itableFetch
{
	int			rows;			/* 0: all will be wanted */
	bool		exact;			/* no more than LIMIT and OFFSET say (limit.c) */
	Expr	   *count;			/* LIMIT and OFFSET, while planning */
	Expr	   *offset;
	int			count_expr;		/* in fdw_exprs; -1: none */
	int			offset_expr;
} itableFetch;

struct itableRelInfo;
struct itableChoice;

/* How far the query will read a path that is ordered so. */
extern void itable_plan_fetch(PlannerInfo *root, RelOptInfo *rel,
							  const List *pathkeys, itableFetch *fetch);

/*
 * How far a nested loop will read its inner side; "clauses" are those that the
 * store does not narrow by.
 */
extern void itable_plan_inner_fetch(PlannerInfo *root, RelOptInfo *rel,
									List *clauses, itableFetch *fetch);

/* Adds the paths of one way: as it is, and ordered where that is of use. */
extern void itable_add_paths(PlannerInfo *root, RelOptInfo *rel,
							 const struct itableRelInfo *info,
							 struct itableChoice *choice);

/* in pieces.c: first components of keys that ANALYZE knows (String, ascending) */
extern List *itable_known_keys(const itableTable *table, bool partition);

/* in paths.c: all of each index that has an entry for every row wanted: its order counts. */
extern List *itable_whole_indexes(const struct itableRelInfo *info, List *clauses);

/* in union.c: ways through an OR whose sides ask one table, in its order. */
extern List *itable_ordered_unions(PlannerInfo *root, RelOptInfo *rel,
								   const struct itableRelInfo *info,
								   List *clauses, List *rinfos);

/*
 * The scanned relation's columns behind the n parts of the key of the relation
 * or of an index; 0: none, or an array's elements.
 */
extern AttrNumber *itable_key_columns(const struct itableRelInfo *info,
									  const itableIndex *index, int *n);

#endif							/* ITABLE_ORDER_H */
