/*
 * own_rows.h
 *	  Rows that must be put among those of the store at their place.
 */
#ifndef ITABLE_OWN_ROWS_H
#define ITABLE_OWN_ROWS_H

#include "postgres.h"

#include "model/entity.h"

typedef struct itableOwnRows itableOwnRows;

/* An empty list; it lives in the context. */
extern itableOwnRows *itable_own_rows(MemoryContext context);

/* Adds a row that stays where it is, under its image (merge.h; copied). */
extern void itable_own_rows_add(itableOwnRows *rows,
								const tmodel_entity *entity,
								tmodel_span image);

/* The least row not taken, or NULL; *image is its image. */
extern const tmodel_entity *itable_own_rows_first(const itableOwnRows *rows,
												  tmodel_span *image);
extern void itable_own_rows_take(itableOwnRows *rows);

#endif							/* ITABLE_OWN_ROWS_H */
