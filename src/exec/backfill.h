/*
 * backfill.h
 *	  Filling an index table from the facts that are there.
 */
#ifndef ITABLE_BACKFILL_H
#define ITABLE_BACKFILL_H

#include "postgres.h"

/*
 * Reads every fact and refreshes its entries.  May run again at any time: what
 * is there is written again.  Writers must already maintain the index.
 */
extern void itable_backfill(Oid index);

#endif							/* ITABLE_BACKFILL_H */
