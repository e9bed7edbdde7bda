/*
 * long_list.h
 *	  Lists of values that are too long for one filter.
 */
#ifndef ITABLE_LONG_LIST_H
#define ITABLE_LONG_LIST_H

#include "plan/plan.h"

/* The relation's own way, once for each part of such a list: union choices. */
extern List *itable_list_parts(PlannerInfo *root, RelOptInfo *rel,
							   const itableRelInfo *info,
							   const itableChoice *own);

/* Is the clause one that could have been asked for in parts? */
extern bool itable_is_long_list(PlannerInfo *root, RelOptInfo *rel,
								const itableRelInfo *info,
								const RestrictInfo *rinfo);

#endif							/* ITABLE_LONG_LIST_H */
