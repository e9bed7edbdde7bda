/*
 * plan.h
 *	  The planner's picture of a foreign relation, and what it hands to the
 *	  executor.
 *
 * itableRelInfo lives while one query is planned; itablePlan is what survives
 * in the plan tree (private.c turns it into a List and back).
 */
#ifndef ITABLE_PLAN_H
#define ITABLE_PLAN_H

#include "postgres.h"
#include "foreign/fdwapi.h"
#include "nodes/pathnodes.h"

#include "model/filter.h"
#include "plan/match.h"
#include "plan/order.h"
#include "table/table_def.h"

/* How the store is asked. */
typedef enum itableAccess
{
	ITABLE_POINT,				/* partition and row key known: one entity */
	ITABLE_RANGE,				/* partition known, row keys in a range; or
								 * partition keys in a range */
	ITABLE_PARTITION,			/* partition known */
	ITABLE_FULL					/* the whole table */
} itableAccess;

/* A condition on one key component of the table that is asked. */
typedef struct itableCond
{
	bool		partition;		/* of the PartitionKey, else of the RowKey */
	int			component;
	itableMatch match;
	tmodel_compare op;
	int			expr;			/* index into fdw_exprs; HASHED: the row key
								 * component; EVERY_BUCKET: not used */
	int			buckets;		/* HASHED, EVERY_BUCKET */
} itableCond;

#define itable_cond_has_value(cond) \
	((cond)->match != ITABLE_HASHED && (cond)->match != ITABLE_EVERY_BUCKET)

/*
 * The service documents at most 15 comparisons in a filter (4-store); keys may
 * need four of them, and facts among entries two more.
 */
#define itable_filter_room(table) (itable_has_sections(table) ? 9 : 11)

/* A filter on properties, before its constants are known. */
typedef struct itableFilter itableFilter;
struct itableFilter
{
	tmodel_filter_kind kind;
	List	   *args;			/* AND, OR: itableFilter */
	AttrNumber	attnum;			/* COMPARE */
	itableMatch match;			/* COMPARE, ANY_OF, NONE_OF, BEGINS, LIKE,
								 * NOT_NULL */
	tmodel_compare op;
	int			expr;			/* index into fdw_exprs; not NOT_NULL */
	Expr	   *value;			/* while planning */
};

/* A stretch of keys that is read beside others: partition_from <= PartitionKey <
 * partition_to, or the one partition, and row_from <= RowKey < row_to; "": none */
typedef struct itablePiece
{
	bool		one;			/* a partition, instead of bounds */
	bool		after;			/* partition_from < PartitionKey */
	tmodel_span partition;
	tmodel_span partition_from;
	tmodel_span partition_to;
	tmodel_span row_from;
	tmodel_span row_to;
} itablePiece;

typedef struct itablePlan
{
	itableAccess access;		/* of the table that is asked */
	Oid			index;			/* the index table asked; 0: the relation */
	bool		covering;		/* entries answer without reading the fact */
	bool		for_update;		/* rows carry their whole entity and ETag */
	bool		to_the_end;		/* no LIMIT or the like is to be expected */
	List	   *conds;			/* itableCond */
	itableFilter *filter;		/* NULL: none; never with an index */
	List	   *pieces;			/* itablePiece; NIL: read in one go */
	bool		cut;			/* in pieces, which may be cut further */
	bool		skip_sections;	/* facts share their partitions with entries */
	List	   *arms;			/* itablePlan: what is read instead, all of
								 * them; the fields above hold when a value
								 * makes one of them unusable */
	struct itablePlan *also;	/* of an arm: must name the same facts */
	List	   *when;			/* of a FULL arm: unusable when all are true */
	List	   *attnums;		/* columns needed (int list) */
	bool		all_columns;	/* instead of attnums */
	List	   *kept;			/* EXPLAIN VERBOSE: reasons (String), one per
								 * clause of the plan's qual; "" shipped */
	List	   *advice;			/* full scans: detail and hint (String) */
	itableOrder order;			/* in which rows must come */
	itableFetch fetch;			/* how many are wanted first */
	bool		skip;			/* one row of each partition */
} itablePlan;

/* One way to read the relation, found by paths.c. */
typedef struct itableChoice itableChoice;
struct itableChoice
{
	itableAccess access;
	itableIndex *index;			/* NULL: the relation itself */
	bool		covering;
	List	   *conds;			/* itableCond, expr not yet numbered */
	List	   *values;			/* Expr per cond */
	List	   *rinfos;			/* clauses the conditions came from */
	List	   *origins;		/* the query's, of which those are parts */
	double		probes;			/* partitions or points asked */
	List	   *pieces;			/* itablePiece; NIL: read in one go */
	bool		cut;			/* it may be, while it is read */
	bool		conditional;	/* a value may make it unusable */
	List	   *arms;			/* itableChoice: read instead (union.c) */
	struct itableChoice *also;	/* must name a fact, too (intersection.c) */
	itableFilter *part;			/* of an arm: of a long list (long_list.c) */
	double		part_share;		/* of the list's values */
	bool		only_ordered;	/* pays for its order only */
	bool		skip;			/* one row of each partition (upper.c) */
	itableOrder order;
	itableFetch fetch;
	List	   *when;			/* Expr, without columns: must be true */
};

typedef struct itableRelInfo itableRelInfo;
struct itableRelInfo
{
	itableTable *table;
	itableIndex *self_index;	/* the relation is itself an index table */
	List	   *indexes;		/* itableIndex: usable for this query */
	List	   *clauses;		/* itableClause */
	itableFilter *filter;		/* what the store can evaluate */
	List	   *filtered;		/* RestrictInfos behind "filter" */
	Bitmapset  *needed;			/* attnum - FirstLowInvalidHeapAttributeNumber */
	bool		all_columns;	/* whole-row reference */
	bool		for_update;		/* target of UPDATE or DELETE */
	bool		guessed;		/* never analyzed: row counts are a guess */
	List	   *elements;		/* element_share.c */
};

/* in shippable.c */
extern itableFilter *itable_ship(PlannerInfo *root, RelOptInfo *rel,
								 const itableTable *table, Expr *clause);
extern int	itable_filter_comparisons(const itableTable *table,
									  const itableFilter *filter);

/* in reasons.c: why the store does not narrow by the clause */
extern const char *itable_why_kept(PlannerInfo *root, RelOptInfo *rel,
								   const itableRelInfo *info,
								   const itableChoice *choice,
								   RestrictInfo *rinfo);

/* in paths.c: every way that the clauses (itableClause) allow */
extern List *itable_choices(const itableRelInfo *info, List *clauses);

/*
 * in union.c: for every OR among "rinfos" that opens a way on each side, that
 * way; "clauses" are what the other clauses say.
 */
extern List *itable_unions(PlannerInfo *root, RelOptInfo *rel,
						   const itableRelInfo *info, List *clauses,
						   List *rinfos);

/* in parameterized.c: ways that need values of other relations */
extern void itable_add_parameterized_paths(PlannerInfo *root, RelOptInfo *rel,
										   itableRelInfo *info);

/* in pieces.c: what to read side by side of so many entities (itablePiece) or
 * NIL, and the choice's "cut"; outside a plan; pages under way at a time */
extern List *itable_pieces(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
						   itableChoice *choice, double entities);
extern int	itable_in_flight(const itableTable *table);
extern List *itable_table_pieces(const itableTable *table);
extern int	itable_pieces_for(const itableTable *table, double entities);

/* in cost.c; sets the choice's pieces, too */
extern void itable_cost(PlannerInfo *root, RelOptInfo *rel,
						const itableRelInfo *info, itableChoice *choice,
						Cost *startup, Cost *total);

/* in advice.c: what would have saved a full scan: detail and hint (String) */
extern List *itable_advice(PlannerInfo *root, RelOptInfo *rel,
						   const itableRelInfo *info);

/* in private.c */
extern List *itable_plan_to_list(const itablePlan *plan);
extern itablePlan *itable_plan_from_list(List *list);

/* "point", "partition", ... as EXPLAIN shows it */
extern const char *itable_access_name(itableAccess access);

#endif							/* ITABLE_PLAN_H */
