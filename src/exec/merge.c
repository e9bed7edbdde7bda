/*
 * merge.c
 *	  Reads probes side by side and hands out their entities in SQL's order.
 *
 * Each probe is a *source*, read in the store's order.  For numbers and dates
 * that is SQL's.  Of texts a source holds a page, sorts it, and has what the
 * store hands out too late for its last row (late.c) read by sources of their
 * own, so that at most a page for each source is in memory.  A source stands in
 * a heap by its next row, or, while that is not read, by a floor below it.
 * Called by source.c.  Easy to break: a source skips what it gave away, and
 * nothing is asked for before it is the least of the heap.
 */
#include "postgres.h"

#include "lib/pairingheap.h"
#include "utils/memutils.h"

#include "exec/late.h"
#include "exec/merge.h"
#include "model/key_order.h"
#include "model/section.h"
#include "remote/convert.h"
#include "remote/memory.h"

/* Sources asked ahead of the one that is wanted. */
#define WINDOW 8

/* An entity that a source holds. */
typedef struct heldEntity
{
	const tmodel_entity *entity;
	tmodel_span image;
} heldEntity;

typedef struct mergeSource
{
	pairingheap_node node;
	int			number;			/* ties are in order of creation */
	itableProbes probes;		/* the one that is read */
	itableReader *reader;		/* NULL: not begun */
	itableDomain domain;		/* what of the probe is read, and what not */
	bool		led;			/* has begun those behind it */
	bool		loaded;			/* "image" is that of "entity" */
	tmodel_span image;			/* else: a floor */
	const tmodel_entity *entity;
	tmodel_arena *arena;		/* of images and held entities */
	heldEntity *held;			/* texts: the page, sorted */
	int			nheld;
	int			room;
	int			at;				/* the next one */
} mergeSource;

struct itableMerge
{
	MemoryContext context;
	itableReaderSpec spec;
	const itableTable *asked;
	const itableOrder *order;
	itableCounts *counts;
	bool		holds;			/* a page of each source is held */
	MemoryContext run_context;	/* of one start */
	const itableProbes *probes;
	pairingheap *heap;
	mergeSource **first;		/* sources of the probes, by floor */
	int			begun;			/* of these */
	int			window;
	int			nsources;
	tmodel_arena *last_arena;
	mergeSource *current;		/* whose entity was handed out */
	int64		handed_out;
};

itableMerge *
itable_merge(MemoryContext context, const itableReaderSpec *reader,
			 const itableTable *asked, const itableOrder *order,
			 itableCounts *counts)
{
	itableMerge *merge = MemoryContextAllocZero(context, sizeof(itableMerge));

	merge->context = context;
	merge->spec = *reader;
	merge->asked = asked;
	merge->order = order;
	merge->counts = counts;
	return merge;
}

/* The values of one of the keys; a shortened one's stand in properties. */
static void
key_values(tmodel_arena *arena, const itableTable *asked, bool partition,
		   const tmodel_entity *entity, tmodel_value *values)
{
	tmodel_span key = partition ? entity->partition_key : entity->row_key;
	int			n = partition ? asked->npartition_parts : asked->nrow;
	const tmodel_key_type *types = partition ? asked->partition_types :
	asked->row_types;
	tmodel_key_status status;

	if (itable_is_index(asked) && tmodel_key_is_shortened(key))
	{
		itableColumn **columns = partition ? asked->partition : asked->row;
		int			ncolumns = partition ? asked->npartition : asked->nrow;

		for (int i = 0; i < n; i++)
		{
			const tmodel_value *value = i >= ncolumns ? NULL :
			tmodel_entity_get(entity, columns[i]->property);

			values[i] = value != NULL ? *value : tmodel_string(key);
		}
		return;
	}
	if (!partition)
		key = tmodel_section_strip(asked->section, key);
	status = tmodel_key_decode(arena, asked->encoding, n, types, key, values);
	itable_check_arena(arena);
	if (status != TMODEL_KEY_OK)
		itable_key_failed(asked, partition, status);
}

void
itable_append_image(tmodel_buf *image, const itableTable *asked,
					const itableOrder *order, const tmodel_entity *entity)
{
	int			npartition = asked->npartition_parts;
	int			n = npartition + asked->nrow;
	tmodel_value *values = tmodel_alloc(image->arena, sizeof(tmodel_value) * n);
	tmodel_key_status status = TMODEL_KEY_OK;

	itable_check_arena(image->arena);
	if (order->first < npartition)
		key_values(image->arena, asked, true, entity, values);
	if (order->last > npartition)
		key_values(image->arena, asked, false, entity, values + npartition);
	for (int i = order->first; i < order->last && status == TMODEL_KEY_OK; i++)
		status = tmodel_key_image(image, 1, i < npartition ?
								  &asked->partition_types[i] :
								  &asked->row_types[i - npartition],
								  &values[i]);
	itable_check_arena(image->arena);
	if (status != TMODEL_KEY_OK)
		itable_key_failed(asked, false, status);
}

static tmodel_span
image_of(itableMerge *merge, mergeSource *source, const tmodel_entity *entity)
{
	tmodel_buf	image;

	tmodel_buf_init(&image, source->arena);
	itable_append_image(&image, merge->asked, merge->order, entity);
	return tmodel_buf_text(&image);
}

/* The heap's first is its greatest: the least image. */
static int
compare_sources(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	const mergeSource *left = pairingheap_const_container(mergeSource, node, a);
	const mergeSource *right = pairingheap_const_container(mergeSource, node,
														   b);
	int			cmp = tmodel_span_compare(right->image, left->image);

	/* what may be less is looked at first */
	if (cmp == 0 && left->loaded != right->loaded)
		return left->loaded ? -1 : 1;
	return cmp != 0 ? cmp : right->number - left->number;
}

static int
compare_held(const void *a, const void *b)
{
	return tmodel_span_compare(((const heldEntity *) a)->image,
							   ((const heldEntity *) b)->image);
}

static mergeSource *
add_source(itableMerge *merge, const itableProbe *probe, tmodel_span floor)
{
	mergeSource *source = palloc0(sizeof(mergeSource));

	source->number = merge->nsources++;
	source->probes.n = 1;
	source->probes.probes = palloc(sizeof(itableProbe));
	source->probes.probes[0] = *probe;
	source->probes.first_page = merge->probes->first_page;
	source->image = floor;
	pairingheap_add(merge->heap, &source->node);
	return source;
}

static void
begin(itableMerge *merge, mergeSource *source)
{
	if (source->reader != NULL)
		return;
	if (merge->probes->wanted > 0)
		source->probes.wanted = Max(merge->probes->wanted - merge->handed_out,
									1);
	source->arena = itable_arena(merge->run_context);
	source->reader = itable_reader(merge->run_context, &merge->spec,
								   merge->counts);
	itable_reader_start(source->reader, &source->probes);
	itable_reader_begin(source->reader);
}

/* Asks for this source, and for those that will be wanted next. */
static void
begin_ahead(itableMerge *merge, mergeSource *source)
{
	begin(merge, source);
	if (source->led || source->number >= merge->probes->n)
		return;
	source->led = true;
	while (merge->begun < merge->probes->n &&
		   merge->begun < source->number + merge->window)
		begin(merge, merge->first[merge->begun++]);
	merge->window = Min(merge->window * 2, WINDOW);
}

/* Adds an entity to the page that is held. */
static void
hold(itableMerge *merge, mergeSource *source, const tmodel_entity *entity)
{
	heldEntity *held;

	if (source->nheld == source->room)
	{
		source->room = Max(source->room * 2, 64);
		source->held = source->held == NULL ?
			palloc(source->room * sizeof(heldEntity)) :
			repalloc_huge(source->held, source->room * sizeof(heldEntity));
	}
	held = &source->held[source->nheld++];
	held->entity = tmodel_entity_copy(source->arena, entity);
	itable_check_arena(source->arena);
	held->image = image_of(merge, source, held->entity);
}

/* Gives what is late behind the page's last row to sources of its own. */
static void
give_away(itableMerge *merge, mergeSource *source,
		  const tmodel_entity *read_last)
{
	const heldEntity *last = &source->held[source->nheld - 1];
	itableLate	late;

	itable_find_late(merge->run_context, merge->asked, merge->order,
					 &source->probes.probes[0], &source->domain, last->entity,
					 read_last, &late);
	for (int i = 0; i < late.n; i++)
	{
		mergeSource *other = add_source(merge, &late.parts[i].probe,
										late.parts[i].floor);

		other->domain = late.parts[i].domain;
		begin(merge, other);
	}
}

/* Reads the next page, or all; false at the end. */
static bool
fill(itableMerge *merge, mergeSource *source)
{
	const tmodel_entity *entity;
	const tmodel_entity *read_last = NULL;

	tmodel_arena_reset(source->arena);
	source->nheld = source->at = 0;
	while ((entity = itable_reader_next(source->reader)) != NULL)
	{
		if (!itable_is_given(&source->domain, entity))
			hold(merge, source, entity);
		if (itable_reader_ready(source->reader) > 0 ||
			source->nheld == 0 || merge->probes->unordered)
			continue;
		tmodel_arena_reset(merge->last_arena);
		read_last = tmodel_entity_copy(merge->last_arena, entity);
		itable_check_arena(merge->last_arena);
		break;
	}
	qsort(source->held, source->nheld, sizeof(heldEntity), compare_held);
	if (read_last != NULL && !itable_reader_is_done(source->reader))
		give_away(merge, source, read_last);
	return source->nheld > 0;
}

/* Brings the source to its next entity; false at its end. */
static bool
load(itableMerge *merge, mergeSource *source)
{
	begin_ahead(merge, source);
	if (merge->holds)
	{
		if (source->at >= source->nheld && !fill(merge, source))
			return false;
		source->entity = source->held[source->at].entity;
		source->image = source->held[source->at++].image;
	}
	else
	{
		source->entity = itable_reader_next(source->reader);
		if (source->entity == NULL)
			return false;
		tmodel_arena_reset(source->arena);
		source->image = image_of(merge, source, source->entity);
	}
	source->loaded = true;
	return true;
}

/* Can the source be brought to its next entity without a request? */
static bool
is_ready(itableMerge *merge, mergeSource *source)
{
	if (merge->holds && source->at < source->nheld)
		return true;
	return !merge->holds && itable_reader_ready(source->reader) > 0;
}

/* The entity handed out last is used: its source goes back into the heap. */
static void
put_back(itableMerge *merge)
{
	mergeSource *source = merge->current;

	merge->current = NULL;
	if (itable_reader_is_done(source->reader) && !is_ready(merge, source))
	{
		itable_reader_stop(source->reader);
		return;
	}
	source->loaded = false;
	if (is_ready(merge, source) && !load(merge, source))
		return;
	pairingheap_add(merge->heap, &source->node);
}

/* Is the store's order within a probe only almost SQL's? */
static bool
must_hold(const itableMerge *merge)
{
	const itableOrder *order = merge->order;
	const itableTable *asked = merge->asked;
	int			npartition = asked->npartition_parts;

	for (int i = Max(order->first, order->fixed); i < order->last; i++)
		if (!tmodel_key_is_ordered(asked->encoding, i < npartition ?
								   asked->partition_types[i] :
								   asked->row_types[i - npartition]))
			return true;
	return false;
}

bool
itable_merge_is_needed(const itableMerge *merge, const itableProbes *probes)
{
	bool		points = true;

	for (int i = 0; i < probes->n && points; i++)
		points = probes->probes[i].point;
	if (points)
		return false;
	return probes->n > 1 || probes->unordered || must_hold(merge);
}

void
itable_merge_start(itableMerge *merge, const itableProbes *probes)
{
	MemoryContext old;

	itable_merge_stop(merge);
	merge->run_context = AllocSetContextCreate(merge->context,
											   "itable_fdw merge",
											   ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(merge->run_context);
	merge->last_arena = itable_arena(merge->run_context);
	merge->probes = probes;
	merge->heap = pairingheap_allocate(compare_sources, NULL);
	merge->nsources = merge->begun = 0;
	merge->current = NULL;
	merge->handed_out = 0;
	merge->window = WINDOW;
	/* without a common floor, one after the other is enough for some rows */
	if ((probes->first_page > 0 || probes->wanted > 0) && probes->n > 1 &&
		!tmodel_span_equal(probes->probes[0].floor, probes->probes[1].floor))
		merge->window = 1;
	merge->holds = probes->unordered || must_hold(merge);
	merge->first = palloc(sizeof(mergeSource *) * (probes->n + 1));
	for (int i = 0; i < probes->n; i++)
		merge->first[i] = add_source(merge, &probes->probes[i],
									 probes->probes[i].floor);
	MemoryContextSwitchTo(old);
}

const tmodel_entity *
itable_merge_next(itableMerge *merge)
{
	MemoryContext old = MemoryContextSwitchTo(merge->run_context);
	const tmodel_entity *entity = NULL;

	if (merge->current != NULL)
		put_back(merge);
	while (entity == NULL && !pairingheap_is_empty(merge->heap))
	{
		pairingheap_node *node = pairingheap_remove_first(merge->heap);
		mergeSource *source = pairingheap_container(mergeSource, node, node);

		if (source->loaded)
		{
			merge->current = source;
			merge->handed_out++;
			entity = source->entity;
		}
		else if (load(merge, source))
			pairingheap_add(merge->heap, &source->node);
		else
			itable_reader_stop(source->reader);
	}
	MemoryContextSwitchTo(old);
	return entity;
}

void
itable_merge_stop(itableMerge *merge)
{
	if (merge->run_context != NULL)
		MemoryContextDelete(merge->run_context);
	merge->run_context = NULL;
}
