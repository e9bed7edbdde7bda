/*
 * back.c
 *	  Finds the greatest keys by asking from where on there are any.
 *
 * The store hands out keys ascending only.  But "RowKey ge X" with a small page
 * tells whether anything is at or behind X, so that the last keys are found in
 * about as many requests as a search by halves takes: first at keys that ANALYZE
 * knew, then at cuts made from what keys look like.  What is known to the end is
 * read; its rows are *candidates*, and so are this transaction's own.  Called by
 * scan.c.  Easy to break: a candidate may go only when everything that SQL has
 * above it is read, and texts have some of it before it in the store.
 */
#include "postgres.h"

#include "lib/pairingheap.h"
#include "utils/memutils.h"

#include "exec/back.h"
#include "exec/key_cut.h"
#include "exec/merge.h"
#include "model/filter.h"
#include "remote/convert.h"
#include "remote/memory.h"

/* Entities of the first page; those after it double. */
#define FIRST_PAGE 100

/* Pages read on behind the last key that ANALYZE knew, before it is searched. */
#define PAGES_ON 3

/* After so many questions in a row what is left is read. */
#define MAX_QUESTIONS 100

typedef struct candidate
{
	pairingheap_node node;
	tmodel_span image;
	tmodel_key_range above;		/* has all keys that SQL has above it */
	const tmodel_entity *entity;	/* a row; NULL: a partition */
	tmodel_span partition;
} candidate;

/* A page of what may be the end. */
typedef struct lastPage
{
	tmodel_span start;			/* what it was asked from */
	int			n;
	int			room;
	const tmodel_entity **entities;
} lastPage;

struct itableBack
{
	MemoryContext context;
	itableSourceSpec spec;
	itableReaderSpec reads;
	const itableTable *table;
	bool		partitions;		/* whole partitions are looked for */
	List	   *hints;
	itableCounts *counts;
	itableOverlay overlay;
	MemoryContext run_context;	/* of one start */
	tmodel_arena *arena;		/* alike */
	const itableProbe *probe;	/* NULL: nothing but own rows */
	tmodel_key_range domain;	/* keys looked for */
	tmodel_span end;			/* what is not below it is read; empty: nothing */
	bool		done;			/* all is */
	pairingheap *heap;
	itableKeyShape shape;
	itableReader *stream;		/* of a partition whose turn it is, or NULL */
	itableProbes stream_probes;
	itableProbe stream_probe;
};

/* A search for the last keys of a stretch. */
typedef struct search
{
	tmodel_span start;			/* of the stretch */
	tmodel_span from;			/* keys before it do not matter */
	tmodel_span to;				/* nothing is there from here on */
	bool		learned;		/* a page was read */
	lastPage	page;			/* the last keys before "from", if n > 0 */
	int			hint;			/* the last one not yet asked at */
	int			hint_step;
	int			step;
	int			pages_on;		/* so many are read on before it is cut */
	int			size;			/* of pages */
	int			questions;
} search;

itableBack *
itable_back(MemoryContext context, const itableSourceSpec *spec,
			const itableSource *source, List *hints, itableCounts *counts)
{
	itableBack *back = MemoryContextAllocZero(context, sizeof(itableBack));

	back->context = context;
	back->spec = *spec;
	back->reads = *itable_source_reads(source);
	back->reads.to_the_end = back->reads.any_order = false;
	back->table = spec->relation;
	back->partitions = spec->order->first < spec->relation->npartition_parts;
	back->hints = hints;
	back->counts = counts;
	itable_overlay_begin(&back->overlay, spec->relation->serverid,
						 spec->relation->name, spec->cid);
	return back;
}

static tmodel_span
key_of(const itableBack *back, const tmodel_entity *entity)
{
	return back->partitions ? entity->partition_key : entity->row_key;
}

/* ---- candidates ---- */

/* The heap's first is its greatest: the greatest image. */
static int
compare_candidates(const pairingheap_node *a, const pairingheap_node *b,
				   void *arg)
{
	return tmodel_span_compare(pairingheap_const_container(candidate, node, a)->image,
							   pairingheap_const_container(candidate, node, b)->image);
}

/* Which keys may be above this one. */
static void
find_above(itableBack *back, tmodel_span key, tmodel_key_range *above)
{
	const itableTable *table = back->table;
	int			n = back->partitions ? table->npartition_parts : table->nrow;
	const tmodel_key_type *types = back->partitions ?
	table->partition_types : table->row_types;
	int			at = back->spec.order->first -
	(back->partitions ? 0 : table->npartition_parts);
	tmodel_value *values = tmodel_alloc(back->arena, sizeof(tmodel_value) * n);
	tmodel_key_status status;

	itable_check_arena(back->arena);
	status = tmodel_key_decode(back->arena, table->encoding, n, types, key,
							   values);
	itable_check_arena(back->arena);
	if (status != TMODEL_KEY_OK)
		itable_key_failed(table, back->partitions, status);
	*above = back->domain;
	(void) tmodel_key_narrow(back->arena, above, table->encoding, n, types, at,
							 values, TMODEL_GT, &values[at]);
	itable_check_arena(back->arena);
}

/* "entity" gives the keys; it is the row itself unless "partition". */
static void
add_candidate(itableBack *back, const tmodel_entity *entity, bool partition)
{
	candidate  *one = palloc0(sizeof(candidate));
	tmodel_buf	image;

	tmodel_buf_init(&image, back->arena);
	itable_append_image(&image, back->table, back->spec.order, entity);
	one->image = tmodel_buf_text(&image);
	find_above(back, key_of(back, entity), &one->above);
	one->entity = partition ? NULL : entity;
	one->partition = entity->partition_key;
	pairingheap_add(back->heap, &one->node);
}

/* Is it a row, as this transaction sees it? */
static bool
is_row(itableBack *back, const tmodel_entity *entity)
{
	return !tmodel_entity_is_stub(entity) &&
		!itable_overlay_covers(&back->overlay, entity->partition_key,
							   entity->row_key);
}

/* Is everything above the candidate read? */
static bool
is_due(const itableBack *back, const candidate *one)
{
	return back->done || one->above.empty ||
		(one->above.has_lower && back->end.len > 0 &&
		 tmodel_utf16_compare(one->above.lower, back->end) >= 0);
}

/* What a page brought: its rows, or, where the last partition may go on, the
 * partitions it was of. */
static void
add_page(itableBack *back, const lastPage *page, bool complete)
{
	tmodel_span partition = {NULL, 0};

	for (int i = 0; i < page->n; i++)
	{
		const tmodel_entity *entity = page->entities[i];

		if (complete || !back->partitions)
		{
			if (is_row(back, entity))
				add_candidate(back, entity, false);
		}
		else if (partition.data == NULL ||
				 !tmodel_span_equal(partition, entity->partition_key))
		{
			partition = entity->partition_key;
			add_candidate(back, entity, true);
		}
	}
}

/* ---- the search ---- */

/* Asks for keys from "from" on; true: these were all. */
static bool
read_page(itableBack *back, search *s, tmodel_span from, lastPage *page)
{
	tmodel_key_range range = {.has_lower = from.len > 0,.lower = from,
	.has_upper = s->to.len > 0,.upper = s->to};
	itableReader *reader = itable_reader(CurrentMemoryContext, &back->reads,
										 back->counts);
	itableProbe probe = *back->probe;
	itableProbes probes = {.n = 1,.probes = &probe,.first_page = s->size};
	const tmodel_entity *entity;
	bool		complete = false;

	probe.filter = itable_probe_part(back->arena, back->table, back->probe,
									 back->partitions, &range);
	*page = (lastPage)
	{
		.start = from
	};
	itable_reader_start(reader, &probes);
	while (!complete && (entity = itable_reader_next(reader)) != NULL)
	{
		if (page->n == page->room)
		{
			page->room = Max(page->room * 2, 128);
			page->entities = page->entities == NULL ?
				palloc(page->room * sizeof(tmodel_entity *)) :
				repalloc(page->entities, page->room * sizeof(tmodel_entity *));
		}
		page->entities[page->n++] = tmodel_entity_copy(back->arena, entity);
		itable_check_arena(back->arena);
		itable_key_note(&back->shape, key_of(back, entity));
		if (itable_reader_ready(reader) == 0)
			break;
	}
	complete = itable_reader_is_done(reader);
	itable_reader_stop(reader);
	s->size = Min(s->size * 2, back->reads.page_size);
	return complete;
}

/* The next of the known keys to ask at, from the last one down. */
static bool
take_hint(const itableBack *back, search *s, tmodel_span *at)
{
	while (s->hint >= 0)
	{
		tmodel_span hint = tmodel_span_of(strVal(list_nth(back->hints,
														  s->hint)));

		s->hint -= s->hint_step;
		if (s->to.len > 0 && tmodel_utf16_compare(hint, s->to) >= 0)
			continue;
		if (tmodel_utf16_compare(hint, s->from) <= 0)
		{
			s->hint = -1;
			break;
		}
		s->hint_step *= 4;
		*at = hint;
		return true;
	}
	return false;
}

/* The middle one of the known keys that are still in question. */
static bool
middle_hint(const itableBack *back, const search *s, tmodel_span *at)
{
	int			first = -1;
	int			n = 0;

	for (int i = 0; i < list_length(back->hints); i++)
	{
		tmodel_span hint = tmodel_span_of(strVal(list_nth(back->hints, i)));

		if (tmodel_utf16_compare(hint, s->from) <= 0 ||
			(s->to.len > 0 && tmodel_utf16_compare(hint, s->to) >= 0))
			continue;
		if (n++ == 0)
			first = i;
	}
	if (n > 0)
		*at = tmodel_span_of(strVal(list_nth(back->hints, first + n / 2)));
	return n > 0;
}

/*
 * Where to ask next: at known keys; then on from the last one seen, for behind
 * them hardly anything comes; then at cuts.
 */
static tmodel_span
choose(itableBack *back, search *s)
{
	tmodel_span at;

	if (s->learned ? middle_hint(back, s, &at) : take_hint(back, s, &at))
		return at;
	if (s->learned && s->pages_on <= 0 && s->questions < MAX_QUESTIONS &&
		itable_key_climb(back->arena, &back->shape, s->from, s->to, s->step,
						 &at) &&
		tmodel_utf16_compare(at, s->from) > 0)
		return at;
	return s->from;
}

/* The stretch from "start" on is read. */
static void
end_search(itableBack *back, const search *s, tmodel_span start, bool bounded)
{
	back->end = start;
	if (start.len == 0 ||
		(!bounded && tmodel_utf16_compare(start, s->start) <= 0))
		back->done = true;
}

/*
 * Reads the last keys that are not read yet, of those not below the floor (empty:
 * of all).
 */
static void
extend(itableBack *back, tmodel_span floor)
{
	search		s = {.size = FIRST_PAGE,.hint_step = 1};
	bool		bounded = floor.len > 0;

	s.start = bounded ? floor : back->domain.has_lower ? back->domain.lower :
		TMODEL_SPAN("");
	s.from = s.start;
	s.to = back->end.len > 0 ? back->end : back->domain.has_upper ?
		back->domain.upper : TMODEL_SPAN("");
	s.hint = list_length(back->hints) - 1;
	s.pages_on = s.hint >= 0 ? PAGES_ON : 0;
	for (;;)
	{
		tmodel_span at = choose(back, &s);
		bool		forward = tmodel_span_equal(at, s.from);
		lastPage	page;
		bool		complete = read_page(back, &s, at, &page);

		s.questions++;
		if (complete && (page.n > 0 || forward))
		{
			/* the page before it is the last one, if this is empty */
			add_page(back, page.n > 0 ? &page : &s.page, page.n > 0);
			end_search(back, &s, page.n > 0 || s.page.n == 0 ? at :
					   s.page.start, bounded);
			return;
		}
		if (complete)
		{
			s.to = at;
			s.step = 0;
			continue;
		}
		s.learned = true;
		s.step++;
		/* what is left of a partition is passed over by asking behind it */
		s.pages_on = forward ? s.pages_on - 1 : Max(s.pages_on,
													back->partitions);
		s.page = page;
		s.from = itable_key_behind(back->arena,
								   key_of(back, page.entities[page.n - 1]));
	}
}

/* ---- rows ---- */

void
itable_back_start(itableBack *back, const itableProbes *probes)
{
	MemoryContext old;
	const tmodel_entity *own;

	itable_back_stop(back);
	back->run_context = AllocSetContextCreate(back->context,
											  "itable_fdw last keys",
											  ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(back->run_context);
	back->arena = itable_arena(back->run_context);
	back->heap = pairingheap_allocate(compare_candidates, NULL);
	back->probe = probes->n > 0 ? &probes->probes[0] : NULL;
	back->done = back->probe == NULL;
	back->end = (tmodel_span) {NULL, 0};
	back->stream = NULL;
	memset(&back->shape, 0, sizeof(back->shape));
	tmodel_key_range_all(&back->domain);
	if (back->probe != NULL)
		back->domain = back->partitions ? back->probe->partitions :
			back->probe->rows;
	itable_overlay_rewind(&back->overlay);
	while ((own = itable_overlay_next(&back->overlay)) != NULL)
	{
		if (!back->partitions &&
			(back->probe == NULL ||
			 !tmodel_span_equal(own->partition_key,
								back->probe->partition_key)))
			continue;
		own = tmodel_entity_copy(back->arena, own);
		itable_check_arena(back->arena);
		add_candidate(back, own, false);
	}
	MemoryContextSwitchTo(old);
}

/* All rows of a partition, in no order that counts. */
static void
begin_partition(itableBack *back, tmodel_span partition)
{
	tmodel_key_range rows = back->probe->rows;

	back->stream_probe = *back->probe;
	back->stream_probe.partition_key = partition;
	back->stream_probe.filter = itable_probe_part(back->arena, back->table,
												  &back->stream_probe, false,
												  &rows);
	back->stream_probes = (itableProbes)
	{
		.n = 1,.probes = &back->stream_probe,.first_page = 1
	};
	back->stream = itable_reader(back->run_context, &back->reads,
								 back->counts);
	itable_reader_start(back->stream, &back->stream_probes);
}

/* The next row of the partition whose turn it is; NULL: it has no more. */
static const tmodel_entity *
next_of_partition(itableBack *back)
{
	const tmodel_entity *entity;

	if (back->stream == NULL)
		return NULL;
	while ((entity = itable_reader_next(back->stream)) != NULL)
		if (is_row(back, entity))
			return entity;
	itable_reader_stop(back->stream);
	back->stream = NULL;
	return NULL;
}

const tmodel_entity *
itable_back_next(itableBack *back)
{
	MemoryContext old = MemoryContextSwitchTo(back->run_context);
	const tmodel_entity *entity;

	while ((entity = next_of_partition(back)) == NULL)
	{
		candidate  *first;

		if (pairingheap_is_empty(back->heap))
		{
			if (back->done)
				break;
			extend(back, TMODEL_SPAN(""));
			continue;
		}
		first = pairingheap_container(candidate, node,
									  pairingheap_first(back->heap));
		if (!is_due(back, first))
		{
			extend(back, first->above.has_lower ? first->above.lower :
				   TMODEL_SPAN(""));
			continue;
		}
		(void) pairingheap_remove_first(back->heap);
		entity = first->entity;
		if (entity != NULL)
			break;
		begin_partition(back, first->partition);
	}
	MemoryContextSwitchTo(old);
	return entity;
}

void
itable_back_stop(itableBack *back)
{
	if (back->run_context == NULL)
		return;
	if (back->stream != NULL)
		itable_reader_stop(back->stream);
	back->stream = NULL;
	MemoryContextDelete(back->run_context);
	back->run_context = NULL;
}
