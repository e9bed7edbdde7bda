/*
 * timestamp.h
 *	  Times in 100 ns ticks since 0001-01-01, as the service counts them.
 *
 * timestamp_next() never returns the same value twice, also across restarts
 * when the store hands back the last one it promised; ETags rest on that.
 */
#ifndef MTS_TIMESTAMP_H
#define MTS_TIMESTAMP_H

#include "mem.h"

#define TICKS_PER_SECOND INT64_C(10000000)
#define TICKS_1601 INT64_C(504911232000000000)
#define TICKS_1970 INT64_C(621355968000000000)
#define TICKS_MAX INT64_C(3155378975999999999)

/* "9999-12-31T23:59:59.9999999Z" and its NUL */
#define TIMESTAMP_MAX 32

/* "Sun, 06 Nov 1994 08:49:37 GMT" and its NUL */
#define HTTP_DATE_MAX 32

extern int64_t timestamp_now(void);
extern int64_t timestamp_next(void);
extern void timestamp_not_before(int64_t ticks);

/* ISO 8601 with the fraction's trailing zeros trimmed; returns the length. */
extern size_t timestamp_format(char *out, int64_t ticks);

/* The same, always with seven digits. */
extern size_t timestamp_format7(char *out, int64_t ticks);

/* False when the text is no date; ticks may lie before 1601. */
extern bool timestamp_parse(Span text, int64_t *ticks);

/* RFC 1123, as in x-ms-date. */
extern bool http_date_parse(Span text, int64_t *ticks);
extern void http_date_format(char out[HTTP_DATE_MAX], int64_t ticks);

#endif							/* MTS_TIMESTAMP_H */
