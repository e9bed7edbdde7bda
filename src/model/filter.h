/*
 * filter.h
 *	  $filter expressions: built as a tree, printed once, with literals quoted
 *	  in exactly one place.
 *
 * Knows only what the store can evaluate alike everywhere: comparisons of a
 * property with a constant, AND, OR.  NOT is left out on purpose: over a
 * missing property the store and SQL disagree (4-store section 4).
 *
 * plan/ decides what is shippable; this file decides how it reads.
 */
#ifndef TMODEL_FILTER_H
#define TMODEL_FILTER_H

#include "entity.h"

typedef enum tmodel_compare
{
	TMODEL_EQ, TMODEL_NE, TMODEL_LT, TMODEL_LE, TMODEL_GT, TMODEL_GE
} tmodel_compare;

typedef enum tmodel_filter_kind
{
	TMODEL_FILTER_COMPARE, TMODEL_FILTER_AND, TMODEL_FILTER_OR
} tmodel_filter_kind;

typedef struct tmodel_filter tmodel_filter;
struct tmodel_filter
{
	tmodel_filter_kind kind;
	/* COMPARE */
	tmodel_compare op;
	tmodel_span property;
	tmodel_value value;			/* not TMODEL_NULL */
	/* AND, OR: the arguments, linked through next */
	tmodel_filter *args;
	tmodel_filter *next;
};

/* property op value; spans are shared, not copied.  NULL when out of memory. */
extern tmodel_filter *tmodel_filter_compare(tmodel_arena *arena,
											tmodel_span property,
											tmodel_compare op,
											const tmodel_value *value);

/*
 * a AND b, a OR b; flattens; NULL arguments are left out (both: NULL).  The
 * arguments become part of the result: a filter is used in one tree only.
 */
extern tmodel_filter *tmodel_filter_and(tmodel_arena *arena, tmodel_filter *a,
										tmodel_filter *b);
extern tmodel_filter *tmodel_filter_or(tmodel_arena *arena, tmodel_filter *a,
									   tmodel_filter *b);

/* How many comparisons (the service documents a limit of 15). */
extern int	tmodel_filter_size(const tmodel_filter *filter);

/*
 * Appends OData text, not URL-encoded.  Strings with '' doubled, Int64 with L,
 * doubles positionally (Azurite does not read exponents), datetime'..Z',
 * guid'..', X'..'.  False when out of memory or a value has no literal (NaN).
 */
extern bool tmodel_filter_print(tmodel_buf *buf, const tmodel_filter *filter);

/*
 * What the real service would answer for this entity: false for a missing
 * property or a property of another type (an Int32 constant also matches Int64
 * and Double properties).  Keys compare by UTF-16 code units.
 */
extern bool tmodel_filter_matches(const tmodel_filter *filter,
								  const tmodel_entity *entity);

/* Order of the store for keys and strings: UTF-16 code units. */
extern int	tmodel_utf16_compare(tmodel_span a, tmodel_span b);

#endif							/* TMODEL_FILTER_H */
