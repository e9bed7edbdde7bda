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

/* Fact tables of this database that have queued indexes (OIDs). */
extern List *itable_queue_tables(void);

/*
 * Does what messages of the fact table's server tell of and, with "scan", all
 * that waits for the table, as the current user.  Without queue_endpoint there
 * are no messages, and it scans.
 */
extern int	itable_queue_process_table(Oid fact, int max, bool scan);

/* How many queued changes name the index; 0 for one that is not queued. */
extern int64 itable_queue_backlog(const itableTable *index);

#endif							/* ITABLE_QUEUE_H */
