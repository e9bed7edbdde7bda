/*
 * http.c
 *	  Exchanges over libcurl's multi interface; nobody else includes it.
 *
 * Connections are kept alive and shared by all exchanges of a client; easy
 * handles are used again.  Redirects are not followed, only http and https are
 * spoken, nothing is verified less than libcurl would by itself.
 *
 * Called by client.c.  Easy to break: a callback must neither jump nor wait;
 * what goes wrong in one is a flag, and its return value ends the transfer.  A
 * write must not be sent twice behind our back; see http_on_request.
 */
#include "http.h"
#include "status.h"

#include <curl/curl.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/timerfd.h>
#endif

#if LIBCURL_VERSION_NUM < 0x075500
#error "libcurl 7.85 or newer is needed (CURLOPT_PREREQFUNCTION and others)"
#endif

/* An idle connection that old may just be closing: no write goes there. */
#define HTTP_WRITE_MAX_IDLE_S 4L
#define HTTP_BUFFER_BYTES (256L * 1024)
#define HTTP_FIRST_BODY_BYTES ((size_t) 16 * 1024)
/* bodies kept for the next answers: memory new from the system is slow */
#define HTTP_SPARE_BODIES 4
#define HTTP_SPARE_MAX_BYTES ((size_t) 1024 * 1024)

struct tstore_slot
{
	CURL	   *easy;
	tstore_slot *next;			/* in the free list */
	struct curl_slist *headers; /* of the exchange in flight */
	int			requests;		/* how often libcurl began to send it */
	int64_t		started_ms;
	char		words[CURL_ERROR_SIZE];
};

struct tstore_http
{
	const tmodel_allocator *allocator;
	tstore_http_options options;
	CURLM	   *multi;
	tstore_slot *free_slots;
	int			epoll;			/* for tstore_http_waitable; -1: not yet */
	int			timer;			/* in it */
	int			nwatched;		/* descriptors below it may be in it */
	fd_set		watched;
	int			nspare;
	struct
	{
		char	   *data;
		size_t		capacity;
	}			spare[HTTP_SPARE_BODIES];
};

/*
 * libcurl's own resolver may be a thread, and threads inherit the signal mask:
 * the surroundings' signal handlers must not run there.
 */
static void
http_block_signals(sigset_t *before)
{
	sigset_t	all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static void
http_restore_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* See http.h. */
tstore_http *
tstore_http_open(const tmodel_allocator *allocator,
				 const tstore_http_options *options)
{
	/* curl_global_init may be called once per process, and is never undone */
	static bool initialized = false;
	tstore_http *http;

	if (!initialized && curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return NULL;
	initialized = true;
	http = allocator->alloc(allocator->ctx, sizeof(*http));
	if (http == NULL)
		return NULL;
	memset(http, 0, sizeof(*http));
	http->allocator = allocator;
	http->options = *options;
	http->epoll = http->timer = -1;
	http->multi = curl_multi_init();
	if (http->multi == NULL)
	{
		allocator->release(allocator->ctx, http);
		return NULL;
	}
	curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
	curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS,
					  (long) options->max_connections);
	curl_multi_setopt(http->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
					  (long) options->max_connections);
	return http;
}

/* See http.h. */
void
tstore_http_close(tstore_http *http)
{
	if (http == NULL)
		return;
	while (http->free_slots != NULL)
	{
		tstore_slot *slot = http->free_slots;

		http->free_slots = slot->next;
		curl_easy_cleanup(slot->easy);
		http->allocator->release(http->allocator->ctx, slot);
	}
	if (http->timer >= 0)
		close(http->timer);
	if (http->epoll >= 0)
		close(http->epoll);
	while (http->nspare > 0)
		http->allocator->release(http->allocator->ctx,
								 http->spare[--http->nspare].data);
	curl_multi_cleanup(http->multi);
	http->allocator->release(http->allocator->ctx, http);
}

/* A free slot or a new one; NULL when memory is short. */
static tstore_slot *
http_take_slot(tstore_http *http)
{
	tstore_slot *slot = http->free_slots;

	if (slot != NULL)
	{
		http->free_slots = slot->next;
		slot->next = NULL;
		return slot;
	}
	slot = http->allocator->alloc(http->allocator->ctx, sizeof(*slot));
	if (slot == NULL)
		return NULL;
	memset(slot, 0, sizeof(*slot));
	slot->easy = curl_easy_init();
	if (slot->easy == NULL)
	{
		http->allocator->release(http->allocator->ctx, slot);
		return NULL;
	}
	return slot;
}

/* Takes the slot off the exchange; the next one starts from a clean handle. */
static void
http_release_slot(tstore_http *http, tstore_exchange *exchange)
{
	tstore_slot *slot = exchange->slot;

	curl_easy_reset(slot->easy);
	curl_slist_free_all(slot->headers);
	slot->headers = NULL;
	slot->next = http->free_slots;
	http->free_slots = slot;
	exchange->slot = NULL;
}

/*
 * libcurl calls this before it sends the request, and again when it wants to
 * send it once more because a kept-alive connection broke without an answer.
 * A read may; a write may have been applied, so its exchange ends as LOST.
 */
static int
http_on_request(void *ctx, char *remote_ip, char *local_ip, int remote_port,
				int local_port)
{
	tstore_exchange *exchange = ctx;

	(void) remote_ip;
	(void) local_ip;
	(void) remote_port;
	(void) local_port;
	exchange->sent = true;
	if (++exchange->slot->requests > 1 && !exchange->read)
		return CURL_PREREQFUNC_ABORT;
	return CURL_PREREQFUNC_OK;
}

/* Makes room for the answer's body; false sets a flag. */
static bool
http_reserve(tstore_http *http, tstore_exchange *exchange, size_t more)
{
	size_t		capacity = exchange->capacity;
	char	   *larger;

	if (more > TSTORE_MAX_BODY_BYTES - exchange->len)
	{
		exchange->too_large = true;
		return false;
	}
	if (exchange->len + more <= capacity)
		return true;
	if (capacity == 0 && http->nspare > 0)
	{
		http->nspare--;
		exchange->data = http->spare[http->nspare].data;
		exchange->capacity = http->spare[http->nspare].capacity;
		return http_reserve(http, exchange, more);
	}
	if (capacity == 0)
		capacity = HTTP_FIRST_BODY_BYTES;
	while (capacity < exchange->len + more)
		capacity *= 2;
	larger = http->allocator->alloc(http->allocator->ctx, capacity);
	if (larger == NULL)
	{
		exchange->no_memory = true;
		return false;
	}
	if (exchange->len > 0)
		memcpy(larger, exchange->data, exchange->len);
	if (exchange->data != NULL)
		http->allocator->release(http->allocator->ctx, exchange->data);
	exchange->data = larger;
	exchange->capacity = capacity;
	return true;
}

/* Takes a piece of the body; anything but its length ends the transfer. */
static size_t
http_on_body(char *data, size_t size, size_t count, void *ctx)
{
	tstore_exchange *exchange = ctx;
	size_t		len = size * count;

	if (!http_reserve(exchange->http, exchange, len))
		return len + 1;
	memcpy(exchange->data + exchange->len, data, len);
	exchange->len += len;
	return len;
}

/* Takes one header line; a status line begins a new set. */
static size_t
http_on_header(char *data, size_t size, size_t count, void *ctx)
{
	tstore_exchange *exchange = ctx;
	size_t		len = size * count;
	tmodel_span line = {data, len};
	tmodel_span name;
	tmodel_span value;
	const char *colon;

	while (line.len > 0 && strchr("\r\n\t ", line.data[line.len - 1]) != NULL)
		line.len--;
	if (line.len >= 5 && memcmp(line.data, "HTTP/", 5) == 0)
	{
		memset(&exchange->answer, 0, sizeof(exchange->answer));
		return len;
	}
	colon = line.len > 0 ? memchr(line.data, ':', line.len) : NULL;
	if (colon == NULL)
		return len;
	name = (tmodel_span) {line.data, (size_t) (colon - line.data)};
	value = (tmodel_span) {colon + 1, line.len - name.len - 1};
	while (value.len > 0 && (value.data[0] == ' ' || value.data[0] == '\t'))
	{
		value.data++;
		value.len--;
	}
	if (!tstore_header_set(exchange->arena, &exchange->answer, name, value))
	{
		exchange->no_memory = true;
		return len + 1;
	}
	return len;
}

/* Puts the request's headers into libcurl's list. */
static bool
http_set_headers(tstore_slot *slot, const tstore_exchange *exchange)
{
	for (int i = 0; exchange->headers[i] != NULL; i++)
	{
		struct curl_slist *longer = curl_slist_append(slot->headers,
													  exchange->headers[i]);

		if (longer == NULL)
			return false;
		slot->headers = longer;
	}
	return curl_easy_setopt(slot->easy, CURLOPT_HTTPHEADER,
							slot->headers) == CURLE_OK;
}

/* The verb and the body. */
static bool
http_set_method(CURL *easy, const tstore_exchange *exchange)
{
	CURLcode	rc = CURLE_OK;

	if (exchange->has_body)
	{
		rc = curl_easy_setopt(easy, CURLOPT_POST, 1L);
		if (rc == CURLE_OK)
			rc = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
								  (curl_off_t) exchange->body.len);
		if (rc == CURLE_OK)
			rc = curl_easy_setopt(easy, CURLOPT_POSTFIELDS,
								  exchange->body.data);
	}
	else
		rc = curl_easy_setopt(easy, CURLOPT_HTTPGET, 1L);
	if (rc == CURLE_OK)
		rc = curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, exchange->method);
	return rc == CURLE_OK;
}

/* What is the same for every exchange; failures only cost comfort. */
static void
http_set_defaults(const tstore_http *http, tstore_slot *slot)
{
	CURL	   *easy = slot->easy;

	curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long) CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
	curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, HTTP_BUFFER_BYTES);
	curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, HTTP_BUFFER_BYTES);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS,
					 (long) http->options.connect_timeout_ms);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS,
					 (long) http->options.request_timeout_ms);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, slot->words);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, http_on_request);
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, http_on_header);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, http_on_body);
}

/* Everything that must be set for the exchange to be what it should be. */
static bool
http_set_up(const tstore_http *http, tstore_exchange *exchange)
{
	tstore_slot *slot = exchange->slot;
	CURL	   *easy = slot->easy;

	http_set_defaults(http, slot);
	if (!exchange->read)
		curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, HTTP_WRITE_MAX_IDLE_S);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, exchange);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
	curl_easy_setopt(easy, CURLOPT_PRIVATE, exchange);
	if (curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR,
						 "http,https") != CURLE_OK ||
		curl_easy_setopt(easy, CURLOPT_URL, exchange->url) != CURLE_OK)
		return false;
	if (http->options.ca_file != NULL &&
		curl_easy_setopt(easy, CURLOPT_CAINFO,
						 http->options.ca_file) != CURLE_OK)
		return false;
	return http_set_method(easy, exchange) && http_set_headers(slot, exchange);
}

/* Nothing has come back yet. */
static void
http_clear(tstore_exchange *exchange)
{
	exchange->sent = false;
	exchange->too_large = false;
	exchange->no_memory = false;
	exchange->outcome = TSTORE_O_ANSWERED;
	exchange->http_status = 0;
	memset(&exchange->answer, 0, sizeof(exchange->answer));
	exchange->len = 0;
	exchange->bytes_sent = 0;
	exchange->bytes_received = 0;
	exchange->connections = 0;
	exchange->elapsed_ms = 0;
	exchange->message[0] = '\0';
}

/* See http.h. */
bool
tstore_http_start(tstore_http *http, tstore_exchange *exchange)
{
	http_clear(exchange);
	exchange->http = http;
	exchange->slot = http_take_slot(http);
	if (exchange->slot == NULL)
		return false;
	exchange->slot->requests = 0;
	exchange->slot->words[0] = '\0';
	exchange->slot->started_ms = tstore_now_ms();
	if (!http_set_up(http, exchange) ||
		curl_multi_add_handle(http->multi, exchange->slot->easy) != CURLM_OK)
	{
		http_release_slot(http, exchange);
		return false;
	}
	return true;
}

/* See http.h. */
void
tstore_http_cancel(tstore_http *http, tstore_exchange *exchange)
{
	if (exchange->slot == NULL)
		return;
	curl_multi_remove_handle(http->multi, exchange->slot->easy);
	http_release_slot(http, exchange);
}

/* See http.h. */
void
tstore_http_perform(tstore_http *http)
{
	sigset_t	before;
	int			running;

	http_block_signals(&before);
	curl_multi_perform(http->multi, &running);
	http_restore_signals(&before);
}

/* See http.h. */
void
tstore_http_wait(tstore_http *http, int timeout_ms)
{
	curl_multi_poll(http->multi, NULL, 0, timeout_ms, NULL);
}

#ifdef __linux__

/* Makes the two descriptors, which the client then keeps. */
static bool
http_open_waitable(tstore_http *http)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (http->timer >= 0)
		return true;
	if (http->epoll < 0)
		http->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (http->epoll < 0)
		return false;
	http->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (http->timer < 0)
		return false;
	event.data.fd = http->timer;
	if (epoll_ctl(http->epoll, EPOLL_CTL_ADD, http->timer, &event) == 0)
		return true;
	close(http->timer);
	http->timer = -1;
	return false;
}

/* Watches the descriptor for the events, 0: no longer. */
static void
http_watch(tstore_http *http, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	if (events == 0)
	{
		/* libcurl may have closed it, which has taken it out */
		if (FD_ISSET(fd, &http->watched))
			epoll_ctl(http->epoll, EPOLL_CTL_DEL, fd, &event);
		FD_CLR(fd, &http->watched);
		return;
	}
	/* or the number is another connection's by now */
	if (epoll_ctl(http->epoll, EPOLL_CTL_MOD, fd, &event) != 0 &&
		errno == ENOENT)
		epoll_ctl(http->epoll, EPOLL_CTL_ADD, fd, &event);
	FD_SET(fd, &http->watched);
}

/* See http.h.  What libcurl does not tell (a resolver's thread) the timer ends. */
int
tstore_http_waitable(tstore_http *http, int timeout_ms)
{
	fd_set		in;
	fd_set		out;
	fd_set		odd;
	int			highest = -1;
	long		curl_ms = -1;
	struct itimerspec due = {0};

	if (!http_open_waitable(http))
		return -1;
	FD_ZERO(&in);
	FD_ZERO(&out);
	FD_ZERO(&odd);
	curl_multi_fdset(http->multi, &in, &out, &odd, &highest);
	for (int fd = 0; fd <= highest || fd < http->nwatched; fd++)
		if (fd != http->epoll && fd != http->timer)
			http_watch(http, fd, (FD_ISSET(fd, &in) ? EPOLLIN : 0) |
					   (FD_ISSET(fd, &out) ? EPOLLOUT : 0));
	http->nwatched = highest + 1;
	curl_multi_timeout(http->multi, &curl_ms);
	if (curl_ms >= 0 && curl_ms < timeout_ms)
		timeout_ms = (int) curl_ms;
	due.it_value.tv_sec = timeout_ms / 1000;
	due.it_value.tv_nsec = timeout_ms % 1000 * 1000000L;
	if (timeout_ms == 0)
		due.it_value.tv_nsec = 1;
	timerfd_settime(http->timer, 0, &due, NULL);
	return http->epoll;
}

#else

/* See http.h. */
int
tstore_http_waitable(tstore_http *http, int timeout_ms)
{
	(void) http;
	(void) timeout_ms;
	return -1;
}

#endif

/* How libcurl's result reads for us. */
static tstore_outcome
http_outcome(CURLcode rc, const tstore_exchange *exchange)
{
	if (exchange->no_memory)
		return TSTORE_O_NO_MEMORY;
	if (exchange->too_large)
		return TSTORE_O_PROTOCOL;
	switch (rc)
	{
		case CURLE_OK:
			return exchange->http_status > 0 ? TSTORE_O_ANSWERED :
				TSTORE_O_PROTOCOL;
		case CURLE_OUT_OF_MEMORY:
			return TSTORE_O_NO_MEMORY;
		case CURLE_COULDNT_RESOLVE_HOST:
		case CURLE_COULDNT_RESOLVE_PROXY:
		case CURLE_COULDNT_CONNECT:
		case CURLE_INTERFACE_FAILED:
		case CURLE_NO_CONNECTION_AVAILABLE:
		case CURLE_PROXY:
			return TSTORE_O_CONNECT;
		case CURLE_SSL_CONNECT_ERROR:
		case CURLE_PEER_FAILED_VERIFICATION:
		case CURLE_SSL_CERTPROBLEM:
		case CURLE_SSL_CIPHER:
		case CURLE_SSL_CACERT_BADFILE:
		case CURLE_SSL_CRL_BADFILE:
		case CURLE_SSL_ISSUER_ERROR:
		case CURLE_SSL_INVALIDCERTSTATUS:
		case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
		case CURLE_SSL_ENGINE_NOTFOUND:
		case CURLE_SSL_ENGINE_SETFAILED:
		case CURLE_SSL_ENGINE_INITFAILED:
			return TSTORE_O_TLS;
		case CURLE_OPERATION_TIMEDOUT:
			return exchange->sent ? TSTORE_O_TIMEOUT : TSTORE_O_CONNECT;
		case CURLE_ABORTED_BY_CALLBACK:
		case CURLE_GOT_NOTHING:
		case CURLE_SEND_ERROR:
		case CURLE_RECV_ERROR:
		case CURLE_SEND_FAIL_REWIND:
		case CURLE_PARTIAL_FILE:
			return exchange->sent ? TSTORE_O_LOST : TSTORE_O_CONNECT;
		default:
			return TSTORE_O_PROTOCOL;
	}
}

/* Notes libcurl's own words, or ours when it has none. */
static void
http_note_message(CURLcode rc, tstore_exchange *exchange)
{
	const char *words = exchange->slot->words;

	if (exchange->no_memory)
		words = "out of memory";
	else if (exchange->too_large)
		words = "the answer is too large";
	else if (rc == CURLE_ABORTED_BY_CALLBACK)
		words = "the connection broke before there was an answer";
	else if (words[0] == '\0')
		words = curl_easy_strerror(rc);
	snprintf(exchange->message, sizeof(exchange->message), "%.255s", words);
}

/* Takes over what libcurl knows of a finished transfer. */
static void
http_finish(CURLcode rc, tstore_exchange *exchange)
{
	CURL	   *easy = exchange->slot->easy;
	long		number = 0;
	curl_off_t	bytes = 0;

	if (curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &number) == CURLE_OK)
		exchange->http_status = (int) number;
	exchange->outcome = http_outcome(rc, exchange);
	if (exchange->outcome != TSTORE_O_ANSWERED)
		http_note_message(rc, exchange);
	if (curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &number) == CURLE_OK)
		exchange->bytes_sent = number;
	/* a small body is sent with the headers and counted with them */
	if (curl_easy_getinfo(easy, CURLINFO_SIZE_UPLOAD_T, &bytes) == CURLE_OK &&
		exchange->bytes_sent < bytes)
		exchange->bytes_sent += bytes;
	if (curl_easy_getinfo(easy, CURLINFO_HEADER_SIZE, &number) == CURLE_OK)
		exchange->bytes_received = number;
	if (curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &bytes) == CURLE_OK)
		exchange->bytes_received += bytes;
	if (curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &number) == CURLE_OK)
		exchange->connections = (int) number;
	exchange->elapsed_ms = tstore_now_ms() - exchange->slot->started_ms;
}

/* See http.h. */
tstore_exchange *
tstore_http_next_done(tstore_http *http)
{
	CURLMsg    *message;
	int			left;

	while ((message = curl_multi_info_read(http->multi, &left)) != NULL)
	{
		tstore_exchange *exchange = NULL;
		CURLcode	rc;

		if (message->msg != CURLMSG_DONE)
			continue;
		rc = message->data.result;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
						  (char **) &exchange);
		http_finish(rc, exchange);
		curl_multi_remove_handle(http->multi, exchange->slot->easy);
		http_release_slot(http, exchange);
		return exchange;
	}
	return NULL;
}

/* See http.h. */
void
tstore_http_forget(tstore_http *http, tstore_exchange *exchange)
{
	if (exchange->data != NULL && http->nspare < HTTP_SPARE_BODIES &&
		exchange->capacity <= HTTP_SPARE_MAX_BYTES)
	{
		http->spare[http->nspare].data = exchange->data;
		http->spare[http->nspare++].capacity = exchange->capacity;
	}
	else if (exchange->data != NULL)
		http->allocator->release(http->allocator->ctx, exchange->data);
	exchange->data = NULL;
	exchange->len = 0;
	exchange->capacity = 0;
}

/* See status.h.  The text is made once and then the same for ever. */
const char *
tstore_versions(void)
{
	static char versions[96];
	const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
	const char *ssl = info->ssl_version != NULL ? info->ssl_version : "no TLS";
	char		made[sizeof(versions)];

	snprintf(made, sizeof(made), "libcurl %s, %s", info->version, ssl);
	for (char *at = made; *at != '\0'; at++)
	{
		if (*at == '/')
			*at = ' ';
	}
	memcpy(versions, made, sizeof(versions));
	return versions;
}
