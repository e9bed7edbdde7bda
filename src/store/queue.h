/*
 * queue.h
 *	  Messages of the Queue service: put, get, delete.
 *
 * A client of tstore_open() whose endpoint is the Queue service's.  Message texts
 * are bytes; they travel as base64, as other clients of the service do it.  A
 * message that was got is hidden from others for a while, and comes back unless
 * it is deleted: at least once, never lost.
 */
#ifndef TSTORE_QUEUE_H
#define TSTORE_QUEUE_H

#include "client.h"

/* The most bytes of a message's text (64 KiB as base64). */
#define TSTORE_MESSAGE_MAX (48 * 1024)

/* The most messages one request gets. */
#define TSTORE_MESSAGES_MAX 32

typedef struct tstore_message
{
	tmodel_span id;
	tmodel_span receipt;		/* names this getting of it */
	tmodel_span text;			/* decoded; empty when it is not base64 */
} tstore_message;

/* Each copies what it is given; NULL: out of memory. */
extern tstore_request *tstore_start_create_queue(tstore_client *client,
												 tmodel_span queue);
extern tstore_request *tstore_start_put_message(tstore_client *client,
												tmodel_span queue,
												tmodel_span text);
extern tstore_request *tstore_start_get_messages(tstore_client *client,
												 tmodel_span queue,
												 int hidden_seconds);
extern tstore_request *tstore_start_delete_message(tstore_client *client,
												   tmodel_span queue,
												   const tstore_message *message);

/*
 * The messages of a reply to _get_messages, in the arena; returns how many, -1:
 * out of memory.  What does not read as a message is left out.
 */
extern int	tstore_read_messages(tmodel_arena *arena,
								 const tstore_reply *reply,
								 tstore_message *messages);

#endif							/* TSTORE_QUEUE_H */
