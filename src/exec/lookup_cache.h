/*
 * lookup_cache.h
 *	  What lookups of a join have found, for outer rows with the same values.
 */
#ifndef ITABLE_LOOKUP_CACHE_H
#define ITABLE_LOOKUP_CACHE_H

#include "postgres.h"
#include "executor/tuptable.h"

#include "exec/probe.h"

typedef struct itableLookupCache itableLookupCache;

/* The rows under one set of values, as far as they have been read. */
typedef struct itableFound
{
	uint32		hash;
	Datum	   *datums;			/* the values */
	bool	   *nulls;
	int			n;
	int			max;
	MinimalTuple *rows;
	bool		whole;			/* those are all */
	bool		led;			/* somebody reads them from the store now */
	int			users;			/* outer rows that may yet read them */
	Size		size;
	struct itableFound *older;	/* by last use */
	struct itableFound *newer;
} itableFound;

/* For rows of "desc"; work_mem bounds what is kept. */
extern itableLookupCache *itable_lookup_cache(MemoryContext context,
											  TupleDesc desc);

/* What is known under these values, made when nothing is, for one more user. */
extern itableFound *itable_cache_use(itableLookupCache *cache,
									 const itableValues *values);
extern void itable_cache_release(itableLookupCache *cache, itableFound *found);

/* Adds a row; false when there is no room, and what was there is forgotten. */
extern bool itable_cache_add(itableLookupCache *cache, itableFound *found,
							 Datum *values, bool *nulls);

/* Before they are read anew. */
extern void itable_cache_forget(itableLookupCache *cache, itableFound *found);

#endif							/* ITABLE_LOOKUP_CACHE_H */
