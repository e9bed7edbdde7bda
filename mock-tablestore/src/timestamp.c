/*
 * timestamp.c
 *	  Times in 100 ns ticks since 0001-01-01, as the service counts them.
 *
 * Does its own calendar arithmetic: the C library knows no 100 ns and its
 * time zone handling takes a lock per call.
 */
#include "timestamp.h"

#include <stdatomic.h>
#include <time.h>


static _Atomic int64_t last_ticks;

int64_t
timestamp_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return TICKS_1970 + ts.tv_sec * TICKS_PER_SECOND + ts.tv_nsec / 100;
}

/* A tick later than every one returned before. */
int64_t
timestamp_next(void)
{
	int64_t		now = timestamp_now();
	int64_t		last = atomic_load(&last_ticks);
	int64_t		next;

	do
		next = now > last ? now : last + 1;
	while (!atomic_compare_exchange_weak(&last_ticks, &last, next));
	return next;
}

void
timestamp_not_before(int64_t ticks)
{
	if (atomic_load(&last_ticks) < ticks)
		atomic_store(&last_ticks, ticks);
}

/* Days since 0001-01-01 of a Gregorian date. */
static int64_t
days_of(int64_t year, int month, int day)
{
	int64_t		era;
	int64_t		yoe;
	int64_t		doy;

	if (month <= 2)
		year--;
	era = year / 400;
	yoe = year - era * 400;
	doy = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 306;
}

static void
date_of(int64_t days, int *year, int *month, int *day)
{
	int64_t		z = days + 306;
	int64_t		era = z / 146097;
	int64_t		doe = z - era * 146097;
	int64_t		yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t		doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t		mp = (5 * doy + 2) / 153;

	*day = (int) (doy - (153 * mp + 2) / 5 + 1);
	*month = (int) (mp < 10 ? mp + 3 : mp - 9);
	*year = (int) (yoe + era * 400 + (*month <= 2));
}

static void
put_digits(char *out, int value, int digits)
{
	while (digits-- > 0)
	{
		out[digits] = (char) ('0' + value % 10);
		value /= 10;
	}
}

#define RECENT_SECONDS 64

typedef struct Second
{
	int64_t		number;			/* since the epoch of ticks */
	char		text[24];		/* up to the point; empty: not set */
} Second;

static void
format_second(char *out, int64_t seconds)
{
	int			rest = (int) (seconds % 86400);
	int			year;
	int			month;
	int			day;

	date_of(seconds / 86400, &year, &month, &day);
	memcpy(out, "0000-00-00T00:00:00.", 20);
	put_digits(out, year, 4);
	put_digits(out + 5, month, 2);
	put_digits(out + 8, day, 2);
	put_digits(out + 11, rest / 3600, 2);
	put_digits(out + 14, rest / 60 % 60, 2);
	put_digits(out + 17, rest % 60, 2);
}

static size_t
format(char *out, int64_t ticks, bool trim)
{
	/* The rows of a page have few different seconds. */
	static _Thread_local Second recent[RECENT_SECONDS];
	int64_t		seconds = ticks / TICKS_PER_SECOND;
	int			fraction = (int) (ticks % TICKS_PER_SECOND);
	Second	   *second = &recent[(uint64_t) seconds % RECENT_SECONDS];
	size_t		n = 19;

	if (second->number != seconds || second->text[0] == '\0')
	{
		second->number = seconds;
		format_second(second->text, seconds);
	}
	memcpy(out, second->text, 20);
	put_digits(out + 20, fraction, 7);
	if (!trim || fraction != 0)
	{
		n = 27;
		while (trim && out[n - 1] == '0')
			n--;
	}
	out[n++] = 'Z';
	out[n] = '\0';
	return n;
}

size_t
timestamp_format(char *out, int64_t ticks)
{
	return format(out, ticks, true);
}

size_t
timestamp_format7(char *out, int64_t ticks)
{
	return format(out, ticks, false);
}

/* Reads exactly that many digits at *s and moves on. */
static bool
take_digits(Span *s, int digits, int *value)
{
	*value = 0;
	if (s->n < (size_t) digits)
		return false;
	for (int i = 0; i < digits; i++)
	{
		if (s->p[i] < '0' || s->p[i] > '9')
			return false;
		*value = *value * 10 + (s->p[i] - '0');
	}
	*s = span_skip(*s, (size_t) digits);
	return true;
}

static bool
take_char(Span *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	*s = span_skip(*s, 1);
	return true;
}

/* Fraction digits after the point; the eighth rounds, as .NET does. */
static bool
take_fraction(Span *s, int64_t *ticks)
{
	int			digits = 0;
	int64_t		scale = TICKS_PER_SECOND;
	int64_t		value = 0;

	while (s->n > 0 && s->p[0] >= '0' && s->p[0] <= '9')
	{
		if (digits < 7)
		{
			scale /= 10;
			value += (s->p[0] - '0') * scale;
		}
		else if (digits == 7 && s->p[0] >= '5')
			value++;
		digits++;
		*s = span_skip(*s, 1);
	}
	*ticks += value;
	return digits > 0;
}

/* "Z", nothing, or an offset that is taken off. */
static bool
take_zone(Span *s, int64_t *ticks)
{
	int			sign;
	int			hours;
	int			minutes;

	if (s->n == 0 || (take_char(s, 'Z') && s->n == 0))
		return true;
	if (s->p[0] != '+' && s->p[0] != '-')
		return false;
	sign = s->p[0] == '-' ? 1 : -1;
	*s = span_skip(*s, 1);
	if (!take_digits(s, 2, &hours) || !take_char(s, ':') ||
		!take_digits(s, 2, &minutes) || s->n != 0 ||
		hours > 14 || minutes > 59)
		return false;
	*ticks += sign * (hours * 60 + minutes) * INT64_C(60) * TICKS_PER_SECOND;
	return true;
}

static int
month_days(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return days[month - 1] + (month == 2 && leap);
}

static bool
valid_date(int year, int month, int day)
{
	return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
		day <= month_days(year, month);
}

bool
timestamp_parse(Span s, int64_t *ticks)
{
	int			year;
	int			month;
	int			day;
	int			hour = 0;
	int			minute = 0;
	int			second = 0;

	if (!take_digits(&s, 4, &year) || !take_char(&s, '-') ||
		!take_digits(&s, 2, &month) || !take_char(&s, '-') ||
		!take_digits(&s, 2, &day) || !valid_date(year, month, day))
		return false;
	*ticks = 0;
	if (s.n > 0)
	{
		if (!take_char(&s, 'T') || !take_digits(&s, 2, &hour) ||
			!take_char(&s, ':') || !take_digits(&s, 2, &minute))
			return false;
		if (take_char(&s, ':') && !take_digits(&s, 2, &second))
			return false;
		if (take_char(&s, '.') && !take_fraction(&s, ticks))
			return false;
		if (!take_zone(&s, ticks))
			return false;
	}
	if (hour > 23 || minute > 59 || second > 59)
		return false;
	*ticks += (days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 +
			   second) * TICKS_PER_SECOND;
	return *ticks >= 0 && *ticks <= TICKS_MAX;
}

/* "Sun, 06 Nov 1994 08:49:37 GMT" */
bool
http_date_parse(Span s, int64_t *ticks)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int			year;
	int			month = 0;
	int			day;
	int			hour;
	int			minute;
	int			second;

	if (s.n != 29 || s.p[3] != ',' || s.p[4] != ' ')
		return false;
	s = span_skip(s, 5);
	if (!take_digits(&s, 2, &day) || !take_char(&s, ' '))
		return false;
	while (month < 12 && memcmp(months + month * 3, s.p, 3) != 0)
		month++;
	s = span_skip(s, 3);
	if (++month > 12 || !take_char(&s, ' ') || !take_digits(&s, 4, &year) ||
		!take_char(&s, ' ') || !take_digits(&s, 2, &hour) ||
		!take_char(&s, ':') || !take_digits(&s, 2, &minute) ||
		!take_char(&s, ':') || !take_digits(&s, 2, &second) ||
		!span_eq(s, SPAN(" GMT")))
		return false;
	if (!valid_date(year, month, day) || hour > 23 || minute > 59 ||
		second > 59)
		return false;
	*ticks = (days_of(year, month, day) * 86400 + hour * 3600 + minute * 60 +
			  second) * TICKS_PER_SECOND;
	return true;
}

void
http_date_format(char out[HTTP_DATE_MAX], int64_t ticks)
{
	static const char days[] = "MonTueWedThuFriSatSun";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	int64_t		seconds = ticks / TICKS_PER_SECOND;
	int			rest = (int) (seconds % 86400);
	int			year;
	int			month;
	int			day;

	/* 0001-01-01 was a Monday. */
	date_of(seconds / 86400, &year, &month, &day);
	memcpy(out, "Mon, 00 Jan 0000 00:00:00 GMT", 30);
	memcpy(out, days + seconds / 86400 % 7 * 3, 3);
	put_digits(out + 5, day, 2);
	memcpy(out + 8, months + (month - 1) * 3, 3);
	put_digits(out + 12, year, 4);
	put_digits(out + 17, rest / 3600, 2);
	put_digits(out + 20, rest / 60 % 60, 2);
	put_digits(out + 23, rest % 60, 2);
}
