/*
 * filter_range.c
 *	  Which key ranges can hold matches of a filter?
 *
 * A node yields boxes, each a range of PartitionKeys times a range of
 * RowKeys; AND intersects, OR unites.  Boxes become ranges of (pk, rk), where
 * a box over many partitions ignores its RowKeys.  The result may be too
 * wide, never too narrow: rows are filtered again.
 * Every bound is half-open: the successor of a key is the key and a NUL.
 */
#include "filter.h"

#include <stdlib.h>

/* Above this many boxes an exact answer is not worth its time. */
#define MAX_BOXES 4096

/* [lo, hi), hi open-ended when no_hi */
typedef struct Bound
{
	Span		lo;
	Span		hi;
	bool		no_hi;
} Bound;

typedef struct Box
{
	Bound		pk;
	Bound		rk;
} Box;

typedef struct Boxes
{
	Box		   *box;
	int			n;
} Boxes;

static const Bound everything = {{"", 0}, {"", 0}, true};

static Span
successor(Arena *a, Span key)
{
	return (Span) {arena_strdup(a, key), key.n + 1};
}

static Boxes
one_box(Arena *a, Bound pk, Bound rk)
{
	Boxes		b = {arena_alloc(a, sizeof(Box)), 1};

	b.box[0] = (Box) {pk, rk};
	return b;
}

static bool
intersect(Bound a, Bound b, Bound *out)
{
	out->lo = span_cmp(a.lo, b.lo) > 0 ? a.lo : b.lo;
	out->no_hi = a.no_hi && b.no_hi;
	if (a.no_hi)
		out->hi = b.hi;
	else if (b.no_hi)
		out->hi = a.hi;
	else
		out->hi = span_cmp(a.hi, b.hi) < 0 ? a.hi : b.hi;
	return out->no_hi || span_cmp(out->lo, out->hi) < 0;
}

static Boxes
boxes_of_comparison(Arena *a, const FilterNode *node)
{
	Span		key = node->literal.bytes;
	Bound		b = everything;

	if (node->slot != SLOT_PK && node->slot != SLOT_RK)
		return one_box(a, everything, everything);
	if (node->literal.type != VT_STRING)
		return (Boxes) {NULL, 0};	/* a key is never a number */
	switch (node->op)
	{
		case CMP_NE:
			break;
		case CMP_EQ:
			b = (Bound) {key, successor(a, key), false};
			break;
		case CMP_GT:
			b.lo = successor(a, key);
			break;
		case CMP_GE:
			b.lo = key;
			break;
		case CMP_LT:
			b.hi = key;
			b.no_hi = false;
			break;
		case CMP_LE:
			b.hi = successor(a, key);
			b.no_hi = false;
			break;
	}
	if (node->slot == SLOT_PK)
		return one_box(a, b, everything);
	return one_box(a, everything, b);
}

static Boxes
boxes_and(Arena *a, Boxes x, Boxes y)
{
	Boxes		out = {NULL, 0};

	if ((int64_t) x.n * y.n > MAX_BOXES)
		return x.n < y.n ? x : y;
	out.box = arena_alloc(a, sizeof(Box) * (size_t) (x.n * y.n + 1));
	for (int i = 0; i < x.n; i++)
	{
		for (int j = 0; j < y.n; j++)
		{
			Box		   *to = &out.box[out.n];

			if (intersect(x.box[i].pk, y.box[j].pk, &to->pk) &&
				intersect(x.box[i].rk, y.box[j].rk, &to->rk))
				out.n++;
		}
	}
	return out;
}

static void collect(Arena *a, const FilterNode *node, Boxes *out, int *cap);

static Boxes
boxes_of(Arena *a, const FilterNode *node)
{
	Boxes		out = {NULL, 0};
	int			cap = 0;

	switch (node->kind)
	{
		case FILTER_AND:
			return boxes_and(a, boxes_of(a, node->left),
							 boxes_of(a, node->right));
		case FILTER_OR:
			collect(a, node, &out, &cap);
			if (out.n > MAX_BOXES)
				return one_box(a, everything, everything);
			return out;
		case FILTER_NOT:
			return one_box(a, everything, everything);
		case FILTER_CMP:
			break;
	}
	return boxes_of_comparison(a, node);
}

/* A chain of ORs in one array, so that long IN lists cost linear time. */
static void
collect(Arena *a, const FilterNode *node, Boxes *out, int *cap)
{
	Boxes		b;

	if (node->kind == FILTER_OR)
	{
		collect(a, node->left, out, cap);
		collect(a, node->right, out, cap);
		return;
	}
	b = boxes_of(a, node);
	if (out->n + b.n > *cap)
	{
		Box		   *box;

		*cap = (out->n + b.n) * 2 + 8;
		box = arena_alloc(a, sizeof(Box) * (size_t) *cap);
		if (out->n)
			memcpy(box, out->box, sizeof(Box) * (size_t) out->n);
		out->box = box;
	}
	if (b.n)
		memcpy(out->box + out->n, b.box, sizeof(Box) * (size_t) b.n);
	out->n += b.n;
}

/* Is the bound one single key? */
static bool
is_point(Bound b)
{
	return !b.no_hi && b.hi.n == b.lo.n + 1 && b.hi.p[b.lo.n] == '\0' &&
		span_starts(b.hi, b.lo);
}

static KeyRange
range_of(const Box *box)
{
	KeyRange	r = {.lo_pk = box->pk.lo,.lo_rk = SPAN(""),.hi_rk = SPAN("")};

	r.hi_pk = box->pk.hi;
	r.no_hi = box->pk.no_hi;
	if (is_point(box->pk))
	{
		r.lo_rk = box->rk.lo;
		if (!box->rk.no_hi)
		{
			r.hi_pk = box->pk.lo;
			r.hi_rk = box->rk.hi;
		}
	}
	return r;
}

static int
compare_keys(Span pk1, Span rk1, Span pk2, Span rk2)
{
	int			c = span_cmp(pk1, pk2);

	return c ? c : span_cmp(rk1, rk2);
}

static int
compare_ranges(const void *x, const void *y)
{
	const KeyRange *a = x;
	const KeyRange *b = y;

	return compare_keys(a->lo_pk, a->lo_rk, b->lo_pk, b->lo_rk);
}

KeyRange *
filter_ranges(Arena *a, const Filter *f, int *nranges)
{
	Boxes		b;
	KeyRange   *r;
	int			n = 0;

	b = f->root ? boxes_of(a, f->root) : one_box(a, everything, everything);
	r = arena_alloc(a, sizeof(KeyRange) * (size_t) (b.n + 1));
	for (int i = 0; i < b.n; i++)
		r[i] = range_of(&b.box[i]);
	qsort(r, (size_t) b.n, sizeof(KeyRange), compare_ranges);
	for (int i = 0; i < b.n; i++)
	{
		KeyRange   *last = n ? &r[n - 1] : NULL;

		if (last && (last->no_hi ||
					 compare_keys(r[i].lo_pk, r[i].lo_rk,
								  last->hi_pk, last->hi_rk) <= 0))
		{
			if (r[i].no_hi ||
				(!last->no_hi && compare_keys(r[i].hi_pk, r[i].hi_rk,
											  last->hi_pk, last->hi_rk) > 0))
			{
				last->no_hi = r[i].no_hi;
				last->hi_pk = r[i].hi_pk;
				last->hi_rk = r[i].hi_rk;
			}
		}
		else
			r[n++] = r[i];
	}
	*nranges = n;
	return r;
}
