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

/* Are its entries written with the fact instead of by the protocol? */
#define itable_is_companion(index) ((index)->table->colocated)

/*
 * Fills net->companions from the fact's versions for every index of the list
 * that is_companion; kind, old_fact and new_fact are there already.  Throws
 * when they do not fit into one entity group transaction, or the store would
 * misread them, so that nothing has been sent.
 */
extern void itable_add_companions(tmodel_arena *arena, tstore_client *client,
								  List *indexes, tmodel_change *net);

/* The entries of an index that the fact justifies; none without a fact. */
extern void itable_entries_of(tmodel_arena *arena, const itableIndex *index,
							  const tmodel_entity *fact,
							  tmodel_entries *entries);

#endif							/* ITABLE_COMPANIONS_H */
