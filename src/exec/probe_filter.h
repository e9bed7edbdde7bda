/*
 * probe_filter.h
 *	  The planner's property filter with its values, as a $filter tree.
 */
#ifndef ITABLE_PROBE_FILTER_H
#define ITABLE_PROBE_FILTER_H

#include "exec/probe.h"

/*
 * False when no row can match (a constant is NULL).  *result is NULL when the
 * filter does not narrow; it may let more rows through than the clauses.
 */
extern bool itable_build_filter(tmodel_arena *arena,
								const itableFilter *filter,
								const itableTable *relation,
								const itableValues *values,
								tmodel_filter **result);

/* A part of the filter that was planned and does not go with these values. */
typedef struct itableRefused
{
	const itableFilter *filter;
	const char *why;
} itableRefused;

/* For EXPLAIN: all of them (itableRefused), in the current context. */
extern List *itable_refused_filters(tmodel_arena *arena,
									const itableFilter *filter,
									const itableTable *relation,
									const itableValues *values);

#endif							/* ITABLE_PROBE_FILTER_H */
