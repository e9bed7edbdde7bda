/*
 * test_model_batch.c
 *	  Grouping into batches: limits, order, and an entity that occurs twice.
 */
#include "unit.h"

#include "model/batch.h"

static tmodel_arena arena;

/* The plan as text: batches in brackets, items in order. */
static const char *
grouped(int nitems, const tmodel_batch_item *items, int max_operations)
{
	tmodel_batch_plan plan;
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_puts(&buf, "");
	if (!tmodel_batch_group(&arena, nitems, items, max_operations, &plan))
		return "failed";
	for (int i = 0; i < plan.nbatches; i++)
	{
		tmodel_buf_putc(&buf, '[');
		for (int j = 0; j < plan.batches[i].nitems; j++)
			tmodel_buf_printf(&buf, j > 0 ? " %d" : "%d",
							  plan.batches[i].items[j]);
		tmodel_buf_putc(&buf, ']');
	}
	return buf.data;
}

#define ITEM(table, pk, rk) {TMODEL_SPAN(table), TMODEL_SPAN(pk), \
	TMODEL_SPAN(rk), 1000}

UNIT_TEST(batch_groups_by_partition)
{
	static const tmodel_batch_item items[] = {
		ITEM("t2", "a", "1"), ITEM("t1", "b", "1"), ITEM("t1", "a", "1"),
		ITEM("t1", "b", "0"), ITEM("t1", "a", "2"), ITEM("t2", "a", "0"),
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_STR(grouped(0, NULL, 100), "");
	CHECK_STR(grouped(6, items, 100), "[2 4][1 3][0 5]");
	CHECK_STR(grouped(6, items, 1), "[2][4][1][3][0][5]");
	tmodel_arena_reset(&arena);
}

/* The separator between names must not blur: ("a","bc") is not ("ab","c"). */
UNIT_TEST(batch_keeps_names_apart)
{
	static const tmodel_batch_item items[] = {
		ITEM("t", "a", "bc"), ITEM("t", "ab", "c"), ITEM("ta", "", "bc"),
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_STR(grouped(3, items, 100), "[0][1][2]");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(batch_repeated_entity_goes_later)
{
	static const tmodel_batch_item items[] = {
		ITEM("t", "p", "a"), ITEM("t", "p", "b"), ITEM("t", "p", "a"),
		ITEM("t", "p", "c"), ITEM("t", "p", "a"), ITEM("t", "p", "b"),
	};

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_STR(grouped(6, items, 100), "[0 1][2 3][4 5]");
	CHECK_STR(grouped(6, items, 2), "[0 1][2 3][4 5]");
	tmodel_arena_reset(&arena);
}

/* Sizes: 4 MiB less the reserve; an item beyond it travels alone. */
UNIT_TEST(batch_respects_bytes)
{
	tmodel_batch_item items[4] = {
		ITEM("t", "p", "1"), ITEM("t", "p", "2"), ITEM("t", "p", "3"),
		ITEM("t", "p", "4")
	};

	items[0].bytes = TMODEL_BATCH_MAX_BYTES - 1000;
	items[2].bytes = TMODEL_BATCH_MAX_BYTES + 1;
	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_STR(grouped(4, items, 100), "[0 1][2][3]");
	items[1].bytes = 1001;
	CHECK_STR(grouped(4, items, 100), "[0][1][2][3]");
	tmodel_arena_reset(&arena);
}

/* Many random items: every rule holds, every item travels once. */
UNIT_TEST(batch_rules_hold)
{
	enum {COUNT = 5000};
	static tmodel_batch_item items[COUNT];
	static int	batch_of[COUNT];
	static char names[COUNT][16];
	tmodel_batch_plan plan;
	uint32_t	state = 7;
	int			seen = 0;

	for (int i = 0; i < COUNT; i++)
	{
		state = state * 1664525 + 1013904223;
		snprintf(names[i], sizeof(names[i]), "%u", state >> 20 & 511);
		items[i].table = TMODEL_SPAN("t");
		items[i].partition_key = state >> 30 ? TMODEL_SPAN("p") :
			TMODEL_SPAN("q");
		items[i].row_key = tmodel_span_of(names[i]);
		items[i].bytes = 100;
		batch_of[i] = -1;
	}
	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_batch_group(&arena, COUNT, items, 100, &plan));
	for (int b = 0; b < plan.nbatches; b++)
	{
		CHECK(plan.batches[b].nitems >= 1 && plan.batches[b].nitems <= 100);
		for (int i = 0; i < plan.batches[b].nitems; i++)
		{
			int			item = plan.batches[b].items[i];

			CHECK(i == 0 || item > plan.batches[b].items[i - 1]);
			CHECK(tmodel_span_equal(items[item].partition_key,
									items[plan.batches[b].items[0]].partition_key));
			CHECK_INT(batch_of[item], -1);
			batch_of[item] = b;
			seen++;
		}
	}
	CHECK_INT(seen, COUNT);
	for (int i = 0; i < COUNT; i++)
	{
		for (int j = i + 1; j < COUNT; j++)
		{
			if (tmodel_span_equal(items[i].row_key, items[j].row_key) &&
				tmodel_span_equal(items[i].partition_key,
								  items[j].partition_key))
				CHECK(batch_of[i] < batch_of[j]);
		}
	}
	tmodel_arena_reset(&arena);
}

/* The estimate is above the plain JSON and grows with what is escaped. */
UNIT_TEST(batch_bytes_estimate)
{
	tmodel_property property = {TMODEL_SPAN("name"),
	tmodel_string(TMODEL_SPAN("0123456789"))};
	tmodel_entity entity = {.partition_key = TMODEL_SPAN("p"),
	.row_key = TMODEL_SPAN("r"), .nproperties = 1, .properties = &property};
	size_t		plain = tmodel_batch_bytes(&entity);

	CHECK(plain > 10 && plain < 2000);
	property.value = tmodel_string(TMODEL_SPAN("\"\"\"\"\"\"\"\"\"\""));
	CHECK_INT(tmodel_batch_bytes(&entity), plain + 50);
}
