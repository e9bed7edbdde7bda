/*
 * acl.h
 *	  Stored access policies of tables and queues.
 */
#ifndef MTS_ACL_H
#define MTS_ACL_H

#include "command.h"

typedef struct Policy
{
	Span		id;
	Span		start;			/* empty: not given */
	Span		expiry;
	Span		permission;
} Policy;

/* service: SERVICE_TABLE or SERVICE_QUEUE.  All need the store's lock. */

/* The policy of that id; its texts are in the arena. */
extern bool acl_find(Context *c, char service, Span resource, Span id,
					 Policy *policy);

/* The document as the service shows it. */
extern ErrCode acl_print(Context *c, char service, Span resource, Buf *out);

/* Check the body and store it in place of what was there. */
extern ErrCode acl_store(Context *c, char service, Span resource, Span body,
						 const char **detail);

/* Forget them: the table or queue is deleted. */
extern StoreResult acl_forget(Context *c, char service, Span resource);

#endif							/* MTS_ACL_H */
