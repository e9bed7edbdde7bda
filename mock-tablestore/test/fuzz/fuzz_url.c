/*
 * fuzz_url.c
 *	  Fuzz target: path, query, tokens, dates and base64 of a request.
 */
#include "command.h"
#include "encode.h"
#include "operation.h"
#include "timestamp.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *
no_header(void *who, const char *name)
{
	return NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Span		text = {(const char *) data, size};
	const char *mark = size ? memchr(data, '?', size) : NULL;
	Span		path = {text.p, mark ? (size_t) (mark - text.p) : size};
	Span		query = mark ? span_skip(text, path.n + 1) : SPAN("");
	Arena		a = {0};
	Command		cmd = {0};
	const char *detail = NULL;
	int64_t		ticks;
	Span		out;
	Span		copy = arena_span(&a, text);

	command_parse(&a, "GET", path, query, no_header, NULL, &cmd, &detail);
	token_read(&a, &copy, &out);
	timestamp_parse(copy, &ticks);
	http_date_parse(copy, &ticks);
	base64_decode(&a, copy, &out);
	hex_decode(&a, copy, &out);
	arena_free(&a);
	return 0;
}
