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
	int			latency_ms;
} ServerOptions;

/* The port listened on, or -1 with the reason in *why (malloc'ed). */
extern int	server_start(const ServerOptions *options, char **why);
extern void server_stop(void);

#endif							/* MTS_HTTP_SERVER_H */
