/*
 * modes.c
 *	  Crash mode: the writer dies at its n-th request, for every n.  Random
 *	  mode: long schedules with many actors, from a seed that is printed.
 *
 * Both end every schedule with repair, and judge what is then at rest.
 */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LINES 2000

static char lines[MAX_LINES][160];
static int	nlines;

static void
take(const choice *taken)
{
	if (nlines < MAX_LINES)
		world_describe(taken, lines[nlines++], sizeof(lines[0]));
	world_take(taken);
}

static bool
report(const char *name)
{
	if (the_world.violation == NULL)
		return true;
	printf("  %s: %s\n", name, the_world.violation);
	for (int i = 0; i < nlines; i++)
		printf("    %2d. %s\n", i + 1, lines[i]);
	return false;
}

/* ---- crash --------------------------------------------------------------- */

/*
 * Lets actor "by" do one operation, dying before its n-th request; lost: the
 * n-th is carried out and the death comes before the answer.  Returns whether
 * it lived.
 */
static bool
run_until_death(int by, int begin_argument, int n, bool lost)
{
	actor	   *who = &the_world.actors[by];
	choice		next = {EFFECT_BEGIN, by, begin_argument, 0, 0};

	take(&next);
	next.argument = 0;
	for (int i = 0; who->machine != NULL && the_world.violation == NULL; i++)
	{
		next.effect = EFFECT_NORMAL;
		if (i == n && !lost)
			next.effect = EFFECT_DEATH;
		else if (i == n)
		{
			/* An answer that nobody reads: carried out, then death. */
			const tmodel_step_request *requests;

			tmodel_machine_requests(who->machine, &the_world.arena, &requests);
			next.effect = requests[0].action == TMODEL_GET ?
				EFFECT_UNKNOWN : EFFECT_LOST;
		}
		take(&next);
		if (i == n && lost && who->machine != NULL)
		{
			next.effect = EFFECT_DEATH;
			take(&next);
		}
		if (i == n)
			return false;
	}
	return true;
}

/* Every operation from every beginning, dying at every request. */
bool
crash_mode(const scenario *scenario)
{
	choice		choices[MAX_CHOICES];
	int			deaths = 0;

	facts_init(scenario);
	for (world_start start = 0; start < NSTARTS; start++)
	{
		int			n;

		if (!(scenario->starts & (1u << start)))
			continue;
		world_reset(scenario, start);
		n = world_choices(choices);
		for (int i = 0; i < n; i++)
		{
			bool		lived = false;

			if (choices[i].effect != EFFECT_BEGIN)
				continue;
			for (int at = 0; !lived; at++)
				for (int lost = 0; lost < 2; lost++)
				{
					world_reset(scenario, start);
					nlines = 0;
					lived = run_until_death(choices[i].actor,
											choices[i].argument, at,
											lost != 0);
					deaths++;
					if (the_world.built && scenario->nindexes > 0)
						world_settle();
					if (!report(scenario->name))
						return false;
				}
		}
	}
	printf("  %s: %d deaths\n", scenario->name, deaths);
	return true;
}

/* ---- random -------------------------------------------------------------- */

static uint64_t random_state;

/* splitmix64: short, and the same everywhere */
static uint64_t
next_random(void)
{
	uint64_t	z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int
random_below(int n)
{
	return (int) (next_random() % (uint64_t) n);
}

/* Chooses an actor first, so that one with many choices is not favoured. */
static const choice *
pick(const choice *choices, int n, int percent_faults)
{
	for (;;)
	{
		const choice *one = &choices[random_below(n)];
		bool		stays = one->effect != EFFECT_ARRIVAL &&
			one->actor == the_world.current;

		if (one->faults > 0 && random_below(100) >= percent_faults)
			continue;
		if (!stays && one->preemptions > 0 && random_below(100) >= 40)
			continue;
		return one;
	}
}

static void
random_schedule(const scenario *scenario, int percent_faults)
{
	world_start start;

	do
		start = (world_start) random_below(NSTARTS);
	while (!(scenario->starts & (1u << start)));
	world_reset(scenario, start);
	nlines = 0;
	for (int step = 0; step < 400 && the_world.violation == NULL; step++)
	{
		choice		choices[MAX_CHOICES];
		int			n = world_choices(choices);

		if (n == 0)
			break;
		take(pick(choices, n, percent_faults));
	}
	if (scenario->nindexes > 0 && the_world.built)
		world_settle();
}

bool
random_mode(uint64_t seed, long runs)
{
	static const int percents[] = {0, 3, 15};
	int			last = -1;
	size_t		steps = 0;

	printf("  random: --seed %" PRIu64 " --runs %ld\n", seed, runs);
	random_state = seed;
	for (long run = 0; run < runs; run++)
	{
		scenario	wide;
		int			which = (int) (run * nscenarios / runs);

		wide = scenarios[which];
		if (which != last)
			facts_init(&wide);
		last = which;
		if (wide.nwriters > 0)
			wide.nwriters = 1 + random_below(3);
		wide.nops = 1 + random_below(3);
		if (wide.nrepairers > 0)
			wide.nrepairers = random_below(3);
		wide.nrepairs = 1 + random_below(3);
		if (wide.indexed && wide.nindexes > 0 && !wide.direct)
			wide.nzombies = random_below(4);
		random_schedule(&wide, percents[random_below(3)]);
		steps += (size_t) nlines;
		if (!report(wide.name))
		{
			printf("  run %ld of --seed %" PRIu64 "\n", run, seed);
			return false;
		}
	}
	printf("  random: %zu steps\n", steps);
	return true;
}
