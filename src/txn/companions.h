/*
 * companions.h
 *	  What shares the entity group transaction of a fact's commit point.
 *
 * Private to txn/flush.c.
 */
#ifndef ITABLE_COMPANIONS_H
#define ITABLE_COMPANIONS_H

#include "postgres.h"

#include "model/protocol.h"
#include "remote/session.h"
#include "table/table_def.h"

/*
 * Is what a change does to the index written with the fact, instead of by the
 * protocol's phases?  Backfill and repair of a queued index are not put off.
 */
#define itable_is_companion(index, kind) \
	((index)->table->colocated || \
	 ((index)->table->queued && (kind) != TMODEL_CHANGE_REFRESH))

/*
 * Fills net->companions from the fact's versions for every index of the list
 * that is_companion; kind, old_fact, new_fact and write_id are there already;
 * "number" is the change's among those of this write_id.  Throws when they do
 * not fit into one entity group transaction, or the store would misread them,
 * so that nothing has been sent.
 */
extern void itable_add_companions(tmodel_arena *arena, tstore_client *client,
								  List *indexes, int number,
								  tmodel_change *net);

/* The entries of an index that the fact justifies; none without a fact. */
extern void itable_entries_of(tmodel_arena *arena, const itableIndex *index,
							  const tmodel_entity *fact,
							  tmodel_entries *entries);

#endif							/* ITABLE_COMPANIONS_H */
