/*
 * replay.h
 *	  The rows of a scan's last start, kept so that a start with the same values
 *	  asks the store for nothing it has answered.
 */
#ifndef ITABLE_REPLAY_H
#define ITABLE_REPLAY_H

#include "postgres.h"
#include "executor/tuptable.h"

#include "exec/probe.h"

typedef struct itableReplay itableReplay;

/*
 * For rows of "desc", with their ctids where "tids" says so; in the context.
 * "expected": the plan above has said that it will start the scan anew without
 * new values.  Otherwise only what work_mem holds is kept, from the first start
 * on where others are "likely", else from the second.
 */
extern itableReplay *itable_replay(MemoryContext context, TupleDesc desc,
								   bool tids, bool expected, bool likely);

/*
 * A start with these values ("last": those of the start before).  True: it
 * begins with the rows kept, and where these end, what was under way goes on.
 * False: everything is to be asked for.
 */
extern bool itable_replay_start(itableReplay *replay,
								const itableValues *values,
								const itableValues *last);

/* May the next start be answered by the rows kept? */
extern bool itable_replay_is_keeping(const itableReplay *replay);

/* The next row kept, into the slot; false: behind the last. */
extern bool itable_replay_next(itableReplay *replay, TupleTableSlot *slot);

/* A row that was read, which is now the last; NULL: there are no more. */
extern void itable_replay_add(itableReplay *replay, TupleTableSlot *slot);

/* Is there a row kept, or known that there is none, without reading? */
extern bool itable_replay_is_ready(const itableReplay *replay);

/* Have all rows been read?  Then nothing goes on behind those kept. */
extern bool itable_replay_is_whole(const itableReplay *replay);

/* How many starts were answered, as EXPLAIN (ANALYZE) shows. */
extern int64 itable_replay_count(const itableReplay *replay);

/* Gives back what an end of the context would not: files. */
extern void itable_replay_close(itableReplay *replay);

#endif							/* ITABLE_REPLAY_H */
