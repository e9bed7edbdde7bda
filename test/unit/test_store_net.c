/*
 * test_store_net.c
 *		The store client against a network that misbehaves.
 *
 * A thread plays a server from a script: for each request in turn, what to
 * answer and whether to close.  So every failure has its place and its number,
 * and the requests the client sent can be looked at afterwards.
 */
#include "unit.h"

#include "store/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* What happens to one request. */
typedef struct net_step
{
	const char *answer;			/* NULL: none */
	bool		close;			/* afterwards; else the connection lives */
	bool		silent;			/* keep it open and say nothing more */
} net_step;

#define NET_MAX_REQUESTS 16

typedef struct net_server
{
	int			listener;
	char		endpoint[64];
	pthread_t	thread;
	int			nsteps;
	const net_step *steps;
	bool		obliging;		/* no script: answer every request well */
	int			nrequests;		/* read so far */
	int			nconnections;
	char		requests[NET_MAX_REQUESTS][8192];
} net_server;

#define NO_CONTENT "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n" \
	"ETag: W/\"1\"\r\n\r\n"
#define EMPTY_PAGE "HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{\"value\":[]}"

/* Two operations, both well. */
#define BATCH_ACCEPTED "HTTP/1.1 202 Accepted\r\nContent-Length: 121\r\n" \
	"Content-Type: multipart/mixed; boundary=b\r\n\r\n" \
	"--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 A\r\n\r\n" \
	"--b\r\nContent-Type: application/http\r\n\r\nHTTP/1.1 204 A\r\n\r\n" \
	"--b--\r\n"

/* The length of the body the headers announce. */
static size_t
net_body_length(const char *text)
{
	const char *header = strcasestr(text, "\r\nContent-Length:");

	return header != NULL ? (size_t) strtoul(header + 17, NULL, 10) : 0;
}

/* Reads one whole request; false when the peer closed. */
static bool
net_read_request(int fd, char *text, size_t size)
{
	size_t		len = 0;

	for (;;)
	{
		const char *end;
		ssize_t		n = recv(fd, text + len, size - 1 - len, 0);

		if (n <= 0)
			return false;
		len += (size_t) n;
		text[len] = '\0';
		end = strstr(text, "\r\n\r\n");
		if (end != NULL &&
			len >= (size_t) (end + 4 - text) + net_body_length(text))
			return true;
		if (len == size - 1)
			return false;
	}
}

/* Serves one connection; false when the script is over. */
static bool
net_serve(net_server *server, int fd)
{
	char		request[8192];

	while (net_read_request(fd, request, sizeof(request)))
	{
		net_step	obliging = {NO_CONTENT, false, false};
		const net_step *step = &obliging;

		if (!server->obliging && server->nrequests == server->nsteps)
			return false;
		if (!server->obliging)
			step = &server->steps[server->nrequests];
		else if (strncmp(request, "GET", 3) == 0)
			obliging.answer = EMPTY_PAGE;
		else if (strstr(request, "$batch ") != NULL)
			obliging.answer = BATCH_ACCEPTED;
		memcpy(server->requests[server->nrequests++ % NET_MAX_REQUESTS],
			   request, sizeof(request));
		if (step->answer != NULL &&
			send(fd, step->answer, strlen(step->answer), MSG_NOSIGNAL) < 0)
			return true;
		if (step->silent)
			(void) net_read_request(fd, request, sizeof(request));
		if (step->close || step->silent)
			return true;
	}
	return true;
}

static void *
net_main(void *arg)
{
	net_server *server = arg;

	for (;;)
	{
		int			fd = accept(server->listener, NULL, NULL);
		bool		more;

		if (fd < 0)
			return NULL;
		server->nconnections++;
		more = net_serve(server, fd);
		close(fd);
		if (!more)
			return NULL;
	}
}

/* A listening socket on a free port of this machine. */
static int
net_listen(char *endpoint, size_t size, const char *path)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t	len = sizeof(address);
	int			fd = socket(AF_INET, SOCK_STREAM, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *) &address, len) < 0 ||
		listen(fd, 16) < 0 ||
		getsockname(fd, (struct sockaddr *) &address, &len) < 0)
	{
		UNIT_FAIL("cannot listen");
		return -1;
	}
	snprintf(endpoint, size, "http://127.0.0.1:%d%s",
			 (int) ntohs(address.sin_port), path);
	return fd;
}

static void
net_start(net_server *server, int nsteps, const net_step *steps)
{
	memset(server, 0, sizeof(*server));
	server->nsteps = nsteps;
	server->steps = steps;
	server->obliging = nsteps == 0;
	server->listener = net_listen(server->endpoint, sizeof(server->endpoint),
								  "/acct");
	pthread_create(&server->thread, NULL, net_main, server);
}

/* Call after the client is closed. */
static void
net_stop(net_server *server)
{
	shutdown(server->listener, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	close(server->listener);
}

/* What the client traced, one line after the other. */
static char net_traced[16384];

static void
net_trace(void *ctx, const char *component, const char *line)
{
	size_t		len = strlen(net_traced);

	(void) ctx;
	snprintf(net_traced + len, sizeof(net_traced) - len, "%s: %s\n",
			 component, line);
}

static tstore_client *
net_open(const char *endpoint, const tstore_config *settings)
{
	tstore_config config = {.max_retries = -1};
	tstore_hooks hooks = tstore_default_hooks;
	tstore_error error;
	tstore_client *client;

	signal(SIGPIPE, SIG_IGN);	/* as in a PostgreSQL backend */
	if (settings != NULL)
		config = *settings;
	config.endpoint = endpoint;
	hooks.trace = net_trace;
	net_traced[0] = '\0';
	client = tstore_open(&config, &hooks, &error);
	if (client == NULL)
		UNIT_FAIL("open: %s", error.message);
	return client;
}

static tmodel_entity net_entity = {
	.partition_key = {"p", 1}, .row_key = {"r", 1}
};

/* Sends one write and waits; the request is the caller's. */
static tstore_request *
net_write(tstore_client *client, tstore_write write)
{
	tstore_operation operation = {
		.write = write, .entity = &net_entity, .if_match = {"*", 1}
	};
	tstore_request *request = tstore_start_write(client, TMODEL_SPAN("tab"),
												 &operation);

	if (!tstore_wait(client, request))
		UNIT_FAIL("wait was aborted");
	return request;
}

static tstore_request *
net_query(tstore_client *client)
{
	tstore_query query = {.filter = TMODEL_SPAN("a eq '+'")};
	tstore_request *request = tstore_start_query(client, TMODEL_SPAN("tab"),
												 &query);

	if (!tstore_wait(client, request))
		UNIT_FAIL("wait was aborted");
	return request;
}

/* One client, one server, one exchange of words. */
#define NET_SCRIPT(...) \
	static const net_step steps[] = {__VA_ARGS__}; \
	net_server	server; \
	tstore_client *client; \
	tstore_request *request; \
	const tstore_error *error; \
	net_start(&server, sizeof(steps) / sizeof(steps[0]), steps); \
	client = net_open(server.endpoint, NULL)

UNIT_TEST(store_net_read_is_repeated)
{
	NET_SCRIPT(
		{"HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
			true, false},
		{NULL, true, false},
		{"HTTP/1.1 500 No\r\nretry-after-ms: 1\r\nContent-Length: 0\r\n\r\n",
			true, false},
		{EMPTY_PAGE, false, false});

	request = net_query(client);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_OK);
	CHECK_INT(tstore_reply_of(request)->attempts, 4);
	CHECK_INT(tstore_statistics(client)[TSTORE_K_QUERY].retries, 3);
	CHECK_INT(tstore_statistics(client)[TSTORE_K_QUERY].throttles, 1);
	CHECK_INT(tstore_statistics(client)[TSTORE_K_QUERY].requests, 4);
	CHECK(strstr(server.requests[3], "GET /acct/tab()?$filter=a%20eq%20"
				 "%27%2B%27 HTTP/1.1\r\n") != NULL);
	CHECK(strstr(net_traced, "retry: ") != NULL);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* The connection breaks while an insert is under way: never sent again. */
UNIT_TEST(store_net_insert_is_lost)
{
	NET_SCRIPT({NULL, true, false}, {NO_CONTENT, false, false});

	request = net_write(client, TSTORE_INSERT);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_LOST);
	CHECK(error->maybe_applied);
	CHECK_INT(error->http_status, 0);
	CHECK_INT(server.nrequests, 1);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* The same on a kept-alive connection, where libcurl would send it again. */
UNIT_TEST(store_net_insert_is_not_replayed)
{
	NET_SCRIPT({NO_CONTENT, false, false}, {NULL, true, false},
			   {NO_CONTENT, false, false});

	tstore_finish(net_write(client, TSTORE_INSERT));
	request = net_write(client, TSTORE_INSERT);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_LOST);
	CHECK(error->maybe_applied);
	CHECK_INT(tstore_reply_of(request)->attempts, 1);
	CHECK_INT(server.nrequests, 2);
	tstore_finish(request);
	request = net_write(client, TSTORE_DELETE);
	CHECK_INT(tstore_reply_of(request)->error.status, TSTORE_OK);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* A read on a broken kept-alive connection goes on without being noticed. */
UNIT_TEST(store_net_read_is_replayed)
{
	NET_SCRIPT({EMPTY_PAGE, false, false}, {NULL, true, false},
			   {EMPTY_PAGE, false, false});

	tstore_finish(net_query(client));
	request = net_query(client);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_OK);
	CHECK_INT(tstore_reply_of(request)->attempts, 1);
	CHECK_INT(server.nrequests, 3);
	CHECK_INT(server.nconnections, 2);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* An upsert is repeated; what the first attempt did stays unknown for ever. */
UNIT_TEST(store_net_upsert_stays_uncertain)
{
	NET_SCRIPT({NULL, true, false},
			   {"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", false, false},
			   {"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n", false, false});

	request = net_write(client, TSTORE_UPSERT_REPLACE);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_AUTH);
	CHECK_INT(tstore_reply_of(request)->attempts, 2);
	CHECK(error->maybe_applied);
	tstore_finish(request);
	request = net_write(client, TSTORE_UPSERT_REPLACE);
	CHECK(!tstore_reply_of(request)->error.maybe_applied);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* Answers that are not of this protocol. */
UNIT_TEST(store_net_odd_answers)
{
	NET_SCRIPT(
		{"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
			"Content-Length: 0\r\n\r\n", false, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", false, false},
		{"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n{", true, false},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
			"6\r\n{\"valu\r\n6\r\ne\":[]}\r\n0\r\n\r\n", false, false},
		{"HTTP/1.1 418 Tea\r\nContent-Length: 0\r\n\r\n", true, false},
		{"SSH-2.0-OpenSSH\r\n", true, false});
	static const tstore_status expected[] = {
		TSTORE_PROTOCOL, TSTORE_PROTOCOL, TSTORE_OK, TSTORE_INVALID,
		TSTORE_PROTOCOL
	};

	for (int i = 0; i < 5; i++)
	{
		request = net_query(client);
		error = &tstore_reply_of(request)->error;
		CHECK_INT(error->status, expected[i]);
		tstore_finish(request);
	}
	CHECK_INT(server.nrequests, 6);
	tstore_close(client);
	net_stop(&server);
}

/* A body that never ends is refused at the limit. */
UNIT_TEST(store_net_large_answer)
{
	static char answer[17 * 1024 * 1024];
	net_step	steps[] = {{answer, true, false}};
	net_server	server;
	tstore_client *client;
	tstore_request *request;

	memset(answer, ' ', sizeof(answer) - 1);
	memcpy(answer, "HTTP/1.1 200 OK\r\n\r\n", 19);
	net_start(&server, 1, steps);
	client = net_open(server.endpoint, NULL);
	request = net_query(client);
	CHECK_INT(tstore_reply_of(request)->error.status, TSTORE_PROTOCOL);
	CHECK_STR(tstore_reply_of(request)->error.message,
			  "the answer is too large");
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* Nobody listens: CONNECT, repeated, nothing applied. */
UNIT_TEST(store_net_refused)
{
	tstore_config config = {.max_retries = 1};
	char		endpoint[64];
	int			fd = net_listen(endpoint, sizeof(endpoint), "/acct");
	tstore_client *client;
	tstore_request *request;

	close(fd);
	client = net_open(endpoint, &config);
	request = net_write(client, TSTORE_INSERT);
	CHECK_INT(tstore_reply_of(request)->error.status, TSTORE_CONNECT);
	CHECK_INT(tstore_reply_of(request)->attempts, 2);
	CHECK(!tstore_reply_of(request)->error.maybe_applied);
	CHECK(tstore_reply_of(request)->error.message[0] != '\0');
	tstore_finish(request);
	tstore_close(client);
}

/* A server that takes the request and says nothing. */
UNIT_TEST(store_net_timeout)
{
	tstore_config config = {.max_retries = 0, .request_timeout_ms = 150};
	static const net_step steps[] = {{NULL, false, true}};
	net_server	server;
	tstore_client *client;
	tstore_request *request;

	net_start(&server, 1, steps);
	client = net_open(server.endpoint, &config);
	request = net_write(client, TSTORE_MERGE);
	CHECK_INT(tstore_reply_of(request)->error.status, TSTORE_TIMEOUT);
	CHECK(tstore_reply_of(request)->error.maybe_applied);
	CHECK(strstr(server.requests[0], "MERGE /acct/tab(PartitionKey='p',"
				 "RowKey='r') HTTP/1.1\r\n") != NULL);
	CHECK(strstr(server.requests[0], "\r\nIf-Match: *\r\n") != NULL);
	CHECK(strstr(server.requests[0], "\r\nExpect:") == NULL);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

static double
net_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + now.tv_nsec / 1e9;
}

static bool
net_abort_after(void *ctx)
{
	int		   *left = ctx;

	return (*left)-- <= 0;
}

/* A listener that never accepts; should_abort ends the wait. */
UNIT_TEST(store_net_abort)
{
	tstore_hooks hooks = tstore_default_hooks;
	tstore_config config = {.max_retries = -1};
	int			left = 3;
	char		endpoint[64];
	int			fd = net_listen(endpoint, sizeof(endpoint), "/acct");
	tstore_error error;
	tstore_client *client;
	tstore_request *request;
	double		start;

	hooks.ctx = &left;
	hooks.should_abort = net_abort_after;
	config.endpoint = endpoint;
	client = tstore_open(&config, &hooks, &error);
	CHECK(client != NULL);
	request = tstore_start_list_tables(client, NULL);
	start = net_seconds();
	CHECK(!tstore_wait(client, request));
	CHECK(net_seconds() - start < 1.0);
	CHECK(!tstore_is_done(request));
	left = 0;
	CHECK(!tstore_wait(client, NULL));
	tstore_cancel_all(client);
	CHECK(tstore_wait(client, NULL));
	tstore_close(client);
	close(fd);
}

/* A wait between attempts can be aborted, too. */
UNIT_TEST(store_net_abort_retry)
{
	static const net_step steps[] = {
		{"HTTP/1.1 503 Busy\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n",
			false, false}
	};
	tstore_hooks hooks = tstore_default_hooks;
	tstore_config config = {.max_retries = -1};
	int			left = 5;
	net_server	server;
	tstore_error error;
	tstore_client *client;
	double		start = net_seconds();

	net_start(&server, 1, steps);
	hooks.ctx = &left;
	hooks.should_abort = net_abort_after;
	config.endpoint = server.endpoint;
	client = tstore_open(&config, &hooks, &error);
	CHECK(client != NULL);
	CHECK(!tstore_wait(client, tstore_start_list_tables(client, NULL)));
	CHECK(net_seconds() - start < 1.5);
	tstore_close(client);
	net_stop(&server);
}

/* Secrets travel, but are never shown. */
UNIT_TEST(store_net_secrets)
{
	tstore_config config = {
		.max_retries = 0, .sas_token = "?sv=2019&sig=c2VjcmV0c2VjcmV0%3D"
	};
	static const net_step steps[] = {
		{"HTTP/1.1 403 No\r\nContent-Length: 98\r\n\r\n"
			"{\"odata.error\":{\"code\":\"AuthenticationFailed\",\"message\":"
			"{\"value\":\"bad c2VjcmV0c2VjcmV0%3D, sorry\"}}}", true, false}
	};
	net_server	server;
	tstore_client *client;
	tstore_request *request;

	net_start(&server, 1, steps);
	client = net_open(server.endpoint, &config);
	request = net_query(client);
	CHECK(strstr(server.requests[0], "%27&sv=2019&sig=c2VjcmV0c2VjcmV0%3D "
				 "HTTP/1.1") != NULL);
	CHECK(strstr(server.requests[0], "Authorization") == NULL);
	CHECK_INT(tstore_reply_of(request)->error.status, TSTORE_AUTH);
	CHECK_STR(tstore_reply_of(request)->error.message, "bad ***, sorry");
	CHECK(strstr(net_traced, "http: GET /acct/tab()?$filter=") != NULL);
	CHECK(strstr(net_traced, "sig=") == NULL);
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

UNIT_TEST(store_net_bearer)
{
	tstore_config config = {.max_retries = 0, .bearer_token = "abc.def-ghi"};
	static const net_step steps[] = {{EMPTY_PAGE, false, false}};
	net_server	server;
	tstore_client *client;

	net_start(&server, 1, steps);
	client = net_open(server.endpoint, &config);
	tstore_finish(net_query(client));
	CHECK(strstr(server.requests[0],
				 "\r\nAuthorization: Bearer abc.def-ghi\r\n") != NULL);
	tstore_close(client);
	net_stop(&server);
}

/* More requests than connections: all are served, in order, one by one. */
UNIT_TEST(store_net_queue)
{
	tstore_config config = {.max_retries = 0, .max_connections = 1};
	net_step	steps[8];
	tstore_request *requests[8];
	tstore_query query = {.top = 0};
	net_server	server;
	tstore_client *client;

	for (int i = 0; i < 8; i++)
		steps[i] = (net_step) {EMPTY_PAGE, false, false};
	net_start(&server, 8, steps);
	client = net_open(server.endpoint, &config);
	for (int i = 0; i < 8; i++)
	{
		query.top = i + 1;
		requests[i] = tstore_start_query(client, TMODEL_SPAN("t"), &query);
		tstore_set_user(requests[i], &steps[i]);
	}
	CHECK(tstore_wait(client, requests[7]));
	for (int i = 0; i < 8; i++)
	{
		char		top[32];

		CHECK(tstore_is_done(requests[i]));
		CHECK(tstore_user(requests[i]) == &steps[i]);
		snprintf(top, sizeof(top), "?$top=%d ", i + 1);
		CHECK(strstr(server.requests[i], top) != NULL);
		tstore_finish(requests[i]);
	}
	CHECK_INT(server.nconnections, 1);
	CHECK_INT(tstore_statistics(client)[TSTORE_K_QUERY].connections, 1);
	tstore_close(client);
	net_stop(&server);
}

/* The byte counters say what went over the wire. */
UNIT_TEST(store_net_counts_bytes)
{
	NET_SCRIPT({NO_CONTENT, false, false}, {EMPTY_PAGE, false, false});

	request = net_write(client, TSTORE_INSERT);
	CHECK_INT(tstore_reply_of(request)->bytes_sent,
			  strlen(server.requests[0]));
	CHECK_INT(tstore_reply_of(request)->bytes_received, strlen(NO_CONTENT));
	tstore_finish(request);
	request = net_query(client);
	error = &tstore_reply_of(request)->error;
	CHECK_INT(error->status, TSTORE_OK);
	CHECK_INT(tstore_reply_of(request)->bytes_sent,
			  strlen(server.requests[1]));
	CHECK_INT(tstore_reply_of(request)->bytes_received, strlen(EMPTY_PAGE));
	tstore_finish(request);
	tstore_close(client);
	net_stop(&server);
}

/* Every allocation of a client's life may fail, one after the other. */
typedef struct net_memory
{
	int			left;			/* how many succeed before one fails */
	int			taken;			/* not released yet */
} net_memory;

static void *
net_alloc(void *ctx, size_t size)
{
	net_memory *memory = ctx;

	if (memory->left-- == 0)
		return NULL;
	memory->taken++;
	return malloc(size);
}

static void
net_release(void *ctx, void *ptr)
{
	net_memory *memory = ctx;

	memory->taken--;
	free(ptr);
}

/* Opens, inserts, queries, closes; true when nothing ran out of memory. */
static bool
net_life(const char *endpoint, net_memory *memory)
{
	tstore_hooks hooks = {.allocator = {net_alloc, net_release, memory}};
	tstore_config config = {
		.endpoint = endpoint, .account_key = "YQ==", .max_connections = 1
	};
	tstore_query query = {.filter = TMODEL_SPAN("a eq 1")};
	tstore_operation operations[2] = {
		{TSTORE_UPSERT_MERGE, &net_entity, {NULL, 0}},
		{TSTORE_UPSERT_MERGE, &net_entity, {NULL, 0}}
	};
	tstore_error error;
	tstore_client *client = tstore_open(&config, &hooks, &error);
	tstore_request *requests[3];
	bool		ok = client != NULL;

	if (client == NULL)
	{
		if (error.status != TSTORE_NO_MEMORY)
			UNIT_FAIL("open: %s", error.message);
		return false;
	}
	requests[0] = tstore_start_query(client, TMODEL_SPAN("t"), &query);
	requests[1] = tstore_start_write(client, TMODEL_SPAN("t"), operations);
	requests[2] = tstore_start_batch(client, TMODEL_SPAN("t"), 2, operations);
	for (int i = 0; i < 3; i++)
	{
		tstore_status status = TSTORE_NO_MEMORY;

		if (requests[i] != NULL && tstore_wait(client, requests[i]))
			status = tstore_reply_of(requests[i])->error.status;
		if (status != TSTORE_OK)
			ok = false;
		if (status != TSTORE_OK && status != TSTORE_NO_MEMORY)
			UNIT_FAIL("request %d: %s", i, tstore_status_text(status));
		tstore_finish(requests[i]);
	}
	tstore_close(client);
	return ok;
}

UNIT_TEST(store_net_no_memory)
{
	net_server	server;
	bool		ok = false;

	net_start(&server, 0, NULL);
	for (int n = 0; !ok; n++)
	{
		net_memory	memory = {n, 0};

		ok = net_life(server.endpoint, &memory);
		CHECK_INT(memory.taken, 0);
		CHECK(!unit_failed());
		CHECK(n < 500);
		CHECK(!ok || n > 10);
	}
	net_stop(&server);
}
