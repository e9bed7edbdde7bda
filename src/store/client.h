/*
 * client.h
 *	  A client of the table service's REST interface; knows no PostgreSQL.
 *
 * All calls are asynchronous: a tstore_start_* function queues a request and
 * returns its handle at once, tstore_wait() drives all requests in flight
 * (libcurl's multi interface, kept-alive connections) until one is complete.
 * Nothing here throws or longjmps, nothing prints; every failure is in the
 * reply's error.  A handle belongs to the caller until tstore_finish().
 *
 * Retries (status.h says when) are done inside; a reply is final.
 * Secrets never appear in errors or trace.
 */
#ifndef TSTORE_CLIENT_H
#define TSTORE_CLIENT_H

#include "model/entity.h"
#include "counters.h"
#include "status.h"

typedef struct tstore_client tstore_client;
typedef struct tstore_request tstore_request;

typedef struct tstore_config
{
	const char *endpoint;		/* http[s]://host[:port][/account] */
	const char *account;		/* NULL: from the endpoint's path or host */
	const char *account_key;	/* base64; NULL without SharedKey */
	const char *sas_token;		/* with or without leading '?'; NULL */
	const char *bearer_token;	/* NULL */
	const char *ca_file;		/* NULL: the system's */
	int			connect_timeout_ms; /* 0: 10 s */
	int			request_timeout_ms; /* a whole attempt; 0: 60 s */
	int			max_retries;	/* attempts after the first; -1: 3 */
	int			max_connections;	/* requests in flight; 0: 8 */
} tstore_config;

/*
 * What the surroundings offer.  None may longjmp or throw: they are called
 * while libcurl is on the stack.
 */
typedef struct tstore_hooks
{
	tmodel_allocator allocator;
	void	   *ctx;
	/* asked at least every 100 ms while waiting; true stops tstore_wait */
	bool		(*should_abort) (void *ctx);
	/* one line without newline; NULL: no trace */
	void		(*trace) (void *ctx, const char *component, const char *line);
} tstore_hooks;

/* malloc, never aborts, no trace; for tests and tools */
extern const tstore_hooks tstore_default_hooks;

/* NULL with the error set; configuration strings are copied. */
extern tstore_client *tstore_open(const tstore_config *config,
								  const tstore_hooks *hooks,
								  tstore_error *error);

/* Ends everything in flight, closes connections, frees. NULL is fine. */
extern void tstore_close(tstore_client *client);

/* Ends and frees every request not yet finished (their handles are invalid
 * afterwards); connections with a request in flight are closed. */
extern void tstore_cancel_all(tstore_client *client);

typedef enum tstore_write
{
	TSTORE_INSERT,				/* 409 when it exists */
	TSTORE_REPLACE,				/* If-Match needed */
	TSTORE_MERGE,				/* If-Match needed */
	TSTORE_UPSERT_REPLACE,		/* unconditional */
	TSTORE_UPSERT_MERGE,		/* unconditional */
	TSTORE_DELETE				/* If-Match needed */
} tstore_write;

typedef struct tstore_operation
{
	tstore_write write;
	const tmodel_entity *entity;	/* DELETE: keys only */
	tmodel_span if_match;		/* an ETag as the store gave it, or "*" */
} tstore_operation;

typedef struct tstore_query
{
	tmodel_span filter;			/* OData text, not URL-encoded; empty: all */
	int			nselect;		/* 0: all properties */
	const tmodel_span *select;
	int			top;			/* 0: the store's page size */
	bool		plain;			/* no ETags, no types: a value that JSON has no
								 * type for comes as a String */
	tmodel_span next_partition_key; /* as a reply gave them; empty: start */
	tmodel_span next_row_key;
	tmodel_span next_table;		/* listing tables */
} tstore_query;

/*
 * Start functions copy what they are given before they return; entity and
 * table may be freed at once.  They return NULL only when memory is short.
 */
extern tstore_request *tstore_start_get(tstore_client *client,
										tmodel_span table,
										tmodel_span partition_key,
										tmodel_span row_key,
										int nselect, const tmodel_span *select);
extern tstore_request *tstore_start_query(tstore_client *client,
										  tmodel_span table,
										  const tstore_query *query);
extern tstore_request *tstore_start_write(tstore_client *client,
										  tmodel_span table,
										  const tstore_operation *operation);

/* 1..100 operations of one partition, applied all or none. */
extern tstore_request *tstore_start_batch(tstore_client *client,
										  tmodel_span table, int noperations,
										  const tstore_operation *operations);

/*
 * May the entity's writes share a batch?  Azurite 3.35.0 misreads keys there
 * with a quote before a comma or a comma first, and empty RowKeys: false for
 * these while the service is Azurite, or has not answered yet.
 */
extern bool tstore_may_batch(const tstore_client *client,
							 tmodel_span partition_key, tmodel_span row_key);
extern tstore_request *tstore_start_create_table(tstore_client *client,
												 tmodel_span table);
extern tstore_request *tstore_start_delete_table(tstore_client *client,
												 tmodel_span table);
extern tstore_request *tstore_start_list_tables(tstore_client *client,
												const tstore_query *query);

typedef struct tstore_reply
{
	tstore_error error;			/* status TSTORE_OK: the rest is valid */
	int			nentities;		/* get: 1; query: 0..1000 */
	tmodel_entity *entities;
	int			netags;			/* write: 1; batch: one per operation */
	tmodel_span *etags;			/* empty for a DELETE */
	tmodel_span body;			/* queue.h: what the service said */
	int			ntables;
	tmodel_span *tables;
	bool		has_more;		/* a query's answer goes on: start again with
								 * these, and the same filter and select */
	tmodel_span next_partition_key;
	tmodel_span next_row_key;
	tmodel_span next_table;
	int64_t		server_time;	/* the Date header, ticks; -1 when absent */
	int			attempts;		/* requests sent for this reply, >= 0 */
	int64_t		bytes_sent;		/* bodies and headers, all attempts */
	int64_t		bytes_received;
} tstore_reply;

extern bool tstore_is_done(const tstore_request *request);

/*
 * Valid once done, until tstore_finish(). Never NULL then.  A page's entities
 * are decoded at the first call, which may find an error in them.
 */
extern const tstore_reply *tstore_reply_of(tstore_request *request);

/*
 * The same without entities: whether and where a page goes on is known before
 * it is decoded, so that the next one can be on its way meanwhile.
 */
extern const tstore_reply *tstore_reply_head(const tstore_request *request);

/*
 * Drives everything in flight until "request" is done (NULL: until any one
 * that was not done at the call is, or nothing is in flight).  False when
 * should_abort said so; requests stay in flight then.
 */
extern bool tstore_wait(tstore_client *client, tstore_request *request);

/*
 * A descriptor that becomes readable when there is something to move, for who
 * waits for other things, too; "at_once": now.  It is the client's, and must be
 * asked for again before each wait.  -1: not on this system.
 */
extern int	tstore_waitable(tstore_client *client, bool at_once);

/* Moves what can be moved without waiting; for long work between waits. */
extern void tstore_poll(tstore_client *client);

/* No attempt of a write begins later than this from now (-1: no limit).  One that
 * would is done, with the failure it had or (never sent) TSTORE_ABORTED. */
extern void tstore_limit_writes(tstore_client *client, int64_t left_ms);

/* Frees request and reply; one in flight is broken off. NULL is fine. */
extern void tstore_finish(tstore_request *request);

/* For the caller's own use (which change a reply belongs to). */
extern void tstore_set_user(tstore_request *request, void *user);
extern void *tstore_user(const tstore_request *request);

/* TSTORE_KINDS counters that live as long as the client. */
extern const tstore_counters *tstore_statistics(const tstore_client *client);
extern void tstore_reset_statistics(tstore_client *client);

#endif							/* TSTORE_CLIENT_H */
