/*
 * backfill.c
 *	  Existing facts into a new index table.
 *
 * Facts are read page by page and refreshed by the conductor under the same two
 * rules as any write: touch, fence, verify.  A fact that somebody changes at
 * that moment needs nothing more: its writer maintains the index, and our touch
 * has left an entry that readers check.  Called by index_ddl.c.
 */
#include "postgres.h"

#include "commands/progress.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/backend_progress.h"
#include "utils/memutils.h"

#include "exec/backfill.h"
#include "exec/reader.h"
#include "remote/memory.h"
#include "txn/flush.h"

/* Facts refreshed together: full batches, bounded memory. */
#define FACTS_PER_ROUND 1000

/* Shows in pg_stat_progress_create_index; ends by itself after an error. */
static void
begin_progress(const itableIndex *index)
{
	const int	params[] = {
		PROGRESS_CREATEIDX_COMMAND,
		PROGRESS_CREATEIDX_INDEX_OID,
		PROGRESS_CREATEIDX_PHASE
	};
	const int64 values[] = {
		PROGRESS_CREATEIDX_COMMAND_CREATE_CONCURRENTLY,
		index->table->relid,
		PROGRESS_CREATEIDX_PHASE_BUILD
	};

	pgstat_progress_start_command(PROGRESS_COMMAND_CREATE_INDEX,
								  index->fact->relid);
	pgstat_progress_update_multi_param(lengthof(params), params, values);
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

void
itable_backfill(Oid indexid)
{
	itableTable *table = itable_table_def(indexid);
	itableIndex *index = itable_index_def(table, itable_fact_of(table));
	tstore_client *client = itable_session(table->serverid, GetUserId());
	MemoryContext round = AllocSetContextCreate(CurrentMemoryContext,
												"itable_fdw backfill round",
												ALLOCSET_DEFAULT_SIZES);
	tmodel_entity *facts = palloc(sizeof(tmodel_entity) * FACTS_PER_ROUND);
	itableCounts counts = {0};
	itableRefresh result = {.context = CurrentMemoryContext};
	itableReader *reader = itable_read_table(index->fact, client, &counts);
	bool		more = true;

	begin_progress(index);
	while (more)
	{
		MemoryContext old = MemoryContextSwitchTo(round);
		tmodel_arena *arena = itable_arena(round);
		const tmodel_entity *fact = NULL;
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		while (n < FACTS_PER_ROUND &&
			   (fact = itable_reader_next(reader)) != NULL)
		{
			tmodel_entity *copy = tmodel_entity_copy(arena, fact);

			itable_check_arena(arena);
			facts[n++] = *copy;
		}
		more = fact != NULL;
		itable_flush_refresh(client, index, n, facts, &result);
		pgstat_progress_update_param(PROGRESS_CREATEIDX_TUPLES_DONE,
									 result.facts + result.lost);
		MemoryContextSwitchTo(old);
		MemoryContextReset(round);
	}
	pgstat_progress_end_command();
	itable_reader_stop(reader);
	if (result.duplicates > 0)
		refuse_duplicates(index, &result);
	MemoryContextDelete(round);
}
