/*
 * source.c
 *	  Turns entities of the store into rows of the scanned relation.
 *
 * Rules of 2-protocol for readers: stubs are not there; an entry that is not
 * verified is only a pointer, and the fact it leads to decides; each fact comes
 * once; this transaction's own versions replace the store's.  Knows no Datums
 * (scan.c) and no pages (reader.c).  Easy to break: an entry may be answered
 * from only when it is verified *and* this transaction has not changed its
 * fact.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/merge.h"
#include "exec/own_rows.h"
#include "exec/source.h"
#include "model/section.h"
#include "remote/convert.h"
#include "remote/catalog.h"
#include "remote/memory.h"
#include "txn/repair.h"

struct itableSource
{
	itableSourceSpec spec;
	itableReaderSpec reads;		/* the table that is asked */
	MemoryContext context;
	itableReader *reader;
	itableLookup *lookup;		/* INDEX, ENTRIES */
	itableOverlay overlay;
	itableKeySet *seen;			/* INDEX, or shared: facts returned */
	itableKeySet *shared;		/* with other sources, or NULL */
	itableKeySet *only;			/* INDEX: facts that may be read; NULL: all */
	bool		silent;			/* another source has the own writes */
	MemoryContext seen_context;
	tmodel_arena *arena;		/* of the present row */
	const itableCounts *counts;
	int64		checked_requests;	/* when the index was found readable */
	bool		store_done;		/* the reader is at its end */
	tmodel_entries own;			/* ENTRIES: of one overlaid fact */
	int			own_at;
	/* rows in order: */
	itableMerge *merge;			/* NULL: in any order */
	bool		merging;		/* the merge is read, not the reader */
	MemoryContext order_context;	/* of one start */
	tmodel_arena *order_arena;	/* alike: rows that wait */
	tmodel_arena *place_arena;	/* images, for a moment */
	itableOwnRows *waiting;		/* not from where the reader is */
	const tmodel_entity *head;	/* the store's next row, when known */
	const tmodel_entity *head_key;	/* what its place was read from */
	bool		head_known;
};

/* Names in the $select of a fact without columns: keys and what tells a stub. */
#define BARE_NAMES 3

/* A growing list of property names for $select. */
typedef struct selection
{
	int			n;
	tmodel_span *names;
} selection;

static void
select_name(selection *list, tmodel_span name)
{
	for (int i = 0; i < list->n; i++)
		if (tmodel_span_equal(list->names[i], name))
			return;
	list->names[list->n++] = name;
}

static void
select_init(selection *list, int room)
{
	list->n = 0;
	list->names = palloc(sizeof(tmodel_span) * (room + 10));
	select_name(list, TMODEL_SPAN("PartitionKey"));
	select_name(list, TMODEL_SPAN("RowKey"));
}

/* Is a column of the PartitionKey wanted? */
static bool
wants_partition(const itableTable *table, const bool *wanted)
{
	for (int i = 0; i < table->npartition; i++)
		if (wanted[table->partition[i]->attnum - 1])
			return true;
	return false;
}

/* Properties of a fact that the wanted columns need. */
static void
select_facts(const itableTable *table, const bool *wanted, selection *list)
{
	select_init(list, table->natts);
	select_name(list, TMODEL_SPAN(TMODEL_P_STUB));
	for (int i = 0; i < table->natts; i++)
	{
		if (table->columns[i] == NULL || !wanted[i])
			continue;
		if (table->columns[i]->kind == ITABLE_PROPERTY)
			select_name(list, table->columns[i]->property);
		else if (table->columns[i]->kind == ITABLE_TIMESTAMP)
			select_name(list, TMODEL_SPAN("Timestamp"));
	}
}

/* Properties of an entry: what leads to the fact, and what may answer. */
static void
select_entries(const itableIndex *index, bool contents, bool ordered,
			   selection *list)
{
	const itableTable *table = index->table;

	select_init(list, table->natts);
	select_name(list, TMODEL_SPAN(TMODEL_P_FACT_PK));
	select_name(list, TMODEL_SPAN(TMODEL_P_FACT_RK));
	select_name(list, TMODEL_SPAN("Timestamp"));	/* old enough to mend? */
	/* where the order comes from when a key was too long */
	for (int i = 0; ordered && i < table->natts; i++)
		if (table->columns[i] != NULL &&
			(table->columns[i]->kind == ITABLE_PARTITION_KEY ||
			 table->columns[i]->kind == ITABLE_ROW_KEY))
			select_name(list, table->columns[i]->property);
	if (!contents)
		return;
	select_name(list, TMODEL_SPAN(TMODEL_P_VERIFIED));
	for (int i = 0; i < table->natts; i++)
	{
		if (table->columns[i] == NULL || table->columns[i]->kind == ITABLE_ETAG)
			continue;
		if (table->columns[i]->kind == ITABLE_TIMESTAMP)
			select_name(list, TMODEL_SPAN("Timestamp"));
		else
			select_name(list, table->columns[i]->property);
	}
}

/* Properties of a fact that the keys of its entries come from. */
static void
select_indexed(const itableIndex *index, selection *list)
{
	const tmodel_index_def *def = &index->def;

	for (int i = 0; i < def->npartition + def->nrow; i++)
	{
		const tmodel_index_column *column = i < def->npartition ?
		&def->partition[i] : &def->row[i - def->npartition];

		if (column->source == TMODEL_FROM_PROPERTY ||
			column->source == TMODEL_FROM_ELEMENT)
			select_name(list, column->property);
	}
}

static void
make_lookup(itableSource *source, itableCounts *counts)
{
	const itableSourceSpec *spec = &source->spec;
	const itableTable *fact = spec->index->fact;
	itableReaderSpec facts = {.client = spec->client,.table = fact->name,
	.relname = fact->relname};
	selection	list = {0};

	/* entries are computed from whole facts */
	if (spec->kind == ITABLE_SOURCE_INDEX && spec->wanted != NULL)
		select_facts(fact, spec->wanted, &list);
	/* what their entries, and so their places, are computed from */
	if (list.n > 0 && spec->order != NULL)
		select_indexed(spec->index, &list);
	facts.nselect = list.n;
	facts.select = list.names;
	source->lookup = itable_lookup(source->context, &facts, counts);
}

itableSource *
itable_source(MemoryContext context, const itableSourceSpec *spec,
			  itableCounts *counts)
{
	itableSource *source = MemoryContextAllocZero(context,
												  sizeof(itableSource));
	MemoryContext old = MemoryContextSwitchTo(context);
	bool		through_index = spec->kind != ITABLE_SOURCE_TABLE;
	const itableTable *asked = through_index ? spec->index->table :
	spec->relation;
	const itableTable *written = through_index ? spec->index->fact :
	spec->relation;
	itableReaderSpec reader = {.client = spec->client,
	.table = asked->stored_in,.relname = asked->relname,
	.page_size = spec->relation->fetch_size};
	selection	list = {0};
	bool		without;

	source->spec = *spec;
	source->counts = counts;
	source->context = context;
	source->arena = itable_arena(context);
	itable_overlay_begin(&source->overlay, written->serverid, written->name,
						 spec->cid);
	if (through_index)
	{
		select_entries(spec->index, spec->covering ||
					   spec->kind == ITABLE_SOURCE_ENTRIES,
					   spec->order != NULL, &list);
		make_lookup(source, counts);
	}
	else if (spec->wanted != NULL)
		select_facts(spec->relation, spec->wanted, &list);
	/* half of what count(*) would transfer; own rows are known by their keys, and
	 * cuts need them */
	without = list.n > 0 && (!spec->cut || list.n <= BARE_NAMES) &&
		spec->only_rows && source->overlay.target == NULL &&
		!wants_partition(spec->relation, spec->wanted);
	if (without)
		list.names[0] = list.names[--list.n];
	reader.nselect = list.n;
	reader.select = list.names;
	reader.plain = !through_index && spec->wanted != NULL &&
		itable_reads_plain(spec->relation, spec->wanted);
	reader.to_the_end = spec->to_the_end;
	reader.any_order = spec->any_order;
	reader.cut = spec->cut && !without;
	reader.in_flight = itable_in_flight(spec->relation);
	reader.only_facts = itable_hides_reserved(asked);
	source->reads = reader;
	source->reader = itable_reader(context, &reader, counts);
	if (spec->order != NULL)
		source->merge = itable_merge(context, &source->reads, asked,
									 spec->order, counts);
	MemoryContextSwitchTo(old);
	return source;
}

const itableReaderSpec *
itable_source_reads(const itableSource *source)
{
	return &source->reads;
}

static void begin_order(itableSource *source);

void
itable_source_share(itableSource *source, itableKeySet *seen, bool last)
{
	source->shared = seen;
	source->silent = !last;
}

void
itable_source_restrict(itableSource *source, itableKeySet *only)
{
	source->only = only;
}

void
itable_source_start(itableSource *source, const itableProbes *probes)
{
	itable_source_stop(source);
	/* costs nothing within the lease, and an index that is gone says so */
	if (source->spec.kind == ITABLE_SOURCE_INDEX && probes->n > 0)
		itable_check_readable(source->spec.client, source->spec.index);
	source->merging = source->merge != NULL &&
		itable_merge_is_needed(source->merge, probes);
	if (source->merging)
		itable_merge_start(source->merge, probes);
	else
		itable_reader_start(source->reader, probes);
	if (source->lookup != NULL)
		itable_lookup_start(source->lookup, probes->first_page);
	itable_overlay_rewind(&source->overlay);
	source->store_done = false;
	source->own.n = 0;
	source->own_at = 0;
	if (source->shared != NULL)
		source->seen = source->shared;
	else if (source->spec.kind == ITABLE_SOURCE_INDEX)
	{
		source->seen_context = AllocSetContextCreate(source->context,
													 "itable_fdw facts seen",
													 ALLOCSET_DEFAULT_SIZES);
		source->seen = itable_keyset(source->seen_context);
	}
	if (source->merge != NULL)
		begin_order(source);
}

void
itable_source_stop(itableSource *source)
{
	itable_reader_stop(source->reader);
	if (source->merge != NULL)
		itable_merge_stop(source->merge);
	if (source->order_context != NULL)
		MemoryContextDelete(source->order_context);
	source->order_context = NULL;
	if (source->lookup != NULL)
		itable_lookup_stop(source->lookup);
	if (source->seen_context != NULL)
		MemoryContextDelete(source->seen_context);
	source->seen_context = NULL;
	source->seen = NULL;
}

/* The rows this transaction wrote, after those of the store; ordered ones stand
 * among them. */
static const tmodel_entity *
next_own_fact(itableSource *source)
{
	return source->silent || source->merge != NULL ? NULL :
		itable_overlay_next(&source->overlay);
}

/* Was the entity not returned before?  After the last probe nobody will ask. */
static bool
is_first_time(itableSource *source, const tmodel_entity *entity)
{
	if (source->seen == NULL)
		return true;
	if (!source->silent && !source->merging &&
		itable_reader_is_last(source->reader))
		return !itable_keyset_has(source->seen, entity->partition_key,
								  entity->row_key);
	return itable_keyset_add(source->seen, entity->partition_key,
							 entity->row_key);
}

/* The next entity of the table that is asked. */
static const tmodel_entity *
next_asked(itableSource *source)
{
	return source->merging ? itable_merge_next(source->merge) :
		itable_reader_next(source->reader);
}

/*
 * Must the oldest lookup be waited for?  A verified entry is handed out at
 * once, so in an ordered scan nothing may be pending when the next is read.
 */
static bool
must_look_up(const itableSource *source)
{
	bool		direct = source->spec.covering ||
	source->spec.kind == ITABLE_SOURCE_ENTRIES;

	return itable_lookup_is_full(source->lookup) ||
		(direct && source->merge != NULL &&
		 itable_lookup_pending(source->lookup) > 0);
}

/* Where an entity of the table that is asked belongs. */
static tmodel_span
image_of(itableSource *source, const tmodel_entity *entity)
{
	tmodel_buf	image;
	const itableTable *asked = source->spec.kind == ITABLE_SOURCE_TABLE ?
	source->spec.relation : source->spec.index->table;

	tmodel_buf_init(&image, source->place_arena);
	itable_append_image(&image, asked, source->spec.order, entity);
	return tmodel_buf_text(&image);
}

static void
wait_for_turn(itableSource *source, const tmodel_entity *entity,
			  const itableRow *row, tmodel_span image)
{
	itable_check_arena(source->order_arena);
	itable_own_rows_add(source->waiting, entity, row, image);
}

/* ---- a fact table ---- */

static const tmodel_entity *
next_fact(itableSource *source)
{
	const tmodel_entity *entity;

	while (!source->store_done)
	{
		entity = next_asked(source);
		if (entity == NULL)
			source->store_done = true;
		else if (!tmodel_entity_is_stub(entity) &&
				 is_first_time(source, entity) &&
				 !itable_overlay_covers(&source->overlay,
										entity->partition_key,
										entity->row_key))
			return source->head_key = entity;
	}
	return next_own_fact(source);
}

/* ---- a fact table through an index ---- */

/* Values of one of the entry's keys that are properties of the fact. */
static void
add_key_values(itableSource *source, const tmodel_entity *entry,
			   bool partition, tmodel_entity *fact)
{
	const itableIndex *index = source->spec.index;
	const tmodel_index_column *columns = partition ? index->def.partition :
	index->def.row;
	int			n = partition ? index->def.npartition : index->def.nrow;
	tmodel_value *values = tmodel_alloc(source->arena,
										sizeof(tmodel_value) * n);
	tmodel_span key = partition ? entry->partition_key :
	tmodel_section_strip(index->def.section, entry->row_key);

	itable_check_arena(source->arena);
	/* a shortened key's values stand among the entry's properties */
	if (tmodel_key_is_shortened(key) ||
		tmodel_key_decode(source->arena, index->table->encoding, n,
						  partition ? index->table->partition_types :
						  index->table->row_types, key,
						  values) != TMODEL_KEY_OK)
		return;
	for (int i = 0; i < n; i++)
		if (columns[i].source == TMODEL_FROM_PROPERTY)
			tmodel_entity_set(fact, columns[i].property, &values[i]);
}

/* The covered part of a fact, from a verified entry. */
static const tmodel_entity *
fact_of_entry(itableSource *source, const tmodel_entity *entry)
{
	const itableIndex *index = source->spec.index;
	tmodel_entity *fact;

	tmodel_arena_reset(source->arena);
	fact = tmodel_entity_extend(source->arena, entry,
								index->def.npartition + index->def.nrow);
	itable_check_arena(source->arena);
	itable_entry_fact(entry, &fact->partition_key, &fact->row_key);
	fact->etag = (tmodel_span) {NULL, 0};
	add_key_values(source, entry, true, fact);
	add_key_values(source, entry, false, fact);
	return fact;
}

/* Is the entry's fact to be looked at at all? */
static bool
is_new_fact(itableSource *source, const tmodel_entity *entry)
{
	tmodel_span partition_key;
	tmodel_span row_key;

	return itable_entry_fact(entry, &partition_key, &row_key) &&
		(source->only == NULL ||
		 itable_keyset_has(source->only, partition_key, row_key)) &&
		itable_keyset_add(source->seen, partition_key, row_key) &&
		!itable_overlay_covers(&source->overlay, partition_key, row_key);
}

/* An entry that should not be as it is, mended after the scan if old. */
static void
consider_repair(itableSource *source, const tmodel_entity *entry, bool broken)
{
	if (broken)
		itable_remember_repair(source->spec.index, source->spec.userid, entry,
							   itable_lookup_server_time(source->lookup));
}

/* The fact's entries; false: it has none. */
static bool
has_entries(itableSource *source, const tmodel_entity *fact,
			tmodel_entries *entries)
{
	const itableIndex *index = source->spec.index;
	bool		read;

	tmodel_arena_reset(source->arena);
	read = tmodel_index_entries(source->arena, &index->fact_def, &index->def,
								fact, entries);
	itable_check_arena(source->arena);
	return read && entries->n > 0;
}

/*
 * Does the fact still stand where its entry does?  One that another writer has
 * moved on waits for its turn; one that has moved back is past.
 */
static bool
is_in_place(itableSource *source, const tmodel_entity *entry,
			const tmodel_entity *fact)
{
	tmodel_entries entries;
	tmodel_span old_place;
	tmodel_span place;

	if (!has_entries(source, fact, &entries))
		return false;
	if (tmodel_entries_find(&entries, entry->partition_key,
							entry->row_key) != NULL)
		return true;
	tmodel_arena_reset(source->place_arena);
	old_place = image_of(source, entry);
	place = image_of(source, &entries.entries[0]);
	if (tmodel_span_compare(place, old_place) >= 0)
		wait_for_turn(source, tmodel_entity_copy(source->order_arena, fact),
					  NULL, place);
	return false;
}

static const tmodel_entity *
next_through_index(itableSource *source)
{
	const tmodel_entity *entry;
	const tmodel_entity *fact;

	for (;;)
	{
		while (!source->store_done && !must_look_up(source))
		{
			entry = next_asked(source);
			if (entry == NULL)
				source->store_done = true;
			else if (!is_new_fact(source, entry))
				continue;
			else if (source->spec.covering && tmodel_entity_is_verified(entry))
			{
				source->head_key = entry;
				return fact_of_entry(source, entry);
			}
			else
				itable_lookup_add(source->lookup, entry);
		}
		if (!itable_lookup_next(source->lookup, &entry, &fact))
			break;
		/* with contents asked for, only unverified entries come here */
		consider_repair(source, entry, fact == NULL || source->spec.covering);
		source->head_key = entry;
		if (fact != NULL &&
			(source->merge == NULL || is_in_place(source, entry, fact)))
			return fact;
	}
	return next_own_fact(source);
}

/* ---- an index table itself ---- */

/* The entry the fact has under the same keys, or NULL. */
static const tmodel_entity *
justified_entry(itableSource *source, const tmodel_entity *entry,
				const tmodel_entity *fact)
{
	const itableIndex *index = source->spec.index;
	tmodel_entries entries;

	tmodel_arena_reset(source->arena);
	if (!tmodel_index_entries(source->arena, &index->fact_def, &index->def,
							  fact, &entries))
	{
		itable_check_arena(source->arena);
		return NULL;
	}
	return tmodel_entries_find(&entries, entry->partition_key,
							   entry->row_key);
}

/* The entries of this transaction's own facts. */
static const tmodel_entity *
next_own_entry(itableSource *source)
{
	const itableIndex *index = source->spec.index;

	while (source->own_at >= source->own.n)
	{
		const tmodel_entity *fact = itable_overlay_next(&source->overlay);

		if (fact == NULL)
			return NULL;
		tmodel_arena_reset(source->arena);
		source->own_at = 0;
		source->own.n = 0;
		(void) tmodel_index_entries(source->arena, &index->fact_def,
									&index->def, fact, &source->own);
		itable_check_arena(source->arena);
	}
	return &source->own.entries[source->own_at++];
}

static const tmodel_entity *
next_entry(itableSource *source)
{
	const tmodel_entity *entry;
	const tmodel_entity *fact;
	const tmodel_entity *justified;

	for (;;)
	{
		while (!source->store_done && !must_look_up(source))
		{
			tmodel_span partition_key;
			tmodel_span row_key;

			entry = next_asked(source);
			if (entry == NULL)
				source->store_done = true;
			else if (!is_first_time(source, entry) ||
					 !itable_entry_fact(entry, &partition_key, &row_key) ||
					 itable_overlay_covers(&source->overlay, partition_key,
										   row_key))
				continue;
			else if (tmodel_entity_is_verified(entry))
				return source->head_key = entry;
			else
				itable_lookup_add(source->lookup, entry);
		}
		if (!itable_lookup_next(source->lookup, &entry, &fact))
			break;
		justified = fact == NULL ? NULL : justified_entry(source, entry, fact);
		consider_repair(source, entry, justified == NULL ||
						source->spec.index->covering);
		if (justified != NULL)
			return source->head_key = justified;
	}
	return source->silent || source->merge != NULL ? NULL :
		next_own_entry(source);
}

/* Pointer entries that have come: their facts. */
static void
prefetch_facts(itableSource *source)
{
	const tmodel_entity *entry;

	while (!source->store_done && !itable_lookup_is_full(source->lookup) &&
		   itable_reader_is_ready(source->reader))
	{
		entry = itable_reader_next(source->reader);
		if (entry == NULL)
			source->store_done = true;
		else if (is_new_fact(source, entry))
			itable_lookup_add(source->lookup, entry);
	}
}

void
itable_source_begin(itableSource *source)
{
	if (!source->merging)
		itable_reader_begin(source->reader);
}

void
itable_source_prefetch(itableSource *source)
{
	if (source->merging)
		return;
	itable_reader_prefetch(source->reader);
	if (source->spec.kind == ITABLE_SOURCE_INDEX && !source->spec.covering)
		prefetch_facts(source);
}

tstore_client *
itable_source_client(const itableSource *source)
{
	return source->spec.client;
}

bool
itable_source_is_ready(itableSource *source)
{
	if (source->merge != NULL)
		return true;
	itable_source_prefetch(source);
	if (source->lookup != NULL && itable_lookup_is_ready(source->lookup))
		return true;
	if (source->spec.kind == ITABLE_SOURCE_INDEX && !source->spec.covering)
		return source->store_done && itable_lookup_is_empty(source->lookup);
	return source->store_done || itable_reader_is_ready(source->reader);
}

/*
 * Another database may have retired the index since the plan was made.  Asked
 * after entries have come: what is readable now was complete when they were read.
 */
static void
check_index(itableSource *source)
{
	if (source->checked_requests == source->counts->requests)
		return;
	itable_check_readable(source->spec.client, source->spec.index);
	source->checked_requests = source->counts->requests;
}

static const tmodel_entity *
next_stored(itableSource *source)
{
	const tmodel_entity *entity;

	switch (source->spec.kind)
	{
		case ITABLE_SOURCE_TABLE:
			return next_fact(source);
		case ITABLE_SOURCE_INDEX:
			entity = next_through_index(source);
			check_index(source);
			return entity;
		case ITABLE_SOURCE_ENTRIES:
			return next_entry(source);
	}
	return NULL;
}

/* ---- rows in order ---- */

/* This transaction's rows wait for their turns. */
static void
begin_order(itableSource *source)
{
	const tmodel_entity *own;

	source->order_context = AllocSetContextCreate(source->context,
												  "itable_fdw rows waiting",
												  ALLOCSET_DEFAULT_SIZES);
	source->order_arena = itable_arena(source->order_context);
	source->place_arena = itable_arena(source->order_context);
	source->waiting = itable_own_rows(source->order_context);
	source->head_known = false;
	while ((own = source->spec.kind == ITABLE_SOURCE_ENTRIES ?
			next_own_entry(source) :
			itable_overlay_next(&source->overlay)) != NULL)
	{
		tmodel_entries entries;

		tmodel_arena_reset(source->place_arena);
		if (source->spec.kind == ITABLE_SOURCE_TABLE)
			wait_for_turn(source, NULL, source->overlay.row,
						  image_of(source, own));
		else if (source->spec.kind == ITABLE_SOURCE_ENTRIES)
			wait_for_turn(source, tmodel_entity_copy(source->order_arena, own),
						  NULL, image_of(source, own));
		/* without an entry it is none of the rows the query wants */
		else if (has_entries(source, own, &entries))
			wait_for_turn(source, NULL, source->overlay.row,
						  image_of(source, &entries.entries[0]));
	}
}

/* The store's next row, or one that waits and comes before it. */
static const tmodel_entity *
next_in_order(itableSource *source)
{
	tmodel_span image;

	if (!source->head_known)
	{
		source->head = next_stored(source);
		source->head_known = true;
	}
	tmodel_arena_reset(source->place_arena);
	if (itable_own_rows_first(source->waiting, &image) &&
		(source->head == NULL ||
		 tmodel_span_compare(image, image_of(source, source->head_key)) <= 0))
	{
		return itable_own_rows_take(source->waiting, source->place_arena);
	}
	source->head_known = source->head == NULL;
	return source->head;
}

const tmodel_entity *
itable_source_next(itableSource *source)
{
	return source->merge != NULL ? next_in_order(source) : next_stored(source);
}
