/*
 * unit.h
 *	  Checks for tests of one source file, without a server.
 *
 * A failed check tells where and goes on; unit_end() is what main returns.
 */
#ifndef MTS_UNIT_H
#define MTS_UNIT_H

#include <stdio.h>

#include "mem.h"

static int	unit_checks;
static int	unit_failures;

static inline void
unit_check(bool ok, const char *file, int line, const char *what)
{
	unit_checks++;
	if (ok)
		return;
	unit_failures++;
	printf("%s:%d: %s\n", file, line, what);
}

static inline void
unit_text(Span got, const char *wanted, const char *file, int line)
{
	unit_checks++;
	if (span_eq(got, span_of(wanted)))
		return;
	unit_failures++;
	printf("%s:%d: got \"%.*s\", wanted \"%s\"\n", file, line, (int) got.n,
		   got.p, wanted);
}

static inline void
unit_number(long long got, long long wanted, const char *file, int line,
			const char *what)
{
	unit_checks++;
	if (got == wanted)
		return;
	unit_failures++;
	printf("%s:%d: %s is %lld, wanted %lld\n", file, line, what, got, wanted);
}

#define CHECK(condition) \
	unit_check((condition), __FILE__, __LINE__, #condition)
#define TEXT(got, wanted) unit_text((got), (wanted), __FILE__, __LINE__)
#define NUMBER(got, wanted) \
	unit_number((long long) (got), (long long) (wanted), __FILE__, __LINE__, \
				#got)

static inline int
unit_end(void)
{
	printf("%d checks, %d failed\n", unit_checks, unit_failures);
	return unit_failures > 0;
}

#endif							/* MTS_UNIT_H */
