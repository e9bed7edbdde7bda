/*
 * escape.c
 *	  What stands behind the backslash in a JSON string.
 *
 * Reads only; writing differs with the reader (list.c plainly, store/json.c as
 * Azurite needs it).  Called by list.c and store/json.c.
 *
 * Easy to break: half a surrogate pair must cost one character, not the page,
 * and leave what follows it for the next escape.
 */
#include "escape.h"

#include <string.h>

/* The four hex digits at "at", or -1. */
static int32_t
read_hex4(tmodel_span text, size_t at)
{
	int32_t		code = 0;

	if (text.len - at < 4)
		return -1;
	for (size_t i = at; i < at + 4; i++)
	{
		char		c = text.data[i];
		char		letter = c | 0x20;

		if (c >= '0' && c <= '9')
			code = code * 16 + (c - '0');
		else if (letter >= 'a' && letter <= 'f')
			code = code * 16 + (letter - 'a' + 10);
		else
			return -1;
	}
	return code;
}

/* What follows the u of \u. */
static size_t
read_unicode(tmodel_span text, size_t at, uint32_t *code)
{
	int32_t		first = read_hex4(text, at);

	if (first < 0)
		return 0;
	*code = (uint32_t) first;
	if (first < 0xD800 || first > 0xDFFF)
		return 4;
	at += 4;
	if (first < 0xDC00 && text.len - at >= 6 &&
		text.data[at] == '\\' && text.data[at + 1] == 'u')
	{
		int32_t		second = read_hex4(text, at + 2);

		if (second >= 0xDC00 && second <= 0xDFFF)
		{
			*code = 0x10000 + ((*code - 0xD800) << 10) +
				((uint32_t) second - 0xDC00);
			return 10;
		}
	}
	*code = 0xFFFD;
	return 4;
}

size_t
tmodel_escape_read(tmodel_span text, size_t at, uint32_t *code)
{
	static const char names[] = "\"\\/bfnrt";
	static const char meanings[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (at >= text.len)
		return 0;
	if (text.data[at] == 'u')
	{
		size_t		digits = read_unicode(text, at + 1, code);

		return digits == 0 ? 0 : digits + 1;
	}
	found = memchr(names, text.data[at], sizeof(names) - 1);
	if (found == NULL)
		return 0;
	*code = (uint32_t) meanings[found - names];
	return 1;
}
