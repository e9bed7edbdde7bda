/*
 * test_model_list.c
 *	  Arrays in an Edm.String: what is read, what is refused, what is written.
 */
#include "unit.h"

#include "model/list.h"

static tmodel_arena arena;

/* Parses and prints with every element quoted; NULL when refused. */
static const char *
canonical(const char *json)
{
	tmodel_list list;
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	if (!tmodel_list_parse(&arena, tmodel_span_of(json), &list) ||
		!tmodel_list_print(&buf, &list, NULL))
		return NULL;
	return buf.data;
}

UNIT_TEST(list_reads_and_writes)
{
	static const char *const cases[][2] = {
		{"[]", "[]"},
		{" [ ] ", "[]"},
		{"[\"a\",\"b\"]", "[\"a\",\"b\"]"},
		{"\t[ \"a\" ,\r\n null ]", "[\"a\",null]"},
		{"[1,-2.5e+10,0,0.5E3,true,false]",
		"[\"1\",\"-2.5e+10\",\"0\",\"0.5E3\",\"true\",\"false\"]"},
		{"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]",
		"[\"\\\"\\\\/\\u0008\\u000c\\u000a\\u000d\\u0009\"]"},
		{"[\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"]",
		"[\"A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"]"},
		/* half a surrogate pair costs one character, not the row */
		{"[\"\\ud83d\",\"\\ude00x\",\"\\ud83d\\u0041\"]",
		"[\"\xEF\xBF\xBD\",\"\xEF\xBF\xBDx\",\"\xEF\xBF\xBD" "A\"]"},
		{"[\"\x7F\xC3\xA9\"]", "[\"\x7F\xC3\xA9\"]"},
		{"[\"\"]", "[\"\"]"},
		{"[1,2,3,4,5,6,7,8,9,10]",
		"[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\",\"10\"]"},
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_STR(canonical(cases[i][0]), cases[i][1]);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(list_refuses)
{
	static const char *const cases[] = {
		"", " ", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[]]", "[] x",
		"{}", "[{}]", "[[1]]", "\"a\"", "1", "null", "[nul]", "[True]", "[01]",
		"[1.]", "[.5]", "[1e]", "[+1]", "[-]", "[NaN]", "[nullx]", "[\"a]",
		"[\"a\\", "[\"\\x\"]", "[\"\\u12\"]", "[\"\\u12g4\"]", "[\"\\u0000\"]",
		"[\"\\ud83d\\u\"]", "[\"\\ud83d\\u0000\"]", "[\"\n\"]", "[\"\x80\"]", "[\"\xC3\"]",
		"[\"\xC0\x80\"]", "[\"\xED\xA0\x80\"]", "[\"\xF4\x90\x80\x80\"]",
		"['a']"
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		if (canonical(cases[i]) != NULL)
			UNIT_FAIL("case %d is read: %s", (int) i, cases[i]);
	}
	tmodel_arena_reset(&arena);
}

UNIT_TEST(list_writes_bare_elements)
{
	tmodel_element elements[3] = {
		{false, TMODEL_SPAN("1.5")}, {true, {NULL, 0}},
		{false, TMODEL_SPAN("x")}
	};
	tmodel_list list = {3, elements};
	bool		quoted[3] = {false, false, true};
	tmodel_buf	buf;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&buf, &arena);
	CHECK(tmodel_list_print(&buf, &list, quoted));
	CHECK_STR(buf.data, "[1.5,null,\"x\"]");
	tmodel_arena_reset(&arena);
}
