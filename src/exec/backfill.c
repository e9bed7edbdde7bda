/*
 * backfill.c
 *	  Existing facts into a new index table.
 *
 * Facts are read page by page and refreshed by the conductor under the same two
 * rules as any write: touch, fence, verify.  A fact that somebody changes at
 * that moment needs nothing more: its writer maintains the index, and our touch
 * has left an entry that readers check.  After each round the catalog in the
 * store keeps the last fact's keys, where a new builder goes on.  Called by
 * index_steps.c.  Easy to break: the cursor may be kept only when all facts up
 * to it are done.
 */
#include "postgres.h"

#include "commands/progress.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

#include "exec/backfill.h"
#include "exec/reader.h"
#include "remote/memory.h"
#include "remote/session.h"

/*
 * Facts refreshed together.  Many make full batches, for entries meet those of
 * their own index partition; few make progress that a crash does not lose.  So
 * rounds grow, while their memory allows.
 */
#define FIRST_ROUND 1000
#define LARGEST_ROUND 16000

typedef struct backfillRun
{
	itableIndex *index;
	tstore_client *client;
	itableListed *listed;		/* NULL: nothing is kept in the store */
	itableReader *reader;
	MemoryContext round;		/* of the facts in hand */
	itableRefresh refreshed;
	int			nfacts;
	int			max_facts;
	tmodel_entity facts[LARGEST_ROUND];
} backfillRun;

static itableReader *
start_reader(const backfillRun *run, itableCounts *counts)
{
	if (run->listed == NULL || !run->listed->has_cursor)
		return itable_read_table(run->index->fact, run->client, counts);
	return itable_read_table_after(run->index->fact, run->client, counts,
								   run->listed->cursor_partition,
								   run->listed->cursor_row);
}

/* Facts that share a key: the index stays as it is, not to be read. */
static void
refuse_duplicates(const itableIndex *index, const itableRefresh *result)
{
	StringInfoData keys;
	ListCell   *cell;

	initStringInfo(&keys);
	foreach(cell, result->keys)
		appendStringInfo(&keys, "%s%s", keys.len > 0 ? ", " : "",
						 (char *) lfirst(cell));
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("could not build unique index \"%s\"",
					index->table->relname),
			 errdetail_plural("%lld row has a key that another row has: %s.",
							  "%lld rows have a key that another row has, like %s.",
							  result->duplicates,
							  (long long) result->duplicates, keys.data),
			 errhint("itable_check_index lists them all; change or delete them, then CALL itable_build_index."),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
								index->table->relname)));
}

/* Facts into the round's memory, as many as it takes; false: the last ones. */
static bool
take_facts(backfillRun *run)
{
	tmodel_arena *arena = itable_arena(run->round);
	size_t		max_bytes = (size_t) maintenance_work_mem * 1024 / 8;

	run->nfacts = 0;
	while (run->nfacts < run->max_facts && arena->allocated < max_bytes)
	{
		const tmodel_entity *fact = itable_reader_next(run->reader);
		tmodel_entity *copy;

		if (fact == NULL)
			return false;
		copy = tmodel_entity_copy(arena, fact);
		itable_check_arena(arena);
		run->facts[run->nfacts++] = *copy;
	}
	return true;
}

static tmodel_span
kept_span(tmodel_span span)
{
	return tmodel_span_of(pnstrdup(span.data, span.len));
}

/*
 * Everything up to the last fact in hand is done; but a duplicate must be met
 * again by whoever goes on.
 */
static bool
keep_cursor(backfillRun *run, bool more)
{
	const tmodel_entity *last = &run->facts[run->nfacts - 1];
	itableListed *listed = run->listed;

	if (listed == NULL)
		return true;
	listed->done += run->nfacts;
	if (!more || run->refreshed.duplicates > 0)
		return true;			/* the next step tells it */
	listed->has_cursor = true;
	listed->cursor_partition = kept_span(last->partition_key);
	listed->cursor_row = kept_span(last->row_key);
	return itable_catalog_step(run->client, run->index->fact, listed,
							   listed->state);
}

/* Refreshes rounds of facts until there are no more; false: see backfill.h. */
static bool
refresh_all(backfillRun *run)
{
	bool		more = true;

	while (more)
	{
		MemoryContext old = MemoryContextSwitchTo(run->round);

		CHECK_FOR_INTERRUPTS();
		more = take_facts(run);
		itable_flush_refresh(run->client, run->index, run->nfacts, run->facts,
							 &run->refreshed);
		MemoryContextSwitchTo(old);
		if (run->nfacts > 0 && !keep_cursor(run, more))
			return false;
		MemoryContextReset(run->round);
		run->max_facts = Min(2 * run->max_facts, LARGEST_ROUND);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
									 run->refreshed.facts +
									 run->refreshed.lost);
	}
	return true;
}

bool
itable_backfill(itableIndex *index, tstore_client *client,
				itableListed *listed)
{
	backfillRun *run = palloc0(sizeof(backfillRun));
	itableCounts counts = {0};
	bool		done;

	run->index = index;
	run->client = client;
	run->listed = listed;
	run->max_facts = FIRST_ROUND;
	run->round = AllocSetContextCreate(CurrentMemoryContext,
									   "itable_fdw backfill round",
									   ALLOCSET_DEFAULT_SIZES);
	run->reader = start_reader(run, &counts);
	run->refreshed.context = CurrentMemoryContext;
	done = refresh_all(run);
	itable_reader_stop(run->reader);
	if (done && run->refreshed.duplicates > 0)
		refuse_duplicates(index, &run->refreshed);
	MemoryContextDelete(run->round);
	pfree(run);
	return done;
}
