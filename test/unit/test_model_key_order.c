/*
 * test_model_key_order.c
 *	  No key may come late unnoticed: all pairs of texts.
 *
 * The texts are over the characters where SQL's order (code points) and the
 * order of keys part, behind beginnings that make the keys of an index too long
 * to be kept.
 */
#include "unit.h"

#include "model/key_order.h"
#include "model/utf8.h"

static const uint32_t alphabet[] = {
	' ', '!', '"', '#', '$', '%', '&', '*', '+', ',', '-', '.', '/', '0', '>',
	'?', '~', 0x7F, 0x01, 0x1F, 0xA0, 0xE000, 0xFFFF, 0x10000, 0x1F600, 'a'
};

#define LETTERS ((int) (sizeof(alphabet) / sizeof(alphabet[0])))
#define MAX_KEYS 1200
#define MAX_LATE 16

typedef struct one_key
{
	tmodel_span key;
	tmodel_span image;
} one_key;

typedef struct key_kind
{
	tmodel_key_encoding encoding;
	int			n;
	int			first;
	bool		shortened;
} key_kind;

static const tmodel_key_type texts[3] = {
	TMODEL_KEY_TEXT, TMODEL_KEY_TEXT, TMODEL_KEY_TEXT
};

static tmodel_arena arena;
static tmodel_arena scratch;
static one_key keys[MAX_KEYS];
static int	nkeys;
static uint32_t random_state;

static uint32_t
random_below(uint32_t n)
{
	random_state = random_state * 1664525 + 1013904223;
	return (random_state >> 8) % n;
}

/* A text of "repeat" times 'a' and random characters. */
static tmodel_value
random_text(int repeat, int length)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_append(&buf, "", 0);
	while (repeat-- > 0)
		tmodel_buf_putc(&buf, 'a');
	while (length-- > 0)
		tmodel_utf8_append(&buf, alphabet[random_below((uint32_t) LETTERS)]);
	return tmodel_string(tmodel_buf_text(&buf));
}

static void
add_key(const key_kind *kind, const tmodel_value *values)
{
	one_key    *key = &keys[nkeys];
	tmodel_buf	image;
	bool		shortened;
	tmodel_key_status status;

	status = kind->shortened ?
		tmodel_key_encode_index(&arena, kind->n, texts, values, &key->key,
								&shortened) :
		tmodel_key_encode(&arena, kind->encoding, kind->n, texts, values,
						  &key->key);
	if (status != TMODEL_KEY_OK)
		return;					/* RAW refuses some */
	tmodel_buf_init(&image, &arena);
	CHECK_INT(tmodel_key_image(&image, kind->n - kind->first, texts,
							   values + kind->first), TMODEL_KEY_OK);
	key->image = tmodel_buf_text(&image);
	nkeys++;
}

/* Is the later key in a stretch that "key" announces, above its floor? */
static bool
announced(const key_kind *kind, const one_key *key, const one_key *later)
{
	tmodel_key_late late[MAX_LATE];
	int			n;

	tmodel_arena_reset(&scratch);
	n = tmodel_key_late_keys(&scratch, kind->encoding, kind->n, texts,
							 kind->first, kind->n, kind->shortened ? 0 : -1,
							 key->key,
							 MAX_LATE, late);
	if (n < 0 || n > MAX_LATE)
		return false;
	for (int i = 0; i < n; i++)
	{
		if (tmodel_key_in_range(later->key, &late[i].range))
			return tmodel_span_compare(late[i].floor, later->image) <= 0;
	}
	return false;
}

static void
check_pairs(const key_kind *kind)
{
	int			late = 0;

	for (int i = 0; i < nkeys && !unit_failed(); i++)
	{
		for (int j = 0; j < nkeys; j++)
		{
			if (tmodel_utf16_compare(keys[j].key, keys[i].key) <= 0 ||
				tmodel_span_compare(keys[j].image, keys[i].image) >= 0)
				continue;
			late++;
			if (!announced(kind, &keys[i], &keys[j]))
			{
				UNIT_FAIL("%.*s is late behind %.*s", (int) keys[j].key.len,
						  keys[j].key.data, (int) keys[i].key.len,
						  keys[i].key.data);
				return;
			}
		}
	}
	CHECK(late > 100);
}

static void
try_kind(const key_kind *kind, int repeat)
{
	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_arena_init(&scratch, &tmodel_malloc);
	nkeys = 0;
	random_state = 4711;
	for (int i = 0; i < MAX_KEYS && !unit_failed(); i++)
	{
		tmodel_value values[3];

		for (int k = 0; k < kind->n; k++)
			values[k] = k < kind->first ? tmodel_string(TMODEL_SPAN("p/q")) :
				random_text(k == kind->first ? repeat : 0,
							(int) random_below(5));
		add_key(kind, values);
	}
	check_pairs(kind);
	tmodel_arena_reset(&arena);
	tmodel_arena_reset(&scratch);
}

UNIT_TEST(key_order_of_one_text)
{
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 1, 0, false}, 0);
}

UNIT_TEST(key_order_of_composite_texts)
{
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 2, 0, false}, 0);
}

UNIT_TEST(key_order_behind_a_fixed_component)
{
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 3, 1, false}, 0);
}

UNIT_TEST(key_order_of_shortened_keys)
{
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 1, 0, true}, 440);
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 2, 0, true}, 505);
	try_kind(&(key_kind) {TMODEL_KEY_ESCAPED, 3, 1, true}, 436);
}

UNIT_TEST(key_order_of_raw_texts)
{
	try_kind(&(key_kind) {TMODEL_KEY_RAW, 1, 0, false}, 0);
}

UNIT_TEST(key_order_floor_of_a_plain_text)
{
	tmodel_key_late late[2];

	tmodel_arena_init(&scratch, &tmodel_malloc);
	CHECK_INT(tmodel_key_late_keys(&scratch, TMODEL_KEY_ESCAPED, 1, texts, 0, 1,
								   -1, TMODEL_SPAN("abc-d.9_x"), 2, late),
			  0);
	CHECK_INT(tmodel_key_late_keys(&scratch, TMODEL_KEY_ESCAPED, 1, texts, 0, 1,
								   -1, TMODEL_SPAN("A Bug's Life"), 2, late),
			  2);
	CHECK_STR(late[0].range.lower.data, "A\"");
	CHECK_STR(late[0].range.upper.data, "A\"2");
	CHECK_STR(late[0].floor.data, "A\x01");
	CHECK_STR(late[1].range.lower.data, "A Bug's\"");
	tmodel_arena_reset(&scratch);
}
