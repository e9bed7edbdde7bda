/*
 * explain.h
 *	  What scans and lookup joins say alike in EXPLAIN.
 */
#ifndef ITABLE_EXPLAIN_H
#define ITABLE_EXPLAIN_H

#include "postgres.h"
#include "commands/explain.h"

#include "exec/reader.h"

/* "point", "index movies_by_actor (pointer)", ... */
extern char *itable_access_text(const itablePlan *plan,
								const itableTable *asked);

/* "PartitionKey eq $1": conditions whose values are not known yet. */
extern char *itable_conditions_text(const itablePlan *plan,
									const itableTable *relation, List *exprs,
									List *context, bool prefix);

extern void itable_explain_counts(const itableCounts *counts,
								  struct ExplainState *es);

#endif							/* ITABLE_EXPLAIN_H */
