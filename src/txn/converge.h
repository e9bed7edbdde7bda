/*
 * converge.h
 *	  Queued maintenance: brings the entries of facts up to date, as outbox
 *	  entities ask for it.
 *
 * At least once and idempotent: an outbox entity is deleted when everything it
 * asks for is done, and doing it again changes nothing.  Acts on the store at
 * once, whatever becomes of the transaction.
 */
#ifndef ITABLE_CONVERGE_H
#define ITABLE_CONVERGE_H

#include "postgres.h"

#include "remote/session.h"
#include "table/table_def.h"
#include "txn/baton.h"

/*
 * Outbox entities that may be handed over together: the more, the fuller are the
 * batches of their entries.
 */
#define ITABLE_CONVERGE_MAX 1000

/*
 * Does what the outbox entities (with ETags) ask for, and deletes them; *done
 * grows by their number.  "indexes": those of the fact table that entities may
 * name; what else they name is not there any more.  What concurrent writers keep
 * from being done is left for another time.  The entities were read after the
 * last look at the baton; false: somebody else had it since, so that they may be
 * done already, and nothing was done here.  Throws when the store fails.
 */
extern bool itable_converge(itableBaton *baton, tstore_client *client,
							const itableTable *fact, List *indexes, int n,
							const tmodel_entity *const *outboxes, int *done);

#endif							/* ITABLE_CONVERGE_H */
