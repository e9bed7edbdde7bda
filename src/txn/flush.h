/*
 * flush.h
 *	  The one conductor: sends a transaction's changes to the store.
 *
 * No other file writes to the store.  Requests are made by the machines of
 * model/protocol, grouped by model/batch, sent by store/client.
 */
#ifndef ITABLE_FLUSH_H
#define ITABLE_FLUSH_H

#include "remote/session.h"
#include "txn/buffer.h"

/*
 * Sends everything buffered, called at PRE_COMMIT.  Throws when nothing became
 * visible (23505, 40001, or the store's error) or when the outcome is partial
 * or unknown (08007, DETAIL says which keys).
 */
extern void itable_flush(void);

/* What came of a bulk refresh. */
typedef struct itableRefresh
{
	int64		facts;			/* refreshed */
	int64		entries;		/* touched */
	int64		lost;			/* changed by others meanwhile: read again */
	int64		duplicates;		/* without an entry of a unique index, which
								 * another fact with that key has */
	List	   *keys;			/* char *, of the first of them */
	MemoryContext context;		/* of the keys; NULL: the current one */
} itableRefresh;

/*
 * Touches (and for covering indexes verifies) the entries of facts just read,
 * for backfill and repair.  Facts another writer changed are counted as lost.
 */
extern void itable_flush_refresh(tstore_client *client, itableIndex *index,
								 int nfacts, const tmodel_entity *facts,
								 itableRefresh *result);

#endif							/* ITABLE_FLUSH_H */
