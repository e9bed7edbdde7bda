/*
 * analyze.c
 *	  Statistics from a sample, and emptying a table.
 *
 * ANALYZE reads a table of up to 64 pages once.  Of a larger one it reads pages
 * from all over it and estimates how many rows lie between (estimate.c); where
 * such an estimate is no good, it counts the keys (sample.c), if there are not
 * too many.  TRUNCATE buffers a DELETE of every row, so that it rolls back and
 * maintains indexes like one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "exec/analyze.h"
#include "exec/estimate.h"
#include "exec/sample.h"
#include "exec/source.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "table/settings.h"
#include "txn/buffer.h"

/* An estimate may be wrong by this part of it. */
#define TRUSTED_ERROR 0.15

/* Counting keys may take so many times the requests of an estimate. */
#define COUNTING_FACTOR 10

/* An estimate that is not trusted is at most so many times what was counted. */
#define MOST_TIMES 10

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

/* Pages of the beginning: a quarter of what may be read, 64 at most. */
static int64
whole_pages(void)
{
	return itable_analyze_requests == 0 ? ITABLE_WHOLE_PAGES :
		Min(ITABLE_WHOLE_PAGES, Max(itable_analyze_requests / 4, 1));
}

static void
warn_rough(const itableTable *table, double counted, double rows)
{
	ereport(WARNING,
			(errmsg("how many rows \"%s\" has is a rough estimate",
					table->relname),
			 errdetail("%.0f rows were counted; the estimate is %.0f.",
					   counted, rows),
			 errhint("With itable_fdw.analyze_requests = 0 ANALYZE counts every row.")));
}

/* The rows behind the first pages; returns how many there are in all. */
static double
rest_of_rows(const itableTable *table, itableSample *sample,
			 itableEstimating *estimating, tstore_client *client,
			 const tmodel_entity *last, itableCounts *counts)
{
	int64		most = PG_INT64_MAX;
	tmodel_estimate estimate = {0};

	last = tmodel_entity_copy(itable_arena(CurrentMemoryContext), last);
	if (estimating != NULL)
	{
		estimate = itable_estimating_run(estimating, client, last, counts,
										 itable_analyze_requests);
		most = counts->requests +
			(int64) COUNTING_FACTOR * itable_analyze_requests;
	}
	if (estimating == NULL || estimate.error > TRUSTED_ERROR * estimate.rows)
	{
		if (itable_sample_rest(sample, client, last, counts, most))
			return itable_sample_total(sample);
		/* at least what was counted, and not wildly more */
		estimate.rows = Max(estimate.rows, itable_sample_total(sample));
		estimate.rows = Min(estimate.rows,
							MOST_TIMES * itable_sample_total(sample));
		warn_rough(table, itable_sample_total(sample), estimate.rows);
	}
	itable_estimating_compose(estimating);
	return estimate.rows;
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
	itableEstimating *estimating = choose && itable_analyze_requests > 0 ?
	itable_estimating(sample, table, target) : NULL;
	const tmodel_entity *entity;

	*total = -1;
	while ((entity = itable_source_next(source)) != NULL)
	{
		itable_analyze_delay();
		itable_sample_count(sample, 1);
		itable_sample_add(sample, entity);
		if (estimating != NULL)
			itable_estimating_first(estimating, entity);
		if (choose && counts.pages > whole_pages())
		{
			*total = rest_of_rows(table, sample, estimating,
								  itable_source_client(source), entity,
								  &counts);
			break;
		}
	}
	itable_source_stop(source);
	if (*total < 0)
		*total = itable_sample_total(sample);
	*dead = 0;
	ereport(elevel,
			(errmsg("\"%s\": %.0f rows, known from %lld requests, %lld kB, %d rows in sample",
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
