/*
 * keyset.h
 *	  A set of (PartitionKey, RowKey) pairs, to return each fact once.
 */
#ifndef ITABLE_KEYSET_H
#define ITABLE_KEYSET_H

#include "postgres.h"

#include "model/arena.h"

typedef struct itableKeySet itableKeySet;

/* An empty set; it and its keys live in the context. */
extern itableKeySet *itable_keyset(MemoryContext context);

/* Adds a copy of the pair; false when it was there already. */
extern bool itable_keyset_add(itableKeySet *set, tmodel_span partition_key,
							  tmodel_span row_key);

extern bool itable_keyset_is_empty(const itableKeySet *set);

/* Is the pair in the set? */
extern bool itable_keyset_has(const itableKeySet *set,
							  tmodel_span partition_key, tmodel_span row_key);

#endif							/* ITABLE_KEYSET_H */
