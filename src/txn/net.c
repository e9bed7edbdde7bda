/*
 * net.c
 *	  What the index protocol is to do for an entity that was written.
 *
 * Answers "from which fact to which, and which entries had the one, has the
 * other?" for one change of the buffer.  How it is done is model/protocol's
 * question, when is flush.c's, which calls this.  Easy to break: a change made a
 * second time must be the same, entry by entry, for machines count on that.
 */
#include "postgres.h"

#include "remote/convert.h"
#include "remote/memory.h"
#include "txn/companions.h"
#include "txn/net.h"

/* From here on batches of touches cost less than single reads of entries. */
#define BULK_CHANGES 16

/* How often a key of a unique index that another writes is looked at: 1.3 s. */
#define CLAIM_PATIENCE 10

void
itable_net_indexes(tmodel_arena *arena, List *maintained,
				   const tmodel_entity *old_fact,
				   const tmodel_entity *new_fact, bool bulk,
				   tmodel_change *net)
{
	tmodel_index_change *result = tmodel_alloc(arena,
											   sizeof(tmodel_index_change) *
											   (list_length(maintained) + 1));
	ListCell   *cell;
	int			n = 0;

	itable_check_arena(arena);
	foreach(cell, maintained)
	{
		itableMaintained *one = lfirst(cell);
		itableIndex *index = one->index;

		if (itable_is_companion(index, net->kind))
			continue;
		result[n].table = index->def.table;
		result[n].covering = index->covering;
		result[n].unique = index->table->unique ? &index->def : NULL;
		result[n].fact_def = &index->fact_def;
		result[n].unverified = !one->may_verify;
		result[n].touch_old = bulk;
		itable_entries_of(arena, index, old_fact, &result[n].old_entries);
		itable_entries_of(arena, index, new_fact, &result[n].new_entries);
		n++;
	}
	net->nindexes = n;
	net->indexes = result;
}

/* What is known of a change without its rows. */
static void
fill_header(const netTable *table, tmodel_change_kind kind,
			tmodel_change *change)
{
	memset(change, 0, sizeof(*change));
	change->kind = kind;
	change->table = table->table->name;
	change->indexed = table->maintained != NIL;
	change->write_id = table->write_id;
	change->patience = CLAIM_PATIENCE;
}

/*
 * Without touches there is nothing that a stub would protect; but a claim may be
 * taken from an owner that is neither there nor reserved.
 */
static bool
is_direct(const netTable *table, const tmodel_change *change)
{
	return change->nindexes == 0 ||
		(table->table->direct_insert && !table->unique);
}

void
itable_net_begin(netTable *net, tmodel_arena *arena)
{
	ListCell   *cell;

	net->unique = false;
	net->may_detach = true;
	foreach(cell, net->indexes)
	{
		const itableIndex *index = lfirst(cell);

		net->unique |= index->table->unique;
		net->may_detach &= !index->table->unique && !index->table->colocated &&
			!index->table->queued;
	}
	for (int kind = 0; kind < lengthof(net->headers); kind++)
	{
		tmodel_change *header = &net->headers[kind];

		fill_header(net, kind, header);
		itable_net_indexes(arena, net->maintained, NULL, NULL,
						   net->target->nchanges > BULK_CHANGES, header);
		header->direct = is_direct(net, header);
	}
}

tmodel_change *
itable_net_change(const netTable *net, const itableChange *change, int number,
				  tmodel_contents contents, tmodel_arena *arena)
{
	const itableRow *now;
	tmodel_change *result;

	if (change->newest == NULL)
		return NULL;
	now = change->newest->row;
	if (now == NULL && change->base == NULL)
		return NULL;
	result = tmodel_alloc(arena, sizeof(tmodel_change));
	itable_check_arena(arena);
	fill_header(net, change->base == NULL ? TMODEL_CHANGE_INSERT :
				now == NULL ? TMODEL_CHANGE_DELETE : TMODEL_CHANGE_UPDATE,
				result);
	if (change->base != NULL)
		result->old_fact = itable_row_load(change->base, arena);
	if (now != NULL)
		result->new_fact = itable_row_load(now, arena);
	if (contents == TMODEL_NEEDS_ENTRIES)
	{
		itable_net_indexes(arena, net->maintained, result->old_fact,
						   result->new_fact,
						   net->target->nchanges > BULK_CHANGES, result);
		itable_add_companions(arena, net->client, net->indexes, number, result);
	}
	else
	{
		result->nindexes = net->headers[result->kind].nindexes;
		result->indexes = net->headers[result->kind].indexes;
	}
	result->direct = is_direct(net, result);
	return result;
}
