/*
 * sign.h
 *	  Signatures, base64 and the dates of HTTP.
 *
 * Used inside store/ only; no I/O, no clock.
 */
#ifndef TSTORE_SIGN_H
#define TSTORE_SIGN_H

#include "model/arena.h"

/* Decodes base64 strictly, into the arena; false when it is none. */
extern bool tstore_base64_decode(tmodel_arena *arena, tmodel_span text,
								 tmodel_span *bytes);

/* "Tue, 15 Nov 1994 08:12:31 GMT", whatever the locale; 30 bytes with the 0. */
#define TSTORE_HTTP_DATE_SIZE 30
extern void tstore_http_date(int64_t unix_seconds,
							 char date[TSTORE_HTTP_DATE_SIZE]);

/* The way back; false when the text is not such a date. */
extern bool tstore_http_date_read(tmodel_span text, int64_t *unix_seconds);

/*
 * The base64 signature of SharedKey for tables.  content_type may be NULL; path
 * is the URL's as sent, without query.  Empty when memory is short.
 */
extern tmodel_span tstore_sign(tmodel_arena *arena, tmodel_span account,
							   tmodel_span key, const char *method,
							   const char *content_type, const char *date,
							   tmodel_span path);

/*
 * The same for the Queue service: it also signs the body's length, the version,
 * and the query, given as "\nname:value" in the order of the names.
 */
extern tmodel_span tstore_sign_queue(tmodel_arena *arena, tmodel_span account,
									 tmodel_span key, const char *method,
									 const char *content_type,
									 size_t content_length, const char *date,
									 const char *version, tmodel_span path,
									 tmodel_span resource);

#endif							/* TSTORE_SIGN_H */
