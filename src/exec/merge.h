/*
 * merge.h
 *	  Entities of several probes in SQL's order of their keys.
 */
#ifndef ITABLE_MERGE_H
#define ITABLE_MERGE_H

#include "exec/reader.h"
#include "table/table_def.h"

typedef struct itableMerge itableMerge;

/* "reader", "asked" (whose keys they are) and "order" must outlive the merge. */
extern itableMerge *itable_merge(MemoryContext context,
								 const itableReaderSpec *reader,
								 const itableTable *asked,
								 const itableOrder *order,
								 itableCounts *counts);

/* False: a reader hands out these probes' entities in order as well. */
extern bool itable_merge_is_needed(const itableMerge *merge,
								   const itableProbes *probes);

/* As for a reader: (re)start, the next entity, break off. */
extern void itable_merge_start(itableMerge *merge,
							   const itableProbes *probes);
extern const tmodel_entity *itable_merge_next(itableMerge *merge);
extern void itable_merge_stop(itableMerge *merge);

/*
 * Appends the image of the key parts the order is about; images compare
 * (memcmp) as SQL orders the entities.  Throws for a key that does not read.
 */
extern void itable_append_image(tmodel_buf *image, const itableTable *asked,
								const itableOrder *order,
								const tmodel_entity *entity);

#endif							/* ITABLE_MERGE_H */
