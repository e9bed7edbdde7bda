/*
 * round.h
 *	  One round of the flush: the requests of many machines, grouped into
 *	  entity group transactions, sent, and their answers handed back.
 *
 * Private to txn/flush.c, which decides which round comes next and what a
 * verdict means for the transaction.
 */
#ifndef ITABLE_ROUND_H
#define ITABLE_ROUND_H

#include "postgres.h"

#include "model/protocol.h"
#include "remote/session.h"
#include "table/table_def.h"

/* One machine under way. */
typedef struct flushItem
{
	tmodel_machine *machine;
	const itableTable *table;	/* the fact table, for messages */
	tmodel_span partition_key;	/* the fact's */
	tmodel_span row_key;
	bool		single;			/* its requests travel alone: the store did
								 * not say which operation of a batch failed */
	tstore_error error;			/* the last refusal; status TSTORE_OK: none */
} flushItem;

/* Everything that is sent through one client. */
typedef struct flushSite
{
	tstore_client *client;
	itableCalls *calls;
	int			batch_size;
	int			nitems;
	int			max_items;
	flushItem  *items;
	struct flushSite *next;
} flushSite;

typedef enum roundResult
{
	ROUND_DONE,					/* answers were handed back */
	ROUND_NOTHING,				/* no machine is in this phase */
	ROUND_INTERRUPTED			/* cancel or terminate is waiting */
} roundResult;

/*
 * Sends what the site's machines want in "phase".  "first_only" sends the
 * first group alone, so that its failure finds nothing committed.  Reads and
 * writes the machines; everything kept goes to the arena.
 */
extern roundResult itable_round(flushSite *site, tmodel_phase phase,
								bool first_only, tmodel_arena *arena);

#endif							/* ITABLE_ROUND_H */
