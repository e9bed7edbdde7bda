/*
 * match.h
 *	  What WHERE clauses say about single columns.
 */
#ifndef ITABLE_MATCH_H
#define ITABLE_MATCH_H

#include "postgres.h"
#include "nodes/pathnodes.h"

#include "model/filter.h"
#include "table/table_def.h"

/* How a clause's value stands to a key column. */
typedef enum itableMatch
{
	ITABLE_COMPARE,				/* column op value */
	ITABLE_ANY_OF,				/* column = ANY (array) */
	ITABLE_NONE_OF,				/* column <> ALL (array); true of NULL when the
								 * array is empty, so never a key */
	ITABLE_ALL_OF,				/* array column @> array: one element is looked
								 * up, the rest is rechecked */
	ITABLE_BEGINS,				/* column LIKE 'value%', starts_with */
	ITABLE_LIKE,				/* column LIKE value: its beginning counts */
	ITABLE_NOT_NULL,			/* column IS NOT NULL; no value */
	ITABLE_HASHED,				/* the bucket of a row key component */
	ITABLE_EVERY_BUCKET			/* all buckets */
} itableMatch;

/* A WHERE clause that says something about one column. */
typedef struct itableClause
{
	RestrictInfo *rinfo;
	RestrictInfo *origin;		/* whose part that is (elements.c); or NULL */
	AttrNumber	attnum;			/* of the scanned relation */
	bool		element;		/* about an array's elements */
	itableMatch match;
	tmodel_compare op;			/* ITABLE_COMPARE */
	Expr	   *value;			/* contains no column of the relation */
	bool		ordered;		/* < <= > >= are those of the key's order */
	bool		near;			/* a value of another type, that the column's
								 * type meets only roughly: no key */
} itableClause;

/* What the clause says about a column; false: nothing of use. */
extern bool itable_match(PlannerInfo *root, Index relid,
						 const itableTable *table, Node *node,
						 itableClause *clause);

/* column <> ALL (array), column NOT IN (...) */
extern bool itable_match_none_of(PlannerInfo *root, Index relid,
								 const itableTable *table, Node *node,
								 itableClause *clause);

/* The clauses (RestrictInfo) that itable_match() understands. */
extern List *itable_classify(PlannerInfo *root, RelOptInfo *rel,
							 const itableTable *table, List *rinfos);

/* In union.c: (p, r) < (a, b) narrows by p <= a; NULL: it is not known how. */
extern Expr *itable_row_first(const RowCompareExpr *expr);

/* The user column of this relation the node is, or 0. */
extern AttrNumber itable_column_of(Node *node, Index relid);

#endif							/* ITABLE_MATCH_H */
