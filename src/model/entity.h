/*
 * entity.h
 *	  An entity: what the store keeps under one PartitionKey and RowKey.
 *
 * Keys here are the store's own (encoded, see key.h).  Properties are those
 * that are present; a NULL is simply not there.  The reserved properties of
 * index entries and stubs (2-protocol) are named here, once.
 */
#ifndef TMODEL_ENTITY_H
#define TMODEL_ENTITY_H

#include "value.h"

typedef struct tmodel_property
{
	tmodel_span name;
	tmodel_value value;			/* TMODEL_NULL is treated as absent */
} tmodel_property;

typedef struct tmodel_entity
{
	tmodel_span partition_key;
	tmodel_span row_key;
	tmodel_span etag;			/* empty when not known */
	int64_t		timestamp;		/* ticks; -1 when not known */
	int			nproperties;
	tmodel_property *properties;	/* no name twice */
} tmodel_entity;

/*
 * Reserved properties.  All begin with TMODEL_RESERVED_PREFIX; a column may not
 * be named so.
 */
#define TMODEL_RESERVED_PREFIX "_it"
#define TMODEL_P_STUB		"_itStub"	/* fact, Boolean: reserved, not live */
#define TMODEL_P_FENCE		"_itFence"	/* fact, Int32: no-op ETag changes */
#define TMODEL_P_WRITES		"_itWrites" /* fact, String: last write ids */
#define TMODEL_P_VERIFIED	"_itVerified"	/* entry, Boolean: may answer alone */
#define TMODEL_P_FACT_PK	"_itFactPK" /* entry, String: the fact's keys */
#define TMODEL_P_FACT_RK	"_itFactRK"
#define TMODEL_P_WRITE		"_itWrite"	/* entry, String: write id */
#define TMODEL_P_BUCKET		"_itBucket" /* entry, Int32: only when shortened */
#define TMODEL_P_EPOCH		"_itEpoch"	/* entry, Int32: definition epoch */
#define TMODEL_P_INDEXES	"_itIndexes"	/* outbox, String: index names */

/* The property's value, or NULL when the entity does not have it. */
extern const tmodel_value *tmodel_entity_get(const tmodel_entity *entity,
											 tmodel_span name);

extern bool tmodel_is_reserved(tmodel_span property_name);
extern bool tmodel_entity_is_stub(const tmodel_entity *entity);
extern bool tmodel_entity_is_verified(const tmodel_entity *entity);

/* Same keys and same properties, reserved ones, ETag and Timestamp ignored. */
extern bool tmodel_entity_same_content(const tmodel_entity *a,
									   const tmodel_entity *b);

/* A deep copy with everything in the arena; NULL when memory is short. */
extern tmodel_entity *tmodel_entity_copy(tmodel_arena *arena,
										 const tmodel_entity *entity);

/* A copy with room for "extra" more properties (shallow: values are shared). */
extern tmodel_entity *tmodel_entity_extend(tmodel_arena *arena,
										   const tmodel_entity *entity,
										   int extra);

/* Sets, replaces or (TMODEL_NULL) removes; needs room from _extend to add. */
extern void tmodel_entity_set(tmodel_entity *entity, tmodel_span name,
							  const tmodel_value *value);

/* Why an entity cannot be stored; TMODEL_FIT_OK when it can. */
typedef enum tmodel_fit
{
	TMODEL_FIT_OK = 0,
	TMODEL_FIT_VALUE_TOO_LARGE, /* String or Binary over 64 KiB */
	TMODEL_FIT_ENTITY_TOO_LARGE,	/* over 1 MiB */
	TMODEL_FIT_TOO_MANY_PROPERTIES, /* over 252 */
	TMODEL_FIT_NAME				/* a property name the store refuses */
} tmodel_fit;

/*
 * The limits of the real service (4-store section 3).  *property is the
 * offending property's index where there is one, else -1.
 */
extern tmodel_fit tmodel_entity_fit(const tmodel_entity *entity,
									int *property);

/* The size the store counts: 4 + keys*2 + sum(8 + name*2 + value). */
extern size_t tmodel_entity_size(const tmodel_entity *entity);

/* May the store have a property of this name?  (C# identifier, <= 255.) */
extern bool tmodel_property_name_ok(tmodel_span name);

#endif							/* TMODEL_ENTITY_H */
