/*
 * batch_parse.c
 *	  A multipart/mixed body, taken apart into Commands.
 *
 * Any boundary name, CRLF or LF line ends, absolute or relative request
 * lines.  Knows the shape of a batch (one change set, or one lone GET), not
 * what the operations mean.  Commands point into the body, which must live
 * as long as the batch.
 */
#include "batch.h"

/* The headers of the request in one part. */
typedef struct HeaderBlock
{
	Arena	   *arena;
	Span		http;
} HeaderBlock;

/* The next line without its end; false at the end of the text. */
static bool
next_line(Span *s, Span *line)
{
	const char *nl;

	if (s->n == 0)
		return false;
	nl = memchr(s->p, '\n', s->n);
	*line = (Span) {s->p, nl ? (size_t) (nl - s->p) : s->n};
	*s = span_skip(*s, line->n + (nl ? 1 : 0));
	if (line->n > 0 && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

/* Cuts the lines up to the blank one off *s. */
static Span
take_headers(Span *s)
{
	Span		start = *s;
	Span		line;

	while (next_line(s, &line))
	{
		if (line.n == 0)
			return (Span) {start.p, (size_t) (line.p - start.p)};
	}
	return start;
}

static bool
find_header(Span block, Span name, Span *value)
{
	Span		line;

	while (next_line(&block, &line))
	{
		if (line.n > name.n && line.p[name.n] == ':' &&
			span_eq_nocase((Span) {line.p, name.n}, name))
		{
			*value = span_trim(span_skip(line, name.n + 1));
			return true;
		}
	}
	return false;
}

/* boundary=x or boundary="x" of a multipart Content-Type. */
static bool
find_boundary(Span type, Span *boundary)
{
	const char *at;
	Span		v;
	size_t		n = 0;

	if (type.n < 10 ||
		!span_eq_nocase((Span) {type.p, 10}, SPAN("multipart/")))
		return false;
	at = memmem(type.p, type.n, "boundary=", 9);
	if (at == NULL)
		return false;
	v = span_skip(type, (size_t) (at - type.p) + 9);
	if (v.n > 0 && v.p[0] == '"')
	{
		const char *end = memchr(v.p + 1, '"', v.n - 1);

		if (end == NULL)
			return false;
		*boundary = (Span) {v.p + 1, (size_t) (end - v.p - 1)};
		return boundary->n > 0;
	}
	while (n < v.n && v.p[n] != ';' && v.p[n] != ' ' && v.p[n] != '\r')
		n++;
	*boundary = (Span) {v.p, n};
	return n > 0;
}

/* Is line a delimiter of this boundary?  last: it ends the multipart. */
static bool
is_delimiter(Span line, Span boundary, bool *last)
{
	if (line.n < boundary.n + 2 || line.p[0] != '-' || line.p[1] != '-' ||
		memcmp(line.p + 2, boundary.p, boundary.n) != 0)
		return false;
	line = span_trim(span_skip(line, boundary.n + 2));
	*last = span_eq(line, SPAN("--"));
	return *last || line.n == 0;
}

/*
 * The next part of the multipart *s, which must stand behind a delimiter.
 * False when no delimiter closes the part.  more: another part follows.
 */
static bool
take_part(Span *s, Span boundary, Span *part, bool *more)
{
	Span		start = *s;
	Span		line;
	bool		last;

	while (next_line(s, &line))
	{
		if (is_delimiter(line, boundary, &last))
		{
			size_t		n = (size_t) (line.p - start.p);

			/* The line end before a delimiter belongs to it. */
			if (n > 0 && start.p[n - 1] == '\n')
				n--;
			if (n > 0 && start.p[n - 1] == '\r')
				n--;
			*part = (Span) {start.p, n};
			*more = !last;
			return true;
		}
	}
	return false;
}

/* Moves *s behind the first delimiter. */
static bool
skip_preamble(Span *s, Span boundary, bool *more)
{
	Span		ignored;

	return take_part(s, boundary, &ignored, more);
}

static const char *
part_header(void *who, const char *name)
{
	HeaderBlock *h = who;
	Span		value;

	if (find_header(h->http, span_of(name), &value))
		return arena_strdup(h->arena, value);
	return NULL;
}

/* Path behind the account, and query, of a request line's URL. */
static bool
split_url(Span url, const char *account, Span *path, Span *query)
{
	const char *mark;
	size_t		n = strlen(account);
	const char *scheme = memmem(url.p, url.n, "://", 3);

	if (scheme && memchr(url.p, '/', url.n) == scheme + 1)
	{
		url = span_skip(url, (size_t) (scheme - url.p) + 3);
		mark = memchr(url.p, '/', url.n);
		if (mark == NULL)
			return false;
		url = span_skip(url, (size_t) (mark - url.p));
	}
	mark = url.n ? memchr(url.p, '?', url.n) : NULL;
	*query = mark ? span_skip(url, (size_t) (mark - url.p) + 1) : SPAN("");
	*path = (Span) {url.p, mark ? (size_t) (mark - url.p) : url.n};
	if (path->n > 0 && path->p[0] == '/')
		*path = span_skip(*path, 1);
	if (path->n > n && path->p[n] == '/' && memcmp(path->p, account, n) == 0)
		*path = span_skip(*path, n + 1);
	return true;
}

/* METHOD URL HTTP/1.1 */
static bool
split_request_line(Span line, Span *method, Span *url)
{
	const char *first = line.n ? memchr(line.p, ' ', line.n) : NULL;
	const char *second;

	if (first == NULL)
		return false;
	*method = (Span) {line.p, (size_t) (first - line.p)};
	line = span_skip(line, method->n + 1);
	second = line.n ? memchr(line.p, ' ', line.n) : NULL;
	if (second == NULL)
		return false;
	*url = (Span) {line.p, (size_t) (second - line.p)};
	return span_starts(span_skip(line, url->n + 1), SPAN("HTTP/"));
}

/* One application/http part; ERR_NONE when *cmd is ready to run. */
static ErrCode
parse_command(Arena *a, Span part, const char *account, Level outer_level,
			  Command *cmd, const char **detail)
{
	HeaderBlock h = {.arena = a};
	Span		line;
	Span		method;
	Span		url;
	Span		path;
	Span		query;
	Span		id;
	ErrCode		err;

	take_headers(&part);
	if (!next_line(&part, &line) || !split_request_line(line, &method, &url) ||
		!split_url(url, account, &path, &query))
		return ERR_INVALID_INPUT;
	h.http = take_headers(&part);
	err = command_parse(a, arena_strdup(a, method), path, query, part_header,
						&h, cmd, detail);
	/* One among the part's own headers is not answered. */
	if (find_header(h.http, SPAN("Content-ID"), &id))
		cmd->content_id = arena_strdup(a, id);
	if (cmd->level == LEVEL_UNSUPPORTED)
		cmd->level = outer_level ? outer_level : LEVEL_MINIMAL;
	cmd->body = span_trim(part);
	return err;
}

/* One more operation; stops counting at the first broken one. */
static void
add_command(Arena *a, Span part, const char *account, Level outer_level,
			bool in_changeset, Batch *b)
{
	Command    *cmd = &b->commands[b->ncommands];

	if (b->err != ERR_NONE)
		return;
	if (b->ncommands == MAX_BATCH_COMMANDS)
	{
		b->ncommands--;			/* the service blames number 99 */
		b->err = ERR_INVALID_INPUT;
		b->detail = "The batch request operation exceeds the maximum 100 "
			"changes per change set.";
		return;
	}
	b->err = parse_command(a, part, account, outer_level, cmd, &b->detail);
	if (b->err == ERR_NONE && in_changeset != command_is_write(cmd->op))
		b->err = ERR_INVALID_INPUT;
	if (b->err == ERR_NONE && !in_changeset && cmd->op != OP_QUERY &&
		cmd->op != OP_GET)
		b->err = ERR_INVALID_INPUT;
	if (b->err == ERR_NONE)
		b->ncommands++;
}

static ErrCode
parse_changeset(Arena *a, Span part, Span boundary, const char *account,
				Level outer_level, Batch *b)
{
	Span		operation;
	bool		more;

	if (b->has_changeset)
	{
		b->nrefused++;			/* the first one is done all the same */
		return ERR_NONE;
	}
	if (b->ncommands > 0)
		return ERR_INVALID_INPUT;
	b->has_changeset = true;
	if (!skip_preamble(&part, boundary, &more))
		return ERR_INVALID_INPUT;
	while (more)
	{
		if (!take_part(&part, boundary, &operation, &more))
			return ERR_INVALID_INPUT;
		add_command(a, operation, account, outer_level, true, b);
	}
	return ERR_NONE;
}

ErrCode
batch_parse(Arena *a, const char *content_type, Span body,
			const char *account, Level outer_level, Batch *b)
{
	Span		boundary;
	Span		inner;
	Span		part;
	Span		type;
	bool		more;
	ErrCode		err = ERR_NONE;

	memset(b, 0, sizeof(*b));
	b->commands = arena_zalloc(a, sizeof(Command) * (MAX_BATCH_COMMANDS + 1));
	if (content_type == NULL ||
		!find_boundary(span_of(content_type), &boundary) ||
		!skip_preamble(&body, boundary, &more))
		return ERR_INVALID_INPUT;
	while (more && err == ERR_NONE)
	{
		Span		rest;

		if (!take_part(&body, boundary, &part, &more))
			return ERR_INVALID_INPUT;
		rest = part;
		type = SPAN("");
		find_header(take_headers(&rest), SPAN("Content-Type"), &type);
		if (find_boundary(type, &inner))
			err = parse_changeset(a, rest, inner, account, outer_level, b);
		else if (b->has_changeset || b->ncommands > 0)
			err = ERR_INVALID_INPUT;	/* a query must be alone */
		else
			add_command(a, part, account, outer_level, false, b);
	}
	if (err == ERR_NONE && b->ncommands == 0 && b->err == ERR_NONE)
		return ERR_INVALID_INPUT;
	return err;
}
