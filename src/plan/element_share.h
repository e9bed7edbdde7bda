/*
 * element_share.h
 *	  Shares of rows, also for values among an array's elements that are not
 *	  known before execution.
 */
#ifndef ITABLE_ELEMENT_SHARE_H
#define ITABLE_ELEMENT_SHARE_H

#include "plan/plan.h"

/* Before sizes are estimated; reads rel->joininfo, sends nothing. */
extern void itable_estimate_elements(PlannerInfo *root, RelOptInfo *rel,
									 itableRelInfo *info);

/*
 * The share of the relation's rows that meet all clauses, values of other
 * relations being parameters.
 */
extern Selectivity itable_share(PlannerInfo *root, RelOptInfo *rel,
								const itableRelInfo *info, List *rinfos);

#endif							/* ITABLE_ELEMENT_SHARE_H */
