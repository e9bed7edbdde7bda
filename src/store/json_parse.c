/*
 * json_parse.c
 *	  JSON texts as events, as fast as pages of small texts can be read.
 *
 * A page is mostly strings of ten bytes; what costs is not finding them but
 * the work for each.  So strings are looked through eight bytes at a time for
 * what needs attention, and nothing is copied that has no escapes.  (Measured
 * on pages of 1,000 entities: bench/RESULTS.md; simdjson needs code for one
 * kind of processor to be faster.)
 *
 * Strict: RFC 8259, UTF-8 only, one value, nothing behind it.  Called by
 * entity_json.c and response.c, never from inside libcurl.
 */
#include "json.h"

#include "model/utf8.h"

#include <string.h>

/* Deeper texts are not of this protocol, and would use up the stack. */
#define MAX_DEPTH 64

typedef struct json_scan
{
	const char *at;				/* the next byte */
	const char *end;
	tmodel_arena *arena;		/* for strings that have escapes */
	tstore_json_sink sink;
	void	   *ctx;			/* the sink's */
} json_scan;

static tstore_json_status json_value(json_scan *scan, int depth);

static tstore_json_status
json_emit_text(const json_scan *scan, tstore_json_kind kind, tmodel_span text)
{
	return scan->sink(scan->ctx, kind, text) ? TSTORE_JSON_OK :
		TSTORE_JSON_STOPPED;
}

static tstore_json_status
json_emit(const json_scan *scan, tstore_json_kind kind)
{
	return json_emit_text(scan, kind, (tmodel_span) {NULL, 0});
}

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

#define ONES UINT64_C(0x0101010101010101)
#define HIGHS UINT64_C(0x8080808080808080)

/* Has a byte of the word the value c?  (Mycroft's test for a zero byte.) */
static inline uint64_t
json_has(uint64_t word, unsigned char c)
{
	uint64_t	zero = word ^ (ONES * c);

	return (zero - ONES) & ~zero & HIGHS;
}

/*
 * The first quote, backslash or control character from "at" on, or end; sets
 * *high when there are bytes beyond ASCII before it (or a little after).
 */
static const char *
json_find_special(const char *at, const char *end, bool *high)
{
	while (end - at >= 8)
	{
		uint64_t	word;
		uint64_t	found;

		memcpy(&word, at, 8);
		*high |= (word & HIGHS) != 0;
		/* a byte under 0x20 borrows; one from 0x80 on is masked out */
		found = json_has(word, '"') | json_has(word, '\\') |
			((word - ONES * 0x20) & ~word & HIGHS);
		if (found != 0)
		{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
			/* below the lowest mark there is no borrow, so it is true */
			return at + (__builtin_ctzll(found) >> 3);
#else
			break;
#endif
		}
		at += 8;
	}
	for (; at < end; at++)
	{
		unsigned char c = (unsigned char) *at;

		if (c == '"' || c == '\\' || c < 0x20)
			return at;
		*high |= c >= 0x80;
	}
	return end;
}

/* A string whose opening quote was taken. */
static tstore_json_status
json_string(json_scan *scan, tstore_json_kind kind)
{
	const char *begin = scan->at;
	const char *stop;
	bool		high = false;
	bool		escaped = false;
	tmodel_span text;

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
	text = (tmodel_span) {begin, stop - begin};
	if (high && !tmodel_utf8_valid(text))
		return TSTORE_JSON_MALFORMED;
	if (escaped)
	{
		tstore_json_status status = tstore_json_unescape(scan->arena, text,
														 &text);

		if (status != TSTORE_JSON_OK)
			return status;
	}
	return json_emit_text(scan, kind, text);
}

/* Moves over digits; how many there are. */
static size_t
json_digits(json_scan *scan)
{
	const char *begin = scan->at;

	while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9')
		scan->at++;
	return scan->at - begin;
}

static bool
json_next_is(const json_scan *scan, const char *set)
{
	return scan->at < scan->end && *scan->at != '\0' &&
		strchr(set, *scan->at) != NULL;
}

static tstore_json_status
json_number(json_scan *scan)
{
	const char *begin = scan->at;
	const char *first;
	size_t		digits;

	if (*scan->at == '-')
		scan->at++;
	first = scan->at;
	digits = json_digits(scan);
	if (digits == 0 || (digits > 1 && *first == '0'))
		return TSTORE_JSON_MALFORMED;
	if (json_next_is(scan, "."))
	{
		scan->at++;
		if (json_digits(scan) == 0)
			return TSTORE_JSON_MALFORMED;
	}
	if (json_next_is(scan, "eE"))
	{
		scan->at++;
		if (json_next_is(scan, "+-"))
			scan->at++;
		if (json_digits(scan) == 0)
			return TSTORE_JSON_MALFORMED;
	}
	return json_emit_text(scan, TSTORE_JSON_NUMBER,
						  (tmodel_span) {begin, scan->at - begin});
}

static tstore_json_status
json_word(json_scan *scan, const char *word, tstore_json_kind kind)
{
	size_t		len = strlen(word);

	if ((size_t) (scan->end - scan->at) < len ||
		memcmp(scan->at, word, len) != 0)
		return TSTORE_JSON_MALFORMED;
	scan->at += len;
	return json_emit(scan, kind);
}

/* Members or elements whose opening bracket was taken, and the closing one. */
static tstore_json_status
json_container(json_scan *scan, bool object, int depth)
{
	char		close = object ? '}' : ']';
	tstore_json_status status;

	status = json_emit(scan, object ? TSTORE_JSON_BEGIN_OBJECT :
					   TSTORE_JSON_BEGIN_ARRAY);
	if (depth >= MAX_DEPTH)
		return TSTORE_JSON_MALFORMED;
	if (status == TSTORE_JSON_OK && !json_take(scan, close))
		do
		{
			if (object)
			{
				if (!json_take(scan, '"'))
					return TSTORE_JSON_MALFORMED;
				status = json_string(scan, TSTORE_JSON_KEY);
				if (status != TSTORE_JSON_OK)
					return status;
				if (!json_take(scan, ':'))
					return TSTORE_JSON_MALFORMED;
			}
			status = json_value(scan, depth + 1);
			if (status != TSTORE_JSON_OK)
				return status;
			if (json_take(scan, close))
				break;
			if (!json_take(scan, ','))
				return TSTORE_JSON_MALFORMED;
		} while (true);
	if (status != TSTORE_JSON_OK)
		return status;
	return json_emit(scan, object ? TSTORE_JSON_END_OBJECT :
					 TSTORE_JSON_END_ARRAY);
}

static tstore_json_status
json_value(json_scan *scan, int depth)
{
	json_skip_space(scan);
	if (scan->at == scan->end)
		return TSTORE_JSON_MALFORMED;
	switch (*scan->at)
	{
		case '"':
			scan->at++;
			return json_string(scan, TSTORE_JSON_STRING);
		case '{':
			scan->at++;
			return json_container(scan, true, depth);
		case '[':
			scan->at++;
			return json_container(scan, false, depth);
		case 't':
			return json_word(scan, "true", TSTORE_JSON_TRUE);
		case 'f':
			return json_word(scan, "false", TSTORE_JSON_FALSE);
		case 'n':
			return json_word(scan, "null", TSTORE_JSON_NULL);
		default:
			return json_number(scan);
	}
}

/* See json.h. */
tstore_json_status
tstore_json_parse(tmodel_arena *arena, tmodel_span text,
				  tstore_json_sink sink, void *ctx)
{
	json_scan	scan = {
		.at = text.data, .end = text.data + text.len,
		.arena = arena, .sink = sink, .ctx = ctx
	};
	tstore_json_status status = json_value(&scan, 0);

	if (status != TSTORE_JSON_OK)
		return status;
	json_skip_space(&scan);
	return scan.at == scan.end ? TSTORE_JSON_OK : TSTORE_JSON_MALFORMED;
}
