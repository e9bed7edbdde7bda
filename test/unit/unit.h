/*
 * unit.h
 *		The unit test harness: a test is a function that registers itself.
 *
 * UNIT_TEST(name) { ... } defines and registers one test; unit_main.c runs
 * every test linked into the binary.  The first failed CHECK ends its test
 * (the macros return), so a test may use what an earlier CHECK has proved.
 * Helper functions that check must therefore return void, or use UNIT_FAIL.
 *
 * Easy to break: CHECK evaluates its arguments exactly once; keep it so.
 */
#ifndef UNIT_H
#define UNIT_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*unit_fn) (void);

/* One registered test; the harness links them in the order of their names. */
typedef struct unit_test
{
	const char *name;
	const char *file;
	unit_fn		run;
	struct unit_test *next;
} unit_test;

extern void unit_register(unit_test *test);

/* Marks the running test as failed and prints where and why. */
extern void unit_fail(const char *file, int line, const char *format,...)
			__attribute__((format(printf, 3, 4)));

/* True once the running test has failed: for loops around helpers. */
extern bool unit_failed(void);

/* The checks behind the macros; each returns true when it holds. */
extern bool unit_check_str(const char *file, int line, const char *what,
						   const char *got, const char *want);
extern bool unit_check_int(const char *file, int line, const char *what,
						   int64_t got, int64_t want);

/*
 * Opens a golden vector file below $TMODEL_VECTORS (default test/vectors);
 * fails the test and returns NULL when it is not there.
 */
extern FILE *unit_open_vectors(const char *name);

#define UNIT_TEST(id) \
	static void unit_run_##id(void); \
	static unit_test unit_entry_##id = {#id, __FILE__, unit_run_##id, NULL}; \
	__attribute__((constructor)) static void unit_register_##id(void) \
	{ \
		unit_register(&unit_entry_##id); \
	} \
	static void unit_run_##id(void)

#define UNIT_FAIL(...) unit_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(cond) \
	do { \
		if (!(cond)) \
		{ \
			unit_fail(__FILE__, __LINE__, "%s", #cond); \
			return; \
		} \
	} while (0)

#define CHECK_STR(got, want) \
	do { \
		if (!unit_check_str(__FILE__, __LINE__, #got, (got), (want))) \
			return; \
	} while (0)

#define CHECK_INT(got, want) \
	do { \
		if (!unit_check_int(__FILE__, __LINE__, #got, \
							(int64_t) (got), (int64_t) (want))) \
			return; \
	} while (0)

#endif							/* UNIT_H */
