/*
 * array.h
 *	  The elements of an SQL array, one by one.
 */
#ifndef ITABLE_TABLE_ARRAY_H
#define ITABLE_TABLE_ARRAY_H

#include "postgres.h"

#include "nodes/primnodes.h"

typedef struct itableArray
{
	Oid			type;			/* of an element, and how it is stored */
	int16		len;
	bool		byval;
	char		align;
	int			n;
	Datum	   *values;
	bool	   *nulls;
} itableArray;

/* Of an array that is not NULL; the values may point into it. */
extern itableArray itable_open_array(Datum array);

/* Element i as an expression of the planner, in the current memory context. */
extern Const *itable_element_const(const itableArray *array, int i,
								   Oid collation);

#endif							/* ITABLE_TABLE_ARRAY_H */
