/*
 * conflict.c
 *	  Which rows INSERT ... ON CONFLICT DO NOTHING is to skip.
 *
 * Reads only: what is there at this moment, and what this transaction has
 * buffered.  A row that another session writes between this and COMMIT is still
 * 23505 there.  Called by modify.c.  Easy to break: an owner of a key that this
 * transaction has changed must be judged by its buffered version.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/conflict.h"
#include "exec/keyset.h"
#include "exec/lookup.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"

/* A unique index, and its keys of live rows that are buffered. */
typedef struct uniqueIndex
{
	const itableIndex *index;
	itableKeySet *held;
} uniqueIndex;

struct itableConflicts
{
	MemoryContext context;
	tmodel_arena *arena;		/* of entries that are looked at */
	MemoryContext held_context; /* of the sets; NULL: not collected yet */
	itableTarget *target;
	const itableTable *table;
	List	   *indexes;		/* uniqueIndex * */
	uint64		generation;		/* of the buffer, when they were collected */
};

/* One read that decides about a row. */
typedef struct conflictRead
{
	int			row;
	const itableIndex *index;	/* NULL: of the row itself */
	tmodel_span partition_key;	/* of the claim */
	tmodel_span row_key;
	tstore_request *request;
} conflictRead;

typedef struct conflictReads
{
	itableCalls *calls;
	tstore_client *client;
	tmodel_arena *arena;
	int			n;
	int			max;
	conflictRead *reads;
} conflictReads;

itableConflicts *
itable_conflicts(itableTarget *target, const itableTable *table)
{
	itableConflicts *conflicts = palloc0(sizeof(itableConflicts));
	ListCell   *cell;

	conflicts->context = CurrentMemoryContext;
	conflicts->arena = itable_arena(CurrentMemoryContext);
	conflicts->target = target;
	conflicts->table = table;
	foreach(cell, itable_indexes_of(target->table, false))
	{
		uniqueIndex *unique = palloc0(sizeof(uniqueIndex));

		unique->index = lfirst(cell);
		if (unique->index->table->unique)
			conflicts->indexes = lappend(conflicts->indexes, unique);
	}
	return conflicts;
}

/* ---- what this transaction has written ---- */

static void
entries_of(tmodel_arena *arena, const itableIndex *index,
		   const tmodel_entity *fact, tmodel_entries *entries)
{
	if (!tmodel_index_entries(arena, &index->fact_def, &index->def, fact,
							  entries))
	{
		itable_check_arena(arena);
		entries->n = 0;
	}
}

static void
hold_keys(itableConflicts *conflicts, const tmodel_entity *fact)
{
	ListCell   *cell;

	foreach(cell, conflicts->indexes)
	{
		uniqueIndex *unique = lfirst(cell);
		tmodel_entries entries;

		entries_of(conflicts->arena, unique->index, fact, &entries);
		for (int i = 0; i < entries.n; i++)
			(void) itable_keyset_add(unique->held,
									 entries.entries[i].partition_key,
									 entries.entries[i].row_key);
	}
}

/* Triggers may have written meanwhile, or rolled back. */
static void
collect_held(itableConflicts *conflicts)
{
	ListCell   *cell;

	if (conflicts->held_context != NULL &&
		conflicts->generation == itable_buffer_generation())
		return;
	if (conflicts->held_context != NULL)
		MemoryContextDelete(conflicts->held_context);
	conflicts->held_context = AllocSetContextCreate(conflicts->context,
													"itable_fdw keys held",
													ALLOCSET_DEFAULT_SIZES);
	foreach(cell, conflicts->indexes)
		((uniqueIndex *) lfirst(cell))->held =
			itable_keyset(conflicts->held_context);
	conflicts->generation = itable_buffer_generation();
	for (itableChange *change = conflicts->target->changes; change != NULL;
		 change = change->next)
		if (change->newest != NULL && change->newest->row != NULL)
		{
			tmodel_arena_rewind(conflicts->arena);
			hold_keys(conflicts, itable_row_load(change->newest->row,
												 conflicts->arena));
		}
}

bool
itable_conflicts_own(itableConflicts *conflicts, const tmodel_entity *entity)
{
	ListCell   *cell;

	if (itable_buffer_has_row(conflicts->target, entity))
		return true;
	if (conflicts->indexes == NIL)
		return false;
	collect_held(conflicts);
	tmodel_arena_rewind(conflicts->arena);
	foreach(cell, conflicts->indexes)
	{
		const uniqueIndex *unique = lfirst(cell);
		tmodel_entries entries;

		entries_of(conflicts->arena, unique->index, entity, &entries);
		for (int i = 0; i < entries.n; i++)
			if (itable_keyset_has(unique->held,
								  entries.entries[i].partition_key,
								  entries.entries[i].row_key))
				return true;
	}
	return false;
}

void
itable_conflicts_note(itableConflicts *conflicts, const tmodel_entity *entity)
{
	if (conflicts->held_context == NULL)
		return;
	tmodel_arena_rewind(conflicts->arena);
	hold_keys(conflicts, entity);
	conflicts->generation = itable_buffer_generation();
}

/* ---- what the store has ---- */

static conflictRead *
add_read(conflictReads *reads, int row, const itableIndex *index,
		 tstore_request *request)
{
	conflictRead *read;

	if (reads->n == reads->max)
	{
		reads->max = Max(16, 2 * reads->max);
		reads->reads = reads->reads == NULL ?
			palloc(reads->max * sizeof(conflictRead)) :
			repalloc(reads->reads, reads->max * sizeof(conflictRead));
	}
	read = &reads->reads[reads->n++];
	memset(read, 0, sizeof(*read));
	read->row = row;
	read->index = index;
	read->request = itable_call(reads->calls, request);
	return read;
}

/* The entity a read found, or NULL. */
static const tmodel_entity *
found_by(const itableConflicts *conflicts, const conflictReads *reads,
		 conflictRead *read)
{
	const tstore_reply *reply;

	itable_wait(reads->calls, read->request);
	reply = tstore_reply_of(read->request);
	if (reply->error.status != TSTORE_OK &&
		reply->error.status != TSTORE_NOT_FOUND)
		itable_report_read(&reply->error, conflicts->table->relname);
	return reply->nentities == 1 ? &reply->entities[0] : NULL;
}

/* Does this transaction know the row? */
static bool
is_known(const itableConflicts *conflicts, tmodel_span partition_key,
		 tmodel_span row_key)
{
	const itableChange *change = itable_find_change(conflicts->target,
													partition_key, row_key);

	/* what was inserted and rolled back again says nothing */
	return change != NULL &&
		(change->newest != NULL || change->base != NULL);
}

/* The row's own key, and its keys of unique indexes. */
static void
ask_about_row(const itableConflicts *conflicts, conflictReads *reads, int row,
			  const tmodel_entity *entity)
{
	tmodel_span only_keys[] = {TMODEL_SPAN("PartitionKey"),
	TMODEL_SPAN(TMODEL_P_STUB)};
	ListCell   *cell;

	if (!is_known(conflicts, entity->partition_key, entity->row_key))
		add_read(reads, row, NULL,
				 tstore_start_get(reads->client, conflicts->table->name,
								  entity->partition_key, entity->row_key,
								  lengthof(only_keys), only_keys));
	foreach(cell, conflicts->indexes)
	{
		const itableIndex *index = ((uniqueIndex *) lfirst(cell))->index;
		tmodel_entries entries;

		entries_of(reads->arena, index, entity, &entries);
		for (int i = 0; i < entries.n; i++)
		{
			const tmodel_entity *entry = &entries.entries[i];
			conflictRead *read =
				add_read(reads, row, index,
						 tstore_start_get(reads->client, index->def.table,
										  entry->partition_key,
										  entry->row_key, 0, NULL));

			read->partition_key = entry->partition_key;
			read->row_key = entry->row_key;
		}
	}
}

/*
 * A claim that is there: a conflict if it is verified; otherwise its owner is
 * read.  What this transaction changed is judged by itable_conflicts_own.
 */
static bool
judge_claim(const itableConflicts *conflicts, const conflictRead *read,
			const tmodel_entity *claim, conflictReads *owners)
{
	tmodel_span partition_key;
	tmodel_span row_key;
	conflictRead *owner;

	if (!itable_entry_fact(claim, &partition_key, &row_key) ||
		is_known(conflicts, partition_key, row_key))
		return false;
	if (tmodel_entity_is_verified(claim))
		return true;
	owner = add_read(owners, read->row, read->index,
					 tstore_start_get(owners->client,
									  read->index->fact->name, partition_key,
									  row_key, 0, NULL));
	owner->partition_key = read->partition_key;
	owner->row_key = read->row_key;
	return false;
}

static bool
owner_has_key(const conflictReads *owners, const conflictRead *read,
			  const tmodel_entity *fact)
{
	tmodel_entries entries;

	if (tmodel_entity_is_stub(fact))
		return false;
	entries_of(owners->arena, read->index, fact, &entries);
	return tmodel_entries_find(&entries, read->partition_key,
							   read->row_key) != NULL;
}

void
itable_conflicts_ask(itableConflicts *conflicts, int n,
					 tmodel_entity **entities, bool *exists)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw existing rows",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	conflictReads reads = {0};
	conflictReads owners;

	reads.client = itable_session(conflicts->target->serverid,
								  conflicts->target->userid);
	reads.calls = itable_calls(context, reads.client);
	reads.arena = itable_arena(context);
	owners = reads;
	for (int i = 0; i < n; i++)
	{
		exists[i] = false;
		ask_about_row(conflicts, &reads, i, entities[i]);
	}
	for (int i = 0; i < reads.n; i++)
	{
		conflictRead *read = &reads.reads[i];
		const tmodel_entity *entity = found_by(conflicts, &reads, read);

		if (entity == NULL)
			continue;
		if (read->index == NULL)
			exists[read->row] |= !tmodel_entity_is_stub(entity);
		else
			exists[read->row] |= judge_claim(conflicts, read, entity, &owners);
	}
	for (int i = 0; i < owners.n; i++)
	{
		conflictRead *read = &owners.reads[i];
		const tmodel_entity *fact = found_by(conflicts, &owners, read);

		if (fact != NULL && owner_has_key(&owners, read, fact))
			exists[read->row] = true;
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
