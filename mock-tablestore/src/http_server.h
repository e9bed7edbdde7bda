/*
 * http_server.h
 *	  The HTTP side: sockets, request bodies, replies, waiting.
 */
#ifndef MTS_HTTP_SERVER_H
#define MTS_HTTP_SERVER_H

#include "mem.h"

typedef struct ServerOptions
{
	const char *host;
	const char *port;
	const char *queue_host;		/* NULL: no queue service */
	const char *queue_port;
	const char *tls_cert;		/* PEM texts; NULL: plain HTTP */
	const char *tls_key;
} ServerOptions;

/* The ports listened on; queue is -1 without a queue service. */
typedef struct ServerPorts
{
	int			table;
	int			queue;
} ServerPorts;

/* False with the reason in *why (malloc'ed). */
extern bool server_start(const ServerOptions *options, ServerPorts *ports,
						 char **why);
extern void server_stop(void);

#endif							/* MTS_HTTP_SERVER_H */
