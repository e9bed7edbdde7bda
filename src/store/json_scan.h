/*
 * json_scan.h
 *	  Walking over JSON text: spaces, strings, numbers, words.
 *
 * A page is mostly strings of ten bytes; what costs is not finding them but
 * the work for each.  So strings are looked through many bytes at a time for
 * what needs attention, nothing is copied that has no escapes, and all of this
 * is inline.  (bench/RESULTS.md; simdjson needs code for one kind of processor
 * to be faster.)
 *
 * Strict: RFC 8259, UTF-8 only.  Used by json_parse.c and entity_read.c, never
 * from inside libcurl.  Easy to break: nothing may be read at "end" or behind.
 */
#ifndef TSTORE_JSON_SCAN_H
#define TSTORE_JSON_SCAN_H

#include "json.h"

#include "model/utf8.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef struct json_scan
{
	const char *at;				/* the next byte */
	const char *end;
	tmodel_arena *arena;		/* for strings that have escapes */
} json_scan;

static inline void
json_skip_space(json_scan *scan)
{
	while (scan->at < scan->end &&
		   (*scan->at == ' ' || *scan->at == '\n' || *scan->at == '\r' ||
			*scan->at == '\t'))
		scan->at++;
}

/* Moves over the character if it is the next after spaces. */
static inline bool
json_take(json_scan *scan, char c)
{
	json_skip_space(scan);
	if (scan->at == scan->end || *scan->at != c)
		return false;
	scan->at++;
	return true;
}

#ifdef __SSE2__

/* Sixteen bytes at a time; NULL: not in those that are left, of which *at. */
static inline const char *
json_find_wide(const char **at, const char *end, bool *high)
{
	const __m128i quote = _mm_set1_epi8('"');
	const __m128i backslash = _mm_set1_epi8('\\');
	const __m128i control = _mm_set1_epi8(0x1F);
	unsigned	highs = 0;

	while (end - *at >= 16)
	{
		__m128i		bytes = _mm_loadu_si128((const __m128i *) *at);
		__m128i		marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
										 _mm_cmpeq_epi8(bytes, backslash));
		unsigned	found;

		/* unsigned: at most 0x1F */
		marks = _mm_or_si128(marks, _mm_cmpeq_epi8(_mm_min_epu8(bytes, control),
												   bytes));
		found = (unsigned) _mm_movemask_epi8(marks);
		highs |= (unsigned) _mm_movemask_epi8(bytes);
		if (found != 0)
		{
			*high |= highs != 0;
			return *at + __builtin_ctz(found);
		}
		*at += 16;
	}
	*high |= highs != 0;
	return NULL;
}

#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#define JSON_ONES UINT64_C(0x0101010101010101)
#define JSON_HIGHS UINT64_C(0x8080808080808080)

/* Has a byte of the word the value c?  (Mycroft's test for a zero byte.) */
static inline uint64_t
json_has(uint64_t word, unsigned char c)
{
	uint64_t	zero = word ^ (JSON_ONES * c);

	return (zero - JSON_ONES) & ~zero & JSON_HIGHS;
}

/* Eight bytes at a time; NULL: not in those that are left, of which *at. */
static inline const char *
json_find_wide(const char **at, const char *end, bool *high)
{
	while (end - *at >= 8)
	{
		uint64_t	word;
		uint64_t	found;

		memcpy(&word, *at, 8);
		*high |= (word & JSON_HIGHS) != 0;
		/* a byte under 0x20 borrows; one from 0x80 on is masked out */
		found = json_has(word, '"') | json_has(word, '\\') |
			((word - JSON_ONES * 0x20) & ~word & JSON_HIGHS);
		/* below the lowest mark there is no borrow, so it is true */
		if (found != 0)
			return *at + (__builtin_ctzll(found) >> 3);
		*at += 8;
	}
	return NULL;
}

#else

static inline const char *
json_find_wide(const char **at, const char *end, bool *high)
{
	return NULL;
}

#endif

/*
 * The first quote, backslash or control character from "at" on, or end; sets
 * *high when there are bytes beyond ASCII before it (or a little after).
 */
static inline const char *
json_find_special(const char *at, const char *end, bool *high)
{
	const char *found = json_find_wide(&at, end, high);

	if (found != NULL)
		return found;
	for (; at < end; at++)
	{
		unsigned char c = (unsigned char) *at;

		if (c == '"' || c == '\\' || c < 0x20)
			return at;
		*high |= c >= 0x80;
	}
	return end;
}

/* Reads a string whose opening quote was taken, and the closing one. */
static inline tstore_json_status
json_scan_string(json_scan *scan, tmodel_span *text)
{
	const char *begin = scan->at;
	const char *stop;
	bool		high = false;
	bool		escaped = false;

	for (stop = begin;; stop += 2)
	{
		stop = json_find_special(stop, scan->end, &high);
		if (stop == scan->end)
			return TSTORE_JSON_MALFORMED;
		if (*stop == '"')
			break;
		if (*stop != '\\' || scan->end - stop < 2)
			return TSTORE_JSON_MALFORMED;
		escaped = true;
	}
	scan->at = stop + 1;
	*text = (tmodel_span) {begin, (size_t) (stop - begin)};
	if (high && !tmodel_utf8_valid(*text))
		return TSTORE_JSON_MALFORMED;
	return escaped ? tstore_json_unescape(scan->arena, *text, text) :
		TSTORE_JSON_OK;
}

/* --- in json_parse.c --- */

/* Reads a number that begins at scan->at; its text as it was written. */
extern tstore_json_status tstore_json_scan_number(json_scan *scan,
												  tmodel_span *text);

/* Moves over the word if it stands there. */
extern bool tstore_json_scan_word(json_scan *scan, const char *word);

/* Moves over one value of any kind, which must be well formed. */
extern tstore_json_status tstore_json_scan_value(json_scan *scan);

#endif							/* TSTORE_JSON_SCAN_H */
