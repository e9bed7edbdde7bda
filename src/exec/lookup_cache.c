/*
 * lookup_cache.c
 *	  Keeps what lookups have found, so that none is made twice.
 *
 * Outer rows of a join often repeat their values.  The first of them reads, the
 * others take what it has found; values are compared as bytes.  What was used
 * longest ago goes when work_mem is full.  Called by lookup_join.c.  Easy to
 * break: a join that needs one match only leaves a lookup before its end, and
 * what is kept of that is not all.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "exec/lookup_cache.h"

typedef struct foundSlot
{
	itableFound *found;
	uint32		hash;
	char		status;
} foundSlot;

static bool are_equal(const itableValues *types, const itableFound *a,
					  const itableFound *b);

#define SH_PREFIX found
#define SH_ELEMENT_TYPE foundSlot
#define SH_KEY_TYPE itableFound *
#define SH_KEY found
#define SH_HASH_KEY(table, key) ((key)->hash)
#define SH_EQUAL(table, a, b) \
	((a)->hash == (b)->hash && are_equal((table)->private_data, a, b))
#define SH_SCOPE static inline
#define SH_STORE_HASH
#define SH_GET_HASH(table, slot) ((slot)->hash)
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct itableLookupCache
{
	MemoryContext context;
	TupleDesc	desc;
	found_hash *table;
	itableValues types;			/* n and types, from the first use on */
	itableFound *oldest;
	itableFound *newest;
	Size		size;
};

itableLookupCache *
itable_lookup_cache(MemoryContext context, TupleDesc desc)
{
	itableLookupCache *cache = MemoryContextAllocZero(context,
													  sizeof(itableLookupCache));

	cache->context = context;
	cache->desc = desc;
	cache->table = found_create(context, 64, &cache->types);
	return cache;
}

static bool
are_equal(const itableValues *types, const itableFound *a,
		  const itableFound *b)
{
	for (int i = 0; i < types->n; i++)
	{
		int16		len;
		bool		byval;

		if (a->nulls[i] != b->nulls[i])
			return false;
		get_typlenbyval(types->types[i], &len, &byval);
		if (!a->nulls[i] &&
			!datum_image_eq(a->datums[i], b->datums[i], byval, len))
			return false;
	}
	return true;
}

static uint32
hash_of(const itableValues *values)
{
	uint32		hash = 0;

	for (int i = 0; i < values->n; i++)
	{
		int16		len;
		bool		byval;

		get_typlenbyval(values->types[i], &len, &byval);
		hash = hash_combine(hash, values->nulls[i] ? 0 :
							datum_image_hash(values->datums[i], byval, len));
	}
	return hash;
}

/* A copy of the values, with nothing found yet. */
static itableFound *
make_found(itableLookupCache *cache, const itableValues *values, uint32 hash)
{
	MemoryContext old = MemoryContextSwitchTo(cache->context);
	itableFound *found = palloc0(sizeof(itableFound));

	found->hash = hash;
	found->datums = palloc(sizeof(Datum) * (values->n + 1));
	found->nulls = palloc(sizeof(bool) * (values->n + 1));
	found->size = 200;
	for (int i = 0; i < values->n; i++)
	{
		int16		len;
		bool		byval;

		get_typlenbyval(values->types[i], &len, &byval);
		found->nulls[i] = values->nulls[i];
		if (values->nulls[i])
			continue;
		found->datums[i] = datumCopy(values->datums[i], byval, len);
		if (!byval)
			found->size += datumGetSize(found->datums[i], byval, len) + 16;
	}
	cache->size += found->size;
	MemoryContextSwitchTo(old);
	return found;
}

static void
take_off(itableLookupCache *cache, itableFound *found)
{
	if (found->older != NULL)
		found->older->newer = found->newer;
	else
		cache->oldest = found->newer;
	if (found->newer != NULL)
		found->newer->older = found->older;
	else
		cache->newest = found->older;
}

static void
put_newest(itableLookupCache *cache, itableFound *found)
{
	found->older = cache->newest;
	found->newer = NULL;
	if (cache->newest != NULL)
		cache->newest->newer = found;
	else
		cache->oldest = found;
	cache->newest = found;
}

void
itable_cache_forget(itableLookupCache *cache, itableFound *found)
{
	for (int i = 0; i < found->n; i++)
	{
		cache->size -= found->rows[i]->t_len + 16;
		found->size -= found->rows[i]->t_len + 16;
		heap_free_minimal_tuple(found->rows[i]);
	}
	found->n = 0;
	found->whole = false;
}

static void
free_found(itableLookupCache *cache, itableFound *found)
{
	itable_cache_forget(cache, found);
	take_off(cache, found);
	(void) found_delete(cache->table, found);
	cache->size -= found->size;
	for (int i = 0; i < cache->types.n; i++)
	{
		int16		len;
		bool		byval;

		get_typlenbyval(cache->types.types[i], &len, &byval);
		if (!byval && !found->nulls[i])
			pfree(DatumGetPointer(found->datums[i]));
	}
	if (found->rows != NULL)
		pfree(found->rows);
	pfree(found->datums);
	pfree(found->nulls);
	pfree(found);
}

/* Lets go of what was used longest ago and is not in use. */
static void
make_room(itableLookupCache *cache)
{
	itableFound *next;

	for (itableFound *found = cache->oldest;
		 found != NULL && cache->size > (Size) work_mem * 1024; found = next)
	{
		next = found->newer;
		if (found->users == 0)
			free_found(cache, found);
	}
}

itableFound *
itable_cache_use(itableLookupCache *cache, const itableValues *values)
{
	itableFound wanted = {.hash = hash_of(values),.datums = values->datums,
	.nulls = values->nulls};
	itableFound *found;
	foundSlot  *slot;
	bool		known;

	cache->types.n = values->n;
	cache->types.types = values->types;
	slot = found_lookup(cache->table, &wanted);
	if (slot != NULL)
	{
		found = slot->found;
		take_off(cache, found);
	}
	else
	{
		make_room(cache);
		found = make_found(cache, values, wanted.hash);
		slot = found_insert(cache->table, found, &known);
		slot->found = found;
	}
	put_newest(cache, found);
	found->users++;
	return found;
}

void
itable_cache_release(itableLookupCache *cache, itableFound *found)
{
	found->users--;
}

bool
itable_cache_add(itableLookupCache *cache, itableFound *found, Datum *values,
				 bool *nulls)
{
	MemoryContext old = MemoryContextSwitchTo(cache->context);
	Size		size;

	if (found->n == found->max)
	{
		found->max = Max(4, found->max * 2);
		found->rows = found->rows == NULL ?
			palloc(sizeof(MinimalTuple) * found->max) :
			repalloc_huge(found->rows, sizeof(MinimalTuple) * found->max);
	}
	found->rows[found->n] = itable_minimal_tuple(cache->desc, values, nulls);
	size = found->rows[found->n++]->t_len + 16;
	found->size += size;
	cache->size += size;
	MemoryContextSwitchTo(old);
	make_room(cache);
	if (cache->size <= (Size) work_mem * 1024)
		return true;
	itable_cache_forget(cache, found);
	return false;
}
