/*
 * sample.c
 *	  A sample of a table's rows, and the counting of all keys of a large one.
 *
 * Where an estimate will not do (analyze.c), every page is asked for, but most
 * of them for keys only, and several stretches of keys at a time: whenever fewer
 * than max_connections are under way, one is cut at a key between its ends.  The
 * rows of one page in four are candidates for the sample.  Easy to break: the
 * stretches made of one must be disjoint and together what is left of it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "common/pg_prng.h"
#include "utils/memutils.h"
#include "utils/sampling.h"

#include "compat.h"
#include "exec/key_cut.h"
#include "exec/sample.h"
#include "model/filter.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"

/* One page in so many is read whole. */
#define WHOLE_SHARE 4

/* A cut may turn out to leave nothing on one side, which costs a request. */
#define MAX_CUTS 24

typedef struct sampledRow
{
	double		rank;			/* random; the highest stay */
	HeapTuple	tuple;
} sampledRow;

struct itableSample
{
	Relation	relation;
	const itableTable *table;
	HeapTuple  *rows;
	double	   *ranks;			/* of rows; a heap, the lowest first */
	int			target;
	int			n;
	double		total;
	pg_prng_state random;
	tmodel_arena *arena;
	MemoryContext context;		/* of the rows */
	MemoryContext scratch;
	/* what keys look like: of row keys [0] and partition keys [1] */
	itableKeyShape shape[2];
};

/* Keys not yet read, of one partition or of several, and the page on its way. */
typedef struct stretch
{
	bool		one;
	tmodel_span partition;		/* one */
	tmodel_span from;			/* a key of the one partition, or a partition */
	bool		from_too;		/* from itself is in it */
	tmodel_span to;				/* before it; empty: the end */
	tstore_request *request;
	bool		whole;			/* the page brings all columns */
} stretch;

/* The reading of a table's rest. */
typedef struct rest
{
	itableSample *sample;
	tmodel_arena *arena;
	itableCalls *calls;
	itableCounts *counts;
	int			cuts;
	int			n;
	int			room;
	stretch    *list;
} rest;

itableSample *
itable_sample(Relation relation, const itableTable *table, HeapTuple *rows,
			  int target)
{
	itableSample *sample = palloc0(sizeof(itableSample));

	sample->relation = relation;
	sample->table = table;
	sample->rows = rows;
	sample->target = target;
	sample->ranks = palloc(sizeof(double) * (target + 1));
	sampler_random_init_state(pg_prng_uint32(&pg_global_prng_state),
							  &sample->random);
	sample->arena = itable_arena(CurrentMemoryContext);
	sample->context = CurrentMemoryContext;
	sample->scratch = AllocSetContextCreate(CurrentMemoryContext,
											"itable_fdw sample row",
											ALLOCSET_DEFAULT_SIZES);
	return sample;
}

HeapTuple
itable_sample_form(itableSample *sample, const tmodel_entity *entity)
{
	MemoryContext old = MemoryContextSwitchTo(sample->scratch);
	int			n = sample->table->natts;
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));
	bool	   *isnull = palloc(sizeof(bool) * (n + 1));
	HeapTuple	tuple;

	itable_entity_to_row(sample->arena, sample->table, entity, NULL, values,
						 isnull);
	tuple = heap_form_tuple(RelationGetDescr(sample->relation), values, isnull);
	MemoryContextSwitchTo(sample->context);
	tuple = heap_copytuple(tuple);
	MemoryContextSwitchTo(old);
	MemoryContextReset(sample->scratch);
	tmodel_arena_reset(sample->arena);
	return tuple;
}

static void
put(itableSample *sample, int at, double rank, HeapTuple tuple)
{
	sample->ranks[at] = rank;
	sample->rows[at] = tuple;
}

/* Puts a row into the heap's place "at", which is free, or above it. */
static void
sift_up(itableSample *sample, int at, double rank, HeapTuple tuple)
{
	while (at > 0 && sample->ranks[(at - 1) / 2] > rank)
	{
		put(sample, at, sample->ranks[(at - 1) / 2],
			sample->rows[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	put(sample, at, rank, tuple);
}

/* Puts a row into the heap's first place, which is free, or below it. */
static void
sift_down(itableSample *sample, double rank, HeapTuple tuple)
{
	int			at = 0;

	for (;;)
	{
		int			child = 2 * at + 1;

		if (child + 1 < sample->n &&
			sample->ranks[child + 1] < sample->ranks[child])
			child++;
		if (child >= sample->n || sample->ranks[child] >= rank)
			break;
		put(sample, at, sample->ranks[child], sample->rows[child]);
		at = child;
	}
	put(sample, at, rank, tuple);
}

void
itable_sample_add(itableSample *sample, const tmodel_entity *entity)
{
	double		rank = sampler_random_fract(&sample->random);

	itable_key_note(&sample->shape[0], entity->row_key);
	itable_key_note(&sample->shape[1], entity->partition_key);
	if (sample->n < sample->target)
	{
		sift_up(sample, sample->n, rank, itable_sample_form(sample, entity));
		sample->n++;
	}
	else if (rank > sample->ranks[0])
	{
		heap_freetuple(sample->rows[0]);
		sift_down(sample, rank, itable_sample_form(sample, entity));
	}
}

void
itable_sample_put(itableSample *sample, HeapTuple row)
{
	Assert(sample->n < sample->target);
	sift_up(sample, sample->n++, sampler_random_fract(&sample->random), row);
}

HeapTuple
itable_sample_copy(const itableSample *sample, int i)
{
	MemoryContext old = MemoryContextSwitchTo(sample->context);
	HeapTuple	copy = heap_copytuple(sample->rows[i]);

	MemoryContextSwitchTo(old);
	return copy;
}

int
itable_sample_take(itableSample *sample, HeapTuple *rows)
{
	int			n = sample->n;

	memcpy(rows, sample->rows, sizeof(HeapTuple) * n);
	sample->n = 0;
	return n;
}

int
itable_sample_size(const itableSample *sample)
{
	return sample->n;
}

double
itable_sample_total(const itableSample *sample)
{
	return sample->total;
}

/* Rows read so far become as likely to be in the sample as those to come. */
static void
thin_out(itableSample *sample)
{
	int			n = sample->n;

	sample->n = 0;
	for (int i = 0; i < n; i++)
	{
		if (sampler_random_fract(&sample->random) < 1.0 / WHOLE_SHARE)
			sift_up(sample, sample->n++, sample->ranks[i], sample->rows[i]);
		else
			heap_freetuple(sample->rows[i]);
	}
}

void
itable_sample_count(itableSample *sample, double rows)
{
	sample->total += rows;
}

/* ---- stretches ---- */

static tmodel_filter *
and_compare(tmodel_arena *arena, tmodel_filter *filter, tmodel_span name,
			tmodel_compare op, tmodel_span key)
{
	tmodel_value value = tmodel_string(key);

	return tmodel_filter_and(arena, filter,
							 tmodel_filter_compare(arena, name, op, &value));
}

static tmodel_span
filter_text(tmodel_arena *arena, const stretch *asked)
{
	tmodel_span partition = TMODEL_SPAN("PartitionKey");
	tmodel_span name = asked->one ? TMODEL_SPAN("RowKey") : partition;
	tmodel_filter *filter = NULL;
	tmodel_buf	text;

	if (asked->one)
		filter = and_compare(arena, filter, partition, TMODEL_EQ,
							 asked->partition);
	filter = and_compare(arena, filter, name,
						 asked->from_too ? TMODEL_GE : TMODEL_GT, asked->from);
	if (asked->to.len > 0)
		filter = and_compare(arena, filter, name, TMODEL_LT, asked->to);
	tmodel_buf_init(&text, arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	return tmodel_buf_text(&text);
}

/* Asks for the stretch's first page, or the one after a reply. */
static void
ask(rest *rest, stretch *asked, const tstore_reply *after)
{
	static const tmodel_span keys[] = {
		{"PartitionKey", 12}, {"RowKey", 6},
		{TMODEL_P_STUB, sizeof(TMODEL_P_STUB) - 1}
	};
	const itableTable *table = rest->sample->table;
	tstore_query query = {.filter = filter_text(rest->arena, asked),
	.top = table->fetch_size < 1000 ? table->fetch_size : 0};

	asked->whole = sampler_random_fract(&rest->sample->random) <
		1.0 / WHOLE_SHARE;
	if (!asked->whole)
	{
		query.nselect = lengthof(keys);
		query.select = keys;
		query.plain = true;
	}
	asked->request = itable_call_page(rest->calls, table->name, &query, after);
}

static void
add_stretch(rest *rest, const stretch *like)
{
	if (rest->n == rest->room)
	{
		rest->room = Max(rest->room * 2, 16);
		rest->list = rest->list == NULL ?
			palloc(rest->room * sizeof(stretch)) :
			repalloc(rest->list, rest->room * sizeof(stretch));
	}
	rest->list[rest->n] = *like;
	ask(rest, &rest->list[rest->n++], NULL);
}

/* Adds a stretch, in two where a key lies between its ends. */
static void
add_halves(rest *rest, const stretch *whole)
{
	stretch		half = *whole;
	tmodel_span at;

	if (itable_key_cut(rest->arena, &rest->sample->shape[whole->one ? 0 : 1],
					   whole->from, whole->to, &at))
	{
		half.to = at;
		add_stretch(rest, &half);
		half = *whole;
		half.from = at;
		half.from_too = true;
	}
	add_stretch(rest, &half);
}

/* What is left of a stretch behind an entity, as several. */
static void
cut(rest *rest, const stretch *whole, const tmodel_entity *last)
{
	stretch		rows = {.one = true};
	stretch		others = *whole;

	rest->cuts++;
	rows.partition = tmodel_span_copy(rest->arena, last->partition_key);
	rows.from = tmodel_span_copy(rest->arena, last->row_key);
	itable_check_arena(rest->arena);
	if (whole->one)
		rows.to = whole->to;
	add_halves(rest, &rows);
	if (whole->one)
		return;
	others.from = rows.partition;
	others.from_too = false;
	add_halves(rest, &others);
}

/* Counts a page; true when its stretch has another one under way. */
static bool
take_page(rest *rest, int i)
{
	stretch		taken = rest->list[i];
	const tstore_reply *reply = tstore_reply_of(taken.request);
	bool		more = false;

	if (reply->error.status != TSTORE_OK)
		itable_report_read(&reply->error, rest->sample->table->relname);
	itable_count(rest->counts, reply, true);
	for (int j = 0; j < reply->nentities; j++)
		if (!tmodel_entity_is_stub(&reply->entities[j]))
		{
			rest->sample->total += 1;
			if (taken.whole)
				itable_sample_add(rest->sample, &reply->entities[j]);
		}
	if (reply->has_more && reply->nentities > 0 && rest->cuts < MAX_CUTS &&
		rest->n < rest->sample->table->max_connections)
		cut(rest, &taken, &reply->entities[reply->nentities - 1]);
	else if (reply->has_more)
	{
		ask(rest, &rest->list[i], reply);
		more = true;
	}
	itable_finish(rest->calls, taken.request);
	return more;
}

bool
itable_sample_rest(itableSample *sample, tstore_client *client,
				   const tmodel_entity *from, itableCounts *counts,
				   int64 requests)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw stretches",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	rest		rest = {.sample = sample,.counts = counts};
	stretch		all = {.one = false};
	bool		complete;

	thin_out(sample);
	rest.arena = itable_arena(context);
	rest.calls = itable_calls(context, client);
	cut(&rest, &all, from);
	while (rest.n > 0 && counts->requests < requests)
	{
		itable_analyze_delay();
		for (int i = rest.n - 1; i >= 0; i--)
			if (tstore_is_done(rest.list[i].request) && !take_page(&rest, i))
			{
				/* what a cut has added stands at the end */
				rest.n--;
				memmove(&rest.list[i], &rest.list[i + 1],
						(rest.n - i) * sizeof(stretch));
			}
		if (rest.n > 0)
			itable_wait_any(client);
	}
	complete = rest.n == 0;
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return complete;
}
