/*
 * utf8.c
 *	  UTF-8 in and out, and UTF-16 lengths and order computed on UTF-8.
 *
 * The store counts and orders in UTF-16 code units; we never hold UTF-16.
 * Called by key, filter, list, entity and value.
 *
 * Easy to break: UTF-16 order differs from byte order in one place only,
 * supplementary characters sort before U+E000-FFFF.
 */
#include "filter.h"
#include "utf8.h"

#include <string.h>

/* Reads "n" continuation bytes into *code; false when one is not. */
static bool
continuation(const unsigned char *bytes, int n, uint32_t *code)
{
	for (int i = 0; i < n; i++)
	{
		if ((bytes[i] & 0xC0) != 0x80)
			return false;
		*code = *code << 6 | (bytes[i] & 0x3F);
	}
	return true;
}

/* Bytes of the first code point, 0 when it is not well-formed. */
int
tmodel_utf8_decode(const char *data, size_t len, uint32_t *code)
{
	const unsigned char *bytes = (const unsigned char *) data;
	static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
	int			n;

	if (bytes[0] < 0x80)
	{
		*code = bytes[0];
		return 1;
	}
	if (bytes[0] < 0xC2 || bytes[0] > 0xF4)
		return 0;
	n = bytes[0] < 0xE0 ? 2 : bytes[0] < 0xF0 ? 3 : 4;
	if (len < (size_t) n)
		return 0;
	*code = bytes[0] & (0x7F >> n);
	if (!continuation(bytes + 1, n - 1, code))
		return 0;
	if (*code < least[n] || *code > 0x10FFFF ||
		(*code >= 0xD800 && *code <= 0xDFFF))
		return 0;
	return n;
}

/* Writes one code point. */
int
tmodel_utf8_encode(uint32_t code, char out[4])
{
	if (code < 0x80)
	{
		out[0] = (char) code;
		return 1;
	}
	if (code < 0x800)
	{
		out[0] = (char) (0xC0 | code >> 6);
		out[1] = (char) (0x80 | (code & 0x3F));
		return 2;
	}
	if (code < 0x10000)
	{
		out[0] = (char) (0xE0 | code >> 12);
		out[1] = (char) (0x80 | (code >> 6 & 0x3F));
		out[2] = (char) (0x80 | (code & 0x3F));
		return 3;
	}
	out[0] = (char) (0xF0 | code >> 18);
	out[1] = (char) (0x80 | (code >> 12 & 0x3F));
	out[2] = (char) (0x80 | (code >> 6 & 0x3F));
	out[3] = (char) (0x80 | (code & 0x3F));
	return 4;
}

/* Well-formed to the end. */
bool
tmodel_utf8_valid(tmodel_span text)
{
	for (size_t at = 0; at < text.len;)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(text.data + at, text.len - at,
										   &code);

		if (n == 0)
			return false;
		at += (size_t) n;
	}
	return true;
}

/* Appends one code point. */
bool
tmodel_utf8_append(tmodel_buf *buf, uint32_t code)
{
	char		bytes[4];
	int			n = tmodel_utf8_encode(code, bytes);

	return tmodel_buf_append(buf, bytes, (size_t) n);
}

/* One unit per lead byte, a second one for four-byte sequences. */
size_t
tmodel_utf16_units(tmodel_span utf8)
{
	size_t		units = 0;

	for (size_t i = 0; i < utf8.len; i++)
	{
		unsigned char byte = (unsigned char) utf8.data[i];

		units += (size_t) ((byte & 0xC0) != 0x80) + (size_t) (byte >= 0xF0);
	}
	return units;
}

/*
 * A byte's place in UTF-16 order: the lead bytes EE and EF (U+E000-FFFF) go
 * above F0-F4, whose characters are surrogate pairs in UTF-16.  (ED leads no
 * surrogate in UTF-8.)
 */
static int
utf16_rank(unsigned char byte)
{
	return byte == 0xEE || byte == 0xEF ? byte + 0x12 : byte;
}

/* The first byte that differs decides, ranked as above. */
int
tmodel_utf16_compare(tmodel_span a, tmodel_span b)
{
	size_t		common = a.len < b.len ? a.len : b.len;
	size_t		i = 0;

	if (common > 0 && memcmp(a.data, b.data, common) != 0)
	{
		while (a.data[i] == b.data[i])
			i++;
		return utf16_rank((unsigned char) a.data[i]) <
			utf16_rank((unsigned char) b.data[i]) ? -1 : 1;
	}
	return (a.len > b.len) - (a.len < b.len);
}
