/*
 * trace.h
 *	  The store client's trace lines in PostgreSQL's log.
 */
#ifndef ITABLE_TRACE_H
#define ITABLE_TRACE_H

#include "postgres.h"

/*
 * A tstore_hooks.trace: keeps the line when its component is asked for by
 * itable_fdw.trace.  Called below libcurl, so it neither throws nor logs.
 */
extern void itable_trace_keep(void *ctx, const char *component,
							  const char *line);

/* Logs what was kept; for callers that may throw. */
extern void itable_trace_log(void);

#endif							/* ITABLE_TRACE_H */
