/*
 * own_rows.h
 *	  Rows that must be put among those of the store at their place.
 */
#ifndef ITABLE_OWN_ROWS_H
#define ITABLE_OWN_ROWS_H

#include "postgres.h"

#include "txn/rows.h"

typedef struct itableOwnRows itableOwnRows;

/* An empty list; it lives in the context. */
extern itableOwnRows *itable_own_rows(MemoryContext context);

/*
 * Adds an entity that stays where it is, or (NULL) a row of the transaction,
 * under its image (merge.h; copied).
 */
extern void itable_own_rows_add(itableOwnRows *rows,
								const tmodel_entity *entity,
								const itableRow *kept, tmodel_span image);

/* The image of the least one not taken; false: there is none. */
extern bool itable_own_rows_first(const itableOwnRows *rows,
								  tmodel_span *image);

/* Takes it; what is a row is made in the arena. */
extern const tmodel_entity *itable_own_rows_take(itableOwnRows *rows,
												 tmodel_arena *arena);

#endif							/* ITABLE_OWN_ROWS_H */
