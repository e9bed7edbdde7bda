/*
 * encode.c
 *	  Text codings: base64, hex, GUIDs, percent, UTF-8/UTF-16, and key form.
 *
 * Decoders refuse what is malformed instead of guessing.  Easy to break:
 * key_form() may only be given valid UTF-8 (utf16_length said so).
 */
#include "encode.h"

static const char base64_digits[] =
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_put(Buf *out, Span s)
{
	const uint8_t *p = (const uint8_t *) s.p;
	size_t		n = s.n;
	char	   *to;

	buf_need(out, BASE64_LEN(n));
	to = out->p + out->n;
	for (; n >= 3; n -= 3, p += 3)
	{
		*to++ = base64_digits[p[0] >> 2];
		*to++ = base64_digits[(p[0] & 3) << 4 | p[1] >> 4];
		*to++ = base64_digits[(p[1] & 15) << 2 | p[2] >> 6];
		*to++ = base64_digits[p[2] & 63];
	}
	if (n > 0)
	{
		uint8_t		second = n > 1 ? p[1] : 0;

		*to++ = base64_digits[p[0] >> 2];
		*to++ = base64_digits[(p[0] & 3) << 4 | second >> 4];
		*to++ = n > 1 ? base64_digits[(second & 15) << 2] : '=';
		*to++ = '=';
	}
	out->n = (size_t) (to - out->p);
}

static int
base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool
base64_decode(Arena *a, Span text, Span *bytes)
{
	char	   *out = arena_alloc(a, text.n / 4 * 3 + 3);
	size_t		n = 0;
	uint32_t	bits = 0;
	size_t		pad = 0;

	if (text.n % 4 != 0)
		return false;
	while (pad < 2 && text.n > pad && text.p[text.n - 1 - pad] == '=')
		pad++;
	for (size_t i = 0; i < text.n; i++)
	{
		int			v = i < text.n - pad ? base64_value(text.p[i]) : 0;

		if (v < 0)
			return false;
		bits = bits << 6 | (uint32_t) v;
		if (i % 4 == 3)
		{
			out[n++] = (char) (bits >> 16);
			out[n++] = (char) (bits >> 8);
			out[n++] = (char) bits;
			bits = 0;
		}
	}
	*bytes = (Span) {out, n - pad};
	return true;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
hex_decode(Arena *a, Span text, Span *bytes)
{
	char	   *out = arena_alloc(a, text.n / 2 + 1);

	if (text.n % 2 != 0)
		return false;
	for (size_t i = 0; i < text.n; i += 2)
	{
		int			high = hex_value(text.p[i]);
		int			low = hex_value(text.p[i + 1]);

		if (high < 0 || low < 0)
			return false;
		out[i / 2] = (char) (high << 4 | low);
	}
	*bytes = (Span) {out, text.n / 2};
	return true;
}

/* Bytes are kept in the order of the text, so memcmp is the text's order. */
bool
guid_parse(Span text, uint8_t guid[16])
{
	size_t		at = 0;

	if (text.n != 36)
		return false;
	for (int i = 0; i < 16; i++)
	{
		int			high;
		int			low;

		if (at == 8 || at == 13 || at == 18 || at == 23)
		{
			if (text.p[at++] != '-')
				return false;
		}
		high = hex_value(text.p[at]);
		low = hex_value(text.p[at + 1]);
		if (high < 0 || low < 0)
			return false;
		guid[i] = (uint8_t) (high << 4 | low);
		at += 2;
	}
	return true;
}

void
guid_format(char out[37], const uint8_t guid[16])
{
	static const char digits[] = "0123456789abcdef";
	size_t		at = 0;

	for (int i = 0; i < 16; i++)
	{
		if (at == 8 || at == 13 || at == 18 || at == 23)
			out[at++] = '-';
		out[at++] = digits[guid[i] >> 4];
		out[at++] = digits[guid[i] & 15];
	}
	out[at] = '\0';
}

bool
percent_decode(Arena *a, Span text, bool plus, Span *out)
{
	char	   *to = arena_alloc(a, text.n + 1);
	size_t		n = 0;

	for (size_t i = 0; i < text.n; i++)
	{
		char		c = text.p[i];

		if (c == '%')
		{
			int			high = text.n - i > 2 ? hex_value(text.p[i + 1]) : -1;
			int			low = text.n - i > 2 ? hex_value(text.p[i + 2]) : -1;

			if (high < 0 || low < 0)
				return false;
			c = (char) (high << 4 | low);
			i += 2;
		}
		else if (c == '+' && plus)
			c = ' ';
		to[n++] = c;
	}
	to[n] = '\0';
	*out = (Span) {to, n};
	return true;
}

/* Everything but RFC 3986's unreserved characters becomes %XX. */
void
percent_put(Buf *out, Span text)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.n; i++)
	{
		unsigned char c = (unsigned char) text.p[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
			c == '~')
			buf_putc(out, (char) c);
		else
		{
			buf_putc(out, '%');
			buf_putc(out, digits[c >> 4]);
			buf_putc(out, digits[c & 15]);
		}
	}
}

/* Length of the well-formed UTF-8 character at s, 0 if there is none. */
static size_t
utf8_char(Span s)
{
	const unsigned char *p = (const unsigned char *) s.p;
	size_t		n;
	unsigned char low = 0x80;
	unsigned char high = 0xBF;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xC2 || p[0] > 0xF4)
		return 0;
	n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
	if (p[0] == 0xE0)
		low = 0xA0;				/* overlong */
	else if (p[0] == 0xED)
		high = 0x9F;			/* surrogates */
	else if (p[0] == 0xF0)
		low = 0x90;				/* overlong */
	else if (p[0] == 0xF4)
		high = 0x8F;			/* beyond U+10FFFF */
	if (s.n < n || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
	{
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	}
	return n;
}

bool
utf16_length(Span s, size_t *units)
{
	size_t		count = 0;

	while (s.n > 0)
	{
		size_t		n = utf8_char(s);

		if (n == 0)
			return false;
		count += n == 4 ? 2 : 1;
		s = span_skip(s, n);
	}
	*units = count;
	return true;
}

/*
 * Only where one side has a supplementary character (lead byte F0 and up,
 * a surrogate in UTF-16) does the order of bytes differ: it then sorts below
 * U+E000 to U+FFFF (lead bytes EE and EF).
 */
int
utf16_cmp(Span a, Span b)
{
	size_t		n = a.n < b.n ? a.n : b.n;
	size_t		i = 0;

	while (i < n && a.p[i] == b.p[i])
		i++;
	if (i < n)
	{
		unsigned char x = (unsigned char) a.p[i];
		unsigned char y = (unsigned char) b.p[i];

		if (x >= 0xF0 && (y == 0xEE || y == 0xEF))
			return -1;
		if (y >= 0xF0 && (x == 0xEE || x == 0xEF))
			return 1;
		return x < y ? -1 : 1;
	}
	return a.n < b.n ? -1 : a.n > b.n;
}

static size_t
put_three(char *to, uint32_t c)
{
	to[0] = (char) (0xE0 | c >> 12);
	to[1] = (char) (0x80 | (c >> 6 & 0x3F));
	to[2] = (char) (0x80 | (c & 0x3F));
	return 3;
}

Span
key_form(Arena *a, Span s)
{
	const unsigned char *p = (const unsigned char *) s.p;
	char	   *to;
	size_t		n = 0;
	size_t		i = 0;

	while (i < s.n && p[i] < 0xF0)
		i++;
	if (i == s.n)
		return s;
	to = arena_alloc(a, s.n * 2);
	for (i = 0; i < s.n; i++)
	{
		if (p[i] >= 0xF0)
		{
			uint32_t	c = (uint32_t) (p[i] & 7) << 18 |
				(uint32_t) (p[i + 1] & 0x3F) << 12 |
				(uint32_t) (p[i + 2] & 0x3F) << 6 | (p[i + 3] & 0x3F);

			c -= 0x10000;
			n += put_three(to + n, 0xD800 + (c >> 10));
			n += put_three(to + n, 0xDC00 + (c & 0x3FF));
			i += 3;
		}
		else
			to[n++] = (char) p[i];
	}
	return (Span) {to, n};
}

Span
key_utf8(Arena *a, Span s)
{
	const unsigned char *p = (const unsigned char *) s.p;
	char	   *to;
	size_t		n = 0;

	if (s.n == 0 || memchr(p, 0xED, s.n) == NULL)
		return s;
	to = arena_alloc(a, s.n);
	for (size_t i = 0; i < s.n; i++)
	{
		if (p[i] == 0xED && p[i + 1] >= 0xA0)
		{
			uint32_t	c = 0x10000 + ((uint32_t) (p[i + 1] & 0x0F) << 16 |
									   (uint32_t) (p[i + 2] & 0x3F) << 10 |
									   (uint32_t) (p[i + 4] & 0x0F) << 6 |
									   (p[i + 5] & 0x3F));

			to[n++] = (char) (0xF0 | c >> 18);
			to[n++] = (char) (0x80 | (c >> 12 & 0x3F));
			to[n++] = (char) (0x80 | (c >> 6 & 0x3F));
			to[n++] = (char) (0x80 | (c & 0x3F));
			i += 5;
		}
		else
			to[n++] = (char) p[i];
	}
	return (Span) {to, n};
}
