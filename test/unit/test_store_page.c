/*
 * test_store_page.c
 *	  Pages whose entities differ in what they have and how it is written: a
 *	  reader that expects the names of the entity before must not be misled.
 *
 * Entities are made up from a seed, written in a style from the same seed (where
 * types stand, spaces, escapes in names, order of members), read, and compared.
 */
#include "unit.h"

#include "store/response.h"

#include <stdlib.h>

#define NAMES 90

static uint32_t state;

static uint32_t
page_random(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static void
page_space(tmodel_buf *buf, bool wide)
{
	if (wide && page_random(3) == 0)
		tmodel_buf_puts(buf, page_random(2) == 0 ? " " : "\n\t");
}

/* "name": in one of its spellings. */
static void
page_name(tmodel_buf *buf, int number, const char *suffix, bool wide)
{
	page_space(buf, wide);
	if (wide && page_random(4) == 0)
		tmodel_buf_printf(buf, "\"\\u0070roperty%d%s\"", number, suffix);
	else
		tmodel_buf_printf(buf, "\"property%d%s\"", number, suffix);
	page_space(buf, wide);
	tmodel_buf_putc(buf, ':');
	page_space(buf, wide);
}

/* A value of the kind; what it reads as is appended to "want". */
static void
page_value(tmodel_buf *buf, tmodel_buf *want, int number, int kind)
{
	int			digits = (int) page_random(1000000);

	switch (kind)
	{
		case 0:
			tmodel_buf_printf(buf, "\"t%d\\\"\xC3\xA9\"", digits);
			tmodel_buf_printf(want, "%d=s:t%d\"\xC3\xA9 ", number, digits);
			break;
		case 1:
			tmodel_buf_printf(buf, "-%d", digits);
			tmodel_buf_printf(want, "%d=i:%d ", number, -digits);
			break;
		case 2:
			tmodel_buf_printf(buf, "%d.5", digits);
			tmodel_buf_printf(want, "%d=d:%.1f ", number, digits + 0.5);
			break;
		case 3:
			tmodel_buf_puts(buf, digits % 2 == 0 ? "true" : "false");
			tmodel_buf_printf(want, "%d=b:%d ", number, digits % 2 == 0);
			break;
		case 4:
			tmodel_buf_puts(buf, "null");
			break;
		default:
			tmodel_buf_printf(buf, "\"900000%06d\"", digits);
			tmodel_buf_printf(want, "%d=l:900000%06d ", number, digits);
			break;
	}
}

/* One entity: some of the names, from a random one on. */
static void
page_entity(tmodel_buf *buf, tmodel_buf *want, int n, bool wide)
{
	int			first = (int) page_random(3);
	int			style = (int) page_random(4);
	tmodel_buf	late;

	tmodel_buf_init(&late, buf->arena);
	tmodel_buf_puts(&late, "");
	tmodel_buf_printf(buf, "{\"PartitionKey\":\"p%d\",\"RowKey\":\"r\"", n);
	tmodel_buf_printf(want, "p%d ", n);
	for (int i = first; i < NAMES; i += 1 + (int) page_random(style == 0 ? 1 : 5))
	{
		int			kind = (int) page_random(6);
		bool		before = page_random(3) > 0;

		tmodel_buf_putc(buf, ',');
		if (kind == 5 && before)
		{
			page_name(buf, i, "@odata.type", wide);
			tmodel_buf_puts(buf, "\"Edm.Int64\",");
		}
		page_name(buf, i, "", wide);
		page_value(buf, want, i, kind);
		page_space(buf, wide);
		if (kind == 5 && !before)
		{
			tmodel_buf *where = page_random(2) == 0 ? buf : &late;

			tmodel_buf_putc(where, ',');
			page_name(where, i, "@odata.type", wide);
			tmodel_buf_puts(where, "\"Edm.Int64\"");
		}
	}
	tmodel_buf_span(buf, tmodel_buf_text(&late));
	tmodel_buf_putc(buf, '}');
	tmodel_buf_putc(want, '\n');
}

static void
page_dump(tmodel_buf *got, const tmodel_entity *entity)
{
	tmodel_buf_span(got, entity->partition_key);
	tmodel_buf_putc(got, ' ');
	for (int i = 0; i < entity->nproperties; i++)
	{
		const tmodel_value *value = &entity->properties[i].value;

		tmodel_buf_span(got, (tmodel_span) {entity->properties[i].name.data + 8,
						entity->properties[i].name.len - 8});
		tmodel_buf_puts(got, value->type == TMODEL_STRING ? "=s:" :
						value->type == TMODEL_INT32 ? "=i:" :
						value->type == TMODEL_DOUBLE ? "=d:" :
						value->type == TMODEL_BOOLEAN ? "=b:" : "=l:");
		if (value->type == TMODEL_BOOLEAN)
			tmodel_buf_printf(got, "%d", value->u.boolean);
		else if (value->type == TMODEL_DOUBLE)
			tmodel_buf_printf(got, "%.1f", value->u.number);
		else
			tmodel_value_print(got, value);
		tmodel_buf_putc(got, ' ');
	}
	tmodel_buf_putc(got, '\n');
}

UNIT_TEST(store_page_mixed)
{
	for (int seed = 0; seed < 300 && !unit_failed(); seed++)
	{
		int			n = 1 + seed % 40;
		int			nentities = 0;
		tmodel_entity *entities = NULL;
		tmodel_arena arena;
		tmodel_buf	json;
		tmodel_buf	want;
		tmodel_buf	got;
		char	   *exact;

		state = (uint32_t) seed;
		tmodel_arena_init(&arena, &tmodel_malloc);
		tmodel_buf_init(&json, &arena);
		tmodel_buf_init(&want, &arena);
		tmodel_buf_init(&got, &arena);
		tmodel_buf_puts(&json, "{\"value\":[");
		for (int i = 0; i < n; i++)
		{
			tmodel_buf_puts(&json, i > 0 ? "," : "");
			page_entity(&json, &want, i, seed % 3 == 0);
		}
		tmodel_buf_puts(&json, "]}");
		exact = malloc(json.len);	/* for the sanitizer */
		memcpy(exact, json.data, json.len);
		CHECK_INT(tstore_page_read(&arena, (tmodel_span) {exact, json.len},
								   &nentities, &entities), TSTORE_OK);
		CHECK_INT(nentities, n);
		for (int i = 0; i < nentities; i++)
			page_dump(&got, &entities[i]);
		CHECK_STR(got.data, want.data);
		free(exact);
		tmodel_arena_reset(&arena);
	}
}

/* Names that the reader knows must not swallow what begins like them. */
UNIT_TEST(store_page_names)
{
	static const char page[] =
		"{\"value\":[{\"a\":1,\"ab\":2},{\"ab\":3,\"a\":4},{\"a\" :5},{\"a\":6,\"b\":7}]}";
	tmodel_arena arena;
	tmodel_entity *entities;
	int			n;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tstore_page_read(&arena, TMODEL_SPAN(page), &n, &entities),
			  TSTORE_OK);
	CHECK_INT(n, 4);
	CHECK_INT(tmodel_entity_get(&entities[0], TMODEL_SPAN("ab"))->u.int32, 2);
	CHECK_INT(tmodel_entity_get(&entities[1], TMODEL_SPAN("ab"))->u.int32, 3);
	CHECK_INT(tmodel_entity_get(&entities[1], TMODEL_SPAN("a"))->u.int32, 4);
	CHECK_INT(tmodel_entity_get(&entities[2], TMODEL_SPAN("a"))->u.int32, 5);
	CHECK_INT(tmodel_entity_get(&entities[3], TMODEL_SPAN("b"))->u.int32, 7);
	tmodel_arena_reset(&arena);
}

/* A rewound arena hands out the same memory, and none that is still larger. */
UNIT_TEST(arena_rewind)
{
	tmodel_arena arena;
	char	   *first;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_arena_rewind(&arena);
	first = tmodel_alloc(&arena, 100);
	memset(first, 'x', 100);
	tmodel_arena_rewind(&arena);
	CHECK(tmodel_alloc(&arena, 100) == first);
	CHECK_INT(first[99], 0);
	for (int i = 0; i < 100; i++)
		memset(tmodel_alloc(&arena, 10000), 'x', 10000);
	tmodel_arena_rewind(&arena);
	CHECK(arena.allocated > 0 && arena.allocated <= 256 * 1024);
	tmodel_arena_reset(&arena);
	memset(tmodel_alloc(&arena, 1000000), 'x', 1000000);
	tmodel_arena_rewind(&arena);
	CHECK_INT(arena.allocated, 0);
	memset(tmodel_alloc(&arena, 1000), 'x', 1000);
	tmodel_arena_reset(&arena);
}
