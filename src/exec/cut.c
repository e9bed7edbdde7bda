/*
 * cut.c
 *	  Where pieces that are being read are cut further.
 *
 * Statistics say where to cut before a scan begins, or there are none; how long
 * pieces really are turns out while they are read.  A probe that has ended
 * leaves a connection idle, so another is cut behind the page that has come
 * last: at a partition key, or, within a partition, at a row key, one that the
 * keys seen so far make likely to lie in the middle.  A cut with nothing behind
 * it costs a request; few of those are allowed.
 *
 * Called by reader.c.  Easy to break: the old probe's filter still asks for the
 * rear part, so its entities are dropped from the cut on, by the store's order;
 * cuts are therefore ASCII, whose place no store can see differently.
 */
#include "postgres.h"

#include "exec/cut.h"
#include "exec/key_cut.h"
#include "model/filter.h"
#include "remote/memory.h"

/* Pages read before the first cut: a small table is read as it is. */
#define FIRST_PAGES 8

/* Pages that must seem left (the next one is on its way already): so many, and
 * one in so many of those read so far. */
#define WORTH_PAGES 3
#define WORTH_SHARE 64

/* A cut costs about a request; those that were in vain count twice more. */
#define PAGES_PER_CUT 4
#define VAIN_SHARE 2

/* The store's limit is 15 comparisons; a piece has at most three. */
#define MAX_COMPARISONS 11

/* About so many entities of a page are looked at for what keys look like. */
#define NOTED 16

typedef struct cutProbe
{
	itableProbe probe;
	itablePiece piece;			/* what it reads, its end where it was cut */
	bool		added;			/* by a cut */
	bool		reading;		/* a page has come, and there are more */
	int			pages;
	double		left;			/* pages, a guess */
	tmodel_buf	first_partition;	/* the first entity's keys */
	tmodel_buf	first_row;
	tmodel_buf	partition;		/* the last one's */
	tmodel_buf	row;
	bool		has_end;		/* entities from these keys on are another's */
	tmodel_span end_partition;
	tmodel_span end_row;
} cutProbe;

struct itableCuts
{
	tmodel_arena *arena;
	itableKeyShape shape[2];	/* of row keys [0] and partition keys [1] */
	int			n;
	int			room;
	cutProbe   *list;
	int			pages;			/* of all probes */
	int			made;			/* cuts */
	int			vain;			/* of these, with nothing behind them */
};

static cutProbe *
add_probe(itableCuts *cuts, const itableProbe *probe)
{
	cutProbe   *added;

	if (cuts->n == cuts->room)
	{
		cuts->room *= 2;
		cuts->list = repalloc(cuts->list, cuts->room * sizeof(cutProbe));
	}
	added = &cuts->list[cuts->n++];
	memset(added, 0, sizeof(*added));
	added->probe = *probe;
	added->piece = probe->piece;
	tmodel_buf_init(&added->first_partition, cuts->arena);
	tmodel_buf_init(&added->first_row, cuts->arena);
	tmodel_buf_init(&added->partition, cuts->arena);
	tmodel_buf_init(&added->row, cuts->arena);
	return added;
}

itableCuts *
itable_cuts(MemoryContext context, const itableProbes *probes)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	itableCuts *cuts = palloc0(sizeof(itableCuts));

	cuts->arena = itable_arena(context);
	cuts->room = probes->n + 16;
	cuts->list = palloc(cuts->room * sizeof(cutProbe));
	for (int i = 0; i < probes->n; i++)
		add_probe(cuts, &probes->probes[i]);
	MemoryContextSwitchTo(old);
	return cuts;
}

int
itable_cuts_n(const itableCuts *cuts)
{
	return cuts->n;
}

const itableProbe *
itable_cuts_probe(const itableCuts *cuts, int i)
{
	return &cuts->list[i].probe;
}

/* Is it one partition, whose piece has bounds of row keys only? */
static bool
is_one(const cutProbe *probe)
{
	return probe->piece.one || probe->probe.partition_key.data != NULL;
}

static void
set_text(tmodel_buf *buf, tmodel_span text)
{
	buf->len = 0;
	tmodel_buf_append(buf, text.data != NULL ? text.data : "", text.len);
	itable_check_arena(buf->arena);
}

/* Where the keys lie; a row key that is NULL is behind its partition. */
static double
place(const itableCuts *cuts, tmodel_span partition, tmodel_span row)
{
	double		unit;
	double		unit_of_row;
	double		result = itable_key_place(&cuts->shape[1], partition, &unit);

	return row.data == NULL ? Min(result + unit, 1) :
		result + unit * itable_key_place(&cuts->shape[0], row, &unit_of_row);
}

static void
note(itableCuts *cuts, const tmodel_entity *entity)
{
	itable_key_note(&cuts->shape[0], entity->row_key);
	itable_key_note(&cuts->shape[1], entity->partition_key);
}

/* How many pages seem left, as dense as those that were read. */
static double
pages_left(const itableCuts *cuts, const cutProbe *probe)
{
	const itablePiece *piece = &probe->piece;
	tmodel_span partition = tmodel_buf_text(&probe->partition);
	double		start = place(cuts, tmodel_buf_text(&probe->first_partition),
							  tmodel_buf_text(&probe->first_row));
	double		at = place(cuts, partition, tmodel_buf_text(&probe->row));
	double		end = 1;

	if (is_one(probe))
		end = place(cuts, partition, piece->row_to.len > 0 ? piece->row_to :
					(tmodel_span) {NULL, 0});
	else if (piece->partition_to.len > 0)
		end = place(cuts, piece->partition_to, TMODEL_SPAN(""));
	return at <= start ? probe->pages :
		probe->pages * (end - at) / (at - start);
}

void
itable_cuts_take(itableCuts *cuts, int i, const tstore_reply *page)
{
	cutProbe   *probe = &cuts->list[i];
	int			step = Max(page->nentities / NOTED, 1);
	const tmodel_entity *last;

	cuts->pages++;
	if (page->nentities == 0)
	{
		cuts->vain += probe->added && probe->pages == 0 && !page->has_more;
		probe->reading = false;
		return;
	}
	for (int j = 0; j < page->nentities; j += step)
		note(cuts, &page->entities[j]);
	last = &page->entities[page->nentities - 1];
	note(cuts, last);
	if (probe->pages++ == 0)
	{
		set_text(&probe->first_partition, page->entities[0].partition_key);
		set_text(&probe->first_row, page->entities[0].row_key);
	}
	set_text(&probe->partition, last->partition_key);
	set_text(&probe->row, last->row_key);
	probe->reading = page->has_more && !itable_cuts_is_beyond(cuts, i, last);
	probe->left = pages_left(cuts, probe);
}

/* Services misread '%' in constants. */
static bool
is_plain(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((signed char) text.data[i] < ' ' || text.data[i] == '%')
			return false;
	return true;
}

/* A key to cut at, behind what was read and before the end. */
static bool
find_key(itableCuts *cuts, bool partition, tmodel_span from, tmodel_span to,
		 tmodel_span *key)
{
	return itable_key_guess(cuts->arena, &cuts->shape[partition], from, to,
							key) &&
		is_plain(*key) && tmodel_utf16_compare(from, *key) < 0 &&
		(to.len == 0 || tmodel_utf16_compare(*key, to) < 0);
}

/* Asks for the entities of "like" that lie in a piece. */
static void
add_piece(itableCuts *cuts, const itableProbe *like, const itablePiece *piece)
{
	itableProbe probe = *like;

	probe.piece = *piece;
	probe.filter = itable_piece_filter(cuts->arena, piece, like->rest);
	add_probe(cuts, &probe)->added = true;
}

/* Cuts between partitions; false: no key to cut at is known. */
static bool
cut_partitions(itableCuts *cuts, int i)
{
	cutProbe   *probe = &cuts->list[i];
	itablePiece rear = {0};
	tmodel_span key;

	if (!find_key(cuts, true, tmodel_buf_text(&probe->partition),
				  probe->piece.partition_to, &key))
		return false;
	rear.partition_from = key;
	rear.partition_to = probe->piece.partition_to;
	probe->piece.partition_to = key;
	probe->has_end = true;
	probe->end_partition = key;
	probe->end_row = TMODEL_SPAN("");
	add_piece(cuts, &probe->probe, &rear);
	return true;
}

/* Cuts the partition that is read; those behind it are another piece. */
static bool
cut_rows(itableCuts *cuts, int i)
{
	cutProbe   *probe = &cuts->list[i];
	itableProbe like = probe->probe;
	bool		one = is_one(probe);
	tmodel_span partition = tmodel_buf_text(&probe->partition);
	itablePiece others = {.after = true,
	.partition_to = probe->piece.partition_to};
	itablePiece rear;
	tmodel_span key;

	if ((!one && (!is_plain(partition) || partition.len == 0)) ||
		!find_key(cuts, false, tmodel_buf_text(&probe->row),
				  one ? probe->piece.row_to : TMODEL_SPAN(""), &key))
		return false;
	partition = tmodel_span_copy(cuts->arena, partition);
	itable_check_arena(cuts->arena);
	if (!one)
		probe->piece = (itablePiece) {.one = true,.partition = partition};
	rear = probe->piece;
	rear.row_from = key;
	probe->piece.row_to = key;
	probe->has_end = true;
	probe->end_partition = partition;
	probe->end_row = key;
	add_piece(cuts, &like, &rear);
	others.partition_from = partition;
	if (!one)
		add_piece(cuts, &like, &others);
	return true;
}

static bool
cut(itableCuts *cuts, int i)
{
	return (!is_one(&cuts->list[i]) && cut_partitions(cuts, i)) ||
		cut_rows(cuts, i);
}

bool
itable_cuts_make(itableCuts *cuts)
{
	int			worth;

	if (cuts->pages < FIRST_PAGES ||
		cuts->made + VAIN_SHARE * cuts->vain >= cuts->pages / PAGES_PER_CUT)
		return false;
	worth = Max(WORTH_PAGES, cuts->pages / WORTH_SHARE);
	for (;;)
	{
		int			most = -1;

		for (int i = 0; i < cuts->n; i++)
			if (cuts->list[i].reading && cuts->list[i].left >= worth &&
				cuts->list[i].probe.ncomparisons <= MAX_COMPARISONS &&
				(most < 0 || cuts->list[i].left > cuts->list[most].left))
				most = i;
		if (most < 0)
			return false;
		if (cut(cuts, most))
		{
			cuts->list[most].left = pages_left(cuts, &cuts->list[most]);
			cuts->made++;
			return true;
		}
		/* not before its next page */
		cuts->list[most].left = 0;
	}
}

bool
itable_cuts_is_beyond(const itableCuts *cuts, int i,
					  const tmodel_entity *entity)
{
	const cutProbe *probe = &cuts->list[i];
	int			cmp;

	if (!probe->has_end)
		return false;
	cmp = tmodel_utf16_compare(entity->partition_key, probe->end_partition);
	return cmp > 0 ||
		(cmp == 0 &&
		 tmodel_utf16_compare(entity->row_key, probe->end_row) >= 0);
}
