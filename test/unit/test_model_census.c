/*
 * test_model_census.c
 *	  A census of tables in memory: how near it comes, and whether it knows.
 *
 * A table is two functions, how many rows a partition has and what the keys
 * look like; what a page holds is found by search.  With CENSUS_TABLE set the
 * test prints estimate, error and truth for each layout and several seeds.
 */
#include "model/census.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

/* The service's pages, and how many are read at first and in all. */
#define PAGE_MAX 1000
#define PREFIX 64
#define REQUESTS 300

typedef struct pair
{
	char		partition[24];
	char		row[24];
} pair;

typedef struct table
{
	pair	   *rows;
	size_t		n;
	size_t		room;
} table;

static int	page = 100;

static uint64_t
hash(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

static void
add(table *t, const char *partition, const char *row)
{
	if (t->n == t->room)
	{
		t->room = t->room * 2 + 1024;
		t->rows = realloc(t->rows, t->room * sizeof(pair));
	}
	snprintf(t->rows[t->n].partition, sizeof(t->rows->partition), "%s",
			 partition);
	snprintf(t->rows[t->n++].row, sizeof(t->rows->row), "%s", row);
}

static int
compare(const void *a, const void *b)
{
	int			order = strcmp(((const pair *) a)->partition,
							   ((const pair *) b)->partition);

	return order != 0 ? order :
		strcmp(((const pair *) a)->row, ((const pair *) b)->row);
}

/* How keys are made of numbers. */
static void
key(char *text, size_t size, const char *kind, uint64_t i)
{
	static const char *const parts[] = {
		"an", "ber", "ca", "da", "el", "son", "ton", "ski", "mar", "in", "o",
		"ville", "sen", "la", "ri", "x"
	};

	static const char *const last[] = {
		"Smith", "Miller", "Jones", "Brown", "Garcia", "Davis", "Lopez", "Moore"
	};
	static const char *const first[] = {
		"Anna", "Ben", "Carl", "Dora", "Emil", "Fay", "Gus"
	};

	if (strcmp(kind, "hash") == 0)
		snprintf(text, size, "%016" PRIx64, hash(i));
	else if (strcmp(kind, "name") == 0)
	{
		uint64_t	h = hash(i);
		int			n = 0;

		/* some syllables are much commoner than others */
		for (int j = 0; j < 4; j++, h >>= 8)
			n += snprintf(text + n, size - (size_t) n, "%s",
						  parts[((h & 15) * ((h >> 4) & 15)) / 16]);
		snprintf(text + n, size - (size_t) n, "%d", (int) (i % 1000));
	}
	else if (strcmp(kind, "person") == 0)
		snprintf(text, size, "%s, %s %02x", last[i % 8], first[i / 8 % 7],
				 (unsigned) (i / 56 % 256));
	else if (strcmp(kind, "town") == 0)
		snprintf(text, size, i == 0 ? "huge" : "Town %d", (int) i);
	else if (strcmp(kind, "bare") == 0)
		snprintf(text, size, "%" PRIu64, i);
	else
		snprintf(text, size, "%s%08" PRIu64, kind, i);
}

static void
fill(table *t, const char *partition_kind, const char *row_kind, size_t total,
	 double (*size_of) (uint64_t))
{
	pair		p;

	memset(t, 0, sizeof(*t));
	for (uint64_t i = 0; t->n < total; i++)
	{
		uint64_t	size = (uint64_t) size_of(i);

		key(p.partition, sizeof(p.partition), partition_kind, i);
		for (uint64_t j = 0; j < size && t->n < total; j++)
		{
			key(p.row, sizeof(p.row), row_kind, j);
			add(t, p.partition, p.row);
		}
	}
	qsort(t->rows, t->n, sizeof(pair), compare);
}

/* The first row not before (too: or at) the keys. */
static size_t
find(const table *t, const char *partition, const char *row, bool too)
{
	size_t		low = 0;
	size_t		high = t->n;

	while (low < high)
	{
		size_t		middle = (low + high) / 2;
		int			order = strcmp(t->rows[middle].partition, partition);

		if (order == 0)
			order = row != NULL ? strcmp(t->rows[middle].row, row) : 0;
		if (order < 0 || (order == 0 && !too))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool
answer(const table *t, const tmodel_ask *ask, tmodel_key_pair *keys, int *n)
{
	size_t		at;
	size_t		end = t->n;

	if (ask->one)
	{
		at = find(t, ask->partition.data, ask->from.data, ask->from_too);
		end = ask->to.len > 0 ?
			find(t, ask->partition.data, ask->to.data, true) :
			find(t, ask->partition.data, NULL, false);
	}
	else
	{
		at = find(t, ask->from.data, NULL, ask->from_too);
		if (ask->to.len > 0)
			end = find(t, ask->to.data, NULL, true);
	}
	for (*n = 0; *n < page && at < end; at++, (*n)++)
		keys[*n] = (tmodel_key_pair)
	{
		tmodel_span_of(t->rows[at].partition),
			tmodel_span_of(t->rows[at].row)
	};
	return at < end;
}

static int
take_census(const table *t, uint64_t seed, int in_flight,
			tmodel_estimate *estimate)
{
	static tmodel_key_pair keys[PAGE_MAX];
	tmodel_ask	asks[8];
	tmodel_arena arena;
	tmodel_census *census;
	int			requests = PREFIX;

	tmodel_arena_init(&arena, &tmodel_malloc);
	census = tmodel_census_new(&arena, seed, page);
	for (size_t i = 0; i < (size_t) (PREFIX * page); i++)
	{
		keys[0] = (tmodel_key_pair)
		{
			tmodel_span_of(t->rows[i].partition),
				tmodel_span_of(t->rows[i].row)
		};
		tmodel_census_first(census, &keys[0]);
	}
	tmodel_census_begin(census, &keys[0]);
	while (requests < REQUESTS)
	{
		int			n = 0;

		while (n < in_flight && requests + n < REQUESTS &&
			   tmodel_census_next(census, &asks[n]))
			n++;
		if (n == 0)
			break;
		requests += n;
		for (int i = 0; i < n; i++)
		{
			int			got;
			bool		more = answer(t, &asks[i], keys, &got);

			(void) tmodel_census_take(census, &asks[i], got, keys, more);
		}
	}
	tmodel_census_estimate(census, estimate);
	tmodel_arena_reset(&arena);
	return requests;
}

/* ---- layouts ---- */

static double
one_size(uint64_t i)
{
	(void) i;
	return 1e9;
}

static double
single(uint64_t i)
{
	(void) i;
	return 1;
}

static double
ten(uint64_t i)
{
	(void) i;
	return 10;
}

static double
thousand(uint64_t i)
{
	(void) i;
	return 1000;
}

static double
myriad(uint64_t i)
{
	(void) i;
	return 20000;
}

static double
uneven(uint64_t i)
{
	return 1 + (double) (hash(i) % 200);
}

static double
seventy(uint64_t i)
{
	(void) i;
	return 69;
}

static double
town(uint64_t i)
{
	return i == 0 ? 300000 : 350;
}

static double
zipf(uint64_t i)
{
	return ceil(133000.0 / (double) (i + 1));
}

static double
skewed(uint64_t i)
{
	return i == 777 ? 300000 : 7;
}


typedef struct layout
{
	const char *name;
	const char *partitions;
	const char *rows;
	double		(*size) (uint64_t);
} layout;

static const layout layouts[] = {
	{"one partition, numbered", "p", "row", one_size},
	{"one partition, numbers not padded", "p", "bare", one_size},
	{"one partition, hashed", "p", "hash", one_size},
	{"one partition, names", "p", "name", one_size},
	{"partitions of 1 row, numbered", "p", "r", single},
	{"partitions of 1 row, hashed", "hash", "r", single},
	{"partitions of 1 row, names", "name", "r", single},
	{"partitions of 10 rows, hashed", "hash", "r", ten},
	{"partitions of 1 to 200 rows, hashed", "hash", "r", uneven},
	{"partitions of 1,000 rows, numbered", "p", "r", thousand},
	{"partitions of 1,000 rows, hashed", "hash", "hash", thousand},
	{"partitions of 20,000 rows, numbered", "p", "r", myriad},
	{"partitions of 20,000 rows, hashed", "hash", "hash", myriad},
	{"persons of 69 rows", "person", "r", seventy},
	{"towns of 350 rows, one of 300,000", "town", "bare", town},
	{"sizes by Zipf's law, hashed", "hash", "r", zipf},
	{"sizes by Zipf's law, largest first", "p", "r", zipf},
	/* the last one: where no page meets the large one nothing tells of it */
	{"of 7 rows, one of 300,000, hashed", "hash", "r", skewed}
};

#define NLAYOUTS ((int) (sizeof(layouts) / sizeof(layouts[0])))

static void
print_layout(const layout *l, const table *t)
{
	double		worst = 0;
	double		worst_sigma = 0;

	printf("| %s | %zu |", l->name, t->n);
	for (uint64_t seed = 1; seed <= 5; seed++)
	{
		tmodel_estimate e;
		int			requests = take_census(t, seed, 8, &e);
		double		off = e.rows / (double) t->n;

		printf(" %.2f ±%.2f%s", off, e.error / (double) t->n,
			   seed < 5 ? "," : "");
		worst = fmax(worst, fabs(off - 1));
		worst_sigma = fmax(worst_sigma,
						   fabs(e.rows - (double) t->n) / fmax(e.error, 1));
		if (seed == 5)
			printf(" | %d |", requests);
	}
	printf(" %.1f\n", worst_sigma);
	fflush(stdout);
}

/* An estimate is good, or says that it is not. */
UNIT_TEST(census_layouts)
{
	bool		print = getenv("CENSUS_TABLE") != NULL;

	page = print ? 1000 : 100;
	for (int i = 0; i < NLAYOUTS; i++)
	{
		const layout *l = &layouts[i];
		table		t;
		tmodel_estimate e;
		int			requests;

		fill(&t, l->partitions, l->rows, print ? 1000000 : 100000, l->size);
		if (print)
			print_layout(l, &t);
		requests = take_census(&t, 1, 8, &e);
		CHECK(requests <= REQUESTS);
		CHECK(e.seen <= e.rows);
		CHECK(e.error > 0.15 * e.rows || i == NLAYOUTS - 1 ||
			  fabs(e.rows / (double) t.n - 1) < 0.3);
		/* keys that are regular are no matter of luck */
		if (strcmp(l->partitions, "p") == 0 && l->size != zipf &&
			l->size != myriad && strcmp(l->rows, "name") != 0)
			CHECK(fabs(e.rows / (double) t.n - 1) < 0.1);
		free(t.rows);
	}
}

/* A table that is not much larger than what is read is known exactly. */
UNIT_TEST(census_of_everything)
{
	table		t;
	tmodel_estimate e;

	page = 100;
	fill(&t, "name", "r", 12000, uneven);
	(void) take_census(&t, 1, 8, &e);
	CHECK_INT((int64_t) (e.rows + 0.5), 12000);
	CHECK(e.error < 1);
	CHECK_INT((int64_t) e.seen, 12000);
	free(t.rows);
}

/* Keys beyond ASCII say nothing about where they lie: they are read in order. */
UNIT_TEST(census_beyond_ascii)
{
	table		t = {0};
	tmodel_estimate e;

	page = 100;
	for (int i = 0; i < 100000; i++)
	{
		pair		p;

		snprintf(p.partition, sizeof(p.partition), "\xc3\xa9%c%06d", 'a' + i % 3, i);
		snprintf(p.row, sizeof(p.row), "r");
		add(&t, p.partition, p.row);
	}
	qsort(t.rows, t.n, sizeof(pair), compare);
	(void) take_census(&t, 1, 8, &e);
	CHECK(e.error > 0.15 * e.rows || fabs(e.rows / (double) t.n - 1) < 0.3);
	free(t.rows);
}
