/*
 * sample.h
 *	  A sample of a table's rows, and how many there are.
 */
#ifndef ITABLE_SAMPLE_H
#define ITABLE_SAMPLE_H

#include "postgres.h"
#include "access/htup.h"
#include "utils/rel.h"

#include "exec/reader.h"

typedef struct itableSample itableSample;

/* An empty sample of at most "target" rows, in the current context. */
extern itableSample *itable_sample(Relation relation,
								   const itableTable *table, HeapTuple *rows,
								   int target);

/* So many rows more are counted. */
extern void itable_sample_count(itableSample *sample, double rows);

/* A row that was counted becomes a candidate. */
extern void itable_sample_add(itableSample *sample,
							  const tmodel_entity *entity);

/* A row for the sample, in its context; puts one in, while there is room. */
extern HeapTuple itable_sample_form(itableSample *sample,
									const tmodel_entity *entity);
extern void itable_sample_put(itableSample *sample, HeapTuple row);

/* A copy of the row, in the sample's context. */
extern HeapTuple itable_sample_copy(const itableSample *sample, int i);

/* Moves all rows out of the sample; returns how many. */
extern int	itable_sample_take(itableSample *sample, HeapTuple *rows);

/*
 * Counts the rest of the table, behind this entity, and takes candidates from
 * some of its pages.  False: it ended when so many requests were counted.
 */
extern bool itable_sample_rest(itableSample *sample, tstore_client *client,
							   const tmodel_entity *from,
							   itableCounts *counts, int64 requests);

extern int	itable_sample_size(const itableSample *sample);
extern double itable_sample_total(const itableSample *sample);

#endif							/* ITABLE_SAMPLE_H */
