/*
 * net.h
 *	  What the index protocol is to do for an entity that the transaction wrote:
 *	  its net change, from the buffer and the indexes that are maintained.
 *
 * Private to txn/flush.c and round.c.  A net change can be made again from the same rows at
 * any time of the flush, so that its contents need not stay in memory.
 */
#ifndef ITABLE_NET_H
#define ITABLE_NET_H

#include "model/detach.h"
#include "remote/catalog.h"
#include "txn/buffer.h"

/* What all changes of one fact table share. */
typedef struct netTable
{
	tstore_client *client;
	itableTarget *target;
	itableTable *table;
	List	   *maintained;		/* itableMaintained * */
	List	   *indexes;		/* the same as itableIndex * */
	tmodel_span write_id;
	bool		unique;			/* one of them is */
	bool		may_detach;		/* machines may, from their changes */
	tmodel_change headers[TMODEL_CHANGE_DELETE + 1];
} netTable;

/* Makes the headers, once the other fields are set. */
extern void itable_net_begin(netTable *net, tmodel_arena *arena);

/*
 * The change in the arena; NULL for what was undone.  "number" is the flush's
 * count of changes; "contents" says what of it is needed.
 */
extern tmodel_change *itable_net_change(const netTable *net,
										const itableChange *change, int number,
										tmodel_contents contents,
										tmodel_arena *arena);

/* The part of the indexes that have tables of their own. */
extern void itable_net_indexes(tmodel_arena *arena, List *maintained,
							   const tmodel_entity *old_fact,
							   const tmodel_entity *new_fact, bool bulk,
							   tmodel_change *net);

#endif							/* ITABLE_NET_H */
