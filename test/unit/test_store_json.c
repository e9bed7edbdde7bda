/*
 * test_store_json.c
 *	  The JSON scanner: what it hands out, what it refuses, wherever the text
 *	  ends.
 */
#include "unit.h"

#include "store/json.h"

#include <stdlib.h>
#include <string.h>

static tmodel_arena arena;
static tmodel_buf events;
static int	stop_after;

static bool
note(void *ctx, tstore_json_kind kind, tmodel_span text)
{
	static const char letters[] = "?ntf#sk{}[]";

	(void) ctx;
	tmodel_buf_putc(&events, kind == TSTORE_JSON_NULL ? 'n' :
					kind == TSTORE_JSON_TRUE ? 't' :
					kind == TSTORE_JSON_FALSE ? 'f' :
					kind == TSTORE_JSON_NUMBER ? '#' :
					kind == TSTORE_JSON_STRING ? 's' :
					kind == TSTORE_JSON_KEY ? 'k' :
					kind == TSTORE_JSON_BEGIN_OBJECT ? '{' :
					kind == TSTORE_JSON_END_OBJECT ? '}' :
					kind == TSTORE_JSON_BEGIN_ARRAY ? '[' : letters[10]);
	tmodel_buf_span(&events, text);
	return stop_after < 0 || --stop_after > 0;
}

/* From memory of just its size, so that a sanitizer sees every byte too many. */
static tstore_json_status
parse(const char *json, size_t len)
{
	char	   *copy = malloc(len > 0 ? len : 1);
	tstore_json_status status;

	memcpy(copy, json, len);
	tmodel_buf_init(&events, &arena);
	tmodel_buf_puts(&events, "");
	status = tstore_json_parse(&arena, (tmodel_span) {copy, len}, note, NULL);
	free(copy);
	return status;
}

UNIT_TEST(json_events)
{
	static const char *const cases[][2] = {
		{"{}", "{}"}, {" [ ] ", "[]"}, {"null", "n"}, {"\t\r\n true ", "t"},
		{"\"a\"", "sa"}, {"-0.5e+10", "#-0.5e+10"}, {"0", "#0"},
		{"{\"a\":1,\"b\":[true,false,null,\"x\"],\"c\":{}}",
		"{ka#1kb[tfnsx]kc{}}"},
		{"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]", "[s\"\\/\b\f\n\r\t]"},
		{"[\"a\\u0041\\u00e9\\u20AC\\ud83d\\uDE00z\"]",
		"[saA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z]"},
		{"[\"\\ud83d\",\"\\ud83dx\",\"\\ude00\",\"\\ud83d\\u0041\"]",
		"[s\xEF\xBF\xBDs\xEF\xBF\xBDxs\xEF\xBF\xBDs\xEF\xBF\xBD" "A]"},
		{"[\"0123456789abcdef\xC3\xA9" "0123456\\n\"]",
		"[s0123456789abcdef\xC3\xA9" "0123456\n]"},
		{"[\"\",\"1234567\",\"12345678\",\"\x7F\"]",
		"[ss1234567s12345678s\x7F]"},
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	stop_after = -1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		CHECK_INT(parse(cases[i][0], strlen(cases[i][0])), TSTORE_JSON_OK);
		CHECK_STR(events.data, cases[i][1]);
	}
	CHECK_INT(parse("\"a\\u0000b\"", 10), TSTORE_JSON_OK);
	CHECK_INT(events.len, 4);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(json_refuses)
{
	static const char *const cases[] = {
		" ", "{", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[]]", "[] x",
		"{]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "[\"a\":1]",
		"{\"a\":1 \"b\":2}", "nul", "True", "01", "1.", ".5", "1e", "+1", "-", "NaN",
		"nullx", "\"a", "\"a\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\ud83d\\u\"",
		"\"\n\"", "\"\x80\"", "\"\xC3\"", "\"\xC0\x80\"", "\"\xED\xA0\x80\"",
		"\"\xF4\x90\x80\x80\"", "'a'", "\"1234567\x01\"", "\"12345678\x1F\"",
		"// x\n1", "1 1"
	};
	char		deep[1001];

	tmodel_arena_init(&arena, &tmodel_malloc);
	stop_after = -1;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (parse(cases[i], strlen(cases[i])) != TSTORE_JSON_MALFORMED)
			UNIT_FAIL("taken: %s", cases[i]);
	CHECK_INT(parse("", 0), TSTORE_JSON_MALFORMED);
	memset(deep, '[', 1000);
	CHECK_INT(parse(deep, 1000), TSTORE_JSON_MALFORMED);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(json_ends_anywhere)
{
	static const char whole[] =
		"{\"value\":[{\"a\":\"12345678901234567890\xC3\xA9\\u00e9\\ud83d\\ude00\","
		"\"b\":-1.5e+7,\"c\":[true,false,null]}]}";

	tmodel_arena_init(&arena, &tmodel_malloc);
	stop_after = -1;
	for (size_t len = 0; len < sizeof(whole) - 1; len++)
		CHECK_INT(parse(whole, len), TSTORE_JSON_MALFORMED);
	CHECK_INT(parse(whole, sizeof(whole) - 1), TSTORE_JSON_OK);
	for (int n = 1; n < 10; n++)
	{
		stop_after = n;
		CHECK_INT(parse(whole, sizeof(whole) - 1), TSTORE_JSON_STOPPED);
	}
	tmodel_arena_reset(&arena);
}
