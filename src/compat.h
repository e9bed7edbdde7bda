/*
 * compat.h
 *	  Differences between PostgreSQL versions, once and only here.
 */
#ifndef ITABLE_COMPAT_H
#define ITABLE_COMPAT_H

#include "postgres.h"
#include "commands/explain.h"
#include "nodes/pathnodes.h"
#include "optimizer/pathnode.h"

#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif

/* A path over a base relation: no pathkeys, not parameterised. */
static inline ForeignPath *
itable_create_path(PlannerInfo *root, RelOptInfo *rel, double rows,
				   Cost startup, Cost total, List *fdw_private)
{
	return create_foreignscan_path(root, rel, NULL, rows,
#if PG_VERSION_NUM >= 180000
								   0,	/* disabled nodes */
#endif
								   startup, total, NIL,
								   rel->lateral_relids, NULL,
#if PG_VERSION_NUM >= 170000
								   NIL, /* restrictions of a join */
#endif
								   fdw_private);
}

#endif							/* ITABLE_COMPAT_H */
