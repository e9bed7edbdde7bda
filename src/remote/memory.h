/*
 * memory.h
 *	  PostgreSQL memory contexts as an allocator for model/ and store/.
 *
 * Allocation failures come back as NULL, never as a longjmp, because libcurl
 * may be on the stack.
 */
#ifndef ITABLE_MEMORY_H
#define ITABLE_MEMORY_H

#include "postgres.h"

#include "model/arena.h"

/* An allocator whose memory belongs to the context; itself allocated there. */
extern const tmodel_allocator *itable_allocator(MemoryContext context);

/* A new arena in the context; it vanishes with the context's reset. */
extern tmodel_arena *itable_arena(MemoryContext context);

/* Throws "out of memory" when the arena could not serve a request. */
extern void itable_check_arena(const tmodel_arena *arena);

#endif							/* ITABLE_MEMORY_H */
