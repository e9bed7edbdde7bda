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
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "exec/constant.h"
#include "exec/probe_filter.h"
#include "remote/convert.h"
#include "remote/memory.h"

#define MAX_LIST 15

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
	*result = tmodel_filter_compare(arena, column->property, op, value);
	itable_check_arena(arena);
	return NARROWS;
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
	return compare(arena, column, op, &value, result);
}

/* column = ANY (array) */
static narrowing
compare_any(tmodel_arena *arena, const itableColumn *column, Datum datum,
			tmodel_filter **result)
{
	ArrayType  *array = DatumGetArrayTypeP(datum);
	Oid			type = ARR_ELEMTYPE(array);
	int16		len;
	bool		byval;
	char		align;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	get_typlenbyvalalign(type, &len, &byval, &align);
	deconstruct_array(array, type, len, byval, align, &elements, &nulls, &n);
	if (n > MAX_LIST)
		return NARROWS_NOT;
	*result = NULL;
	for (int i = 0; i < n; i++)
	{
		tmodel_filter *one;
		narrowing	how;

		if (nulls[i])
			continue;
		how = compare_one(arena, column, TMODEL_EQ, type, elements[i], &one);
		if (how == NARROWS_NOT)
			return NARROWS_NOT;
		if (how == NARROWS)
			*result = tmodel_filter_or(arena, *result, one);
	}
	return *result != NULL ? NARROWS : MATCHES_NOTHING;
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

	if (filter->kind != TMODEL_FILTER_COMPARE)
		return build_list(arena, filter, relation, values, result);
	if (values->nulls[filter->expr])
		return MATCHES_NOTHING;
	column = relation->columns[filter->attnum - 1];
	if (filter->any)
		return compare_any(arena, column, values->datums[filter->expr],
						   result);
	return compare_one(arena, column, filter->op, values->types[filter->expr],
					   values->datums[filter->expr], result);
}

bool
itable_build_filter(tmodel_arena *arena, const itableFilter *filter,
					const itableTable *relation, const itableValues *values,
					tmodel_filter **result)
{
	narrowing	how;

	*result = NULL;
	if (filter == NULL)
		return true;
	how = build(arena, filter, relation, values, result);
	if (how != NARROWS)
		*result = NULL;
	itable_check_arena(arena);
	return how != MATCHES_NOTHING;
}
