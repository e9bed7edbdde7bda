/*
 * batch.h
 *	  Which writes travel together: grouping into entity group transactions.
 *
 * An entity group transaction (EGT) has at most 100 operations and 4 MiB, all
 * in one partition of one table, each entity once ("Performing entity group
 * transactions").  This file only decides the grouping; store/multipart writes
 * the body, txn/flush sends it.
 */
#ifndef TMODEL_BATCH_H
#define TMODEL_BATCH_H

#include "entity.h"

#define TMODEL_BATCH_MAX_OPERATIONS 100
/* 4 MiB less what headers and multipart boundaries may need */
#define TMODEL_BATCH_MAX_BYTES (4 * 1024 * 1024 - 128 * 1024)

typedef struct tmodel_batch_item
{
	tmodel_span table;
	tmodel_span partition_key;
	tmodel_span row_key;
	size_t		bytes;			/* of its part in the body, estimated upwards */
	int			companions;		/* operations that must not be separated from
								 * it; their bytes are counted above */
} tmodel_batch_item;

typedef struct tmodel_batch
{
	int			nitems;
	int		   *items;			/* indexes into the input, ascending */
} tmodel_batch;

typedef struct tmodel_batch_plan
{
	int			nbatches;
	tmodel_batch *batches;
} tmodel_batch_plan;

/*
 * Groups the items, keeping input order inside a batch; batches come in order
 * of (table, PartitionKey).  An entity that occurs again goes to a later batch
 * than its earlier occurrence; companions occur once.  max_operations is the
 * user's batch_size, 1..100, which an item with companions may exceed alone (the
 * caller has seen to it that it fits the store's limits).  False when memory is
 * short.
 */
extern bool tmodel_batch_group(tmodel_arena *arena, int nitems,
							   const tmodel_batch_item *items,
							   int max_operations, tmodel_batch_plan *plan);

/* An upper estimate of the bytes an entity takes as a part of a batch body. */
extern size_t tmodel_batch_bytes(const tmodel_entity *entity);

/* What one property is of that. */
extern size_t tmodel_batch_property_bytes(const tmodel_property *property);

#endif							/* TMODEL_BATCH_H */
