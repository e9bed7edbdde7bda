/*
 * test_model_escape.c
 *	  Escapes of JSON strings: every kind, cut off everywhere.
 */
#include "unit.h"

#include "model/escape.h"

/* The bytes read behind the backslash; the code in *code. */
static int
escape(const char *text, uint32_t *code)
{
	*code = 0xAAAAAAAA;
	return (int) tmodel_escape_read(tmodel_span_of(text), 0, code);
}

UNIT_TEST(escape_kinds)
{
	static const struct
	{
		const char *text;
		int			len;
		uint32_t	code;
	}			cases[] = {
		{"\"x", 1, '"'}, {"\\", 1, '\\'}, {"/", 1, '/'}, {"b", 1, 8},
		{"f", 1, 12}, {"n1", 1, 10}, {"r", 1, 13}, {"t", 1, 9},
		{"u0041", 5, 'A'}, {"u0000", 5, 0}, {"uFFfe1", 5, 0xFFFE},
		{"ud7ff", 5, 0xD7FF}, {"ue000", 5, 0xE000},
		{"ud800\\udc00", 11, 0x10000}, {"uDBFF\\uDFFF", 11, 0x10FFFF},
		{"ud83d\\ude00\\ude00", 11, 0x1F600},
		/* halves, and what follows them is not eaten */
		{"ud83d", 5, 0xFFFD}, {"ude00", 5, 0xFFFD}, {"ud83dx", 5, 0xFFFD},
		{"ud83d\\n", 5, 0xFFFD}, {"ud83d\\u0041", 5, 0xFFFD},
		{"ud83d\\ud83d\\ude00", 5, 0xFFFD}, {"ude00\\ud83d", 5, 0xFFFD},
		{"ud83d\\ude0", 5, 0xFFFD}, {"ud83d\\ude0g", 5, 0xFFFD},
		{"ud83dxude00", 5, 0xFFFD}, {"ud83d\\xde00", 5, 0xFFFD},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		uint32_t	code;

		CHECK_INT(escape(cases[i].text, &code), cases[i].len);
		CHECK_INT(code, cases[i].code);
	}
}

UNIT_TEST(escape_refuses)
{
	static const char *const cases[] = {
		"", "x", "'", "0", "N", "u", "u1", "u12", "u123", "u123g", "u-123",
		"u 123", "u@bcd", "uG000", "u`abc", "U0041", "\x80"
	};
	uint32_t	code;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_INT(escape(cases[i], &code), 0);
	/* a zero byte is no name, though names end with one */
	CHECK_INT((int) tmodel_escape_read((tmodel_span) {"\0n", 2}, 0, &code), 0);
	CHECK_INT((int) tmodel_escape_read((tmodel_span) {"n", 1}, 1, &code), 0);
}
