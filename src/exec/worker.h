/*
 * worker.h
 *	  The background worker that does queued maintenance.
 */
#ifndef ITABLE_WORKER_H
#define ITABLE_WORKER_H

#include "postgres.h"

/*
 * Registers the worker when the library is in shared_preload_libraries and
 * itable_fdw.queue_database names a database; else does nothing.
 */
extern void itable_worker_init(void);

#endif							/* ITABLE_WORKER_H */
