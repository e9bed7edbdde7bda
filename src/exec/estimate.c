/*
 * estimate.c
 *	  ANALYZE of a large table: reads pages from all over it.
 *
 * Which pages, and how many rows they stand for, is a census's business
 * (model/census.h); this sends its requests, several at a time, and keeps some
 * rows of each page.  In the end each page gives as many of them to the sample
 * as it stands for.  Called by analyze.c.  Easy to break: an ask that brought
 * nothing but stubs has not been answered yet when its page goes on.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "common/hashfn.h"
#include "common/pg_prng.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/estimate.h"
#include "model/filter.h"
#include "remote/memory.h"
#include "remote/report.h"

/* Rows kept of a page, as a multiple of what it gives on the average. */
#define SPARE 3

/* The least part of the wanted sample that is left when pages weigh unevenly. */
#define LEAST_PART 0.2

/* A page on its way. */
typedef struct look
{
	tmodel_ask	ask;
	tstore_request *request;
} look;

/* A page that was read, and rows of it. */
typedef struct picked
{
	tmodel_known *known;		/* NULL: the table's beginning */
	int			n;
	HeapTuple  *rows;
} picked;

struct itableEstimating
{
	itableSample *sample;
	const itableTable *table;
	int			target;			/* rows of the sample */
	tmodel_arena *arena;
	tmodel_census *census;
	pg_prng_state random;
	itableCalls *calls;
	itableCounts *counts;
	int			keep;			/* rows of a page */
	int			nlooks;
	look	   *looks;
	int			npages;
	int			room;
	picked	   *pages;
};

itableEstimating *
itable_estimating(itableSample *sample, const itableTable *table, int target)
{
	itableEstimating *e = palloc0(sizeof(itableEstimating));
	uint32		seed = hash_bytes((const unsigned char *) table->name.data,
								  (int) table->name.len);

	e->sample = sample;
	e->table = table;
	e->target = target;
	e->arena = itable_arena(CurrentMemoryContext);
	/* a table's own seed: two ANALYZEs of one state read the same */
	e->census = tmodel_census_new(e->arena, seed, table->fetch_size);
	itable_check_arena(e->arena);
	pg_prng_seed(&e->random, seed);
	return e;
}

void
itable_estimating_first(itableEstimating *e, const tmodel_entity *entity)
{
	tmodel_key_pair key = {entity->partition_key, entity->row_key};

	tmodel_census_first(e->census, &key);
	itable_check_arena(e->arena);
}

/* ---- pages ---- */

static tmodel_filter *
and_key(tmodel_arena *arena, tmodel_filter *filter, bool row,
		tmodel_compare op, tmodel_span key)
{
	tmodel_value value = tmodel_string(key);
	tmodel_span name = row ? TMODEL_SPAN("RowKey") :
	TMODEL_SPAN("PartitionKey");

	return tmodel_filter_and(arena, filter,
							 tmodel_filter_compare(arena, name, op, &value));
}

/* Sends an ask, or goes on behind a reply that brought no rows. */
static void
send_look(itableEstimating *e, look *look, const tstore_reply *after)
{
	const tmodel_ask *ask = &look->ask;
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	tmodel_filter *filter = NULL;
	tmodel_buf	text;
	tstore_query query = {0};

	if (ask->one)
		filter = and_key(arena, filter, false, TMODEL_EQ, ask->partition);
	filter = and_key(arena, filter, ask->one,
					 ask->from_too ? TMODEL_GE : TMODEL_GT, ask->from);
	if (ask->to.len > 0)
		filter = and_key(arena, filter, ask->one, TMODEL_LT, ask->to);
	tmodel_buf_init(&text, arena);
	tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	query.filter = tmodel_buf_text(&text);
	if (e->table->fetch_size < 1000)
		query.top = e->table->fetch_size;
	look->request = itable_call_page(e->calls, e->table->name, &query, after);
	tmodel_arena_reset(arena);
}

static picked *
add_page(itableEstimating *e, tmodel_known *known, int room)
{
	picked	   *page;

	if (e->npages == e->room)
	{
		e->room = e->room * 2 + 64;
		e->pages = e->pages == NULL ? palloc(e->room * sizeof(picked)) :
			repalloc(e->pages, e->room * sizeof(picked));
	}
	page = &e->pages[e->npages++];
	page->known = known;
	page->n = 0;
	page->rows = palloc(sizeof(HeapTuple) * Max(room, 1));
	return page;
}

/* Keeps some of the page's rows, each as likely as any other. */
static void
pick_rows(itableEstimating *e, tmodel_known *known, int n,
		  const tmodel_entity **rows)
{
	picked	   *page = add_page(e, known, e->keep);

	for (int i = 0; i < n && page->n < e->keep; i++)
		if (pg_prng_double(&e->random) * (n - i) < e->keep - page->n)
			page->rows[page->n++] = itable_sample_form(e->sample, rows[i]);
}

/* Hands a page to the census; false: it brought nothing and goes on. */
static bool
take_page(itableEstimating *e, look *look)
{
	const tstore_reply *reply = tstore_reply_of(look->request);
	tmodel_key_pair *keys;
	const tmodel_entity **rows;
	tmodel_known *known;
	int			n = 0;

	if (reply->error.status != TSTORE_OK)
		itable_report_read(&reply->error, e->table->relname);
	itable_count(e->counts, reply, true);
	keys = palloc(sizeof(tmodel_key_pair) * (reply->nentities + 1));
	rows = palloc(sizeof(tmodel_entity *) * (reply->nentities + 1));
	for (int i = 0; i < reply->nentities; i++)
		if (!tmodel_entity_is_stub(&reply->entities[i]))
		{
			const tmodel_entity *row = &reply->entities[i];

			rows[n] = row;
			keys[n] = (tmodel_key_pair)
			{
				row->partition_key, row->row_key
			};
			n++;
		}
	if (n == 0 && reply->has_more)
	{
		tstore_request *done = look->request;

		send_look(e, look, reply);
		itable_finish(e->calls, done);
		return false;
	}
	known = tmodel_census_take(e->census, &look->ask, n, keys,
							   reply->has_more);
	itable_check_arena(e->arena);
	if (known != NULL)
		pick_rows(e, known, n, rows);
	itable_finish(e->calls, look->request);
	pfree(keys);
	pfree(rows);
	return true;
}

/* Asks for as many pages as may be on their way. */
static void
fill_looks(itableEstimating *e, int64 requests)
{
	while (e->nlooks < e->table->max_connections &&
		   e->counts->requests + e->nlooks < requests &&
		   tmodel_census_next(e->census, &e->looks[e->nlooks].ask))
	{
		itable_check_arena(e->arena);
		send_look(e, &e->looks[e->nlooks++], NULL);
	}
}

/* ---- the sample ---- */

/* Every page gives as many rows as it stands for, at random. */
void
itable_estimating_compose(itableEstimating *e)
{
	double		total = 0;
	double		size = e->target;
	HeapTuple  *others = palloc(sizeof(HeapTuple) * Max(e->target, 1));

	(void) itable_sample_take(e->sample, others);
	for (int i = 0; i < e->npages; i++)
		total += tmodel_census_stands_for(e->census, e->pages[i].known);
	for (int i = 0; i < e->npages; i++)
		size = Min(size, e->pages[i].n * total /
				   tmodel_census_stands_for(e->census, e->pages[i].known));
	size = Max(size, e->target * LEAST_PART);
	for (int i = 0; i < e->npages; i++)
	{
		picked	   *page = &e->pages[i];
		double		share = size / total *
		tmodel_census_stands_for(e->census, page->known);
		int			n = (int) Min(share + pg_prng_double(&e->random), page->n);

		for (int j = 0; j < page->n; j++)
			if (pg_prng_double(&e->random) * (page->n - j) < n &&
				itable_sample_size(e->sample) < e->target)
			{
				itable_sample_put(e->sample, page->rows[j]);
				n--;
			}
	}
}

tmodel_estimate
itable_estimating_run(itableEstimating *e, tstore_client *client,
					  const tmodel_entity *last, itableCounts *counts,
					  int64 requests)
{
	tmodel_key_pair key = {last->partition_key, last->row_key};
	picked	   *beginning = add_page(e, NULL, e->target);
	tmodel_estimate estimate;

	/* copies: counting, if it comes to that, wants them, too */
	beginning->n = itable_sample_size(e->sample);
	for (int i = 0; i < beginning->n; i++)
		beginning->rows[i] = itable_sample_copy(e->sample, i);
	e->counts = counts;
	e->calls = itable_calls(CurrentMemoryContext, client);
	e->looks = palloc(sizeof(look) * e->table->max_connections);
	e->keep = Max(SPARE * e->target / Max(requests - counts->requests, 1), 1);
	e->keep = Min(e->keep, e->table->fetch_size);
	tmodel_census_begin(e->census, &key);
	itable_check_arena(e->arena);
	for (fill_looks(e, requests); e->nlooks > 0; fill_looks(e, requests))
	{
		itable_analyze_delay();
		for (int i = e->nlooks - 1; i >= 0; i--)
			if (tstore_is_done(e->looks[i].request) &&
				take_page(e, &e->looks[i]))
				e->looks[i] = e->looks[--e->nlooks];
		fill_looks(e, requests);
		if (e->nlooks > 0)
			itable_wait_any(client);
	}
	tmodel_census_estimate(e->census, &estimate);
	itable_check_arena(e->arena);
	return estimate;
}
