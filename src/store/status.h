/*
 * status.h
 *	  How a request ended, and everything that is known of a failure.
 *
 * Part of client.h, which includes it.  A status tells what to do next: whether
 * anything was sent, whether a write may have been applied, who must act.
 */
#ifndef TSTORE_STATUS_H
#define TSTORE_STATUS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum tstore_status
{
	TSTORE_OK = 0,
	TSTORE_NOT_FOUND,			/* 404 for an entity */
	TSTORE_TABLE_NOT_FOUND,		/* 404 TableNotFound */
	TSTORE_EXISTS,				/* 409 EntityAlreadyExists */
	TSTORE_TABLE_EXISTS,		/* 409 TableAlreadyExists */
	TSTORE_TABLE_BEING_DELETED, /* 409 TableBeingDeleted */
	TSTORE_PRECONDITION,		/* 412 */
	TSTORE_AUTH,				/* 401, 403 */
	TSTORE_TOO_LARGE,			/* 413; 400 EntityTooLarge and the like */
	TSTORE_INVALID,				/* any other 4xx */
	TSTORE_THROTTLED,			/* 503, 429; not applied */
	TSTORE_SERVER,				/* other 5xx; may be applied */
	TSTORE_CONNECT,				/* no connection; nothing was sent */
	TSTORE_TIMEOUT,				/* no whole answer in time; may be applied */
	TSTORE_LOST,				/* connection broke; may be applied */
	TSTORE_TLS,					/* certificate or handshake; nothing sent */
	TSTORE_PROTOCOL,			/* an answer that is not understood */
	TSTORE_ABORTED,				/* should_abort or tstore_cancel_all */
	TSTORE_BAD_CONFIG,			/* endpoint, key not base64, ... */
	TSTORE_NO_MEMORY
} tstore_status;

typedef struct tstore_error
{
	tstore_status status;
	int			http_status;	/* 0: no answer */
	int			operation;		/* failing one of a batch; -1: none */
	char		code[64];		/* the store's code, "" when it gave none */
	char		request_id[64]; /* x-ms-request-id, "" when none */
	char		message[256];	/* the store's or libcurl's words, one line */
	bool		maybe_applied;	/* a write whose outcome is not known */
} tstore_error;

/* The status as a lower-case phrase: "entity already exists". */
extern const char *tstore_status_text(tstore_status status);

/* "libcurl 7.88.1, OpenSSL 3.0.22" */
extern const char *tstore_versions(void);

/*
 * Retries.  Reads are repeated on THROTTLED, SERVER (but 501, 505), CONNECT,
 * TIMEOUT and LOST.  Writes are repeated on THROTTLED and CONNECT, where
 * nothing was applied, and upserts (idempotent; also a batch of only upserts)
 * also on the others; any other write ends with maybe_applied and the caller
 * must look.  The wait is x-ms-retry-after-ms, retry-after-ms, Retry-After
 * (seconds or a date; at most 60 s), else exponential from 0.1 s to 10 s with
 * jitter; it counts as waiting (should_abort ends it).  A stale kept-alive
 * connection is not an attempt: libcurl reconnects when nothing was answered
 * and the request is a read; otherwise it is LOST.
 */

/* Milliseconds of a clock that only goes forward; retries and leases go by it. */
extern int64_t tstore_now_ms(void);

#endif							/* TSTORE_STATUS_H */
