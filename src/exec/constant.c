/*
 * constant.c
 *	  SQL constants whose type is not the column's: integers of any width,
 *	  dates and times of one kind for columns of another, patterns.
 *
 * PostgreSQL compares across types by operators of its own; here the constant
 * is converted once.  Where that is not exact it says how far off it may be.
 * Called by probe.c and probe_filter.c.  Easy to break: a day is not always 24
 * hours, and time zones move both ways, so that a slack must be generous.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "exec/constant.h"
#include "remote/memory.h"

/* Time zones have jumped over the date line: a day, with room. */
#define ZONE_SLACK (2 * INT64CONST(864000000000))
#define DAY_SLACK INT64CONST(864000000000)

bool
itable_integer_value(Oid type, Datum datum, int64 *number)
{
	switch (type)
	{
		case INT2OID:
			*number = DatumGetInt16(datum);
			return true;
		case INT4OID:
			*number = DatumGetInt32(datum);
			return true;
		case INT8OID:
			*number = DatumGetInt64(datum);
			return true;
		default:
			return false;
	}
}

/* Local time as a point in time, or the other way round, without a zone. */
static Timestamp
as_timestamp(Oid type, Datum datum, int *overflow)
{
	*overflow = 0;
	if (type == DATEOID)
		return date2timestamp_opt_overflow(DatumGetDateADT(datum), overflow);
	return DatumGetTimestamp(datum);
}

bool
itable_meet_datetime(const itableColumn *column, Oid *type, Datum *datum,
					 int64 *slack)
{
	Oid			own = column->base_type;
	int			overflow = 0;
	Timestamp	stamp;

	*slack = 0;
	if (own == *type || (own != DATEOID && own != TIMESTAMPOID &&
						 own != TIMESTAMPTZOID) ||
		(*type != DATEOID && *type != TIMESTAMPOID &&
		 *type != TIMESTAMPTZOID))
		return true;
	if (own == TIMESTAMPTZOID)
		stamp = *type == DATEOID ?
			date2timestamptz_opt_overflow(DatumGetDateADT(*datum), &overflow) :
			timestamp2timestamptz_opt_overflow(DatumGetTimestamp(*datum),
											   &overflow);
	else
	{
		stamp = as_timestamp(*type, *datum, &overflow);
		*slack = *type == TIMESTAMPTZOID ? ZONE_SLACK :
			own == DATEOID ? DAY_SLACK : 0;
	}
	if (overflow != 0 || TIMESTAMP_NOT_FINITE(stamp))
		return false;
	*type = own;
	if (own == DATEOID)
		*datum = DateADTGetDatum((DateADT) (stamp / USECS_PER_DAY));
	else
		*datum = TimestampGetDatum(stamp);
	return true;
}

tmodel_span
itable_like_prefix(tmodel_arena *arena, tmodel_span pattern)
{
	tmodel_buf	prefix;

	tmodel_buf_init(&prefix, arena);
	for (size_t i = 0; i < pattern.len; i++)
	{
		char		c = pattern.data[i];

		if (c == '%' || c == '_')
			break;
		if (c == '\\' && ++i < pattern.len)
			c = pattern.data[i];
		else if (c == '\\')
			break;				/* an error, if a row comes to it */
		tmodel_buf_putc(&prefix, c);
	}
	itable_check_arena(arena);
	return tmodel_buf_text(&prefix);
}
