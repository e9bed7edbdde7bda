/*
 * constant.h
 *	  SQL constants that are not of the column's own type.
 */
#ifndef ITABLE_CONSTANT_H
#define ITABLE_CONSTANT_H

#include "postgres.h"

#include "model/arena.h"
#include "table/table_def.h"

/* An SQL integer of any width; false for other types. */
extern bool itable_integer_value(Oid type, Datum datum, int64 *number);

/*
 * Makes a date or time of another type (*type) one of the column's.  *slack is
 * how far, in 100 ns units, the result may be from what the comparison across
 * the types would use; 0: not at all.  False when the column's type cannot
 * hold it.  Values of other types stay as they are.
 */
extern bool itable_meet_datetime(const itableColumn *column, Oid *type,
								 Datum *datum, int64 *slack);

/* What every text that is LIKE the pattern begins with; may be empty. */
extern tmodel_span itable_like_prefix(tmodel_arena *arena,
									  tmodel_span pattern);

#endif							/* ITABLE_CONSTANT_H */
