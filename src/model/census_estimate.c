/*
 * census_estimate.c
 *	  How many entities are in the gaps that a census has not looked into.
 *
 * A gap within a partition is estimated from the density of row keys beside it.
 * One between partitions from runs: the partitions read without a gap between
 * them, but for the first, from whose start the next one's distance counts;
 * several runs are pooled where partitions are large.  The error is that of
 * leaving out an eighth of the runs in turn, of partitions that differ in size,
 * of neighbours that disagree, and of gaps that shrank or grew whenever they
 * were looked into.  Easy to break: where a run ends must not depend on what is
 * counted, so that its last partition counts, however large.
 */
#include "census_int.h"

#include <math.h>
#include <string.h>

/* Runs are pooled on each side until they have so many partitions ... */
#define POOL_PARTITIONS 48

/* ... and at most so many of them. */
#define POOL_RUNS 12

/* Densities that differ by more are not averaged. */
#define STEEP 3

/* A partition is not taken to go on for more than so many times what was seen. */
#define FAR_ROWS 4

/* So many cases say what is usual. */
#define FEW 4

/* A run may be used when no more than this part of it is a guess ... */
#define GUESSED_PART 0.3

/* ... and more than this is worth a request. */
#define GUESSED_TASK 0.1

/* With so many stretches no more is spent on a run. */
#define RUN_STRETCHES 12

/* Groups that are left out in turn. */
#define GROUPS 8

/* Rows on a length of key space, beside a gap; length 0: not known. */
typedef struct side
{
	double		rows;
	double		length;
} side;

/*
 * Rows of the gap, from what is beside it.  Where densities differ much they
 * are taken to fall with a power of the distance from the denser side, for a
 * density measured on a short stretch says little about a long one.
 */
static void
fill_gap(node *gap, double length, side left, side right)
{
	double		before = left.length > 0 ? left.rows / left.length : -1;
	double		behind = right.length > 0 ? right.rows / right.length : -1;
	bool		from_left = before >= behind;
	side		dense = from_left ? left : right;
	side		sparse = from_left ? right : left;
	double		high = fmax(before, behind);
	double		low = fmin(before, behind);
	double		power;
	double		at = 0.5;

	gap->rows = length * (before < 0 ? behind : behind < 0 ? before :
						  (before + behind) / 2);
	gap->error = gap->rows / 2;
	if (low >= 0)
		gap->error = length * (high - low) / 2;
	gap->rough = low >= 0 && high > STEEP * low && dense.length < length;
	if (gap->rough)
	{
		double		ratio = length / dense.length;
		double		falling;
		double		reaching;

		low = fmax(low, high / ratio);
		reaching = length * (high - low) / log(high / low);
		low = fmax(fmin(before, behind), 1 / fmax(sparse.length, length));
		power = log(high / low) / log(ratio);
		falling = high * dense.length *
			(fabs(power - 1) < 1e-6 ? log(ratio) :
			 (pow(ratio, 1 - power) - 1) / (1 - power));
		falling = fmin(falling, reaching);
		gap->rows = sparse.rows > 0 ? sqrt(falling * reaching) : reaching;
		gap->error = fmax(gap->rows / 2, (reaching - falling) / 2);
		at = sqrt(1 / ratio);
	}
	gap->look_at = from_left ? at : 1 - at;
}

/* What is left of a partition whose end is not known. */
static void
guess_rest(const tmodel_census *census, node *gap, const tmodel_known *left,
		   double mean)
{
	int			full = fills_page(census, left) ? 1 : 0;

	if (gap->followed)
		gap->rows = fmax(mean, 2 * left->rows);
	else if (census->nfollowed[full] >= FEW)
		gap->rows = (census->found[full] + census->nmore[full] *
					 fmax(mean - 2 * left->rows, 0)) /
			census->nfollowed[full];
	else if (full)
		gap->rows = 2 * left->rows;
	else
		gap->rows = mean > 0 ? fmax(mean - left->rows_last, mean / 2) :
			left->rows_last;
	gap->error = gap->rows;
	gap->look_at = 0.5;
	gap->rough = gap->to.len > 0 || gap->followed || full;
}

/*
 * A gap within a partition, of which "had" rows are known or estimated before
 * it; "mean" rows have partitions, 0: not known.
 */
static void
estimate_rest(tmodel_census *census, node *gap, double mean, double had)
{
	tmodel_space *space = &census->space[0];
	const tmodel_known *left = gap->prev->known;
	const tmodel_known *right = gap->next != NULL && gap->next->known != NULL &&
	gap->next->known->asked_from.len > 0 ? gap->next->known : NULL;
	tmodel_span end = right != NULL ? right->last.row_key : gap->to;
	double		length;
	side		before = {0};
	side		behind = {0};
	size_t		skip;

	if (gap->to.len == 0)
	{
		guess_rest(census, gap, left, mean);
		gap->weight = gap->rows;
		return;
	}
	if (right == NULL && gap->empty_to.len > 0)
		end = gap->empty_to;
	skip = tmodel_space_common(gap->from, end);
	if (left->last_from.data != NULL)
	{
		size_t		more = tmodel_space_common(left->last_from, end);

		if (more < skip)
			skip = more;
	}
	length = tmodel_space_at(space, skip, gap->to) -
		tmodel_space_at(space, skip, gap->from);
	if (left->last_from.data != NULL)
		before = (side)
	{
		left->rows_last - 1,
			tmodel_space_at(space, skip, gap->from) -
			tmodel_space_at(space, skip, left->last_from)
	};
	if (right != NULL || gap->empty_to.len > 0)
		behind = (side)
	{
		right != NULL ? right->rows : 0,
			tmodel_space_at(space, skip, end) -
			tmodel_space_at(space, skip, gap->to)
	};
	if (length <= 0 || (before.length <= 0 && behind.length <= 0))
		guess_rest(census, gap, left, mean);
	else
		fill_gap(gap, length, before, behind);
	/* rows seen on a short stretch say little about how far they go */
	gap->weight = gap->rows;
	if (right == NULL && gap->rows > fmax(mean, FAR_ROWS * had))
	{
		gap->rows = fmax(mean, FAR_ROWS * had);
		gap->error = gap->rows;
		gap->rough = true;
	}
}

static void
add_known(census_run *run, const tmodel_known *known)
{
	bool		goes_on = run->partitions > 0 &&
	tmodel_span_equal(run->last, known->first.partition_key);

	if (run->partitions == 0)
	{
		run->first = known->first.partition_key;
		run->rows_first = known->partitions > 1 ? known->rows_first : 0;
	}
	run->partitions += known->partitions - (goes_on ? 1 : 0);
	run->rows += known->rows;
	if (run->partitions == 1)
		run->rows_first += known->rows;
	run->rows_now = goes_on && known->partitions == 1 ?
		run->rows_now + known->rows : known->rows_last;
	run->last = known->last.partition_key;
}

/* Partitions and rows of all runs, and gaps within partitions. */
static void
end_run(tmodel_census *census, census_run *run, node *between)
{
	if (run->urgent < GUESSED_TASK * (run->rows - run->rows_first) ||
		run->stretches > RUN_STRETCHES)
		run->task = NULL;
	if (run->partitions < 2)
		run->task = between;
	if (census->nruns < census->room)
		census->runs[census->nruns] = *run;
	census->nruns++;
	memset(run, 0, sizeof(*run));
}

static void
find_runs(tmodel_census *census, double mean)
{
	census_run	now = {.partitions = 0};

	census->nruns = 0;
	for (node *at = census->head; at != NULL; at = at->next)
	{
		if (at->known != NULL)
		{
			add_known(&now, at->known);
			now.stretches++;
		}
		else if (at->one)
		{
			estimate_rest(census, at, mean, now.rows_now);
			now.rows_now += at->rows;
			now.rows += at->rows;
			if (now.partitions == 1)
				now.rows_first += at->rows;
			else
				now.unsure += at->error;
			if (now.partitions > 1 && at->error > now.urgent)
			{
				now.urgent = at->error;
				now.task = at;
			}
		}
		if (at->next == NULL || (at->known == NULL && !at->one))
			end_run(census, &now, at->known == NULL && !at->one ? at : NULL);
	}
}

/* Rows and partitions of pooled runs. */
typedef struct pooled
{
	double		rows;
	double		partitions;
	double		length;
} pooled;

static bool
is_of_use(const census_run *run, int i, int without)
{
	return run->partitions > 1 &&
		run->unsure <= GUESSED_PART * (run->rows - run->rows_first) &&
		(without < 0 || i % GROUPS != without);
}

/* The farthest run that belongs to the pool on this side of a gap; -1: none. */
static int
pool_reach(const tmodel_census *census, int from, int step, int without)
{
	double		partitions = 0;
	int			reach = -1;
	int			n = 0;

	for (int i = from; i >= 0 && i < census->nruns && n < POOL_RUNS &&
		 partitions < POOL_PARTITIONS; i += step)
	{
		if (!is_of_use(&census->runs[i], i, without))
			continue;
		partitions += census->runs[i].partitions - 1;
		reach = i;
		n++;
	}
	return reach;
}

static void
fill_pool(tmodel_census *census, int from, int to, int without, size_t skip,
		  pooled *pool)
{
	int			step = from <= to ? 1 : -1;

	memset(pool, 0, sizeof(*pool));
	if (to < 0)
		return;
	for (int i = from; i != to + step; i += step)
	{
		const census_run *run = &census->runs[i];

		if (!is_of_use(run, i, without))
			continue;
		pool->rows += run->rows - run->rows_first;
		pool->partitions += run->partitions - 1;
		pool->length +=
			tmodel_space_at(&census->space[1], skip, run->last) -
			tmodel_space_at(&census->space[1], skip, run->first);
	}
}

/*
 * Where partitions on both sides are known, few of them pooled: as many as the
 * way from one to the other holds, but for that other.
 */
static void
refine_between(tmodel_census *census, node *gap, size_t skip, double length,
			   const pooled *left, const pooled *right)
{
	double		partitions = left->partitions + right->partitions;
	double		rows = left->rows + right->rows;
	const node *next = gap->next;

	if (gap->rough || left->rows <= 0 || right->rows <= 0)
		return;
	if (fmin(left->partitions, right->partitions) < POOL_PARTITIONS)
	{
		gap->rows = length * rows / (left->length + right->length);
		gap->error = gap->rows / sqrt(partitions);
	}
	if (next == NULL || next->known == NULL || gap->empty_to.len > 0)
		return;
	gap->rows *= (tmodel_space_at(&census->space[1], skip,
								  next->known->first.partition_key) -
				  tmodel_space_at(&census->space[1], skip, gap->from)) / length;
	gap->rows = fmax(gap->rows - rows / partitions, 0);
}

/* A gap between partitions, behind the run i. */
static void
estimate_between(tmodel_census *census, node *gap, int i, int without)
{
	tmodel_space *space = &census->space[1];
	int			first = pool_reach(census, i, -1, without);
	int			last = pool_reach(census, i + 1, 1, without);
	tmodel_span begin = first >= 0 ? census->runs[first].first : gap->from;
	tmodel_span end = last >= 0 ? census->runs[last].last : gap->to;
	size_t		skip;
	double		length;
	pooled		left;
	pooled		right;

	if (last < 0 && gap->empty_to.len > 0)
		end = gap->empty_to;
	skip = end.len > 0 ? tmodel_space_common(begin, end) : 0;
	length = (gap->to.len > 0 ?
						  tmodel_space_at(space, skip, gap->to) : 1) -
		tmodel_space_at(space, skip, gap->from);
	fill_pool(census, i, first, without, skip, &left);
	fill_pool(census, i + 1, last, without, skip, &right);
	if (gap->empty_to.len > 0)
		right.length += tmodel_space_at(space, skip, gap->empty_to) -
			tmodel_space_at(space, skip, gap->to);
	if (length <= 0 || left.length + right.length <= 0)
	{
		/* nothing is known: as much as beside it */
		gap->rows = census->runs[i].rows;
		gap->error = gap->rows;
		gap->look_at = 0.5;
		gap->rough = true;
		return;
	}
	fill_gap(gap, length, (side) {left.rows, left.length},
			 (side) {right.rows, right.length});
	refine_between(census, gap, skip, length, &left, &right);
}

/* All gaps between partitions, without one group of runs; *square of errors. */
static double
between_partitions(tmodel_census *census, int without, double *square)
{
	double		rows = 0;
	int			i = 0;

	*square = 0;
	for (node *at = census->head; at != NULL; at = at->next)
	{
		if (at->known != NULL || at->one)
			continue;
		if (without < 0 || !at->rough)
			estimate_between(census, at, i, without);
		at->weight = at->rows;
		i++;
		rows += at->rows;
		if (!at->rough)
			*square += at->error * at->error;
	}
	return rows;
}

/* Mean size of partitions in runs, as far as it is known; 0: not. */
static double
mean_partition(const tmodel_census *census)
{
	double		rows = 0;
	double		partitions = 0;

	for (int i = 0; i < census->nruns; i++)
		if (is_of_use(&census->runs[i], i, -1))
		{
			rows += census->runs[i].rows - census->runs[i].rows_first;
			partitions += census->runs[i].partitions - 1;
		}
	return partitions > 0 ? rows / partitions : 0;
}

/* The runs as they are now; the room for them grows. */
static void
refresh_runs(tmodel_census *census)
{
	double		mean = mean_partition(census);

	find_runs(census, mean);
	if (census->nruns <= census->room)
		return;
	census->room = census->nruns * 2 + 16;
	census->runs = tmodel_alloc(census->arena, sizeof(census_run) * (size_t) census->room);
	if (census->runs == NULL)
		census->room = 0;
	find_runs(census, mean);
	if (census->nruns > census->room)
		census->nruns = census->room;
}

/* The square of the error that leaving out groups of runs shows. */
static double
jackknife(tmodel_census *census)
{
	double		sum = 0;
	double		squares = 0;
	double		ignored;

	for (int group = 0; group < GROUPS; group++)
	{
		double		rows = between_partitions(census, group, &ignored);

		sum += rows;
		squares += rows * rows;
	}
	return (squares - sum * sum / GROUPS) * (GROUPS - 1) / GROUPS;
}

/*
 * The square of the error that partitions of different sizes make: those not
 * seen differ as much as runs did.
 */
static double
uneven_sizes(const tmodel_census *census)
{
	double		mean = mean_partition(census);
	double		partitions = 0;
	double		squares = 0;
	double		unseen;

	for (int i = 0; i < census->nruns; i++)
	{
		const census_run *run = &census->runs[i];
		double		more = run->partitions - 1;
		double		off = run->rows - run->rows_first - mean * more;

		if (!is_of_use(run, i, -1))
			continue;
		partitions += more;
		squares += off * off;
	}
	if (mean <= 0)
		return 0;
	unseen = census->between / mean;
	return squares / partitions * unseen * (1 + unseen / partitions);
}

/* Half of each gap goes to each side; of the last one all to the left. */
static void
share_out(tmodel_census *census)
{
	node	   *last = NULL;	/* stretch */

	for (node *at = census->head; at != NULL; at = at->next)
		if (at->known != NULL)
			at->known->stands_for = at->known->rows;
	for (node *at = census->head; at != NULL; at = at->next)
	{
		node	   *next = at->next;
		double		rows = at->rows;

		if (at->known != NULL)
		{
			last = at;
			continue;
		}
		while (next != NULL && next->known == NULL)
			next = next->next;
		if (next != NULL && (!at->one || next == at->next))
		{
			next->known->stands_for += rows / 2;
			rows /= 2;
		}
		last->known->stands_for += rows;
	}
}

void
tmodel_census_refresh(tmodel_census *census)
{
	double		square;

	refresh_runs(census);
	census->between = between_partitions(census, -1, &square);
}

void
tmodel_census_estimate(tmodel_census *census, tmodel_estimate *estimate)
{
	double		square;
	double		spread;
	double		drift;
	double		bias = 0;		/* rough estimates may all be wrong alike */

	refresh_runs(census);
	(void) between_partitions(census, -1, &square);
	spread = jackknife(census);
	census->between = between_partitions(census, -1, &square);
	estimate->seen = 0;
	estimate->rows = 0;
	for (node *at = census->head; at != NULL; at = at->next)
		if (at->known != NULL)
			estimate->seen += at->known->rows;
		else
		{
			estimate->rows += at->rows;
			if (at->rough)
				bias += at->error;
			else if (at->one)
				square += at->error * at->error;
		}
	estimate->rows += estimate->seen;
	/* gaps that shrink whenever they are looked into will shrink further */
	drift = census->looks > 0 ?
		(estimate->rows - estimate->seen) * census->changed / census->looks : 0;
	estimate->error = sqrt(square + drift * drift + bias * bias +
						   fmax(fmax(spread, 0), uneven_sizes(census)));
	share_out(census);
}

double
tmodel_census_stands_for(const tmodel_census *census,
						 const tmodel_known *known)
{
	return known != NULL ? known->stands_for :
		census->head->known->stands_for;
}

