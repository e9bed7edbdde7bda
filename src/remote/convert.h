/*
 * convert.h
 *	  Between SQL values and the store's: Datum <-> tmodel_value, row <-> entity.
 *
 * What the store cannot hold is refused here, before anything is sent (G8).
 */
#ifndef ITABLE_CONVERT_H
#define ITABLE_CONVERT_H

#include "postgres.h"

#include "compat.h"
#include "table/table_def.h"

/* A property's value; NULL becomes TMODEL_NULL.  Bytes are in the arena. */
extern tmodel_value itable_to_value(tmodel_arena *arena,
									const itableColumn *column,
									Datum datum, bool isnull);

/* A value of the column's element type (arrays) as a key constant. */
extern tmodel_value itable_to_key_value(tmodel_arena *arena,
										const itableColumn *column,
										Datum datum);

/* Can the store hold it?  False for infinite and far dates; other types: true. */
extern bool itable_is_storable(Oid type, Datum datum);

/* The way back; throws when the store's value does not read as the type. */
extern Datum itable_from_value(tmodel_arena *arena, const itableColumn *column,
							   const tmodel_value *value, bool *isnull);

/*
 * The entity of a whole row (values by attnum - 1): keys encoded, properties
 * set, limits checked.  Throws for NULL keys, illegal or too long keys, and
 * values the store cannot hold.  System columns are ignored.
 */
extern tmodel_entity *itable_row_to_entity(tmodel_arena *arena,
										   const itableTable *table,
										   const Datum *values,
										   const bool *isnull);

/*
 * Sets hashed key columns to their bucket.  With "check" a value that is there
 * and differs is an error (23514), else it is replaced.
 */
extern void itable_fill_buckets(tmodel_arena *arena, const itableTable *table,
								Datum *values, bool *isnull, bool check);

/*
 * Fills values and isnull (natts long) from an entity; "wanted" (attnum - 1)
 * may be NULL for all, columns not wanted become NULL.
 */
extern void itable_entity_to_row(tmodel_arena *arena, const itableTable *table,
								 const tmodel_entity *entity,
								 const bool *wanted,
								 Datum *values, bool *isnull);

/*
 * Are the wanted columns (attnum - 1) the same from a page without ETags and
 * types as from one with them?  Declared types are believed for it.
 */
extern bool itable_reads_plain(const itableTable *table, const bool *wanted);

/* Throws for a key that could not be encoded. */
pg_noreturn extern void itable_key_failed(const itableTable *table, bool partition,
							  tmodel_key_status status);

#endif							/* ITABLE_CONVERT_H */
