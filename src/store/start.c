/*
 * start.c
 *	  The tstore_start_* functions: what can be asked of the store.
 *
 * Each writes its call into a new request and queues it.  Requests that must
 * not be sent (a batch of 101, a conditional write without ETag) are done at
 * once, with an error like any other.
 *
 * Called by remote/ and tests.  Easy to break: arguments belong to the caller
 * again when a function returns, so calls copy all they keep.
 */
#include "store_int.h"

#include <stdio.h>

/* See client.h. */
tstore_request *
tstore_start_get(tstore_client *client, tmodel_span table,
				 tmodel_span partition_key, tmodel_span row_key,
				 int nselect, const tmodel_span *select)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_get(arena, endpoint, table, partition_key, row_key,
							  nselect, select, call);
	return tstore_request_queue(request, written);
}

/* See client.h. */
tstore_request *
tstore_start_query(tstore_client *client, tmodel_span table,
				   const tstore_query *query)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_query(arena, endpoint, table, query, call);
	return tstore_request_queue(request, written);
}

/* See client.h. */
tstore_request *
tstore_start_write(tstore_client *client, tmodel_span table,
				   const tstore_operation *operation)
{
	tstore_request *request = tstore_request_new(client);
	const char *fault = tstore_operation_fault(operation);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	if (fault != NULL)
	{
		tstore_request_refuse(request, TSTORE_INVALID, fault, -1);
		return request;
	}
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_write(arena, endpoint, table, operation, call);
	return tstore_request_queue(request, written);
}

/* The first operation that must not be sent, or -1; *fault says why. */
static int
start_find_fault(int noperations, const tstore_operation *operations,
				 const char **fault)
{
	for (int i = 0; i < noperations; i++)
	{
		*fault = tstore_operation_fault(&operations[i]);
		if (*fault != NULL)
			return i;
	}
	return -1;
}

/* Traces the size of a batch. */
static void
start_trace_batch(const tstore_request *request, tmodel_span table,
				  const tstore_call *call)
{
	char		line[160];

	snprintf(line, sizeof(line), "%.*s: %d operations, %zu bytes",
			 table.len < 64 ? (int) table.len : 64, table.data,
			 call->noperations, call->body.len);
	tstore_request_trace(request, "batch", line);
}

/* See client.h. */
tstore_request *
tstore_start_batch(tstore_client *client, tmodel_span table, int noperations,
				   const tstore_operation *operations)
{
	tstore_request *request = tstore_request_new(client);
	const char *fault = "a batch has 1 to 100 operations";
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	int			faulty = -1;
	bool		fits = noperations >= 1 &&
		noperations <= TSTORE_MAX_BATCH_OPERATIONS;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	call->kind = TSTORE_K_BATCH;
	if (fits)
		faulty = start_find_fault(noperations, operations, &fault);
	if (!fits || faulty >= 0)
	{
		tstore_request_refuse(request, TSTORE_INVALID, fault, faulty);
		return request;
	}
	if (!tstore_call_batch(arena, endpoint, table, noperations, operations,
						   call))
		return tstore_request_queue(request, false);
	start_trace_batch(request, table, call);
	return tstore_request_queue(request, true);
}

/* See client.h. */
tstore_request *
tstore_start_create_table(tstore_client *client, tmodel_span table)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_create_table(arena, endpoint, table, call);
	return tstore_request_queue(request, written);
}

/* See client.h. */
tstore_request *
tstore_start_delete_table(tstore_client *client, tmodel_span table)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_delete_table(arena, endpoint, table, call);
	return tstore_request_queue(request, written);
}

/* See client.h. */
tstore_request *
tstore_start_list_tables(tstore_client *client, const tstore_query *query)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;
	tstore_call *call;
	bool		written;

	if (request == NULL)
		return NULL;
	call = tstore_request_call(request, &arena, &endpoint);
	written = tstore_call_list_tables(arena, endpoint, query, call);
	return tstore_request_queue(request, written);
}
