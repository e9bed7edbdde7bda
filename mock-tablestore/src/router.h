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

typedef struct Request
{
	Arena		arena;
	Buf			body;
	bool		too_large;		/* the body was cut off */
	size_t		body_bytes;		/* received, also when cut off */
	char	   *uri;			/* as sent, malloc'ed */
	const char *method;
	HeaderLookup header;
	void	   *who;			/* first argument of header */
	uint64_t	connection;

	/* set by router_prepare */
	bool		is_mock;		/* under /__mock/ */
	char		request_id[37];
	Context		context;
	Command		cmd;
	Batch		batch;
	CounterClass class;
	ErrCode		err;			/* why it will be refused */
	Fault		fault;

	/* set by router_execute */
	Reply		reply;
} Request;

#define MAX_BODY_BYTES (4 * 1024 * 1024)

extern void router_start(Store *store);
extern void router_prepare(Request *r);
extern void router_execute(Request *r);

/* Enter the request into journal and log; replied: false if it was dropped. */
extern void router_record(const Request *r, bool replied);

/* ops_mock.c: everything under /__mock/. */
extern void mock_execute(Request *r, Store *store);

#endif							/* MTS_ROUTER_H */
