/*
 * section.c
 *	  Keys, ranges and filters of what shares a partition with facts.
 *
 * Why the reserved prefix is none of a fact's is told in section.h.  Called by
 * model/index (entries), exec/probe (what is asked for) and whoever reads fact
 * tables.
 *
 * Easy to break: the section takes units from the 512 a key may have, so that
 * keys are shortened earlier, and bounds must be cut earlier too.
 */
#include "section.h"

#include "key_int.h"
#include "utf8.h"

#include <string.h>

bool
tmodel_key_is_reserved(tmodel_span row_key)
{
	return row_key.len >= sizeof(TMODEL_RESERVED_KEY) - 1 &&
		memcmp(row_key.data, TMODEL_RESERVED_KEY,
			   sizeof(TMODEL_RESERVED_KEY) - 1) == 0;
}

/* '!' is in no name: no section begins with another's. */
size_t
tmodel_section_of_index(tmodel_span name, char *section)
{
	size_t		n = 0;

	for (const char *p = TMODEL_RESERVED_KEY "i"; *p != '\0'; p++)
		section[n++] = *p;
	for (size_t i = 0; i < name.len; i++)
	{
		char		c = name.data[i];

		section[n++] = c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
	}
	section[n++] = '!';
	return n;
}

static bool
join(tmodel_arena *arena, tmodel_span section, tmodel_span *key)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	if (!tmodel_buf_span(&buf, section) || !tmodel_buf_span(&buf, *key))
		return false;
	*key = tmodel_buf_text(&buf);
	return true;
}

tmodel_key_status
tmodel_section_key(tmodel_arena *arena, tmodel_span section, int n,
				   const tmodel_key_type *types, const tmodel_value *values,
				   tmodel_span *key, bool *shortened)
{
	size_t		room = TMODEL_KEY_MAX_UNITS - section.len;
	tmodel_key_status status = tmodel_key_encode_index(arena, n, types, values,
													   key, shortened);

	if (status != TMODEL_KEY_OK || section.len == 0)
		return status;
	if (tmodel_utf16_units(*key) > room)
	{
		*shortened = true;
		status = tmodel_key_shorten(arena, *key, room, key);
		if (status != TMODEL_KEY_OK)
			return status;
	}
	return join(arena, section, key) ? TMODEL_KEY_OK : TMODEL_KEY_NO_MEMORY;
}

tmodel_span
tmodel_section_strip(tmodel_span section, tmodel_span key)
{
	if (section.len > 0 && key.len >= section.len &&
		memcmp(key.data, section.data, section.len) == 0)
	{
		key.data += section.len;
		key.len -= section.len;
	}
	return key;
}

/* Cuts to that many units, between characters; true when it was longer. */
static bool
cut(tmodel_span *bound, size_t units)
{
	size_t		at = 0;

	while (at < bound->len)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(bound->data + at, bound->len - at,
										   &code);
		size_t		taken = code >= 0x10000 ? 2 : 1;

		if (n == 0 || taken > units)
		{
			bound->len = at;
			return true;
		}
		units -= taken;
		at += (size_t) n;
	}
	return false;
}

bool
tmodel_section_range(tmodel_arena *arena, tmodel_span section,
					 tmodel_key_range *range)
{
	size_t		room = TMODEL_KEY_BOUND_UNITS - section.len;
	tmodel_span end;
	bool		has_end = range->has_upper;

	if (section.len == 0 || range->empty)
		return true;
	if (!range->has_lower)
		range->lower = TMODEL_SPAN("");
	cut(&range->lower, room);
	if (has_end)
	{
		end = range->upper;
		if (cut(&end, room))
			has_end = tmodel_key_prefix_end(arena, end, &end);
	}
	if (has_end)
	{
		if (!join(arena, section, &end))
			return false;
	}
	else if (!tmodel_key_prefix_end(arena, section, &end))
		return false;
	if (!join(arena, section, &range->lower))
		return false;
	range->has_lower = range->has_upper = true;
	range->upper = end;
	return true;
}

tmodel_filter *
tmodel_section_hide(tmodel_arena *arena, tmodel_key_type first,
					const tmodel_key_range *range)
{
	const tmodel_span name = TMODEL_SPAN("RowKey");
	const tmodel_span begin = TMODEL_SPAN(TMODEL_RESERVED_KEY);
	const tmodel_span end = TMODEL_SPAN(TMODEL_RESERVED_KEY_END);
	tmodel_value below = tmodel_string(begin);
	tmodel_value above = tmodel_string(end);
	tmodel_filter *behind;

	/* with a lower bound below it there is little left to gain */
	if (range->empty || range->has_lower ||
		(range->has_upper &&
		 tmodel_utf16_compare(range->upper, begin) <= 0))
		return NULL;
	behind = tmodel_filter_compare(arena, name, TMODEL_GE, &above);
	if (first != TMODEL_KEY_TEXT)
		return behind;
	return tmodel_filter_or(arena,
							tmodel_filter_compare(arena, name, TMODEL_LT,
												  &below), behind);
}
