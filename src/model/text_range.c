/*
 * text_range.c
 *	  Comparisons of text properties with a constant.
 *
 * Unlike keys (key_range.c) properties hold any character, so a bound is never
 * rounded to the next legal one.  Called by exec/probe_filter.  Easy to break:
 * texts that begin with what is left of a cut bound may lie on either side.
 */
#include "text_range.h"

#include "key.h"

/* First bytes of characters from U+E000 on, in UTF-8. */
#define FIRST_OTHER_BYTE 0xEE

/* What stands before the first character whose order may differ. */
static tmodel_span
same_order_part(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char) text.data[i] >= FIRST_OTHER_BYTE)
			return (tmodel_span) {text.data, i};
	return text;
}

static tmodel_filter *
compare(tmodel_arena *arena, tmodel_span property, tmodel_compare op,
		tmodel_span text)
{
	tmodel_value value = tmodel_string(text);

	return tmodel_filter_compare(arena, property, op, &value);
}

tmodel_filter *
tmodel_text_filter(tmodel_arena *arena, tmodel_span property,
				   tmodel_compare op, tmodel_span text)
{
	tmodel_span bound = same_order_part(text);
	tmodel_span end;

	if (bound.len == text.len)
		return compare(arena, property, op, bound);
	if (op == TMODEL_GT || op == TMODEL_GE)
		return compare(arena, property, TMODEL_GE, bound);
	if (!tmodel_key_prefix_end(arena, bound, &end))
		return NULL;
	return compare(arena, property, TMODEL_LT, end);
}

tmodel_filter *
tmodel_text_begins(tmodel_arena *arena, tmodel_span property,
				   tmodel_span prefix)
{
	tmodel_filter *lower = compare(arena, property, TMODEL_GE, prefix);
	tmodel_span end;

	if (prefix.len == 0 || !tmodel_key_prefix_end(arena, prefix, &end))
		return lower;
	return tmodel_filter_and(arena, lower,
							 compare(arena, property, TMODEL_LT, end));
}
