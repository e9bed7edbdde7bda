/*
 * explore.c
 *	  Depth-first search through every schedule within a bound of faults and
 *	  preemptions, going back in time by copying the world.
 *
 * A world that was seen before with no more faults and preemptions used is not
 * entered again.
 *
 * Easy to break: only worlds with the same hash and at least the same budget
 * left may be cut off.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DEPTH 400
#define MAX_FAULTS 3			/* 4 x 16 bits of one seen word */
#define MAX_PREEMPTIONS UNBOUNDED

typedef struct snapshot
{
	world		world;
	size_t		room;			/* bytes of heap */
	char	   *heap;
} snapshot;

typedef struct seen
{
	uint64_t	hash;			/* 0: free */
	uint64_t	budgets;		/* bit 16 * faults + preemptions: explored */
} seen;

static snapshot snapshots[MAX_DEPTH];
static choice path[MAX_DEPTH];	/* what was done so far */
static seen *table;
static size_t table_size;		/* a power of two */
static size_t nstates;
static size_t nsteps;
static int	max_faults;
static int	max_preemptions;
static double deadline;			/* 0: none */
static bool timed_out;

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec / 1e9;
}

static void
save(snapshot *at)
{
	if (at->room < the_world.heap_used)
	{
		free(at->heap);
		at->room = the_world.heap_used * 2;
		at->heap = malloc(at->room);
		if (at->heap == NULL)
			abort();
	}
	at->world = the_world;
	memcpy(at->heap, world_heap, the_world.heap_used);
}

static void
restore(const snapshot *at)
{
	the_world = at->world;
	memcpy(world_heap, at->heap, the_world.heap_used);
}

static void
grow_table(void)
{
	seen	   *old = table;
	size_t		old_size = table_size;

	table_size = old_size == 0 ? (size_t) 1 << 16 : old_size * 2;
	table = calloc(table_size, sizeof(seen));
	if (table == NULL)
		abort();
	for (size_t i = 0; i < old_size; i++)
	{
		size_t		at = old[i].hash & (table_size - 1);

		if (old[i].hash == 0)
			continue;
		while (table[at].hash != 0)
			at = (at + 1) & (table_size - 1);
		table[at] = old[i];
	}
	free(old);
}

/* Notes the present world; true when nothing new can come from it. */
static bool
seen_before(void)
{
	uint64_t	hash = world_hash() | 1;
	uint64_t	dominated = 0;
	size_t		at;

	if (nstates * 2 >= table_size)
		grow_table();
	for (int f = the_world.faults; f <= MAX_FAULTS; f++)
		for (int p = the_world.preemptions; p <= MAX_PREEMPTIONS; p++)
			dominated |= UINT64_C(1) << (16 * f + p);
	at = hash & (table_size - 1);
	while (table[at].hash != 0 && table[at].hash != hash)
		at = (at + 1) & (table_size - 1);
	if (table[at].hash == 0)
	{
		table[at].hash = hash;
		nstates++;
	}
	if (table[at].budgets >> (16 * the_world.faults +
							  the_world.preemptions) & 1)
		return true;
	table[at].budgets |= dominated;
	return false;
}

/* Prints how it came about, by doing it again from the beginning. */
static void
print_violation(int depth, bool at_rest)
{
	const char *violation = the_world.violation;
	char		line[160];

	printf("  %s\n", violation);
	restore(&snapshots[0]);
	for (int i = 0; i < depth; i++)
	{
		world_describe(&path[i], line, sizeof(line));
		printf("    %2d. %s\n", i + 1, line);
		world_take(&path[i]);
	}
	if (at_rest)
		printf("        all stop; repair\n");
}

/* False when a violation was found. */
static bool
search(int depth)
{
	choice		choices[MAX_CHOICES];
	int			n = world_choices(choices);

	if (depth >= MAX_DEPTH)
		world_fail("this does not end");
	if (the_world.violation != NULL)
	{
		print_violation(depth, false);
		return false;
	}
	if (deadline > 0 && nsteps % 4096 == 0 && now() > deadline)
		timed_out = true;
	save(&snapshots[depth]);
	for (int i = 0; i < n && !timed_out; i++)
	{
		if (the_world.faults + choices[i].faults > max_faults ||
			the_world.preemptions + choices[i].preemptions > max_preemptions)
			continue;
		path[depth] = choices[i];
		world_take(&choices[i]);
		nsteps++;
		if (the_world.violation != NULL)
		{
			print_violation(depth + 1, false);
			return false;
		}
		if (!seen_before() && !search(depth + 1))
			return false;
		restore(&snapshots[depth]);
	}
	if (the_world.scenario->nindexes > 0 && the_world.built)
	{
		/* From every world on, stopping here and repairing leads to rest. */
		world_settle();
		if (the_world.violation != NULL)
		{
			print_violation(depth, true);
			return false;
		}
		restore(&snapshots[depth]);
	}
	return true;
}

bool
explore(const scenario *scenario, int faults, int preemptions, double seconds)
{
	double		begun = now();
	bool		ok = true;

	max_faults = faults < MAX_FAULTS ? faults : MAX_FAULTS;
	max_preemptions = preemptions < MAX_PREEMPTIONS ? preemptions :
		MAX_PREEMPTIONS;
	deadline = seconds > 0 ? begun + seconds : 0;
	timed_out = false;
	nsteps = nstates = 0;
	free(table);
	table = NULL;
	table_size = 0;
	facts_init(scenario);
	for (world_start start = 0; start < NSTARTS && ok; start++)
	{
		if (!(scenario->starts & (1u << start)))
			continue;
		world_reset(scenario, start);
		ok = search(0);
	}
	printf("  %s: %zu states, %zu steps, %d faults, %d preemptions, %.1f s%s\n",
		   scenario->name, nstates, nsteps, max_faults, max_preemptions,
		   now() - begun, timed_out ? ", stopped by the clock" : "");
	return ok;
}
