/*
 * index.h
 *	  Which entries of an index table a fact has: a pure function of the fact.
 *
 * Everything that must agree on entries (writers, readers that recheck,
 * repair, backfill) asks this file, so that they cannot differ.  It knows
 * neither how entries are written (protocol.h) nor SQL.
 *
 * Easy to break: entries must be computed from what the *store* holds (types
 * as stored), never from SQL values that were not yet converted.
 */
#ifndef TMODEL_INDEX_H
#define TMODEL_INDEX_H

#include "key.h"
#include "list.h"

/* The fact table's keys, needed to take values out of a fact's keys. */
typedef struct tmodel_fact_def
{
	tmodel_span table;			/* the store's table name */
	tmodel_key_encoding encoding;
	int			npartition;
	const tmodel_key_type *partition_types;
	int			nrow;
	const tmodel_key_type *row_types;
} tmodel_fact_def;

/* Where an index key column's value comes from. */
typedef enum tmodel_source
{
	TMODEL_FROM_PROPERTY,		/* a property of the fact */
	TMODEL_FROM_ELEMENT,		/* each element of an array property */
	TMODEL_FROM_PARTITION,		/* a component of the fact's PartitionKey */
	TMODEL_FROM_ROW,			/* a component of the fact's RowKey */
	TMODEL_FROM_HASH,			/* the bucket of another column of the entry */
	TMODEL_FROM_FACT_HASH		/* the bucket of the fact's whole RowKey */
} tmodel_source;

typedef struct tmodel_index_column
{
	tmodel_span name;			/* the index table's property name */
	tmodel_key_type type;
	tmodel_source source;
	tmodel_span property;		/* FROM_PROPERTY, FROM_ELEMENT */
	int			component;		/* FROM_PARTITION, FROM_ROW; FROM_HASH: the
								 * hashed column, partition columns first */
	int			buckets;		/* FROM_HASH, FROM_FACT_HASH */
} tmodel_index_column;

typedef struct tmodel_index_def
{
	tmodel_span table;			/* the store's table that holds the entries */
	tmodel_span section;		/* colocated: what their RowKeys begin with
								 * (section.h); empty: a table of their own */
	int32_t		epoch;			/* of the definition */
	int			npartition;
	const tmodel_index_column *partition;
	int			nrow;
	const tmodel_index_column *row;
	int			ncovered;
	const tmodel_span *covered; /* properties copied from the fact */
	bool		unique;			/* keys without the fact's: one entry for each
								 * key value, a claim of one fact */
	int			nowner;			/* unique: components of the fact's key that
								 * are copied too, as properties */
	const tmodel_index_column *owner;	/* FROM_PARTITION, FROM_ROW */
} tmodel_index_def;

/* Pointer indexes copy nothing; all others are covering. */
extern bool tmodel_index_is_covering(const tmodel_index_def *index);

typedef struct tmodel_entries
{
	int			n;
	tmodel_entity *entries;		/* no key twice; order of first occurrence */
} tmodel_entries;

/*
 * The entries of a live fact: keys, copied properties, _itFactPK, _itFactRK,
 * _itEpoch; no verified flag.  A NULL (or absent) key value, NULL elements and
 * an empty array give no entry; equal elements give one.  At most one column
 * is FROM_ELEMENT.  When a key had to be shortened the entry also carries each
 * key column's value as a property of the column's name.
 *
 * A value of another type than the column's is taken by its text form where
 * that reads as the column's type, else gives no entry.  False: out of memory
 * or the fact's keys do not decode.
 */
extern bool tmodel_index_entries(tmodel_arena *arena,
								 const tmodel_fact_def *fact_def,
								 const tmodel_index_def *index,
								 const tmodel_entity *fact,
								 tmodel_entries *entries);

/* The entry with this one's keys, or NULL. */
extern const tmodel_entity *tmodel_entries_find(const tmodel_entries *entries,
												tmodel_span partition_key,
												tmodel_span row_key);

#endif							/* TMODEL_INDEX_H */
