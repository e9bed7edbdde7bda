/*
 * probe_filter.c
 *	  Comparisons on properties with their constants.
 *
 * Every comparison here is at least as wide as the SQL clause, for the real
 * service and for Azurite: DateTime compares in whole units of the column's
 * type and never with lt or gt alone (Azurite compares milliseconds), integers
 * outside the property's type and NaN do not narrow.  Called by probe.c.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"

#include "exec/constant.h"
#include "exec/probe_filter.h"
#include "model/text_range.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "table/array.h"

/* Filters travel in the URL, whose length servers limit. */
#define MAX_FILTER_LENGTH 2000

/* 100 ns units that the column's type cannot tell apart */
#define TICKS_PER_MICROSECOND 10
#define TICKS_PER_DAY INT64CONST(864000000000)

typedef enum narrowing
{
	NARROWS,					/* by *result */
	NARROWS_NOT,
	MATCHES_NOTHING
} narrowing;

static narrowing
compare(tmodel_arena *arena, const itableColumn *column, tmodel_compare op,
		const tmodel_value *value, tmodel_filter **result)
{
	*result = tmodel_filter_compare(arena, column->kind == ITABLE_TIMESTAMP ?
									TMODEL_SPAN("Timestamp") :
									column->property, op, value);
	itable_check_arena(arena);
	return NARROWS;
}

/* A filter that was made, or none that narrows. */
static narrowing
made(tmodel_arena *arena, tmodel_filter *filter, tmodel_filter **result)
{
	itable_check_arena(arena);
	*result = filter;
	return filter != NULL ? NARROWS : NARROWS_NOT;
}

/* ge from and le to; either may be left out */
static narrowing
between(tmodel_arena *arena, const itableColumn *column, bool lower,
		int64 from, bool upper, int64 to, tmodel_filter **result)
{
	tmodel_filter *low = NULL;
	tmodel_filter *high = NULL;
	tmodel_value value;

	if (lower)
	{
		value = tmodel_datetime(Max(from, 0));
		(void) compare(arena, column, TMODEL_GE, &value, &low);
	}
	if (upper)
	{
		value = tmodel_datetime(Min(to, TMODEL_TICKS_MAX));
		(void) compare(arena, column, TMODEL_LE, &value, &high);
	}
	*result = tmodel_filter_and(arena, low, high);
	itable_check_arena(arena);
	return NARROWS;
}

static narrowing
compare_datetime(tmodel_arena *arena, const itableColumn *column,
				 tmodel_compare op, int64 ticks, int64 slack,
				 tmodel_filter **result)
{
	int64		unit = column->base_type == DATEOID ? TICKS_PER_DAY :
	TICKS_PER_MICROSECOND;
	int64		from = ticks - slack;
	int64		to = ticks + unit - 1 + slack;

	switch (op)
	{
		case TMODEL_EQ:
			return between(arena, column, true, from, true, to, result);
		case TMODEL_LT:
		case TMODEL_LE:
			return between(arena, column, false, 0, true, to, result);
		case TMODEL_GT:
		case TMODEL_GE:
			return between(arena, column, true, from, false, 0, result);
		default:
			return NARROWS_NOT;
	}
}

static narrowing
compare_integer(tmodel_arena *arena, const itableColumn *column,
				tmodel_compare op, int64 number, tmodel_filter **result)
{
	tmodel_value value = tmodel_int64(number);

	if (column->edm == TMODEL_INT32)
	{
		if (number < PG_INT32_MIN || number > PG_INT32_MAX)
			return op == TMODEL_EQ ? MATCHES_NOTHING : NARROWS_NOT;
		value = tmodel_int32((int32) number);
	}
	return compare(arena, column, op, &value, result);
}

static narrowing
compare_one(tmodel_arena *arena, const itableColumn *column, tmodel_compare op,
			Oid type, Datum datum, tmodel_filter **result)
{
	tmodel_value value;
	int64		number;
	int64		slack;

	if (itable_integer_value(type, datum, &number))
		return compare_integer(arena, column, op, number, result);
	if (!itable_meet_datetime(column, &type, &datum, &slack) ||
		!itable_is_storable(type, datum))
		return NARROWS_NOT;
	value = itable_to_key_value(arena, column, datum);
	if (value.type == TMODEL_DATETIME)
		return compare_datetime(arena, column, op, value.u.ticks, slack,
								result);
	if (value.type == TMODEL_DOUBLE && !isfinite(value.u.number))
		return NARROWS_NOT;
	if (value.type == TMODEL_STRING && op != TMODEL_EQ && op != TMODEL_NE)
		return made(arena, tmodel_text_filter(arena, column->property, op,
											  value.u.bytes), result);
	return compare(arena, column, op, &value, result);
}

/*
 * The property is there: at or above the least value of its type.  Services
 * need not order booleans and uuids; then it is that value or not.
 */
static narrowing
compare_not_null(tmodel_arena *arena, const itableColumn *column,
				 tmodel_filter **result)
{
	tmodel_value least = {.type = column->edm};
	tmodel_filter *other;

	if (column->edm == TMODEL_STRING)
		least = tmodel_string(TMODEL_SPAN(""));
	else if (column->edm == TMODEL_INT32)
		least = tmodel_int32(PG_INT32_MIN);
	else if (column->edm == TMODEL_INT64)
		least = tmodel_int64(PG_INT64_MIN);
	if (column->edm != TMODEL_BOOLEAN && column->edm != TMODEL_GUID)
		return compare(arena, column, TMODEL_GE, &least, result);
	(void) compare(arena, column, TMODEL_EQ, &least, &other);
	(void) compare(arena, column, TMODEL_NE, &least, result);
	return made(arena, tmodel_filter_or(arena, *result, other), result);
}

/* column LIKE value, or column begins with it */
static narrowing
compare_begins(tmodel_arena *arena, const itableColumn *column,
			   itableMatch match, Datum datum, tmodel_filter **result)
{
	tmodel_span prefix = itable_to_key_value(arena, column, datum).u.bytes;

	if (match == ITABLE_LIKE)
		prefix = itable_like_prefix(arena, prefix);
	return prefix.len == 0 ? NARROWS_NOT :
		made(arena, tmodel_text_begins(arena, column->property, prefix),
			 result);
}

/*
 * column = ANY (array): one that does not narrow spoils the OR.  column <> ALL
 * (array): it is only left out, but NULL among them makes no row match.
 */
static narrowing
compare_list(tmodel_arena *arena, const itableColumn *column, bool any,
			 Datum datum, tmodel_filter **result)
{
	itableArray array = itable_open_array(datum);

	*result = NULL;
	for (int i = 0; i < array.n; i++)
	{
		tmodel_filter *one;
		narrowing	how;

		if (array.nulls[i] && !any)
			return MATCHES_NOTHING;
		if (array.nulls[i])
			continue;
		how = compare_one(arena, column, any ? TMODEL_EQ : TMODEL_NE,
						  array.type, array.values[i], &one);
		if (how == NARROWS_NOT && any)
			return NARROWS_NOT;
		if (how == NARROWS)
			*result = any ? tmodel_filter_or(arena, *result, one) :
				tmodel_filter_and(arena, *result, one);
	}
	if (*result != NULL)
		return NARROWS;
	return any ? MATCHES_NOTHING : NARROWS_NOT;
}

static narrowing build(tmodel_arena *arena, const itableFilter *filter,
					   const itableTable *relation, const itableValues *values,
					   tmodel_filter **result);

/*
 * AND: one part that cannot match decides, parts that narrow not are left out.
 * OR: the other way round.
 */
static narrowing
build_list(tmodel_arena *arena, const itableFilter *filter,
		   const itableTable *relation, const itableValues *values,
		   tmodel_filter **result)
{
	bool		is_and = filter->kind == TMODEL_FILTER_AND;
	narrowing	decisive = is_and ? MATCHES_NOTHING : NARROWS_NOT;
	narrowing	neutral = is_and ? NARROWS_NOT : MATCHES_NOTHING;
	ListCell   *cell;

	*result = NULL;
	foreach(cell, filter->args)
	{
		tmodel_filter *part;
		narrowing	how = build(arena, lfirst(cell), relation, values, &part);

		if (how == decisive)
			return decisive;
		if (how == NARROWS)
			*result = is_and ? tmodel_filter_and(arena, *result, part) :
				tmodel_filter_or(arena, *result, part);
	}
	return *result != NULL ? NARROWS : neutral;
}

static narrowing
build(tmodel_arena *arena, const itableFilter *filter,
	  const itableTable *relation, const itableValues *values,
	  tmodel_filter **result)
{
	const itableColumn *column;
	Datum		datum;

	if (filter->kind != TMODEL_FILTER_COMPARE)
		return build_list(arena, filter, relation, values, result);
	column = relation->columns[filter->attnum - 1];
	if (filter->match == ITABLE_NOT_NULL)
		return compare_not_null(arena, column, result);
	if (values->nulls[filter->expr])
		return MATCHES_NOTHING;
	datum = values->datums[filter->expr];
	switch (filter->match)
	{
		case ITABLE_ANY_OF:
		case ITABLE_NONE_OF:
			return compare_list(arena, column, filter->match == ITABLE_ANY_OF,
								datum, result);
		case ITABLE_BEGINS:
		case ITABLE_LIKE:
			return compare_begins(arena, column, filter->match, datum, result);
		default:
			return compare_one(arena, column, filter->op,
							   values->types[filter->expr], datum, result);
	}
}

static int
text_length(tmodel_arena *arena, const tmodel_filter *filter)
{
	tmodel_buf	text;

	tmodel_buf_init(&text, arena);
	tmodel_filter_print(&text, filter);
	itable_check_arena(arena);
	return (int) tmodel_buf_text(&text).len;
}

/* What is left of the service's limits, and what did not go into them. */
typedef struct filterBudget
{
	int			comparisons;
	int			length;
	bool		report;
	const char *refused;		/* why, where that is to be reported */
} filterBudget;

/* Does the part go in?  Then the budget is less. */
static bool
takes(filterBudget *budget, int comparisons, int length)
{
	if (comparisons <= budget->comparisons && length <= budget->length)
	{
		budget->comparisons -= comparisons;
		budget->length -= length;
		return true;
	}
	if (budget->report && comparisons > budget->comparisons)
		budget->refused = psprintf("%d comparisons, and a filter has room for %d",
								   comparisons, budget->comparisons);
	else if (budget->report)
		budget->refused = psprintf("%d characters, and a filter has room for %d",
								   length, budget->length);
	return false;
}

/*
 * What the service takes of the filter: the parts of an AND that go into its
 * limits, one after the other; an OR wholly or not at all.
 */
static tmodel_filter *
within_limits(tmodel_arena *arena, tmodel_filter *filter, filterBudget *budget)
{
	bool		is_and = filter->kind == TMODEL_FILTER_AND;
	tmodel_filter *result = NULL;
	tmodel_filter *next;

	for (tmodel_filter *part = is_and ? filter->args : filter; part != NULL;
		 part = next)
	{
		next = part->next;
		part->next = NULL;
		if (takes(budget, tmodel_filter_size(part), text_length(arena, part)))
			result = tmodel_filter_and(arena, result, part);
	}
	itable_check_arena(arena);
	return result;
}

bool
itable_build_filter(tmodel_arena *arena, const itableFilter *filter,
					const itableTable *relation, const itableValues *values,
					tmodel_filter **result)
{
	filterBudget budget = {itable_filter_room(relation), MAX_FILTER_LENGTH};
	narrowing	how;

	*result = NULL;
	if (filter == NULL)
		return true;
	how = build(arena, filter, relation, values, result);
	*result = how != NARROWS ? NULL : within_limits(arena, *result, &budget);
	itable_check_arena(arena);
	return how != MATCHES_NOTHING;
}

/* The filter's parts one by one, as within_limits() meets them. */
static List *
refused_parts(tmodel_arena *arena, const itableFilter *filter,
			  const itableTable *relation, const itableValues *values,
			  filterBudget *budget)
{
	List	   *result = NIL;
	itableRefused *refused;
	tmodel_filter *built;
	narrowing	how;
	ListCell   *cell;

	if (filter->kind == TMODEL_FILTER_AND)
	{
		foreach(cell, filter->args)
			result = list_concat(result,
								 refused_parts(arena, lfirst(cell), relation,
											   values, budget));
		return result;
	}
	how = build(arena, filter, relation, values, &built);
	budget->refused = NULL;
	if (how == NARROWS)
		(void) within_limits(arena, built, budget);
	else if (how == NARROWS_NOT)
		budget->refused = "no comparison of the store narrows by this value";
	if (budget->refused == NULL)
		return NIL;
	refused = palloc(sizeof(itableRefused));
	refused->filter = filter;
	refused->why = budget->refused;
	return list_make1(refused);
}

List *
itable_refused_filters(tmodel_arena *arena, const itableFilter *filter,
					   const itableTable *relation, const itableValues *values)
{
	filterBudget budget = {itable_filter_room(relation), MAX_FILTER_LENGTH,
	true};
	tmodel_filter *built;

	/* where nothing can match nothing is asked */
	if (filter == NULL ||
		!itable_build_filter(arena, filter, relation, values, &built))
		return NIL;
	return refused_parts(arena, filter, relation, values, &budget);
}
