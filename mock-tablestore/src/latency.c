/*
 * latency.c
 *	  How long a request waits before it is served.
 *
 * MS and up to JITTER more, which depends on the seed and on how many
 * requests came before, and on nothing else: the nth request of every run
 * waits as long.
 */
#include "latency.h"

#include <stdatomic.h>
#include <stdlib.h>

#define MAX_LATENCY_MS 3600000

static int64_t base_ms;
static int64_t jitter_ms;
static uint64_t seed = 1;
static atomic_uint_fast64_t served;

bool
latency_set(const char *text)
{
	char	   *end;
	long		ms = strtol(text, &end, 10);
	long		jitter = 0;

	if (end == text || ms < 0 || ms > MAX_LATENCY_MS)
		return false;
	if (*end == ':')
	{
		text = end + 1;
		jitter = strtol(text, &end, 10);
		if (end == text || jitter < 0 || jitter > MAX_LATENCY_MS)
			return false;
	}
	if (*end)
		return false;
	base_ms = ms;
	jitter_ms = jitter;
	return true;
}

void
latency_seed(uint64_t value)
{
	seed = value;
}

/* splitmix64: a good hash of (seed, n), the same everywhere. */
static uint64_t
mix(uint64_t n)
{
	uint64_t	x = seed + n * UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

int64_t
latency_next(void)
{
	if (jitter_ms == 0)
		return base_ms;
	return base_ms + (int64_t) (mix(++served) % (uint64_t) (jitter_ms + 1));
}
