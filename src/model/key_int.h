/*
 * key_int.h
 *	  What key.c (encoding) and key_range.c (bounds) share; private to both.
 *
 * The introducer of a character is asked for here and nowhere else, so that
 * encoding, decoding and the order of keys cannot disagree.
 */
#ifndef TMODEL_KEY_INT_H
#define TMODEL_KEY_INT_H

#include "key.h"

/* The introducer that covers the code point; 0 when it is written as it is. */
extern char tmodel_key_introducer(uint32_t code);

/* Does the store refuse the code point in keys? */
extern bool tmodel_key_refuses(uint32_t code);

/* Appends one code point of a TEXT component, escaped or (RAW) as it is. */
extern bool tmodel_key_put(tmodel_buf *out, tmodel_key_encoding encoding,
						   uint32_t code);

/*
 * The short form of a key that has more than max_units; see key.h.  At least
 * the mark and the hash, 66 units, must fit.
 */
extern tmodel_key_status tmodel_key_shorten(tmodel_arena *arena,
											tmodel_span full,
											size_t max_units,
											tmodel_span *key);

/* As tmodel_key_prefix_end, of characters that keys of the encoding have. */
extern bool tmodel_key_legal_end(tmodel_arena *arena,
								 tmodel_key_encoding encoding,
								 tmodel_span prefix, tmodel_span *end);

/*
 * A bound for keys that may be shortened must not be longer: the prefix that a
 * shortened key keeps then decides every comparison as the full key would.
 * 66 units are the mark and the hash; at most 2 units are lost where the next
 * character (3 units escaped) did not fit.
 */
#define TMODEL_KEY_BOUND_UNITS (TMODEL_KEY_MAX_UNITS - 66 - 4)

#endif							/* TMODEL_KEY_INT_H */
