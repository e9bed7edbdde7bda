/*
 * test_model_key_range.c
 *	  No range of keys may lose a key: all pairs of texts, all operators.
 *
 * The texts are over an alphabet of the characters where SQL's order (code
 * points) and the order of keys part.  Equality must be exact, and so must
 * every range whose constant has only letters and digits.
 */
#include "unit.h"

#include "model/key.h"
#include "model/utf8.h"

#include <stdlib.h>

static const uint32_t alphabet[] = {
	' ', '!', '"', '#', '$', '%', '*', '+', ',', '-', '.', '/', '0', '>', '?',
	'@', ']', '\\', '~', 0x7F, 0x01, 0x1F, 0x80, 0x9F, 0xA0, 0xD7FF, 0xE000,
	0xFFFD, 0x10000, 0x1F600, 'a', 'A'
};

#define LETTERS ((int) (sizeof(alphabet) / sizeof(alphabet[0])))
#define MAX_TEXTS 1600

static const tmodel_compare all_ops[] = {
	TMODEL_EQ, TMODEL_NE, TMODEL_LT, TMODEL_LE, TMODEL_GT, TMODEL_GE
};

static const tmodel_key_type two_texts[2] = {TMODEL_KEY_TEXT, TMODEL_KEY_TEXT};

/* The texts of a test, their keys, and where all of it lives. */
typedef struct texts
{
	tmodel_arena arena;
	tmodel_arena scratch;		/* reset for each constant */
	int			n;
	tmodel_span text[MAX_TEXTS];
	tmodel_span key[MAX_TEXTS];
} texts;

static texts all;
static uint32_t random_state;

/* A small generator, the same on every machine. */
static uint32_t
random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

static void
texts_begin(void)
{
	random_state = 12345;
	tmodel_arena_init(&all.arena, &tmodel_malloc);
	tmodel_arena_init(&all.scratch, &tmodel_malloc);
	all.n = 0;
}

static void
texts_end(void)
{
	tmodel_arena_reset(&all.arena);
	tmodel_arena_reset(&all.scratch);
}

/* Adds a text of "repeat" times 'a' and the given characters behind. */
static void
add_text(int repeat, const uint32_t *codes, int ncodes)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &all.arena);
	tmodel_buf_append(&buf, "", 0);
	while (repeat-- > 0)
		tmodel_buf_putc(&buf, 'a');
	for (int i = 0; i < ncodes; i++)
		tmodel_utf8_append(&buf, codes[i]);
	if (all.n < MAX_TEXTS)
		all.text[all.n++] = tmodel_buf_text(&buf);
}

/* Adds a random text behind "repeat" times 'a'. */
static void
add_random(int repeat, int length)
{
	uint32_t	codes[16];

	for (int i = 0; i < length; i++)
		codes[i] = alphabet[random_below((uint32_t) LETTERS)];
	add_text(repeat, codes, length);
}

/* Every text of up to two characters, and random longer ones. */
static void
add_short_texts(void)
{
	add_text(0, NULL, 0);
	for (int i = 0; i < LETTERS; i++)
	{
		add_text(0, &alphabet[i], 1);
		for (int j = 0; j < LETTERS; j++)
		{
			uint32_t	pair[2] = {alphabet[i], alphabet[j]};

			add_text(0, pair, 2);
		}
	}
	for (int i = 0; i < 300; i++)
		add_random(0, 3 + i % 4);
}

/* Does "x op c" hold by code points? */
static bool
holds(tmodel_compare op, tmodel_span x, tmodel_span c)
{
	int			cmp = tmodel_span_compare(x, c);

	switch (op)
	{
		case TMODEL_EQ:
			return cmp == 0;
		case TMODEL_NE:
			return true;		/* narrows nothing */
		case TMODEL_LT:
			return cmp < 0;
		case TMODEL_LE:
			return cmp <= 0;
		case TMODEL_GT:
			return cmp > 0;
		case TMODEL_GE:
			return cmp >= 0;
	}
	return false;
}

/* Only ASCII letters and digits? */
static bool
is_plain(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
	{
		if (!(text.data[i] == '0' || (text.data[i] | 32) == 'a'))
			return false;
	}
	return true;
}

/* Reports a pair in readable form. */
static void
report(const char *what, tmodel_compare op, tmodel_span x, tmodel_span c,
	   tmodel_span key, const tmodel_key_range *range)
{
	tmodel_arena arena;
	tmodel_buf	buf;
	tmodel_span shown[5] = {x, c, key, range->lower, range->upper};

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&buf, &arena);
	for (int i = 0; i < 5; i++)
	{
		tmodel_buf_puts(&buf, i == 0 ? "x <" : i == 1 ? "> c <" :
						i == 2 ? "> key <" : i == 3 ? "> from <" : "> to <");
		for (size_t j = 0; j < shown[i].len; j++)
			tmodel_buf_printf(&buf, shown[i].data[j] >= 0x20 &&
							  shown[i].data[j] < 0x7F ? "%c" : "\\x%02x",
							  (unsigned char) shown[i].data[j]);
	}
	UNIT_FAIL("%s op %d: %s>%s", what, (int) op, buf.data,
			  range->empty ? " empty" : "");
	tmodel_arena_reset(&arena);
}

/* How a column stands in its key. */
typedef struct placement
{
	const char *name;
	tmodel_key_encoding encoding;
	int			n;				/* components of the key */
	int			nprefix;		/* components before the column */
	bool		exact;			/* plain constants must give exact ranges */
} placement;

/* Every bound must be text that a key may contain. */
static bool
bounds_are_legal(const tmodel_key_range *range)
{
	tmodel_span bounds[2] = {range->lower, range->upper};

	for (int i = 0; i < 2; i++)
	{
		if (tmodel_key_check(bounds[i]) == TMODEL_KEY_ILLEGAL)
			return false;
	}
	return true;
}

/* One constant and operator against all keys. */
static void
check_constant(const placement *place, const tmodel_value *prefix,
			   tmodel_compare op, tmodel_span constant)
{
	tmodel_value value = tmodel_string(constant);
	tmodel_key_range range;

	tmodel_key_range_all(&range);
	CHECK_INT(tmodel_key_narrow(&all.scratch, &range, place->encoding,
								place->n, two_texts, place->nprefix, prefix,
								op, &value), TMODEL_KEY_OK);
	if (!bounds_are_legal(&range))
		report("illegal bound", op, constant, constant, constant, &range);
	for (int i = 0; i < all.n; i++)
	{
		bool		in;
		bool		wanted;

		if (all.key[i].data == NULL)
			continue;
		in = tmodel_key_in_range(all.key[i], &range);
		wanted = holds(op, all.text[i], constant);
		if (wanted && !in)
			report("lost", op, all.text[i], constant, all.key[i], &range);
		else if (in && !wanted &&
				 (op == TMODEL_EQ || (place->exact && is_plain(constant))))
			report("too wide", op, all.text[i], constant, all.key[i], &range);
		if (unit_failed())
			return;
	}
}

/* LIKE 'constant%' must be exact. */
static void
check_begins(const placement *place, const tmodel_value *prefix,
			 tmodel_span constant)
{
	tmodel_key_range range;

	tmodel_key_range_all(&range);
	CHECK_INT(tmodel_key_narrow_begins(&all.scratch, &range, place->encoding,
									   place->n, two_texts, place->nprefix,
									   prefix, constant), TMODEL_KEY_OK);
	for (int i = 0; i < all.n; i++)
	{
		tmodel_span x = all.text[i];
		bool		wanted = x.len >= constant.len &&
			(constant.len == 0 ||
			 memcmp(x.data, constant.data, constant.len) == 0);

		if (all.key[i].data == NULL ||
			tmodel_key_in_range(all.key[i], &range) == wanted)
			continue;
		if (wanted || place->exact)
		{
			report("begins", TMODEL_EQ, x, constant, all.key[i], &range);
			return;
		}
	}
}

/* Encodes every text's key; the other component varies. */
static void
encode_keys(const placement *place, const tmodel_value *prefix)
{
	static const char *const others[] = {"", " ", "a", "\x01", "!", "\""};

	for (int i = 0; i < all.n; i++)
	{
		tmodel_value values[2];
		bool		shortened;
		tmodel_key_status status;

		values[place->nprefix] = tmodel_string(all.text[i]);
		if (place->nprefix == 1)
			values[0] = *prefix;
		else
			values[1] = tmodel_string(tmodel_span_of(others[i % 6]));
		if (place->encoding == TMODEL_KEY_RAW)
			status = tmodel_key_encode(&all.arena, TMODEL_KEY_RAW, 1,
									   two_texts, values, &all.key[i]);
		else
			status = tmodel_key_encode_index(&all.arena, place->n, two_texts,
											 values, &all.key[i], &shortened);
		if (status != TMODEL_KEY_OK)
			all.key[i].data = NULL;
		else
			CHECK_INT(tmodel_key_check(all.key[i]), TMODEL_KEY_OK);
	}
}

/* All pairs in one placement. */
static void
check_placement(const placement *place, const char *prefix)
{
	tmodel_value value = tmodel_string(tmodel_span_of(prefix));

	encode_keys(place, &value);
	for (int i = 0; i < all.n && !unit_failed(); i++)
	{
		for (int op = 0; op < 6 && !unit_failed(); op++)
			check_constant(place, &value, all_ops[op], all.text[i]);
		if (!unit_failed())
			check_begins(place, &value, all.text[i]);
		tmodel_arena_reset(&all.scratch);
	}
}

static const placement only_text =
{"only", TMODEL_KEY_ESCAPED, 1, 0, true};
static const placement first_of_two =
{"first of two", TMODEL_KEY_ESCAPED, 2, 0, false};
static const placement second_of_two =
{"second of two", TMODEL_KEY_ESCAPED, 2, 1, true};
static const placement raw_text = {"raw", TMODEL_KEY_RAW, 1, 0, true};

UNIT_TEST(key_range_keeps_single_texts)
{
	texts_begin();
	add_short_texts();
	check_placement(&only_text, NULL);
	texts_end();
}

UNIT_TEST(key_range_keeps_first_component)
{
	texts_begin();
	add_short_texts();
	check_placement(&first_of_two, NULL);
	texts_end();
}

UNIT_TEST(key_range_keeps_second_component)
{
	texts_begin();
	add_short_texts();
	check_placement(&second_of_two, "a /\xEF\xBF\xBF");
	texts_end();
}

UNIT_TEST(key_range_keeps_raw_texts)
{
	texts_begin();
	add_short_texts();
	check_placement(&raw_text, NULL);
	texts_end();
}

/* Texts around the lengths where bounds are cut and keys are shortened. */
static void
add_long_texts(void)
{
	static const int lengths[] = {
		436, 437, 438, 439, 440, 441, 442, 443, 444, 445, 446, 447, 448,
		505, 508, 509, 510, 511, 512, 513, 514, 600
	};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
	{
		for (int length = 0; length < 12; length++)
			add_random(lengths[i], length % 7);
	}
}

UNIT_TEST(key_range_keeps_shortened_keys)
{
	placement	wide = only_text;

	texts_begin();
	add_long_texts();
	wide.exact = false;
	/* equality of texts as long as their key is whole stays exact */
	check_placement(&wide, NULL);
	texts_end();
}

/*
 * Composite keys of long texts: here even equality may be too wide, because
 * bounds are cut; so only loss is looked for.
 */
UNIT_TEST(key_range_keeps_shortened_composite_keys)
{
	placement	place = first_of_two;

	for (int nprefix = 0; nprefix < 2; nprefix++)
	{
		tmodel_value prefix = tmodel_string(TMODEL_SPAN("p*"));

		texts_begin();
		add_long_texts();
		place.nprefix = nprefix;
		encode_keys(&place, &prefix);
		for (int i = 0; i < all.n && !unit_failed(); i++)
		{
			tmodel_value constant = tmodel_string(all.text[i]);

			for (int op = 0; op < 6; op++)
			{
				tmodel_key_range range;

				tmodel_key_range_all(&range);
				CHECK_INT(tmodel_key_narrow(&all.scratch, &range,
											TMODEL_KEY_ESCAPED, 2, two_texts,
											nprefix, &prefix, all_ops[op],
											&constant), TMODEL_KEY_OK);
				for (int j = 0; j < all.n; j++)
				{
					if (holds(all_ops[op], all.text[j], all.text[i]) &&
						!tmodel_key_in_range(all.key[j], &range))
						report("lost", all_ops[op], all.text[j], all.text[i],
							   all.key[j], &range);
				}
			}
			tmodel_arena_reset(&all.scratch);
		}
		texts_end();
	}
}

/* A whole equality on a shortened key finds exactly that key. */
UNIT_TEST(key_range_whole_key)
{
	static const int lengths[] = {0, 5, 440, 511, 512, 513, 700};

	texts_begin();
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
	{
		tmodel_value values[2];
		tmodel_key_range range;
		tmodel_span key;
		bool		shortened;

		add_text(lengths[i], NULL, 0);
		values[0] = tmodel_string(TMODEL_SPAN("x"));
		values[1] = tmodel_string(all.text[i]);
		CHECK_INT(tmodel_key_encode_index(&all.arena, 2, two_texts, values,
										  &key, &shortened), TMODEL_KEY_OK);
		CHECK_INT(shortened, lengths[i] > 509);
		tmodel_key_range_all(&range);
		CHECK_INT(tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 2,
									two_texts, 2, values, TMODEL_EQ, NULL),
				  TMODEL_KEY_OK);
		CHECK(tmodel_key_in_range(key, &range));
		CHECK(tmodel_span_equal(key, range.lower));
	}
	texts_end();
}

/* A random value of a type other than text. */
static tmodel_value
random_value(tmodel_key_type type)
{
	int64_t		wide = (int64_t) ((uint64_t) random_below(1u << 24) << 40 |
								  (uint64_t) random_below(1u << 24) << 20 |
								  random_below(1u << 20));
	tmodel_value value = tmodel_int32(0);

	if (random_below(3) == 0)
		wide = (int64_t) random_below(21) - 10;
	switch (type)
	{
		case TMODEL_KEY_INT16:
			return tmodel_int32((int16_t) wide);
		case TMODEL_KEY_INT32:
			return tmodel_int32((int32_t) wide);
		case TMODEL_KEY_INT64:
			return tmodel_int64(wide);
		case TMODEL_KEY_BOOL:
			return tmodel_boolean(wide & 1);
		case TMODEL_KEY_DATE:
			return tmodel_datetime((int64_t) random_below(3067671) *
								   INT64_C(864000000000));
		case TMODEL_KEY_TIMESTAMP:
		case TMODEL_KEY_TIMESTAMPTZ:
			wide &= INT64_MAX;
			return tmodel_datetime(wide % TMODEL_TICKS_MAX / 10 * 10);
		default:
			value.type = TMODEL_GUID;
			for (int i = 0; i < 16; i++)
				value.u.guid[i] = (uint8_t) random_below(i < 1 ? 3 : 256);
			return value;
	}
}

/* SQL's order of two values of one type. */
static int
compare_values(const tmodel_value *a, const tmodel_value *b)
{
	switch (a->type)
	{
		case TMODEL_INT32:
			return (a->u.int32 > b->u.int32) - (a->u.int32 < b->u.int32);
		case TMODEL_INT64:
			return (a->u.int64 > b->u.int64) - (a->u.int64 < b->u.int64);
		case TMODEL_BOOLEAN:
			return (int) a->u.boolean - (int) b->u.boolean;
		case TMODEL_DATETIME:
			return (a->u.ticks > b->u.ticks) - (a->u.ticks < b->u.ticks);
		default:
			return memcmp(a->u.guid, b->u.guid, 16);
	}
}

/* Whether the sign of a comparison satisfies the operator. */
static bool
sign_holds(tmodel_compare op, int cmp)
{
	return op == TMODEL_EQ ? cmp == 0 : op == TMODEL_LT ? cmp < 0 :
		op == TMODEL_LE ? cmp <= 0 : op == TMODEL_GT ? cmp > 0 :
		op == TMODEL_GE ? cmp >= 0 : true;
}

/* All pairs of random values of one type: every range is exact. */
static void
check_ordered_type(tmodel_key_type type, tmodel_key_encoding encoding, int n)
{
	enum {COUNT = 60};
	tmodel_key_type types[2] = {type, TMODEL_KEY_TEXT};
	tmodel_value values[COUNT][2];
	tmodel_span keys[COUNT];

	for (int i = 0; i < COUNT; i++)
	{
		values[i][0] = random_value(type);
		values[i][1] = tmodel_string(i % 2 ? TMODEL_SPAN("") :
									 TMODEL_SPAN(" ~\x1F"));
		CHECK_INT(tmodel_key_encode(&all.arena, encoding, n, types, values[i],
									&keys[i]), TMODEL_KEY_OK);
	}
	for (int i = 0; i < COUNT * 6; i++)
	{
		const tmodel_value *constant = &values[i / 6][0];
		tmodel_key_range range;

		tmodel_key_range_all(&range);
		CHECK_INT(tmodel_key_narrow(&all.arena, &range, encoding, n, types, 0,
									NULL, all_ops[i % 6], constant),
				  TMODEL_KEY_OK);
		for (int j = 0; j < COUNT; j++)
		{
			int			cmp = compare_values(&values[j][0], constant);
			bool		in = tmodel_key_in_range(keys[j], &range);

			if (encoding == TMODEL_KEY_RAW && i % 6 != 0)
				CHECK(in || !sign_holds(all_ops[i % 6], cmp));
			else
				CHECK_INT(in, sign_holds(all_ops[i % 6], cmp));
		}
	}
}

UNIT_TEST(key_range_of_ordered_types)
{
	texts_begin();
	for (int type = TMODEL_KEY_INT16; type <= (int) TMODEL_KEY_UUID; type++)
	{
		check_ordered_type((tmodel_key_type) type, TMODEL_KEY_ESCAPED, 1);
		check_ordered_type((tmodel_key_type) type, TMODEL_KEY_ESCAPED, 2);
		check_ordered_type((tmodel_key_type) type, TMODEL_KEY_RAW, 1);
	}
	texts_end();
}

/* The end of a prefix is the least text above all that begins with it. */
UNIT_TEST(key_prefix_end)
{
	static const struct
	{
		const char *prefix;
		const char *end;		/* NULL: none */
	}			cases[] = {
		{"a", "b"}, {"az", "a{"}, {"", NULL}, {"\xEF\xBF\xBF", NULL},
		{"a\xEF\xBF\xBF", "b"}, {"\xED\x9F\xBF", "\xF0\x90\x80\x80"},
		{"\xF4\x8F\xBF\xBF", "\xEE\x80\x80"},
		{"\xF0\x9F\x98\x80", "\xF0\x9F\x98\x81"}, {"~", "\x7F"}
	};

	texts_begin();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tmodel_span end;
		bool		found = tmodel_key_prefix_end(&all.arena,
												  tmodel_span_of(cases[i].prefix),
												  &end);

		CHECK_INT(found, cases[i].end != NULL);
		if (found)
			CHECK_STR(end.data, cases[i].end);
	}
	texts_end();
}

/* Narrowing twice intersects; crossed bounds are empty. */
UNIT_TEST(key_range_intersects)
{
	tmodel_value a = tmodel_string(TMODEL_SPAN("a"));
	tmodel_value b = tmodel_string(TMODEL_SPAN("b"));
	tmodel_key_range range;
	tmodel_buf	buf;

	texts_begin();
	tmodel_key_range_all(&range);
	CHECK(tmodel_key_range_filter(&all.arena, TMODEL_SPAN("RowKey"),
								  &range) == NULL);
	tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 1, two_texts, 0,
					  NULL, TMODEL_GE, &a);
	tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 1, two_texts, 0,
					  NULL, TMODEL_LT, &b);
	tmodel_buf_init(&buf, &all.arena);
	CHECK(tmodel_filter_print(&buf, tmodel_key_range_filter(&all.arena,
						TMODEL_SPAN("RowKey"), &range)));
	CHECK_STR(buf.data, "RowKey ge 'a' and RowKey lt 'b'");
	tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 1, two_texts, 0,
					  NULL, TMODEL_EQ, &a);
	buf.len = 0;
	CHECK(tmodel_filter_print(&buf, tmodel_key_range_filter(&all.arena,
						TMODEL_SPAN("RowKey"), &range)));
	CHECK_STR(buf.data, "RowKey eq 'a'");
	tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 1, two_texts, 0,
					  NULL, TMODEL_GT, &a);
	CHECK(range.empty);
	buf.len = 0;
	CHECK(tmodel_filter_print(&buf, tmodel_key_range_filter(&all.arena,
						TMODEL_SPAN("RowKey"), &range)));
	CHECK_STR(buf.data, "RowKey lt ''");
	texts_end();
}

/* Misuse leaves the range as it was. */
UNIT_TEST(key_range_refuses)
{
	tmodel_value number = tmodel_int32(1);
	tmodel_value bad = tmodel_string(TMODEL_SPAN("a\xFF"));
	tmodel_value slash = tmodel_string(TMODEL_SPAN("a/b"));
	tmodel_key_range range;

	texts_begin();
	tmodel_key_range_all(&range);
	CHECK_INT(tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 2,
								two_texts, 1, &slash, TMODEL_LT, &number),
			  TMODEL_KEY_MISMATCH);
	CHECK_INT(tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_ESCAPED, 1,
								two_texts, 0, NULL, TMODEL_LT, &bad),
			  TMODEL_KEY_MALFORMED);
	CHECK_INT(tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_RAW, 2,
								two_texts, 0, NULL, TMODEL_LT, &slash),
			  TMODEL_KEY_MISMATCH);
	CHECK(!range.has_lower && !range.has_upper && !range.empty);
	CHECK_INT(tmodel_key_narrow(&all.arena, &range, TMODEL_KEY_RAW, 1,
								two_texts, 0, NULL, TMODEL_EQ, &slash),
			  TMODEL_KEY_OK);
	CHECK(range.empty);
	texts_end();
}
