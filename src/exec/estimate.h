/*
 * estimate.h
 *	  A sample of a large table, and about how many rows it has, without reading
 *	  everything.
 */
#ifndef ITABLE_ESTIMATE_H
#define ITABLE_ESTIMATE_H

#include "postgres.h"

#include "exec/sample.h"
#include "model/census.h"

/* Pages that ANALYZE reads from the beginning of a table, at most. */
#define ITABLE_WHOLE_PAGES 64

typedef struct itableEstimating itableEstimating;

/* In the current context, before the first row is read. */
extern itableEstimating *itable_estimating(itableSample *sample,
										   const itableTable *table,
										   int target);

/* A row from the table's beginning, which the sample has, too. */
extern void itable_estimating_first(itableEstimating *estimating,
									const tmodel_entity *entity);

/*
 * Reads pages from all over the table until so many requests are counted; the
 * row given was the last of its beginning.  Returns the estimate; it may be
 * exact (error 0).  The sample has the beginning's rows as before.
 */
extern tmodel_estimate itable_estimating_run(itableEstimating *estimating,
											 tstore_client *client,
											 const tmodel_entity *last,
											 itableCounts *counts,
											 int64 requests);

/* Makes the sample one of the whole table. */
extern void itable_estimating_compose(itableEstimating *estimating);

#endif							/* ITABLE_ESTIMATE_H */
