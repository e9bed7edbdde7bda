/*
 * list.c
 *	  JSON arrays of scalars in an Edm.String, read strictly, written plainly.
 *
 * Not a JSON parser for the protocol (store/json): no objects, no nesting.
 * Called by remote/convert and model/index.
 *
 * Easy to break: text that is not exactly one array, or not UTF-8, is refused,
 * and so is \\u0000.  An element without escapes is a piece of the text that is
 * read.
 */
#include "list.h"

#include "escape.h"
#include "utf8.h"

#include <string.h>

/* What is left to read. */
typedef struct reader
{
	const char *at;
	const char *end;
	tmodel_arena *arena;
} reader;

/* Skips JSON's white space. */
static void
skip_space(reader *in)
{
	while (in->at < in->end && (*in->at == ' ' || *in->at == '\t' ||
								*in->at == '\n' || *in->at == '\r'))
		in->at++;
}

/* Skips one expected character. */
static bool
accept(reader *in, char c)
{
	if (in->at >= in->end || *in->at != c)
		return false;
	in->at++;
	return true;
}

/* What follows a backslash; no PostgreSQL text can hold a zero. */
static bool
read_escape(reader *in, uint32_t *code)
{
	tmodel_span rest = {in->at, (size_t) (in->end - in->at)};
	size_t		len = tmodel_escape_read(rest, 0, code);

	in->at += len;
	return len > 0 && *code != 0;
}

/* Characters up to the next quote, backslash or control character. */
static inline bool
read_plain(reader *in, tmodel_span *run)
{
	const char *start = in->at;
	const char *at = start;
	unsigned char high = 0;

	while (at < in->end && *at != '"' && *at != '\\' &&
		   (unsigned char) *at >= 0x20)
		high |= (unsigned char) *at++;
	in->at = at;
	*run = (tmodel_span) {start, (size_t) (at - start)};
	return high < 0x80 || tmodel_utf8_valid(*run);
}

/* The rest of a string, behind its opening quote; not copied if plain. */
static bool
read_string(reader *in, tmodel_span *text)
{
	tmodel_buf	buf;
	tmodel_span run;

	if (!read_plain(in, &run))
		return false;
	if (accept(in, '"'))
	{
		*text = run;
		return true;
	}
	tmodel_buf_init(&buf, in->arena);
	if (!tmodel_buf_span(&buf, run))
		return false;
	while (!accept(in, '"'))
	{
		uint32_t	code;

		if (!accept(in, '\\') || !read_escape(in, &code) ||
			!tmodel_utf8_append(&buf, code) || !read_plain(in, &run) ||
			!tmodel_buf_span(&buf, run))
			return false;
	}
	*text = tmodel_buf_text(&buf);
	return true;
}

/* Skips digits; false when there is none. */
static bool
skip_digits(reader *in)
{
	const char *start = in->at;

	while (in->at < in->end && *in->at >= '0' && *in->at <= '9')
		in->at++;
	return in->at > start;
}

/* A number as JSON spells it. */
static bool
skip_number(reader *in)
{
	accept(in, '-');
	if (!accept(in, '0') && !skip_digits(in))
		return false;
	if (accept(in, '.') && !skip_digits(in))
		return false;
	if (accept(in, 'e') || accept(in, 'E'))
	{
		if (!accept(in, '+'))
			accept(in, '-');
		return skip_digits(in);
	}
	return true;
}

/* Skips a whole word. */
static bool
accept_word(reader *in, const char *word)
{
	size_t		len = strlen(word);

	if ((size_t) (in->end - in->at) < len || memcmp(in->at, word, len) != 0)
		return false;
	in->at += len;
	return true;
}

/* One scalar. */
static bool
read_element(reader *in, tmodel_element *element)
{
	tmodel_span bare = {in->at, 0};

	element->is_null = false;
	if (accept(in, '"'))
		return read_string(in, &element->text);
	if (accept_word(in, "null"))
	{
		element->is_null = true;
		element->text = TMODEL_SPAN("");
		return true;
	}
	if (!accept_word(in, "true") && !accept_word(in, "false") &&
		!skip_number(in))
		return false;
	bare.len = (size_t) (in->at - bare.data);
	element->text = bare;
	return true;
}

/* Makes room for one more element; the array doubles. */
static bool
grow(tmodel_arena *arena, tmodel_list *list, int *capacity)
{
	tmodel_element *larger;

	if (list->nelements < *capacity)
		return true;
	*capacity = *capacity == 0 ? 8 : *capacity * 2;
	larger = tmodel_alloc_raw(arena, (size_t) *capacity * sizeof(*larger));
	if (larger == NULL)
		return false;
	if (list->nelements > 0)
		memcpy(larger, list->elements,
			   (size_t) list->nelements * sizeof(*larger));
	list->elements = larger;
	return true;
}

/* The whole text must be one array. */
bool
tmodel_list_parse(tmodel_arena *arena, tmodel_span json, tmodel_list *list)
{
	reader		in = {json.data, json.data, arena};
	int			capacity = 0;

	if (json.len > 0)
		in.end = json.data + json.len;
	list->nelements = 0;
	list->elements = NULL;
	skip_space(&in);
	if (!accept(&in, '['))
		return false;
	skip_space(&in);
	if (!accept(&in, ']'))
	{
		do
		{
			if (!grow(arena, list, &capacity))
				return false;
			skip_space(&in);
			if (!read_element(&in, &list->elements[list->nelements++]))
				return false;
			skip_space(&in);
		} while (accept(&in, ','));
		if (!accept(&in, ']'))
			return false;
	}
	skip_space(&in);
	return in.at == in.end;
}

/* One string in quotes; stretches that need no escape go out whole. */
static bool
print_string(tmodel_buf *buf, tmodel_span text)
{
	size_t		start = 0;

	if (!tmodel_buf_putc(buf, '"'))
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];
		bool		plain = c == '"' || c == '\\';

		if (c >= 0x20 && !plain)
			continue;
		if (!tmodel_buf_append(buf, text.data + start, i - start) ||
			!(plain ? tmodel_buf_printf(buf, "\\%c", c) :
			  tmodel_buf_printf(buf, "\\u%04x", c)))
			return false;
		start = i + 1;
	}
	return tmodel_buf_append(buf, text.len > 0 ? text.data + start : "",
							 text.len - start) &&
		tmodel_buf_putc(buf, '"');
}

/* The canonical form. */
bool
tmodel_list_print(tmodel_buf *buf, const tmodel_list *list,
				  const bool *quoted)
{
	if (!tmodel_buf_putc(buf, '['))
		return false;
	for (int i = 0; i < list->nelements; i++)
	{
		const tmodel_element *element = &list->elements[i];
		bool		done;

		if (i > 0 && !tmodel_buf_putc(buf, ','))
			return false;
		if (element->is_null)
			done = tmodel_buf_puts(buf, "null");
		else if (quoted != NULL && !quoted[i])
			done = tmodel_buf_span(buf, element->text);
		else
			done = print_string(buf, element->text);
		if (!done)
			return false;
	}
	return tmodel_buf_putc(buf, ']');
}
