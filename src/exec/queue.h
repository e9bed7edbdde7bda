/*
 * queue.h
 *	  Queued maintenance of one server's index tables.
 */
#ifndef ITABLE_QUEUE_H
#define ITABLE_QUEUE_H

#include "postgres.h"

#include "table/table_def.h"

/* Does up to "max" of what waits on the server; returns how many. */
extern int	itable_queue_process(Oid serverid, int max);

/* How many queued changes name the index; 0 for one that is not queued. */
extern int64 itable_queue_backlog(const itableTable *index);

#endif							/* ITABLE_QUEUE_H */
