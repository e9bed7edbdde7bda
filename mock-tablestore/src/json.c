/*
 * json.c
 *	  Writing JSON into a buffer.
 *
 * This is the inner loop of every page, so strings are copied in runs.
 * Easy to break: json_double must keep 3.0 apart from 3, as clients tell
 * Double from Int32 by it.
 */
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "encode.h"

static void
put_escape(Buf *out, unsigned char c)
{
	static const char digits[] = "0123456789abcdef";
	static const char *const names = "btnvfr";

	if (c == '"' || c == '\\')
	{
		buf_putc(out, '\\');
		buf_putc(out, (char) c);
	}
	else if (c >= 8 && c <= 13 && c != 11)
	{
		buf_putc(out, '\\');
		buf_putc(out, names[c - 8]);
	}
	else
	{
		BUF_LIT(out, "\\u00");
		buf_putc(out, digits[c >> 4]);
		buf_putc(out, digits[c & 15]);
	}
}

static inline bool
needs_escape(unsigned char c)
{
	return c < 0x20 || c == '"' || c == '\\';
}

void
json_string(Buf *out, Span s)
{
	size_t		from = 0;

	buf_need(out, s.n + 2);
	buf_putc(out, '"');
	for (size_t i = 0; i < s.n; i++)
	{
		if (needs_escape((unsigned char) s.p[i]))
		{
			buf_put(out, s.p + from, i - from);
			put_escape(out, (unsigned char) s.p[i]);
			from = i + 1;
		}
	}
	if (s.n > from)
		buf_put(out, s.p + from, s.n - from);
	buf_putc(out, '"');
}

void
json_key(Buf *out, Span key)
{
	if (key.n > 0 && memchr(key.p, 0xED, key.n) != NULL)
	{
		Arena		a = {0};

		json_string(out, key_utf8(&a, key));
		arena_free(&a);
	}
	else
		json_string(out, key);
}

void
json_int(Buf *out, int64_t v)
{
	char		text[24];
	char	   *p = text + sizeof(text);
	uint64_t	u = v < 0 ? 0 - (uint64_t) v : (uint64_t) v;

	do
		*--p = (char) ('0' + u % 10);
	while ((u /= 10) != 0);
	if (v < 0)
		*--p = '-';
	buf_put(out, p, (size_t) (text + sizeof(text) - p));
}

void
json_double(Buf *out, double d)
{
	char		text[40];

	if (d == floor(d) && fabs(d) < 1e15)
	{
		if (signbit(d) && d == 0)
			buf_putc(out, '-');
		json_int(out, (int64_t) d);
		BUF_LIT(out, ".0");
		return;
	}
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	buf_puts(out, text);
	if (strpbrk(text, ".eE") == NULL)
		BUF_LIT(out, ".0");
}
