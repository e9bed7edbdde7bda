/*
 * section_clear.c
 *	  Removes the entries of a colocated index from its fact's table.
 *
 * An index with a table of its own is dropped with the table; entries among
 * facts are read and deleted, a page at a time, batches by partition.  Called by
 * index_ddl.c.  What an interruption leaves is invisible, and the next index of
 * that name, once checked, shows it as dangling.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/reader.h"
#include "exec/section_clear.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/repair.h"

/* Entries deleted together. */
#define ENTRIES_PER_ROUND 1000

/* Deletes them whatever their facts are; throws when the store refuses. */
static void
delete_entries(itableIndex *index, tstore_client *client, int n,
			   const itableMend *list, tmodel_arena *arena)
{
	tstore_error error;

	if (n > 0 && !itable_mend(client, index, n, list, arena, &error))
	{
		CHECK_FOR_INTERRUPTS();
		if (error.status != TSTORE_OK)
			itable_report(&error,
						  psprintf("delete the entries of index table \"%s\"",
								   index->table->relname),
						  index->fact->relname);
	}
}

void
itable_section_clear(itableIndex *index)
{
	tstore_client *client = itable_session(index->table->serverid,
										   GetUserId());
	MemoryContext round = AllocSetContextCreate(CurrentMemoryContext,
												"itable_fdw entries to delete",
												ALLOCSET_DEFAULT_SIZES);
	itableMend *list = palloc(sizeof(itableMend) * ENTRIES_PER_ROUND);
	itableCounts counts = {0};
	itableReader *reader = itable_read_table(index->table, client, &counts);
	bool		more = true;

	while (more)
	{
		MemoryContext old = MemoryContextSwitchTo(round);
		tmodel_arena *arena = itable_arena(round);
		const tmodel_entity *entry = NULL;
		int			n = 0;

		CHECK_FOR_INTERRUPTS();
		while (n < ENTRIES_PER_ROUND &&
			   (entry = itable_reader_next(reader)) != NULL)
		{
			list[n].fact = NULL;
			list[n++].entry = tmodel_entity_copy(arena, entry);
			itable_check_arena(arena);
		}
		more = entry != NULL;
		delete_entries(index, client, n, list, arena);
		MemoryContextSwitchTo(old);
		MemoryContextReset(round);
	}
	itable_reader_stop(reader);
	MemoryContextDelete(round);
}
