/*
 * named.c
 *	  Collects the keys of the facts that entries name, without reading them.
 *
 * One side of an intersection (arms.c).  Entries that are not verified count as
 * well: whether a fact fits is seen when it is read.  Easy to break: whatever a
 * live fact references has an entry, so that a fact not named here is not
 * wanted; that holds for complete answers only, so errors must be thrown.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "exec/lookup.h"
#include "exec/named.h"
#include "remote/catalog.h"

itableKeySet *
itable_facts_named(MemoryContext context, tstore_client *client,
				   const itableIndex *index, const itableProbes *probes,
				   itableCounts *counts)
{
	MemoryContext set_context = AllocSetContextCreate(context,
													  "itable_fdw facts named",
													  ALLOCSET_DEFAULT_SIZES);
	MemoryContext reading = AllocSetContextCreate(context,
												  "itable_fdw reading entries",
												  ALLOCSET_DEFAULT_SIZES);
	tmodel_span names[] = {
		TMODEL_SPAN("PartitionKey"), TMODEL_SPAN("RowKey"),
		TMODEL_SPAN(TMODEL_P_FACT_PK), TMODEL_SPAN(TMODEL_P_FACT_RK)
	};
	itableReaderSpec spec = {.client = client,
	.table = index->table->stored_in,.relname = index->table->relname,
	.page_size = index->fact->fetch_size,.nselect = lengthof(names),
	.select = names,.to_the_end = true,.any_order = true};
	itableKeySet *set = itable_keyset(set_context);
	itableReader *reader = itable_reader(reading, &spec, counts);
	const tmodel_entity *entry;

	if (probes->n > 0)
		itable_check_readable(client, index);
	itable_reader_start(reader, probes);
	while (set != NULL && (entry = itable_reader_next(reader)) != NULL)
	{
		tmodel_span partition_key;
		tmodel_span row_key;

		if (itable_entry_fact(entry, &partition_key, &row_key))
			(void) itable_keyset_add(set, partition_key, row_key);
		if (MemoryContextMemAllocated(set_context, true) / 1024 > work_mem)
			set = NULL;
	}
	itable_reader_stop(reader);
	/* readable still: it was complete when the entries were read */
	if (probes->n > 0)
		itable_check_readable(client, index);
	MemoryContextDelete(reading);
	if (set == NULL)
		MemoryContextDelete(set_context);
	return set;
}
