/*
 * async.c
 *	  Scans that wait beside each other: foreign partitions under an Append.
 *
 * Each scan sends its first requests when the Append begins, and hands over a
 * row whenever one has come; the Append waits for all of them at once, by the
 * descriptor that a client has for this.  Called by the executor.  Easy to
 * break: several scans may share a client, so that one scan's wait brings the
 * other's answer: a scan that is ready must not wait for its descriptor.
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "executor/execAsync.h"
#include "miscadmin.h"
#include "storage/latch.h"

#include "exec/scan.h"

/* The next row, the end, or that there is neither yet. */
static void
answer(AsyncRequest *request)
{
	ForeignScanState *node = (ForeignScanState *) request->requestee;
	itableScan *scan = node->fdw_state;
	TupleTableSlot *slot = NULL;

	/* rows that the node's clauses reject make no answer */
	if (itable_scan_is_ready(node))
		slot = node->ss.ps.ExecProcNodeReal(&node->ss.ps);
	if (!TupIsNull(slot))
		ExecAsyncRequestDone(request, slot);
	else if (scan->at_end)
		ExecAsyncRequestDone(request, NULL);
	else
		ExecAsyncRequestPending(request);
}

void
itableForeignAsyncRequest(AsyncRequest *request)
{
	answer(request);
}

static void
close_waitable(void *arg)
{
	itableScan *scan = arg;

	if (scan->waitable >= 0)
		close(scan->waitable);
	scan->waitable = -1;
}

/* One of its own for each scan: a set of events takes none twice. */
static int
waitable_of(itableScan *scan, bool at_once)
{
	int			fd = tstore_waitable(itable_source_client(scan->source),
									 at_once);

	if (fd >= 0 && scan->waitable < 0)
	{
		scan->waitable = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		scan->closing.func = close_waitable;
		scan->closing.arg = scan;
		MemoryContextRegisterResetCallback(scan->context, &scan->closing);
	}
	if (fd < 0 || scan->waitable < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_RESOURCES),
				 errmsg("cannot wait for the store beside other things: %m"),
				 errhint("Set option async_capable to 'false'.")));
	return scan->waitable;
}

void
itableForeignAsyncConfigureWait(AsyncRequest *request)
{
	ForeignScanState *node = (ForeignScanState *) request->requestee;
	AppendState *append = (AppendState *) request->requestor;
	bool		ready = itable_scan_is_ready(node);

	AddWaitEventToSet(append->as_eventset, WL_SOCKET_READABLE,
					  waitable_of(node->fdw_state, ready), NULL, request);
}

void
itableForeignAsyncNotify(AsyncRequest *request)
{
	itableScan *scan = ((ForeignScanState *) request->requestee)->fdw_state;

	/* the Append does not look for cancel requests while it waits */
	CHECK_FOR_INTERRUPTS();
	tstore_poll(itable_source_client(scan->source));
	answer(request);
}
