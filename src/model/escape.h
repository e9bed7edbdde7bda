/*
 * escape.h
 *	  What stands behind the backslash in a JSON string.
 *
 * The one reader of JSON escapes: for pages (store/json.c) and for arrays in a
 * property (list.c), so that a text means the same in both.
 */
#ifndef TMODEL_ESCAPE_H
#define TMODEL_ESCAPE_H

#include "arena.h"

/*
 * Reads the escape whose backslash stands before text.data[at]; the bytes read,
 * or 0 when JSON has no such escape.  A pair of surrogates is one code point of
 * eleven bytes; a half without its other half, which programs that cut texts
 * write, is U+FFFD.  The code may be 0: who cannot hold that must look.
 */
extern size_t tmodel_escape_read(tmodel_span text, size_t at, uint32_t *code);

#endif							/* TMODEL_ESCAPE_H */
