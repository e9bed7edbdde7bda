/*
 * value.h
 *	  The store's eight primitive types (EDM) and how their text forms read.
 *
 * Text forms are those of the REST protocol ("Understanding the Table service
 * data model").  Literals of $filter are printed by filter.h, JSON by
 * store/json.h; both build on the functions here.
 */
#ifndef TMODEL_VALUE_H
#define TMODEL_VALUE_H

#include "arena.h"

typedef enum tmodel_type
{
	TMODEL_NULL = 0,			/* a property that is not there */
	TMODEL_STRING,
	TMODEL_INT32,
	TMODEL_INT64,
	TMODEL_DOUBLE,
	TMODEL_BOOLEAN,
	TMODEL_DATETIME,
	TMODEL_GUID,
	TMODEL_BINARY
} tmodel_type;

typedef struct tmodel_value
{
	tmodel_type type;
	union
	{
		tmodel_span bytes;		/* STRING (UTF-8), BINARY (raw bytes) */
		int32_t		int32;
		int64_t		int64;
		double		number;		/* DOUBLE; NaN and infinities allowed */
		bool		boolean;
		int64_t		ticks;		/* DATETIME: 100 ns since 1601-01-01 UTC */
		uint8_t		guid[16];	/* GUID: bytes in the order of its text */
	}			u;
} tmodel_value;

/* 9999-12-31T23:59:59.9999999Z; the smallest DateTime is 0 (1601-01-01). */
#define TMODEL_TICKS_MAX INT64_C(2650467743999999999)

/* "Edm.String" and so on; NULL for TMODEL_NULL. */
extern const char *tmodel_type_name(tmodel_type type);

/* The other way round, with or without "Edm."; TMODEL_NULL when unknown. */
extern tmodel_type tmodel_type_of_name(tmodel_span name);

/* Same type and same value; NaN equals NaN, -0.0 equals 0.0. */
extern bool tmodel_value_equal(const tmodel_value *a, const tmodel_value *b);

/* Copies the value; bytes go to the arena. */
extern tmodel_value tmodel_value_copy(tmodel_arena *arena,
									  const tmodel_value *value);

/*
 * The text form: Int64 and Int32 in decimal, Double with the shortest digits
 * that read back equal (NaN, Infinity, -Infinity), DateTime as
 * 2024-01-31T00:00:00.1234567Z with a fraction of 0 or 7 digits, Guid as 36
 * lower-case characters, Binary in base64, String as it is.
 */
extern bool tmodel_value_print(tmodel_buf *buf, const tmodel_value *value);

/*
 * Reads a text form of the given type.  DateTime takes 0 to 7 digits of
 * fraction and needs the Z; Guid takes either case; false when it is not one.
 */
extern bool tmodel_value_parse(tmodel_arena *arena, tmodel_type type,
							   tmodel_span text, tmodel_value *value);

/* What a value counts towards the store's entity size (UTF-16 units * 2...). */
extern size_t tmodel_value_size(const tmodel_value *value);

/* Number of UTF-16 code units of UTF-8 text; the store counts in these. */
extern size_t tmodel_utf16_units(tmodel_span utf8);

extern tmodel_value tmodel_string(tmodel_span text);
extern tmodel_value tmodel_int32(int32_t number);
extern tmodel_value tmodel_int64(int64_t number);
extern tmodel_value tmodel_double(double number);
extern tmodel_value tmodel_boolean(bool truth);
extern tmodel_value tmodel_datetime(int64_t ticks);

#endif							/* TMODEL_VALUE_H */
