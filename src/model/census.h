/*
 * census.h
 *	  How many entities a table has, from some of its pages.
 *
 * The store counts nothing and finds nothing but the next entity behind a key.
 * A census keeps what is known of a table as stretches of keys that were read
 * and gaps between them, says which key to read a page from next, and estimates
 * what is in the gaps from the stretches beside them.  It sends nothing itself.
 *
 * Within a partition rows lie between row keys; between partitions lie
 * partitions, whose sizes differ.  So a stretch that ends within a partition has
 * two gaps behind it: the partition's rest, and the partitions after it.
 */
#ifndef TMODEL_CENSUS_H
#define TMODEL_CENSUS_H

#include "arena.h"

typedef struct tmodel_census tmodel_census;
typedef struct tmodel_known tmodel_known;

/* A page to read: of the partition, or of partitions. */
typedef struct tmodel_ask
{
	bool		one;
	tmodel_span partition;		/* one */
	tmodel_span from;			/* a RowKey if one, else a PartitionKey */
	bool		from_too;		/* from itself is asked for */
	tmodel_span to;				/* before it; empty: the end */
	void	   *gap;			/* the census's own */
} tmodel_ask;

typedef struct tmodel_key_pair
{
	tmodel_span partition_key;
	tmodel_span row_key;
} tmodel_key_pair;

/* What is estimated. */
typedef struct tmodel_estimate
{
	double		rows;
	double		error;			/* standard error, in rows */
	double		seen;			/* of rows: those that were read */
} tmodel_estimate;

/* A census of a table whose pages have so many entities; NULL: no memory. */
extern tmodel_census *tmodel_census_new(tmodel_arena *arena, uint64_t seed,
										int page);

/* The entities that were read from the table's beginning, one after another. */
extern void tmodel_census_first(tmodel_census *census,
								const tmodel_key_pair *key);

/* That was the last of them, and there are more; asking begins. */
extern void tmodel_census_begin(tmodel_census *census,
								const tmodel_key_pair *last);

/* What to ask for next; false: nothing, or not before answers have come. */
extern bool tmodel_census_next(tmodel_census *census, tmodel_ask *ask);

/*
 * The answer: n keys in order, and whether the stretch asked for goes on behind
 * them (with none of them it must not).  Returns the stretch, NULL when empty.
 */
extern tmodel_known *tmodel_census_take(tmodel_census *census,
										const tmodel_ask *ask, int n,
										const tmodel_key_pair *keys,
										bool more);

extern void tmodel_census_estimate(tmodel_census *census,
								   tmodel_estimate *estimate);

/* After an estimate: the rows that the stretch stands for; NULL: the first. */
extern double tmodel_census_stands_for(const tmodel_census *census,
									   const tmodel_known *known);

#endif							/* TMODEL_CENSUS_H */
