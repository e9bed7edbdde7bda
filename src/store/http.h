/*
 * http.h
 *	  One HTTP exchange at a time, or many at once; the words of libcurl stay
 *	  behind this header.
 *
 * Knows nothing of tables, of what an answer means, or of retries.  Used by
 * client.c; response.c reads what an exchange brought.
 *
 * Easy to break: nothing that libcurl calls may jump or throw; a failed
 * allocation there is a flag in the exchange, which ends it.
 */
#ifndef TSTORE_HTTP_H
#define TSTORE_HTTP_H

#include "model/arena.h"

/* A larger answer is refused; pages are below 4 MiB. */
#define TSTORE_MAX_BODY_BYTES (16 * 1024 * 1024)

/* How an exchange ended. */
typedef enum tstore_outcome
{
	TSTORE_O_ANSWERED,			/* a whole answer; see http_status */
	TSTORE_O_CONNECT,			/* nothing was sent */
	TSTORE_O_TLS,				/* nothing was sent */
	TSTORE_O_TIMEOUT,
	TSTORE_O_LOST,
	TSTORE_O_PROTOCOL,			/* not HTTP, or too large */
	TSTORE_O_NO_MEMORY
} tstore_outcome;

/* The answer's headers that matter; empty when absent.  In the arena. */
typedef struct tstore_headers
{
	tmodel_span content_type;
	tmodel_span etag;
	tmodel_span date;
	tmodel_span request_id;
	tmodel_span error_code;
	tmodel_span retry_after;	/* seconds or a date */
	tmodel_span retry_after_ms;
	tmodel_span next_partition_key;
	tmodel_span next_row_key;
	tmodel_span next_table;
	tmodel_span server;
} tstore_headers;

/*
 * In response.c: stores the header if it is one of those that matter; "name"
 * and "value" as they came, without line end.  False when memory is short.
 */
extern bool tstore_header_set(tmodel_arena *arena, tstore_headers *headers,
							  tmodel_span name, tmodel_span value);

typedef struct tstore_slot tstore_slot; /* an easy handle and what it needs */

/* One attempt: what goes out, and what came back. */
typedef struct tstore_exchange
{
	/* set by the caller */
	tmodel_arena *arena;		/* for the headers of the answer */
	const char *method;
	const char *url;
	const char *const *headers; /* "Name: value", NULL at the end */
	tmodel_span body;
	bool		has_body;
	bool		read;			/* libcurl may send it again by itself */
	void	   *user;

	/* set by http.c */
	tstore_slot *slot;			/* NULL unless in flight */
	struct tstore_http *http;
	bool		sent;			/* a connection was there, sending began */
	bool		too_large;
	bool		no_memory;
	tstore_outcome outcome;
	int			http_status;
	tstore_headers answer;
	char	   *data;			/* the body; not in the arena */
	size_t		len;
	size_t		capacity;
	int64_t		bytes_sent;
	int64_t		bytes_received;
	int			connections;	/* opened for this attempt */
	int64_t		elapsed_ms;
	char		message[256];	/* libcurl's words when it was not answered */
} tstore_exchange;

typedef struct tstore_http tstore_http;

/* Limits and trust, the same for all exchanges of a client. */
typedef struct tstore_http_options
{
	const char *ca_file;		/* NULL: the system's; must live on */
	int			connect_timeout_ms;
	int			request_timeout_ms;
	int			max_connections;
} tstore_http_options;

/* NULL when memory is short.  The allocator must outlive it. */
extern tstore_http *tstore_http_open(const tmodel_allocator *allocator,
									 const tstore_http_options *options);

/* Closes connections.  Exchanges in flight must have been cancelled. */
extern void tstore_http_close(tstore_http *http);

/*
 * Sends the exchange on its way; false when memory is short.  It must stay
 * where it is until it is done or cancelled.
 */
extern bool tstore_http_start(tstore_http *http, tstore_exchange *exchange);

/* Breaks off an exchange in flight and closes its connection. */
extern void tstore_http_cancel(tstore_http *http, tstore_exchange *exchange);

/* Moves what can be moved without waiting. */
extern void tstore_http_perform(tstore_http *http);

/* An exchange that is done since it was last asked for, or NULL. */
extern tstore_exchange *tstore_http_next_done(tstore_http *http);

/* Waits until something can be moved, a signal arrives, or so long. */
extern void tstore_http_wait(tstore_http *http, int timeout_ms);

/*
 * A descriptor that becomes readable when something can be moved, at the latest
 * after so long; valid until the next call here.  -1: there is none.
 */
extern int	tstore_http_waitable(tstore_http *http, int timeout_ms);

/* Releases the body; the exchange can be started again. */
extern void tstore_http_forget(tstore_http *http, tstore_exchange *exchange);

#endif							/* TSTORE_HTTP_H */
