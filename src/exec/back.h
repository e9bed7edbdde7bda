/*
 * back.h
 *	  The rows with the greatest keys first, of a table or a partition.
 */
#ifndef ITABLE_BACK_H
#define ITABLE_BACK_H

#include "exec/source.h"

typedef struct itableBack itableBack;

/*
 * Rows of a table of facts, descending by the part spec->order begins with;
 * "hints" are keys that were known once (String, ascending).  "source" says how
 * it is read; spec's parts must outlive it.  It lives in the context.
 */
extern itableBack *itable_back(MemoryContext context,
							   const itableSourceSpec *spec,
							   const itableSource *source, List *hints,
							   itableCounts *counts);

/* As for a source: (re)start with at most one probe, the next row, break off. */
extern void itable_back_start(itableBack *back, const itableProbes *probes);
extern const tmodel_entity *itable_back_next(itableBack *back);
extern void itable_back_stop(itableBack *back);

#endif							/* ITABLE_BACK_H */
