/*
 * store_int.h
 *	  What the files of store/ know of each other; nobody else includes it.
 *
 * The way of a request: start.c takes it, request.c writes it down as a call
 * (method, target, body), client.c queues it, attempt.c dates and signs each
 * attempt, http.c carries it as an exchange, response.c reads the answer into
 * the reply, retry.c decides whether that was the last attempt.  The formats of
 * bodies are known to multipart.c and entity_json.c, secrets to endpoint.c.
 * This header is about what is sent, response.h about what comes back.
 */
#ifndef TSTORE_STORE_INT_H
#define TSTORE_STORE_INT_H

#include "client.h"
#include "http.h"
#include "sign.h"

#define TSTORE_MAX_BATCH_OPERATIONS 100
#define TSTORE_API_VERSION "2019-02-02"

/* --- in endpoint.c --- */

/* Where requests go, and the secrets.  Everything is in the client's arena. */
typedef struct tstore_endpoint
{
	bool		https;
	bool		loopback;		/* the host is this machine */
	tmodel_span base;			/* scheme://host[:port] */
	tmodel_span prefix;			/* path before the table: "" or "/account" */
	tmodel_span account;		/* without "-secondary"; may be empty */
	tmodel_span key;			/* decoded; empty without SharedKey */
	tmodel_span sas;			/* without '?'; empty without SAS */
	tmodel_span bearer;			/* empty without a token */
} tstore_endpoint;

/*
 * Reads a configuration.  False with error set (BAD_CONFIG or NO_MEMORY).  The
 * caller must call tstore_endpoint_forget() before freeing the arena.
 */
extern bool tstore_endpoint_read(tmodel_arena *arena,
								 const tstore_config *config,
								 tstore_endpoint *endpoint,
								 tstore_error *error);

/* Overwrites the secrets. */
extern void tstore_endpoint_forget(tstore_endpoint *endpoint);

/* Replaces every secret and "also" in a zero-terminated text by "***". */
extern void tstore_endpoint_scrub(const tstore_endpoint *endpoint,
								  tmodel_span also, char *text);

/* --- in request.c --- */

/* Which answer a call gets. */
typedef enum tstore_shape
{
	TSTORE_S_ENTITY,			/* one entity */
	TSTORE_S_PAGE,				/* entities */
	TSTORE_S_TABLES,			/* a list of tables */
	TSTORE_S_WRITE,				/* an ETag */
	TSTORE_S_BATCH,				/* a multipart body */
	TSTORE_S_TABLE,				/* nothing */
	TSTORE_S_QUEUE				/* what the Queue service says */
} tstore_shape;

/* A request as HTTP, but for what changes with every attempt. */
typedef struct tstore_call
{
	tstore_kind kind;
	tstore_shape shape;
	const char *method;
	tmodel_span target;			/* path and query as sent, but for the SAS */
	size_t		path_len;		/* how much of the target is the path */
	const char *content_type;	/* NULL without a body */
	tmodel_span body;
	tmodel_span if_match;		/* empty: no If-Match */
	bool		no_content;		/* Prefer: return-no-content */
	bool		read;			/* changes nothing */
	bool		idempotent;		/* may be sent again whatever became of it */
	bool		lazy;			/* entities are decoded when asked for */
	bool		plain;			/* see tstore_query */
	bool		inserts;		/* a conflict means that the entity exists */
	bool		lone_batch;		/* a batch of one, sent as a single write */
	int			noperations;	/* writes: how many ETags to expect */
	bool	   *deletes;		/* batches: which operations have no ETag */
	bool		queue;			/* to the Queue service, which signs otherwise */
	tmodel_span resource;		/* queue: "\nname:value" of the query, sorted */
} tstore_call;

/*
 * Each writes down a call, with everything in the arena.  False when memory is
 * short; arguments are looked at only until they return.
 */
extern bool tstore_call_get(tmodel_arena *arena,
							const tstore_endpoint *endpoint,
							tmodel_span table, tmodel_span partition_key,
							tmodel_span row_key, int nselect,
							const tmodel_span *select, tstore_call *call);
extern bool tstore_call_query(tmodel_arena *arena,
							  const tstore_endpoint *endpoint,
							  tmodel_span table, const tstore_query *query,
							  tstore_call *call);
extern bool tstore_call_write(tmodel_arena *arena,
							  const tstore_endpoint *endpoint,
							  tmodel_span table,
							  const tstore_operation *operation,
							  tstore_call *call);
extern bool tstore_call_batch(tmodel_arena *arena,
							  const tstore_endpoint *endpoint,
							  tmodel_span table, int noperations,
							  const tstore_operation *operations,
							  tstore_call *call);
extern bool tstore_call_create_table(tmodel_arena *arena,
									 const tstore_endpoint *endpoint,
									 tmodel_span table, tstore_call *call);
extern bool tstore_call_delete_table(tmodel_arena *arena,
									 const tstore_endpoint *endpoint,
									 tmodel_span table, tstore_call *call);
extern bool tstore_call_list_tables(tmodel_arena *arena,
									const tstore_endpoint *endpoint,
									const tstore_query *query,
									tstore_call *call);

/* The verb of a write: "POST", "MERGE"... */
extern const char *tstore_write_method(tstore_write write);

/* Appends the path of a write: of the table, or of the entity in it. */
extern bool tstore_write_path(tmodel_buf *buf, const tstore_endpoint *endpoint,
							  tmodel_span table,
							  const tstore_operation *operation);

/*
 * Why an operation must not be sent, or NULL.  A missing ETag is such a reason:
 * without If-Match the store would overwrite whatever is there.
 */
extern const char *tstore_operation_fault(const tstore_operation *operation);

/* Does the write need an If-Match header? */
extern bool tstore_write_is_conditional(tstore_write write);

/* Appends everything but A-Z a-z 0-9 - . _ ~ percent-encoded. */
extern bool tstore_url_encode(tmodel_buf *buf, tmodel_span text);

/* Gives a buffer room at once, so that it need not grow. */
extern void tstore_buf_reserve(tmodel_buf *buf, size_t size);

/* --- in client.c, for start.c --- */

/* A request that is not queued yet; NULL when memory is short. */
extern tstore_request *tstore_request_new(tstore_client *client);

/* Where the request's call is to be written, and what with. */
extern tstore_call *tstore_request_call(tstore_request *request,
										tmodel_arena **arena,
										const tstore_endpoint **endpoint);

/* Queues it if the call was written down; else frees it and returns NULL. */
extern tstore_request *tstore_request_queue(tstore_request *request,
											bool written);

/* Ends a request before it was sent. */
extern void tstore_request_refuse(tstore_request *request,
								  tstore_status status, const char *message,
								  int operation);

extern void tstore_request_trace(const tstore_request *request,
								 const char *component, const char *line);

/* --- in attempt.c --- */

/*
 * Sets what the caller sets of an exchange; everything is in the arena.
 * *signature is a secret that must not get into messages.  False when memory
 * is short.
 */
extern bool tstore_attempt_prepare(tmodel_arena *arena,
								   const tstore_endpoint *endpoint,
								   const tstore_call *call, int64_t unix_now,
								   tstore_exchange *exchange,
								   tmodel_span *signature);

/* --- in multipart.c --- */

/* The boundaries of requests.  Azurite insists on how they begin. */
#define TSTORE_BATCH_BOUNDARY "batch_itable_fdw"
#define TSTORE_CHANGESET_BOUNDARY "changeset_itable_fdw"

/* Appends the body of a batch.  False when memory is short. */
extern bool tstore_multipart_print(tmodel_buf *buf,
								   const tstore_endpoint *endpoint,
								   tmodel_span table, int noperations,
								   const tstore_operation *operations);

/* --- in entity_json.c --- */

/* Appends an entity as a JSON object, on one line. */
extern bool tstore_entity_print(tmodel_buf *buf, const tmodel_entity *entity);

#endif							/* TSTORE_STORE_INT_H */
