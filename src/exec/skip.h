/*
 * skip.h
 *	  One row of each partition, for DISTINCT on the PartitionKey.
 */
#ifndef ITABLE_SKIP_H
#define ITABLE_SKIP_H

#include "exec/source.h"

typedef struct itableSkip itableSkip;

/* "source" must outlive it; it lives in the context. */
extern itableSkip *itable_skip(MemoryContext context, itableSource *source);

/* As for a source: (re)start, the next row, break off. */
extern void itable_skip_start(itableSkip *skip, const itableProbes *probes);
extern const tmodel_entity *itable_skip_next(itableSkip *skip);
extern void itable_skip_stop(itableSkip *skip);

#endif							/* ITABLE_SKIP_H */
