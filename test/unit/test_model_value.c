/*
 * test_model_value.c
 *	  Text forms of values in both directions, equality, sizes, UTF-8.
 */
#include "unit.h"

#include "model/utf8.h"
#include "model/value.h"

#include <float.h>
#include <math.h>

static tmodel_arena arena;

/* Parses and prints again; NULL when it does not parse. */
static const char *
reprinted(tmodel_type type, const char *text)
{
	tmodel_value value;
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_puts(&buf, "");
	if (!tmodel_value_parse(&arena, type, tmodel_span_of(text), &value))
		return NULL;
	return tmodel_value_print(&buf, &value) ? buf.data : "unprintable";
}

UNIT_TEST(value_text_forms)
{
	static const struct
	{
		tmodel_type type;
		const char *text;
		const char *printed;	/* NULL: does not parse */
	}			cases[] = {
		{TMODEL_NULL, "", NULL},
		{TMODEL_STRING, "", ""}, {TMODEL_STRING, "a'b", "a'b"},
		{TMODEL_INT32, "0", "0"}, {TMODEL_INT32, "-0", "0"},
		{TMODEL_INT32, "-2147483648", "-2147483648"},
		{TMODEL_INT32, "2147483648", NULL}, {TMODEL_INT32, "", NULL},
		{TMODEL_INT32, "-", NULL}, {TMODEL_INT32, "1.0", NULL},
		{TMODEL_INT32, " 1", NULL}, {TMODEL_INT32, "+1", NULL},
		{TMODEL_INT64, "-9223372036854775808", "-9223372036854775808"},
		{TMODEL_INT64, "9223372036854775807", "9223372036854775807"},
		{TMODEL_INT64, "9223372036854775808", NULL},
		{TMODEL_INT64, "99999999999999999999", NULL},
		{TMODEL_DOUBLE, "3", "3"}, {TMODEL_DOUBLE, "3.0", "3"},
		{TMODEL_DOUBLE, "0.1", "0.1"}, {TMODEL_DOUBLE, "1E+300", "1e+300"},
		{TMODEL_DOUBLE, "5e-324", "5e-324"}, {TMODEL_DOUBLE, "-0.0", "-0"},
		{TMODEL_DOUBLE, "NaN", "NaN"}, {TMODEL_DOUBLE, "Infinity", "Infinity"},
		{TMODEL_DOUBLE, "-Infinity", "-Infinity"},
		{TMODEL_DOUBLE, "inf", NULL}, {TMODEL_DOUBLE, "0x10", NULL},
		{TMODEL_DOUBLE, "1e999", NULL}, {TMODEL_DOUBLE, "1e-999", "0"},
		{TMODEL_DOUBLE, "", NULL}, {TMODEL_DOUBLE, ".5", NULL},
		{TMODEL_DOUBLE, "1.", NULL}, {TMODEL_DOUBLE, "1e", NULL},
		{TMODEL_DOUBLE,
			"0.30000000000000004440892098500626161694526672363281250000000000",
		"0.30000000000000004"},
		{TMODEL_BOOLEAN, "true", "true"}, {TMODEL_BOOLEAN, "false", "false"},
		{TMODEL_BOOLEAN, "True", NULL}, {TMODEL_BOOLEAN, "", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00Z", "2024-01-31T00:00:00Z"},
		{TMODEL_DATETIME, "2017-11-10T02:44:50.40746Z",
		"2017-11-10T02:44:50.4074600Z"},
		{TMODEL_DATETIME, "2017-11-10T02:44:50.3846037Z",
		"2017-11-10T02:44:50.3846037Z"},
		{TMODEL_DATETIME, "2024-01-31T00:00:00.0Z", "2024-01-31T00:00:00Z"},
		{TMODEL_DATETIME, "1601-01-01T00:00:00Z", "1601-01-01T00:00:00Z"},
		{TMODEL_DATETIME, "9999-12-31T23:59:59.9999999Z",
		"9999-12-31T23:59:59.9999999Z"},
		{TMODEL_DATETIME, "2000-02-29T12:00:00Z", "2000-02-29T12:00:00Z"},
		{TMODEL_DATETIME, "1900-02-29T12:00:00Z", NULL},
		{TMODEL_DATETIME, "2024-12-31T12:00:00Z", "2024-12-31T12:00:00Z"},
		{TMODEL_DATETIME, "1600-12-31T00:00:00Z", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00.Z", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00.12345678Z", NULL},
		{TMODEL_DATETIME, "2024-01-31T24:00:00Z", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:60Z", NULL},
		{TMODEL_DATETIME, "2024-13-31T00:00:00Z", NULL},
		{TMODEL_DATETIME, "2024-01-00T00:00:00Z", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00Zx", NULL},
		{TMODEL_DATETIME, "2024-01-31T00:00:00+01:00", NULL},
		{TMODEL_GUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
		"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{TMODEL_GUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A1", NULL},
		{TMODEL_GUID, "A0EEBC999C0B-4EF8-BB6D-6BB9BD380A111", NULL},
		{TMODEL_GUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A1g", NULL},
		{TMODEL_BINARY, "", ""}, {TMODEL_BINARY, "AA==", "AA=="},
		{TMODEL_BINARY, "AP8Q", "AP8Q"}, {TMODEL_BINARY, "+/8=", "+/8="},
		{TMODEL_BINARY, "AA=", NULL}, {TMODEL_BINARY, "A===", NULL},
		{TMODEL_BINARY, "AB==", NULL}, {TMODEL_BINARY, "A=AA", NULL},
		{TMODEL_BINARY, "====", NULL}, {TMODEL_BINARY, "AA-_", NULL},
		{TMODEL_BINARY, "A A=", NULL},
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const char *got = reprinted(cases[i].type, cases[i].text);

		if (!unit_check_str(__FILE__, __LINE__, cases[i].text, got,
							cases[i].printed))
			break;
	}
	tmodel_arena_reset(&arena);
}

/* Every day from 1601 to 9999 survives, in ascending text order. */
UNIT_TEST(value_every_day)
{
	char		last[40] = "";

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int64_t day = 0; day * INT64_C(864000000000) <= TMODEL_TICKS_MAX;
		 day++)
	{
		tmodel_value value = tmodel_datetime(day * INT64_C(864000000000));
		tmodel_value back;
		tmodel_buf	buf;

		tmodel_buf_init(&buf, &arena);
		CHECK(tmodel_value_print(&buf, &value));
		CHECK(tmodel_value_parse(&arena, TMODEL_DATETIME,
								 tmodel_buf_text(&buf), &back));
		CHECK(tmodel_value_equal(&value, &back));
		CHECK(strcmp(last, buf.data) < 0);
		snprintf(last, sizeof(last), "%s", buf.data);
		if (day % 1000 == 0)
			tmodel_arena_reset(&arena);
	}
	CHECK_STR(last, "9999-12-31T00:00:00Z");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(value_outside_datetime_does_not_print)
{
	tmodel_value before = tmodel_datetime(-1);
	tmodel_value after = tmodel_datetime(TMODEL_TICKS_MAX + 1);
	tmodel_buf	buf;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&buf, &arena);
	CHECK(!tmodel_value_print(&buf, &before));
	CHECK(!tmodel_value_print(&buf, &after));
	tmodel_arena_reset(&arena);
}

/* All doubles read back equal. */
UNIT_TEST(value_doubles_read_back)
{
	uint64_t	state = 88172645463325252u;

	for (int i = 0; i < 50000; i++)
	{
		tmodel_value value = tmodel_double(0);
		tmodel_value back;
		tmodel_buf	buf;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(&value.u.number, &state, sizeof(double));
		tmodel_arena_init(&arena, &tmodel_malloc);
		tmodel_buf_init(&buf, &arena);
		CHECK(tmodel_value_print(&buf, &value));
		CHECK(tmodel_value_parse(&arena, TMODEL_DOUBLE, tmodel_buf_text(&buf),
								 &back));
		CHECK(tmodel_value_equal(&value, &back));
		tmodel_arena_reset(&arena);
	}
}

UNIT_TEST(value_base64_round_trip)
{
	char		bytes[40];

	for (int i = 0; i < 40; i++)
		bytes[i] = (char) (i * 37 + 200);
	for (size_t len = 0; len <= sizeof(bytes); len++)
	{
		tmodel_value value = {.type = TMODEL_BINARY, .u.bytes = {bytes, len}};
		tmodel_value back;
		tmodel_buf	buf;

		tmodel_arena_init(&arena, &tmodel_malloc);
		tmodel_buf_init(&buf, &arena);
		CHECK(tmodel_value_print(&buf, &value));
		CHECK(tmodel_value_parse(&arena, TMODEL_BINARY, tmodel_buf_text(&buf),
								 &back));
		CHECK(tmodel_value_equal(&value, &back));
		tmodel_arena_reset(&arena);
	}
}

UNIT_TEST(value_equality_and_copies)
{
	tmodel_value text = tmodel_string(TMODEL_SPAN("5"));
	tmodel_value five = tmodel_int32(5);
	tmodel_value wide = tmodel_int64(5);
	tmodel_value nan = tmodel_double(NAN);
	tmodel_value zero = tmodel_double(0);
	tmodel_value minus = tmodel_double(-0.0);
	tmodel_value copy;

	CHECK(!tmodel_value_equal(&text, &five));
	CHECK(!tmodel_value_equal(&five, &wide));
	CHECK(tmodel_value_equal(&nan, &nan));
	CHECK(!tmodel_value_equal(&nan, &zero));
	CHECK(tmodel_value_equal(&zero, &minus));
	tmodel_arena_init(&arena, &tmodel_malloc);
	copy = tmodel_value_copy(&arena, &text);
	CHECK(copy.u.bytes.data != text.u.bytes.data);
	CHECK(tmodel_value_equal(&text, &copy));
	tmodel_arena_reset(&arena);
}

UNIT_TEST(value_type_names)
{
	for (int type = TMODEL_STRING; type <= TMODEL_BINARY; type++)
	{
		const char *name = tmodel_type_name((tmodel_type) type);

		CHECK_INT(tmodel_type_of_name(tmodel_span_of(name)), type);
		CHECK_INT(tmodel_type_of_name(tmodel_span_of(name + 4)), type);
	}
	CHECK_STR(tmodel_type_name(TMODEL_NULL), NULL);
	CHECK_STR(tmodel_type_name(TMODEL_DATETIME), "Edm.DateTime");
	CHECK_INT(tmodel_type_of_name(TMODEL_SPAN("Edm.")), TMODEL_NULL);
	CHECK_INT(tmodel_type_of_name(TMODEL_SPAN("")), TMODEL_NULL);
	CHECK_INT(tmodel_type_of_name(TMODEL_SPAN("edm.string")), TMODEL_NULL);
}

UNIT_TEST(utf16_units)
{
	CHECK_INT(tmodel_utf16_units(TMODEL_SPAN("")), 0);
	CHECK_INT(tmodel_utf16_units(TMODEL_SPAN("a\xC3\xA9\xE2\x82\xAC")), 3);
	CHECK_INT(tmodel_utf16_units(TMODEL_SPAN("\xF0\x9F\x98\x80")), 2);
}

/* Decoding is the inverse of encoding, and refuses all else. */
UNIT_TEST(utf8_strict)
{
	static const char *const bad[] = {
		"\x80", "\xC0\x80", "\xC1\xBF", "\xC3", "\xE0\x80\x80", "\xE2\x82",
		"\xED\xA0\x80", "\xF0\x80\x80\x80", "\xF4\x90\x80\x80",
		"\xF5\x80\x80\x80", "\xFF", "a\xC3z"
	};

	for (uint32_t code = 0; code <= 0x10FFFF; code++)
	{
		char		bytes[4];
		uint32_t	back;
		int			n = tmodel_utf8_encode(code, bytes);
		bool		surrogate = code >= 0xD800 && code <= 0xDFFF;

		CHECK_INT(tmodel_utf8_decode(bytes, (size_t) n, &back),
				  surrogate ? 0 : n);
		CHECK(surrogate || back == code);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!tmodel_utf8_valid(tmodel_span_of(bad[i])));
	CHECK(tmodel_utf8_valid(TMODEL_SPAN("")));
}
