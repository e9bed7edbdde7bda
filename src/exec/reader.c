/*
 * reader.c
 *	  Runs probes with several requests in flight and hands out their entities.
 *
 * Follows continuation tokens to their end, whatever the number of rows on a
 * page (4-store: a page may be empty and yet go on).  The next page is asked for
 * while this one is used, from the third of a probe on or, when all rows are
 * wanted, from the first.  So at most two pages for each probe are in memory,
 * and one of them is decoded.  Where rows may come in any order, connections
 * that have nothing to do get a part of what others read (cut.c).  Called by
 * source.c and backfill.  Easy to break: an entity handed out lives in its page,
 * which is finished when it is used up.
 */
#include "postgres.h"

#include "exec/cut.h"
#include "exec/reader.h"
#include "model/section.h"
#include "remote/report.h"

/* Probes in flight ahead of the one being read, when all will be wanted. */
#define WINDOW 8

/* A page at most, once all that were wanted have come and some were no rows. */
#define REST_SIZE 100

/* How many entities are handed out between two looks at the connections. */
#define POLL_ENTITIES 128

struct itableReader
{
	itableReaderSpec spec;
	itableCounts *counts;
	MemoryContext context;
	itableCalls *calls;
	const itableProbes *probes;
	tstore_request **requests;	/* per probe: its next page, asked for; NULL:
								 * not started, read to its end, or "page" */
	bool	   *given;			/* per probe: its rest is read by another */
	int			room;			/* in these, and "tops" */
	MemoryContext cut_context;
	itableCuts *cuts;			/* NULL: probes stay as they are */
	int			first;			/* probes before it are read to their ends */
	int			started;		/* probes started so far */
	int			current;		/* the probe whose page is used */
	tstore_request *page;		/* the page in use, or NULL */
	int			pages;			/* of the current probe */
	int			at;				/* next entity of the page */
	bool		has_end;		/* the probe ends within the page */
	int			page_size;		/* of the next request */
	int			window;			/* probes in flight */
	int		   *tops;			/* per probe: what that page brings at most */
	int			page_top;		/* the same of the page in use, or what it has */
	int64		coming;			/* entities asked for, as far as they may come */
	bool		over;			/* more than were wanted have been */
};

itableReader *
itable_reader(MemoryContext context, const itableReaderSpec *spec,
			  itableCounts *counts)
{
	itableReader *reader = MemoryContextAllocZero(context,
												  sizeof(itableReader));

	reader->spec = *spec;
	reader->counts = counts;
	reader->context = context;
	reader->calls = itable_calls(context, spec->client);
	return reader;
}

static itableReader *
start_reader(const itableTable *table, tstore_client *client,
			 itableCounts *counts, itableProbes *probes)
{
	itableReaderSpec spec = {.client = client,.table = table->stored_in,
		.relname = table->relname,.page_size = table->fetch_size,
	.to_the_end = true,.only_facts = itable_hides_reserved(table)};
	itableReader *reader = itable_reader(CurrentMemoryContext, &spec, counts);

	itable_reader_start(reader, probes);
	return reader;
}

itableReader *
itable_read_table(const itableTable *table, tstore_client *client,
				  itableCounts *counts)
{
	itableProbes *probes = palloc(sizeof(itableProbes));

	itable_probe_everything(table, probes);
	return start_reader(table, client, counts, probes);
}

itableReader *
itable_read_pieces(const itableTable *table, tstore_client *client,
				   itableCounts *counts)
{
	itableProbes *probes = palloc(sizeof(itableProbes));

	itable_probe_pieces(table, probes);
	return start_reader(table, client, counts, probes);
}

itableReader *
itable_read_table_after(const itableTable *table, tstore_client *client,
						itableCounts *counts, tmodel_span partition_key,
						tmodel_span row_key)
{
	itableProbes *probes = palloc(sizeof(itableProbes));

	itable_probe_after(table, partition_key, row_key, probes);
	return start_reader(table, client, counts, probes);
}

void
itable_count(itableCounts *counts, const tstore_reply *reply, bool page)
{
	counts->requests += reply->attempts;
	counts->retries += Max(reply->attempts - 1, 0);
	counts->entities += reply->nentities;
	counts->bytes += reply->bytes_received;
	if (page)
		counts->pages++;
}

void
itable_reader_stop(itableReader *reader)
{
	itable_finish_all(reader->calls);
	reader->page = NULL;
	if (reader->requests != NULL)
	{
		pfree(reader->requests);
		pfree(reader->tops);
		pfree(reader->given);
	}
	reader->requests = NULL;
	reader->probes = NULL;
	reader->cuts = NULL;
	if (reader->cut_context != NULL)
		MemoryContextDelete(reader->cut_context);
	reader->cut_context = NULL;
}

static void
begin_cuts(itableReader *reader)
{
	reader->cut_context = AllocSetContextCreate(reader->context,
												"itable_fdw cuts",
												ALLOCSET_SMALL_SIZES);
	reader->cuts = itable_cuts(reader->cut_context, reader->probes);
	reader->window = reader->spec.in_flight;
}

static int
count_probes(const itableReader *reader)
{
	return reader->cuts != NULL ? itable_cuts_n(reader->cuts) :
		reader->probes->n;
}

/* Until the next cut. */
static const itableProbe *
probe_at(const itableReader *reader, int i)
{
	return reader->cuts != NULL ? itable_cuts_probe(reader->cuts, i) :
		&reader->probes->probes[i];
}

/* A page of the probe that is on its way and will be used. */
static bool
is_coming(const itableReader *reader, int i)
{
	return reader->requests[i] != NULL && !reader->given[i];
}

/* Will there be another page? */
static bool
is_more(const itableReader *reader)
{
	if (reader->started < count_probes(reader))
		return true;
	for (int i = reader->first; i < reader->started; i++)
		if (is_coming(reader, i))
			return true;
	return false;
}

void
itable_reader_start(itableReader *reader, const itableProbes *probes)
{
	itable_reader_stop(reader);
	reader->probes = probes;
	reader->room = probes->n + 1;
	reader->requests = MemoryContextAllocZero(reader->context, reader->room *
											  sizeof(tstore_request *));
	reader->given = MemoryContextAllocZero(reader->context,
										   reader->room * sizeof(bool));
	reader->tops = MemoryContextAllocZero(reader->context,
										  reader->room * sizeof(int));
	reader->first = 0;
	reader->started = 0;
	reader->current = -1;
	reader->pages = 0;
	reader->page_size = reader->spec.page_size;
	reader->window = WINDOW;
	if (probes->first_page > 0 && probes->first_page < reader->page_size)
	{
		reader->page_size = probes->first_page;
		reader->window = 1;
	}
	else if (reader->spec.cut)
		begin_cuts(reader);
	reader->coming = 0;
	reader->over = false;
	if (probes->wanted > 0)
		reader->window = 1;
}

/* How many more entities than those under way are wanted. */
static int64
still_wanted(const itableReader *reader)
{
	return reader->probes->wanted <= 0 ? PG_INT64_MAX :
		Max(reader->probes->wanted - reader->coming, 0);
}

/*
 * Asks for a point, or for the first page after "after" (NULL: the start).  When
 * only some rows are wanted first, pages and probes in flight begin small.
 */
static tstore_request *
ask(itableReader *reader, int i, const tstore_reply *after)
{
	const itableProbe *probe = probe_at(reader, i);
	tstore_client *client = reader->spec.client;
	tstore_query query = {0};
	int			top = probe->point ? 1 : reader->page_size;

	if (still_wanted(reader) > 0)
		top = (int) Min(top, still_wanted(reader));
	reader->tops[i] = top;
	reader->coming += top;
	if (probe->point)
		return itable_call(reader->calls,
						   tstore_start_get(client, reader->spec.table,
											probe->partition_key,
											probe->row_key,
											reader->spec.nselect,
											reader->spec.select));
	query.filter = probe->filter;
	query.nselect = reader->spec.nselect;
	query.select = reader->spec.select;
	query.plain = reader->spec.plain;
	query.top = top < 1000 ? top : 0;
	return itable_call_page(reader->calls, reader->spec.table, &query, after);
}

static void
start_probe(itableReader *reader)
{
	int			i = reader->started++;

	if (i >= reader->room)
	{
		reader->requests = repalloc(reader->requests, 2 * reader->room *
									sizeof(tstore_request *));
		reader->given = repalloc(reader->given,
								 2 * reader->room * sizeof(bool));
		reader->tops = repalloc(reader->tops,
								2 * reader->room * sizeof(int));
		reader->room *= 2;
	}
	reader->given[i] = false;
	reader->requests[i] = ask(reader, i, NULL);
}

/*
 * Starts probes up to the window's end; in any order, so many that as many are
 * under way, if need be by a cut.
 */
static void
start_ahead(itableReader *reader)
{
	int			under_way = 0;

	for (int i = reader->first; i < reader->started; i++)
		under_way += !reader->spec.any_order || reader->requests[i] != NULL;
	while (under_way < reader->window &&
		   (reader->started == reader->first || still_wanted(reader) > 0))
	{
		if (reader->started < count_probes(reader))
			start_probe(reader);
		else if (reader->cuts != NULL && itable_cuts_make(reader->cuts))
			continue;
		else
			break;
		under_way++;
	}
}

bool
itable_reader_is_ready(const itableReader *reader)
{
	int			last = reader->spec.any_order ? reader->started - 1 :
	reader->first;

	if (reader->page != NULL &&
		reader->at < tstore_reply_head(reader->page)->nentities)
		return true;
	if (!is_more(reader))
		return true;
	for (int i = reader->first; i <= last && i < reader->started; i++)
		if (is_coming(reader, i) && tstore_is_done(reader->requests[i]))
			return true;
	return false;
}

/* Lets go of a page that came in vain. */
static void
discard(itableReader *reader, int i)
{
	itable_count(reader->counts, tstore_reply_head(reader->requests[i]), true);
	itable_finish(reader->calls, reader->requests[i]);
	reader->requests[i] = NULL;
	start_ahead(reader);
}

/* The probe to go on with: the first, or any whose page has come. */
static int
next_probe(itableReader *reader)
{
	for (;;)
	{
		for (int i = reader->first;
			 reader->spec.any_order && i < reader->started; i++)
			if (reader->requests[i] != NULL &&
				tstore_is_done(reader->requests[i]))
			{
				if (!reader->given[i])
					return i;
				discard(reader, i);
			}
		if (!reader->spec.any_order)
		{
			if (!tstore_is_done(reader->requests[reader->first]))
				itable_wait(reader->calls, reader->requests[reader->first]);
			return reader->first;
		}
		itable_wait(reader->calls, NULL);
	}
}

/*
 * Takes a probe's page into use: what comes after it is asked for before its
 * entities are decoded, so that the store works meanwhile.
 */
static void
begin_page(itableReader *reader, int i)
{
	const itableProbe *probe = probe_at(reader, i);
	tstore_request *page = reader->requests[i];
	const tstore_reply *head = tstore_reply_head(page);

	reader->pages = i == reader->current ? reader->pages + 1 : 1;
	reader->current = i;
	reader->page = page;
	reader->requests[i] = NULL;
	reader->at = 0;
	reader->page_top = reader->tops[i];
	reader->has_end = false;
	if (!probe->point && head->error.status == TSTORE_OK && head->has_more &&
		(reader->spec.to_the_end || reader->pages > 2) &&
		still_wanted(reader) > 0)
		reader->requests[i] = ask(reader, i, head);
}

/* The page in use, decoded; throws unless it is an answer. */
static const tstore_reply *
page_reply(itableReader *reader)
{
	const tstore_reply *reply = tstore_reply_of(reader->page);
	bool		point = probe_at(reader, reader->current)->point;

	reader->coming -= reader->page_top - reply->nentities;
	reader->page_top = reply->nentities;
	if (reply->error.status == TSTORE_OK ||
		(point && reply->error.status == TSTORE_NOT_FOUND))
		return reply;
	itable_report_read(&reply->error, reader->spec.relname);
}

/* The page is used up; asks for the next one unless that is done. */
static void
end_page(itableReader *reader)
{
	const tstore_reply *head = tstore_reply_head(reader->page);
	int			i = reader->current;

	reader->page_size = Min(reader->page_size * 2,
							still_wanted(reader) > 0 || reader->over ?
							reader->spec.page_size : REST_SIZE);
	reader->over |= still_wanted(reader) == 0;
	if (reader->cuts == NULL)
		reader->window = Min(reader->window * 2, WINDOW);
	if (!probe_at(reader, i)->point && head->has_more && !reader->given[i] &&
		reader->requests[i] == NULL)
		reader->requests[i] = ask(reader, i, head);
	itable_finish(reader->calls, reader->page);
	reader->page = NULL;
	while (reader->first < reader->started &&
		   reader->requests[reader->first] == NULL)
		reader->first++;
}

void
itable_reader_prefetch(itableReader *reader)
{
	if (reader->page != NULL &&
		reader->at >= tstore_reply_head(reader->page)->nentities)
		end_page(reader);
	if (reader->page == NULL)
		start_ahead(reader);
}

void
itable_reader_begin(itableReader *reader)
{
	start_ahead(reader);
}

int
itable_reader_ready(const itableReader *reader)
{
	return reader->page == NULL ? 0 :
		tstore_reply_of(reader->page)->nentities - reader->at;
}

bool
itable_reader_is_done(const itableReader *reader)
{
	int			last = count_probes(reader) - 1;

	if (reader->page == NULL)
		return reader->first > last;
	return itable_reader_ready(reader) == 0 && reader->current == last &&
		reader->first >= last && reader->requests[last] == NULL &&
		(probe_at(reader, last)->point ||
		 !tstore_reply_head(reader->page)->has_more);
}

/* Tells what the page says about its probe, and uses connections it left idle. */
static void
take_page(itableReader *reader, const tstore_reply *reply)
{
	int			i = reader->current;

	itable_cuts_take(reader->cuts, i, reply);
	/* a later cut is behind this page */
	reader->has_end = reply->nentities > 0 &&
		itable_cuts_is_beyond(reader->cuts, i,
							  &reply->entities[reply->nentities - 1]);
	reader->given[i] = reader->has_end;
	start_ahead(reader);
}

const tmodel_entity *
itable_reader_next(itableReader *reader)
{
	for (;;)
	{
		const tstore_reply *reply;

		if (reader->page == NULL)
		{
			start_ahead(reader);
			if (!is_more(reader))
				return NULL;
			begin_page(reader, next_probe(reader));
			reply = page_reply(reader);
			itable_count(reader->counts, reply,
						 !probe_at(reader, reader->current)->point);
			if (reader->cuts != NULL)
				take_page(reader, reply);
		}
		reply = tstore_reply_of(reader->page);
		/* a large answer on its way must be taken from the system's buffers */
		if (reader->at % POLL_ENTITIES == 1)
			tstore_poll(reader->spec.client);
		while (reader->at < reply->nentities)
		{
			const tmodel_entity *entity = &reply->entities[reader->at++];

			if (reader->has_end &&
				itable_cuts_is_beyond(reader->cuts, reader->current, entity))
			{
				reader->at = reply->nentities;
				break;
			}
			if (!reader->spec.only_facts ||
				!tmodel_key_is_reserved(entity->row_key))
				return entity;
		}
		end_page(reader);
	}
}

bool
itable_reader_is_last(const itableReader *reader)
{
	return reader->first >= count_probes(reader) - 1;
}
