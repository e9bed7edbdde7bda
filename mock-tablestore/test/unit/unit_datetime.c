/*
 * unit_datetime.c
 *	  timestamp.c: ISO 8601 and HTTP dates, 100 ns, the calendar's edges.
 *
 * Ticks were computed with Python's datetime.
 */
#include "timestamp.h"
#include "unit.h"

static void
reads(const char *text, int64_t wanted)
{
	int64_t		ticks = -1;

	CHECK(timestamp_parse(span_of(text), &ticks));
	NUMBER(ticks, wanted);
}

static void
refuses(const char *text)
{
	int64_t		ticks;

	if (timestamp_parse(span_of(text), &ticks))
		printf("taken: %s\n", text);
	CHECK(!timestamp_parse(span_of(text), &ticks));
}

static void
writes(int64_t ticks, const char *trimmed, const char *full)
{
	char		out[TIMESTAMP_MAX];
	size_t		n = timestamp_format(out, ticks);

	TEXT(((Span) {out, n}), trimmed);
	n = timestamp_format7(out, ticks);
	TEXT(((Span) {out, n}), full);
}

static void
test_parse(void)
{
	reads("1970-01-01T00:00:00Z", TICKS_1970);
	reads("1601-01-01T00:00:00Z", TICKS_1601);
	reads("9999-12-31T23:59:59.9999999Z", TICKS_MAX);
	reads("0001-01-01T00:00:00Z", 0);
	reads("2000-02-29T12:34:56Z", INT64_C(630874244960000000));
	reads("2024-02-29T00:00:00.0000001Z", INT64_C(638447616000000001));
	reads("2020-01-01", INT64_C(637134336000000000));
	reads("2020-01-01T00:00:00.5Z", INT64_C(637134336005000000));
	reads("2020-01-01T01:30:00+01:30", INT64_C(637134336000000000));
	reads("2019-12-31T23:00:00-01:00", INT64_C(637134336000000000));
	refuses("");
	refuses("2023-02-29T00:00:00Z");
	refuses("1900-02-29T00:00:00Z");
	refuses("2020-13-01T00:00:00Z");
	refuses("2020-00-01T00:00:00Z");
	refuses("2020-01-32T00:00:00Z");
	refuses("2020-01-01T24:00:01Z");
	refuses("2020-01-01T00:60:00Z");
	refuses("2020-01-01T00:00:00Zx");
	refuses("2020-01-01T00:00:00.Z");
	refuses("10000-01-01T00:00:00Z");
	refuses("noon");
}

static void
test_format(void)
{
	writes(TICKS_1970, "1970-01-01T00:00:00Z",
		   "1970-01-01T00:00:00.0000000Z");
	writes(TICKS_1970 + 1, "1970-01-01T00:00:00.0000001Z",
		   "1970-01-01T00:00:00.0000001Z");
	writes(TICKS_1970 + 1234500, "1970-01-01T00:00:00.12345Z",
		   "1970-01-01T00:00:00.1234500Z");
	writes(TICKS_MAX, "9999-12-31T23:59:59.9999999Z",
		   "9999-12-31T23:59:59.9999999Z");
	writes(TICKS_1601, "1601-01-01T00:00:00Z",
		   "1601-01-01T00:00:00.0000000Z");
	/* A remembered second must not be taken for its neighbour. */
	writes(TICKS_1970 + TICKS_PER_SECOND - 1, "1970-01-01T00:00:00.9999999Z",
		   "1970-01-01T00:00:00.9999999Z");
	writes(TICKS_1970 + TICKS_PER_SECOND, "1970-01-01T00:00:01Z",
		   "1970-01-01T00:00:01.0000000Z");
}

/* Every day there is survives both ways. */
static void
test_all_days(void)
{
	char		out[TIMESTAMP_MAX];
	int64_t		again;
	int			wrong = 0;

	for (int64_t t = 0; t <= TICKS_MAX; t += 864000 * TICKS_PER_SECOND / 10)
	{
		size_t		n = timestamp_format(out, t);

		if (!timestamp_parse((Span) {out, n}, &again) || again != t)
			wrong++;
	}
	NUMBER(wrong, 0);
}

static void
test_http_date(void)
{
	char		out[HTTP_DATE_MAX];
	int64_t		ticks;

	CHECK(http_date_parse(SPAN("Sun, 06 Nov 1994 08:49:37 GMT"), &ticks));
	NUMBER(ticks, INT64_C(629197085770000000));
	http_date_format(out, ticks);
	TEXT(span_of(out), "Sun, 06 Nov 1994 08:49:37 GMT");
	CHECK(!http_date_parse(SPAN("Sun, 31 Feb 1994 08:49:37 GMT"), &ticks));
	CHECK(!http_date_parse(SPAN("1994-11-06T08:49:37Z"), &ticks));
	CHECK(!http_date_parse(SPAN(""), &ticks));
}

static void
test_next(void)
{
	int64_t		before = timestamp_next();
	int			wrong = 0;

	for (int i = 0; i < 1000; i++)
	{
		int64_t		now = timestamp_next();

		wrong += now <= before;
		before = now;
	}
	NUMBER(wrong, 0);
	timestamp_not_before(before + TICKS_PER_SECOND);
	CHECK(timestamp_next() > before + TICKS_PER_SECOND);
}

int
main(void)
{
	test_parse();
	test_format();
	test_all_days();
	test_http_date();
	test_next();
	return unit_end();
}
