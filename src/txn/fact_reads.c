/*
 * fact_reads.c
 *	  Reads many facts whose keys are known, in few requests.
 *
 * Many keys of one partition are read as a range, from the least to the greatest
 * of them, page by page, as long as a page holds enough of what is wanted; what
 * is then left, and what stands alone, is read by key, several in flight.  So
 * dense facts cost a request for a thousand, and scattered ones hardly more than
 * one each.  Called by txn/converge.  Easy to break: ranges are in the store's
 * order (UTF-16), which is not that of the bytes.
 */
#include "postgres.h"

#include "model/filter.h"
#include "model/key.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/fact_reads.h"

/* Fewer in a partition, or found in a page, are not worth a range: reads by key
 * are in flight together. */
#define LEAST_IN_RANGE 8

/* A page asks for so many entities for each that is wanted. */
#define PAGE_FACTOR 4
#define MAX_PAGE 1000

/* The wanted facts of one partition, sorted. */
typedef struct factStretch
{
	int			n;
	factRead   *reads;
	tstore_query query;
	tstore_request *asked;		/* NULL: no more pages */
} factStretch;

typedef struct factRun
{
	tstore_client *client;
	itableCalls *calls;
	const itableTable *table;
	tmodel_arena *arena;
} factRun;

static int
compare_reads(const void *a, const void *b)
{
	const tmodel_entity *left = ((const factRead *) a)->keys;
	const tmodel_entity *right = ((const factRead *) b)->keys;
	int			cmp = tmodel_span_compare(left->partition_key,
										  right->partition_key);

	return cmp != 0 ? cmp : tmodel_utf16_compare(left->row_key,
												 right->row_key);
}

/* The comparisons that hold for what lies between the first and the last. */
static tmodel_span
range_filter(tmodel_arena *arena, const factStretch *stretch)
{
	tmodel_value partition = tmodel_string(stretch->reads[0].keys->partition_key);
	tmodel_value first = tmodel_string(stretch->reads[0].keys->row_key);
	tmodel_value last = tmodel_string(stretch->reads[stretch->n - 1].keys->row_key);
	const tmodel_span row_key = TMODEL_SPAN("RowKey");
	tmodel_filter *filter;
	tmodel_buf	text;

	filter = tmodel_filter_compare(arena, TMODEL_SPAN("PartitionKey"),
								   TMODEL_EQ, &partition);
	filter = tmodel_filter_and(arena, filter,
							   tmodel_filter_compare(arena, row_key, TMODEL_GE,
													 &first));
	filter = tmodel_filter_and(arena, filter,
							   tmodel_filter_compare(arena, row_key, TMODEL_LE,
													 &last));
	tmodel_buf_init(&text, arena);
	(void) tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	return tmodel_buf_text(&text);
}

static void
ask_page(const factRun *run, factStretch *stretch)
{
	stretch->asked = itable_call(run->calls,
								 tstore_start_query(run->client,
													run->table->name,
													&stretch->query));
}

static const tstore_reply *
reply_of(const factRun *run, tstore_request *request)
{
	const tstore_reply *reply;

	itable_wait(run->calls, request);
	reply = tstore_reply_of(request);
	if (reply->error.status != TSTORE_OK &&
		reply->error.status != TSTORE_NOT_FOUND)
		itable_report_read(&reply->error, run->table->relname);
	return reply;
}

static void
keep(const factRun *run, const factRead *read, const tmodel_entity *fact)
{
	*read->found = tmodel_entity_copy(run->arena, fact);
	itable_check_arena(run->arena);
}

/* Keeps what is wanted of the page, and asks for the next if it is worth it. */
static void
take_page(const factRun *run, factStretch *stretch)
{
	tstore_request *request = stretch->asked;
	const tstore_reply *reply = reply_of(run, request);
	int			found = 0;

	for (int i = 0; i < reply->nentities; i++)
	{
		factRead	key = {.keys = &reply->entities[i]};
		factRead   *read = bsearch(&key, stretch->reads, stretch->n,
								   sizeof(factRead), compare_reads);

		if (read == NULL)
			continue;
		keep(run, read, &reply->entities[i]);
		found++;
	}
	stretch->asked = NULL;
	if (!reply->has_more)
		stretch->n = 0;			/* what was not found is not there */
	else if (found >= LEAST_IN_RANGE)
	{
		stretch->query.next_partition_key =
			tmodel_span_copy(run->arena, reply->next_partition_key);
		stretch->query.next_row_key =
			tmodel_span_copy(run->arena, reply->next_row_key);
		itable_check_arena(run->arena);
		ask_page(run, stretch);
	}
	itable_finish(run->calls, request);
}

/* Those of the stretch that no page has brought, by their keys. */
static void
read_singly(const factRun *run, const factStretch *stretch)
{
	tstore_request **asked = palloc0(sizeof(*asked) * (stretch->n + 1));

	for (int i = 0; i < stretch->n; i++)
		if (*stretch->reads[i].found == NULL)
			asked[i] = itable_call(run->calls,
								   tstore_start_get(run->client,
													run->table->name,
													stretch->reads[i].keys->partition_key,
													stretch->reads[i].keys->row_key,
													0, NULL));
	for (int i = 0; i < stretch->n; i++)
		if (asked[i] != NULL)
		{
			const tstore_reply *reply = reply_of(run, asked[i]);

			if (reply->nentities == 1)
				keep(run, &stretch->reads[i], &reply->entities[0]);
			itable_finish(run->calls, asked[i]);
		}
	pfree(asked);
}

/* Cuts the sorted reads into partitions; returns how many there are. */
static int
cut(int n, factRead *reads, factStretch *stretches)
{
	int			nstretches = 0;

	for (int i = 0; i < n; i++)
	{
		if (i == 0 || !tmodel_span_equal(reads[i - 1].keys->partition_key,
										 reads[i].keys->partition_key))
		{
			memset(&stretches[nstretches], 0, sizeof(factStretch));
			stretches[nstretches++].reads = &reads[i];
		}
		stretches[nstretches - 1].n++;
	}
	return nstretches;
}

void
itable_read_facts(tstore_client *client, itableCalls *calls,
				  const itableTable *table, tmodel_arena *arena, int n,
				  factRead *reads)
{
	factRun		run = {client, calls, table, arena};
	factStretch *stretches = palloc(sizeof(factStretch) * (n + 1));
	factStretch rest = {.reads = palloc(sizeof(factRead) * (n + 1))};
	int			nstretches;

	qsort(reads, n, sizeof(factRead), compare_reads);
	nstretches = cut(n, reads, stretches);
	for (int i = 0; i < nstretches; i++)
	{
		factStretch *stretch = &stretches[i];

		if (stretch->n < LEAST_IN_RANGE)
			continue;
		stretch->query.filter = range_filter(arena, stretch);
		stretch->query.top = Min(PAGE_FACTOR * stretch->n, MAX_PAGE);
		ask_page(&run, stretch);
	}
	for (int i = 0; i < nstretches; i++)
	{
		while (stretches[i].asked != NULL)
			take_page(&run, &stretches[i]);
		for (int j = 0; j < stretches[i].n; j++)
			if (*stretches[i].reads[j].found == NULL)
				rest.reads[rest.n++] = stretches[i].reads[j];
	}
	read_singly(&run, &rest);
	pfree(rest.reads);
	pfree(stretches);
}
