/*
 * scenarios.c
 *	  What the explorer goes through, with the bounds of the short form.
 *
 * The bounds are chosen so that the whole short form takes less than a minute
 * on one core and still catches every broken variant; see check.sh.
 */
#include "world.h"

/* Contents that writers write */
#define A0 (1u << CONTENT(1, 0))
#define A1 (1u << CONTENT(1, 1))
#define B0 (1u << CONTENT(2, 0))
#define B1 (1u << CONTENT(2, 1))
#define AB0 (1u << CONTENT(3, 0))
#define NONE1 (1u << CONTENT(0, 1))

#define FROM(start) (1u << START_##start)
#define ANY_START (FROM(ABSENT) | FROM(LIVE) | FROM(CRASHED) | FROM(STUB))

const scenario scenarios[] = {
	{.name = "covering, two writers, repair", .indexed = true, .nindexes = 1,
		.covering = {true}, .contents = A0 | B0 | B1, .starts = ANY_START,
		.nwriters = 2, .nops = 1, .nrepairers = 1, .nrepairs = 1,
	.bounds = {{0, UNBOUNDED}, {1, 2}}},
	{.name = "covering, one writer, repair, two faults", .indexed = true,
		.nindexes = 1, .covering = {true}, .contents = A0 | B0 | B1,
		.starts = ANY_START, .nwriters = 1, .nops = 1, .nrepairers = 1,
	.nrepairs = 2, .bounds = {{2, UNBOUNDED}}},
	{.name = "covering, one writer twice, repair, zombies", .indexed = true,
		.nindexes = 1, .covering = {true}, .contents = A0 | B1,
		.starts = ANY_START, .nwriters = 1, .nops = 2, .nrepairers = 1,
		.nrepairs = 2, .nzombies = 3,
	.bounds = {{0, UNBOUNDED}, {1, 1}}},
	{.name = "pointer, two writers, repair", .indexed = true, .nindexes = 1,
		.contents = A0 | B0, .starts = ANY_START, .nwriters = 2, .nops = 2,
	.nrepairers = 1, .nrepairs = 1, .bounds = {{0, 3}, {1, 1}}},
	{.name = "array, covering and pointer", .indexed = true, .nindexes = 2,
		.covering = {true, false}, .contents = A0 | AB0 | NONE1,
		.starts = FROM(ABSENT) | FROM(LIVE), .nwriters = 2, .nops = 1,
	.nrepairers = 1, .nrepairs = 1, .bounds = {{0, 2}, {1, 1}}},
	{.name = "backfill of a covering index", .indexed = true, .nindexes = 1,
		.covering = {true}, .contents = A1 | B0,
		.starts = FROM(BARE) | FROM(ABSENT), .nwriters = 1, .nops = 1,
		.nrepairers = 1, .nrepairs = 1, .nbackfills = 1, .building = true,
	.bounds = {{0, UNBOUNDED}, {1, 4}}},
	{.name = "backfill of a pointer index", .indexed = true, .nindexes = 1,
		.contents = A1 | B0, .starts = FROM(BARE) | FROM(ABSENT),
		.nwriters = 2, .nops = 1, .nrepairers = 1, .nrepairs = 1,
		.nbackfills = 1, .building = true,
	.bounds = {{0, UNBOUNDED}, {1, 1}}},
	{.name = "pointer, old entries touched", .indexed = true, .nindexes = 1,
		.touch_old = true, .contents = A0 | B0, .starts = ANY_START,
		.nwriters = 2, .nops = 1, .nrepairers = 1, .nrepairs = 1,
	.bounds = {{0, UNBOUNDED}, {1, 1}}},
	{.name = "unique, two facts, repair", .indexed = true, .nindexes = 1,
		.unique = {true}, .nfacts = 2, .contents = A0 | B0,
		.starts = ANY_START, .nwriters = 2, .nops = 1, .nrepairers = 1,
	.nrepairs = 1, .bounds = {{0, 4}, {1, 1}}},
	{.name = "unique, three writers", .indexed = true, .nindexes = 1,
		.unique = {true}, .nfacts = 2, .contents = A0 | B0,
	.starts = ANY_START, .nwriters = 3, .nops = 1, .bounds = {{0, 3}, {1, 1}}},
	{.name = "unique, covering, repair", .indexed = true, .nindexes = 1,
		.unique = {true}, .covering = {true}, .nfacts = 2,
		.contents = A0 | A1 | B0, .starts = FROM(LIVE) | FROM(CRASHED),
		.nwriters = 2, .nops = 1, .nrepairers = 1, .nrepairs = 1,
	.bounds = {{0, 3}, {1, 1}}},
	{.name = "unique, claims are waited for", .indexed = true, .nindexes = 1,
		.unique = {true}, .young = true, .nfacts = 2, .contents = A0 | AB0,
		.starts = ANY_START, .nwriters = 2, .nops = 1, .nrepairers = 1,
	.nrepairs = 1, .bounds = {{0, 3}, {1, 1}}},
	{.name = "unique, writers twice, zombies", .indexed = true, .nindexes = 1,
		.unique = {true}, .nfacts = 2, .contents = A0 | B0,
		.starts = ANY_START, .nwriters = 2, .nops = 2, .nzombies = 1,
	.bounds = {{0, 1}}},
	{.name = "unique, a key moves within a transaction", .indexed = true,
		.nindexes = 1, .unique = {true}, .young = true, .moves = true,
		.nfacts = 2, .contents = A0 | B0, .starts = FROM(LIVE),
		.nwriters = 3, .nops = 1, .bounds = {{0, 3}, {1, 1}}},
	{.name = "backfill of a unique index", .indexed = true, .nindexes = 1,
		.unique = {true}, .nfacts = 2, .contents = A0 | B0,
		.starts = FROM(BARE) | FROM(ABSENT), .nwriters = 2, .nops = 1,
		.nbackfills = 1, .building = true, .bounds = {{0, 4}, {1, 1}}},
	{.name = "direct inserts, no deletes", .indexed = true, .direct = true,
		.nindexes = 1, .covering = {true}, .contents = A0 | B0 | B1,
		.starts = FROM(ABSENT), .nwriters = 2, .nops = 1, .no_deletes = true,
	.bounds = {{2, UNBOUNDED}}},
	{.name = "no index, inserts and updates", .contents = A0 | B1,
		.starts = FROM(ABSENT) | FROM(LIVE), .nwriters = 2, .nops = 2,
	.no_deletes = true, .bounds = {{2, UNBOUNDED}}},
	{.name = "no index, updates and deletes", .contents = B0 | B1,
		.starts = FROM(LIVE), .nwriters = 2, .nops = 2,
	.no_inserts = true, .bounds = {{2, UNBOUNDED}}},
};
const int	nscenarios = sizeof(scenarios) / sizeof(scenarios[0]);
