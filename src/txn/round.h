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
#include "txn/net.h"

/*
 * The part of itable_fdw.write_buffer (one in so many) that changes may take
 * which are kept, and again that the requests of a window may.
 */
#define CONTENTS_PART 8

/* One machine under way. */
typedef struct flushItem
{
	tmodel_machine *machine;
	const itableTable *table;	/* the fact table, for messages */
	const tmodel_change *change;	/* NULL in a repair, and when detached */
	const netTable *net;		/* of which it is, made from the row */
	const itableChange *row;
	const tmodel_change *header;	/* the machine is detached from its change;
									 * NULL: it is not */
	List	   *indexes;		/* itableIndex *, of the fact table */
	bool		has_claims;		/* one of them is unique */
	tmodel_span partition_key;	/* the fact's */
	tmodel_span row_key;
	List	   *donors;			/* flushItem *, whose keys it takes over */
	int			visited;		/* 1: being looked at, 2: done */
	bool		single;			/* its requests travel alone: the store did
								 * not say which operation of a batch failed */
	tstore_error *error;		/* the last refusal; NULL: none */
} flushItem;

/* Everything that is sent through one client. */
typedef struct flushSite
{
	tstore_client *client;
	Oid			userid;			/* whose client it is */
	itableCalls *calls;
	int			batch_size;
	int			max_open;		/* groups in flight; 0: not adapted yet */
	int64		throttles;		/* of the client, when last looked */
	int			nitems;
	int			max_items;
	flushItem  *items;
	struct flushSite *next;
} flushSite;

typedef enum roundResult
{
	ROUND_DONE,					/* answers were handed back */
	ROUND_NOTHING,				/* no machine wants anything in scope */
	ROUND_INTERRUPTED			/* cancel or terminate is waiting */
} roundResult;

/* Which of the groups that a phase wants go into the round. */
typedef struct roundScope
{
	bool		first_only;		/* the first alone, so that its failure finds
								 * nothing committed */
	bool		no_deletes;		/* those that delete nothing */
	/* false: what is in flight ends the round; NULL: always true */
	bool		(*may_start) (void *ctx);
	void	   *ctx;
	int64		left_ms;		/* with may_start: nothing is sent, also not
								 * again, later than this from now; -1: no
								 * limit */
	const flushItem *only;		/* this one's; NULL: everybody's */
} roundScope;

/*
 * Sends what the site's machines want in "phase", as far as it is in scope.
 * Reads and writes the machines; everything kept goes to the arena.
 */
extern roundResult itable_round(flushSite *site, tmodel_phase phase,
								const roundScope *scope, tmodel_arena *arena);

/* The status of the last refusal, TSTORE_OK if there was none. */
extern tstore_status itable_item_status(const flushItem *item);

/*
 * Waits for what others are at: 10 ms for a pause of 1, twice as long for the
 * next ones, up to 0.2 s.  False: interrupted.
 */
extern bool itable_pause(int pause);

/* The lowest phase that any machine of the site is in. */
extern tmodel_phase itable_lowest_phase(const flushSite *site);

#endif							/* ITABLE_ROUND_H */
