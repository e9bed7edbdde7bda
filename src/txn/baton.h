/*
 * baton.h
 *	  Whose turn it is to do a fact table's queued maintenance.
 *
 * One entity of the fact table, the *baton*, names the worker that is at it.  It
 * is written If-Match and never deleted: who takes it with the ETag he saw
 * before he read outbox entities knows that nobody else has worked since, so
 * that all he read is still to be done.  One that was not written for
 * itable_fdw.repair_age was left behind by a worker that died, and may be taken
 * over; its holder therefore acts for half of that only, unless he renews it.
 *
 * That a request arrives within the other half of being sent is what this
 * rests on; if one does not, an entry may be left that is not verified.  No
 * answer of an index rests on it (docs/PROTOCOL.md).
 */
#ifndef ITABLE_BATON_H
#define ITABLE_BATON_H

#include "postgres.h"

#include "remote/session.h"
#include "table/table_def.h"

typedef struct itableBaton itableBaton;

/* In the current memory context; sends nothing. */
extern itableBaton *itable_baton(tstore_client *client,
								 const itableTable *fact);

/* Reads it, before outbox entities are read; false: somebody living has it. */
extern bool itable_baton_look(itableBaton *baton);

/* Takes it; false: somebody else had it since.  Throws when the store fails. */
extern bool itable_baton_take(itableBaton *baton);

/* Renews it when its time is half over; false: it is another's now. */
extern bool itable_baton_keep(itableBaton *baton);

/* Best effort, soon given up; throws nothing. */
extern void itable_baton_release(itableBaton *baton);

/* May its holder still act (a roundScope's may_start)?  For how long; -1: for
 * ever. */
extern bool itable_baton_holds(void *baton);
extern int64 itable_baton_left_ms(const itableBaton *baton);

#endif							/* ITABLE_BATON_H */
