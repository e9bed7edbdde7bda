/*
 * key_order.c
 *	  The order of keys in SQL and in the store.
 *
 * An image is what the store cannot have as a key: text as it is, each
 * component ended by a zero byte.  The late keys behind a key are found
 * character by character: only a space, an exclamation mark, a percent sign, a
 * slash and a character beyond the BMP have characters (or the end of a
 * component) below them in SQL and above them in the store.  Called by
 * exec/merge.  Easy to break: what key.c escapes, and how (key.h).
 */
#include "key_order.h"

#include "key_int.h"
#include "utf8.h"

#include <string.h>

/* The characters that stand below another one in SQL, above it in the store. */
typedef struct late_symbols
{
	const char *lower;			/* first of them, as it is written */
	const char *upper;			/* behind the last of them; NULL: the end */
	const char *floor;			/* the least of them in SQL */
} late_symbols;

tmodel_key_status
tmodel_key_image(tmodel_buf *out, int n, const tmodel_key_type *types,
				 const tmodel_value *values)
{
	for (int i = 0; i < n; i++)
	{
		tmodel_key_status status = TMODEL_KEY_OK;

		if (types[i] != TMODEL_KEY_TEXT)
			status = tmodel_key_append(out, TMODEL_KEY_ESCAPED, types[i],
									   &values[i]);
		else if (values[i].type != TMODEL_STRING)
			status = TMODEL_KEY_MISMATCH;
		else if (!tmodel_buf_span(out, values[i].u.bytes))
			status = TMODEL_KEY_NO_MEMORY;
		if (status != TMODEL_KEY_OK)
			return status;
		if (!tmodel_buf_append(out, "", 1))
			return TMODEL_KEY_NO_MEMORY;
	}
	return TMODEL_KEY_OK;
}

bool
tmodel_key_is_ordered(tmodel_key_encoding encoding, tmodel_key_type type)
{
	switch (type)
	{
		case TMODEL_KEY_TEXT:
			return false;
		case TMODEL_KEY_INT16:
		case TMODEL_KEY_INT32:
		case TMODEL_KEY_INT64:
			return encoding == TMODEL_KEY_ESCAPED;
		default:
			return true;
	}
}

/*
 * What is late behind a character.  The end of a component that others follow
 * is written '",', below the escapes of control characters, '"01' to '"1F'.
 */
static const late_symbols *
late_behind(tmodel_key_encoding encoding, uint32_t code, bool last)
{
	static const late_symbols controls = {"\"", "\"2", "\x01"};
	static const late_symbols end_too = {"\"", "\"2", ""};
	static const late_symbols dollar = {"$", "&", "$"};
	static const late_symbols plus_to_dot = {"+", "0", "+"};
	static const late_symbols high = {"\xEE\x80\x80", NULL, "\xEE\x80\x80"};

	if (code >= 0x10000)
		return &high;
	if (encoding == TMODEL_KEY_RAW)
		return NULL;
	switch (code)
	{
		case ' ':
		case '!':
			return last ? &controls : &end_too;
		case '%':
			return &dollar;
		case '/':
			return &plus_to_dot;
		default:
			return NULL;
	}
}

/* What a walk along a key knows. */
typedef struct walk
{
	tmodel_arena *arena;
	tmodel_key_encoding encoding;
	tmodel_span key;
	size_t		at;				/* bytes passed */
	tmodel_buf	image;			/* of them, from component "first" on */
	int			n;				/* stretches found */
	int			max;
	tmodel_key_late *out;
} walk;

static bool
join(tmodel_arena *arena, tmodel_span a, const char *b, tmodel_span *joined)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	if (!tmodel_buf_span(&buf, a) || !tmodel_buf_puts(&buf, b))
		return false;
	*joined = tmodel_buf_text(&buf);
	return true;
}

/* Adds the keys that go on with "symbols" (NULL: anyhow) behind "at" bytes. */
static bool
add_stretch(walk *w, size_t at, const late_symbols *symbols)
{
	tmodel_span prefix = {w->key.data, at};
	tmodel_key_late *late = &w->out[w->n];
	tmodel_key_range *range = &late->range;

	if (w->n++ >= w->max)
		return true;
	memset(late, 0, sizeof(*late));
	range->has_lower = true;
	range->has_upper = true;
	if (symbols != NULL && symbols->upper != NULL)
	{
		if (!join(w->arena, prefix, symbols->upper, &range->upper))
			return false;
	}
	else
		range->has_upper = tmodel_key_legal_end(w->arena, w->encoding, prefix,
												&range->upper);
	return join(w->arena, prefix, symbols != NULL ? symbols->lower : "",
				&range->lower) &&
		join(w->arena, tmodel_buf_text(&w->image),
			 symbols != NULL ? symbols->floor : "", &late->floor) &&
		!w->arena->failed;
}

/* One character of a TEXT component at "at"; its bytes there, 0: none. */
static size_t
take(const walk *w, size_t at, uint32_t *code)
{
	const char *text = w->key.data + at;
	size_t		left = w->key.len - at;
	int			n = tmodel_utf8_decode(text, left, code);

	if (n == 0 || w->encoding == TMODEL_KEY_RAW ||
		tmodel_key_introducer(*code) == '\0')
		return (size_t) n;
	if (left < 3)
		return 0;
	*code = 0;
	for (int i = 1; i <= 2; i++)
		*code = *code * 16 + (uint32_t) (text[i] <= '9' ? text[i] - '0' :
										 text[i] - 'A' + 10);
	return 3;
}

/* Is the key's separator here? */
static bool
at_separator(const walk *w, size_t at)
{
	return w->encoding == TMODEL_KEY_ESCAPED && w->key.len - at >= 2 &&
		memcmp(w->key.data + at, TMODEL_KEY_SEPARATOR, 2) == 0;
}

/* Bytes before which all keys with the same beginning compare as in full;
 * "units" stand before them. */
static size_t
surely_full(tmodel_span key, size_t units)
{
	size_t		at = 0;

	while (at < key.len)
	{
		uint32_t	code;
		int			n = tmodel_utf8_decode(key.data + at, key.len - at, &code);

		units += code >= 0x10000 ? 2 : 1;
		if (n == 0 || units > TMODEL_KEY_BOUND_UNITS)
			break;
		at += (size_t) n;
	}
	return at;
}

/* Passes one component, up to "end"; false when it does not read. */
static bool
walk_component(walk *w, tmodel_key_type type, bool last, bool ordered,
			   size_t end)
{
	while (w->at < end && (last || !at_separator(w, w->at)))
	{
		const late_symbols *symbols = NULL;
		uint32_t	code = (unsigned char) w->key.data[w->at];
		size_t		bytes = 1;

		if (type == TMODEL_KEY_TEXT)
		{
			bytes = take(w, w->at, &code);
			symbols = late_behind(w->encoding, code, last);
		}
		if (bytes == 0)
			return false;
		if (w->at + bytes > end)
			return true;		/* only a part of it is sure */
		if (ordered && symbols != NULL && !add_stretch(w, w->at, symbols))
			return false;
		if (!tmodel_utf8_append(&w->image, code))
			return false;
		w->at += bytes;
	}
	return true;
}

int
tmodel_key_late_keys(tmodel_arena *arena, tmodel_key_encoding encoding, int n,
					 const tmodel_key_type *types, int first, int last,
					 int before, tmodel_span key, int max,
					 tmodel_key_late *out)
{
	walk		w = {.arena = arena, .encoding = encoding, .key = key,
	.max = max, .out = out};
	size_t		end = before >= 0 ? surely_full(key, (size_t) before) : key.len;
	bool		cut = end < key.len;

	tmodel_buf_init(&w.image, arena);
	if (!tmodel_buf_append(&w.image, "", 0))
		return -1;
	for (int i = 0; i < last; i++)
	{
		if (!walk_component(&w, types[i], i == n - 1, i >= first, end))
			return -1;
		if (cut && (i == n - 1 || !at_separator(&w, w.at) || w.at + 2 > end))
			return add_stretch(&w, w.at, NULL) ? w.n : -1;
		if (i < n - 1)
		{
			if (!at_separator(&w, w.at))
				return -1;
			w.at += strlen(TMODEL_KEY_SEPARATOR);
		}
		if (i < first)
			w.image.len = 0;
		else if (!tmodel_buf_append(&w.image, "", 1))
			return -1;
	}
	return w.n;
}
