/*
 * fuzz_xml.c
 *	  Fuzz target: read an XML body, and a queue request with it as its URL.
 *
 * Besides memory errors it checks that text survives (what xml_text writes,
 * xml_parse reads back) and that CORS rules do.
 */
#include <stdlib.h>

#include "cors.h"
#include "queue.h"
#include "xml.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
no_headers(void *who, HeaderSink sink, void *closure)
{
}

static void
round_trip(Arena *a, Span text)
{
	Buf			out = {0};
	const XmlNode *node;

	xml_element(&out, "T", text);
	node = xml_parse(a, (Span) {out.p, out.n});
	if (node == NULL || !span_eq(node->text, text))
		abort();
	buf_free(&out);
}

static void
walk(Arena *a, const XmlNode *node)
{
	round_trip(a, node->text);
	for (const XmlNode *c = node->first; c; c = c->next)
		walk(a, c);
}

/* Rules that are accepted are accepted as they are given back, too. */
static void
cors_rules(Arena *a, const XmlNode *section)
{
	Buf			out = {0};
	const XmlNode *again;

	if (cors_check(section) != ERR_NONE)
		return;
	cors_print(a, &out, section);
	again = xml_parse(a, (Span) {out.p, out.n});
	if (again == NULL || cors_check(again) != ERR_NONE)
		abort();
	buf_free(&out);
}

static void
parse_as_url(Arena *a, Span text)
{
	static const char *const methods[] = {"GET", "PUT", "POST", "DELETE"};
	const char *mark = memchr(text.p, '?', text.n);
	size_t		n = mark ? (size_t) (mark - text.p) : text.n;
	Span		query = mark ? span_skip(text, n + 1) : SPAN("");

	for (int i = 0; i < 4; i++)
	{
		Command		cmd = {0};
		QueueCommand q = {0};
		const char *detail = NULL;
		int64_t		value;

		if (queue_parse(a, methods[i], (Span) {text.p, n}, query, no_headers,
						NULL, &cmd, &q, &detail) == ERR_NONE)
			queue_number(a, &cmd, "numofmessages", 1, 32, 1, &value, &detail);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena		a = {0};
	Span		text = {arena_strdup(&a, (Span) {(const char *) data, size}),
	size};
	XmlNode    *root = xml_parse(&a, text);

	if (root)
	{
		walk(&a, root);
		cors_rules(&a, root);
	}
	parse_as_url(&a, text);
	arena_free(&a);
	return 0;
}
