/*
 * limits.c
 *	  --limits azure: the scalability targets of the service, simulated.
 *
 * A token bucket per partition and one per account, an entity is a token.  A
 * full bucket holds a second's worth; a request is refused while its bucket
 * is empty and may leave it in debt, so that one batch of 100 always gets
 * through in the end.  Buckets live in a table of fixed size, found by hash;
 * where it is full the one unused for longest gives way.
 */
#include "limits.h"

#include <ctype.h>
#include <pthread.h>

#include "clock.h"

/* A bucket's contents are counted in ticks of its filling: nothing rounds. */
#define SECOND INT64_C(10000000)	/* in ticks of 100 ns */
#define PARTITION_COST (SECOND / 2000)	/* of an entity */
#define ACCOUNT_COST (SECOND / 20000)

#define SETS 4096				/* a power of two */
#define WAYS 4

typedef struct Bucket
{
	uint64_t	hash;			/* 0: free */
	int64_t		ticks;			/* what is in it; below zero: in debt */
	int64_t		at;				/* by the clock, when ticks was right */
} Bucket;

static bool enabled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Bucket buckets[SETS][WAYS];

bool
limits_set(const char *name)
{
	enabled = strcmp(name, "azure") == 0;
	return enabled || strcmp(name, "none") == 0;
}

bool
limits_on(void)
{
	return enabled;
}

static uint64_t
hash_bytes(uint64_t h, Span s, bool fold)
{
	for (size_t i = 0; i < s.n; i++)
	{
		unsigned char ch = (unsigned char) s.p[i];

		h = (h ^ (fold ? (unsigned char) tolower(ch) : ch)) *
			UINT64_C(0x100000001b3);
	}
	return (h ^ 0xff) * UINT64_C(0x100000001b3);
}

/*
 * The bucket, filled up to now by the clock that tests may stop; under the
 * lock.
 */
static Bucket *
bucket_of(uint64_t hash, int64_t now)
{
	Bucket	   *set = buckets[hash >> 20 & (SETS - 1)];
	Bucket	   *b = &set[0];

	hash |= 1;
	for (int i = 0; i < WAYS; i++)
	{
		if (set[i].hash == hash)
		{
			b = &set[i];
			if (now > b->at)
				b->ticks += now - b->at;
			if (b->ticks > SECOND)
				b->ticks = SECOND;
			b->at = now;
			return b;
		}
		if (set[i].at < b->at)
			b = &set[i];
	}
	*b = (Bucket) {hash, SECOND, now};
	return b;
}

static uint64_t
account_hash(const char *account)
{
	return hash_bytes(UINT64_C(0xcbf29ce484222325), span_of(account), false);
}

static uint64_t
partition_hash(const char *account, Span table, Span partition)
{
	return hash_bytes(hash_bytes(account_hash(account), table, true),
					  partition, false);
}

bool
limits_admit(const char *account, Span table, const Span *partition,
			 int entities, const char **which)
{
	int64_t		now = mock_clock_now();
	Bucket	   *a;
	Bucket	   *p = NULL;

	*which = NULL;
	pthread_mutex_lock(&lock);
	if (partition)
		p = bucket_of(partition_hash(account, table, *partition), now);
	a = bucket_of(account_hash(account), now);
	if (a->ticks <= 0)
		*which = "limit_account";
	else if (p && p->ticks <= 0)
		*which = "limit_partition";
	else
	{
		a->ticks -= entities * ACCOUNT_COST;
		if (p)
			p->ticks -= entities * PARTITION_COST;
	}
	pthread_mutex_unlock(&lock);
	return *which == NULL;
}

void
limits_charge(const char *account, Span table, Span partition, int entities)
{
	int64_t		now = mock_clock_now();

	pthread_mutex_lock(&lock);
	bucket_of(partition_hash(account, table, partition), now)->ticks -=
		entities * PARTITION_COST;
	bucket_of(account_hash(account), now)->ticks -= entities * ACCOUNT_COST;
	pthread_mutex_unlock(&lock);
}
