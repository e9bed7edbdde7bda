/*
 * test_model_text_range.c
 *	  No range on a text property may lose a text: all pairs, all operators.
 */
#include "unit.h"

#include "model/text_range.h"
#include "model/utf8.h"

#include <string.h>

/* Where code points and UTF-16 units part, and their neighbours. */
static const uint32_t alphabet[] = {
	0x01, ' ', 'a', 'b', 0x7F, 0xE9, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000,
	0x1F600, 0x10FFFF
};

#define LETTERS ((int) (sizeof(alphabet) / sizeof(alphabet[0])))
#define TEXTS (1 + LETTERS + LETTERS * LETTERS)

static tmodel_arena arena;
static tmodel_span texts[TEXTS];

static void
make_texts(void)
{
	int			n = 0;

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int i = -1; i < LETTERS; i++)
		for (int j = -1; j < (i < 0 ? 0 : LETTERS); j++)
		{
			tmodel_buf	buf;

			tmodel_buf_init(&buf, &arena);
			CHECK(tmodel_buf_append(&buf, "", 0));
			if (i >= 0)
				CHECK(tmodel_utf8_append(&buf, alphabet[i]));
			if (j >= 0)
				CHECK(tmodel_utf8_append(&buf, alphabet[j]));
			texts[n++] = tmodel_buf_text(&buf);
		}
	CHECK(n == TEXTS);
}

/* Would the store hand out an entity whose property "s" is this text? */
static bool
found(const tmodel_filter *filter, tmodel_span text)
{
	tmodel_entity none = {0};
	tmodel_entity *entity = tmodel_entity_extend(&arena, &none, 1);
	tmodel_value value = tmodel_string(text);

	tmodel_entity_set(entity, TMODEL_SPAN("s"), &value);
	return tmodel_filter_matches(filter, entity);
}

static bool
holds(tmodel_span text, tmodel_compare op, tmodel_span constant)
{
	int			cmp = tmodel_span_compare(text, constant);

	return op == TMODEL_LT ? cmp < 0 : op == TMODEL_LE ? cmp <= 0 :
		op == TMODEL_GT ? cmp > 0 : cmp >= 0;
}

static bool
is_exact(tmodel_span constant)
{
	for (size_t i = 0; i < constant.len; i++)
		if ((unsigned char) constant.data[i] >= 0xEE)
			return false;
	return true;
}

UNIT_TEST(text_range_loses_nothing)
{
	static const tmodel_compare ops[] = {
		TMODEL_LT, TMODEL_LE, TMODEL_GE, TMODEL_GT
	};

	make_texts();
	for (int op = 0; op < 4; op++)
		for (int c = 0; c < TEXTS; c++)
		{
			tmodel_filter *filter = tmodel_text_filter(&arena,
													   TMODEL_SPAN("s"),
													   ops[op], texts[c]);

			for (int t = 0; t < TEXTS; t++)
			{
				bool		wanted = holds(texts[t], ops[op], texts[c]);

				if (wanted)
					CHECK(found(filter, texts[t]));
				else if (is_exact(texts[c]))
					CHECK(!found(filter, texts[t]));
			}
		}
	tmodel_arena_reset(&arena);
}

UNIT_TEST(text_range_begins_is_exact)
{
	make_texts();
	for (int c = 0; c < TEXTS; c++)
	{
		tmodel_filter *filter = tmodel_text_begins(&arena, TMODEL_SPAN("s"),
												   texts[c]);

		for (int t = 0; t < TEXTS; t++)
			CHECK(found(filter, texts[t]) ==
					   (texts[t].len >= texts[c].len &&
						memcmp(texts[t].data, texts[c].data,
							   texts[c].len) == 0));
	}
	tmodel_arena_reset(&arena);
}
