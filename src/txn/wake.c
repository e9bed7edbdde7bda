/*
 * wake.c
 *	  Messages that tell workers where queued work has come up.
 *
 * After a flush one message for each fact table names the partitions that got
 * outbox entities: the table's name and the PartitionKeys, a line each (no key
 * contains a line feed).  Sent only where the server has queue_endpoint, best
 * effort, with short time-outs: what a lost message would have said, a scan
 * finds.  Called by flush.c when everything is committed.  Easy to break: nothing
 * may be thrown any more.
 */
#include "postgres.h"

#include "model/outbox.h"
#include "remote/session.h"
#include "txn/wake.h"

/* Partitions named by one message; a worker scans the table for the others. */
#define MAX_PARTITIONS 200

/* What one message will say. */
typedef struct wakeText
{
	const itableTable *table;
	Oid			userid;
	int			npartitions;
	tmodel_span partitions[MAX_PARTITIONS];
	tmodel_buf	text;
} wakeText;

/* Has the change left an outbox entity?  It is the last companion. */
static bool
has_outbox(const flushItem *item)
{
	const tmodel_change *change = item->change;

	return change != NULL && change->ncompanions > 0 &&
		tmodel_machine_verdict(item->machine) == TMODEL_COMMITTED &&
		tmodel_is_outbox(change->companions[change->ncompanions - 1].entity);
}

/* Adds the partition, unless it is there or there are many. */
static void
add_partition(wakeText *wake, tmodel_span partition)
{
	for (int i = wake->npartitions; i > 0; i--)
		if (tmodel_span_equal(wake->partitions[i - 1], partition))
			return;
	if (wake->npartitions == MAX_PARTITIONS ||
		wake->text.len + partition.len + 1 > TSTORE_MESSAGE_MAX)
		return;
	tmodel_buf_putc(&wake->text, '\n');
	tmodel_buf_span(&wake->text, partition);
	wake->partitions[wake->npartitions++] = partition;
}

/* Sends and forgets, whatever becomes of it. */
static void
send(tstore_client *client, const wakeText *wake)
{
	const tmodel_span queue = TMODEL_SPAN(ITABLE_QUEUE_NAME);
	tmodel_span text = tmodel_buf_text(&wake->text);

	for (int try = 0; try < 2; try++)
	{
		tstore_request *request = tstore_start_put_message(client, queue,
														   text);
		bool		missing;

		if (request == NULL)
			return;
		if (!tstore_wait(client, request))
		{
			tstore_finish(request);
			return;
		}
		missing = tstore_reply_of(request)->error.http_status == 404;
		tstore_finish(request);
		if (!missing || try > 0)
			return;
		/* the first message ever makes the queue */
		request = tstore_start_create_queue(client, queue);
		if (request == NULL)
			return;
		(void) tstore_wait(client, request);
		tstore_finish(request);
	}
}

static void
send_text(const wakeText *wake)
{
	MemoryContext context = CurrentMemoryContext;
	tstore_client *volatile client = NULL;

	if (wake->npartitions == 0 || wake->text.arena->failed)
		return;
	/* a token file that cannot be read, say, must not undo a commit */
	PG_TRY();
	{
		client = itable_queue_session(wake->table->serverid, wake->userid);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	if (client != NULL)
		send(client, wake);
}

void
itable_wake(const flushSite *sites, tmodel_arena *arena)
{
	for (const flushSite *site = sites; site != NULL; site = site->next)
	{
		wakeText	wake = {0};

		tmodel_buf_init(&wake.text, arena);
		for (int i = 0; i < site->nitems; i++)
		{
			const flushItem *item = &site->items[i];

			if (!has_outbox(item))
				continue;
			if (wake.table != item->table)
			{
				send_text(&wake);
				memset(&wake, 0, sizeof(wake));
				wake.table = item->table;
				wake.userid = site->userid;
				tmodel_buf_init(&wake.text, arena);
				tmodel_buf_span(&wake.text, item->table->name);
			}
			add_partition(&wake, item->partition_key);
		}
		send_text(&wake);
	}
}
