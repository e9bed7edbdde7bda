/*
 * router.h
 *	  A request between the HTTP library and the operations.
 *
 * Two steps, because a fault or --latency may put time between them:
 * router_prepare decides what the request is and which fault it meets,
 * router_execute does it.
 */
#ifndef MTS_ROUTER_H
#define MTS_ROUTER_H

#include "batch.h"
#include "fault.h"
#include "queue.h"

typedef struct Request
{
	Arena		arena;
	Buf			body;
	bool		too_large;		/* the body was cut off */
	size_t		body_bytes;		/* received, also when cut off */
	char	   *uri;			/* as sent, malloc'ed */
	const char *method;
	HeaderLookup header;
	void	   *who;			/* first argument of header and each_header */
	HeaderEach	each_header;
	char		service;		/* SERVICE_TABLE or SERVICE_QUEUE */
	ErrCode		unclear;		/* found by framing.c: nothing else counts */
	const char *unclear_detail;
	Origin		origin;
	uint64_t	connection;

	/* set by router_prepare */
	bool		is_mock;		/* under /__mock/ */
	char		request_id[37];
	Context		context;
	Command		cmd;
	QueueCommand queue;			/* of SERVICE_QUEUE, besides cmd */
	bool		preflight;		/* OPTIONS */
	bool		secondary;		/* asked at ACCOUNT-secondary */
	int64_t		timeout_ms;		/* of timeout=, or -1 */
	bool		timed_out;		/* waited for longer than that */
	Batch		batch;
	CounterClass class;
	ErrCode		err;			/* why it will be refused */
	Fault		fault;
	const char *noted;			/* what the journal says it met, or NULL */
	bool		again;			/* applied by the mock, see zombie.c */

	/* set by router_execute */
	Reply		reply;
} Request;

#define MAX_BODY_BYTES (4 * 1024 * 1024)

extern void router_start(Store *store);
extern void router_prepare(Request *r);
extern void router_execute(Request *r);

/*
 * How long a request that has to wait may wait: a timeout= that is shorter
 * ends it with OperationTimedOut and applies nothing.
 */
extern int64_t router_clip_wait(Request *r, int64_t wait_ms);

/* Move it into memory of its own, independent of its connection. */
extern Request *router_detach(Request *r);

/* Execute and record a detached request. */
extern void router_repeat(Request *r);
extern void router_discard(Request *r);

/* Enter the request into journal and log; replied: false if it was dropped. */
extern void router_record(const Request *r, bool replied);

/* ops_mock.c: everything under /__mock/. */
extern bool mock_is_asked(const char *uri);
extern void mock_execute(Request *r, Store *store);

#endif							/* MTS_ROUTER_H */
