/*
 * dense.c
 *	  Reads many entities whose keys are known, where they stand dense, in few
 *	  requests.
 *
 * Many keys of one partition are read as a range, from the least to the greatest
 * of them, page by page, as long as a page tells of enough that is wanted; what
 * is then left, and what stands alone, is the caller's to read by key, several
 * in flight.  So dense entities cost a request for a thousand, and scattered
 * ones hardly more than one each.  Called by txn/round for the reads of a phase,
 * and by txn/converge.  Easy to break: that an entity is not there is known only
 * when the range was read to its end, for not every store keeps an order.
 */
#include "postgres.h"

#include "model/filter.h"
#include "remote/trace.h"
#include "txn/dense.h"

/* Fewer in a partition, or told of by a page, are not worth a range: reads by
 * key are in flight together. */
#define LEAST_IN_RANGE 8

/* A page asks for so many entities for each that is wanted. */
#define PAGE_FACTOR 4
#define MAX_PAGE 1000

/* Ranges read at one time. */
#define MAX_OPEN_RANGES 16

/* The reads of one partition, sorted. */
typedef struct denseRange
{
	int			n;
	denseRead  *reads;
	tstore_query query;
	int			passed;			/* of them behind which the pages are */
	bool		open;			/* it was begun, and has no end yet */
} denseRange;

typedef struct denseRun
{
	tstore_client *client;
	itableCalls *calls;
	tmodel_arena *arena;
	int			nopen;
} denseRun;

static int
compare_reads(const void *a, const void *b)
{
	const denseRead *left = a;
	const denseRead *right = b;
	int			cmp = tmodel_span_compare(left->table, right->table);

	if (cmp == 0)
		cmp = tmodel_span_compare(left->keys->partition_key,
								  right->keys->partition_key);
	return cmp != 0 ? cmp : tmodel_utf16_compare(left->keys->row_key,
												 right->keys->row_key);
}

/* What lies between the first and the last; empty: out of memory. */
static tmodel_span
range_filter(tmodel_arena *arena, const denseRange *range)
{
	const tmodel_entity *first = range->reads[0].keys;
	const tmodel_entity *last = range->reads[range->n - 1].keys;
	tmodel_value partition = tmodel_string(first->partition_key);
	tmodel_value from = tmodel_string(first->row_key);
	tmodel_value to = tmodel_string(last->row_key);
	const tmodel_span row_key = TMODEL_SPAN("RowKey");
	tmodel_filter *filter;
	tmodel_buf	text;

	filter = tmodel_filter_compare(arena, TMODEL_SPAN("PartitionKey"),
								   TMODEL_EQ, &partition);
	filter = tmodel_filter_and(arena, filter,
							   tmodel_filter_compare(arena, row_key, TMODEL_GE,
													 &from));
	filter = tmodel_filter_and(arena, filter,
							   tmodel_filter_compare(arena, row_key, TMODEL_LE,
													 &to));
	tmodel_buf_init(&text, arena);
	(void) tmodel_filter_print(&text, filter);
	return arena->failed ? (tmodel_span) {NULL, 0} : tmodel_buf_text(&text);
}

static void
ask_page(denseRun *run, denseRange *range)
{
	tstore_request *request;

	range->open = false;
	if (range->query.filter.len == 0 || run->arena->failed)
		return;
	request = itable_call(run->calls,
						  tstore_start_query(run->client,
											 range->reads[0].table,
											 &range->query));
	tstore_set_user(request, range);
	range->open = true;
	run->nopen++;
}

/* Where the page's entity belongs; returns whether it is wanted. */
static bool
take_entity(denseRun *run, denseRange *range, const tmodel_entity *entity,
			int64 server_time)
{
	denseRead	key = {.table = range->reads[0].table,.keys = entity};
	denseRead  *end = range->reads + range->n;
	denseRead  *read = bsearch(&key, range->reads, range->n, sizeof(denseRead),
							   compare_reads);
	const tmodel_entity *copy;

	if (read == NULL)
		return false;
	copy = tmodel_entity_copy(run->arena, entity);
	if (copy == NULL)
		return false;
	/* two may want the same */
	while (read > range->reads && compare_reads(read - 1, &key) == 0)
		read--;
	for (; read < end && compare_reads(read, &key) == 0; read++)
	{
		read->known = true;
		read->found = copy;
		read->server_time = server_time;
	}
	return true;
}

/* How many of the range come no later than the entity, in the usual order. */
static int
count_passed(const denseRange *range, const tmodel_entity *last)
{
	denseRead	key = {.table = range->reads[0].table,.keys = last};
	int			n = range->passed;

	while (n < range->n && compare_reads(&range->reads[n], &key) <= 0)
		n++;
	return n;
}

/* Takes what a page tells, and asks for the next one if that is worth it. */
static void
take_page(denseRun *run, denseRange *range, const tstore_reply *reply)
{
	int			before = range->passed;

	range->open = false;
	if (reply->error.status != TSTORE_OK)
		return;
	for (int i = 0; i < reply->nentities; i++)
		(void) take_entity(run, range, &reply->entities[i],
						   reply->server_time);
	if (run->arena->failed)
		return;
	if (!reply->has_more)
	{
		for (int i = 0; i < range->n; i++)
			if (!range->reads[i].known)
			{
				range->reads[i].known = true;
				range->reads[i].server_time = reply->server_time;
			}
		return;
	}
	if (reply->nentities > 0)
		range->passed = count_passed(range,
									 &reply->entities[reply->nentities - 1]);
	if (reply->nentities > 0 && range->passed - before < LEAST_IN_RANGE)
		return;
	range->query.next_partition_key =
		tmodel_span_copy(run->arena, reply->next_partition_key);
	range->query.next_row_key =
		tmodel_span_copy(run->arena, reply->next_row_key);
	ask_page(run, range);
}

/* Cuts the sorted reads into partitions; returns how many are worth a range. */
static int
cut(tmodel_arena *arena, int n, denseRead *reads, denseRange *ranges)
{
	int			nranges = 0;

	for (int i = 0; i < n;)
	{
		denseRange *range = &ranges[nranges];

		memset(range, 0, sizeof(*range));
		range->reads = &reads[i];
		while (i < n &&
			   tmodel_span_equal(range->reads[0].table, reads[i].table) &&
			   tmodel_span_equal(range->reads[0].keys->partition_key,
								 reads[i].keys->partition_key))
		{
			i++;
			range->n++;
		}
		if (range->n < LEAST_IN_RANGE)
			continue;
		range->query.filter = range_filter(arena, range);
		range->query.top = Min(PAGE_FACTOR * range->n, MAX_PAGE);
		nranges++;
	}
	return nranges;
}

void
itable_read_dense(tstore_client *client, itableCalls *calls,
				  tmodel_arena *arena, int n, denseRead *reads)
{
	denseRun	run = {.client = client,.calls = calls,.arena = arena};
	denseRange *ranges;
	int			nranges;
	int			next = 0;

	for (int i = 0; i < n; i++)
	{
		reads[i].known = false;
		reads[i].found = NULL;
	}
	if (n < LEAST_IN_RANGE)
		return;
	qsort(reads, n, sizeof(denseRead), compare_reads);
	ranges = palloc(sizeof(denseRange) * (n / LEAST_IN_RANGE + 2));
	nranges = cut(arena, n, reads, ranges);
	while (next < nranges || run.nopen > 0)
	{
		tstore_request *done;

		while (next < nranges && run.nopen < MAX_OPEN_RANGES)
			ask_page(&run, &ranges[next++]);
		done = itable_done_call(calls);
		if (done != NULL)
		{
			run.nopen--;
			take_page(&run, tstore_user(done), tstore_reply_of(done));
			itable_finish(calls, done);
		}
		else if (!tstore_wait(client, NULL))
			break;
		itable_trace_log();
	}
	itable_finish_all(calls);
	pfree(ranges);
}
