/*
 * value.c
 *	  The eight EDM types: text forms in and out, equality, sizes.
 *
 * Does not quote ($filter literals are filter.c's, JSON is store/json's).
 * Called by store/ for every property of every entity, so parsing takes memory
 * only for bytes.
 *
 * Easy to break: printf and strtod follow LC_NUMERIC; PostgreSQL keeps it "C".
 */
#include "value.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_PER_DAY (86400 * TICKS_PER_SECOND)
#define DAYS_PER_400_YEARS 146097
#define DAYS_PER_100_YEARS 36524
#define DAYS_PER_4_YEARS 1461

static const char *const type_names[] = {
	[TMODEL_STRING] = "Edm.String",
	[TMODEL_INT32] = "Edm.Int32",
	[TMODEL_INT64] = "Edm.Int64",
	[TMODEL_DOUBLE] = "Edm.Double",
	[TMODEL_BOOLEAN] = "Edm.Boolean",
	[TMODEL_DATETIME] = "Edm.DateTime",
	[TMODEL_GUID] = "Edm.Guid",
	[TMODEL_BINARY] = "Edm.Binary"
};

static const char base64_digits[] =
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The protocol's name, with "Edm.". */
const char *
tmodel_type_name(tmodel_type type)
{
	if ((int) type < 0 || type > TMODEL_BINARY)
		return NULL;
	return type_names[type];
}

/* Case-sensitive, as in the protocol. */
tmodel_type
tmodel_type_of_name(tmodel_span name)
{
	for (int type = TMODEL_STRING; type <= TMODEL_BINARY; type++)
	{
		tmodel_span full = tmodel_span_of(type_names[type]);
		tmodel_span bare = {full.data + 4, full.len - 4};

		if (tmodel_span_equal(name, full) || tmodel_span_equal(name, bare))
			return (tmodel_type) type;
	}
	return TMODEL_NULL;
}

/* Same type, same value. */
bool
tmodel_value_equal(const tmodel_value *a, const tmodel_value *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type)
	{
		case TMODEL_NULL:
			return true;
		case TMODEL_STRING:
		case TMODEL_BINARY:
			return tmodel_span_equal(a->u.bytes, b->u.bytes);
		case TMODEL_INT32:
			return a->u.int32 == b->u.int32;
		case TMODEL_INT64:
			return a->u.int64 == b->u.int64;
		case TMODEL_DOUBLE:
			return a->u.number == b->u.number ||
				(isnan(a->u.number) && isnan(b->u.number));
		case TMODEL_BOOLEAN:
			return a->u.boolean == b->u.boolean;
		case TMODEL_DATETIME:
			return a->u.ticks == b->u.ticks;
		case TMODEL_GUID:
			return memcmp(a->u.guid, b->u.guid, sizeof(a->u.guid)) == 0;
	}
	return false;
}

/* The copy; TMODEL_NULL when there is no memory for the bytes. */
tmodel_value
tmodel_value_copy(tmodel_arena *arena, const tmodel_value *value)
{
	tmodel_value copy = *value;

	if (value->type != TMODEL_STRING && value->type != TMODEL_BINARY)
		return copy;
	copy.u.bytes = tmodel_span_copy(arena, value->u.bytes);
	if (copy.u.bytes.data == NULL)
		copy.type = TMODEL_NULL;
	return copy;
}

/*
 * The fewest digits that read back equal.  15 digits always survive a double,
 * so shorter forms are found by %g dropping zeros; below the normal range
 * fewer survive and are searched for.
 */
static bool
print_double(tmodel_buf *buf, double number)
{
	char		text[40];

	if (isnan(number))
		return tmodel_buf_puts(buf, "NaN");
	if (isinf(number))
		return tmodel_buf_puts(buf, number > 0 ? "Infinity" : "-Infinity");
	for (int digits = fabs(number) < DBL_MIN ? 1 : 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof(text), "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	return tmodel_buf_puts(buf, text);
}

/* Is this the 366-day year, counting years of 400-year cycles from 1601? */
static bool
is_leap(int year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days before each month of a year that is not a leap year. */
static const int days_before_month[13] = {
	0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365
};

/* Days of the year before the first of "month" (1..13). */
static int
days_before(int year, int month)
{
	return days_before_month[month - 1] + (month > 2 && is_leap(year) ? 1 : 0);
}

/* Days from 1601-01-01, itself the first day of a 400-year cycle. */
static int64_t
days_of_date(int year, int month, int day)
{
	int64_t		years = year - 1601;

	return years * 365 + years / 4 - years / 100 + years / 400 +
		days_before(year, month) + day - 1;
}

/* The way back; days >= 0. */
static void
date_of_days(int days, int *year, int *month, int *day)
{
	int			cycles = days / DAYS_PER_400_YEARS;
	int			centuries;
	int			fours;
	int			ones;

	days %= DAYS_PER_400_YEARS;
	centuries = days / DAYS_PER_100_YEARS;
	if (centuries > 3)
		centuries = 3;			/* the cycle's last day is a leap day */
	days -= centuries * DAYS_PER_100_YEARS;
	fours = days / DAYS_PER_4_YEARS;
	days -= fours * DAYS_PER_4_YEARS;
	ones = days / 365;
	if (ones > 3)
		ones = 3;
	days -= ones * 365;
	*year = 1601 + cycles * 400 + centuries * 100 + fours * 4 + ones;
	*month = 1;
	while (days >= days_before(*year, *month + 1))
		(*month)++;
	*day = days - days_before(*year, *month) + 1;
}

/* False for ticks that no DateTime has. */
static bool
print_datetime(tmodel_buf *buf, int64_t ticks)
{
	int			year;
	int			month;
	int			day;
	int			seconds;
	int			fraction;

	if (ticks < 0 || ticks > TMODEL_TICKS_MAX)
		return false;
	date_of_days((int) (ticks / TICKS_PER_DAY), &year, &month, &day);
	seconds = (int) (ticks % TICKS_PER_DAY / TICKS_PER_SECOND);
	fraction = (int) (ticks % TICKS_PER_SECOND);
	if (!tmodel_buf_printf(buf, "%04d-%02d-%02dT%02d:%02d:%02d",
						   year, month, day,
						   seconds / 3600, seconds / 60 % 60, seconds % 60))
		return false;
	if (fraction != 0 && !tmodel_buf_printf(buf, ".%07d", fraction))
		return false;
	return tmodel_buf_putc(buf, 'Z');
}

/* 8-4-4-4-12 lower-case digits. */
static bool
print_guid(tmodel_buf *buf, const uint8_t guid[16])
{
	static const char hex[] = "0123456789abcdef";
	char		text[36];
	int			at = 0;

	for (int i = 0; i < 16; i++)
	{
		if (i == 4 || i == 6 || i == 8 || i == 10)
			text[at++] = '-';
		text[at++] = hex[guid[i] >> 4];
		text[at++] = hex[guid[i] & 15];
	}
	return tmodel_buf_append(buf, text, sizeof(text));
}

/* Standard alphabet, padded. */
static bool
print_base64(tmodel_buf *buf, tmodel_span bytes)
{
	const unsigned char *in = (const unsigned char *) bytes.data;

	for (size_t i = 0; i < bytes.len; i += 3)
	{
		size_t		left = bytes.len - i;
		uint32_t	group = (uint32_t) in[i] << 16;
		char		text[4];

		if (left > 1)
			group |= (uint32_t) in[i + 1] << 8;
		if (left > 2)
			group |= in[i + 2];
		text[0] = base64_digits[group >> 18];
		text[1] = base64_digits[group >> 12 & 63];
		text[2] = left > 1 ? base64_digits[group >> 6 & 63] : '=';
		text[3] = left > 2 ? base64_digits[group & 63] : '=';
		if (!tmodel_buf_append(buf, text, sizeof(text)))
			return false;
	}
	return true;
}

/* Appends the text form; false for TMODEL_NULL, which has none. */
bool
tmodel_value_print(tmodel_buf *buf, const tmodel_value *value)
{
	switch (value->type)
	{
		case TMODEL_NULL:
			return false;
		case TMODEL_STRING:
			return tmodel_buf_span(buf, value->u.bytes);
		case TMODEL_INT32:
			return tmodel_buf_printf(buf, "%" PRId32, value->u.int32);
		case TMODEL_INT64:
			return tmodel_buf_printf(buf, "%" PRId64, value->u.int64);
		case TMODEL_DOUBLE:
			return print_double(buf, value->u.number);
		case TMODEL_BOOLEAN:
			return tmodel_buf_puts(buf, value->u.boolean ? "true" : "false");
		case TMODEL_DATETIME:
			return print_datetime(buf, value->u.ticks);
		case TMODEL_GUID:
			return print_guid(buf, value->u.guid);
		case TMODEL_BINARY:
			return print_base64(buf, value->u.bytes);
	}
	return false;
}

/* Decimal digits with an optional '-'; false outside least..most. */
static bool
parse_integer(tmodel_span text, int64_t least, int64_t most, int64_t *number)
{
	bool		negative = text.len > 0 && text.data[0] == '-';
	int64_t		total = 0;

	if (text.len == (size_t) negative)
		return false;
	for (size_t i = negative; i < text.len; i++)
	{
		int			digit = text.data[i] - '0';

		if (digit < 0 || digit > 9)
			return false;
		/* summed below zero: INT64_MIN has no positive counterpart */
		if (__builtin_mul_overflow(total, (int64_t) 10, &total) ||
			__builtin_sub_overflow(total, (int64_t) digit, &total))
			return false;
	}
	if (!negative && __builtin_sub_overflow((int64_t) 0, total, &total))
		return false;
	*number = total;
	return total >= least && total <= most;
}

/* Skips digits; how many there were. */
static size_t
skip_digits(tmodel_span text, size_t *at)
{
	size_t		start = *at;

	while (*at < text.len && text.data[*at] >= '0' && text.data[*at] <= '9')
		(*at)++;
	return *at - start;
}

/* [-]digits[.digits][e[+-]digits]: keeps strtod from hex, "inf" and spaces. */
static bool
looks_like_double(tmodel_span text)
{
	size_t		at = text.len > 0 && text.data[0] == '-' ? 1 : 0;

	if (skip_digits(text, &at) == 0)
		return false;
	if (at < text.len && text.data[at] == '.')
	{
		at++;
		if (skip_digits(text, &at) == 0)
			return false;
	}
	if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E'))
	{
		at++;
		if (at < text.len && (text.data[at] == '+' || text.data[at] == '-'))
			at++;
		if (skip_digits(text, &at) == 0)
			return false;
	}
	return at == text.len;
}

/* A number too large for a double is refused, one too small becomes 0. */
static bool
parse_double(tmodel_arena *arena, tmodel_span text, double *number)
{
	char		small[64];
	const char *digits = small;

	if (tmodel_span_equal(text, TMODEL_SPAN("NaN")))
		*number = NAN;
	else if (tmodel_span_equal(text, TMODEL_SPAN("Infinity")))
		*number = INFINITY;
	else if (tmodel_span_equal(text, TMODEL_SPAN("-Infinity")))
		*number = -INFINITY;
	else
	{
		if (!looks_like_double(text))
			return false;
		if (text.len < sizeof(small))
		{
			memcpy(small, text.data, text.len);
			small[text.len] = '\0';
		}
		else
		{
			digits = tmodel_span_copy(arena, text).data;
			if (digits == NULL)
				return false;
		}
		*number = strtod(digits, NULL);
		return isfinite(*number);
	}
	return true;
}

/* Exactly "n" digits at *at, then *at is behind them; -1 when not. */
static int
fixed_number(tmodel_span text, size_t *at, int n)
{
	int			number = 0;

	for (int i = 0; i < n; i++, (*at)++)
	{
		if (*at >= text.len || text.data[*at] < '0' || text.data[*at] > '9')
			return -1;
		number = number * 10 + (text.data[*at] - '0');
	}
	return number;
}

/* The character at *at, skipped when it is the expected one. */
static bool
skip_char(tmodel_span text, size_t *at, char c)
{
	if (*at >= text.len || text.data[*at] != c)
		return false;
	(*at)++;
	return true;
}

/* A fraction of 1 to 7 digits behind the dot, in ticks. */
static bool
parse_fraction(tmodel_span text, size_t *at, int64_t *ticks)
{
	size_t		start = *at;
	int			digits;

	if (skip_digits(text, at) == 0 || *at - start > 7)
		return false;
	digits = (int) (*at - start);
	*at = start;
	*ticks = fixed_number(text, at, digits);
	for (; digits < 7; digits++)
		*ticks *= 10;
	return true;
}

/* YYYY-MM-DDTHH:MM:SS[.f]Z from 1601 on. */
static bool
parse_datetime(tmodel_span text, int64_t *ticks)
{
	static const char separators[] = "--T::";
	static const int least[] = {1601, 1, 1, 0, 0, 0};
	static const int most[] = {9999, 12, 31, 23, 59, 59};
	int			part[6];
	int64_t		fraction = 0;
	size_t		at = 0;

	for (int i = 0; i < 6; i++)
	{
		part[i] = fixed_number(text, &at, i == 0 ? 4 : 2);
		if (part[i] < least[i] || part[i] > most[i])
			return false;
		if (i < 5 && !skip_char(text, &at, separators[i]))
			return false;
	}
	if (part[2] > days_before(part[0], part[1] + 1) -
		days_before(part[0], part[1]))
		return false;
	if (skip_char(text, &at, '.') && !parse_fraction(text, &at, &fraction))
		return false;
	if (!skip_char(text, &at, 'Z') || at != text.len)
		return false;
	*ticks = days_of_date(part[0], part[1], part[2]) * TICKS_PER_DAY +
		(part[3] * 3600 + part[4] * 60 + part[5]) * TICKS_PER_SECOND +
		fraction;
	return true;
}

/* 0..15, or -1. */
static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* 36 characters, either case. */
static bool
parse_guid(tmodel_span text, uint8_t guid[16])
{
	size_t		at = 0;

	if (text.len != 36)
		return false;
	for (int i = 0; i < 16; i++)
	{
		int			high;
		int			low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) &&
			!skip_char(text, &at, '-'))
			return false;
		high = hex_digit(text.data[at++]);
		low = hex_digit(text.data[at++]);
		if (high < 0 || low < 0)
			return false;
		guid[i] = (uint8_t) (high << 4 | low);
	}
	return true;
}

/* A base64 digit's value, or -1. */
static int
base64_value(char c)
{
	const char *at = c != '\0' ? strchr(base64_digits, c) : NULL;

	return at != NULL ? (int) (at - base64_digits) : -1;
}

/* Padded base64 without white space; surplus bits must be zero. */
static bool
parse_base64(tmodel_arena *arena, tmodel_span text, tmodel_span *bytes)
{
	size_t		padding = 0;
	size_t		at = 0;
	uint32_t	group = 0;
	char	   *out;

	if (text.len % 4 != 0)
		return false;
	while (padding < 2 && padding < text.len &&
		   text.data[text.len - 1 - padding] == '=')
		padding++;
	out = tmodel_alloc(arena, text.len / 4 * 3 + 1);
	if (out == NULL)
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		int			digit = i < text.len - padding ?
			base64_value(text.data[i]) : 0;

		if (digit < 0)
			return false;
		group = group << 6 | (uint32_t) digit;
		if (i % 4 == 3)
		{
			out[at++] = (char) (group >> 16 & 0xFF);
			out[at++] = (char) (group >> 8 & 0xFF);
			out[at++] = (char) (group & 0xFF);
		}
	}
	for (size_t i = 0; i < padding; i++)
	{
		if (out[--at] != '\0')
			return false;
	}
	bytes->data = out;
	bytes->len = at;
	return true;
}

/* Reads the text form of a type; *value is undefined when it is not one. */
bool
tmodel_value_parse(tmodel_arena *arena, tmodel_type type, tmodel_span text,
				   tmodel_value *value)
{
	int64_t		number;

	value->type = type;
	switch (type)
	{
		case TMODEL_NULL:
			return false;
		case TMODEL_STRING:
			value->u.bytes = tmodel_span_copy(arena, text);
			return value->u.bytes.data != NULL;
		case TMODEL_INT32:
			if (!parse_integer(text, INT32_MIN, INT32_MAX, &number))
				return false;
			value->u.int32 = (int32_t) number;
			return true;
		case TMODEL_INT64:
			return parse_integer(text, INT64_MIN, INT64_MAX, &value->u.int64);
		case TMODEL_DOUBLE:
			return parse_double(arena, text, &value->u.number);
		case TMODEL_BOOLEAN:
			value->u.boolean = tmodel_span_equal(text, TMODEL_SPAN("true"));
			return value->u.boolean ||
				tmodel_span_equal(text, TMODEL_SPAN("false"));
		case TMODEL_DATETIME:
			return parse_datetime(text, &value->u.ticks);
		case TMODEL_GUID:
			return parse_guid(text, value->u.guid);
		case TMODEL_BINARY:
			return parse_base64(arena, text, &value->u.bytes);
	}
	return false;
}

/* The sizes of the data model page: two bytes per unit, 4 per length. */
size_t
tmodel_value_size(const tmodel_value *value)
{
	switch (value->type)
	{
		case TMODEL_NULL:
			return 0;
		case TMODEL_STRING:
			return tmodel_utf16_units(value->u.bytes) * 2 + 4;
		case TMODEL_INT32:
			return 4;
		case TMODEL_INT64:
		case TMODEL_DOUBLE:
		case TMODEL_DATETIME:
			return 8;
		case TMODEL_BOOLEAN:
			return 1;
		case TMODEL_GUID:
			return 16;
		case TMODEL_BINARY:
			return value->u.bytes.len + 4;
	}
	return 0;
}

/* A String sharing the text. */
tmodel_value
tmodel_string(tmodel_span text)
{
	tmodel_value value = {.type = TMODEL_STRING, .u.bytes = text};

	return value;
}

/* An Int32. */
tmodel_value
tmodel_int32(int32_t number)
{
	tmodel_value value = {.type = TMODEL_INT32, .u.int32 = number};

	return value;
}

/* An Int64. */
tmodel_value
tmodel_int64(int64_t number)
{
	tmodel_value value = {.type = TMODEL_INT64, .u.int64 = number};

	return value;
}

/* A Double. */
tmodel_value
tmodel_double(double number)
{
	tmodel_value value = {.type = TMODEL_DOUBLE, .u.number = number};

	return value;
}

/* A Boolean. */
tmodel_value
tmodel_boolean(bool truth)
{
	tmodel_value value = {.type = TMODEL_BOOLEAN, .u.boolean = truth};

	return value;
}

/* A DateTime; the ticks are not checked here. */
tmodel_value
tmodel_datetime(int64_t ticks)
{
	tmodel_value value = {.type = TMODEL_DATETIME, .u.ticks = ticks};

	return value;
}
