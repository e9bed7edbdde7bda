/*
 * json.h
 *	  JSON text as a series of events, and the way strings are written.
 *
 * Reading is json_parse.c, writing and escapes are json.c.  The parser hands
 * out the text of numbers untouched, because "3" and "3.0" are different types
 * in the store.  It knows nothing of entities.
 *
 * Easy to break: strings without escapes are handed out as pieces of the
 * parsed text itself, so that text must live as long as what was read.
 */
#ifndef TSTORE_JSON_H
#define TSTORE_JSON_H

#include "model/arena.h"

typedef enum tstore_json_kind
{
	TSTORE_JSON_NULL,
	TSTORE_JSON_TRUE,
	TSTORE_JSON_FALSE,
	TSTORE_JSON_NUMBER,			/* text: as it was written */
	TSTORE_JSON_STRING,			/* text: unescaped; may contain zeros */
	TSTORE_JSON_KEY,			/* text: likewise */
	TSTORE_JSON_BEGIN_OBJECT,
	TSTORE_JSON_END_OBJECT,
	TSTORE_JSON_BEGIN_ARRAY,
	TSTORE_JSON_END_ARRAY
} tstore_json_kind;

typedef enum tstore_json_status
{
	TSTORE_JSON_OK = 0,
	TSTORE_JSON_MALFORMED,		/* not one whole JSON value */
	TSTORE_JSON_STOPPED,		/* the sink returned false */
	TSTORE_JSON_NO_MEMORY
} tstore_json_status;

/* Takes one event; false stops the parser. */
typedef bool (*tstore_json_sink) (void *ctx, tstore_json_kind kind,
								  tmodel_span text);

/*
 * Parses one JSON value.  Texts handed to the sink lie in "text" or in the
 * arena.  Values may be nested to 64 levels.
 */
extern tstore_json_status tstore_json_parse(tmodel_arena *arena,
											tmodel_span text,
											tstore_json_sink sink, void *ctx);

/*
 * Reads what stands between a string's quotes, escapes and all, into the arena;
 * MALFORMED for an escape that JSON does not have.  Half a surrogate pair
 * becomes U+FFFD.
 */
extern tstore_json_status tstore_json_unescape(tmodel_arena *arena,
											   tmodel_span raw,
											   tmodel_span *text);

/* Appends a text as it stands between quotes; false when memory is short. */
extern bool tstore_json_escape(tmodel_buf *buf, tmodel_span text);

/* Appends a text with its quotes; false when memory is short. */
extern bool tstore_json_string(tmodel_buf *buf, tmodel_span text);

#endif							/* TSTORE_JSON_H */
