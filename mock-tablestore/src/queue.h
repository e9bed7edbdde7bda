/*
 * queue.h
 *	  The queue service: what a request asks for, and its operations.
 *
 * Name=value pairs of the query, the body and the headers' values stay in a
 * Command, as with tables; a QueueCommand is what tables do not have.
 */
#ifndef MTS_QUEUE_H
#define MTS_QUEUE_H

#include "sas.h"

typedef enum QueueOp
{
	QUEUE_NONE,
	QUEUE_LIST,
	QUEUE_CREATE,
	QUEUE_DELETE,
	QUEUE_METADATA_GET,
	QUEUE_METADATA_SET,
	QUEUE_ACL_GET,
	QUEUE_ACL_SET,
	QUEUE_SERVICE_GET,
	QUEUE_SERVICE_SET,
	QUEUE_SERVICE_STATS,
	MESSAGE_PUT,
	MESSAGE_GET,
	MESSAGE_PEEK,
	MESSAGE_CLEAR,
	MESSAGE_UPDATE,
	MESSAGE_DELETE
} QueueOp;

typedef struct QueueCommand
{
	QueueOp		op;
	Span		queue;			/* empty: the service itself */
	Span		message;		/* id, of MESSAGE_UPDATE and MESSAGE_DELETE */
	Span		metadata;		/* "name:value\n" of the x-ms-meta- headers */
} QueueCommand;

/* queue_command.c */
extern ErrCode queue_parse(Arena *a, const char *method, Span path,
						   Span query, HeaderEach each, void *who,
						   Command *cmd, QueueCommand *q,
						   const char **detail);
extern ErrCode queue_allows(const Grant *g, QueueOp op);
extern bool queue_op_writes(QueueOp op);

/* queue_auth.c: the texts this service has signed. */
extern void queue_signed_text(Buf *out, const Signed *s, bool lite,
							  const char *date);

/* ops_queue.c and ops_message.c */
extern ErrCode queue_run(Context *c, const QueueCommand *q,
						 const Command *cmd, Reply *reply);
extern ErrCode message_run(Context *c, const QueueCommand *q,
						   const Command *cmd, Reply *reply);

/* An integer parameter within bounds; fallback when it is not there. */
extern ErrCode queue_number(Arena *a, const Command *cmd, const char *name,
							int64_t low, int64_t high, int64_t fallback,
							int64_t *value, const char **detail);

#endif							/* MTS_QUEUE_H */
