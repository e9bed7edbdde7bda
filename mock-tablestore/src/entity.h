/*
 * entity.h
 *	  What an entity is: typed properties, and the blob they are stored as.
 *
 * An entity in hand is an Entity (from JSON); a stored one is a blob:
 *
 *	  ticks:8  size:4  count:2  { type:1 name_len:2 name value }*
 *
 * in the machine's byte order, value being 1, 4, 8 or 16 bytes or len:4 and
 * the bytes.  Keys are not in the blob but the row's key.  size is the
 * service's accounting of the properties (UTF-16), keys left out.
 */
#ifndef MTS_ENTITY_H
#define MTS_ENTITY_H

#include "error.h"

#define MAX_KEY_UNITS 512
#define MAX_PROPERTIES 252
#define MAX_NAME_UNITS 255
#define MAX_VALUE_BYTES 65536
#define MAX_ENTITY_BYTES (1024 * 1024)

typedef enum ValueType
{
	VT_STRING = 1,
	VT_INT32,
	VT_INT64,
	VT_DOUBLE,
	VT_BOOL,
	VT_DATETIME,
	VT_GUID,
	VT_BINARY
} ValueType;

typedef struct Value
{
	ValueType	type;
	union
	{
		Span		bytes;		/* VT_STRING (UTF-8) and VT_BINARY */
		int64_t		i64;		/* VT_INT32, VT_INT64, VT_DATETIME (ticks) */
		double		f64;		/* VT_DOUBLE */
		bool		b;			/* VT_BOOL */
		uint8_t		guid[16];	/* VT_GUID */
	};
} Value;

typedef struct Property
{
	Span		name;
	bool		is_null;		/* sent as null: never stored */
	Value		value;
} Property;

typedef struct Entity
{
	Span		pk;				/* UTF-8, checked */
	Span		rk;
	bool		has_pk;			/* the body named a PartitionKey */
	bool		has_rk;
	Property   *props;
	int			nprops;
} Entity;

/* Reads one blob from front to back. */
typedef struct BlobReader
{
	const char *next;
	int			left;			/* properties not read yet */
	int64_t		ticks;			/* the entity's Timestamp */
} BlobReader;

extern void blob_open(BlobReader *r, Span blob);
extern bool blob_next(BlobReader *r, Span *name, Value *value);
extern int64_t blob_ticks(Span blob);

/* In entity.c; detail is set when the general message does not say enough. */
extern ErrCode key_check(Span key, const char *which, Arena *a,
						 const char **detail);
extern ErrCode entity_encode(Arena *a, const Entity *e, size_t key_bytes,
							 int64_t ticks, Span *blob);
extern ErrCode entity_merge(Arena *a, Span old, const Entity *patch,
							size_t key_bytes, int64_t ticks, Span *blob);

/* In entity_json.c */
extern ErrCode entity_from_json(Arena *a, Span body, Entity *e,
								const char **detail);

#endif							/* MTS_ENTITY_H */
