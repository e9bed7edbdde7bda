/*
 * test_model_key.c
 *	  Encoding and decoding of keys: golden vectors, strictness, shortening.
 */
#include "unit.h"

#include "model/key.h"
#include "model/utf8.h"

#include <stdlib.h>

static tmodel_arena arena;

static const tmodel_key_type texts[4] = {
	TMODEL_KEY_TEXT, TMODEL_KEY_TEXT, TMODEL_KEY_TEXT, TMODEL_KEY_TEXT
};

/* Reads \uXXXX, \u{X..}, \xXX (all code points) and \\ in a vector. */
static tmodel_span
unescape(const char *text)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_append(&buf, "", 0);
	while (*text != '\0')
	{
		char		digits[9] = "";
		const char *start = text + 2;
		size_t		len = 0;

		if (text[0] != '\\' || text[1] == '\\')
		{
			text += text[0] == '\\';
			tmodel_buf_putc(&buf, *text++);
			continue;
		}
		if (*start == '{')
			len = strcspn(++start, "}");
		else
			len = text[1] == 'x' ? 2 : 4;
		memcpy(digits, start, len < 8 ? len : 8);
		tmodel_utf8_append(&buf, (uint32_t) strtoul(digits, NULL, 16));
		text = start + len + (start > text + 2);
	}
	return tmodel_buf_text(&buf);
}

/* The key type of a vector's first column. */
static int
type_of_name(const char *name)
{
	static const char *const names[] = {
		"text", "int16", "int32", "int64", "bool", "date", "timestamp",
		"timestamptz", "uuid"
	};

	for (int i = 0; i < 9; i++)
	{
		if (strcmp(names[i], name) == 0)
			return i;
	}
	return -1;
}

/* The value of a vector's SQL text. */
static bool
value_of(tmodel_key_type type, tmodel_span text, tmodel_value *value)
{
	tmodel_buf	buf;

	switch (type)
	{
		case TMODEL_KEY_TEXT:
			*value = tmodel_string(text);
			return true;
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
			return tmodel_value_parse(&arena, TMODEL_INT32, text, value);
		case TMODEL_KEY_INT64:
			return tmodel_value_parse(&arena, TMODEL_INT64, text, value);
		case TMODEL_KEY_BOOL:
			return tmodel_value_parse(&arena, TMODEL_BOOLEAN, text, value);
		case TMODEL_KEY_UUID:
			return tmodel_value_parse(&arena, TMODEL_GUID, text, value);
		default:
			tmodel_buf_init(&buf, &arena);
			tmodel_buf_span(&buf, text);
			if (type == TMODEL_KEY_DATE)
				tmodel_buf_puts(&buf, " 00:00:00");
			buf.data[10] = 'T';
			tmodel_buf_putc(&buf, 'Z');
			return tmodel_value_parse(&arena, TMODEL_DATETIME,
									  tmodel_buf_text(&buf), value);
	}
}

/* One vector: encodes as said, and back again. */
static void
check_vector(char *line)
{
	char	   *field[4];
	int			type;
	tmodel_key_encoding encoding;
	tmodel_key_type key_type;
	tmodel_key_status status;
	tmodel_value value;
	tmodel_value back;
	tmodel_span key;

	for (int i = 0; i < 4; i++)
		field[i] = strsep(&line, "\t");
	CHECK(field[3] != NULL);
	type = type_of_name(field[0]);
	CHECK(type >= 0);
	key_type = (tmodel_key_type) type;
	encoding = strcmp(field[1], "raw") == 0 ? TMODEL_KEY_RAW :
		TMODEL_KEY_ESCAPED;
	CHECK(value_of(key_type, unescape(field[2]), &value));
	status = tmodel_key_encode(&arena, encoding, 1, &key_type, &value, &key);
	if (strcmp(field[3], "<illegal>") == 0)
	{
		CHECK_INT(status, TMODEL_KEY_ILLEGAL);
		return;
	}
	if (strcmp(field[3], "<mismatch>") == 0)
	{
		CHECK_INT(status, TMODEL_KEY_MISMATCH);
		return;
	}
	CHECK_INT(status, TMODEL_KEY_OK);
	CHECK_STR(key.data, field[3]);
	CHECK_INT(tmodel_key_check(key), TMODEL_KEY_OK);
	CHECK_INT(tmodel_key_decode(&arena, encoding, 1, &key_type, key, &back),
			  TMODEL_KEY_OK);
	CHECK(tmodel_value_equal(&value, &back));
}

UNIT_TEST(key_golden_vectors)
{
	FILE	   *file = unit_open_vectors("key.tsv");
	char		line[1024];
	int			count = 0;

	if (file == NULL)
		return;
	tmodel_arena_init(&arena, &tmodel_malloc);
	while (!unit_failed() && fgets(line, sizeof(line), file) != NULL)
	{
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || line[0] == '\0')
			continue;
		check_vector(line);
		if (unit_failed())
			printf("  in vector %d: %s\n", count + 1, line);
		count++;
	}
	fclose(file);
	tmodel_arena_reset(&arena);
	CHECK(count >= 40);
}

/* Text that encoding never produces must not decode. */
UNIT_TEST(key_decode_is_strict)
{
	static const struct
	{
		tmodel_key_type type;
		tmodel_key_encoding encoding;
		const char *key;
	}			cases[] = {
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "a/b"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "*2f"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "*2"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "*"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "*41"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "\"2F"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "~A0"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "a\",b"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "a%b"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "a\x80"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_ESCAPED, "a\xC2\x85"},
		{TMODEL_KEY_TEXT, TMODEL_KEY_RAW, "a\xFF"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, "5"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, "00000000005"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, "2147483648"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, "-9999999999"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, "-7852516350"},
		{TMODEL_KEY_INT32, TMODEL_KEY_ESCAPED, ""},
		{TMODEL_KEY_INT16, TMODEL_KEY_ESCAPED, "-67230"},
		{TMODEL_KEY_INT16, TMODEL_KEY_ESCAPED, "32768"},
		{TMODEL_KEY_INT64, TMODEL_KEY_ESCAPED, "9223372036854775808"},
		{TMODEL_KEY_INT64, TMODEL_KEY_ESCAPED, "-0776627963145224190"},
		{TMODEL_KEY_INT32, TMODEL_KEY_RAW, "05"},
		{TMODEL_KEY_INT32, TMODEL_KEY_RAW, "-0"},
		{TMODEL_KEY_INT32, TMODEL_KEY_RAW, "+5"},
		{TMODEL_KEY_INT32, TMODEL_KEY_RAW, " 5"},
		{TMODEL_KEY_INT16, TMODEL_KEY_RAW, "32768"},
		{TMODEL_KEY_BOOL, TMODEL_KEY_ESCAPED, "true"},
		{TMODEL_KEY_BOOL, TMODEL_KEY_RAW, "t"},
		{TMODEL_KEY_DATE, TMODEL_KEY_ESCAPED, "2024-02-30"},
		{TMODEL_KEY_DATE, TMODEL_KEY_ESCAPED, "2024-2-3"},
		{TMODEL_KEY_TIMESTAMP, TMODEL_KEY_ESCAPED, "2024-01-31T12:00:00"},
		{TMODEL_KEY_TIMESTAMP, TMODEL_KEY_ESCAPED,
		"2024-01-31T12:00:00.00000Z"},
		{TMODEL_KEY_TIMESTAMP, TMODEL_KEY_ESCAPED,
		"2024-01-31 12:00:00.000000"},
		{TMODEL_KEY_TIMESTAMPTZ, TMODEL_KEY_ESCAPED,
		"2024-01-31T12:00:00.0000000"},
		{TMODEL_KEY_UUID, TMODEL_KEY_ESCAPED,
		"A0EEBC99-9c0b-4ef8-bb6d-6bb9bd380a11"},
		{TMODEL_KEY_UUID, TMODEL_KEY_ESCAPED,
		"a0eebc999c0b4ef8bb6d6bb9bd380a11"},
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tmodel_value value;
		tmodel_key_status status;

		status = tmodel_key_decode(&arena, cases[i].encoding, 1,
								   &cases[i].type,
								   tmodel_span_of(cases[i].key), &value);
		if (status != TMODEL_KEY_MALFORMED)
			UNIT_FAIL("\"%s\" decodes (status %d)", cases[i].key, status);
	}
	tmodel_arena_reset(&arena);
}

/* Every character survives, alone and in composite keys. */
UNIT_TEST(key_round_trip_of_all_characters)
{
	tmodel_arena_init(&arena, &tmodel_malloc);
	for (uint32_t code = 0; code <= 0x10FFFF && !unit_failed();
		 code += code < 0x3000 ? 1 : 97)
	{
		char		bytes[4];
		tmodel_value values[3];
		tmodel_value back[3];
		tmodel_span key;

		if (code >= 0xD800 && code <= 0xDFFF)
			continue;
		values[0].type = values[1].type = values[2].type = TMODEL_STRING;
		values[0].u.bytes.data = bytes;
		values[0].u.bytes.len = (size_t) tmodel_utf8_encode(code, bytes);
		values[1] = tmodel_string(TMODEL_SPAN(""));
		values[2] = values[0];
		CHECK_INT(tmodel_key_encode(&arena, TMODEL_KEY_ESCAPED, 3, texts,
									values, &key), TMODEL_KEY_OK);
		CHECK_INT(tmodel_key_check(key), TMODEL_KEY_OK);
		CHECK_INT(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 3, texts, key,
									back), TMODEL_KEY_OK);
		for (int i = 0; i < 3; i++)
			CHECK(tmodel_value_equal(&values[i], &back[i]));
		CHECK_INT(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 2, texts, key,
									back), TMODEL_KEY_MALFORMED);
		CHECK_INT(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 4, texts, key,
									back), TMODEL_KEY_MALFORMED);
		tmodel_arena_reset(&arena);
	}
}

/* A text of n times the unit. */
static tmodel_value
repeated(const char *unit, int n)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_append(&buf, "", 0);
	while (n-- > 0)
		tmodel_buf_puts(&buf, unit);
	return tmodel_string(tmodel_buf_text(&buf));
}

/* 512 units fit; 513 do not; astral characters count twice. */
UNIT_TEST(key_length_limit)
{
	static const struct
	{
		const char *unit;
		int			fits;		/* how many */
	}			cases[] = {
		{"a", 512}, {"\xC3\xA9", 512}, {"\xF0\x9F\x98\x80", 256}, {"/", 170}
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tmodel_value value = repeated(cases[i].unit, cases[i].fits);
		tmodel_span key;
		bool		shortened;

		CHECK_INT(tmodel_key_encode(&arena, TMODEL_KEY_ESCAPED, 1, texts,
									&value, &key), TMODEL_KEY_OK);
		value = repeated(cases[i].unit, cases[i].fits + 1);
		CHECK_INT(tmodel_key_encode(&arena, TMODEL_KEY_ESCAPED, 1, texts,
									&value, &key), TMODEL_KEY_TOO_LONG);
		CHECK_INT(tmodel_key_check(key), TMODEL_KEY_TOO_LONG);
		CHECK_INT(tmodel_key_encode_index(&arena, 1, texts, &value, &key,
										  &shortened), TMODEL_KEY_OK);
		CHECK(shortened);
		CHECK(tmodel_key_is_shortened(key));
		CHECK_INT(tmodel_key_check(key), TMODEL_KEY_OK);
	}
	tmodel_arena_reset(&arena);
}

/*
 * Wherever the cut falls, it falls between characters: what is kept decodes,
 * and at most two units are given away.
 */
UNIT_TEST(key_shortening_cuts_between_characters)
{
	static const char *const tails[] = {
		"/", "\xF0\x9F\x98\x80", "\xC3\xA9", "\xEE\x80\x80", "\x01", "a"
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int fill = 430; fill < 450; fill++)
	{
		for (int t = 0; t < 12; t++)
		{
			tmodel_value values[2] = {repeated("a", fill),
			repeated(tails[t % 6], 300)};
			tmodel_value back[2];
			tmodel_value other = repeated(tails[t % 6], 301);
			tmodel_span key;
			tmodel_span second;
			tmodel_span kept;
			size_t		units;
			bool		shortened;
			int			n = 2;

			/* odd rounds: one component, so that no separator is near */
			if (t >= 6)
			{
				tmodel_buf	buf;

				tmodel_buf_init(&buf, &arena);
				tmodel_buf_span(&buf, values[0].u.bytes);
				tmodel_buf_span(&buf, values[1].u.bytes);
				values[0] = tmodel_string(tmodel_buf_text(&buf));
				n = 1;
			}
			CHECK_INT(tmodel_key_encode_index(&arena, n, texts, values, &key,
											  &shortened), TMODEL_KEY_OK);
			CHECK(shortened && tmodel_key_is_shortened(key));
			units = tmodel_utf16_units(key);
			CHECK(units <= TMODEL_KEY_MAX_UNITS);
			CHECK(units >= TMODEL_KEY_MAX_UNITS - 2);
			kept = key;
			kept.len -= 66;
			CHECK(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 1, texts, kept,
									back) == TMODEL_KEY_OK ||
				  tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, 2, texts, kept,
									back) == TMODEL_KEY_OK);
			CHECK_INT(tmodel_key_decode(&arena, TMODEL_KEY_ESCAPED, n, texts,
										key, back), TMODEL_KEY_MALFORMED);
			/* the same prefix, another text: another hash */
			values[n - 1] = n == 2 ? other : values[0];
			if (n == 2)
			{
				CHECK_INT(tmodel_key_encode_index(&arena, n, texts, values,
												  &second, &shortened),
						  TMODEL_KEY_OK);
				CHECK(!tmodel_span_equal(key, second));
			}
		}
		tmodel_arena_reset(&arena);
	}
}

/* The hash is that of the full key, in lower case: a fixed vector. */
UNIT_TEST(key_shortened_vector)
{
	tmodel_value value;
	tmodel_span key;
	bool		shortened;

	tmodel_arena_init(&arena, &tmodel_malloc);
	value = repeated("a", 600);
	CHECK_INT(tmodel_key_encode_index(&arena, 1, texts, &value, &key,
									  &shortened), TMODEL_KEY_OK);
	CHECK_INT(key.len, 512);
	CHECK_STR(key.data + 444,
			  "aa~!"
			  "ba35c170729417f1499e0886e7e12fcdb4ab00ad411110ae1e888c766d4ed70d");
	tmodel_arena_reset(&arena);
}

/* A text that imitates a shortened key is escaped, so it is not one. */
UNIT_TEST(key_cannot_imitate_shortened)
{
	tmodel_value value;
	tmodel_span key;
	bool		shortened;
	char		text[67] = "~!";

	memset(text + 2, 'a', 64);
	value = tmodel_string(tmodel_span_of(text));
	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_key_is_shortened(tmodel_span_of(text)));
	CHECK_INT(tmodel_key_encode_index(&arena, 1, texts, &value, &key,
									  &shortened), TMODEL_KEY_OK);
	CHECK(!shortened && !tmodel_key_is_shortened(key));
	tmodel_arena_reset(&arena);
}

/* What tmodel_key_check says about keys from elsewhere. */
UNIT_TEST(key_check)
{
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("")), TMODEL_KEY_OK);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("100% 'x' \"y\" +")),
			  TMODEL_KEY_OK);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a/b")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a\\b")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a#b")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a?b")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a\x7F")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a\xC2\x9F")), TMODEL_KEY_ILLEGAL);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a\xC2\xA0")), TMODEL_KEY_OK);
	CHECK_INT(tmodel_key_check(TMODEL_SPAN("a\xED\xA0\x80")),
			  TMODEL_KEY_ILLEGAL);
}
