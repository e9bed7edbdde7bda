/*
 * array.c
 *	  The elements of an SQL array, one by one.
 *
 * For the planner, which takes constant lists apart, and for scans, whose lists
 * are evaluated when they start.  Arrays of rows to be written are converted in
 * remote/convert.c, which knows their columns.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "table/array.h"

itableArray
itable_open_array(Datum array)
{
	ArrayType  *whole = DatumGetArrayTypeP(array);
	itableArray result = {.type = ARR_ELEMTYPE(whole)};

	get_typlenbyvalalign(result.type, &result.len, &result.byval,
						 &result.align);
	deconstruct_array(whole, result.type, result.len, result.byval,
					  result.align, &result.values, &result.nulls, &result.n);
	return result;
}

Const *
itable_element_const(const itableArray *array, int i, Oid collation)
{
	return makeConst(array->type, -1, collation, array->len, array->values[i],
					 array->nulls[i], array->byval);
}
