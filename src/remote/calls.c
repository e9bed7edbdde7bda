/*
 * calls.c
 *	  Sets of requests in flight that end with a memory context.
 *
 * A scan or a flush keeps its requests here; when its context is reset, by
 * normal end or by an error, every request left is finished, so nothing leaks
 * and no connection stays with half an answer.  Easy to break: the callback
 * runs during abort and must not throw.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "remote/session.h"
#include "remote/trace.h"

struct itableCalls
{
	MemoryContextCallback callback;
	tstore_client *client;
	int			nrequests;
	int			capacity;
	tstore_request **requests;	/* started, not finished */
};

static void
release_calls(void *arg)
{
	itable_finish_all(arg);
	itable_session_hold(((itableCalls *) arg)->client, -1);
}

itableCalls *
itable_calls(MemoryContext context, tstore_client *client)
{
	itableCalls *calls = MemoryContextAllocZero(context, sizeof(itableCalls));

	calls->client = client;
	calls->capacity = 16;
	calls->requests = MemoryContextAlloc(context, calls->capacity *
										 sizeof(tstore_request *));
	calls->callback.func = release_calls;
	calls->callback.arg = calls;
	MemoryContextRegisterResetCallback(context, &calls->callback);
	itable_session_hold(client, +1);
	return calls;
}

tstore_request *
itable_call(itableCalls *calls, tstore_request *request)
{
	if (request == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	if (calls->nrequests == calls->capacity)
	{
		tstore_request **larger =
		repalloc_huge(calls->requests, 2 * calls->capacity *
					  sizeof(tstore_request *));

		calls->requests = larger;
		calls->capacity *= 2;
	}
	calls->requests[calls->nrequests++] = request;
	return request;
}

tstore_request *
itable_call_page(itableCalls *calls, tmodel_span table,
				 const tstore_query *query, const tstore_reply *after)
{
	tstore_query page = *query;

	if (after != NULL)
	{
		page.next_partition_key = after->next_partition_key;
		page.next_row_key = after->next_row_key;
	}
	return itable_call(calls,
					   tstore_start_query(calls->client, table, &page));
}

void
itable_wait(itableCalls *calls, tstore_request *request)
{
	for (;;)
	{
		bool		done = tstore_wait(calls->client, request);

		itable_trace_log();
		if (done)
			return;
		CHECK_FOR_INTERRUPTS();
	}
}

void
itable_wait_any(tstore_client *client)
{
	if (!tstore_wait(client, NULL))
		CHECK_FOR_INTERRUPTS();
}

void
itable_finish(itableCalls *calls, tstore_request *request)
{
	for (int i = 0; i < calls->nrequests; i++)
		if (calls->requests[i] == request)
		{
			calls->nrequests--;
			memmove(&calls->requests[i], &calls->requests[i + 1],
					(calls->nrequests - i) * sizeof(tstore_request *));
			tstore_finish(request);
			return;
		}
}

void
itable_finish_all(itableCalls *calls)
{
	while (calls->nrequests > 0)
		tstore_finish(calls->requests[--calls->nrequests]);
}

tstore_request *
itable_done_call(itableCalls *calls)
{
	for (int i = 0; i < calls->nrequests; i++)
		if (tstore_is_done(calls->requests[i]))
			return calls->requests[i];
	return NULL;
}

tstore_request *
itable_first_call(itableCalls *calls)
{
	return calls->nrequests > 0 ? calls->requests[0] : NULL;
}

int
itable_calls_open(const itableCalls *calls)
{
	return calls->nrequests;
}

tstore_client *
itable_calls_client(itableCalls *calls)
{
	return calls->client;
}
