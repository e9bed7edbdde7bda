/*
 * journal.h
 *	  What was asked: one line per request, and counters.
 */
#ifndef MTS_JOURNAL_H
#define MTS_JOURNAL_H

#include "mem.h"

typedef enum CounterClass
{
	CLASS_OTHER,				/* refused before an operation was known */
	CLASS_TABLE,
	CLASS_GET,
	CLASS_QUERY,
	CLASS_BATCH,
	CLASS_INSERT,
	CLASS_UPDATE,
	CLASS_DELETE,
	CLASS_QUEUE,				/* any request to the queue service */
	CLASS_COUNT
} CounterClass;

typedef struct JournalEntry
{
	CounterClass class;
	const char *method;
	const char *uri;			/* path and query as sent */
	int			status;			/* 0: the connection was closed instead */
	size_t		bytes_in;		/* of the body */
	size_t		bytes_out;
	int			entities_in;
	int			entities_out;
	uint64_t	connection;
	const char *fault;			/* what it met; NULL: nothing */
	bool		again;			/* applied by the mock, not asked by a client */
} JournalEntry;

extern const char *class_name(CounterClass class);
extern void journal_add(const JournalEntry *e);
extern void journal_connection(void);
extern void journal_print(Buf *out);
extern void journal_reset(void);
extern void counters_print(Buf *out);
extern void counters_reset(void);

#endif							/* MTS_JOURNAL_H */
