/*
 * upper.h
 *	  What a scan can do beyond handing out rows: a LIMIT, DISTINCT.
 *
 * A path of an upper relation is a scan of its base relation; its fdw_private is
 * the choice and that relation (create_plan.c).
 */
#ifndef ITABLE_UPPER_H
#define ITABLE_UPPER_H

#include "postgres.h"
#include "nodes/pathnodes.h"

#include "plan/plan.h"

/* The one relation of the query, if it is ours and no row of it is changed. */
extern RelOptInfo *itable_only_relation(PlannerInfo *root);

/* The ways found for it: its paths of ours, without parameters (ForeignPath). */
extern List *itable_ways(const RelOptInfo *rel);

/* In limit.c: does the way narrow by all that the clauses say? */
extern bool itable_decides(PlannerInfo *root, const RelOptInfo *rel,
						   const itableChoice *choice);

/*
 * In limit.c: LIMIT as a part of the scan, where no clause is left to check
 * here; "output" is the query's final relation.
 */
extern void itable_add_limit_path(PlannerInfo *root, RelOptInfo *rel,
								  RelOptInfo *output,
								  const FinalPathExtraData *extra);

#endif							/* ITABLE_UPPER_H */
