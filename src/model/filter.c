/*
 * filter.c
 *	  $filter trees: building, printing with quoted literals, evaluating.
 *
 * Does not decide what may be shipped (plan/shippable) and does not URL-encode
 * (store/request).  Called by plan/, txn/overlay, key.c and the tests, which
 * compare tmodel_filter_matches with the mock's own evaluator.
 *
 * Easy to break: combining takes its arguments over, so a filter must not be
 * part of two trees; and a literal's type decides which properties it matches.
 */
#include "filter.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const op_names[] = {
	[TMODEL_EQ] = "eq", [TMODEL_NE] = "ne", [TMODEL_LT] = "lt",
	[TMODEL_LE] = "le", [TMODEL_GT] = "gt", [TMODEL_GE] = "ge"
};

/* One comparison. */
tmodel_filter *
tmodel_filter_compare(tmodel_arena *arena, tmodel_span property,
					  tmodel_compare op, const tmodel_value *value)
{
	tmodel_filter *filter = tmodel_alloc(arena, sizeof(tmodel_filter));

	if (filter == NULL)
		return NULL;
	filter->kind = TMODEL_FILTER_COMPARE;
	filter->op = op;
	filter->property = property;
	filter->value = *value;
	return filter;
}

/* The last of a list that is not empty. */
static tmodel_filter *
last_of(tmodel_filter *filter)
{
	while (filter->next != NULL)
		filter = filter->next;
	return filter;
}

/*
 * Joins two filters under "kind", in order.  An argument of the same kind
 * lends its node: its list grows, so that long chains stay flat and cheap.
 */
static tmodel_filter *
combine(tmodel_arena *arena, tmodel_filter_kind kind, tmodel_filter *a,
		tmodel_filter *b)
{
	tmodel_filter *filter;

	if (a == NULL || b == NULL)
		return a != NULL ? a : b;
	if (a->kind == kind)
	{
		last_of(a->args)->next = b->kind == kind ? b->args : b;
		return a;
	}
	if (b->kind == kind)
	{
		a->next = b->args;
		b->args = a;
		return b;
	}
	filter = tmodel_alloc(arena, sizeof(tmodel_filter));
	if (filter == NULL)
		return NULL;
	filter->kind = kind;
	filter->args = a;
	a->next = b;
	return filter;
}

/* Both must hold. */
tmodel_filter *
tmodel_filter_and(tmodel_arena *arena, tmodel_filter *a, tmodel_filter *b)
{
	return combine(arena, TMODEL_FILTER_AND, a, b);
}

/* One must hold.  NULL stands for no argument here, not for "all rows". */
tmodel_filter *
tmodel_filter_or(tmodel_arena *arena, tmodel_filter *a, tmodel_filter *b)
{
	return combine(arena, TMODEL_FILTER_OR, a, b);
}

/* Comparisons in the tree. */
int
tmodel_filter_size(const tmodel_filter *filter)
{
	int			size = 0;

	if (filter == NULL)
		return 0;
	if (filter->kind == TMODEL_FILTER_COMPARE)
		return 1;
	for (const tmodel_filter *arg = filter->args; arg != NULL; arg = arg->next)
		size += tmodel_filter_size(arg);
	return size;
}

/* 'text' with its quotes doubled. */
static bool
print_string(tmodel_buf *buf, tmodel_span text)
{
	size_t		start = 0;

	if (!tmodel_buf_putc(buf, '\''))
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		if (text.data[i] != '\'')
			continue;
		/* up to and with the quote, which then opens the next stretch */
		if (!tmodel_buf_append(buf, text.data + start, i + 1 - start))
			return false;
		start = i;
	}
	return tmodel_buf_append(buf, text.len > 0 ? text.data + start : "",
							 text.len - start) &&
		tmodel_buf_putc(buf, '\'');
}

/* Appends "count" zeros. */
static bool
print_zeros(tmodel_buf *buf, int count)
{
	while (count-- > 0)
	{
		if (!tmodel_buf_putc(buf, '0'))
			return false;
	}
	return true;
}

/*
 * The fewest digits that read back equal, as d.ddde+NN; the caller moves the
 * point.  Below the normal range fewer than 15 digits may do.
 */
static void
shortest_digits(double number, char *text, size_t size)
{
	for (int digits = number < DBL_MIN ? 1 : 15; digits <= 17; digits++)
	{
		snprintf(text, size, "%.*e", digits - 1, number);
		if (strtod(text, NULL) == number)
			break;
	}
}

/* All digits before and after the point, and always a point: 1e3 -> 1000.0 */
static bool
print_double(tmodel_buf *buf, double number)
{
	char		text[40];
	char		digits[24];
	int			ndigits = 0;
	int			whole;
	const char *at = text;

	if (!isfinite(number))
		return false;
	if (signbit(number) && !tmodel_buf_putc(buf, '-'))
		return false;
	shortest_digits(fabs(number), text, sizeof(text));
	for (; *at != 'e'; at++)
	{
		if (*at != '.')
			digits[ndigits++] = *at;
	}
	/* digits before the point; zero or less when the number is below 1 */
	whole = (int) strtol(at + 1, NULL, 10) + 1;
	while (ndigits > 1 && digits[ndigits - 1] == '0')
		ndigits--;
	if (whole <= 0)
		return tmodel_buf_puts(buf, "0.") &&
			print_zeros(buf, -whole) &&
			tmodel_buf_append(buf, digits, (size_t) ndigits);
	if (whole >= ndigits)
		return tmodel_buf_append(buf, digits, (size_t) ndigits) &&
			print_zeros(buf, whole - ndigits) &&
			tmodel_buf_puts(buf, ".0");
	return tmodel_buf_append(buf, digits, (size_t) whole) &&
		tmodel_buf_putc(buf, '.') &&
		tmodel_buf_append(buf, digits + whole, (size_t) (ndigits - whole));
}

/* X'00ff' */
static bool
print_binary(tmodel_buf *buf, tmodel_span bytes)
{
	if (!tmodel_buf_puts(buf, "X'"))
		return false;
	for (size_t i = 0; i < bytes.len; i++)
	{
		if (!tmodel_buf_printf(buf, "%02x", (unsigned char) bytes.data[i]))
			return false;
	}
	return tmodel_buf_putc(buf, '\'');
}

/* A literal; false for values that have none. */
static bool
print_literal(tmodel_buf *buf, const tmodel_value *value)
{
	switch (value->type)
	{
		case TMODEL_NULL:
			return false;
		case TMODEL_STRING:
			return print_string(buf, value->u.bytes);
		case TMODEL_INT32:
		case TMODEL_BOOLEAN:
			return tmodel_value_print(buf, value);
		case TMODEL_INT64:
			return tmodel_value_print(buf, value) && tmodel_buf_putc(buf, 'L');
		case TMODEL_DOUBLE:
			return print_double(buf, value->u.number);
		case TMODEL_DATETIME:
			return tmodel_buf_puts(buf, "datetime'") &&
				tmodel_value_print(buf, value) && tmodel_buf_putc(buf, '\'');
		case TMODEL_GUID:
			return tmodel_buf_puts(buf, "guid'") &&
				tmodel_value_print(buf, value) && tmodel_buf_putc(buf, '\'');
		case TMODEL_BINARY:
			return print_binary(buf, value->u.bytes);
	}
	return false;
}

/*
 * Prints a tree.  Every group inside another one is parenthesised, so that no
 * reader needs to know precedences.
 */
static bool
print_tree(tmodel_buf *buf, const tmodel_filter *filter, bool nested)
{
	const char *between = filter->kind == TMODEL_FILTER_AND ? " and " : " or ";

	if (filter->kind == TMODEL_FILTER_COMPARE)
		return tmodel_buf_span(buf, filter->property) &&
			tmodel_buf_putc(buf, ' ') &&
			tmodel_buf_puts(buf, op_names[filter->op]) &&
			tmodel_buf_putc(buf, ' ') &&
			print_literal(buf, &filter->value);
	if (nested && !tmodel_buf_putc(buf, '('))
		return false;
	for (const tmodel_filter *arg = filter->args; arg != NULL; arg = arg->next)
	{
		if (arg != filter->args && !tmodel_buf_puts(buf, between))
			return false;
		if (!print_tree(buf, arg, true))
			return false;
	}
	return !nested || tmodel_buf_putc(buf, ')');
}

/* Appends the expression; nothing for NULL (all rows). */
bool
tmodel_filter_print(tmodel_buf *buf, const tmodel_filter *filter)
{
	return filter == NULL || print_tree(buf, filter, false);
}

/* Whether the sign of a three-way comparison satisfies the operator. */
static bool
satisfies(tmodel_compare op, int cmp)
{
	switch (op)
	{
		case TMODEL_EQ:
			return cmp == 0;
		case TMODEL_NE:
			return cmp != 0;
		case TMODEL_LT:
			return cmp < 0;
		case TMODEL_LE:
			return cmp <= 0;
		case TMODEL_GT:
			return cmp > 0;
		case TMODEL_GE:
			return cmp >= 0;
	}
	return false;
}

/* Doubles compare as IEEE says: with NaN only "ne" holds. */
static bool
satisfies_double(tmodel_compare op, double a, double b)
{
	if (isnan(a) || isnan(b))
		return op == TMODEL_NE;
	return satisfies(op, (a > b) - (a < b));
}

/* Three-way comparison of two numbers. */
static int
compare_int64(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Does "found op wanted" hold, wanted being the constant? */
static bool
compare_values(tmodel_compare op, const tmodel_value *found,
			   const tmodel_value *wanted)
{
	if (wanted->type == TMODEL_INT32)
	{
		if (found->type == TMODEL_DOUBLE)
			return satisfies_double(op, found->u.number, wanted->u.int32);
		if (found->type == TMODEL_INT64)
			return satisfies(op, compare_int64(found->u.int64,
											   wanted->u.int32));
	}
	if (found->type != wanted->type)
		return false;
	switch (found->type)
	{
		case TMODEL_NULL:
			return false;
		case TMODEL_STRING:
			return satisfies(op, tmodel_utf16_compare(found->u.bytes,
													  wanted->u.bytes));
		case TMODEL_INT32:
			return satisfies(op, compare_int64(found->u.int32,
											   wanted->u.int32));
		case TMODEL_INT64:
			return satisfies(op, compare_int64(found->u.int64,
											   wanted->u.int64));
		case TMODEL_DOUBLE:
			return satisfies_double(op, found->u.number, wanted->u.number);
		case TMODEL_BOOLEAN:
			return satisfies(op, (int) found->u.boolean -
							 (int) wanted->u.boolean);
		case TMODEL_DATETIME:
			return satisfies(op, compare_int64(found->u.ticks,
											   wanted->u.ticks));
		case TMODEL_GUID:
			return satisfies(op, memcmp(found->u.guid, wanted->u.guid,
										sizeof(found->u.guid)));
		case TMODEL_BINARY:
			return satisfies(op, tmodel_span_compare(found->u.bytes,
													 wanted->u.bytes));
	}
	return false;
}

/* One comparison against an entity; the system properties are values too. */
static bool
compare_matches(const tmodel_filter *filter, const tmodel_entity *entity)
{
	const tmodel_value *found;
	tmodel_value system;

	if (tmodel_span_equal(filter->property, TMODEL_SPAN("PartitionKey")))
		system = tmodel_string(entity->partition_key);
	else if (tmodel_span_equal(filter->property, TMODEL_SPAN("RowKey")))
		system = tmodel_string(entity->row_key);
	else if (tmodel_span_equal(filter->property, TMODEL_SPAN("Timestamp")))
	{
		if (entity->timestamp < 0)
			return false;
		system = tmodel_datetime(entity->timestamp);
	}
	else
	{
		found = tmodel_entity_get(entity, filter->property);
		return found != NULL &&
			compare_values(filter->op, found, &filter->value);
	}
	return compare_values(filter->op, &system, &filter->value);
}

/* Would the store return the entity?  NULL matches everything. */
bool
tmodel_filter_matches(const tmodel_filter *filter, const tmodel_entity *entity)
{
	bool		all;

	if (filter == NULL)
		return true;
	if (filter->kind == TMODEL_FILTER_COMPARE)
		return compare_matches(filter, entity);
	all = filter->kind == TMODEL_FILTER_AND;
	for (const tmodel_filter *arg = filter->args; arg != NULL; arg = arg->next)
	{
		if (tmodel_filter_matches(arg, entity) != all)
			return !all;
	}
	return all;
}
