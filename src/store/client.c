/*
 * client.c
 *	  The public interface: requests from their start to their reply.
 *
 * A request is in exactly one of four lists: queued (no connection is free),
 * active (an exchange is under way), waiting (for its next attempt) or done.
 * Everything moves in client_step(); only tstore_wait() waits.  Knows no HTTP
 * and no formats, see store_int.h; what can be asked for is in start.c.
 *
 * Called by remote/ and tests.  Easy to break: whatever belongs to an attempt
 * is in the arena "attempt", which the next attempt empties.
 */
#include "response.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLIENT_CONNECT_TIMEOUT_MS 10000
#define CLIENT_REQUEST_TIMEOUT_MS 60000
#define CLIENT_MAX_RETRIES 3
#define CLIENT_MAX_CONNECTIONS 8
/* how often should_abort is asked at least */
#define CLIENT_WAIT_MS 100

typedef struct client_list
{
	tstore_request *first;
	tstore_request *last;
	int			count;
} client_list;

struct tstore_request
{
	tstore_client *client;
	client_list *list;			/* where it is now */
	tstore_request *previous;
	tstore_request *next;
	void	   *user;
	tmodel_arena arena;			/* the call */
	tstore_call call;
	tmodel_arena attempt;		/* URL, headers and reply of one attempt */
	tstore_exchange exchange;
	tmodel_span signature;		/* of the attempt; never to be shown */
	bool		uncertain;		/* some attempt may have been applied */
	int			attempts;
	int64_t		bytes_sent;		/* all attempts */
	int64_t		bytes_received;
	int64_t		due_ms;			/* while waiting */
	bool		undecoded;		/* the reply's entities are still JSON */
	tstore_reply reply;
};

struct tstore_client
{
	tstore_hooks hooks;
	tmodel_arena arena;			/* the endpoint */
	tstore_endpoint endpoint;
	tstore_http *http;
	int			max_retries;
	int			max_connections;
	uint32_t	random;			/* state of the jitter */
	uint64_t	completions;	/* requests done since the start */
	bool		answered;		/* the service has named itself */
	bool		is_azurite;
	bool		at_once;		/* see tstore_waitable; until the next poll */
	client_list queued;
	client_list active;
	client_list waiting;
	client_list done;
	tstore_counters counters[TSTORE_KINDS];
	int64_t		writes_until_ms;	/* tstore_limit_writes; 0: no limit */
};

static void *
default_alloc(void *ctx, size_t size)
{
	(void) ctx;
	return malloc(size);
}

static void
default_release(void *ctx, void *ptr)
{
	(void) ctx;
	free(ptr);
}

const tstore_hooks tstore_default_hooks = {
	.allocator = {default_alloc, default_release, NULL}
};

/* The next number of a xorshift generator; its state is never 0. */
static uint32_t
client_random(tstore_client *client)
{
	uint32_t	x = client->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	client->random = x;
	return x;
}

/* Takes the request out of its list. */
static void
client_unlink(tstore_request *request)
{
	client_list *list = request->list;

	if (list == NULL)
		return;
	if (request->previous != NULL)
		request->previous->next = request->next;
	else
		list->first = request->next;
	if (request->next != NULL)
		request->next->previous = request->previous;
	else
		list->last = request->previous;
	list->count--;
	request->list = NULL;
	request->previous = request->next = NULL;
}

/* Moves the request to the end of a list. */
static void
client_move(tstore_request *request, client_list *list)
{
	client_unlink(request);
	request->list = list;
	request->previous = list->last;
	if (list->last != NULL)
		list->last->next = request;
	else
		list->first = request;
	list->last = request;
	list->count++;
}

/* Moves the request to the front of a list: its turn has come before. */
static void
client_move_first(tstore_request *request, client_list *list)
{
	client_unlink(request);
	request->list = list;
	request->next = list->first;
	if (list->first != NULL)
		list->first->previous = request;
	else
		list->last = request;
	list->first = request;
	list->count++;
}

/* Fills in what the configuration left open. */
static void
client_configure(tstore_client *client, const tstore_config *config,
				 tstore_http_options *options)
{
	struct timespec now;

	client->max_retries = config->max_retries >= 0 ? config->max_retries :
		CLIENT_MAX_RETRIES;
	client->max_connections = config->max_connections > 0 ?
		config->max_connections : CLIENT_MAX_CONNECTIONS;
	options->connect_timeout_ms = config->connect_timeout_ms > 0 ?
		config->connect_timeout_ms : CLIENT_CONNECT_TIMEOUT_MS;
	options->request_timeout_ms = config->request_timeout_ms > 0 ?
		config->request_timeout_ms : CLIENT_REQUEST_TIMEOUT_MS;
	options->max_connections = client->max_connections;
	options->ca_file = NULL;
	if (config->ca_file != NULL)
	{
		tmodel_span ca_file = tmodel_span_of(config->ca_file);

		options->ca_file = tmodel_span_copy(&client->arena, ca_file).data;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	client->random = (uint32_t) now.tv_nsec ^ ((uint32_t) getpid() << 12) ^
		(uint32_t) now.tv_sec;
	if (client->random == 0)
		client->random = 1;
}

/* See client.h. */
tstore_client *
tstore_open(const tstore_config *config, const tstore_hooks *hooks,
			tstore_error *error)
{
	tstore_http_options options;
	tstore_client *client;

	memset(error, 0, sizeof(*error));
	error->operation = -1;
	client = hooks->allocator.alloc(hooks->allocator.ctx, sizeof(*client));
	if (client == NULL)
	{
		tstore_error_set(error, TSTORE_NO_MEMORY,
						 TMODEL_SPAN("out of memory"));
		return NULL;
	}
	memset(client, 0, sizeof(*client));
	client->hooks = *hooks;
	tmodel_arena_init(&client->arena, &client->hooks.allocator);
	if (!tstore_endpoint_read(&client->arena, config, &client->endpoint,
							  error))
	{
		tstore_close(client);
		return NULL;
	}
	client_configure(client, config, &options);
	if (!client->arena.failed)
		client->http = tstore_http_open(&client->hooks.allocator, &options);
	if (client->http == NULL)
	{
		tstore_error_set(error, TSTORE_NO_MEMORY,
						 TMODEL_SPAN("out of memory"));
		tstore_close(client);
		return NULL;
	}
	return client;
}

/* See client.h. */
void
tstore_close(tstore_client *client)
{
	tmodel_allocator allocator;

	if (client == NULL)
		return;
	tstore_cancel_all(client);
	tstore_http_close(client->http);
	tstore_endpoint_forget(&client->endpoint);
	tmodel_arena_reset(&client->arena);
	allocator = client->hooks.allocator;
	allocator.release(allocator.ctx, client);
}

/* See client.h. */
void
tstore_cancel_all(tstore_client *client)
{
	client_list *lists[] = {
		&client->active, &client->queued, &client->waiting, &client->done
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
	{
		while (lists[i]->first != NULL)
			tstore_finish(lists[i]->first);
	}
}

/* See client.h. */
void
tstore_finish(tstore_request *request)
{
	tstore_client *client;
	tmodel_allocator *allocator;

	if (request == NULL)
		return;
	client = request->client;
	allocator = &client->hooks.allocator;
	if (client->http != NULL)
	{
		tstore_http_cancel(client->http, &request->exchange);
		tstore_http_forget(client->http, &request->exchange);
	}
	client_unlink(request);
	tmodel_arena_reset(&request->attempt);
	tmodel_arena_reset(&request->arena);
	allocator->release(allocator->ctx, request);
}

/* See store_int.h. */
tstore_request *
tstore_request_new(tstore_client *client)
{
	tmodel_allocator *allocator = &client->hooks.allocator;
	tstore_request *request = allocator->alloc(allocator->ctx,
											   sizeof(*request));

	if (request == NULL)
		return NULL;
	memset(request, 0, sizeof(*request));
	request->client = client;
	request->reply.error.operation = -1;
	request->reply.server_time = -1;
	tmodel_arena_init(&request->arena, allocator);
	tmodel_arena_init(&request->attempt, allocator);
	return request;
}

/* Forgets what the last attempt brought. */
static void
client_clear_reply(tstore_request *request)
{
	tstore_reply *reply = &request->reply;

	memset(reply, 0, sizeof(*reply));
	reply->error.operation = -1;
	reply->server_time = -1;
}

/* Traces one line; "what" is the reply's failure or "". */
static void
client_trace(const tstore_request *request, const char *component,
			 const char *what, int64_t ms)
{
	const tstore_client *client = request->client;
	const tstore_call *call = &request->call;
	char		line[1024];

	if (client->hooks.trace == NULL)
		return;
	snprintf(line, sizeof(line), "%s %.*s%s %d %lld ms%s%s", call->method,
			 call->target.len < 700 ? (int) call->target.len : 700,
			 call->target.data, call->target.len < 700 ? "" : "...",
			 request->reply.error.http_status, (long long) ms,
			 what[0] != '\0' ? ": " : "", what);
	client->hooks.trace(client->hooks.ctx, component, line);
}

/* The reply is final. */
static void
client_complete(tstore_request *request)
{
	tstore_client *client = request->client;
	tstore_reply *reply = &request->reply;
	tstore_counters *counters = &client->counters[request->call.kind];

	reply->attempts = request->attempts;
	reply->bytes_sent = request->bytes_sent;
	reply->bytes_received = request->bytes_received;
	if (reply->error.status == TSTORE_OK)
		counters->entities += reply->nentities + reply->netags;
	else
	{
		reply->error.maybe_applied = request->uncertain;
		tstore_endpoint_scrub(&client->endpoint, request->signature,
							  reply->error.message);
	}
	client->completions++;
	client_move(request, &client->done);
}

/* See store_int.h. */
void
tstore_request_refuse(tstore_request *request, tstore_status status,
					  const char *message, int operation)
{
	tstore_error_set(&request->reply.error, status, tmodel_span_of(message));
	request->reply.error.operation = operation;
	client_complete(request);
}

/* See client.h. */
void
tstore_limit_writes(tstore_client *client, int64_t left_ms)
{
	client->writes_until_ms = left_ms < 0 ? 0 : tstore_now_ms() + left_ms;
}

/* May an attempt that begins in wait_ms be too late? */
static bool
client_is_late(const tstore_request *request, int64_t wait_ms)
{
	int64_t		until_ms = request->client->writes_until_ms;

	return until_ms > 0 && !request->call.read &&
		tstore_now_ms() + wait_ms > until_ms;
}

/* Starts the next attempt; a request that cannot be started is done. */
static void
client_launch(tstore_request *request)
{
	tstore_client *client = request->client;

	if (client_is_late(request, 0))
	{
		tstore_request_refuse(request, TSTORE_ABORTED, "too late to be sent",
							  -1);
		return;
	}
	client_clear_reply(request);
	tmodel_arena_reset(&request->attempt);
	if (!tstore_attempt_prepare(&request->attempt, &client->endpoint,
								&request->call, (int64_t) time(NULL),
								&request->exchange, &request->signature))
	{
		tstore_request_refuse(request, TSTORE_NO_MEMORY, "out of memory", -1);
		return;
	}
	request->exchange.user = request;
	if (!tstore_http_start(client->http, &request->exchange))
	{
		tstore_request_refuse(request, TSTORE_NO_MEMORY, "out of memory", -1);
		return;
	}
	request->attempts++;
	client->counters[request->call.kind].requests++;
	client_move(request, &client->active);
}

/* Reads what the exchange brought into the reply. */
static void
client_read_reply(tstore_request *request)
{
	static const tstore_status of_outcome[] = {
		[TSTORE_O_ANSWERED] = TSTORE_OK,
		[TSTORE_O_CONNECT] = TSTORE_CONNECT,
		[TSTORE_O_TLS] = TSTORE_TLS,
		[TSTORE_O_TIMEOUT] = TSTORE_TIMEOUT,
		[TSTORE_O_LOST] = TSTORE_LOST,
		[TSTORE_O_PROTOCOL] = TSTORE_PROTOCOL,
		[TSTORE_O_NO_MEMORY] = TSTORE_NO_MEMORY
	};
	tstore_exchange *exchange = &request->exchange;
	tstore_reply *reply = &request->reply;

	if (exchange->outcome == TSTORE_O_ANSWERED)
	{
		tstore_response_read(&request->attempt, &request->call, exchange,
							 reply);
		request->undecoded = request->call.lazy &&
			reply->error.status == TSTORE_OK;
	}
	else
		tstore_error_set(&reply->error, of_outcome[exchange->outcome],
						 tmodel_span_of(exchange->message));
}

/* Remembers what kind of service answers; see tstore_may_batch. */
static void
client_note_server(tstore_request *request)
{
	tmodel_span server = request->exchange.answer.server;
	tmodel_span azurite = TMODEL_SPAN("Azurite");

	if (request->exchange.outcome != TSTORE_O_ANSWERED)
		return;
	request->client->answered = true;
	request->client->is_azurite = server.len >= azurite.len &&
		memcmp(server.data, azurite.data, azurite.len) == 0;
}

/* See client.h. */
bool
tstore_may_batch(const tstore_client *client, tmodel_span partition_key,
				 tmodel_span row_key)
{
	const tmodel_span keys[] = {partition_key, row_key};

	if (client->answered && !client->is_azurite)
		return true;
	for (int i = 0; i < 2; i++)
		if (keys[i].len > 0 && (keys[i].data[0] == ',' ||
								memmem(keys[i].data, keys[i].len, "',", 2)))
			return false;
	return row_key.len > 0;
}

/* May this attempt have changed something although it ended badly? */
static bool
client_is_uncertain(const tstore_request *request)
{
	tstore_status status = request->reply.error.status;
	int			http_status = request->reply.error.http_status;

	if (request->call.read || status == TSTORE_OK)
		return false;
	if (tstore_retry_is_uncertain(status))
		return true;
	/* an answer we could not read, unless its status tells enough */
	return (status == TSTORE_PROTOCOL || status == TSTORE_NO_MEMORY) &&
		request->exchange.sent && (http_status < 300 || http_status >= 500);
}

/* Counts the attempt that just ended. */
static void
client_count(tstore_request *request)
{
	tstore_exchange *exchange = &request->exchange;
	tstore_counters *counters =
		&request->client->counters[request->call.kind];

	counters->bytes_sent += exchange->bytes_sent;
	counters->bytes_received += exchange->bytes_received;
	counters->connections += exchange->connections;
	if (request->reply.error.status == TSTORE_THROTTLED)
		counters->throttles++;
	request->bytes_sent += exchange->bytes_sent;
	request->bytes_received += exchange->bytes_received;
}

/* An exchange ended: the request is done or waits for another attempt. */
static void
client_attempt_ended(tstore_request *request)
{
	tstore_client *client = request->client;
	tstore_status status;
	int64_t		wait_ms;

	client_note_server(request);
	client_read_reply(request);
	status = request->reply.error.status;
	client_count(request);
	client_trace(request, "http", status == TSTORE_OK ? "" :
				 tstore_status_text(status), request->exchange.elapsed_ms);
	if (client_is_uncertain(request))
		request->uncertain = true;
	wait_ms = tstore_retry_wait_ms(&(tstore_retry_case)
	{
		.attempt = request->attempts,
			.max_retries = client->max_retries,
			.status = status,
			.http_status = request->reply.error.http_status,
			.read = request->call.read,
			.idempotent = request->call.idempotent,
			.told_ms = tstore_retry_told_ms(&request->exchange.answer,
											(int64_t) time(NULL)),
			.random = client_random(client)
	});
	if (wait_ms < 0 || client_is_late(request, wait_ms))
	{
		client_complete(request);
		return;
	}
	client->counters[request->call.kind].retries++;
	client_trace(request, "retry", "waiting", wait_ms);
	request->due_ms = tstore_now_ms() + wait_ms;
	client_move(request, &client->waiting);
}

/* Queues the requests whose wait is over, before all others. */
static void
client_wake(tstore_client *client)
{
	tstore_request *request = client->waiting.first;
	int64_t		now = request != NULL ? tstore_now_ms() : 0;

	while (request != NULL)
	{
		tstore_request *next = request->next;

		if (request->due_ms <= now)
			client_move_first(request, &client->queued);
		request = next;
	}
}

/* Moves everything that can be moved. */
static void
client_step(tstore_client *client)
{
	tstore_exchange *exchange;

	client_wake(client);
	while (client->queued.first != NULL &&
		   client->active.count < client->max_connections)
		client_launch(client->queued.first);
	if (client->active.count == 0)
		return;
	tstore_http_perform(client->http);
	while ((exchange = tstore_http_next_done(client->http)) != NULL)
		client_attempt_ended(exchange->user);
}

/* How long nothing need be done, should_abort included. */
static int
client_wait_ms(const tstore_client *client)
{
	int64_t		wait_ms = CLIENT_WAIT_MS;
	int64_t		now = client->waiting.first != NULL ? tstore_now_ms() : 0;

	if (client->queued.first != NULL &&
		client->active.count < client->max_connections)
		return 0;				/* a connection became free in this step */
	for (const tstore_request *request = client->waiting.first;
		 request != NULL; request = request->next)
	{
		if (request->due_ms - now < wait_ms)
			wait_ms = request->due_ms > now ? request->due_ms - now : 0;
	}
	return (int) wait_ms;
}

/* See client.h. */
int
tstore_waitable(tstore_client *client, bool at_once)
{
	/* several who wait may ask before one of them looks */
	client->at_once |= at_once;
	return tstore_http_waitable(client->http, client->at_once ? 0 :
								client_wait_ms(client));
}

/* See client.h. */
bool
tstore_wait(tstore_client *client, tstore_request *request)
{
	uint64_t	completions = client->completions;

	for (;;)
	{
		client_step(client);
		if (request != NULL ? tstore_is_done(request) :
			client->completions != completions)
			return true;
		if (client->queued.count + client->active.count +
			client->waiting.count == 0)
			return true;
		if (client->hooks.should_abort != NULL &&
			client->hooks.should_abort(client->hooks.ctx))
			return false;
		tstore_http_wait(client->http, client_wait_ms(client));
	}
}

/* See client.h. */
void
tstore_poll(tstore_client *client)
{
	client->at_once = false;
	if (client->active.count + client->queued.count +
		client->waiting.count > 0)
		client_step(client);
}

/* See client.h. */
bool
tstore_is_done(const tstore_request *request)
{
	return request->list == &request->client->done;
}

/* See client.h. */
const tstore_reply *
tstore_reply_of(tstore_request *request)
{
	if (request->undecoded)
	{
		request->undecoded = false;
		tstore_response_decode(&request->attempt, &request->exchange,
							   &request->reply);
		request->client->counters[request->call.kind].entities +=
			request->reply.nentities;
	}
	return &request->reply;
}

/* See client.h. */
const tstore_reply *
tstore_reply_head(const tstore_request *request)
{
	return &request->reply;
}

/* See client.h. */
void
tstore_set_user(tstore_request *request, void *user)
{
	request->user = user;
}

/* See client.h. */
void *
tstore_user(const tstore_request *request)
{
	return request->user;
}

/* See client.h. */
const tstore_counters *
tstore_statistics(const tstore_client *client)
{
	return client->counters;
}

/* See client.h. */
void
tstore_reset_statistics(tstore_client *client)
{
	memset(client->counters, 0, sizeof(client->counters));
}

/* See store_int.h. */
void
tstore_request_trace(const tstore_request *request, const char *component,
					 const char *line)
{
	const tstore_hooks *hooks = &request->client->hooks;

	if (hooks->trace != NULL)
		hooks->trace(hooks->ctx, component, line);
}

/* See store_int.h. */
tstore_call *
tstore_request_call(tstore_request *request, tmodel_arena **arena,
					const tstore_endpoint **endpoint)
{
	*arena = &request->arena;
	*endpoint = &request->client->endpoint;
	return &request->call;
}

/* See store_int.h. */
tstore_request *
tstore_request_queue(tstore_request *request, bool written)
{
	if (!written)
	{
		tstore_finish(request);
		return NULL;
	}
	client_move(request, &request->client->queued);
	client_step(request->client);
	return request;
}
