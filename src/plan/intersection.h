/*
 * intersection.h
 *	  Conditions on several elements of one array, and ways that read only facts
 *	  which the entries of all of several conditions name.
 */
#ifndef ITABLE_INTERSECTION_H
#define ITABLE_INTERSECTION_H

#include "plan/plan.h"

/*
 * in elements.c: the clauses (itableClause) with "contains these elements" as a
 * clause for each; of clauses about one element the rarest come first.
 */
extern List *itable_split_elements(PlannerInfo *root, RelOptInfo *rel,
								   List *clauses);

/* in intersection.c: ways through several of the choices' index tables */
extern List *itable_intersections(const itableRelInfo *info, List *choices);

#endif							/* ITABLE_INTERSECTION_H */
