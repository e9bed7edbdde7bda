/*
 * join.h
 *	  The lookup join: a join whose inner side is read by the values of several
 *	  outer rows at a time.
 */
#ifndef ITABLE_JOIN_H
#define ITABLE_JOIN_H

#include "postgres.h"
#include "nodes/extensible.h"

#include "plan/plan.h"

/* What the lookup join's executor is told. */
typedef struct itableJoin
{
	itablePlan *plan;			/* how the inner relation is read */
	Oid			relid;			/* the inner relation */
	Oid			userid;			/* whose rights; InvalidOid: the caller's */
	JoinType	jointype;		/* INNER, LEFT, SEMI, ANTI */
	bool		single;			/* one match is enough */
	bool		eager;			/* no LIMIT or the like is to be expected */
	int			nouter;			/* columns of the outer row */
	List	   *attnums;		/* inner columns behind them in the row */
} itableJoin;

#define ITABLE_LOOKUP_JOIN "itable Lookup Join"

/* in join_path.c: once, when the library is loaded */
extern void itable_join_init(const CustomScanMethods *methods);

/* in create_plan.c: all of a plan that follows from the choice */
extern void itable_fill_plan(const itableRelInfo *info,
							 const itableChoice *choice, itablePlan *plan,
							 List **exprs);

/* in private.c */
extern List *itable_join_to_list(const itableJoin *join);
extern itableJoin *itable_join_from_list(List *list);

#endif							/* ITABLE_JOIN_H */
