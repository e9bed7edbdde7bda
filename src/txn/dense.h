/*
 * dense.h
 *	  Reads many entities whose keys are known, where they stand dense, in few
 *	  requests.
 */
#ifndef ITABLE_DENSE_H
#define ITABLE_DENSE_H

#include "postgres.h"

#include "remote/session.h"

/* One entity that is wanted. */
typedef struct denseRead
{
	tmodel_span table;
	const tmodel_entity *keys;	/* only its keys count */
	void	   *owner;			/* the caller's */
	/* what is known after the call */
	bool		known;			/* false: it is to be read by its keys */
	const tmodel_entity *found; /* known: with ETag; NULL: it is not there */
	int64		server_time;	/* of the page that says so */
} denseRead;

/*
 * Reads what it can, after the call began; entities are copied to the arena.
 * Sorts "reads".  Throws nothing: trouble, or a cancel, leaves the rest unknown.
 */
extern void itable_read_dense(tstore_client *client, itableCalls *calls,
							  tmodel_arena *arena, int n, denseRead *reads);

#endif							/* ITABLE_DENSE_H */
