/*
 * converge.h
 *	  Queued maintenance: brings the entries of facts up to date, as outbox
 *	  entities ask for it.
 *
 * At least once and idempotent: an outbox entity is deleted when everything it
 * asks for is done, and doing it again changes nothing.  Several may do it at
 * once.  Acts on the store at once, whatever becomes of the transaction.
 */
#ifndef ITABLE_CONVERGE_H
#define ITABLE_CONVERGE_H

#include "postgres.h"

#include "remote/session.h"
#include "table/table_def.h"

/*
 * Outbox entities that may be handed over together: the more, the fuller are the
 * batches of their entries.
 */
#define ITABLE_CONVERGE_MAX 1000

/*
 * Does what the outbox entities (with ETags) ask for, and deletes them; returns
 * how many were done.  "indexes": those of the fact table that entities may
 * name; what else they name is not there any more.  What concurrent writers or
 * workers keep from being done is left for another time.  Throws when the store
 * fails.
 */
extern int	itable_converge(tstore_client *client, const itableTable *fact,
							List *indexes, int n,
							const tmodel_entity *const *outboxes);

#endif							/* ITABLE_CONVERGE_H */
