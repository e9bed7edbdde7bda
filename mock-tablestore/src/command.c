/*
 * command.c
 *	  From method, path, query and headers to a Command.
 *
 * Knows the shapes of resources (Tables, Tables('x'), x, x(), x(PartitionKey=
 * ..,RowKey=..), $batch) and of the headers Accept and Prefer.  Does not look
 * into bodies.  Easy to break: keys are unquoted after percent-decoding, so a
 * doubled quote may come in either form.
 */
#include "command.h"

#include <stdio.h>

#include "encode.h"
#include "timestamp.h"

#define ETAG_START "W/\"datetime'"

typedef enum Shape
{
	SHAPE_SERVICE,				/* nothing after the account */
	SHAPE_TABLES,
	SHAPE_TABLE_ONE,			/* Tables('x') */
	SHAPE_TABLE,				/* x or x() */
	SHAPE_ENTITY,
	SHAPE_BATCH
} Shape;

bool
command_is_write(Operation op)
{
	return op == OP_INSERT || op == OP_REPLACE || op == OP_MERGE ||
		op == OP_DELETE;
}

const Span *
command_param(const Command *cmd, const char *name)
{
	for (int i = 0; i < cmd->nparams; i++)
	{
		if (span_eq(cmd->params[i].name, span_of(name)))
			return &cmd->params[i].value;
	}
	return NULL;
}

void
reply_header(Reply *r, const char *name, const char *value)
{
	if (r->nheaders < MAX_REPLY_HEADERS)
		r->headers[r->nheaders++] = (Header) {name, value};
}

const char *
content_type_of(Level level, bool streaming)
{
	static const char *const types[2][4] = {
		{"application/xml;charset=utf-8",
			"application/json;odata=nometadata;charset=utf-8",
			"application/json;odata=minimalmetadata;charset=utf-8",
		"application/json;odata=fullmetadata;charset=utf-8"},
		{"application/xml;charset=utf-8",
			"application/json;odata=nometadata;streaming=true;charset=utf-8",
			"application/json;odata=minimalmetadata;streaming=true;"
			"charset=utf-8",
			"application/json;odata=fullmetadata;streaming=true;"
		"charset=utf-8"}};

	return types[streaming][level];
}

const char *
etag_of(Arena *a, int64_t ticks)
{
	char		time[TIMESTAMP_MAX];
	char	   *etag = arena_alloc(a, sizeof(ETAG_START) + TIMESTAMP_MAX + 8);
	char	   *to = stpcpy(etag, ETAG_START);

	timestamp_format(time, ticks);
	to = stpcpy(mempcpy(to, time, 13), "%3A");
	to = stpcpy(mempcpy(to, time + 14, 2), "%3A");
	stpcpy(stpcpy(to, time + 17), "'\"");
	return etag;
}

ErrCode
command_query(Arena *a, Span query, Command *cmd)
{
	while (query.n > 0)
	{
		const char *amp = memchr(query.p, '&', query.n);
		Span		item = {query.p, amp ? (size_t) (amp - query.p) : query.n};
		const char *eq = item.n ? memchr(item.p, '=', item.n) : NULL;
		Span		name = {item.p, eq ? (size_t) (eq - item.p) : item.n};
		Span		value = eq ? span_skip(item, name.n + 1) : SPAN("");
		Param	   *param = &cmd->params[cmd->nparams];

		query = span_skip(query, item.n + (amp ? 1 : 0));
		if (item.n == 0)
			continue;
		if (cmd->nparams == MAX_PARAMS ||
			!percent_decode(a, name, true, &param->name) ||
			!percent_decode(a, value, true, &param->value))
			return ERR_INVALID_INPUT;
		if (command_param(cmd, param->name.p) != NULL)
			return ERR_INVALID_INPUT;
		cmd->nparams++;
	}
	return ERR_NONE;
}

/* 'text' with '' for a quote, at the start of *s; moves behind it. */
static bool
take_quoted(Arena *a, Span *s, Span *out)
{
	char	   *to = arena_alloc(a, s->n + 1);
	size_t		n = 0;

	if (s->n == 0 || s->p[0] != '\'')
		return false;
	*s = span_skip(*s, 1);
	while (s->n > 0)
	{
		if (s->p[0] == '\'')
		{
			if (s->n < 2 || s->p[1] != '\'')
			{
				*s = span_skip(*s, 1);
				to[n] = '\0';
				*out = (Span) {to, n};
				return true;
			}
			*s = span_skip(*s, 1);
		}
		to[n++] = s->p[0];
		*s = span_skip(*s, 1);
	}
	return false;
}

/* PartitionKey='..',RowKey='..' in either order, up to the parenthesis. */
static bool
take_keys(Arena *a, Span s, Command *cmd)
{
	bool		has_pk = false;
	bool		has_rk = false;

	while (true)
	{
		Span	   *key;

		s = span_trim(s);
		if (span_starts(s, SPAN("PartitionKey=")) && !has_pk)
		{
			key = &cmd->pk;
			has_pk = true;
			s = span_skip(s, sizeof("PartitionKey=") - 1);
		}
		else if (span_starts(s, SPAN("RowKey=")) && !has_rk)
		{
			key = &cmd->rk;
			has_rk = true;
			s = span_skip(s, sizeof("RowKey=") - 1);
		}
		else
			return false;
		if (!take_quoted(a, &s, key))
			return false;
		if (s.n == 0 || s.p[0] != ',')
			break;
		s = span_skip(s, 1);
	}
	return has_pk && has_rk && span_eq(s, SPAN(")"));
}

static ErrCode
parse_path(Arena *a, Span path, Command *cmd, Shape *shape)
{
	const char *open;
	Span		rest;

	if (path.n == 0)
	{
		*shape = SHAPE_SERVICE;
		return ERR_NONE;
	}
	if (span_eq(path, SPAN("$batch")))
	{
		*shape = SHAPE_BATCH;
		return ERR_NONE;
	}
	open = memchr(path.p, '(', path.n);
	cmd->table = (Span) {path.p, open ? (size_t) (open - path.p) : path.n};
	rest = open ? span_skip(path, cmd->table.n + 1) : SPAN(")");
	if (memchr(cmd->table.p, '/', cmd->table.n) != NULL)
		return ERR_INVALID_URI;
	if (span_eq_nocase(cmd->table, SPAN("Tables")))
	{
		*shape = SHAPE_TABLES;
		if (span_eq(rest, SPAN(")")))
			return ERR_NONE;
		*shape = SHAPE_TABLE_ONE;
		if (!take_quoted(a, &rest, &cmd->table) || !span_eq(rest, SPAN(")")))
			return ERR_INVALID_INPUT;
		return ERR_NONE;
	}
	*shape = SHAPE_TABLE;
	if (span_eq(span_trim(rest), SPAN(")")))
		return ERR_NONE;
	*shape = SHAPE_ENTITY;
	return take_keys(a, rest, cmd) ? ERR_NONE : ERR_INVALID_INPUT;
}

/* "application/json;odata=nometadata" and what else one may ask for. */
static Level
level_of_type(Span type)
{
	Span		value;
	const char *odata;

	type = span_trim(type);
	if (span_starts(type, SPAN("*/*")) ||
		span_starts(type, SPAN("application/*")))
		return LEVEL_MINIMAL;
	if (type.n < 16 || !span_eq_nocase((Span) {type.p, 16},
									   SPAN("application/json")))
		return LEVEL_UNSUPPORTED;
	odata = memmem(type.p, type.n, "odata=", 6);
	if (odata == NULL)
		return LEVEL_MINIMAL;
	value = span_skip(type, (size_t) (odata - type.p) + 6);
	if (span_starts(value, SPAN("nometadata")))
		return LEVEL_NONE;
	if (span_starts(value, SPAN("minimalmetadata")))
		return LEVEL_MINIMAL;
	if (span_starts(value, SPAN("fullmetadata")))
		return LEVEL_FULL;
	return LEVEL_UNSUPPORTED;
}

/* The first type of a list that we can serve. */
static Level
level_of(const char *accept)
{
	Span		rest = span_of(accept);

	while (rest.n > 0)
	{
		const char *comma = memchr(rest.p, ',', rest.n);
		Span		item = {rest.p, comma ? (size_t) (comma - rest.p) : rest.n};
		Level		level = level_of_type(item);

		if (level != LEVEL_UNSUPPORTED)
			return level;
		rest = span_skip(rest, item.n + (comma ? 1 : 0));
	}
	return LEVEL_UNSUPPORTED;
}

static void
read_headers(HeaderLookup header, void *who, Command *cmd)
{
	const Span *format = command_param(cmd, "$format");
	const char *prefer = header(who, "Prefer");

	if (format && span_eq(*format, SPAN("json")))
		cmd->level = LEVEL_MINIMAL;
	else
		cmd->level = level_of(format ? format->p : header(who, "Accept"));
	cmd->if_match = header(who, "If-Match");
	cmd->has_if_none_match = header(who, "If-None-Match") != NULL;
	cmd->content_type = header(who, "Content-Type");
	cmd->has_prefer = prefer != NULL;
	cmd->no_content = prefer && strstr(prefer, "return-no-content") != NULL;
}

static ErrCode
effective_method(const char **method, HeaderLookup header, void *who)
{
	static const char *const allowed[] = {"MERGE", "PATCH", "PUT", "DELETE",
	"GET"};
	const char *x = header(who, "X-HTTP-Method");

	if (x == NULL)
		return ERR_NONE;
	if (strcmp(*method, "POST") != 0)
		return ERR_XMETHOD_NOT_USING_POST;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
	{
		if (strcasecmp(x, allowed[i]) == 0)
		{
			*method = allowed[i];
			return ERR_NONE;
		}
	}
	return ERR_XMETHOD_INCORRECT_VALUE;
}

static Operation
operation_of(const char *m, Shape shape)
{
	bool		get = strcmp(m, "GET") == 0 || strcmp(m, "HEAD") == 0;
	bool		post = strcmp(m, "POST") == 0;

	switch (shape)
	{
		case SHAPE_SERVICE:
			break;
		case SHAPE_TABLES:
			return get ? OP_TABLE_LIST : post ? OP_TABLE_CREATE : OP_NONE;
		case SHAPE_TABLE_ONE:
			return get ? OP_TABLE_GET :
				strcmp(m, "DELETE") == 0 ? OP_TABLE_DELETE : OP_NONE;
		case SHAPE_TABLE:
			return get ? OP_QUERY : post ? OP_INSERT : OP_NONE;
		case SHAPE_ENTITY:
			if (strcmp(m, "PUT") == 0)
				return OP_REPLACE;
			if (strcmp(m, "MERGE") == 0 || strcmp(m, "PATCH") == 0)
				return OP_MERGE;
			return get ? OP_GET :
				strcmp(m, "DELETE") == 0 ? OP_DELETE : OP_NONE;
		case SHAPE_BATCH:
			return post ? OP_BATCH : OP_NONE;
	}
	return OP_NONE;
}

/* What comp= and restype= ask for: OP_NONE when the method does not fit. */
static ErrCode
administration_of(const char *m, Shape shape, Command *cmd)
{
	const Span *comp = command_param(cmd, "comp");
	const Span *restype = command_param(cmd, "restype");
	bool		get = strcmp(m, "GET") == 0;
	bool		head = strcmp(m, "HEAD") == 0;
	bool		put = strcmp(m, "PUT") == 0;

	if (comp == NULL)
		return ERR_QUERY_PARAMETER;
	if (shape == SHAPE_TABLE && span_eq_nocase(*comp, SPAN("acl")))
		cmd->op = get || head ? OP_ACL_GET : put ? OP_ACL_SET : OP_NONE;
	else if (shape != SHAPE_SERVICE || restype == NULL ||
			 !span_eq_nocase(*restype, SPAN("service")))
		return ERR_QUERY_PARAMETER;
	else if (span_eq_nocase(*comp, SPAN("properties")))
		cmd->op = get ? OP_SERVICE_GET : put ? OP_SERVICE_SET : OP_NONE;
	else if (span_eq_nocase(*comp, SPAN("stats")))
		cmd->op = get ? OP_SERVICE_STATS : OP_NONE;
	else
		return ERR_QUERY_PARAMETER;
	cmd->level = LEVEL_UNSUPPORTED;	/* which means XML */
	return cmd->op == OP_NONE ? ERR_METHOD_NOT_ALLOWED : ERR_NONE;
}

/* OData's options other than the four the service has. */
static bool
has_unimplemented(const Command *cmd)
{
	static const char *const known[] = {"$filter", "$select", "$top",
	"$format"};

	for (int i = 0; i < cmd->nparams; i++)
	{
		const char *name = cmd->params[i].name.p;
		size_t		k = 0;

		while (k < 4 && strcmp(name, known[k]) != 0)
			k++;
		if (name[0] == '$' && k == 4)
			return true;
	}
	return false;
}

/* path starts behind "/account/" and is still percent-encoded. */
ErrCode
command_parse(Arena *a, const char *method, Span path, Span query,
			  HeaderLookup header, void *who, Command *cmd,
			  const char **detail)
{
	Shape		shape;
	Span		decoded;
	size_t		units;
	ErrCode		err = command_query(a, query, cmd);

	read_headers(header, who, cmd);
	if (err == ERR_NONE && (!percent_decode(a, path, false, &decoded) ||
							!utf16_length(decoded, &units)))
		err = ERR_INVALID_INPUT;
	if (err == ERR_NONE)
		err = parse_path(a, decoded, cmd, &shape);
	if (err == ERR_NONE)
		err = effective_method(&method, header, who);
	if (err != ERR_NONE)
		return err;
	if (command_param(cmd, "comp") || command_param(cmd, "restype"))
		return administration_of(method, shape, cmd);
	cmd->op = operation_of(method, shape);
	if (has_unimplemented(cmd))
		return ERR_NOT_IMPLEMENTED;
	if (shape == SHAPE_SERVICE)
		return ERR_INVALID_URI;
	return cmd->op == OP_NONE ? ERR_METHOD_NOT_ALLOWED : ERR_NONE;
}
