/*
 * partition.h
 *	  Which partition a request is confined to.
 */
#ifndef MTS_PARTITION_H
#define MTS_PARTITION_H

#include "batch.h"

/*
 * The PartitionKey (UTF-8) that the command, or the batch if it is one, can
 * only touch; false when there is none or it may touch several.
 */
extern bool partition_of(Arena *a, const Command *cmd, const Batch *batch,
						 Span *partition);

#endif							/* MTS_PARTITION_H */
