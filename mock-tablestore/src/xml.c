/*
 * xml.c
 *	  Reading the small XML documents of the storage services, and escaping.
 *
 * One pass, recursive, of bounded depth; everything comes from the arena.
 * Called for bodies of service properties, access policies and messages.
 * Easy to break: a message's text is content, so blanks in it are kept and
 * only callers that want a value trim it.
 */
#include "xml.h"

#include <ctype.h>
#include <stdlib.h>

#define MAX_DEPTH 16

typedef struct Reader
{
	Arena	   *arena;
	Span		rest;			/* what has not been read */
	int			depth;
} Reader;

static bool
skip_past(Reader *r, const char *end)
{
	size_t		n = strlen(end);
	const char *at = r->rest.n ? memmem(r->rest.p, r->rest.n, end, n) : NULL;

	if (at == NULL)
		return false;
	r->rest = span_skip(r->rest, (size_t) (at - r->rest.p) + n);
	return true;
}

/* Comments, processing instructions and blanks between elements. */
static bool
skip_misc(Reader *r)
{
	while (r->rest.n > 0)
	{
		if (strchr(" \t\r\n", r->rest.p[0]) && r->rest.p[0])
			r->rest = span_skip(r->rest, 1);
		else if (span_starts(r->rest, SPAN("<?")))
		{
			if (!skip_past(r, "?>"))
				return false;
		}
		else if (span_starts(r->rest, SPAN("<!--")))
		{
			if (!skip_past(r, "-->"))
				return false;
		}
		else
			break;
	}
	return true;
}

static void
put_utf8(Buf *out, unsigned long c)
{
	if (c < 0x80)
		buf_putc(out, (char) c);
	else if (c < 0x800)
	{
		buf_putc(out, (char) (0xC0 | c >> 6));
		buf_putc(out, (char) (0x80 | (c & 0x3F)));
	}
	else
	{
		if (c < 0x10000)
			buf_putc(out, (char) (0xE0 | c >> 12));
		else
		{
			buf_putc(out, (char) (0xF0 | c >> 18));
			buf_putc(out, (char) (0x80 | (c >> 12 & 0x3F)));
		}
		buf_putc(out, (char) (0x80 | (c >> 6 & 0x3F)));
		buf_putc(out, (char) (0x80 | (c & 0x3F)));
	}
}

/* What XML 1.0 has no way to write, not even as a reference. */
static bool
is_char(unsigned long code)
{
	if (code < 0x20)
		return code == '\t' || code == '\n' || code == '\r';
	return code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000) &&
		code != 0xFFFE && code != 0xFFFF;
}

/* The same of a document's bytes; that they are UTF-8 is not asked here. */
static bool
are_chars(Span text)
{
	for (size_t i = 0; i < text.n; i++)
	{
		unsigned char c = (unsigned char) text.p[i];

		if (c < 0x20 && !is_char(c))
			return false;
		if (c == 0xEF && i + 2 < text.n &&
			(unsigned char) text.p[i + 1] == 0xBF &&
			(unsigned char) text.p[i + 2] >= 0xBE)
			return false;
	}
	return true;
}

/* "&name;" or "&#n;" at the start of the rest. */
static bool
take_entity(Reader *r, Buf *out)
{
	static const struct
	{
		const char *text;
		char		c;
	}			known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'},
	{"&quot;", '"'}, {"&apos;", '\''}};
	const char *end = memchr(r->rest.p, ';', r->rest.n < 12 ? r->rest.n : 12);
	char	   *stop;
	unsigned long code;
	bool		hex;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		if (span_starts(r->rest, span_of(known[i].text)))
		{
			buf_putc(out, known[i].c);
			r->rest = span_skip(r->rest, strlen(known[i].text));
			return true;
		}
	}
	if (end == NULL || !span_starts(r->rest, SPAN("&#")))
		return false;
	hex = r->rest.p[2] == 'x';
	code = strtoul(r->rest.p + (hex ? 3 : 2), &stop, hex ? 16 : 10);
	if (stop != end || !isxdigit((unsigned char) r->rest.p[hex ? 3 : 2]) ||
		!is_char(code))
		return false;
	put_utf8(out, code);
	r->rest = span_skip(r->rest, (size_t) (end + 1 - r->rest.p));
	return true;
}

/* Character data up to the next markup that is not CDATA. */
static bool
take_text(Reader *r, Buf *out)
{
	while (r->rest.n > 0)
	{
		if (span_starts(r->rest, SPAN("<![CDATA[")))
		{
			const char *from = r->rest.p + 9;

			if (!skip_past(r, "]]>"))
				return false;
			buf_put(out, from, (size_t) (r->rest.p - 3 - from));
		}
		else if (r->rest.p[0] == '<')
			return true;
		else if (r->rest.p[0] == '&')
		{
			if (!take_entity(r, out))
				return false;
		}
		else
		{
			buf_putc(out, r->rest.p[0]);
			r->rest = span_skip(r->rest, 1);
		}
	}
	return true;
}

/* The name behind "<" or "</"; *local is what follows a prefix. */
static bool
take_name(Reader *r, Span *name, Span *local)
{
	const char *colon;
	size_t		n = 0;

	while (n < r->rest.n && r->rest.p[n] &&
		   !strchr(" \t\r\n/>=<&", r->rest.p[n]))
		n++;
	*name = (Span) {r->rest.p, n};
	r->rest = span_skip(r->rest, n);
	colon = n ? memchr(name->p, ':', n) : NULL;
	*local = colon ? span_skip(*name, (size_t) (colon + 1 - name->p)) : *name;
	return local->n > 0;
}

/* Attributes up to "/>" or ">". */
static bool
skip_attributes(Reader *r, bool *empty)
{
	char		quote = '\0';

	for (; r->rest.n > 0; r->rest = span_skip(r->rest, 1))
	{
		char		c = r->rest.p[0];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '<')
			return false;
		else if (c == '>')
		{
			*empty = r->rest.p[-1] == '/';
			r->rest = span_skip(r->rest, 1);
			return true;
		}
	}
	return false;
}

static XmlNode *take_element(Reader *r);

/* Children and text of an element up to its end tag. */
static bool
take_content(Reader *r, XmlNode *node, Span name, Buf *text)
{
	XmlNode   **tail = &node->first;
	Span		end;
	Span		local;

	while (take_text(r, text))
	{
		if (span_starts(r->rest, SPAN("</")))
		{
			r->rest = span_skip(r->rest, 2);
			if (!take_name(r, &end, &local) || !span_eq(end, name))
				return false;
			while (r->rest.n > 0 && strchr(" \t\r\n", r->rest.p[0]))
				r->rest = span_skip(r->rest, 1);
			if (!span_starts(r->rest, SPAN(">")))
				return false;
			r->rest = span_skip(r->rest, 1);
			return true;
		}
		if (span_starts(r->rest, SPAN("<!--")) ||
			span_starts(r->rest, SPAN("<?")))
		{
			if (!skip_past(r, r->rest.p[1] == '?' ? "?>" : "-->"))
				return false;
			continue;
		}
		*tail = take_element(r);
		if (*tail == NULL)
			return false;
		tail = &(*tail)->next;
	}
	return false;
}

static XmlNode *
take_element(Reader *r)
{
	XmlNode    *node = arena_zalloc(r->arena, sizeof(*node));
	Buf			text = {0};
	Span		name;
	bool		empty;
	bool		ok;

	if (r->depth >= MAX_DEPTH || !span_starts(r->rest, SPAN("<")))
		return NULL;
	r->rest = span_skip(r->rest, 1);
	if (!take_name(r, &name, &node->name) || !skip_attributes(r, &empty))
		return NULL;
	node->text = SPAN("");
	if (empty)
		return node;
	r->depth++;
	ok = take_content(r, node, name, &text);
	r->depth--;
	node->text = span_of(arena_strdup(r->arena, (Span) {text.p, text.n}));
	node->text.n = text.n;
	buf_free(&text);
	return ok ? node : NULL;
}

XmlNode *
xml_parse(Arena *a, Span text)
{
	Reader		r = {.arena = a};
	XmlNode    *root;

	/* A copy with a NUL: numbers are read by strtoul. */
	r.rest = (Span) {arena_strdup(a, text), text.n};
	if (span_starts(r.rest, SPAN("\xEF\xBB\xBF")))
		r.rest = span_skip(r.rest, 3);
	if (!are_chars(text) || !skip_misc(&r))
		return NULL;
	root = take_element(&r);
	if (root == NULL || !skip_misc(&r) || r.rest.n > 0)
		return NULL;
	return root;
}

const XmlNode *
xml_child(const XmlNode *node, const char *name)
{
	for (const XmlNode *c = node ? node->first : NULL; c; c = c->next)
	{
		if (span_eq(c->name, span_of(name)))
			return c;
	}
	return NULL;
}

bool
xml_value(const XmlNode *node, const char *name, Span *value)
{
	const XmlNode *child = xml_child(node, name);

	*value = child ? span_trim(child->text) : SPAN("");
	return child != NULL;
}

void
xml_text(Buf *out, Span text)
{
	for (size_t i = 0; i < text.n; i++)
	{
		switch (text.p[i])
		{
			case '<':
				BUF_LIT(out, "&lt;");
				break;
			case '>':
				BUF_LIT(out, "&gt;");
				break;
			case '&':
				BUF_LIT(out, "&amp;");
				break;
			case '\r':			/* a parser would make it a newline */
				BUF_LIT(out, "&#xD;");
				break;
			default:
				buf_putc(out, text.p[i]);
		}
	}
}

void
xml_element(Buf *out, const char *name, Span text)
{
	buf_printf(out, "<%s>", name);
	xml_text(out, text);
	buf_printf(out, "</%s>", name);
}
