/*
 * scan.h
 *	  The executor callbacks of a foreign scan, and what EXPLAIN asks of it.
 */
#ifndef ITABLE_SCAN_H
#define ITABLE_SCAN_H

#include "postgres.h"
#include "foreign/fdwapi.h"

#include "exec/arms.h"
#include "exec/replay.h"
#include "exec/back.h"
#include "exec/skip.h"

/* LIMIT and OFFSET where the plan has no node for them (plan/limit.c). */
typedef struct itableLimit
{
	bool		on;
	int64		skip;			/* rows still to be left out */
	int64		left;			/* rows still to be returned */
} itableLimit;

/* A scan under way; node->fdw_state. */
typedef struct itableScan
{
	itablePlan *plan;
	itableTable *table;			/* the scanned relation */
	itableIndex *index;			/* asked, or the relation's own; NULL: none */
	itableTable *asked;			/* whose keys the conditions name */
	List	   *exprs;			/* ExprState of fdw_exprs */
	itableValues values;
	MemoryContext context;		/* of the scan */
	MemoryContext start_context;	/* of one (re)start */
	tmodel_arena *start_arena;
	tmodel_arena *row_arena;
	bool	   *wanted;			/* by attnum - 1 */
	itableSkip *skip;			/* one row of each partition, or NULL */
	itableBack *back;			/* the greatest keys first, or NULL */
	itableSource *source;		/* NULL: EXPLAIN without ANALYZE */
	itableProbes probes;
	itableArms *arms;			/* read instead, or NULL */
	bool		through_arms;	/* the values of this start allow it */
	int64		fallbacks;		/* starts that did not */
	itableReplay *replay;		/* rows of the last start; NULL: as source */
	bool		started;
	bool		under_way;		/* the source, skip or arms are */
	bool		async;			/* beside others, under an Append */
	bool		at_end;			/* the last row has been returned */
	itableLimit limit;
	int			waitable;		/* async: a descriptor; -1: none yet */
	MemoryContextCallback closing;	/* of it */
	itableCounts counts;
} itableScan;

extern void itableBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *itableIterateForeignScan(ForeignScanState *node);
extern void itableReScanForeignScan(ForeignScanState *node);
extern void itableEndForeignScan(ForeignScanState *node);
extern void itableExplainForeignScan(ForeignScanState *node,
									 struct ExplainState *es);

/* In async.c: callbacks of a scan that waits beside others. */
extern void itableForeignAsyncRequest(AsyncRequest *request);
extern void itableForeignAsyncConfigureWait(AsyncRequest *request);
extern void itableForeignAsyncNotify(AsyncRequest *request);

/* Has the next row, or the end, come?  Sends what can be sent. */
extern bool itable_scan_is_ready(ForeignScanState *node);

/* Builds the probes when every value is a constant; false when not. */
extern bool itable_scan_constant_probes(ForeignScanState *node);

/* How many entities are wanted first, once values are known; 0: all. */
extern int	itable_scan_first_page(const itableScan *scan);

#endif							/* ITABLE_SCAN_H */
