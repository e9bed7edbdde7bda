/*
 * json.h
 *	  Writing JSON into a buffer.
 *
 * Reading is yajl's business (entity_json.c, ops_mock.c).
 */
#ifndef MTS_JSON_H
#define MTS_JSON_H

#include "mem.h"

/* A quoted, escaped string; s must be UTF-8. */
extern void json_string(Buf *out, Span s);

/* The same for a key in key form (CESU-8), written as UTF-8. */
extern void json_key(Buf *out, Span key);

/* Shortest text that reads back as d, with ".0" if it looks like an integer. */
extern void json_double(Buf *out, double d);

extern void json_int(Buf *out, int64_t v);

#endif							/* MTS_JSON_H */
