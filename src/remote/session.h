/*
 * session.h
 *	  Clients of the store kept by this backend, one per user mapping.
 *
 * The only bridge from PostgreSQL's world (servers, user mappings, interrupts,
 * memory contexts) to store/.  Requests are tracked by the memory context of
 * whoever started them, so that an error anywhere frees them.
 */
#ifndef ITABLE_SESSION_H
#define ITABLE_SESSION_H

#include "postgres.h"

#include "store/client.h"
#include "store/queue.h"
#include "store/status.h"

/*
 * The client for a server and user; connects lazily.  Valid until the end of
 * the transaction at least.  Throws when the mapping is missing or unusable.
 */
extern tstore_client *itable_session(Oid serverid, Oid userid);

/*
 * The client for the server's queue_endpoint, with short time-outs; NULL when
 * there is none, or it must not or cannot be used.
 */
extern tstore_client *itable_queue_session(Oid serverid, Oid userid);

/* Requests in flight that belong to one memory context. */
typedef struct itableCalls itableCalls;

extern itableCalls *itable_calls(MemoryContext context, tstore_client *client);

/* Takes a handle from a tstore_start_ function; NULL (no memory) throws. */
extern tstore_request *itable_call(itableCalls *calls, tstore_request *request);

/* Asks for a query's first page, or for the one that follows a reply. */
extern tstore_request *itable_call_page(itableCalls *calls, tmodel_span table,
										const tstore_query *query,
										const tstore_reply *after);

/* Waits for it (NULL: for any); cancel and terminate throw within 0.1 s. */
extern void itable_wait(itableCalls *calls, tstore_request *request);

/* The same for any request of the client, whoever sent it. */
extern void itable_wait_any(tstore_client *client);

/* Frees one request, or all of the set. */
extern void itable_finish(itableCalls *calls, tstore_request *request);
extern void itable_finish_all(itableCalls *calls);

/* A request of the set that is done, or NULL. */
extern tstore_request *itable_done_call(itableCalls *calls);
/* Any request of the set, done or not; NULL: the set is empty. */
extern tstore_request *itable_first_call(itableCalls *calls);
extern int	itable_calls_open(const itableCalls *calls);
extern tstore_client *itable_calls_client(itableCalls *calls);

/* Closes clients whose mapping or server changed; at transaction end. */
extern void itable_sessions_end_transaction(void);

/* A set of requests begins (+1) or ends (-1) to need the client. */
extern void itable_session_hold(tstore_client *client, int change);

/* For itable_stats(): calls back for every server known to this backend. */
typedef void (*itableStatsCallback) (Oid serverid,
									 const tstore_counters *counters,
									 void *ctx);
extern void itable_sessions_statistics(itableStatsCallback callback, void *ctx);
extern void itable_sessions_reset_statistics(void);

/* Connections: closes those of one server (InvalidOid: all) that are idle;
 * returns whether there was one. */
extern bool itable_sessions_disconnect(Oid serverid);
typedef void (*itableSessionCallback) (Oid serverid, bool valid, void *ctx);
extern void itable_sessions_each(itableSessionCallback callback, void *ctx);

/* Once, when the library is loaded. */
extern void itable_sessions_init(void);

/* Is a cancel or terminate waiting that may be served now? */
extern bool itable_is_interrupted(void);

#endif							/* ITABLE_SESSION_H */
