/*
 * test_model_section.c
 *	  RowKeys that are no fact's: the prefix, keys and ranges of a section.
 */
#include "unit.h"

#include "model/section.h"

#include <stdlib.h>

static tmodel_arena arena;
static const tmodel_key_type texts[] = {TMODEL_KEY_TEXT, TMODEL_KEY_TEXT};

static const tmodel_span section = {"\"!imovies!", 10};

static tmodel_value
text(const char *bytes)
{
	return tmodel_string(tmodel_span_of(bytes));
}

/* The text of one code point and another one. */
static tmodel_value
two_characters(uint32_t first, const char *second)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	if (first < 0x80)
		tmodel_buf_putc(&buf, (char) first);
	else if (first < 0x800)
		tmodel_buf_printf(&buf, "%c%c", (int) (0xC0 | first >> 6),
						  (int) (0x80 | (first & 0x3F)));
	else if (first < 0x10000)
		tmodel_buf_printf(&buf, "%c%c%c", (int) (0xE0 | first >> 12),
						  (int) (0x80 | (first >> 6 & 0x3F)),
						  (int) (0x80 | (first & 0x3F)));
	else
		tmodel_buf_printf(&buf, "%c%c%c%c", (int) (0xF0 | first >> 18),
						  (int) (0x80 | (first >> 12 & 0x3F)),
						  (int) (0x80 | (first >> 6 & 0x3F)),
						  (int) (0x80 | (first & 0x3F)));
	tmodel_buf_puts(&buf, second);
	return tmodel_string(tmodel_buf_text(&buf));
}

/* No text's key is reserved, whatever it begins with, alone or composite. */
UNIT_TEST(section_no_fact_key_is_reserved)
{
	static const char *const seconds[] = {"", "!", "\"", "!i", ",", "2"};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (uint32_t code = 1; code <= 0x10FFFF && !unit_failed();
		 code += code < 0x3000 ? 1 : 61)
	{
		if (code >= 0xD800 && code <= 0xDFFF)
			continue;
		for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		{
			tmodel_value values[2] = {two_characters(code, seconds[i]),
			text("!")};
			tmodel_span key;

			for (int n = 1; n <= 2; n++)
			{
				CHECK_INT(tmodel_key_encode(&arena, TMODEL_KEY_ESCAPED, n,
											texts, values, &key),
						  TMODEL_KEY_OK);
				CHECK(!tmodel_key_is_reserved(key));
			}
		}
		tmodel_arena_reset(&arena);
	}
}

/* Nor is an empty text's, nor that of any other type's smallest and largest. */
UNIT_TEST(section_no_typed_key_is_reserved)
{
	tmodel_value values[] = {text(""), tmodel_int32(INT16_MIN),
		tmodel_int32(INT32_MIN), tmodel_int64(INT64_MIN), tmodel_boolean(false),
		tmodel_datetime(0), tmodel_datetime(0), tmodel_datetime(0)};
	static const tmodel_key_type types[] = {TMODEL_KEY_TEXT, TMODEL_KEY_INT16,
		TMODEL_KEY_INT32, TMODEL_KEY_INT64, TMODEL_KEY_BOOL, TMODEL_KEY_DATE,
	TMODEL_KEY_TIMESTAMP, TMODEL_KEY_TIMESTAMPTZ};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
	{
		tmodel_key_type both[2] = {types[i], TMODEL_KEY_TEXT};
		tmodel_value pair[2] = {values[i], text("!")};
		tmodel_span key;

		for (int n = 1; n <= 2; n++)
		{
			CHECK_INT(tmodel_key_encode(&arena, TMODEL_KEY_ESCAPED, n, both,
										pair, &key), TMODEL_KEY_OK);
			CHECK(!tmodel_key_is_reserved(key));
			/* one comparison keeps typed keys and drops what is reserved */
			if (i > 0)
				CHECK(tmodel_utf16_compare(key, TMODEL_SPAN(TMODEL_RESERVED_KEY_END)) >= 0);
		}
	}
	tmodel_arena_reset(&arena);
}

UNIT_TEST(section_of_index)
{
	const tmodel_span name = TMODEL_SPAN("Movies");
	char		room[16];
	size_t		n = tmodel_section_of_index(name, room);

	CHECK_INT(TMODEL_SECTION_ROOM(name), n);
	CHECK(tmodel_span_equal((tmodel_span) {room, n}, section));
	CHECK(tmodel_key_is_reserved(section));
}

/* Every key lies in the range of every comparison that its value satisfies. */
static void
check_ranges(int nvalues, const tmodel_value *values)
{
	static const tmodel_compare ops[] = {TMODEL_EQ, TMODEL_LT, TMODEL_LE,
	TMODEL_GT, TMODEL_GE};

	for (int i = 0; i < nvalues * nvalues; i++)
		for (int o = 0; o < 5; o++)
		{
			const tmodel_value *value = &values[i / nvalues];
			const tmodel_value *constant = &values[i % nvalues];
			int			cmp = tmodel_span_compare(value->u.bytes,
												  constant->u.bytes);
			bool		holds = ops[o] == TMODEL_EQ ? cmp == 0 :
				ops[o] == TMODEL_LT ? cmp < 0 : ops[o] == TMODEL_LE ? cmp <= 0 :
				ops[o] == TMODEL_GT ? cmp > 0 : cmp >= 0;
			tmodel_value pair[2] = {*value, text("id")};
			tmodel_key_range range;
			tmodel_span key;
			bool		shortened;

			tmodel_key_range_all(&range);
			CHECK_INT(tmodel_section_key(&arena, section, 2, texts, pair, &key,
										 &shortened), TMODEL_KEY_OK);
			CHECK_INT(tmodel_key_check(key), TMODEL_KEY_OK);
			CHECK_INT(tmodel_key_narrow(&arena, &range, TMODEL_KEY_ESCAPED, 2,
										texts, 0, NULL, ops[o], constant),
					  TMODEL_KEY_OK);
			CHECK(tmodel_section_range(&arena, section, &range));
			if (holds && !tmodel_key_in_range(key, &range))
				UNIT_FAIL("value %d is not in the range of op %d with %d",
						  i / nvalues, o, i % nvalues);
		}
}

/* Also around the lengths at which keys are shortened. */
UNIT_TEST(section_ranges_lose_nothing)
{
	tmodel_value values[24];
	int			n = 0;
	static const int lengths[] = {0, 1, 360, 420, 425, 430, 435, 440, 480, 520};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
		for (int tail = 0; tail < 2; tail++)
		{
			tmodel_buf	buf;

			tmodel_buf_init(&buf, &arena);
			tmodel_buf_puts(&buf, "");
			for (int j = 0; j < lengths[i]; j++)
				tmodel_buf_putc(&buf, 'm');
			tmodel_buf_puts(&buf, tail == 0 ? "" : "/x");
			values[n++] = tmodel_string(tmodel_buf_text(&buf));
		}
	check_ranges(n, values);
	tmodel_arena_reset(&arena);
}

/* Different values, different keys, however long; short ones read back. */
UNIT_TEST(section_keys_stay_distinct)
{
	char		longest[600];
	tmodel_value values[2] = {text("a/b"), text("!")};
	tmodel_value back[2];
	tmodel_span key;
	tmodel_span other;
	bool		shortened;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tmodel_section_key(&arena, section, 2, texts, values, &key,
								 &shortened), TMODEL_KEY_OK);
	CHECK(!shortened && tmodel_key_is_reserved(key));
	CHECK_INT(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 2, texts,
								tmodel_section_strip(section, key), back),
			  TMODEL_KEY_OK);
	CHECK(tmodel_value_equal(&values[0], &back[0]));
	memset(longest, 'x', sizeof(longest));
	for (size_t len = 490; len < sizeof(longest); len++)
	{
		values[0] = tmodel_string((tmodel_span) {longest, len});
		CHECK_INT(tmodel_section_key(&arena, section, 1, texts, values, &key,
									 &shortened), TMODEL_KEY_OK);
		CHECK(shortened == (len + section.len > TMODEL_KEY_MAX_UNITS));
		CHECK(tmodel_key_is_shortened(key) == shortened);
		CHECK_INT(tmodel_key_check(key), TMODEL_KEY_OK);
		values[0].u.bytes.len--;
		CHECK_INT(tmodel_section_key(&arena, section, 1, texts, values, &other,
									 &shortened), TMODEL_KEY_OK);
		CHECK(!tmodel_span_equal(key, other));
	}
	tmodel_arena_reset(&arena);
}

static bool
shows(tmodel_key_type first, tmodel_key_range *range, const char *row_key)
{
	tmodel_entity entity = {.row_key = tmodel_span_of(row_key)};
	tmodel_filter *filter = tmodel_section_hide(&arena, first, range);

	return filter == NULL || tmodel_filter_matches(filter, &entity);
}

UNIT_TEST(section_hide)
{
	static const char *const facts[] = {"", " x", "!x", "\",x", "\"00", "\"25",
	"A", "\xC3\xA9"};
	tmodel_key_range all;
	tmodel_key_range below = {.has_upper = true,.upper = TMODEL_SPAN("\"!")};
	tmodel_key_range above = {.has_lower = true,.lower = TMODEL_SPAN("A")};

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_key_range_all(&all);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		CHECK(shows(TMODEL_KEY_TEXT, &all, facts[i]));
	CHECK(!shows(TMODEL_KEY_TEXT, &all, "\"!"));
	CHECK(!shows(TMODEL_KEY_TEXT, &all, "\"!imovies!x"));
	CHECK(!shows(TMODEL_KEY_INT32, &all, "\"!imovies!x"));
	CHECK(shows(TMODEL_KEY_INT32, &all, "-9999999999"));
	CHECK(tmodel_section_hide(&arena, TMODEL_KEY_TEXT, &below) == NULL);
	CHECK(tmodel_section_hide(&arena, TMODEL_KEY_TEXT, &above) == NULL);
	tmodel_arena_reset(&arena);
}
