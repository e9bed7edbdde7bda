/*
 * analyze.c
 *	  Statistics from a sample, and emptying a table.
 *
 * ANALYZE reads a table of up to WHOLE_PAGES pages once; of a larger one it
 * counts the keys and reads some pages whole (sample.c).  TRUNCATE buffers a
 * DELETE of every row, so that it rolls back and maintains indexes like one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "exec/analyze.h"
#include "exec/sample.h"
#include "exec/source.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "txn/buffer.h"

/* Pages read whole from the beginning; a larger table is read by sample.c. */
#define WHOLE_PAGES 64

/* A source over every row of the relation, this transaction's included. */
static itableSource *
open_everything(Relation relation, itableTable *table, itableProbes *probes,
				itableCounts *counts)
{
	itableSourceSpec spec = {0};
	itableSource *source;

	spec.kind = ITABLE_SOURCE_TABLE;
	if (itable_is_index(table))
	{
		spec.kind = ITABLE_SOURCE_ENTRIES;
		spec.index = itable_index_def(table, itable_fact_of(table));
	}
	spec.userid = relation->rd_rel->relowner;
	spec.client = itable_session(table->serverid, spec.userid);
	spec.relation = table;
	spec.cid = GetCurrentCommandId(false);
	source = itable_source(CurrentMemoryContext, &spec, counts);
	itable_probe_everything(table, probes);
	itable_source_start(source, probes);
	return source;
}

/*
 * May keys alone be read?  Not where rows are laid over them or stand among
 * entries: then everything is read.
 */
static bool
may_choose(const itableTable *table)
{
	return itable_find_target(table->serverid, table->name) == NULL &&
		!itable_has_sections(table) && table->section.len == 0;
}

static int
sample_rows(Relation relation, int elevel, HeapTuple *rows, int target,
			double *total, double *dead)
{
	itableTable *table = itable_table_def(RelationGetRelid(relation));
	itableCounts counts = {0};
	itableProbes probes;
	itableSource *source = open_everything(relation, table, &probes, &counts);
	itableSample *sample = itable_sample(relation, table, rows, target);
	bool		choose = may_choose(table);
	const tmodel_entity *entity;

	while ((entity = itable_source_next(source)) != NULL)
	{
		itable_analyze_delay();
		itable_sample_count(sample, 1);
		itable_sample_add(sample, entity);
		if (choose && counts.pages > WHOLE_PAGES)
		{
			itable_sample_rest(sample, itable_source_client(source), entity,
							   &counts);
			break;
		}
	}
	itable_source_stop(source);
	*total = itable_sample_total(sample);
	*dead = 0;
	ereport(elevel,
			(errmsg("\"%s\": %.0f rows read with %lld requests, %lld kB, %d rows in sample",
					table->relname, *total, (long long) counts.requests,
					(long long) counts.bytes / 1024,
					itable_sample_size(sample))));
	return itable_sample_size(sample);
}

bool
itableAnalyzeForeignTable(Relation relation, AcquireSampleRowsFunc *sample,
						  BlockNumber *pages)
{
	*sample = sample_rows;
	*pages = 1;					/* the store has none */
	return true;
}

void
itableExecForeignTruncate(List *relations, DropBehavior behavior,
						  bool restart_identity)
{
	ListCell   *cell;

	foreach(cell, relations)
	{
		Relation	relation = lfirst(cell);
		itableTable *table = itable_table_def(RelationGetRelid(relation));
		itableTarget *target;
		itableCounts counts = {0};
		itableProbes probes;
		itableSource *source;
		const tmodel_entity *entity;

		if (!table->updatable || itable_is_index(table))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("foreign table \"%s\" cannot be changed",
							table->relname),
					 itable_is_index(table) ?
					 errhint("It is an index table; truncate its fact table.") :
					 0));
		target = itable_target(table, GetUserId());
		source = open_everything(relation, table, &probes, &counts);
		while ((entity = itable_source_next(source)) != NULL)
			itable_buffer_delete(target,
								 itable_buffer_row(table->serverid, table->name,
												   entity,
												   GetCurrentCommandId(false)));
		itable_source_stop(source);
	}
}
