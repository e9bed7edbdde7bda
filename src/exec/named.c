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

struct itableNaming
{
	MemoryContext context;
	MemoryContext reading;		/* until all entries are read */
	tstore_client *client;
	const itableIndex *index;
	const itableProbes *probes;
	itableReader *reader;
};

itableNaming *
itable_naming_begin(MemoryContext context, tstore_client *client,
					const itableIndex *index, const itableProbes *probes,
					itableCounts *counts)
{
	static const tmodel_span names[] = {
		TMODEL_SPAN("PartitionKey"), TMODEL_SPAN("RowKey"),
		TMODEL_SPAN(TMODEL_P_FACT_PK), TMODEL_SPAN(TMODEL_P_FACT_RK)
	};
	itableReaderSpec spec = {.client = client,
	.table = index->table->stored_in,.relname = index->table->relname,
	.page_size = index->fact->fetch_size,.nselect = lengthof(names),
	.select = names,.to_the_end = true,.any_order = true};
	itableNaming *naming = MemoryContextAllocZero(context,
												  sizeof(itableNaming));

	naming->context = context;
	naming->reading = AllocSetContextCreate(context,
											"itable_fdw reading entries",
											ALLOCSET_DEFAULT_SIZES);
	naming->client = client;
	naming->index = index;
	naming->probes = probes;
	if (probes->n > 0)
		itable_check_readable(client, index);
	naming->reader = itable_reader(naming->reading, &spec, counts);
	itable_reader_start(naming->reader, probes);
	itable_reader_begin(naming->reader);
	return naming;
}

itableKeySet *
itable_naming_finish(itableNaming *naming, const itableKeySet *within)
{
	MemoryContext context = AllocSetContextCreate(naming->context,
												  "itable_fdw facts named",
												  ALLOCSET_DEFAULT_SIZES);
	itableKeySet *set = itable_keyset(context);
	const tmodel_entity *entry;

	while (set != NULL && (entry = itable_reader_next(naming->reader)) != NULL)
	{
		tmodel_span partition_key;
		tmodel_span row_key;

		if (itable_entry_fact(entry, &partition_key, &row_key) &&
			(within == NULL ||
			 itable_keyset_has(within, partition_key, row_key)))
			(void) itable_keyset_add(set, partition_key, row_key);
		if (MemoryContextMemAllocated(context, true) / 1024 > work_mem)
			set = NULL;
	}
	itable_reader_stop(naming->reader);
	/* readable still: it was complete when the entries were read */
	if (naming->probes->n > 0)
		itable_check_readable(naming->client, naming->index);
	MemoryContextDelete(naming->reading);
	if (set == NULL)
		MemoryContextDelete(context);
	return set;
}
