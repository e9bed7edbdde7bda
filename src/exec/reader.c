/*
 * reader.c
 *	  Runs probes with several requests in flight and hands out their entities
 *	  in order.
 *
 * Follows continuation tokens to their end, whatever the number of rows on a
 * page (4-store: a page may be empty and yet go on).  From the third page of a
 * probe on, the next page is asked for while this one is used.  Called by
 * scan.c and backfill.  Easy to break: an entity handed out lives in its reply,
 * which is finished when the reader moves past it.
 */
#include "postgres.h"

#include "exec/reader.h"
#include "remote/report.h"

/* Probes in flight ahead of the one being read. */
#define WINDOW 8

struct itableReader
{
	itableReaderSpec spec;
	itableCounts *counts;
	MemoryContext context;
	itableCalls *calls;
	const itableProbes *probes;
	tstore_request **requests;	/* per probe; NULL: not started or past */
	int			current;		/* probe being read */
	int			started;		/* probes started so far */
	int			pages;			/* of the current probe */
	tstore_request *ahead;		/* the current probe's next page */
	int			at;				/* next entity of the current reply */
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

void
itable_probe_everything(itableProbes *probes)
{
	probes->n = 1;
	probes->probes = palloc0(sizeof(itableProbe));
}

itableReader *
itable_read_table(const itableTable *table, tstore_client *client,
				  itableCounts *counts)
{
	itableReaderSpec spec = {.client = client,.table = table->name,
	.relname = table->relname,.page_size = table->fetch_size};
	itableReader *reader = itable_reader(CurrentMemoryContext, &spec, counts);
	itableProbes *probes = palloc(sizeof(itableProbes));

	itable_probe_everything(probes);
	itable_reader_start(reader, probes);
	return reader;
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
	reader->ahead = NULL;
	if (reader->requests != NULL)
		pfree(reader->requests);
	reader->requests = NULL;
	reader->probes = NULL;
}

void
itable_reader_start(itableReader *reader, const itableProbes *probes)
{
	itable_reader_stop(reader);
	reader->probes = probes;
	reader->requests = MemoryContextAllocZero(reader->context,
											  (probes->n + 1) *
											  sizeof(tstore_request *));
	reader->current = 0;
	reader->started = 0;
	reader->pages = 0;
	reader->at = 0;
}

/* Asks for a point, or for the first page after "after" (NULL: the start). */
static tstore_request *
ask(itableReader *reader, const itableProbe *probe, const tstore_reply *after)
{
	tstore_client *client = reader->spec.client;
	tstore_query query = {0};

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
	query.top = reader->spec.page_size < 1000 ? reader->spec.page_size : 0;
	if (after != NULL)
	{
		query.next_partition_key = after->next_partition_key;
		query.next_row_key = after->next_row_key;
	}
	return itable_call(reader->calls,
					   tstore_start_query(client, reader->spec.table, &query));
}

/* Starts probes up to the window's end. */
static void
start_ahead(itableReader *reader)
{
	while (reader->started < reader->probes->n &&
		   reader->started < reader->current + WINDOW)
	{
		int			i = reader->started++;

		reader->requests[i] = ask(reader, &reader->probes->probes[i], NULL);
	}
}

/* Waits for the current reply; throws unless it is an answer. */
static const tstore_reply *
current_reply(itableReader *reader)
{
	tstore_request *request = reader->requests[reader->current];
	const tstore_reply *reply;
	bool		point = reader->probes->probes[reader->current].point;

	if (!tstore_is_done(request))
		itable_wait(reader->calls, request);
	reply = tstore_reply_of(request);
	if (reply->error.status == TSTORE_OK)
		return reply;
	if (point && reply->error.status == TSTORE_NOT_FOUND)
		return reply;
	itable_report_read(&reply->error, reader->spec.relname);
}

/* The current page is used up: its next page, or the next probe. */
static void
move_on(itableReader *reader)
{
	tstore_request *done = reader->requests[reader->current];
	const tstore_reply *reply = tstore_reply_of(done);
	const itableProbe *probe = &reader->probes->probes[reader->current];

	reader->at = 0;
	if (!probe->point && reply->has_more)
	{
		reader->requests[reader->current] = reader->ahead != NULL ?
			reader->ahead : ask(reader, probe, reply);
	}
	else
	{
		reader->requests[reader->current++] = NULL;
		reader->pages = 0;
	}
	reader->ahead = NULL;
	itable_finish(reader->calls, done);
}

/* A page is about to be used: count it, and ask for the one after. */
static void
begin_page(itableReader *reader, const tstore_reply *reply)
{
	const itableProbe *probe = &reader->probes->probes[reader->current];

	itable_count(reader->counts, reply, !probe->point);
	reader->pages++;
	if (!probe->point && reply->has_more && reader->pages > 2)
		reader->ahead = ask(reader, probe, reply);
}

const tmodel_entity *
itable_reader_next(itableReader *reader)
{
	while (reader->current < reader->probes->n)
	{
		const tstore_reply *reply;

		start_ahead(reader);
		reply = current_reply(reader);
		if (reader->at == 0)
			begin_page(reader, reply);
		if (reader->at < reply->nentities)
			return &reply->entities[reader->at++];
		move_on(reader);
	}
	return NULL;
}
