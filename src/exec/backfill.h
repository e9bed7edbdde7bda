/*
 * backfill.h
 *	  Filling an index table from the facts that are there.
 */
#ifndef ITABLE_BACKFILL_H
#define ITABLE_BACKFILL_H

#include "postgres.h"

#include "remote/catalog.h"
#include "txn/flush.h"

/*
 * Refreshes the entries of every fact; to be called when every writer maintains
 * the index.  "listed" (NULL: none) says where to begin and is kept up to date
 * in the store; false: somebody else changed it there.  Throws 23505 when facts
 * share a key of a unique index.
 */
extern bool itable_backfill(itableIndex *index, tstore_client *client,
							itableListed *listed);

#endif							/* ITABLE_BACKFILL_H */
