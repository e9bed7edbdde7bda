/*
 * replay.c
 *	  Answers a start of a scan with the rows of the one before.
 *
 * A subquery or the inner side of a nested loop is started again and again, and
 * often with the values it had before.  Its rows are those its snapshot and the
 * store gave the first time, which is as right as asking again and agrees with
 * itself: what this transaction writes meanwhile has a later command than the
 * scan sees.  Called by scan.c.  Easy to break: a start that was broken off (one
 * row is enough for EXISTS) has kept its first rows only; its source must be
 * where it was, to go on behind them.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "exec/replay.h"

/* After so many starts in a row with other values no rows are kept. */
#define MAX_MISSES 16

struct itableReplay
{
	MemoryContext context;
	TupleDesc	desc;			/* of what is kept: the row, its ctid */
	TupleTableSlot *kept;
	Datum	   *values;			/* of one row to be kept */
	bool	   *nulls;
	int			natts;			/* of the row */
	bool		tids;
	bool		expected;
	bool		likely;
	bool		keeping;		/* all rows of this start so far are kept */
	bool		whole;			/* those are all */
	Tuplestorestate *rows;		/* NULL: none were ever kept */
	int64		starts;
	int64		count;			/* starts answered */
	int			misses;			/* starts since */
};

itableReplay *
itable_replay(MemoryContext context, TupleDesc desc, bool tids, bool expected,
			  bool likely)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	itableReplay *replay = palloc0(sizeof(itableReplay));

	replay->context = context;
	replay->natts = desc->natts;
	replay->tids = tids;
	replay->expected = expected;
	replay->likely = likely;
	replay->desc = CreateTemplateTupleDesc(desc->natts + tids);
	for (int i = 1; i <= desc->natts; i++)
		TupleDescCopyEntry(replay->desc, i, desc, i);
	if (tids)
		TupleDescInitEntry(replay->desc, desc->natts + 1, "ctid", TIDOID, -1,
						   0);
	replay->kept = MakeSingleTupleTableSlot(replay->desc, &TTSOpsMinimalTuple);
	replay->values = palloc(sizeof(Datum) * (desc->natts + 1));
	replay->nulls = palloc0(sizeof(bool) * (desc->natts + 1));
	MemoryContextSwitchTo(old);
	return replay;
}

static bool
are_equal(const itableValues *a, const itableValues *b)
{
	for (int i = 0; i < a->n; i++)
	{
		int16		len;
		bool		byval;

		if (a->nulls[i] != b->nulls[i])
			return false;
		if (a->nulls[i])
			continue;
		get_typlenbyval(a->types[i], &len, &byval);
		if (!datum_image_eq(a->datums[i], b->datums[i], byval, len))
			return false;
	}
	return true;
}

static void
forget(itableReplay *replay)
{
	if (replay->rows != NULL)
		tuplestore_clear(replay->rows);
	replay->keeping = false;
	replay->whole = false;
}

bool
itable_replay_start(itableReplay *replay, const itableValues *values,
					const itableValues *last)
{
	MemoryContext old;

	replay->starts++;
	if (replay->keeping && are_equal(values, last))
	{
		tuplestore_rescan(replay->rows);
		replay->count++;
		replay->misses = 0;
		return true;
	}
	if (replay->starts > 1)
		replay->misses++;
	forget(replay);
	replay->keeping = replay->expected ||
		((replay->likely || replay->starts > 1) &&
		 replay->misses <= MAX_MISSES);
	if (!replay->keeping || replay->rows != NULL)
		return false;
	old = MemoryContextSwitchTo(replay->context);
	replay->rows = tuplestore_begin_heap(false, false, work_mem);
	tuplestore_set_eflags(replay->rows, EXEC_FLAG_REWIND);
	MemoryContextSwitchTo(old);
	return false;
}

bool
itable_replay_is_keeping(const itableReplay *replay)
{
	return replay->keeping;
}

bool
itable_replay_next(itableReplay *replay, TupleTableSlot *slot)
{
	TupleTableSlot *kept = replay->kept;
	int			natts = replay->natts;
	MemoryContext old;
	bool		found;

	if (!replay->keeping || tuplestore_ateof(replay->rows))
		return false;
	/* what comes from a file belongs to the slot, until the next call */
	old = MemoryContextSwitchTo(replay->context);
	found = tuplestore_gettupleslot(replay->rows, true, false, kept);
	MemoryContextSwitchTo(old);
	if (!found)
		return false;
	slot_getallattrs(kept);
	memcpy(slot->tts_values, kept->tts_values, sizeof(Datum) * natts);
	memcpy(slot->tts_isnull, kept->tts_isnull, sizeof(bool) * natts);
	ExecStoreVirtualTuple(slot);
	if (replay->tids)
		slot->tts_tid = *(ItemPointer) DatumGetPointer(kept->tts_values[natts]);
	return true;
}

void
itable_replay_add(itableReplay *replay, TupleTableSlot *slot)
{
	int			natts = replay->natts;

	if (!replay->keeping)
		return;
	if (slot == NULL)
	{
		replay->whole = true;
		return;
	}
	memcpy(replay->values, slot->tts_values, sizeof(Datum) * natts);
	memcpy(replay->nulls, slot->tts_isnull, sizeof(bool) * natts);
	replay->values[natts] = PointerGetDatum(&slot->tts_tid);
	/* stands at its end, and so steps over the row */
	tuplestore_putvalues(replay->rows, replay->desc, replay->values,
						 replay->nulls);
	if (!replay->expected && !tuplestore_in_memory(replay->rows))
		forget(replay);
}

bool
itable_replay_is_ready(const itableReplay *replay)
{
	return replay->keeping &&
		(replay->whole || !tuplestore_ateof(replay->rows));
}

bool
itable_replay_is_whole(const itableReplay *replay)
{
	return replay->whole;
}

int64
itable_replay_count(const itableReplay *replay)
{
	return replay->count;
}

void
itable_replay_close(itableReplay *replay)
{
	ExecDropSingleTupleTableSlot(replay->kept);
	if (replay->rows != NULL)
		tuplestore_end(replay->rows);
}
