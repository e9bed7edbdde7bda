/*
 * bucket.c
 *	  Hashed shard keys, by SHA-256 and a remainder.
 *
 * Called by index.c for entries, by remote/convert for facts and by exec/probe
 * for lookups, which must all agree.  Cryptographic strength is not the point:
 * the hash is the same on every machine and in every version, and spreads well.
 */
#include "bucket.h"

#include "hash.h"

int
tmodel_bucket(tmodel_span bytes, int buckets)
{
	uint8_t		digest[TMODEL_SHA256_BYTES];
	uint64_t	number = 0;

	if (!tmodel_sha256(bytes, digest))
		return -1;
	for (int i = 0; i < 8; i++)
		number = number << 8 | digest[i];
	return (int) (number % (uint64_t) buckets);
}

/* Decimal digits of the largest bucket. */
static int
bucket_width(int buckets)
{
	int			width = 1;

	for (int largest = buckets - 1; largest >= 10; largest /= 10)
		width++;
	return width;
}

tmodel_key_status
tmodel_bucket_value(tmodel_arena *arena, int number, int buckets,
					tmodel_key_type type, tmodel_value *bucket)
{
	tmodel_buf	digits;

	switch (type)
	{
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
			*bucket = tmodel_int32(number);
			return TMODEL_KEY_OK;
		case TMODEL_KEY_INT64:
			*bucket = tmodel_int64(number);
			return TMODEL_KEY_OK;
		case TMODEL_KEY_TEXT:
			tmodel_buf_init(&digits, arena);
			if (!tmodel_buf_printf(&digits, "%0*d", bucket_width(buckets),
								   number))
				return TMODEL_KEY_NO_MEMORY;
			*bucket = tmodel_string(tmodel_buf_text(&digits));
			return TMODEL_KEY_OK;
		default:
			return TMODEL_KEY_MISMATCH;
	}
}

tmodel_key_status
tmodel_key_bucket(tmodel_arena *arena, tmodel_key_type of_type,
				  const tmodel_value *of, int buckets, tmodel_key_type type,
				  tmodel_value *bucket)
{
	tmodel_buf	text;
	tmodel_key_status status;
	int			number;

	tmodel_buf_init(&text, arena);
	status = tmodel_key_append(&text, TMODEL_KEY_ESCAPED, of_type, of);
	if (status != TMODEL_KEY_OK)
		return status;
	number = tmodel_bucket(tmodel_buf_text(&text), buckets);
	if (number < 0)
		return TMODEL_KEY_NO_MEMORY;
	return tmodel_bucket_value(arena, number, buckets, type, bucket);
}
