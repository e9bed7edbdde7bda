/*
 * json.c
 *	  JSON texts: how strings are written, and their escapes read.
 *
 * Values are parsed in json_parse.c, which calls here for a string that has
 * escapes; a single one is model/escape.c's.  Called by entity_json.c and
 * response.c, never from inside libcurl.
 */
#include "json.h"

#include "model/escape.h"
#include "model/utf8.h"

#include <string.h>

/*
 * Copies up to the next backslash.  Where there are escapes, texts between them
 * are mostly short (elements of an array); a call for each would cost more.
 */
static inline size_t
json_copy_run(char *out, tmodel_span raw, size_t *at)
{
	size_t		len = 0;
	const char *escape;

	for (; len < 16; len++)
	{
		if (*at == raw.len || raw.data[*at] == '\\')
			return len;
		out[len] = raw.data[(*at)++];
	}
	escape = memchr(raw.data + *at, '\\', raw.len - *at);
	if (escape == NULL)
		escape = raw.data + raw.len;
	memcpy(out + len, raw.data + *at, escape - (raw.data + *at));
	len += escape - (raw.data + *at);
	*at = escape - raw.data;
	return len;
}

/* See json.h. */
tstore_json_status
tstore_json_unescape(tmodel_arena *arena, tmodel_span raw, tmodel_span *text)
{
	char	   *out = tmodel_alloc_raw(arena, raw.len + 1);
	size_t		len = 0;
	size_t		at = 0;

	if (out == NULL)
		return TSTORE_JSON_NO_MEMORY;
	while (at < raw.len)
	{
		uint32_t	code;
		size_t		read;

		len += json_copy_run(out + len, raw, &at);
		if (at == raw.len)
			break;
		if (++at < raw.len && (raw.data[at] == '"' || raw.data[at] == '\\'))
		{
			out[len++] = raw.data[at++];
			continue;
		}
		read = tmodel_escape_read(raw, at, &code);
		if (read == 0)
			return TSTORE_JSON_MALFORMED;
		at += read;
		/* never longer than the six bytes of the escape, or twelve */
		len += tmodel_utf8_encode(code, out + len);
	}
	*text = (tmodel_span) {out, len};
	return TSTORE_JSON_OK;
}

/*
 * Texts longer than this are written in ASCII: Azurite (3.35.0) damages a
 * character that a chunk border of the body cuts in two.
 */
#define JSON_ASCII_FROM 8192

/*
 * How many bytes from "from" on can be written as they are.  U+2028 and U+2029
 * cannot, see tstore_json_escape; in ASCII no byte above 0x7E can.
 */
static size_t
json_plain_run(tmodel_span text, size_t from, bool ascii)
{
	size_t		i = from;

	while (i < text.len)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F ||
			(ascii && c > 0x7F))
			break;
		if (c == 0xE2 && i + 2 < text.len &&
			(unsigned char) text.data[i + 1] == 0x80 &&
			((unsigned char) text.data[i + 2] & 0xFE) == 0xA8)
			break;
		i++;
	}
	return i - from;
}

/* Writes one character as \uXXXX, two of them beyond U+FFFF; its bytes. */
static size_t
json_escape_code(tmodel_buf *buf, tmodel_span text, size_t at)
{
	uint32_t	code;
	int			len = tmodel_utf8_decode(text.data + at, text.len - at, &code);

	if (len == 0)
	{
		/* not UTF-8: the service is to refuse it */
		tmodel_buf_putc(buf, text.data[at]);
		return 1;
	}
	if (code > 0xFFFF)
		tmodel_buf_printf(buf, "\\u%04x\\u%04x",
						  (unsigned) (0xD800 + ((code - 0x10000) >> 10)),
						  (unsigned) (0xDC00 + ((code - 0x10000) & 0x3FF)));
	else
		tmodel_buf_printf(buf, "\\u%04x", (unsigned) code);
	return (size_t) len;
}

/*
 * See json.h.  Line ends of every kind are escaped, because Azurite takes the
 * body of a batch part to be one line, and JavaScript's lines also end at
 * U+2028 and U+2029.
 */
bool
tstore_json_escape(tmodel_buf *buf, tmodel_span text)
{
	bool		ascii = text.len >= JSON_ASCII_FROM;
	size_t		at = 0;

	while (at < text.len)
	{
		size_t		run = json_plain_run(text, at, ascii);

		if (run > 0)
			tmodel_buf_append(buf, text.data + at, run);
		at += run;
		if (at == text.len)
			break;
		if (text.data[at] == '"' || text.data[at] == '\\')
		{
			tmodel_buf_putc(buf, '\\');
			tmodel_buf_putc(buf, text.data[at++]);
		}
		else
			at += json_escape_code(buf, text, at);
	}
	return !buf->arena->failed;
}

/* See json.h. */
bool
tstore_json_string(tmodel_buf *buf, tmodel_span text)
{
	tmodel_buf_putc(buf, '"');
	tstore_json_escape(buf, text);
	return tmodel_buf_putc(buf, '"');
}
