/*
 * analyze.c
 *	  Statistics from a sample, and emptying a table.
 *
 * ANALYZE reads the whole table once and keeps a random sample (Vitter's
 * algorithm, as PostgreSQL does for its own tables); the store has no cheaper
 * way to a fair one.  TRUNCATE buffers a DELETE of every row, so that it rolls
 * back and maintains indexes like one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/sampling.h"

#include "exec/analyze.h"
#include "exec/source.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "txn/buffer.h"

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

/* Where the next row goes in the sample; -1: nowhere. */
static int
sample_place(ReservoirStateData *reservoir, int target, double seen,
			 double *skip)
{
	if (seen < target)
		return (int) seen;
	if (*skip < 0)
		*skip = reservoir_get_next_S(reservoir, seen, target);
	if (*skip > 0)
	{
		*skip -= 1;
		return -1;
	}
	*skip = -1;
	return (int) (target * sampler_random_fract(&reservoir->randstate));
}

static HeapTuple
form_row(Relation relation, itableTable *table, tmodel_arena *arena,
		 const tmodel_entity *entity)
{
	int			n = table->natts;
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));
	bool	   *isnull = palloc(sizeof(bool) * (n + 1));

	itable_entity_to_row(arena, table, entity, NULL, values, isnull);
	return heap_form_tuple(RelationGetDescr(relation), values, isnull);
}

static int
sample_rows(Relation relation, int elevel, HeapTuple *rows, int target,
			double *total, double *dead)
{
	itableTable *table = itable_table_def(RelationGetRelid(relation));
	itableCounts counts = {0};
	itableProbes probes;
	itableSource *source = open_everything(relation, table, &probes, &counts);
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw sample row",
												  ALLOCSET_DEFAULT_SIZES);
	ReservoirStateData reservoir;
	const tmodel_entity *entity;
	double		seen = 0;
	double		skip = -1;

	reservoir_init_selection_state(&reservoir, target);
	while ((entity = itable_source_next(source)) != NULL)
	{
		int			place = sample_place(&reservoir, target, seen, &skip);

		itable_analyze_delay();
		if (place >= 0)
		{
			MemoryContext old = MemoryContextSwitchTo(scratch);
			HeapTuple	tuple = form_row(relation, table, arena, entity);

			MemoryContextSwitchTo(old);
			if (seen >= target)
				heap_freetuple(rows[place]);
			rows[place] = heap_copytuple(tuple);
			MemoryContextReset(scratch);
			tmodel_arena_reset(arena);
		}
		seen += 1;
	}
	itable_source_stop(source);
	*total = seen;
	*dead = 0;
	ereport(elevel,
			(errmsg("\"%s\": %.0f rows read with %lld requests, %d rows in sample",
					table->relname, seen, (long long) counts.requests,
					(int) Min(seen, target))));
	return (int) Min(seen, target);
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
		{
			/* what has an ETag comes from the store, else from the buffer */
			if (entity->etag.len > 0)
				entity = tmodel_entity_copy(itable_buffer_arena(), entity);
			itable_check_arena(itable_buffer_arena());
			itable_buffer_delete(target, entity);
		}
		itable_source_stop(source);
	}
}
