/*
 * http_server.c
 *	  The HTTP side: sockets, request bodies, replies, waiting.
 *
 * The only file (with park.c, stream.c) that knows libmicrohttpd.  A few threads serve
 * all connections, so nothing here may block; waiting is park.c's business.
 * Easy to break: the handler is called again after a suspended connection
 * was resumed, which is what Exchange.phase is for.
 */
#include "http_server.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cors.h"
#include "framing.h"
#include "latency.h"
#include "logfile.h"
#include "park.h"
#include "router.h"
#include "stream.h"
#include "sync.h"
#include "zombie.h"

/* One per processor within these bounds; the store itself has one lock. */
#define MIN_THREADS 2
#define MAX_THREADS 4
/* Idle ones cost little, and one that waits for its turn looks like a hang. */
#define MAX_CONNECTIONS 16384
/* Descriptors that are no connections: the database, the log, epoll's. */
#define OTHER_FILES 64
/* Holds the longest URL; the library clears all of it for every request. */
#define CONNECTION_MEMORY (64 * 1024)

/*
 * The service sends every body in chunks; here only large ones are, because
 * chunks cost the library two more system calls.  So clients meet both.
 */
#define CHUNKED_FROM 4096

typedef enum Phase
{
	PHASE_HEADERS,				/* handler not called yet */
	PHASE_BODY,
	PHASE_WAITING,				/* parked before execution */
	PHASE_SYNCING,				/* parked until the disk has it */
	PHASE_ANSWERING,			/* parked when all is done but the reply */
	PHASE_SILENT,				/* parked, will be closed */
	PHASE_DONE					/* answered or dropped, and recorded */
} Phase;

typedef struct Exchange
{
	Request		request;
	Phase		phase;
	struct MHD_Connection *connection;
} Exchange;

/* One per service, in the order they were started. */
static struct MHD_Daemon *daemons[2];
static int	ndaemons;
static bool is_https;
static atomic_uint_fast64_t connections;

static const char *
lookup_header(void *who, const char *name)
{
	return MHD_lookup_connection_value(who, MHD_HEADER_KIND, name);
}

typedef struct EachHeader
{
	HeaderSink	sink;
	void	   *closure;
} EachHeader;

static enum MHD_Result
pass_header(void *cls, enum MHD_ValueKind kind, const char *name,
			const char *value)
{
	EachHeader *each = cls;

	each->sink(each->closure, name, value ? value : "");
	return MHD_YES;
}

static void
each_header(void *who, HeaderSink sink, void *closure)
{
	EachHeader	each = {sink, closure};

	MHD_get_connection_values(who, MHD_HEADER_KIND, pass_header, &each);
}

static const struct sockaddr *
client_address(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection,
								   MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	return info ? info->client_addr : NULL;
}

/*
 * Called with the URI as sent, before anything is decoded; cls says which
 * service it came to.
 */
static void *
on_uri(void *cls, const char *uri, struct MHD_Connection *connection)
{
	Exchange   *x = xmalloc(sizeof(*x));

	memset(x, 0, sizeof(*x));
	x->connection = connection;
	x->request.uri = xstrdup(uri);
	x->request.header = lookup_header;
	x->request.who = connection;
	x->request.each_header = each_header;
	x->request.service = *(const char *) cls;
	x->request.origin.https = is_https;
	x->request.origin.address = client_address(connection);
	return x;
}

static size_t
keep_encoded(void *cls, struct MHD_Connection *connection, char *s)
{
	return strlen(s);
}

static void
on_connection(void *cls, struct MHD_Connection *connection,
			  void **socket_context, enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
	{
		*socket_context = (void *) (uintptr_t) ++connections;
		journal_connection();
	}
}

static int
connection_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info;

	info = MHD_get_connection_info(connection,
								   MHD_CONNECTION_INFO_CONNECTION_FD);
	return info->connect_fd;
}

typedef struct Exposed
{
	Span		rule;
	Buf			names;
} Exposed;

static enum MHD_Result
expose(void *cls, enum MHD_ValueKind kind, const char *name,
	   const char *value)
{
	Exposed    *e = cls;

	if (cors_exposes(e->rule, name))
		buf_printf(&e->names, "%s%s", e->names.n ? "," : "", name);
	return MHD_YES;
}

/* Last of all, because it names the headers of this reply. */
static void
add_exposed(struct MHD_Response *response, Span rule)
{
	Exposed		e = {.rule = rule};

	MHD_get_response_headers(response, expose, &e);
	expose(&e, MHD_HEADER_KIND, "Date", NULL);
	buf_putc(&e.names, '\0');
	MHD_add_response_header(response, "Access-Control-Expose-Headers",
							e.names.p);
	buf_free(&e.names);
}

/* What the table server adds to its replies, and the front end does not. */
static void
add_table_headers(struct MHD_Response *response)
{
	MHD_add_response_header(response, "Cache-Control", "no-cache");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

static void
add_headers(struct MHD_Response *response, const Request *r, bool chunked)
{
	const char *version = r->header(r->who, "x-ms-version");
	const char *client_id = r->header(r->who, "x-ms-client-request-id");
	bool		queue = r->service == SERVICE_QUEUE;

	if (queue)
		MHD_add_response_header(response, "Cache-Control", "no-cache");
	else if (!r->is_mock && !r->reply.front_end)
		add_table_headers(response);
	MHD_add_response_header(response, "Server", queue ?
							"Windows-Azure-Queue/1.0 Microsoft-HTTPAPI/2.0" :
							"Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0");
	MHD_add_response_header(response, "x-ms-request-id", r->request_id);
	if (version)
		MHD_add_response_header(response, "x-ms-version", version);
	if (client_id)
		MHD_add_response_header(response, "x-ms-client-request-id",
								client_id);
	if (r->reply.content_type)
	{
		MHD_add_response_header(response, "Content-Type",
								r->reply.content_type);
		if (chunked && !r->is_mock)
			MHD_add_response_header(response, "Transfer-Encoding", "chunked");
	}
	else if (!r->is_mock && r->reply.status == 204)
	{
		/* It says so for no body, though HTTP would rather not have it. */
		MHD_set_response_options(response,
								 MHD_RF_INSANITY_HEADER_CONTENT_LENGTH,
								 MHD_RO_END);
		MHD_add_response_header(response, "Content-Length", "0");
	}
	for (int i = 0; i < r->reply.nheaders; i++)
		MHD_add_response_header(response, r->reply.headers[i].name,
								r->reply.headers[i].value);
	if (r->reply.exposed.n > 0)
		add_exposed(response, r->reply.exposed);
	if (r->unclear != ERR_NONE)
		MHD_add_response_header(response, "Connection", "close");
}

/*
 * Has the client said that it sends no more?  The library would not notice,
 * because a read that brings less than it asked for ends its interest.
 */
static bool
client_is_done(Exchange *x)
{
	char		byte;

	return recv(connection_fd(x->connection), &byte, 1,
				MSG_PEEK | MSG_DONTWAIT) == 0;
}

static enum MHD_Result
send_reply(Exchange *x)
{
	Request    *r = &x->request;
	struct MHD_Response *response;
	enum MHD_Result result;
	bool		has_body = r->reply.content_type != NULL;
	int			status;
	Buf			body;

	if (r->fault.action == FAULT_GARBAGE && has_body)
		stream_garbage(&r->reply.body, r->fault.bytes);
	body = r->reply.body;
	status = r->reply.status;
	router_record(r, true);
	x->phase = PHASE_DONE;
	memset(&r->reply.body, 0, sizeof(r->reply.body));
	/* The library frees the body; the memory is no longer ours. */
	if (has_body && stream_is_for(&r->fault))
		response = stream_open(&r->fault, body, x->connection,
							   connection_fd(x->connection));
	else
		response = MHD_create_response_from_buffer(body.n,
												   body.p ? body.p : "",
												   body.p ?
												   MHD_RESPMEM_MUST_FREE :
												   MHD_RESPMEM_PERSISTENT);
	add_headers(response, r, body.n >= CHUNKED_FROM &&
				r->fault.action != FAULT_TRUNCATE);
	if (r->unclear == ERR_NONE && client_is_done(x))
		MHD_add_response_header(response, "Connection", "close");
	if (r->fault.action == FAULT_ZOMBIE)
		zombie_add(router_detach(r));
	result = MHD_queue_response(x->connection,
								(unsigned int) status, response);
	MHD_destroy_response(response);
	return result;
}

/* Closing without a reply is what MHD does when a handler says no. */
static enum MHD_Result
drop(Exchange *x)
{
	router_record(&x->request, false);
	if (x->request.fault.action == FAULT_LATE && x->phase != PHASE_DONE)
		zombie_add(router_detach(&x->request));
	x->phase = PHASE_DONE;
	return MHD_NO;
}

/* All is done and safe, the reply is left. */
static enum MHD_Result
conclude(Exchange *x)
{
	const Fault *fault = &x->request.fault;

	if (fault->action == FAULT_DROP_REPLY ||
		(fault->action == FAULT_TRUNCATE && x->request.reply.body.n == 0))
		return drop(x);
	if (fault->action == FAULT_PAUSE && fault->after)
	{
		x->phase = PHASE_ANSWERING;
		if (park_at(x->connection, connection_fd(x->connection),
					fault->point))
			return MHD_YES;
	}
	return send_reply(x);
}

static enum MHD_Result
finish(Exchange *x)
{
	Request    *r = &x->request;

	router_execute(r);
	if (store_take_commit() && sync_on())
	{
		x->phase = PHASE_SYNCING;
		if (sync_wait(x->connection, connection_fd(x->connection)))
			return MHD_YES;
	}
	return conclude(x);
}

/*
 * The library may notice that the client of a parked request is gone, and
 * then never calls handle() again.  The service would have done the work.
 */
static void
finish_without_client(Exchange *x)
{
	if (x->phase == PHASE_WAITING)
		router_execute(&x->request);
	if (x->phase == PHASE_WAITING || x->phase == PHASE_SYNCING ||
		x->phase == PHASE_ANSWERING || x->phase == PHASE_SILENT)
		drop(x);
}

static void
on_completed(void *cls, struct MHD_Connection *connection, void **con_cls,
			 enum MHD_RequestTerminationCode why)
{
	Exchange   *x = *con_cls;

	if (x == NULL)
		return;
	if (why != MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN)
		finish_without_client(x);
	free(x->request.uri);
	buf_free(&x->request.body);
	buf_free(&x->request.reply.body);
	arena_free(&x->request.arena);
	free(x);
	*con_cls = NULL;
}

/* The whole request is here. */
static enum MHD_Result
dispatch(Exchange *x)
{
	Request    *r = &x->request;
	const union MHD_ConnectionInfo *info;
	int64_t		wait_ms;

	info = MHD_get_connection_info(x->connection,
								   MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	r->connection = (uint64_t) (uintptr_t) info->socket_context;
	router_prepare(r);
	wait_ms = r->is_mock ? 0 : latency_next();
	switch (r->fault.action)
	{
		case FAULT_DROP_BEFORE:
		case FAULT_LATE:
			return drop(x);
		case FAULT_PAUSE:
			if (r->fault.after)
				break;
			x->phase = PHASE_WAITING;
			if (park_at(x->connection, connection_fd(x->connection),
						r->fault.point))
				return MHD_YES;
			break;
		case FAULT_SILENT:
			x->phase = PHASE_SILENT;
			if (park(x->connection, connection_fd(x->connection), -1))
				return MHD_YES;
			return drop(x);
		case FAULT_DELAY:
			wait_ms += r->fault.delay_ms;
			break;
		default:
			break;
	}
	wait_ms = router_clip_wait(r, wait_ms);
	if (wait_ms > 0)
	{
		x->phase = PHASE_WAITING;
		if (park(x->connection, connection_fd(x->connection), wait_ms))
			return MHD_YES;
	}
	return finish(x);
}

static enum MHD_Result
handle(void *cls, struct MHD_Connection *connection, const char *url,
	   const char *method, const char *version, const char *data,
	   size_t *data_size, void **con_cls)
{
	Exchange   *x = *con_cls;
	Request    *r = &x->request;

	switch (x->phase)
	{
		case PHASE_HEADERS:
			r->method = method;
			x->phase = PHASE_BODY;
			r->unclear = framing_check(connection, method, version,
									   &r->unclear_detail);
			if (r->unclear == ERR_LENGTH_MISSING && mock_is_asked(r->uri))
				r->unclear = ERR_NONE;	/* curl -X POST does not send it */
			return r->unclear == ERR_NONE ? MHD_YES : dispatch(x);
		case PHASE_BODY:
			if (*data_size == 0)
				return dispatch(x);
			r->body_bytes += *data_size;
			if (r->body_bytes > MAX_BODY_BYTES)
				r->too_large = true;
			else
				buf_put(&r->body, data, *data_size);
			*data_size = 0;
			return MHD_YES;
		case PHASE_WAITING:
			return finish(x);
		case PHASE_SYNCING:
			return conclude(x);
		case PHASE_ANSWERING:
			return send_reply(x);
		case PHASE_SILENT:
			return drop(x);
		case PHASE_DONE:
			break;
	}
	return MHD_NO;
}

static char *
reason(const char *host, const char *port, const char *what)
{
	size_t		n = strlen(host) + strlen(port) + strlen(what) + 64;
	char	   *why = xmalloc(n);

	snprintf(why, n, "cannot listen on %s:%s: %s", host, port, what);
	return why;
}

/* A listening socket, or -1 with the reason. */
static int
open_socket(const char *host, const char *port, char **why)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
	.ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found;
	int			one = 1;
	int			fd;
	int			rc = getaddrinfo(host, port, &hints, &found);

	if (rc != 0)
	{
		*why = reason(host, port, gai_strerror(rc));
		return -1;
	}
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 ||
		listen(fd, 1024) != 0)
	{
		*why = reason(host, port, errno == EADDRINUSE ?
					  "the port is taken by another program" :
					  strerror(errno));
		if (fd >= 0)
			close(fd);
		fd = -1;
	}
	freeaddrinfo(found);
	return fd;
}

static int
port_of(int fd)
{
	struct sockaddr_storage address;
	socklen_t	n = sizeof(address);

	if (getsockname(fd, (struct sockaddr *) &address, &n) != 0)
		return -1;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *) &address)->sin6_port);
	return ntohs(((struct sockaddr_in *) &address)->sin_port);
}

static unsigned int
thread_count(void)
{
	long		n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < MIN_THREADS ? MIN_THREADS :
		n > MAX_THREADS ? MAX_THREADS : (unsigned int) n;
}

/* As many connections as there may be files, which are made as many. */
static unsigned int
connection_limit(void)
{
	struct rlimit files;
	rlim_t		enough = 2 * MAX_CONNECTIONS + OTHER_FILES;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 1024 - OTHER_FILES;
	if (files.rlim_cur < enough)
	{
		files.rlim_cur = files.rlim_max < enough ? files.rlim_max : enough;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
		files.rlim_cur >= MAX_CONNECTIONS + OTHER_FILES)
		return MAX_CONNECTIONS;
	return files.rlim_cur > 2 * OTHER_FILES ?
		(unsigned int) files.rlim_cur - OTHER_FILES : OTHER_FILES;
}

/* The option list ends at once without TLS. */
static void
tls_options(struct MHD_OptionItem items[3], const ServerOptions *o)
{
	int			n = 0;

	if (o->tls_cert)
	{
		items[n++] = (struct MHD_OptionItem)
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) o->tls_cert};
		items[n++] = (struct MHD_OptionItem)
		{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) o->tls_key};
	}
	items[n] = (struct MHD_OptionItem) {MHD_OPTION_END, 0, NULL};
}

/* Listen and serve; service must outlive the server.  The port, or -1. */
static int
start_daemon(const ServerOptions *o, const char *service, const char *host,
			 const char *port, char **why)
{
	int			fd = open_socket(host, port, why);
	struct MHD_OptionItem tls[3];
	struct MHD_Daemon *daemon;

	if (fd < 0)
		return -1;
	tls_options(tls, o);
	daemon =
		MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD |
						 (o->tls_cert ? MHD_USE_TLS : 0) |
						 MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
						 handle, NULL,
						 MHD_OPTION_LISTEN_SOCKET, fd,
						 MHD_OPTION_THREAD_POOL_SIZE, thread_count(),
						 MHD_OPTION_CONNECTION_LIMIT, connection_limit(),
						 MHD_OPTION_CONNECTION_MEMORY_LIMIT,
						 (size_t) CONNECTION_MEMORY,
						 MHD_OPTION_URI_LOG_CALLBACK, on_uri, (void *) service,
						 MHD_OPTION_UNESCAPE_CALLBACK, keep_encoded, NULL,
						 MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,
						 MHD_OPTION_NOTIFY_CONNECTION, on_connection, NULL,
						 MHD_OPTION_ARRAY, tls,
						 MHD_OPTION_END);
	if (daemon == NULL)
	{
		*why = reason(host, port, o->tls_cert ?
					  "the TLS certificate or key is not usable" :
					  "libmicrohttpd does not start");
		close(fd);
		return -1;
	}
	daemons[ndaemons++] = daemon;
	return port_of(fd);
}

bool
server_start(const ServerOptions *o, ServerPorts *ports, char **why)
{
	static const char table = SERVICE_TABLE;
	static const char queue = SERVICE_QUEUE;

	is_https = o->tls_cert != NULL;
	ports->queue = -1;
	if (!park_start() || !zombie_start())
	{
		*why = reason(o->host, o->port, "cannot start a thread");
		return false;
	}
	ports->table = start_daemon(o, &table, o->host, o->port, why);
	if (ports->table >= 0 && o->queue_host)
		ports->queue = start_daemon(o, &queue, o->queue_host, o->queue_port,
									why);
	if (ports->table >= 0 && (o->queue_host == NULL || ports->queue >= 0))
		return true;
	server_stop();
	return false;
}

void
server_stop(void)
{
	park_stop();
	while (ndaemons > 0)
		MHD_stop_daemon(daemons[--ndaemons]);
	zombie_stop();
}
