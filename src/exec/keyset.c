/*
 * keyset.c
 *	  Remembers which facts a scan has met.
 *
 * Several entries may lead to one fact (two actors of one movie, or an old and
 * a new entry after a crash); the scan returns it once.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "exec/keyset.h"

typedef struct keyProbe
{
	tmodel_span partition_key;
	tmodel_span row_key;
} keyProbe;

static uint32
hash_span(tmodel_span span)
{
	return hash_bytes((const unsigned char *) span.data, span.len);
}

static uint32
pair_hash(keyProbe probe)
{
	return hash_combine(hash_span(probe.partition_key),
						hash_span(probe.row_key));
}

static bool
pair_equal(keyProbe a, keyProbe b)
{
	return tmodel_span_equal(a.row_key, b.row_key) &&
		tmodel_span_equal(a.partition_key, b.partition_key);
}

typedef struct pairSlot
{
	keyProbe	key;
	uint32		hash;
	char		status;
} pairSlot;

#define SH_PREFIX pairs
#define SH_ELEMENT_TYPE pairSlot
#define SH_KEY_TYPE keyProbe
#define SH_KEY key
#define SH_HASH_KEY(tb, key) pair_hash(key)
#define SH_EQUAL(tb, a, b) pair_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

struct itableKeySet
{
	MemoryContext context;
	pairs_hash *pairs;
};

itableKeySet *
itable_keyset(MemoryContext context)
{
	itableKeySet *set = MemoryContextAlloc(context, sizeof(itableKeySet));

	set->context = context;
	set->pairs = pairs_create(context, 64, NULL);
	return set;
}

static tmodel_span
keep(itableKeySet *set, tmodel_span span)
{
	char	   *copy = MemoryContextAlloc(set->context, span.len + 1);

	if (span.len > 0)
		memcpy(copy, span.data, span.len);
	return (tmodel_span) {copy, span.len};
}

bool
itable_keyset_add(itableKeySet *set, tmodel_span partition_key,
				  tmodel_span row_key)
{
	keyProbe	probe = {partition_key, row_key};
	pairSlot   *slot;
	bool		found;

	slot = pairs_insert(set->pairs, probe, &found);
	if (!found)
	{
		slot->key.partition_key = keep(set, partition_key);
		slot->key.row_key = keep(set, row_key);
	}
	return !found;
}

bool
itable_keyset_has(const itableKeySet *set, tmodel_span partition_key,
				  tmodel_span row_key)
{
	keyProbe	probe = {partition_key, row_key};

	return pairs_lookup(set->pairs, probe) != NULL;
}

bool
itable_keyset_is_empty(const itableKeySet *set)
{
	return set->pairs->members == 0;
}
