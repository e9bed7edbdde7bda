/*
 * utf8.h
 *	  Walking UTF-8 by code points; for model/ and store/.
 *
 * Strict: no overlong forms, no surrogates, nothing above U+10FFFF.  UTF-16
 * lengths and order are in value.h (tmodel_utf16_units) and filter.h
 * (tmodel_utf16_compare).
 */
#ifndef TMODEL_UTF8_H
#define TMODEL_UTF8_H

#include "arena.h"

/* Bytes of the code point at the start of a non-empty text; 0: not UTF-8. */
extern int	tmodel_utf8_decode(const char *data, size_t len, uint32_t *code);

/* Writes one code point (not checked) and returns its bytes, 1 to 4. */
extern int	tmodel_utf8_encode(uint32_t code, char out[4]);

/* Is all of it UTF-8? */
extern bool tmodel_utf8_valid(tmodel_span text);

/* Appends one code point. */
extern bool tmodel_utf8_append(tmodel_buf *buf, uint32_t code);

#endif							/* TMODEL_UTF8_H */
