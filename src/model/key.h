/*
 * key.h
 *	  How SQL values become PartitionKey and RowKey text, and back.
 *
 * The store forbids / \ # ? and control characters in keys and orders keys by
 * UTF-16 code units; a key has at most 512 units (4-store section 3).
 *
 * Two encodings: ESCAPED, which takes any text and keeps the order of texts
 * wherever that is possible, and RAW, the key as other programs wrote it.  The
 * rules are below; golden vectors are in test/vectors/key.tsv.
 *
 * Called by remote/, plan/, txn/ and model/index.  Easy to break: encoding and
 * decoding are exact inverses, and a range of keys may be too wide, never too
 * narrow.
 */
#ifndef TMODEL_KEY_H
#define TMODEL_KEY_H

#include "filter.h"

/*
 * ESCAPED, text: a character that must not appear is written as an
 * *introducer* followed by two upper-case hex digits of its code point.  There
 * are five introducers, each standing next to the characters it covers, so that
 * the order of keys stays the order of the texts wherever that is possible:
 *
 *	  "  covers U+0000-001F, " # %		*  covers * /		>  covers > ?
 *	  ]  covers ] \						~  covers ~ and U+007F-009F
 *
 * Everything else, letters, digits, space and ! $ & ' ( ) + , - . : ; < = @ [
 * ^ _ ` { | }, is written as it is: "Face/Off" is Face*2FOff.  The escape of a
 * text is the concatenation of the escapes of its characters, so prefixes stay
 * prefixes.
 *
 * Where order is *not* kept (control characters after space; / after + , - .;
 * % after $; UTF-16 against code points), tmodel_key_narrow() widens a bound,
 * never narrows it: the caller rechecks rows.
 *
 * ESCAPED, other types: INT16/32/64 zero-padded to 5/10/19 digits, negative
 * ones as '-' and the nines' complement; BOOL f, t; DATE 2024-01-31; TIMESTAMP
 * 2024-01-31T12:00:00.000000 (TIMESTAMPTZ: in UTC, with Z); UUID in lower case.
 * Their byte order is their SQL order.
 *
 * RAW: the text form as it is: numbers unpadded, BOOL false, true, the others
 * as above; illegal characters refused.  Other spellings (05, an upper-case
 * UUID) are MALFORMED: a value has one key.
 *
 * Composite keys (several columns, ESCAPED only): components are joined by
 * TMODEL_KEY_SEPARATOR, which no escaped component contains.
 */

/* '"' is only ever followed by a hex digit inside a component. */
#define TMODEL_KEY_SEPARATOR "\","
#define TMODEL_KEY_MAX_UNITS 512

/*
 * A key without components: the RowKey of a unique index whose only key column
 * is the PartitionKey.  Empty would be legal, but batches of some emulators
 * misread it.
 */
#define TMODEL_KEY_NONE "-"

typedef enum tmodel_key_encoding
{
	TMODEL_KEY_ESCAPED, TMODEL_KEY_RAW
} tmodel_key_encoding;

/* The SQL type of a key column; decides the text form. */
typedef enum tmodel_key_type
{
	TMODEL_KEY_TEXT,			/* value STRING */
	TMODEL_KEY_INT16,			/* value INT32 */
	TMODEL_KEY_INT32,			/* value INT32 */
	TMODEL_KEY_INT64,			/* value INT64 */
	TMODEL_KEY_BOOL,			/* value BOOLEAN */
	TMODEL_KEY_DATE,			/* value DATETIME, at midnight */
	TMODEL_KEY_TIMESTAMP,		/* value DATETIME */
	TMODEL_KEY_TIMESTAMPTZ,		/* value DATETIME */
	TMODEL_KEY_UUID				/* value GUID */
} tmodel_key_type;

typedef enum tmodel_key_status
{
	TMODEL_KEY_OK = 0,
	TMODEL_KEY_ILLEGAL,			/* RAW: a character the store forbids; not UTF-8 */
	TMODEL_KEY_TOO_LONG,		/* over 512 UTF-16 units */
	TMODEL_KEY_MALFORMED,		/* decoding: not something we encode */
	TMODEL_KEY_MISMATCH,		/* the value's type does not fit key_type */
	TMODEL_KEY_NO_MEMORY
} tmodel_key_status;

/* Appends one component's encoding.  The length is not checked here. */
extern tmodel_key_status tmodel_key_append(tmodel_buf *out,
										   tmodel_key_encoding encoding,
										   tmodel_key_type type,
										   const tmodel_value *value);

/*
 * Encodes a whole key of n components (RAW: n = 1; 0: TMODEL_KEY_NONE) and checks
 * length and characters.  The result is in the arena.
 */
extern tmodel_key_status tmodel_key_encode(tmodel_arena *arena,
										   tmodel_key_encoding encoding,
										   int n, const tmodel_key_type *types,
										   const tmodel_value *values,
										   tmodel_span *key);

/*
 * As tmodel_key_encode, but a key that would be too long keeps a prefix and
 * ends in "~!" and 64 hex digits of the SHA-256 of the full key ('~' is never
 * followed by '!' otherwise).  Such a key cannot be decoded: *shortened is set,
 * and the index entry carries the values as properties.
 */
extern tmodel_key_status tmodel_key_encode_index(tmodel_arena *arena, int n,
												 const tmodel_key_type *types,
												 const tmodel_value *values,
												 tmodel_span *key,
												 bool *shortened);

extern bool tmodel_key_is_shortened(tmodel_span key);

/* The way back; values' bytes are in the arena. */
extern tmodel_key_status tmodel_key_decode(tmodel_arena *arena,
										   tmodel_key_encoding encoding,
										   int n, const tmodel_key_type *types,
										   tmodel_span key,
										   tmodel_value *values);

/* Is this a key the store accepts (characters and length)? */
extern tmodel_key_status tmodel_key_check(tmodel_span key);

/*
 * A contiguous stretch of keys in the store's order.  Bounds are constants for
 * $filter; they need not be legal keys themselves.
 */
typedef struct tmodel_key_range
{
	bool		has_lower;
	tmodel_span lower;			/* inclusive: RowKey ge lower */
	bool		has_upper;
	tmodel_span upper;			/* exclusive: RowKey lt upper */
	bool		empty;			/* no key can match */
} tmodel_key_range;

/* All keys. */
extern void tmodel_key_range_all(tmodel_key_range *range);

/*
 * Narrows "range" to the keys whose components 0..nprefix-1 equal "prefix"
 * (values) and whose next component (index nprefix, of the key's n components)
 * satisfies "op constant".  The result holds at least all keys that do; for
 * equality (TMODEL_EQ) exactly those, unless shortened keys may occur.  op
 * TMODEL_NE narrows nothing beyond the prefix; constant NULL: the prefix alone.
 *
 * TEXT comparisons are those of code points (COLLATE "C").  Bounds contain no
 * character that keys of the encoding do not; where keys may be shortened they
 * are cut so that shortened keys are never missed.  On a status other than OK
 * the range is unchanged.
 */
extern tmodel_key_status tmodel_key_narrow(tmodel_arena *arena,
										   tmodel_key_range *range,
										   tmodel_key_encoding encoding,
										   int n, const tmodel_key_type *types,
										   int nprefix,
										   const tmodel_value *prefix,
										   tmodel_compare op,
										   const tmodel_value *constant);

/* The same for "the next component (TEXT) begins with": LIKE 'abc%'. */
extern tmodel_key_status tmodel_key_narrow_begins(tmodel_arena *arena,
												  tmodel_key_range *range,
												  tmodel_key_encoding encoding,
												  int n,
												  const tmodel_key_type *types,
												  int nprefix,
												  const tmodel_value *prefix,
												  tmodel_span begins);

/* True when the key lies in the range (store order). */
extern bool tmodel_key_in_range(tmodel_span key,
								const tmodel_key_range *range);

/*
 * The least text above every text that begins with "prefix", in UTF-16 order;
 * false when there is none.
 */
extern bool tmodel_key_prefix_end(tmodel_arena *arena, tmodel_span prefix,
								  tmodel_span *end);

/*
 * The range as a filter on "RowKey" or "PartitionKey": "eq" for a single key,
 * a comparison that nothing satisfies when empty, NULL for all keys.
 */
extern tmodel_filter *tmodel_key_range_filter(tmodel_arena *arena,
											  tmodel_span key_name,
											  const tmodel_key_range *range);

#endif							/* TMODEL_KEY_H */
