/*
 * encode.h
 *	  Text codings: base64, hex, GUIDs, percent, UTF-8/UTF-16, and key form.
 *
 * "Key form" is CESU-8: UTF-8 with supplementary characters as surrogate
 * pairs of three bytes each.  memcmp over it is the service's ordinal order
 * (UTF-16 code units), which plain UTF-8 is not.
 */
#ifndef MTS_ENCODE_H
#define MTS_ENCODE_H

#include "mem.h"

/* Upper bound of base64 text for n bytes. */
#define BASE64_LEN(n) (((n) + 2) / 3 * 4)

extern void base64_put(Buf *out, Span bytes);
extern bool base64_decode(Arena *a, Span text, Span *bytes);
extern bool hex_decode(Arena *a, Span text, Span *bytes);
extern bool guid_parse(Span text, uint8_t guid[16]);
extern void guid_format(char out[37], const uint8_t guid[16]);

/* %XX resolved; false for a broken escape.  plus: '+' means a blank. */
extern bool percent_decode(Arena *a, Span text, bool plus, Span *out);
extern void percent_put(Buf *out, Span text);

/* False when s is not UTF-8, else its length in UTF-16 code units. */
extern bool utf16_length(Span s, size_t *units);

/* Ordinal order of two UTF-8 strings, by UTF-16 code units. */
extern int	utf16_cmp(Span a, Span b);

extern Span key_form(Arena *a, Span utf8);
extern Span key_utf8(Arena *a, Span key);

#endif							/* MTS_ENCODE_H */
