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

#define PARTITION_RATE 2000.0
#define ACCOUNT_RATE 20000.0

#define SETS 4096				/* a power of two */
#define WAYS 4

typedef struct Bucket
{
	uint64_t	hash;			/* 0: free */
	double		tokens;			/* below zero: in debt */
	double		at;				/* seconds, when tokens was right */
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

/* By the clock that tests may stop: then nothing fills up. */
static double
now_seconds(void)
{
	return (double) mock_clock_now() / 1e7;
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

/* The bucket, filled up to now; under the lock. */
static Bucket *
bucket_of(uint64_t hash, double rate, double now)
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
				b->tokens += (now - b->at) * rate;
			if (b->tokens > rate)
				b->tokens = rate;
			b->at = now;
			return b;
		}
		if (set[i].at < b->at)
			b = &set[i];
	}
	*b = (Bucket) {hash, rate, now};
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
	double		now = now_seconds();
	Bucket	   *a;
	Bucket	   *p = NULL;

	*which = NULL;
	pthread_mutex_lock(&lock);
	if (partition)
		p = bucket_of(partition_hash(account, table, *partition),
					  PARTITION_RATE, now);
	a = bucket_of(account_hash(account), ACCOUNT_RATE, now);
	if (a->tokens <= 0)
		*which = "limit_account";
	else if (p && p->tokens <= 0)
		*which = "limit_partition";
	else
	{
		a->tokens -= entities;
		if (p)
			p->tokens -= entities;
	}
	pthread_mutex_unlock(&lock);
	return *which == NULL;
}

void
limits_charge(const char *account, Span table, Span partition, int entities)
{
	double		now = now_seconds();

	pthread_mutex_lock(&lock);
	bucket_of(partition_hash(account, table, partition), PARTITION_RATE,
			  now)->tokens -= entities;
	bucket_of(account_hash(account), ACCOUNT_RATE, now)->tokens -= entities;
	pthread_mutex_unlock(&lock);
}
