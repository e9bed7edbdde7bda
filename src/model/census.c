/*
 * census.c
 *	  Which page of a table to read next, to know how many entities it has.
 *
 * Adaptive: the gap that is taken to hold most is looked into next, between its
 * ends, so that pages go where rows are; before that, stretches that are not yet
 * of use for estimates (census_estimate.c) are read on.  What became of a gap
 * tells how good estimates are.  Called by exec/estimate.c.  Easy to break:
 * every answer must make a gap smaller, or asking never ends.
 */
#include "census_int.h"

#include <math.h>

/* How much of what was learnt from gaps before counts at the next one. */
#define MEMORY 0.97

/* So many partitions on a page, as a part of it, tell what keys look like. */
#define MANY_KEYS 0.1

/* A gap smaller than this part of a page is read rather than looked into. */
#define SMALL_GAP 0.8

/* While gaps like the largest are under way, no smaller than that is asked. */
#define WORTH_ASKING 0.1

/* An open end counts so much more. */
#define OPEN_WEIGHT 10

/* 0 <= ... < 1, by xorshift */
static double
random_share(tmodel_census *census)
{
	census->random ^= census->random << 13;
	census->random ^= census->random >> 7;
	census->random ^= census->random << 17;
	return (double) (census->random >> 11) / 9007199254740992.0;
}

static node *
add_behind(tmodel_census *census, node *behind)
{
	node	   *result = tmodel_alloc(census->arena, sizeof(node));

	if (result == NULL)
		return NULL;
	result->prev = behind;
	if (behind != NULL)
	{
		result->next = behind->next;
		behind->next = result;
	}
	if (result->next != NULL)
		result->next->prev = result;
	return result;
}

static void
drop(node *gone)
{
	gone->prev->next = gone->next;
	if (gone->next != NULL)
		gone->next->prev = gone->prev;
}

/* The gaps behind a stretch that goes on; "to" is the end of what was asked. */
static void
add_gaps(tmodel_census *census, node *stretch, bool one, tmodel_span to)
{
	const tmodel_known *known = stretch->known;
	node	   *rest = add_behind(census, stretch);
	node	   *others;

	if (rest == NULL)
		return;
	rest->one = true;
	rest->partition = known->last.partition_key;
	rest->from = known->last.row_key;
	rest->to = one ? to : (tmodel_span) {NULL, 0};
	if (one)
		return;
	others = add_behind(census, rest);
	if (others == NULL)
		return;
	others->from = known->last.partition_key;
	others->to = to;
}

static tmodel_key_pair
copy_pair(tmodel_arena *arena, const tmodel_key_pair *pair)
{
	return (tmodel_key_pair)
	{
		tmodel_span_copy(arena, pair->partition_key),
			tmodel_span_copy(arena, pair->row_key)
	};
}

tmodel_census *
tmodel_census_new(tmodel_arena *arena, uint64_t seed, int page)
{
	tmodel_census *census = tmodel_alloc(arena, sizeof(tmodel_census));

	if (census == NULL)
		return NULL;
	census->arena = arena;
	/* any but 0 */
	census->random = (seed + 1) * 0x9e3779b97f4a7c15u | 1;
	census->page = page;
	census->head = add_behind(census, NULL);
	if (census->head != NULL)
		census->head->known = tmodel_alloc(arena, sizeof(tmodel_known));
	return arena->failed ? NULL : census;
}

void
tmodel_census_first(tmodel_census *census, const tmodel_key_pair *key)
{
	tmodel_known *known = census->head->known;

	tmodel_space_note(&census->space[0], key->row_key, SIZE_MAX);
	if (known->rows == 0)
		known->first = copy_pair(census->arena, key);
	if (known->rows == 0 ||
		!tmodel_span_equal(key->partition_key, known->last.partition_key))
	{
		tmodel_space_note(&census->space[1], key->partition_key, SIZE_MAX);
		known->last = copy_pair(census->arena, key);
		known->last_from = known->last.row_key;
		known->partitions++;
		known->rows_last = 0;
	}
	known->rows++;
	known->rows_last++;
	if (known->partitions == 1)
		known->rows_first++;
}

void
tmodel_census_begin(tmodel_census *census, const tmodel_key_pair *last)
{
	census->head->known->last = copy_pair(census->arena, last);
	add_gaps(census, census->head, false, (tmodel_span) {NULL, 0});
}

/* What a page says about how keys look; ask: how it came to be read. */
static void
note_page(tmodel_census *census, const tmodel_ask *ask, int n,
		  const tmodel_key_pair *keys)
{
	bool		chance = ask->from_too;
	int			partitions = 0;

	/* a few keys behind one that was made up begin like it */
	for (int i = 1; i < n; i++)
		if (!tmodel_span_equal(keys[i].partition_key,
							   keys[i - 1].partition_key))
			partitions++;
	if (!ask->one && partitions < MANY_KEYS * census->page)
		chance = false;
	for (int i = 0; i < n; i++)
	{
		const tmodel_key_pair *last = &keys[i > 0 ? i - 1 : 0];
		tmodel_span row = i > 0 ? last->row_key : chance && ask->one ?
		ask->from : keys[i].row_key;
		tmodel_span partition = i > 0 ? last->partition_key :
		chance && !ask->one ? ask->from : keys[i].partition_key;

		tmodel_space_note(&census->space[0], keys[i].row_key,
						  chance && ask->one ?
						  tmodel_space_common(keys[i].row_key, row) :
						  SIZE_MAX);
		tmodel_space_note(&census->space[1], keys[i].partition_key,
						  chance && !ask->one &&
						  !tmodel_span_equal(keys[i].partition_key,
											 partition) ?
						  tmodel_space_common(keys[i].partition_key,
											  partition) : SIZE_MAX);
	}
}

/* How much a gap matters. */
static double
weight_of(const tmodel_census *census, const node *gap)
{
	/* where a large partition ends must be known */
	bool		large = gap->one && gap->to.len == 0 && !gap->endless &&
	(gap->followed || fills_page(census, gap->prev->known));

	return large ? gap->weight * OPEN_WEIGHT : gap->weight;
}

static void
ask_gap(tmodel_census *census, node *gap, const census_run *before, tmodel_ask *ask)
{
	tmodel_space *space = &census->space[gap->one ? 0 : 1];
	bool		next = gap->one ? !gap->followed && gap->to.len == 0 :
	before->partitions < 2;
	double		look = 0.5 + random_share(census);

	gap->asked = true;
	gap->expected = gap->rows;
	ask->gap = gap;
	ask->one = gap->one;
	ask->partition = gap->partition;
	ask->to = gap->to;
	ask->from = gap->from;
	ask->from_too = false;
	if (next || gap->rows < SMALL_GAP * census->page)
		return;
	if (gap->to.len == 0 && !gap->endless)
	{
		gap->endless = true;
		ask->from_too = tmodel_space_end(space, census->arena, gap->from,
										 &ask->from);
		if (ask->from_too)
			return;
	}
	ask->from_too =
		tmodel_space_between(space, census->arena, gap->from, gap->to,
							 gap->look_at <= 0.5 ? gap->look_at * look :
							 1 - (1 - gap->look_at) * look, &ask->from);
	if (!ask->from_too)
		ask->from = gap->from;
}

/* A run that a request would make of use: it comes before new ones. */
static bool
ask_run(tmodel_census *census, tmodel_ask *ask)
{
	if (census->between <= 0)
		return false;
	for (int i = 0; i < census->nruns; i++)
		if (census->runs[i].task != NULL && !census->runs[i].task->asked)
		{
			ask_gap(census, census->runs[i].task, &census->runs[i], ask);
			return true;
		}
	return false;
}

bool
tmodel_census_next(tmodel_census *census, tmodel_ask *ask)
{
	double		most = 0;
	double		best_weight = 0;
	node	   *best = NULL;
	int			best_run = 0;
	int			i = 0;

	tmodel_census_refresh(census);
	if (ask_run(census, ask))
		return true;
	for (node *at = census->head; at != NULL; at = at->next)
	{
		double		weight;

		if (at->known != NULL)
			continue;
		weight = weight_of(census, at);
		most = fmax(most, weight);
		if (!at->asked && (best == NULL || weight > best_weight))
		{
			best = at;
			best_weight = weight;
			best_run = i;
		}
		if (!at->one)
			i++;
	}
	if (best == NULL || best_weight < most * WORTH_ASKING ||
		census->nruns == 0)
		return false;
	ask_gap(census, best, &census->runs[best_run], ask);
	return true;
}

static tmodel_known *
known_of(tmodel_census *census, const tmodel_ask *ask, int n,
		 const tmodel_key_pair *keys)
{
	tmodel_arena *arena = census->arena;
	tmodel_known *known = tmodel_alloc(arena, sizeof(tmodel_known));
	int			first = 0;		/* where the first partition ends */
	int			last = n - 1;	/* where the last one begins */

	if (known == NULL)
		return NULL;
	known->partitions = 1;
	for (int i = 1; i < n; i++)
		if (!tmodel_span_equal(keys[i].partition_key,
							   keys[i - 1].partition_key))
			known->partitions++;
	while (last > 0 && tmodel_span_equal(keys[last - 1].partition_key,
										 keys[last].partition_key))
		last--;
	known->first = copy_pair(arena, &keys[0]);
	known->last = copy_pair(arena, &keys[n - 1]);
	known->last_from = tmodel_span_copy(arena, keys[last].row_key);
	known->rows = n;
	known->rows_last = n - last;
	while (first < n && tmodel_span_equal(keys[first].partition_key,
										  keys[0].partition_key))
		first++;
	known->rows_first = first;
	if (ask->one && ask->from_too)
		known->asked_from = ask->from;
	return known;
}

/* What became of a gap that held "expected" rows by estimate. */
static void
compare(tmodel_census *census, double expected, const node *from,
		const node *to)
{
	double		rows = 0;

	tmodel_census_refresh(census);
	for (const node *at = from; at != to; at = at->next)
		rows += at->known != NULL ? at->known->rows : at->rows;
	census->looks = census->looks * MEMORY + 1;
	census->changed = census->changed * MEMORY +
		(rows - expected) / fmax(fmax(rows, expected), 1);
}

tmodel_known *
tmodel_census_take(tmodel_census *census, const tmodel_ask *ask, int n,
				   const tmodel_key_pair *keys, bool more)
{
	node	   *gap = ask->gap;
	tmodel_span to = gap->to;
	node	   *stretch = NULL;
	node	   *before = gap->prev;
	node	   *behind = gap->next;
	bool		tells = gap->to.len > 0;
	int			full = before->known != NULL &&
	fills_page(census, before->known) ? 1 : 0;
	double		expected = gap->expected;

	gap->asked = false;
	note_page(census, ask, n, keys);
	if (n > 0)
	{
		stretch = add_behind(census, gap);
		if (stretch == NULL)
			return NULL;
		stretch->known = known_of(census, ask, n, keys);
		if (stretch->known == NULL)
		{
			drop(stretch);
			return NULL;
		}
		if (more)
			add_gaps(census, stretch, gap->one, to);
		if (more && ask->one && stretch->next != NULL)
		{
			stretch->next->followed = true;
			/* the tail that was looked for has keys */
			stretch->next->endless = false;
		}
	}
	/* before what was asked for */
	if (ask->from_too)
	{
		if (n > 0)
			gap->empty_to = (tmodel_span) {NULL, 0};
		else if (gap->empty_to.len == 0)
			gap->empty_to = gap->to;
		gap->to = ask->from;
	}
	else
		drop(gap);
	if (gap->one && !gap->followed)
	{
		census->nfollowed[full]++;
		census->found[full] += n;
		census->nmore[full] += more;
	}
	gap->followed = true;
	if (tells)
		compare(census, expected, before->next, behind);
	return stretch != NULL ? stretch->known : NULL;
}
