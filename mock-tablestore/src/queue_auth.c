/*
 * queue_auth.c
 *	  The text that SharedKey and SharedKeyLite sign for the queue service.
 *
 * The check itself is auth.c's.  Unlike tables, the text has the x-ms-
 * headers in canonical form, and that of SharedKey all parameters of the
 * query, decoded and sorted.  Easy to break: a Content-Length of 0 is signed
 * as an empty line.
 */
#include "queue.h"

#include <ctype.h>
#include <stdlib.h>

#define MAX_SIGNED_HEADERS 64

typedef struct Sorted
{
	Arena	   *arena;
	Param		items[MAX_SIGNED_HEADERS];
	size_t		n;
} Sorted;

static Span
lower(Arena *a, Span text)
{
	char	   *copy = arena_strdup(a, text);

	for (size_t i = 0; i < text.n; i++)
		copy[i] = (char) tolower((unsigned char) copy[i]);
	return (Span) {copy, text.n};
}

static int
compare_items(const void *x, const void *y)
{
	const Param *a = x;
	const Param *b = y;
	int			c = span_cmp(a->name, b->name);

	return c ? c : span_cmp(a->value, b->value);
}

static void
collect(void *closure, const char *name, const char *value)
{
	Sorted	   *s = closure;

	if (strncasecmp(name, "x-ms-", 5) != 0 || s->n == MAX_SIGNED_HEADERS)
		return;
	s->items[s->n].name = lower(s->arena, span_of(name));
	s->items[s->n++].value = span_trim(span_of(value));
}

static void
put_items(Buf *out, const Sorted *s, const char *before, const char *after)
{
	for (size_t i = 0; i < s->n; i++)
	{
		buf_puts(out, before);
		buf_span(out, s->items[i].name);
		buf_putc(out, ':');
		buf_span(out, s->items[i].value);
		buf_puts(out, after);
	}
}

static void
put_headers(Buf *out, Arena *a, HeaderEach each, void *who)
{
	Sorted	   *s = arena_zalloc(a, sizeof(*s));

	s->arena = a;
	each(who, collect, s);
	qsort(s->items, s->n, sizeof(Param), compare_items);
	put_items(out, s, "", "\n");
}

static void
put_parameters(Buf *out, Arena *a, const Command *cmd)
{
	Sorted	   *s = arena_zalloc(a, sizeof(*s));

	for (int i = 0; i < cmd->nparams; i++)
	{
		s->items[i].name = lower(a, cmd->params[i].name);
		s->items[i].value = cmd->params[i].value;
	}
	s->n = (size_t) cmd->nparams;
	qsort(s->items, s->n, sizeof(Param), compare_items);
	put_items(out, s, "\n", "");
}

static void
put_lines(Buf *out, HeaderLookup header, void *who, bool lite)
{
	static const char *const full[] = {"Content-Encoding",
		"Content-Language", "Content-Length", "Content-MD5", "Content-Type",
		"Date", "If-Modified-Since", "If-Match", "If-None-Match",
	"If-Unmodified-Since", "Range"};
	static const char *const few[] = {"Content-MD5", "Content-Type", "Date"};
	const char *const *names = lite ? few : full;
	size_t		n = lite ? 3 : sizeof(full) / sizeof(full[0]);

	for (size_t i = 0; i < n; i++)
	{
		const char *value = header(who, names[i]);

		if (value && strcmp(names[i], "Content-Length") == 0 &&
			strcmp(value, "0") == 0)
			value = NULL;
		if (value && strcmp(names[i], "Date") == 0 &&
			header(who, "x-ms-date"))
			value = NULL;
		buf_printf(out, "%s\n", value ? value : "");
	}
}

void
queue_signed_text(Buf *out, const Signed *s, bool lite, const char *date)
{
	const Span *comp = command_param(s->cmd, "comp");

	buf_printf(out, "%s\n", s->method);
	put_lines(out, s->header, s->who, lite);
	put_headers(out, s->arena, s->each, s->who);
	buf_printf(out, "/%s", account_name(s->account));
	buf_span(out, s->raw_path);
	if (!lite)
		put_parameters(out, s->arena, s->cmd);
	else if (comp)
		buf_printf(out, "?comp=%.*s", (int) comp->n, comp->p);
}
