/*
 * test_model_arena.c
 *	  Arenas and buffers: alignment, growth in place, zeroing, lost memory.
 */
#include "unit.h"

#include "model/arena.h"

#include <stdlib.h>

/* An allocator that counts, and hands out addresses aligned to 8 only. */
typedef struct counter
{
	int			taken;
	int			released;
} counter;

static void *
count_alloc(void *ctx, size_t size)
{
	char	   *block = malloc(size + 8);

	((counter *) ctx)->taken++;
	return block != NULL ? block + 8 : NULL;
}

static void
count_release(void *ctx, void *ptr)
{
	((counter *) ctx)->released++;
	free((char *) ptr - 8);
}

UNIT_TEST(arena_aligns_and_zeroes)
{
	counter		count = {0, 0};
	tmodel_allocator allocator = {count_alloc, count_release, &count};
	tmodel_arena arena;

	tmodel_arena_init(&arena, &allocator);
	CHECK_INT(count.taken, 0);
	for (size_t size = 0; size < 400000; size = size * 3 / 2 + 1)
	{
		unsigned char *block = tmodel_alloc(&arena, size);

		CHECK(block != NULL);
		CHECK_INT((uintptr_t) block % 16, 0);
		for (size_t i = 0; i < size; i++)
			CHECK(block[i] == 0);
		memset(block, 0xAA, size);
	}
	CHECK(arena.allocated > 400000 && count.taken > 2);
	tmodel_arena_reset(&arena);
	CHECK_INT(count.taken, count.released);
	CHECK_INT(arena.allocated, 0);
	CHECK(tmodel_alloc(&arena, 1) != NULL);
	tmodel_arena_reset(&arena);
	CHECK_INT(count.taken, count.released);
}

/* Small allocations share chunks; big ones do not displace the newest. */
UNIT_TEST(arena_takes_few_chunks)
{
	counter		count = {0, 0};
	tmodel_allocator allocator = {count_alloc, count_release, &count};
	tmodel_arena arena;

	tmodel_arena_init(&arena, &allocator);
	for (int i = 0; i < 100000; i++)
		CHECK(tmodel_alloc(&arena, 32) != NULL);
	CHECK(count.taken < 30);
	tmodel_arena_reset(&arena);
	count.taken = 0;
	tmodel_alloc(&arena, 16);
	tmodel_alloc(&arena, 1000000);
	tmodel_alloc(&arena, 16);
	CHECK_INT(count.taken, 2);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(arena_refuses_absurd_sizes)
{
	tmodel_arena arena;
	tmodel_buf	buf;
	tmodel_span huge = {"x", SIZE_MAX};

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_alloc(&arena, SIZE_MAX) == NULL && arena.failed);
	tmodel_arena_reset(&arena);
	CHECK(!arena.failed);
	CHECK(tmodel_span_copy(&arena, huge).data == NULL && arena.failed);
	tmodel_arena_reset(&arena);
	tmodel_buf_init(&buf, &arena);
	CHECK(!tmodel_buf_append(&buf, "x", SIZE_MAX) && arena.failed);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(buf_grows_with_and_without_neighbours)
{
	tmodel_arena arena;
	tmodel_buf	alone;
	tmodel_buf	mixed;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&alone, &arena);
	CHECK(tmodel_buf_text(&alone).len == 0);
	for (int i = 0; i < 3000; i++)
		CHECK(tmodel_buf_putc(&alone, (char) ('a' + i % 26)));
	/* doubling in the chunk took no second copy */
	CHECK(arena.allocated <= 4096);
	tmodel_buf_init(&mixed, &arena);
	for (int i = 0; i < 200000; i++)
	{
		CHECK(tmodel_buf_printf(&mixed, "%d,", i % 10));
		if (i % 1000 == 0)
			memset(tmodel_alloc(&arena, 24), 0xFF, 24);
	}
	CHECK_INT(alone.len, 3000);
	CHECK_INT(strlen(alone.data), 3000);
	CHECK_INT(mixed.len, 400000);
	for (int i = 0; i < 200000; i++)
		CHECK(mixed.data[2 * i] == '0' + i % 10 && mixed.data[2 * i + 1] == ',');
	for (int i = 0; i < 3000; i++)
		CHECK(alone.data[i] == 'a' + i % 26);
	CHECK_INT(mixed.data[mixed.len], 0);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(span_basics)
{
	tmodel_arena arena;
	tmodel_span none = {NULL, 0};
	tmodel_span copy;

	CHECK(tmodel_span_equal(none, TMODEL_SPAN("")));
	CHECK(tmodel_span_equal(tmodel_span_of(NULL), none));
	CHECK_INT(tmodel_span_compare(TMODEL_SPAN("a"), TMODEL_SPAN("ab")), -1);
	CHECK_INT(tmodel_span_compare(TMODEL_SPAN("\xFF"), TMODEL_SPAN("ab")), 1);
	CHECK_INT(tmodel_span_compare(none, TMODEL_SPAN("")), 0);
	tmodel_arena_init(&arena, &tmodel_malloc);
	copy = tmodel_span_copy(&arena, none);
	CHECK(copy.data != NULL && copy.len == 0 && copy.data[0] == '\0');
	copy = tmodel_span_copy(&arena, (tmodel_span) {"abc", 2});
	CHECK_STR(copy.data, "ab");
	tmodel_arena_reset(&arena);
}
