/*
 * bucket.h
 *	  Hashed shard keys: which of N buckets a key value belongs to.
 *
 * The seeds' figure 6: the PartitionKey is a hash of the key a table is asked
 * by, so that load spreads over partitions; whoever knows the key computes the
 * bucket again.  Data in the store depends on this function: it never changes.
 */
#ifndef TMODEL_BUCKET_H
#define TMODEL_BUCKET_H

#include "key.h"

#define TMODEL_MAX_BUCKETS 4096

/*
 * The bucket, 0 .. buckets - 1: the first eight bytes of the SHA-256 of the
 * bytes, big-endian, modulo buckets (>= 1).  -1: the hash is not to be had.
 */
extern int	tmodel_bucket(tmodel_span bytes, int buckets);

/*
 * The bucket of a key component (its ESCAPED form is hashed) as a value of a
 * key column: INT16/32/64 the number, TEXT its digits, padded to those of
 * buckets - 1.  MISMATCH for other column types.
 */
extern tmodel_key_status tmodel_key_bucket(tmodel_arena *arena,
										   tmodel_key_type of_type,
										   const tmodel_value *of,
										   int buckets, tmodel_key_type type,
										   tmodel_value *bucket);

/* The value of a bucket's number, as above. */
extern tmodel_key_status tmodel_bucket_value(tmodel_arena *arena, int number,
											 int buckets, tmodel_key_type type,
											 tmodel_value *bucket);

#endif							/* TMODEL_BUCKET_H */
