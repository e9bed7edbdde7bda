/*
 * grouping.h
 *	  What a round sends: the requests that machines want, in windows of so many
 *	  that they may be in memory, and grouped into entity group transactions.
 *
 * Private to txn/round.c.
 */
#ifndef ITABLE_GROUPING_H
#define ITABLE_GROUPING_H

#include "txn/round.h"

/* A request that waits for its window, with the companions behind it. */
typedef struct roundWant
{
	flushItem  *item;
	int			slot;
	int			pause;			/* of the request */
	uint32		hash;			/* of table and partition */
} roundWant;

typedef struct roundWants
{
	int			n;
	int			max;
	roundWant  *wants;
} roundWants;

typedef struct roundOp
{
	flushItem  *item;
	tmodel_step_request request;
	tmodel_entity keys;			/* the request's entity */
} roundOp;

/* Operations that travel together. */
typedef struct roundGroup
{
	int			nops;
	roundOp   **ops;
} roundGroup;

typedef struct roundGroups
{
	int			nops;
	roundOp    *ops;
	int			ngroups;
	roundGroup *groups;
} roundGroups;

/* All that the phase wants and the scope lets. */
extern void itable_round_collect(const flushSite *site, tmodel_phase phase,
								 const roundScope *scope, roundWants *wants);

/*
 * Leaves those that wait the shortest; returns how long (tmodel_step_request).
 */
extern int	itable_round_shortest(roundWants *wants);

/*
 * Where the window that begins at "from" ends.  Behind "most" requests, but a
 * partition is cut only when it is larger, and then between full batches.
 */
extern int	itable_round_window(roundWants *wants, int from, int most,
								int batch_size);

/*
 * The operations of a window, in the current memory context.  What a machine no
 * longer wants is left out.
 */
extern void itable_round_make(const roundWants *wants, int from, int to,
							  roundGroups *result);

/* Forgets the operations whose item is NULL. */
extern void itable_round_drop(roundGroups *groups);

/* Groups the operations; leaves groups with deletes only if the scope has them. */
extern void itable_round_group(const flushSite *site, const roundScope *scope,
							   roundGroups *groups);

#endif							/* ITABLE_GROUPING_H */
