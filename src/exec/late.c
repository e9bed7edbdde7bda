/*
 * late.c
 *	  Which part of a probe must be read out of turn, and how it is asked for.
 *
 * model/key_order.c says which keys are late behind a key; here they become
 * stretches behind the point up to which a source has read, within what it
 * reads, and probes.  Several stretches of one partition are one query.  Called
 * by merge.c.  Easy to break: stretches of one source must not overlap, or rows
 * would come twice.
 */
#include "postgres.h"

#include "exec/late.h"
#include "exec/merge.h"
#include "model/key_order.h"
#include "model/section.h"
#include "remote/memory.h"

/* More stretches than a key has of them. */
#define MAX_LATE 512

/* The service documents 15 comparisons in a filter (4-store). */
#define MAX_COMPARISONS 15

/* What a search works with. */
typedef struct lateSearch
{
	tmodel_arena *arena;
	const itableTable *asked;
	const itableOrder *order;
	const itableProbe *probe;
	itableDomain *domain;
	const tmodel_entity *last;
	const tmodel_entity *read_last;
	tmodel_span before;			/* image of the parts before those searched */
	List	   *found;			/* lateStretch */
} lateSearch;

typedef struct lateStretch
{
	itableStretch stretch;
	tmodel_span floor;
} lateStretch;

/* The keys in both; false when there are none. */
static bool
common_keys(const tmodel_key_range *a, const tmodel_key_range *b,
			tmodel_key_range *common)
{
	*common = *a;
	if (b->has_lower && (!a->has_lower ||
						 tmodel_utf16_compare(b->lower, a->lower) > 0))
	{
		common->has_lower = true;
		common->lower = b->lower;
	}
	if (b->has_upper && (!a->has_upper ||
						 tmodel_utf16_compare(b->upper, a->upper) < 0))
	{
		common->has_upper = true;
		common->upper = b->upper;
	}
	common->empty = a->empty || b->empty ||
		(common->has_lower && common->has_upper &&
		 tmodel_utf16_compare(common->lower, common->upper) >= 0);
	return !common->empty;
}

/* What both stretches hold; false: nothing. */
static bool
common_stretch(const itableStretch *a, const itableStretch *b,
			   itableStretch *common)
{
	tmodel_key_range rows;

	if (a->partition.data == NULL && b->partition.data != NULL)
		return common_stretch(b, a, common);
	*common = *a;
	if (!common_keys(&a->rows, &b->rows, &rows))
		return false;
	common->rows = rows;
	if (a->partition.data == NULL)
		return common_keys(&a->partitions, &b->partitions, &common->partitions);
	return b->partition.data != NULL ?
		tmodel_span_equal(a->partition, b->partition) :
		tmodel_key_in_range(a->partition, &b->partitions);
}

bool
itable_is_given(const itableDomain *domain, const tmodel_entity *entity)
{
	ListCell   *cell;

	foreach(cell, domain->given)
	{
		const itableStretch *stretch = lfirst(cell);

		if (tmodel_key_in_range(entity->row_key, &stretch->rows) &&
			(stretch->partition.data != NULL ?
			 tmodel_span_equal(stretch->partition, entity->partition_key) :
			 tmodel_key_in_range(entity->partition_key, &stretch->partitions)))
			return true;
	}
	return false;
}

/* Is it given away already, or about to be? */
static bool
is_taken(const lateSearch *search, const itableStretch *stretch)
{
	itableStretch common;
	ListCell   *cell;

	foreach(cell, search->domain->given)
		if (common_stretch(stretch, lfirst(cell), &common))
			return true;
	foreach(cell, search->found)
		if (common_stretch(stretch, &((lateStretch *) lfirst(cell))->stretch,
						   &common))
			return true;
	return false;
}

/* The image of the parts before those searched, and then "floor". */
static tmodel_span
floor_behind(lateSearch *search, tmodel_span floor)
{
	tmodel_buf	image;

	tmodel_buf_init(&image, search->arena);
	tmodel_buf_span(&image, search->before);
	tmodel_buf_span(&image, floor);
	itable_check_arena(search->arena);
	return tmodel_buf_text(&image);
}

/* Adds what of the stretch the source reads. */
static void
add_stretch(lateSearch *search, const itableStretch *stretch,
			tmodel_span floor)
{
	itableStretch all = {.partition = search->probe->partition_key,
	.partitions = search->probe->partitions,.rows = search->probe->rows};
	List	   *only = search->domain->only;
	ListCell   *cell;

	if (only == NIL)
		only = list_make1(&all);
	foreach(cell, only)
	{
		lateStretch *late = palloc0(sizeof(lateStretch));

		if (!common_stretch(stretch, lfirst(cell), &late->stretch) ||
			is_taken(search, &late->stretch))
			continue;
		late->floor = floor_behind(search, floor);
		search->found = lappend(search->found, late);
	}
}

/* Late rows of the partition that was read last, behind the last one. */
static void
add_rows(lateSearch *search, const tmodel_key_late *late)
{
	tmodel_key_range behind = {.has_lower = true};
	itableStretch stretch = {{NULL, 0}};

	/* the stretch outlives the page */
	stretch.partition = tmodel_span_copy(search->arena,
										 search->read_last->partition_key);
	behind.lower = itable_key_behind(search->arena,
									 search->read_last->row_key);
	if (common_keys(&late->range, &behind, &stretch.rows))
		add_stretch(search, &stretch, late->floor);
}

/* Late partitions; of the one that was read last, what is behind the last row. */
static void
add_partitions(lateSearch *search, const tmodel_key_late *late)
{
	const tmodel_entity *read_last = search->read_last;
	tmodel_key_range behind = {.has_lower = true};
	itableStretch stretch = {{NULL, 0}};
	tmodel_key_late rest = {.floor = late->floor};

	behind.lower = itable_key_behind(search->arena, read_last->partition_key);
	if (common_keys(&late->range, &behind, &stretch.partitions))
		add_stretch(search, &stretch, late->floor);
	if (tmodel_key_in_range(read_last->partition_key, &late->range))
		add_rows(search, &rest);
}

/* Late keys of one of the two keys of the last row. */
static void
search_key(lateSearch *search, bool partition)
{
	const itableTable *asked = search->asked;
	tmodel_span section = partition ? TMODEL_SPAN("") : asked->section;
	tmodel_span key = partition ? search->last->partition_key :
	tmodel_section_strip(section, search->last->row_key);
	int			offset = partition ? 0 : asked->npartition_parts;
	int			n = partition ? asked->npartition_parts : asked->nrow;
	int			first = Max(search->order->first, search->order->fixed) - offset;
	tmodel_key_late *late = palloc(sizeof(tmodel_key_late) * MAX_LATE);
	int			nlate;
	itableOrder before = *search->order;
	tmodel_buf	image;

	before.last = offset + Max(first, 0);
	tmodel_buf_init(&image, search->arena);
	tmodel_buf_append(&image, "", 0);
	itable_append_image(&image, asked, &before, search->last);
	search->before = tmodel_buf_text(&image);
	nlate = tmodel_key_late_keys(search->arena, asked->encoding, n,
								 partition ? asked->partition_types :
								 asked->row_types, Max(first, 0),
								 Min(search->order->last - offset, n),
								 itable_is_index(asked) ? (int) section.len : -1,
								 key, MAX_LATE, late);
	itable_check_arena(search->arena);
	if (nlate < 0 || nlate > MAX_LATE)
		elog(ERROR, "key \"%s\" cannot be put in order", itable_cstring(key));
	for (int i = 0; i < nlate; i++)
	{
		/* a section's name is ASCII */
		(void) tmodel_section_range(search->arena, section, &late[i].range);
		if (partition)
			add_partitions(search, &late[i]);
		else
			add_rows(search, &late[i]);
	}
	itable_check_arena(search->arena);
	pfree(late);
}

/* The stretch as a filter; its one partition is named elsewhere. */
static tmodel_filter *
stretch_filter(tmodel_arena *arena, const itableStretch *stretch)
{
	tmodel_filter *rows = tmodel_key_range_filter(arena, TMODEL_SPAN("RowKey"),
												  &stretch->rows);

	if (stretch->partition.data != NULL)
		return rows;
	return tmodel_filter_and(arena, tmodel_key_range_filter(arena,
															TMODEL_SPAN("PartitionKey"),
															&stretch->partitions),
							 rows);
}

/* Prints the part's filter: its stretches, and what the probe asks for. */
static void
finish_part(lateSearch *search, itableLatePart *part, tmodel_filter *stretches)
{
	const itableStretch *first = linitial(part->domain.only);
	tmodel_filter *filter = NULL;
	tmodel_buf	text;

	part->probe = *search->probe;
	part->probe.partition_key = first->partition;
	part->probe.partitions = first->partitions;
	part->probe.rows = first->rows;
	if (first->partition.data != NULL)
	{
		tmodel_value value = tmodel_string(first->partition);

		filter = tmodel_filter_compare(search->arena,
									   TMODEL_SPAN("PartitionKey"), TMODEL_EQ,
									   &value);
	}
	filter = tmodel_filter_and(search->arena, filter, stretches);
	tmodel_buf_init(&text, search->arena);
	if (filter != NULL)
		tmodel_filter_print(&text, filter);
	if (search->probe->properties.len > 0)
	{
		tmodel_buf_puts(&text, filter != NULL ? " and (" : "(");
		tmodel_buf_span(&text, search->probe->properties);
		tmodel_buf_putc(&text, ')');
	}
	itable_check_arena(search->arena);
	part->probe.filter = tmodel_buf_text(&text);
}

/* Stretches of one partition share a query, as many as its filter may name. */
static void
make_parts(lateSearch *search, itableLate *late)
{
	itableLatePart *part = NULL;
	tmodel_filter *stretches = NULL;
	int			room = 0;
	ListCell   *cell;

	late->parts = palloc0(sizeof(itableLatePart) *
						  (list_length(search->found) + 1));
	foreach(cell, search->found)
	{
		lateStretch *found = lfirst(cell);

		if (part == NULL || room < 2 || found->stretch.partition.data == NULL ||
			((itableStretch *) linitial(part->domain.only))->partition.data == NULL)
		{
			if (part != NULL)
				finish_part(search, part, stretches);
			part = &late->parts[late->n++];
			part->floor = found->floor;
			stretches = NULL;
			room = MAX_COMPARISONS - 1 - search->probe->ncomparisons;
		}
		room -= 2;
		if (tmodel_span_compare(found->floor, part->floor) < 0)
			part->floor = found->floor;
		part->domain.only = lappend(part->domain.only, &found->stretch);
		stretches = tmodel_filter_or(search->arena, stretches,
									 stretch_filter(search->arena,
													&found->stretch));
		search->domain->given = lappend(search->domain->given,
										&found->stretch);
	}
	if (part != NULL)
		finish_part(search, part, stretches);
}

/* Forgets what was given away and lies behind. */
static void
forget_passed(itableDomain *domain, const tmodel_entity *read_last)
{
	ListCell   *cell;

	foreach(cell, domain->given)
	{
		const itableStretch *stretch = lfirst(cell);
		bool		one = stretch->partition.data != NULL;
		const tmodel_key_range *range = one ? &stretch->rows :
		&stretch->partitions;
		tmodel_span key = one ? read_last->row_key : read_last->partition_key;
		int			cmp = !one ? 0 :
		tmodel_utf16_compare(stretch->partition, read_last->partition_key);

		if (cmp < 0 || (cmp == 0 && range->has_upper &&
						tmodel_utf16_compare(range->upper, key) <= 0))
			domain->given = foreach_delete_current(domain->given, cell);
	}
}

void
itable_find_late(MemoryContext context, const itableTable *asked,
				 const itableOrder *order, const itableProbe *probe,
				 itableDomain *domain, const tmodel_entity *last,
				 const tmodel_entity *read_last, itableLate *late)
{
	lateSearch	search = {.asked = asked,.order = order,.probe = probe,
	.domain = domain,.last = last,.read_last = read_last};
	MemoryContext old = MemoryContextSwitchTo(context);

	memset(late, 0, sizeof(*late));
	forget_passed(domain, read_last);
	search.arena = itable_arena(context);
	if (Max(order->first, order->fixed) < asked->npartition_parts)
		search_key(&search, true);
	if (order->last > asked->npartition_parts &&
		tmodel_span_equal(last->partition_key, read_last->partition_key))
		search_key(&search, false);
	make_parts(&search, late);
	if (late->n == 0)
		tmodel_arena_reset(search.arena);
	MemoryContextSwitchTo(old);
}
