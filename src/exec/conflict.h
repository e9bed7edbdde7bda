/*
 * conflict.h
 *	  INSERT ... ON CONFLICT DO NOTHING: which rows are there already, or have a
 *	  key of a unique index that another row has.
 */
#ifndef ITABLE_CONFLICT_H
#define ITABLE_CONFLICT_H

#include "txn/buffer.h"

typedef struct itableConflicts itableConflicts;

/* Lives in the current memory context, for one statement. */
extern itableConflicts *itable_conflicts(itableTarget *target,
										 const itableTable *table);

/*
 * Asks the store, for all rows at once; "exists" is false where this
 * transaction knows better and it was not asked.
 */
extern void itable_conflicts_ask(itableConflicts *conflicts, int n,
								 tmodel_entity **entities, bool *exists);

/* Does a row that this transaction has written stand in the way? */
extern bool itable_conflicts_own(itableConflicts *conflicts,
								 const tmodel_entity *entity);

/* The row was buffered. */
extern void itable_conflicts_note(itableConflicts *conflicts,
								  const tmodel_entity *entity);

#endif							/* ITABLE_CONFLICT_H */
