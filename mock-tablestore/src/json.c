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

/* Does any of eight bytes need an escape? */
static inline bool
any_needs_escape(const char *p)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	const uint64_t highs = UINT64_C(0x8080808080808080);
	uint64_t	v;
	uint64_t	quote;
	uint64_t	slash;

	memcpy(&v, p, 8);
	quote = v ^ ones * '"';
	slash = v ^ ones * '\\';
	/* The borrow of a subtraction reaches the high bit of a small byte. */
	return (((v - ones * 0x20) | (quote - ones) | (slash - ones)) & ~v &
			highs) != 0;
}

void
json_string(Buf *out, Span s)
{
	size_t		from = 0;
	size_t		i = 0;

	buf_need(out, s.n + 2);
	buf_putc(out, '"');
	while (i < s.n)
	{
		if (i + 8 <= s.n && !any_needs_escape(s.p + i))
		{
			i += 8;
			continue;
		}
		if (needs_escape((unsigned char) s.p[i]))
		{
			buf_put(out, s.p + from, i - from);
			put_escape(out, (unsigned char) s.p[i]);
			from = i + 1;
		}
		i++;
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

/*
 * Shortest digits of a d between 1e-5 and 2^53 that is no integer, by exact
 * fixed-point arithmetic: rest and margin (half the gap between doubles) are
 * fractions of 2^bits.  False for a power of two, whose lower gap is smaller.
 */
static bool
put_fraction(Buf *out, double d)
{
	int			exponent;
	uint64_t	mantissa = (uint64_t) ldexp(frexp(d, &exponent), 53);
	int			bits = 54 - exponent;
	unsigned __int128 one = (unsigned __int128) 1 << bits;
	unsigned __int128 rest = (unsigned __int128) mantissa << 1;
	unsigned __int128 margin = 1;
	bool		even = (mantissa & 1) == 0;
	bool		low = false;
	bool		high = false;

	if (mantissa == UINT64_C(1) << 52)
		return false;
	json_int(out, (int64_t) (rest >> bits));
	buf_putc(out, '.');
	rest &= one - 1;
	while (!low && !high)
	{
		int			digit;

		rest *= 10;
		margin *= 10;
		digit = (int) (rest >> bits);
		rest &= one - 1;
		low = rest < margin || (even && rest == margin);
		high = rest + margin > one || (even && rest + margin == one);
		if (high && (!low || rest * 2 >= one))
			digit++;
		buf_putc(out, (char) ('0' + digit));
	}
	return true;
}

void
json_double(Buf *out, double d)
{
	char		text[40];
	double		size = fabs(d);

	if (signbit(d))
		buf_putc(out, '-');
	if (size == floor(size) && size < 1e15)
	{
		json_int(out, (int64_t) size);
		BUF_LIT(out, ".0");
		return;
	}
	if (size >= 1e-5 && size < 9007199254740992.0 && size != floor(size) &&
		put_fraction(out, size))
		return;
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(text, sizeof(text), "%.*g", digits, size);
		if (digits == 17 || strtod(text, NULL) == size)
			break;
	}
	buf_puts(out, text);
	if (strpbrk(text, ".eE") == NULL)
		BUF_LIT(out, ".0");
}
