/*
 * main.c
 *	  Runs the protocol machines through the model world.
 *
 *	  model [explore|crash|random|all] [--only NAME] [--long] [--seconds S]
 *			[--first] [--faults N] [--preemptions N] [--seed N] [--runs M]
 *
 * Each scenario is a test.  Ends with "N passed, N failed"; exits with 1 when a
 * violation was found.  check.sh runs it for each variant.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options
{
	const char *mode;
	const char *only;			/* part of a scenario's name */
	int			faults;			/* more than in the short form */
	int			preemptions;
	double		seconds;		/* per scenario; 0: no limit */
	bool		first;			/* stop at the first failed test */
	uint64_t	seed;
	long		runs;
} options;

static int	passed;
static int	failed;

static void
count(bool ok, const char *what, const char *name)
{
	if (ok)
		passed++;
	else
	{
		failed++;
		printf("FAILED %s: %s\n", what, name);
	}
	fflush(stdout);
}

static bool
wants(const options *options, const char *mode)
{
	return strcmp(options->mode, mode) == 0 ||
		strcmp(options->mode, "all") == 0;
}

static bool
parse(int argc, char **argv, options *options)
{
	for (int i = 1; i < argc; i++)
	{
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (argv[i][0] != '-')
		{
			options->mode = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--long") == 0)
		{
			options->faults = options->preemptions = 1;
			options->runs = 10000000;
			continue;
		}
		if (strcmp(argv[i], "--first") == 0)
		{
			options->first = true;
			continue;
		}
		if (strcmp(argv[i], "--only") == 0)
			options->only = value;
		else if (strcmp(argv[i], "--faults") == 0)
			options->faults = atoi(value);
		else if (strcmp(argv[i], "--preemptions") == 0)
			options->preemptions = atoi(value);
		else if (strcmp(argv[i], "--seconds") == 0)
			options->seconds = atof(value);
		else if (strcmp(argv[i], "--seed") == 0)
			options->seed = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--runs") == 0)
			options->runs = atol(value);
		else
			return false;
		i++;
	}
	return true;
}

int
main(int argc, char **argv)
{
	options		options = {.mode = "all", .only = "", .runs = 200000};

	options.seed = (uint64_t) time(NULL);
	if (!parse(argc, argv, &options))
	{
		fprintf(stderr, "model: unknown option; see main.c\n");
		return 2;
	}
	for (int i = 0; i < nscenarios && !(options.first && failed > 0); i++)
	{
		const char *name = scenarios[i].name;

		if (strstr(name, options.only) == NULL)
			continue;
		if (wants(&options, "crash"))
			count(crash_mode(&scenarios[i]), "crash", name);
		for (int b = 0; b < MAX_BOUNDS && wants(&options, "explore"); b++)
			if (scenarios[i].bounds[b].preemptions > 0 &&
				!(options.first && failed > 0))
				count(explore(&scenarios[i],
							  scenarios[i].bounds[b].faults + options.faults,
							  scenarios[i].bounds[b].preemptions +
							  options.preemptions, options.seconds),
					  "explore", name);
	}
	if (wants(&options, "random"))
		count(random_mode(options.seed, options.runs), "random", "");
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0 || passed == 0 ? 1 : 0;
}
