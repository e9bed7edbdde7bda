/*
 * memory.c
 *	  Memory for the layers that must not know PostgreSQL, from its contexts.
 *
 * Called by everything above remote/ that hands an arena to model/.  Easy to
 * break: the allocator must never throw (it runs below libcurl).
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "remote/memory.h"

static void *
context_alloc(void *ctx, size_t size)
{
	if (!AllocHugeSizeIsValid(size))
		return NULL;
	return MemoryContextAllocExtended((MemoryContext) ctx, size,
									  MCXT_ALLOC_NO_OOM | MCXT_ALLOC_HUGE);
}

static void
context_release(void *ctx, void *ptr)
{
	if (ptr != NULL)
		pfree(ptr);
}

const tmodel_allocator *
itable_allocator(MemoryContext context)
{
	tmodel_allocator *allocator =
	MemoryContextAlloc(context, sizeof(tmodel_allocator));

	allocator->alloc = context_alloc;
	allocator->release = context_release;
	allocator->ctx = context;
	return allocator;
}

tmodel_arena *
itable_arena(MemoryContext context)
{
	tmodel_arena *arena = MemoryContextAlloc(context, sizeof(tmodel_arena));

	tmodel_arena_init(arena, itable_allocator(context));
	return arena;
}

void
itable_check_arena(const tmodel_arena *arena)
{
	if (arena->failed)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
}
