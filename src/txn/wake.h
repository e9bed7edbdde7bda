/*
 * wake.h
 *	  Messages that tell workers where queued work has come up.
 *
 * Hints only: what is to be done is in the outbox entities, and a scan finds
 * them without any message.  So nothing here may make a commit fail or wait for
 * long.
 */
#ifndef ITABLE_WAKE_H
#define ITABLE_WAKE_H

#include "postgres.h"

#include "txn/round.h"

/* The queue of an account. */
#define ITABLE_QUEUE_NAME "itable-outbox"

/* Sends them for the changes of a flush that have been applied. */
extern void itable_wake(const flushSite *sites, tmodel_arena *arena);

#endif							/* ITABLE_WAKE_H */
