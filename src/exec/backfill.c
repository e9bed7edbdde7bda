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

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/backfill.h"
#include "exec/reader.h"
#include "remote/memory.h"
#include "txn/flush.h"

/* Facts refreshed together: full batches, bounded memory. */
#define FACTS_PER_ROUND 1000

static itableReader *
read_everything(const itableTable *fact, tstore_client *client,
				itableProbes *probes, itableCounts *counts)
{
	itableReaderSpec spec = {.client = client,.table = fact->name,
	.relname = fact->relname,.page_size = fact->fetch_size};
	itableReader *reader = itable_reader(CurrentMemoryContext, &spec, counts);

	probes->n = 1;
	probes->probes = palloc0(sizeof(itableProbe));
	itable_reader_start(reader, probes);
	return reader;
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
	itableProbes probes;
	itableCounts counts = {0};
	itableRefresh result = {0};
	itableReader *reader = read_everything(index->fact, client, &probes,
										   &counts);
	bool		more = true;

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
		MemoryContextSwitchTo(old);
		MemoryContextReset(round);
	}
	itable_reader_stop(reader);
	MemoryContextDelete(round);
}
