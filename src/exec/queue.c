/*
 * queue.c
 *	  Queued maintenance from SQL: finding outbox entities and having them
 *	  done.
 *
 * The outbox entities themselves say what is to be done, and a scan for their
 * RowKeys finds every one, so that nothing else must be kept, and nothing can be
 * lost.  (A list of partitions with work would have to be written before the
 * commit and cleared after the work: between the two the store ties nothing
 * together.)  Messages in a queue only say where to look first.  What doing
 * means is txn/converge's question.  Easy to break: the baton is looked at
 * before the outbox is read; and an outbox entity may name an index that this
 * database does not know, and must then be left to one that does.
 */
#include "postgres.h"

#include "fmgr.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "exec/queue.h"
#include "exec/reader.h"
#include "model/outbox.h"
#include "model/section.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/converge.h"
#include "txn/round.h"
#include "txn/wake.h"

PG_FUNCTION_INFO_V1(itable_process_queue);
PG_FUNCTION_INFO_V1(itable_index_backlog);

/* Outbox entities read into memory together; their facts are as large. */
#define MAX_ROUND_BYTES (8 * 1024 * 1024)

/* How long a message that is being followed is hidden from others. */
#define HIDDEN_SECONDS 60

/* How often the outbox is read again because another worker was at it: he has
 * done what was there. */
#define MAX_PASSES 20

/* Looks at the baton of another worker, 0.2 s apart: the background worker has
 * other tables to do; who asks by hand waits until it is his turn. */
#define WORKER_PATIENCE 8
#define HAND_PATIENCE INT_MAX

typedef struct queueRun
{
	const itableTable *fact;
	tstore_client *client;
	List	   *indexes;		/* itableIndex *: that may be maintained here */
	List	   *gone;			/* char *: index tables the store has no more */
	List	   *unknown;		/* char *: those it has, but not this database */
	int			patience;		/* how often another worker's baton is looked
								 * at */
	bool		busy;			/* it was his until the end */
} queueRun;

/* The outbox of a partition (NULL: of the table) as a filter. */
static tmodel_span
outbox_filter(tmodel_arena *arena, const tmodel_span *partition)
{
	tmodel_key_range range = {.has_lower = true,.has_upper = true,
		.lower = TMODEL_SPAN(TMODEL_OUTBOX_KEY),
	.upper = TMODEL_SPAN(TMODEL_OUTBOX_KEY_END)};
	tmodel_filter *filter = NULL;
	tmodel_buf	text;

	if (partition != NULL)
	{
		tmodel_value key = tmodel_string(*partition);

		filter = tmodel_filter_compare(arena, TMODEL_SPAN("PartitionKey"),
									   TMODEL_EQ, &key);
	}
	filter = tmodel_filter_and(arena, filter,
							   tmodel_key_range_filter(arena,
													   TMODEL_SPAN("RowKey"),
													   &range));
	tmodel_buf_init(&text, arena);
	(void) tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	return tmodel_buf_text(&text);
}

/* All outbox entities of those partitions; NIL: of the table. */
static itableReader *
read_outbox(const itableTable *fact, tstore_client *client, List *partitions,
			itableProbes *probes, itableCounts *counts)
{
	itableReaderSpec spec = {.client = client,.table = fact->name,
		.relname = fact->relname,.page_size = fact->fetch_size,
	.to_the_end = true,.any_order = true};
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	itableReader *reader;
	ListCell   *cell;

	memset(probes, 0, sizeof(*probes));
	probes->probes = palloc0(sizeof(itableProbe) *
							 Max(list_length(partitions), 1));
	foreach(cell, partitions)
		probes->probes[probes->n++].filter = outbox_filter(arena, lfirst(cell));
	if (partitions == NIL)
		probes->probes[probes->n++].filter = outbox_filter(arena, NULL);
	reader = itable_reader(CurrentMemoryContext, &spec, counts);
	itable_reader_start(reader, probes);
	return reader;
}

/* Unique and colocated indexes are never put off. */
static void
open_run(queueRun *run, Oid factid, int patience)
{
	ListCell   *cell;

	memset(run, 0, sizeof(*run));
	run->patience = patience;
	LockRelationOid(factid, AccessShareLock);
	run->fact = itable_table_def(factid);
	run->client = itable_session(run->fact->serverid, GetUserId());
	foreach(cell, itable_indexes_of((itableTable *) run->fact, false))
	{
		itableIndex *index = lfirst(cell);

		if (!index->table->unique && !index->table->colocated)
			run->indexes = lappend(run->indexes, index);
	}
}

static bool
is_listed(List *names, const char *name)
{
	ListCell   *cell;

	foreach(cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

/* Does the store still have the table? */
static bool
table_exists(tstore_client *client, const char *name)
{
	itableCalls *calls = itable_calls(CurrentMemoryContext, client);
	tstore_query query = {.top = 1};
	tstore_request *request = itable_call(calls,
										  tstore_start_query(client,
															 tmodel_span_of(name),
															 &query));
	bool		exists;

	itable_wait(calls, request);
	exists = tstore_reply_of(request)->error.status != TSTORE_TABLE_NOT_FOUND;
	itable_finish(calls, request);
	return exists;
}

/* An index that is not known here: dropped, or another database's? */
static bool
is_gone(queueRun *run, const char *name)
{
	if (is_listed(run->gone, name))
		return true;
	if (is_listed(run->unknown, name))
		return false;
	if (!table_exists(run->client, name))
	{
		run->gone = lappend(run->gone, pstrdup(name));
		return true;
	}
	run->unknown = lappend(run->unknown, pstrdup(name));
	ereport(WARNING,
			(errmsg("queued changes of foreign table \"%s\" name index table \"%s\", which this database does not have",
					run->fact->relname, name),
			 errhint("Process the queue where the index is declared, or declare it here.")));
	return false;
}

/* May it be done here? */
static bool
is_ours_to_do(queueRun *run, const tmodel_entity *outbox)
{
	tmodel_span names;

	if (!tmodel_is_outbox(outbox))
		return false;
	names = tmodel_entity_get(outbox, TMODEL_SPAN(TMODEL_P_INDEXES))->u.bytes;
	while (names.len > 0)
	{
		tmodel_span name = tmodel_span_take(&names, ',');
		bool		known = false;
		ListCell   *cell;

		foreach(cell, run->indexes)
			known |= itable_same_table(((itableIndex *) lfirst(cell))->table->name,
									   name);
		if (!known && !is_gone(run, itable_cstring(name)))
			return false;
	}
	return true;
}

/* Gathers what comes next; false: there is no more. */
static bool
next_round(queueRun *run, itableReader *reader, MemoryContext context,
		   int room, int *n, const tmodel_entity **outboxes)
{
	tmodel_arena *arena = itable_arena(context);
	size_t		bytes = 0;

	*n = 0;
	while (*n < room && bytes < MAX_ROUND_BYTES)
	{
		const tmodel_entity *entity = itable_reader_next(reader);

		if (entity == NULL)
			return false;
		if (!is_ours_to_do(run, entity))
			continue;
		outboxes[(*n)++] = tmodel_entity_copy(arena, entity);
		itable_check_arena(arena);
		bytes += tmodel_entity_size(entity);
	}
	return true;
}

/*
 * Reads the outbox from its beginning and does what it asks for, "max" at most;
 * *done grows.  False: another worker was at it meanwhile, so that what was read
 * further on may be done already.
 */
static bool
pass(queueRun *run, itableBaton *baton, List *partitions, int max,
	 int *done)
{
	MemoryContext round = AllocSetContextCreate(CurrentMemoryContext,
												"itable_fdw queue round",
												ALLOCSET_DEFAULT_SIZES);
	const tmodel_entity **outboxes = palloc(sizeof(*outboxes) *
											ITABLE_CONVERGE_MAX);
	itableCounts counts = {0};
	itableProbes probes;
	itableReader *reader = read_outbox(run->fact, run->client, partitions,
									   &probes, &counts);
	bool		more = true;
	bool		alone = true;

	while (more && alone && *done < max)
	{
		MemoryContext old;
		int			n;

		CHECK_FOR_INTERRUPTS();
		more = next_round(run, reader, round,
						  Min(ITABLE_CONVERGE_MAX, max - *done), &n, outboxes);
		old = MemoryContextSwitchTo(round);
		alone = itable_converge(baton, run->client, run->fact, run->indexes, n,
								outboxes, done);
		MemoryContextSwitchTo(old);
		MemoryContextReset(round);
	}
	itable_reader_stop(reader);
	pfree(outboxes);
	MemoryContextDelete(round);
	return alone;
}

/*
 * Does what the outbox entities of those partitions (NIL: of the table) ask for,
 * "max" of them at most; returns how many.  Another worker at the table is waited
 * for.
 */
static int
process(queueRun *run, List *partitions, int max)
{
	itableBaton *baton = itable_baton(run->client, run->fact);
	int			passes = 0;
	int			waits = 0;
	int			done = 0;

	while (waits < run->patience && passes < MAX_PASSES)
	{
		CHECK_FOR_INTERRUPTS();
		if (!itable_baton_look(baton))
			(void) itable_pause(++waits);
		else if (pass(run, baton, partitions, max, &done))
			return done;
		else
			passes++;
	}
	run->busy = true;
	return done;
}

/* Messages read together. */
typedef struct queueMail
{
	itableCalls *calls;
	int			n;
	tstore_message messages[TSTORE_MESSAGES_MAX];
	tmodel_span names[TSTORE_MESSAGES_MAX]; /* of fact tables */
	bool		done[TSTORE_MESSAGES_MAX];
} queueMail;

static bool
has_partition(List *partitions, const tmodel_span *partition)
{
	ListCell   *cell;

	foreach(cell, partitions)
		if (tmodel_span_equal(*(tmodel_span *) lfirst(cell), *partition))
			return true;
	return false;
}

/* The partitions that messages tell of for the table, each once. */
static List *
partitions_of(const queueMail *mail, const itableTable *fact)
{
	List	   *partitions = NIL;

	for (int i = 0; i < mail->n; i++)
	{
		tmodel_span text = mail->messages[i].text;

		(void) tmodel_span_take(&text, '\n');
		while (itable_same_table(fact->name, mail->names[i]) &&
			   text.data != NULL)
		{
			tmodel_span *partition = palloc(sizeof(tmodel_span));

			*partition = tmodel_span_take(&text, '\n');
			if (!has_partition(partitions, partition))
				partitions = lappend(partitions, partition);
		}
	}
	return partitions;
}

/* Does what the messages tell of, as far as this database can. */
static int
follow_mail(queueMail *mail, Oid serverid, int patience, int max)
{
	int			done = 0;
	ListCell   *cell;

	foreach(cell, itable_queued_facts(serverid))
	{
		queueRun	run;
		List	   *partitions = partitions_of(mail,
											   itable_table_def(lfirst_oid(cell)));

		if (partitions == NIL || done >= max)
			continue;
		open_run(&run, lfirst_oid(cell), patience);
		done += process(&run, partitions, max - done);
		for (int i = 0; i < mail->n; i++)
			mail->done[i] |= !run.busy && done < max &&
				itable_same_table(run.fact->name, mail->names[i]);
	}
	return done;
}

static void
read_mail(queueMail *mail, tstore_client *client, tmodel_arena *arena)
{
	tstore_request *request = itable_call(mail->calls,
										  tstore_start_get_messages(client,
																	TMODEL_SPAN(ITABLE_QUEUE_NAME),
																	HIDDEN_SECONDS));

	itable_wait(mail->calls, request);
	mail->n = tstore_read_messages(arena, tstore_reply_of(request),
								   mail->messages);
	itable_check_arena(arena);
	itable_finish(mail->calls, request);
	for (int i = 0; i < mail->n; i++)
	{
		tmodel_span text = mail->messages[i].text;

		mail->names[i] = tmodel_span_take(&text, '\n');
		mail->done[i] = false;
	}
}

/* Deletes the messages that were done, all at a time. */
static void
delete_mail(const queueMail *mail, tstore_client *client)
{
	tstore_request *request;

	for (int i = 0; i < mail->n; i++)
		if (mail->done[i])
			(void) itable_call(mail->calls,
							   tstore_start_delete_message(client,
														   TMODEL_SPAN(ITABLE_QUEUE_NAME),
														   &mail->messages[i]));
	while ((request = itable_first_call(mail->calls)) != NULL)
	{
		itable_wait(mail->calls, request);
		itable_finish(mail->calls, request);
	}
}

/*
 * A message is deleted when what it tells of was done; else it comes back.  No
 * trouble with the queue matters: it only tells where to look first.
 */
static int
follow_messages(Oid serverid, int patience, int max)
{
	tstore_client *client = itable_queue_session(serverid, GetUserId());
	queueMail  *mail;
	int			done = 0;

	if (client == NULL)
		return 0;
	mail = palloc(sizeof(queueMail));
	mail->calls = itable_calls(CurrentMemoryContext, client);
	do
	{
		read_mail(mail, client, itable_arena(CurrentMemoryContext));
		done += follow_mail(mail, serverid, patience, max - done);
		delete_mail(mail, client);
	} while (mail->n == TSTORE_MESSAGES_MAX && done < max);
	return done;
}

int
itable_queue_process_table(Oid fact, int max, bool scan)
{
	Oid			serverid = itable_table_def(fact)->serverid;
	int			done = follow_messages(serverid, WORKER_PATIENCE, max);
	queueRun	run;

	if (done < max &&
		(scan || itable_queue_session(serverid, GetUserId()) == NULL))
	{
		open_run(&run, fact, WORKER_PATIENCE);
		done += process(&run, NIL, max - done);
	}
	return done;
}

int
itable_queue_process(Oid serverid, int max)
{
	int			done = follow_messages(serverid, HAND_PATIENCE, max);
	ListCell   *cell;

	foreach(cell, itable_queued_facts(serverid))
	{
		queueRun	run;

		if (done >= max)
			break;
		open_run(&run, lfirst_oid(cell), HAND_PATIENCE);
		done += process(&run, NIL, max - done);
	}
	return done;
}

List *
itable_queue_tables(void)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, itable_all_indexes())
	{
		const itableTable *index = itable_table_def(lfirst_oid(cell));
		Oid			fact = index->queued ? itable_fact_relid(index, true) :
		InvalidOid;

		if (OidIsValid(fact))
			result = list_append_unique_oid(result, fact);
	}
	return result;
}

Datum
itable_process_queue(PG_FUNCTION_ARGS)
{
	ForeignServer *server = GetForeignServerByName(NameStr(*PG_GETARG_NAME(0)),
												   false);
	int			max = PG_GETARG_INT32(1);

	if (max < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" must be greater than zero",
						"max_messages")));
	itable_compat_check_server_usage(server);
	PG_RETURN_INT32(itable_queue_process(server->serverid, max));
}

int64
itable_queue_backlog(const itableTable *table)
{
	itableCounts counts = {0};
	itableProbes probes;
	itableReader *reader;
	const tmodel_entity *entity;
	queueRun	run;
	int64		n = 0;

	if (!itable_is_index(table) || !table->queued)
		return 0;
	open_run(&run, itable_fact_relid(table, false), 0);
	reader = read_outbox(run.fact, run.client, NIL, &probes, &counts);
	while ((entity = itable_reader_next(reader)) != NULL)
		if (tmodel_is_outbox(entity) &&
			tmodel_outbox_names(entity, table->name))
			n++;
	itable_reader_stop(reader);
	return n;
}

Datum
itable_index_backlog(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(itable_queue_backlog(itable_table_def(PG_GETARG_OID(0))));
}
