/*
 * queue_command.c
 *	  From method, path and query of a queue request to a QueueCommand.
 *
 * Knows the shapes "", QUEUE, QUEUE/messages and QUEUE/messages/ID, what
 * comp= selects, and which permission of a signature each operation needs.
 */
#include "queue.h"

#include <ctype.h>
#include <stdlib.h>

#include "encode.h"

#define MIN_QUEUE_NAME 3
#define MAX_QUEUE_NAME 63

static ErrCode
check_name(Span name, const char **detail)
{
	if (name.n < MIN_QUEUE_NAME || name.n > MAX_QUEUE_NAME)
	{
		*detail = "The specified resource name length is not within the "
			"permissible limits.";
		return ERR_OUT_OF_RANGE;
	}
	for (size_t i = 0; i < name.n; i++)
	{
		char		c = name.p[i];
		bool		dash = c == '-';

		if (!dash && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
			return ERR_INVALID_RESOURCE_NAME;
		if (dash && (i == 0 || i == name.n - 1 || name.p[i - 1] == '-'))
			return ERR_INVALID_RESOURCE_NAME;
	}
	return ERR_NONE;
}

static bool
is(const Span *value, const char *text)
{
	return value && span_eq_nocase(*value, span_of(text));
}

static QueueOp
service_op(const char *m, const Command *cmd)
{
	const Span *comp = command_param(cmd, "comp");
	bool		get = strcmp(m, "GET") == 0;

	if (is(comp, "list"))
		return get ? QUEUE_LIST : QUEUE_NONE;
	if (is(comp, "properties"))
		return get ? QUEUE_SERVICE_GET :
			strcmp(m, "PUT") == 0 ? QUEUE_SERVICE_SET : QUEUE_NONE;
	if (is(comp, "stats"))
		return get ? QUEUE_SERVICE_STATS : QUEUE_NONE;
	return QUEUE_NONE;
}

static QueueOp
queue_op(const char *m, const Command *cmd)
{
	const Span *comp = command_param(cmd, "comp");
	bool		get = strcmp(m, "GET") == 0 || strcmp(m, "HEAD") == 0;
	bool		put = strcmp(m, "PUT") == 0;

	if (is(comp, "metadata"))
		return get ? QUEUE_METADATA_GET : put ? QUEUE_METADATA_SET :
			QUEUE_NONE;
	if (is(comp, "acl"))
		return get ? QUEUE_ACL_GET : put ? QUEUE_ACL_SET : QUEUE_NONE;
	if (put)
		return QUEUE_CREATE;
	return strcmp(m, "DELETE") == 0 ? QUEUE_DELETE : QUEUE_NONE;
}

static QueueOp
messages_op(const char *m, const Command *cmd)
{
	if (strcmp(m, "GET") == 0)
		return is(command_param(cmd, "peekonly"), "true") ? MESSAGE_PEEK :
			MESSAGE_GET;
	if (strcmp(m, "POST") == 0)
		return MESSAGE_PUT;
	return strcmp(m, "DELETE") == 0 ? MESSAGE_CLEAR : QUEUE_NONE;
}

static QueueOp
message_op(const char *m)
{
	return strcmp(m, "PUT") == 0 ? MESSAGE_UPDATE :
		strcmp(m, "DELETE") == 0 ? MESSAGE_DELETE : QUEUE_NONE;
}

/* Metadata of x-ms-meta- headers; names keep their case. */
static void
put_metadata(void *closure, const char *name, const char *value)
{
	if (strncasecmp(name, "x-ms-meta-", 10) == 0)
		buf_printf(closure, "%s:%s\n", name + 10, value);
}

/* Names of metadata are C# identifiers, values printable ASCII. */
static ErrCode
check_metadata(Span text)
{
	bool		first = true;
	bool		in_name = true;

	for (size_t i = 0; i < text.n; i++)
	{
		unsigned char c = (unsigned char) text.p[i];

		if (c == '\n')
		{
			first = in_name = true;
			continue;
		}
		if (in_name && c == ':')
		{
			if (first)
				return ERR_EMPTY_METADATA_KEY;
			in_name = false;
		}
		else if (!in_name && (c < ' ' || c > '~') && c != '\t')
			return ERR_METADATA;
		else if (in_name && !(isalpha(c) || c == '_' ||
							  (isdigit(c) && !first)))
			return ERR_METADATA;
		first = false;
	}
	return ERR_NONE;
}

/* Is comp= there, and nothing that queues or the service have? */
static bool
is_unknown(const Span *comp, bool service)
{
	if (comp == NULL)
		return false;
	if (service)
		return !is(comp, "list") && !is(comp, "properties") &&
			!is(comp, "stats");
	return !is(comp, "metadata") && !is(comp, "acl");
}

/* path starts behind "/account/" and is still percent-encoded. */
static ErrCode
parse_path(Arena *a, const char *method, Span path, Command *cmd,
		   QueueCommand *q)
{
	Span		decoded;
	const char *slash;
	size_t		units;

	if (!percent_decode(a, path, false, &decoded) ||
		!utf16_length(decoded, &units))
		return ERR_INVALID_URI;
	while (decoded.n > 0 && decoded.p[decoded.n - 1] == '/')
		decoded.n--;
	slash = decoded.n ? memchr(decoded.p, '/', decoded.n) : NULL;
	q->queue = (Span) {decoded.p,
		slash ? (size_t) (slash - decoded.p) : decoded.n};
	if (q->queue.n == 0)
	{
		q->op = service_op(method, cmd);
		if (command_param(cmd, "comp") == NULL)
			return ERR_INVALID_URI;
		return is_unknown(command_param(cmd, "comp"), true) ?
			ERR_QUERY_PARAMETER : ERR_NONE;
	}
	if (slash == NULL)
	{
		q->op = queue_op(method, cmd);
		return is_unknown(command_param(cmd, "comp"), false) ?
			ERR_QUERY_PARAMETER : ERR_NONE;
	}
	decoded = span_skip(decoded, q->queue.n + 1);
	if (!span_starts(decoded, SPAN("messages")))
		return ERR_INVALID_URI;
	decoded = span_skip(decoded, 8);
	if (decoded.n == 0)
		q->op = messages_op(method, cmd);
	else if (decoded.p[0] != '/' ||
			 memchr(decoded.p + 1, '/', decoded.n - 1) != NULL)
		return ERR_INVALID_URI;
	else
	{
		q->message = span_skip(decoded, 1);
		q->op = message_op(method);
	}
	return ERR_NONE;
}

ErrCode
queue_parse(Arena *a, const char *method, Span path, Span query,
			HeaderEach each, void *who, Command *cmd, QueueCommand *q,
			const char **detail)
{
	Buf			metadata = {0};
	ErrCode		err = command_query(a, query, cmd);

	if (err == ERR_NONE)
		err = parse_path(a, method, path, cmd, q);
	cmd->table = q->queue;
	if (err != ERR_NONE)
		return err;
	if (q->op == QUEUE_NONE)
		return ERR_VERB;
	if (q->queue.n > 0)
		err = check_name(q->queue, detail);
	each(who, put_metadata, &metadata);
	q->metadata = arena_span(a, (Span) {metadata.p, metadata.n});
	buf_free(&metadata);
	return err == ERR_NONE ? check_metadata(q->metadata) : err;
}

bool
queue_op_writes(QueueOp op)
{
	switch (op)
	{
		case QUEUE_LIST:
		case QUEUE_METADATA_GET:
		case QUEUE_ACL_GET:
		case QUEUE_SERVICE_GET:
		case QUEUE_SERVICE_STATS:
		case MESSAGE_PEEK:
		case QUEUE_NONE:
			return false;
		default:
			return true;
	}
}

ErrCode
queue_allows(const Grant *g, QueueOp op)
{
	if (g == NULL)
		return ERR_NONE;
	switch (op)
	{
		case QUEUE_LIST:
			return grant_check(g, 's', "l", NULL);
		case QUEUE_SERVICE_GET:
		case QUEUE_SERVICE_STATS:
			return grant_check(g, 's', "r", NULL);
		case QUEUE_SERVICE_SET:
			return grant_check(g, 's', "w", NULL);
		case QUEUE_CREATE:
			return grant_check(g, 'c', "c w", NULL);
		case QUEUE_DELETE:
			return grant_check(g, 'c', "d", NULL);
		case QUEUE_METADATA_GET:
			return grant_check(g, 'c', "r", "r");
		case QUEUE_METADATA_SET:
			return grant_check(g, 'c', "w", NULL);
		case MESSAGE_PUT:
			return grant_check(g, 'o', "a", "a");
		case MESSAGE_GET:
		case MESSAGE_DELETE:
			return grant_check(g, 'o', "p", "p");
		case MESSAGE_PEEK:
			return grant_check(g, 'o', "r", "r");
		case MESSAGE_CLEAR:
			return grant_check(g, 'o', "d", NULL);
		case MESSAGE_UPDATE:
			return grant_check(g, 'o', "u", "u");
		case QUEUE_ACL_GET:
		case QUEUE_ACL_SET:
		case QUEUE_NONE:
			break;
	}
	return ERR_AUTHORIZATION_FAILURE;
}

ErrCode
queue_number(Arena *a, const Command *cmd, const char *name, int64_t low,
			 int64_t high, int64_t fallback, int64_t *value,
			 const char **detail)
{
	const Span *text = command_param(cmd, name);
	char	   *end;

	*value = fallback;
	if (text == NULL)
		return ERR_NONE;
	if (text->n == 0 || text->n > 12)
		return ERR_QUERY_PARAMETER;
	*value = strtoll(arena_strdup(a, *text), &end, 10);
	if (*end || isspace((unsigned char) text->p[0]))
		return ERR_QUERY_PARAMETER;
	if (*value >= low && *value <= high)
		return ERR_NONE;
	*detail = arena_printf(a, "One of the query parameters specified in the "
						   "request URI is outside the permissible range. %s "
						   "must lie between %lld and %lld.", name,
						   (long long) low, (long long) high);
	return ERR_QUERY_PARAMETER_RANGE;
}
