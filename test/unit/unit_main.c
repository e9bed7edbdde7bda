/*
 * unit_main.c
 *		Runs the registered unit tests and prints the totals.
 *
 * Usage: unit [FILTER] runs the tests whose name or file contains FILTER.
 * Prints one line per failed check and, last, exactly "N passed, N failed";
 * exits with 1 when a test failed or none was run.  Scripts read that line.
 */
#include "unit.h"

#include <stdarg.h>
#include <stdlib.h>

static unit_test *tests;		/* every registered test, by name */
static const unit_test *running;	/* the test being run */
static bool running_failed;		/* whether it has failed a check */

/* Links a test in by file and name: constructors run in link order. */
void
unit_register(unit_test *test)
{
	unit_test **at = &tests;

	while (*at != NULL)
	{
		int			cmp = strcmp((*at)->file, test->file);

		if (cmp > 0 || (cmp == 0 && strcmp((*at)->name, test->name) > 0))
			break;
		at = &(*at)->next;
	}
	test->next = *at;
	*at = test;
}

/* Prints the failure at once, so that a later crash cannot swallow it. */
void
unit_fail(const char *file, int line, const char *format,...)
{
	va_list		args;

	running_failed = true;
	printf("FAILED %s:%d: %s: ", file, line,
		   running != NULL ? running->name : "?");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

bool
unit_failed(void)
{
	return running_failed;
}

/* NULL equals only NULL. */
bool
unit_check_str(const char *file, int line, const char *what,
			   const char *got, const char *want)
{
	if (got == want ||
		(got != NULL && want != NULL && strcmp(got, want) == 0))
		return true;
	unit_fail(file, line, "%s is \"%s\", not \"%s\"", what,
			  got != NULL ? got : "(null)", want != NULL ? want : "(null)");
	return false;
}

bool
unit_check_int(const char *file, int line, const char *what,
			   int64_t got, int64_t want)
{
	if (got == want)
		return true;
	unit_fail(file, line, "%s is %" PRId64 ", not %" PRId64, what, got, want);
	return false;
}

FILE *
unit_open_vectors(const char *name)
{
	const char *folder = getenv("TMODEL_VECTORS");
	char		path[1024];
	FILE	   *file;

	if (folder == NULL || folder[0] == '\0')
		folder = "test/vectors";
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	if (file == NULL)
		unit_fail(__FILE__, __LINE__, "cannot open \"%s\"", path);
	return file;
}

int
main(int argc, char **argv)
{
	int			passed = 0;
	int			failed = 0;

	for (running = tests; running != NULL; running = running->next)
	{
		if (argc > 1 && strstr(running->name, argv[1]) == NULL &&
			strstr(running->file, argv[1]) == NULL)
			continue;
		running_failed = false;
		running->run();
		if (running_failed)
			failed++;
		else
			passed++;
	}
	printf("%d passed, %d failed\n", passed, failed);
	return failed > 0 || passed == 0 ? 1 : 0;
}
