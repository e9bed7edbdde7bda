/*
 * test_model_bucket.c
 *	  Hashed shard keys: golden values, range, spread.
 *
 * The golden values are sha256sum's first 16 hex digits modulo the buckets.
 */
#include "model/bucket.h"

#include <string.h>

#include "unit.h"

static int
bucket_of(const char *text, int buckets)
{
	return tmodel_bucket(tmodel_span_of(text), buckets);
}

UNIT_TEST(bucket_golden)
{
	/* sha256("Fred") begins ee0b19f21ef83cbc, sha256("") e3b0c44298fc1c14 */
	CHECK_INT(bucket_of("", 64), 0x14 % 64);
	CHECK_INT(bucket_of("Fred", 1), 0);
	CHECK_INT(bucket_of("abc", 256), 0xea);	/* ba7816bf8f01cfea */
	CHECK_INT(bucket_of("abc", 16), 0xa);
}

UNIT_TEST(bucket_as_values)
{
	tmodel_arena arena;
	tmodel_value of = tmodel_string(TMODEL_SPAN("abc"));
	tmodel_value bucket;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tmodel_key_bucket(&arena, TMODEL_KEY_TEXT, &of, 256,
								TMODEL_KEY_INT32, &bucket), TMODEL_KEY_OK);
	CHECK_INT(bucket.u.int32, 0xea);
	CHECK_INT(tmodel_key_bucket(&arena, TMODEL_KEY_TEXT, &of, 256,
								TMODEL_KEY_TEXT, &bucket), TMODEL_KEY_OK);
	CHECK(tmodel_span_equal(bucket.u.bytes, TMODEL_SPAN("234")));
	CHECK_INT(tmodel_bucket_value(&arena, 7, 1001, TMODEL_KEY_TEXT, &bucket),
			  TMODEL_KEY_OK);
	CHECK(tmodel_span_equal(bucket.u.bytes, TMODEL_SPAN("0007")));
	CHECK_INT(tmodel_key_bucket(&arena, TMODEL_KEY_TEXT, &of, 256,
								TMODEL_KEY_DATE, &bucket),
			  TMODEL_KEY_MISMATCH);
	tmodel_arena_reset(&arena);
}

/* The escaped form is hashed, so that facts and entries agree. */
UNIT_TEST(bucket_of_escaped_form)
{
	tmodel_arena arena;
	tmodel_value of = tmodel_string(TMODEL_SPAN("Face/Off"));
	tmodel_value bucket;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tmodel_key_bucket(&arena, TMODEL_KEY_TEXT, &of, 1000,
								TMODEL_KEY_INT32, &bucket), TMODEL_KEY_OK);
	CHECK_INT(bucket.u.int32, bucket_of("Face*2FOff", 1000));
	tmodel_arena_reset(&arena);
}

UNIT_TEST(bucket_spreads)
{
	int			counts[16] = {0};
	char		name[16];

	for (int i = 0; i < 16000; i++)
	{
		snprintf(name, sizeof(name), "%d", i);
		counts[bucket_of(name, 16)]++;
	}
	for (int i = 0; i < 16; i++)
		CHECK(counts[i] > 850 && counts[i] < 1150);
}
