/*
 * skip.c
 *	  Goes from partition to partition, a request for each, instead of reading
 *	  them.
 *
 * A partition's first row tells that it is there; the next request begins behind
 * the partition.  Where the first entities are no rows (a stub, one that this
 * transaction deleted) the source reads on within the partition, pages doubling.
 * Partitions that only this transaction's own rows are in come last.  Called by
 * scan.c.  Easy to break: the plan's clauses must be about the PartitionKey
 * alone, for the rows skipped are never looked at.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/keyset.h"
#include "exec/skip.h"
#include "remote/memory.h"

struct itableSkip
{
	MemoryContext context;
	itableSource *source;
	const itableProbes *probes;
	MemoryContext run_context;	/* of one start */
	itableKeySet *seen;			/* partitions returned */
	int			at;				/* the probe being read; n: own rows */
	bool		reading;		/* the source is started */
	tmodel_arena *arena;		/* of the request under way */
	tmodel_arena *last_arena;	/* of the partition returned last */
	tmodel_span last;			/* of this probe; data NULL: none */
	itableProbes step;			/* what the source reads now */
	itableProbe probe;
};

itableSkip *
itable_skip(MemoryContext context, itableSource *source)
{
	itableSkip *skip = MemoryContextAllocZero(context, sizeof(itableSkip));

	skip->context = context;
	skip->source = source;
	skip->arena = itable_arena(context);
	skip->last_arena = itable_arena(context);
	return skip;
}

void
itable_skip_start(itableSkip *skip, const itableProbes *probes)
{
	itable_skip_stop(skip);
	skip->run_context = AllocSetContextCreate(skip->context,
											  "itable_fdw partitions seen",
											  ALLOCSET_DEFAULT_SIZES);
	skip->seen = itable_keyset(skip->run_context);
	skip->probes = probes;
	skip->at = 0;
	skip->reading = false;
	skip->last = (tmodel_span) {NULL, 0};
}

void
itable_skip_stop(itableSkip *skip)
{
	itable_source_stop(skip->source);
	if (skip->run_context != NULL)
		MemoryContextDelete(skip->run_context);
	skip->run_context = NULL;
}

/* The probe's filter, and behind the partition returned last. */
static tmodel_span
filter_behind(itableSkip *skip, tmodel_span filter)
{
	tmodel_value value = tmodel_string(skip->last);
	tmodel_buf	text;

	tmodel_buf_init(&text, skip->arena);
	tmodel_filter_print(&text, tmodel_filter_compare(skip->arena,
													 TMODEL_SPAN("PartitionKey"),
													 TMODEL_GT, &value));
	if (filter.len > 0)
	{
		tmodel_buf_puts(&text, " and (");
		tmodel_buf_span(&text, filter);
		tmodel_buf_putc(&text, ')');
	}
	itable_check_arena(skip->arena);
	return tmodel_buf_text(&text);
}

/* Starts the source on what is left of the present probe. */
static void
start_step(itableSkip *skip)
{
	memset(&skip->step, 0, sizeof(skip->step));
	skip->step.probes = &skip->probe;
	skip->step.first_page = 1;
	tmodel_arena_reset(skip->arena);
	if (skip->at < skip->probes->n)
	{
		skip->step.n = 1;
		skip->probe = skip->probes->probes[skip->at];
		if (skip->last.data != NULL)
			skip->probe.filter = filter_behind(skip, skip->probe.filter);
	}
	itable_source_share(skip->source, NULL, skip->step.n == 0);
	itable_source_start(skip->source, &skip->step);
	skip->reading = true;
}

/* The probe has nothing more. */
static void
next_probe(itableSkip *skip)
{
	skip->at++;
	skip->reading = false;
	skip->last = (tmodel_span) {NULL, 0};
}

/* A partition was found: the next step begins behind it. */
static void
leave_partition(itableSkip *skip, tmodel_span partition_key)
{
	if (skip->at >= skip->probes->n)
		return;					/* own rows are all gone through */
	if (skip->probe.partition_key.data != NULL)
	{
		next_probe(skip);
		return;
	}
	tmodel_arena_reset(skip->last_arena);
	skip->last = tmodel_span_copy(skip->last_arena, partition_key);
	itable_check_arena(skip->last_arena);
	skip->reading = false;
}

const tmodel_entity *
itable_skip_next(itableSkip *skip)
{
	while (skip->at <= skip->probes->n)
	{
		const tmodel_entity *entity;

		if (!skip->reading)
			start_step(skip);
		entity = itable_source_next(skip->source);
		if (entity == NULL)
		{
			next_probe(skip);
			continue;
		}
		leave_partition(skip, entity->partition_key);
		if (itable_keyset_add(skip->seen, entity->partition_key,
							  TMODEL_SPAN("")))
			return entity;
	}
	return NULL;
}
