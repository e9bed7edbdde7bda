/*
 * callbacks.h
 *	  What the planner calls: fields of the FdwRoutine.
 */
#ifndef ITABLE_CALLBACKS_H
#define ITABLE_CALLBACKS_H

#include "postgres.h"
#include "foreign/fdwapi.h"

/* in relinfo.c and create_plan.c */
extern void itableGetForeignRelSize(PlannerInfo *root, RelOptInfo *rel,
									Oid relid);
extern void itableGetForeignPaths(PlannerInfo *root, RelOptInfo *rel,
								  Oid relid);
extern bool itableIsForeignPathAsyncCapable(ForeignPath *path);
extern ForeignScan *itableGetForeignPlan(PlannerInfo *root, RelOptInfo *rel,
										 Oid relid, ForeignPath *path,
										 List *tlist, List *clauses,
										 Plan *outer_plan);

/* in upper.c */
extern void itableGetForeignUpperPaths(PlannerInfo *root,
									   UpperRelationKind stage,
									   RelOptInfo *input_rel,
									   RelOptInfo *output_rel, void *extra);

#endif							/* ITABLE_CALLBACKS_H */
