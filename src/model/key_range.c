/*
 * key_range.c
 *	  Which stretch of keys can satisfy a condition on a key column.
 *
 * Two orders meet here: SQL compares texts by code points, the store compares
 * keys by UTF-16 units of their encoding.  A bound follows the constant
 * character by character; where a character exists that the two orders place on
 * different sides, the bound is cut there and moved past all such characters.
 * Called by plan/paths and exec/scan.
 *
 * Easy to break: a range must never lose a key that satisfies the condition
 * (test/unit/test_model_key_range.c tries all pairs); too wide is only slow.
 */
#include "key_int.h"

#include "utf8.h"

#include <string.h>

/* The end of a text as a symbol: before every character in SQL's order. */
#define SYMBOL_END (-1)
#define SYMBOL_NONE (-2)

/* What the functions below have in common. */
typedef struct narrowing
{
	tmodel_arena *arena;
	tmodel_key_range *range;
	tmodel_key_encoding encoding;
	tmodel_buf	prefix;			/* the components already fixed */
	bool		last;			/* no component follows this one */
} narrowing;

/* No bounds. */
void
tmodel_key_range_all(tmodel_key_range *range)
{
	memset(range, 0, sizeof(*range));
}

/* Bytes of the text without its last code point (text not empty, UTF-8). */
static size_t
without_last(tmodel_span text)
{
	size_t		at = text.len - 1;

	while (at > 0 && ((unsigned char) text.data[at] & 0xC0) == 0x80)
		at--;
	return at;
}

/* The next code point in UTF-16 order; false behind U+FFFF, the last one. */
static bool
next_code(uint32_t *code)
{
	if (*code == 0xFFFF)
		return false;
	if (*code == 0xD7FF)
		*code = 0x10000;
	else if (*code == 0x10FFFF)
		*code = 0xE000;
	else
		(*code)++;
	return true;
}

/*
 * The text with its last code point replaced by the next one; where there is
 * no next one it is dropped and the one before it is replaced.  With "legal",
 * next ones that no key of the encoding contains are skipped: the bound is as
 * tight and makes no trouble in a URL ('%' in a key constant does).
 */
static bool
prefix_end(tmodel_arena *arena, tmodel_span prefix, bool legal,
		   tmodel_key_encoding encoding, tmodel_span *end)
{
	while (prefix.len > 0)
	{
		size_t		at = without_last(prefix);
		uint32_t	code;
		tmodel_buf	buf;

		if (tmodel_utf8_decode(prefix.data + at, prefix.len - at, &code) == 0)
			return false;		/* no order without characters */
		prefix.len = at;
		if (!next_code(&code))
			continue;
		while (legal && (tmodel_key_refuses(code) ||
						 (code == '%' && encoding == TMODEL_KEY_ESCAPED)))
			code++;
		tmodel_buf_init(&buf, arena);
		if (!tmodel_buf_span(&buf, prefix) || !tmodel_utf8_append(&buf, code))
			return false;
		*end = tmodel_buf_text(&buf);
		return true;
	}
	return false;
}

/* The least text above everything that begins with "prefix". */
bool
tmodel_key_prefix_end(tmodel_arena *arena, tmodel_span prefix,
					  tmodel_span *end)
{
	return prefix_end(arena, prefix, false, TMODEL_KEY_RAW, end);
}

bool
tmodel_key_legal_end(tmodel_arena *arena, tmodel_key_encoding encoding,
					 tmodel_span prefix, tmodel_span *end)
{
	return prefix_end(arena, prefix, true, encoding, end);
}

/* Is the key between the bounds? */
bool
tmodel_key_in_range(tmodel_span key, const tmodel_key_range *range)
{
	return !range->empty &&
		(!range->has_lower || tmodel_utf16_compare(key, range->lower) >= 0) &&
		(!range->has_upper || tmodel_utf16_compare(key, range->upper) < 0);
}

/* Marks a range whose bounds have crossed. */
static void
detect_empty(tmodel_key_range *range)
{
	if (range->has_lower && range->has_upper &&
		tmodel_utf16_compare(range->lower, range->upper) >= 0)
		range->empty = true;
}

/* Raises the lower bound. */
static void
raise_lower(tmodel_key_range *range, tmodel_span bound)
{
	if (!range->has_lower || tmodel_utf16_compare(bound, range->lower) > 0)
	{
		range->has_lower = true;
		range->lower = bound;
	}
	detect_empty(range);
}

/* Drops the upper bound. */
static void
drop_upper(tmodel_key_range *range, tmodel_span bound)
{
	if (!range->has_upper || tmodel_utf16_compare(bound, range->upper) < 0)
	{
		range->has_upper = true;
		range->upper = bound;
	}
	detect_empty(range);
}

/*
 * Cuts a bound to the length up to which every key, shortened or not, compares
 * as its full form.  True when something was cut off.
 */
static bool
cut_bound(const narrowing *n, tmodel_span *bound)
{
	size_t		limit = n->encoding == TMODEL_KEY_RAW ?
		TMODEL_KEY_MAX_UNITS : TMODEL_KEY_BOUND_UNITS;
	size_t		units = 0;
	size_t		at = 0;

	while (at < bound->len)
	{
		uint32_t	code;
		int			bytes = tmodel_utf8_decode(bound->data + at,
											   bound->len - at, &code);

		if (bytes > 0)
			units += code >= 0x10000 ? 2 : 1;
		if (bytes == 0 || units > limit)
		{
			bound->len = at;
			return true;
		}
		at += (size_t) bytes;
	}
	return false;
}

/* Keys from "bound" on; a cut lower bound is lower, which loses nothing. */
static void
keys_from(const narrowing *n, tmodel_span bound)
{
	cut_bound(n, &bound);
	if (bound.len > 0)
		raise_lower(n->range, bound);
}

/* Keys below everything that begins with "bound", exclusive. */
static void
keys_up_to(const narrowing *n, tmodel_span bound)
{
	tmodel_span end;

	cut_bound(n, &bound);
	if (prefix_end(n->arena, bound, true, n->encoding, &end))
		drop_upper(n->range, end);
}

/* Keys below "bound". */
static void
keys_below(const narrowing *n, tmodel_span bound)
{
	if (cut_bound(n, &bound))
		keys_up_to(n, bound);
	else
		drop_upper(n->range, bound);
}

/* Exactly the key "full"; what follows it in the store begins with a space. */
static tmodel_key_status
only_key(const narrowing *n, tmodel_span full)
{
	tmodel_buf	buf;

	if (tmodel_utf16_units(full) > TMODEL_KEY_MAX_UNITS)
	{
		tmodel_key_status status;

		if (n->encoding == TMODEL_KEY_RAW)
		{
			n->range->empty = true;
			return TMODEL_KEY_OK;
		}
		status = tmodel_key_shorten(n->arena, full, TMODEL_KEY_MAX_UNITS,
									&full);
		if (status != TMODEL_KEY_OK)
			return status;
	}
	tmodel_buf_init(&buf, n->arena);
	if (!tmodel_buf_span(&buf, full) || !tmodel_buf_putc(&buf, ' '))
		return TMODEL_KEY_NO_MEMORY;
	raise_lower(n->range, full);
	drop_upper(n->range, tmodel_buf_text(&buf));
	return TMODEL_KEY_OK;
}

/* Every key that begins with "bound". */
static void
keys_beginning(const narrowing *n, tmodel_span bound)
{
	keys_from(n, bound);
	keys_up_to(n, bound);
}

/*
 * A symbol's place in the store's order: the first two UTF-16 units of what
 * it is written as.  Encodings of symbols are prefix-free, so ranks decide.
 */
static uint32_t
rank_of(const narrowing *n, int32_t symbol)
{
	char		introducer;
	uint32_t	code = (uint32_t) symbol;

	if (symbol == SYMBOL_END)
		return n->last ? 0 :
			(uint32_t) TMODEL_KEY_SEPARATOR[0] << 16 | TMODEL_KEY_SEPARATOR[1];
	introducer = n->encoding == TMODEL_KEY_ESCAPED ?
		tmodel_key_introducer(code) : '\0';
	if (introducer != '\0')
		/* hex digits sort as numbers, and all above the separator's ',' */
		return (uint32_t) introducer << 16 | 0x100 | code;
	if (code >= 0x10000)
		return (0xD7C0 + (code >> 10)) << 16 | 0xDC00 | (code & 0x3FF);
	return code << 16;
}

/* Can the code point be in a text of this column at all? */
static bool
possible(const narrowing *n, uint32_t code)
{
	return n->encoding == TMODEL_KEY_ESCAPED || !tmodel_key_refuses(code);
}

/*
 * Of the characters above "symbol" in SQL, the first in the store; NONE when
 * all of them are above it in the store too.  Only characters below U+00A1 are
 * ever out of order, and U+10000 (before U+E000 in the store).  A symbol that
 * no text of the column holds always gives way to the answer.
 */
static int32_t
first_above(const narrowing *n, int32_t symbol)
{
	int32_t		best = symbol < 0x10000 ? 0x10000 : SYMBOL_NONE;

	for (int32_t code = symbol + 1; code <= 0xA0; code++)
	{
		if (possible(n, (uint32_t) code) && rank_of(n, code) < rank_of(n, best))
			best = code;
	}
	if (best != SYMBOL_NONE && rank_of(n, best) > rank_of(n, symbol) &&
		(symbol == SYMBOL_END || possible(n, (uint32_t) symbol)))
		return SYMBOL_NONE;
	return best;
}

/*
 * Of the characters below "symbol" in SQL (the end of the text is one), the
 * last in the store; NONE when all of them are below it in the store too.
 */
static int32_t
last_below(const narrowing *n, int32_t symbol)
{
	int32_t		best = SYMBOL_END;

	if (symbol >= 0x10000)
		return 0xFFFF;
	for (int32_t code = 0; code < symbol && code < 0xA0; code++)
	{
		if (possible(n, (uint32_t) code) && rank_of(n, code) > rank_of(n, best))
			best = code;
	}
	if (rank_of(n, best) < rank_of(n, symbol) &&
		possible(n, (uint32_t) symbol))
		return SYMBOL_NONE;
	return best;
}

/* Reads the symbol at *at and steps behind it; END at the end, NONE: bad. */
static int32_t
next_symbol(tmodel_span text, size_t *at)
{
	uint32_t	code;
	int			bytes;

	if (*at >= text.len)
		return SYMBOL_END;
	bytes = tmodel_utf8_decode(text.data + *at, text.len - *at, &code);
	if (bytes == 0)
		return SYMBOL_NONE;
	*at += (size_t) bytes;
	return (int32_t) code;
}

/* A new buffer that holds the fixed components. */
static bool
start_bound(const narrowing *n, tmodel_buf *bound)
{
	tmodel_buf_init(bound, n->arena);
	return tmodel_buf_span(bound, tmodel_buf_text(&n->prefix));
}

/*
 * text > constant, or >= : a text that leaves the constant at a character goes
 * on with a greater one, which may still stand before it in the store.
 */
static tmodel_key_status
narrow_above(const narrowing *n, tmodel_span constant, bool or_equal)
{
	tmodel_buf	bound;
	size_t		at = 0;
	bool		done = false;

	if (!start_bound(n, &bound))
		return TMODEL_KEY_NO_MEMORY;
	while (!done)
	{
		int32_t		symbol = next_symbol(constant, &at);
		int32_t		other;

		if (symbol == SYMBOL_NONE)
			return TMODEL_KEY_MALFORMED;
		other = first_above(n, symbol);
		done = true;
		if (other != SYMBOL_NONE)
			tmodel_key_put(&bound, n->encoding, (uint32_t) other);
		else if (symbol != SYMBOL_END)
		{
			tmodel_key_put(&bound, n->encoding, (uint32_t) symbol);
			/* what is behind the longest bound cannot matter */
			done = bound.len > 4 * TMODEL_KEY_MAX_UNITS;
		}
		else if (!or_equal)
			tmodel_buf_putc(&bound, ' ');
	}
	if (n->arena->failed)
		return TMODEL_KEY_NO_MEMORY;
	keys_from(n, tmodel_buf_text(&bound));
	return TMODEL_KEY_OK;
}

/*
 * Ends an upper bound at a text that may itself be in the range: behind its
 * end, but before what goes on after it where the store's order allows.
 */
static void
up_to_end(const narrowing *n, tmodel_buf *bound)
{
	if (n->last)
	{
		tmodel_buf_putc(bound, ' ');
		keys_below(n, tmodel_buf_text(bound));
		return;
	}
	tmodel_buf_puts(bound, TMODEL_KEY_SEPARATOR);
	keys_up_to(n, tmodel_buf_text(bound));
}

/*
 * text < constant, or <= : a text that leaves the constant at a character goes
 * on with a smaller one (or ends), which may still stand after it in the store.
 */
static tmodel_key_status
narrow_below(const narrowing *n, tmodel_span constant, bool or_equal)
{
	tmodel_buf	bound;
	size_t		at = 0;
	int32_t		symbol;
	int32_t		other = SYMBOL_NONE;

	if (!start_bound(n, &bound))
		return TMODEL_KEY_NO_MEMORY;
	for (;;)
	{
		symbol = next_symbol(constant, &at);
		if (symbol == SYMBOL_NONE)
			return TMODEL_KEY_MALFORMED;
		if (symbol == SYMBOL_END)
			break;
		other = last_below(n, symbol);
		if (other != SYMBOL_NONE)
			break;
		tmodel_key_put(&bound, n->encoding, (uint32_t) symbol);
		if (bound.len > 4 * TMODEL_KEY_MAX_UNITS || n->arena->failed)
			break;
	}
	if (other >= 0)
	{
		tmodel_key_put(&bound, n->encoding, (uint32_t) other);
		keys_up_to(n, tmodel_buf_text(&bound));
	}
	else if (other == SYMBOL_END || or_equal)
		up_to_end(n, &bound);
	else if (bound.len > 0)
		keys_below(n, tmodel_buf_text(&bound));
	else
		n->range->empty = true; /* nothing is below the empty text */
	return n->arena->failed ? TMODEL_KEY_NO_MEMORY : TMODEL_KEY_OK;
}

/* A type whose encoding has the order of its values: the bound is exact. */
static tmodel_key_status
narrow_ordered(const narrowing *n, tmodel_compare op, tmodel_span encoded)
{
	tmodel_buf	bound;

	if (!start_bound(n, &bound) || !tmodel_buf_span(&bound, encoded))
		return TMODEL_KEY_NO_MEMORY;
	if (op == TMODEL_LE)
		up_to_end(n, &bound);
	else if (op == TMODEL_LT)
		keys_below(n, tmodel_buf_text(&bound));
	else if (op == TMODEL_GE || !n->last)
	{
		tmodel_span end;

		if (op == TMODEL_GE)
			keys_from(n, tmodel_buf_text(&bound));
		else if (tmodel_buf_puts(&bound, TMODEL_KEY_SEPARATOR) &&
				 prefix_end(n->arena, tmodel_buf_text(&bound), true,
							n->encoding, &end))
			keys_from(n, end);
	}
	else
	{
		tmodel_buf_putc(&bound, ' ');
		keys_from(n, tmodel_buf_text(&bound));
	}
	return n->arena->failed ? TMODEL_KEY_NO_MEMORY : TMODEL_KEY_OK;
}

/*
 * Encodes the fixed components, a separator behind each that is not the key's
 * last, and narrows to them.  ILLEGAL: no key can have them.
 */
static tmodel_key_status
narrow_prefix(narrowing *n, int ncomponents, const tmodel_key_type *types,
			  int nprefix, const tmodel_value *prefix)
{
	if (ncomponents < 1 || nprefix < 0 || nprefix > ncomponents ||
		(n->encoding == TMODEL_KEY_RAW && ncomponents != 1))
		return TMODEL_KEY_MISMATCH;
	tmodel_buf_init(&n->prefix, n->arena);
	if (!tmodel_buf_append(&n->prefix, "", 0))
		return TMODEL_KEY_NO_MEMORY;
	for (int i = 0; i < nprefix; i++)
	{
		tmodel_key_status status = tmodel_key_append(&n->prefix, n->encoding,
													 types[i], &prefix[i]);

		if (status != TMODEL_KEY_OK)
			return status;
		if (i < ncomponents - 1 &&
			!tmodel_buf_puts(&n->prefix, TMODEL_KEY_SEPARATOR))
			return TMODEL_KEY_NO_MEMORY;
	}
	n->last = nprefix >= ncomponents - 1;
	if (nprefix == ncomponents)
		return only_key(n, tmodel_buf_text(&n->prefix));
	if (nprefix > 0)
		keys_beginning(n, tmodel_buf_text(&n->prefix));
	return n->arena->failed ? TMODEL_KEY_NO_MEMORY : TMODEL_KEY_OK;
}

/* "equals": the component and what must follow it. */
static tmodel_key_status
narrow_equal(const narrowing *n, tmodel_span encoded)
{
	tmodel_buf	bound;

	if (!start_bound(n, &bound) || !tmodel_buf_span(&bound, encoded))
		return TMODEL_KEY_NO_MEMORY;
	if (n->last)
		return only_key(n, tmodel_buf_text(&bound));
	if (!tmodel_buf_puts(&bound, TMODEL_KEY_SEPARATOR))
		return TMODEL_KEY_NO_MEMORY;
	keys_beginning(n, tmodel_buf_text(&bound));
	return n->arena->failed ? TMODEL_KEY_NO_MEMORY : TMODEL_KEY_OK;
}

/* The condition on the component behind the fixed ones. */
static tmodel_key_status
narrow_component(const narrowing *n, tmodel_key_type type, tmodel_compare op,
				 const tmodel_value *constant)
{
	bool		integer = type == TMODEL_KEY_INT16 ||
		type == TMODEL_KEY_INT32 || type == TMODEL_KEY_INT64;
	tmodel_key_status status;
	tmodel_buf	encoded;

	if (type == TMODEL_KEY_TEXT && op != TMODEL_EQ)
	{
		if (constant->type != TMODEL_STRING)
			return TMODEL_KEY_MISMATCH;
		return op == TMODEL_LT || op == TMODEL_LE ?
			narrow_below(n, constant->u.bytes, op == TMODEL_LE) :
			narrow_above(n, constant->u.bytes, op == TMODEL_GE);
	}
	tmodel_buf_init(&encoded, n->arena);
	status = tmodel_key_append(&encoded, n->encoding, type, constant);
	if (status != TMODEL_KEY_OK)
		return status;
	if (op == TMODEL_EQ)
		return narrow_equal(n, tmodel_buf_text(&encoded));
	if (n->encoding == TMODEL_KEY_RAW && integer)
		return TMODEL_KEY_OK;	/* unpadded numbers are not in order */
	return narrow_ordered(n, op, tmodel_buf_text(&encoded));
}

/*
 * Narrows a range.  On any status but OK the range is as before, so that a
 * caller who goes on regardless reads too much, never too little.
 */
tmodel_key_status
tmodel_key_narrow(tmodel_arena *arena, tmodel_key_range *range,
				  tmodel_key_encoding encoding, int n,
				  const tmodel_key_type *types, int nprefix,
				  const tmodel_value *prefix, tmodel_compare op,
				  const tmodel_value *constant)
{
	tmodel_key_range narrowed = *range;
	narrowing	work = {.arena = arena, .range = &narrowed,
	.encoding = encoding};
	tmodel_key_status status;

	if (constant != NULL && nprefix >= n)
		return TMODEL_KEY_MISMATCH;
	status = narrow_prefix(&work, n, types, nprefix, prefix);
	if (status == TMODEL_KEY_OK && constant != NULL && op != TMODEL_NE)
		status = narrow_component(&work, types[nprefix], op, constant);
	if (status == TMODEL_KEY_ILLEGAL)
	{
		/* no key equals a text that no key can be */
		narrowed.empty = true;
		status = TMODEL_KEY_OK;
	}
	if (status == TMODEL_KEY_OK)
		*range = narrowed;
	return status;
}

/* Narrows to a beginning of a TEXT component; a prefix stays one. */
tmodel_key_status
tmodel_key_narrow_begins(tmodel_arena *arena, tmodel_key_range *range,
						 tmodel_key_encoding encoding, int n,
						 const tmodel_key_type *types, int nprefix,
						 const tmodel_value *prefix, tmodel_span begins)
{
	tmodel_key_range narrowed = *range;
	narrowing	work = {.arena = arena, .range = &narrowed,
	.encoding = encoding};
	tmodel_value text = tmodel_string(begins);
	tmodel_key_status status;

	if (nprefix >= n || types[nprefix] != TMODEL_KEY_TEXT)
		return TMODEL_KEY_MISMATCH;
	status = narrow_prefix(&work, n, types, nprefix, prefix);
	if (status == TMODEL_KEY_OK)
		status = tmodel_key_append(&work.prefix, encoding, TMODEL_KEY_TEXT,
								   &text);
	if (status == TMODEL_KEY_ILLEGAL)
		narrowed.empty = true;
	else if (status != TMODEL_KEY_OK)
		return status;
	else
		keys_beginning(&work, tmodel_buf_text(&work.prefix));
	if (arena->failed)
		return TMODEL_KEY_NO_MEMORY;
	*range = narrowed;
	return TMODEL_KEY_OK;
}

/* Is the upper bound the lower one and a space, so that only it is between? */
static bool
is_single(const tmodel_key_range *range)
{
	return range->has_lower && range->has_upper &&
		range->upper.len == range->lower.len + 1 &&
		range->upper.data[range->lower.len] == ' ' &&
		(range->lower.len == 0 ||
		 memcmp(range->upper.data, range->lower.data, range->lower.len) == 0);
}

/*
 * The range as comparisons: eq for a single key, and for no key one that none
 * satisfies (the empty text is the least key).
 */
tmodel_filter *
tmodel_key_range_filter(tmodel_arena *arena, tmodel_span key_name,
						const tmodel_key_range *range)
{
	tmodel_value lower = tmodel_string(range->lower);
	tmodel_value upper = tmodel_string(range->upper);
	tmodel_filter *filter = NULL;

	if (range->empty)
	{
		upper = tmodel_string(TMODEL_SPAN(""));
		return tmodel_filter_compare(arena, key_name, TMODEL_LT, &upper);
	}
	if (is_single(range))
		return tmodel_filter_compare(arena, key_name, TMODEL_EQ, &lower);
	if (range->has_lower)
		filter = tmodel_filter_compare(arena, key_name, TMODEL_GE, &lower);
	if (range->has_upper)
		filter = tmodel_filter_and(arena, filter,
								   tmodel_filter_compare(arena, key_name,
														 TMODEL_LT, &upper));
	return filter;
}
