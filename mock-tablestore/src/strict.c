/*
 * strict.c
 *	  --strict: what the service tolerates but documents as wrong.
 *
 * Every refusal names its rule, so that a client's author knows what to
 * change.  Only adds refusals: what is refused without --strict never gets
 * here.
 */
#include "strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yajl/yajl_tree.h>

#include "filter.h"

#define MAX_COMPARISONS 15

static bool enabled;

static const char *const known_headers[] = {"Accept", "Accept-Charset",
	"Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control",
	"Connection", "Content-Encoding", "Content-Length", "Content-MD5",
	"Content-Type", "DataServiceVersion", "Date", "Expect", "Host",
	"If-Match", "Keep-Alive", "MaxDataServiceVersion", "Origin", "Prefer",
	"traceparent", "tracestate", "Transfer-Encoding", "User-Agent",
	"X-HTTP-Method", "x-ms-useragent",
	"x-ms-client-request-id", "x-ms-date", "x-ms-return-client-request-id",
"x-ms-version", NULL};

/* Options of a signature, of every operation, and of some. */
const char *const strict_signature_options[] = {"sv", "tn", "sp", "st", "se",
	"si", "sip", "spr", "spk", "srk", "epk", "erk", "sig", "ss", "srt", "ses",
NULL};
static const char *const common_options[] = {"timeout", "$format", NULL};
static const char *const query_options[] = {"$filter", "$select", "$top",
"NextPartitionKey", "NextRowKey", NULL};
static const char *const list_options[] = {"$filter", "$top", "NextTableName",
NULL};
static const char *const get_options[] = {"$select", NULL};
static const char *const admin_options[] = {"comp", "restype", NULL};

void
strict_enable(void)
{
	enabled = true;
}

bool
strict_on(void)
{
	return enabled;
}

bool
strict_known(const char *const *names, const char *name, bool fold)
{
	for (; names && *names; names++)
	{
		if ((fold ? strcasecmp(*names, name) : strcmp(*names, name)) == 0)
			return true;
	}
	return false;
}

ErrCode
strict_refuse(Request *r, ErrCode err, const char *rule, const char *fmt,...)
{
	char		text[512];
	va_list		ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	r->reply.detail = arena_printf(&r->arena, "Strict rule \"%s\": %s", rule,
								   text);
	return err;
}

typedef struct HeaderCheck
{
	const char *const *known;
	const char *prefix;			/* of more that are known; NULL: none */
	const char *unknown;		/* the first one */
} HeaderCheck;

static void
check_header(void *closure, const char *name, const char *value)
{
	HeaderCheck *check = closure;

	if (check->unknown == NULL && !strict_known(check->known, name, true) &&
		(check->prefix == NULL ||
		 strncasecmp(name, check->prefix, strlen(check->prefix)) != 0))
		check->unknown = name;
}

const char *
strict_unknown_header(const Request *r, const char *const *known,
					  const char *prefix)
{
	HeaderCheck check = {known, prefix, NULL};

	r->each_header(r->who, check_header, &check);
	return check.unknown;
}

static ErrCode
check_versions(Request *r)
{
	const char *version = r->header(r->who, "x-ms-version");
	const char *data = r->header(r->who, "DataServiceVersion");
	const char *most = r->header(r->who, "MaxDataServiceVersion");
	bool		admin = command_param(&r->cmd, "comp") != NULL;

	if (version == NULL && !sas_is_there(&r->cmd))
		return strict_refuse(r, ERR_MISSING_HEADER, "version",
							 "the header x-ms-version is missing.");
	/* The official Python client deletes tables without. */
	if (admin || r->cmd.op == OP_TABLE_DELETE)
		return ERR_NONE;
	if (data == NULL && most == NULL)
		return strict_refuse(r, ERR_MISSING_HEADER, "data-service-version",
							 "one of the headers DataServiceVersion and "
							 "MaxDataServiceVersion is needed.");
	if ((data && strncmp(data, "3.0", 3) != 0) ||
		(most && strncmp(most, "3.0", 3) != 0))
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE,
							 "data-service-version", "DataServiceVersion and "
							 "MaxDataServiceVersion must be 3.0 for JSON.");
	return ERR_NONE;
}

static bool
takes_body(Operation op)
{
	return op == OP_INSERT || op == OP_REPLACE || op == OP_MERGE ||
		op == OP_BATCH || op == OP_TABLE_CREATE || op == OP_ACL_SET ||
		op == OP_SERVICE_SET;
}

static ErrCode
check_headers(Request *r)
{
	const char *prefer = r->header(r->who, "Prefer");
	Operation	op = r->cmd.op;
	const char *unknown = strict_unknown_header(r, known_headers, NULL);

	if (unknown)
		return strict_refuse(r, ERR_INVALID_INPUT, "unknown-header",
							 "the service knows no header %s.", unknown);
	if (r->cmd.if_match && op != OP_REPLACE && op != OP_MERGE &&
		op != OP_DELETE && op != OP_TABLE_DELETE)
		return strict_refuse(r, ERR_INVALID_INPUT, "if-match",
							 "If-Match means nothing to this operation.");
	if (prefer && strcmp(prefer, "return-content") != 0 &&
		strcmp(prefer, "return-no-content") != 0)
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE, "prefer",
							 "Prefer is return-content or return-no-content.");
	if (prefer && op != OP_INSERT && op != OP_TABLE_CREATE)
		return strict_refuse(r, ERR_INVALID_INPUT, "prefer",
							 "Prefer means nothing to this operation.");
	if (r->body_bytes > 0 && !takes_body(op))
		return strict_refuse(r, ERR_INVALID_INPUT, "body",
							 "this operation has no body.");
	if (r->body_bytes > 0 && r->cmd.content_type == NULL &&
		op != OP_ACL_SET && op != OP_SERVICE_SET)
		return strict_refuse(r, ERR_MISSING_HEADER, "content-type",
							 "a body needs a Content-Type.");
	return ERR_NONE;
}

ErrCode
strict_number(Request *r, const Command *cmd, const char *name,
			  const char *rule, long max)
{
	const Span *text = command_param(cmd, name);
	long		n;

	if (text == NULL)
		return ERR_NONE;
	n = strtol(text->p, NULL, 10);
	if (text->n == 0 || text->n > 4 || text->p[0] == '0' ||
		strspn(text->p, "0123456789") != text->n || n > max)
		return strict_refuse(r, ERR_QUERY_PARAMETER, rule,
							 "%s must be between 1 and %ld.", name, max);
	return ERR_NONE;
}

static int
count_comparisons(const FilterNode *node)
{
	if (node == NULL)
		return 0;
	if (node->kind == FILTER_CMP)
		return 1;
	return count_comparisons(node->left) + count_comparisons(node->right);
}

static ErrCode
check_filter(Request *r, const Command *cmd)
{
	const Span *text = command_param(cmd, "$filter");
	const char *detail = NULL;
	Filter		filter;
	int			n;

	/* A table's list has filters of its own; wrong ones are found later. */
	if (text == NULL || cmd->op != OP_QUERY ||
		filter_parse(&r->arena, *text, &filter, &detail) != ERR_NONE)
		return ERR_NONE;
	n = count_comparisons(filter.root);
	if (n > MAX_COMPARISONS)
		return strict_refuse(r, ERR_INVALID_INPUT, "comparisons", "a $filter "
							 "has at most %d comparisons, this one %d.",
							 MAX_COMPARISONS, n);
	return ERR_NONE;
}

/* Names separated by commas, none of them empty or twice. */
static ErrCode
check_select(Request *r, const Command *cmd)
{
	const Span *text = command_param(cmd, "$select");
	const char *start;

	if (text == NULL)
		return ERR_NONE;
	start = text->p;
	while (true)
	{
		size_t		n = strcspn(start, ",");
		Span		name = span_trim((Span) {start, n});
		const char *other = text->p;

		if (name.n == 0)
			return strict_refuse(r, ERR_INVALID_INPUT, "select",
								 "$select has an empty name.");
		for (; other < start; other += strcspn(other, ",") + 1)
		{
			if (span_eq(span_trim((Span) {other, strcspn(other, ",")}), name))
				return strict_refuse(r, ERR_INVALID_INPUT, "select",
									 "$select names %.*s twice.", (int) name.n,
									 name.p);
		}
		if (start[n] == '\0')
			return ERR_NONE;
		start += n + 1;
	}
}

static ErrCode
check_options(Request *r, const Command *cmd)
{
	const char *const *own = cmd->op == OP_QUERY ? query_options :
		cmd->op == OP_GET ? get_options :
		cmd->op == OP_TABLE_LIST ? list_options :
		cmd->op >= OP_SERVICE_GET ? admin_options : NULL;
	ErrCode		err;

	for (int i = 0; i < cmd->nparams; i++)
	{
		const char *name = cmd->params[i].name.p;

		if (!strict_known(own, name, false) &&
			!strict_known(common_options, name, false) &&
			!strict_known(strict_signature_options, name, false))
			return strict_refuse(r, ERR_QUERY_PARAMETER, "query-option",
								 "this operation has no query option %s.", name);
	}
	if (command_param(cmd, "NextRowKey") &&
		!command_param(cmd, "NextPartitionKey"))
		return strict_refuse(r, ERR_QUERY_PARAMETER, "continuation",
							 "NextRowKey needs NextPartitionKey.");
	err = strict_number(r, cmd, "timeout", "timeout", STRICT_MAX_TIMEOUT);
	if (err == ERR_NONE)
		err = strict_number(r, cmd, "$top", "top", 1000);
	if (err == ERR_NONE)
		err = check_filter(r, cmd);
	return err == ERR_NONE ? check_select(r, cmd) : err;
}

/* x@odata.type without an x says nothing and is most likely misspelt. */
static const char *
stray_annotation(Arena *a, yajl_val object)
{
	static const char suffix[] = "@odata.type";

	for (size_t i = 0; i < YAJL_GET_OBJECT(object)->len; i++)
	{
		const char *key = YAJL_GET_OBJECT(object)->keys[i];
		size_t		n = strlen(key);
		const char *path[] = {NULL, NULL};

		if (n < sizeof(suffix) ||
			strcmp(key + n - (sizeof(suffix) - 1), suffix) != 0)
			continue;
		path[0] = arena_strdup(a, (Span) {key, n - (sizeof(suffix) - 1)});
		if (yajl_tree_get(object, path, yajl_t_any) == NULL)
			return arena_strdup(a, span_of(key));
	}
	return NULL;
}

static ErrCode
check_entity(Request *r, const Command *cmd)
{
	char		why[64];
	const char *stray = NULL;
	yajl_val	v;

	if (!command_is_write(cmd->op) || cmd->op == OP_DELETE)
		return ERR_NONE;
	v = yajl_tree_parse(arena_strdup(&r->arena, cmd->body), why, sizeof(why));
	if (YAJL_IS_OBJECT(v))
		stray = stray_annotation(&r->arena, v);
	yajl_tree_free(v);
	if (stray)
		return strict_refuse(r, ERR_INVALID_INPUT, "annotation",
							 "there is no property for %s.", stray);
	return ERR_NONE;
}

ErrCode
strict_check(Request *r)
{
	ErrCode		err;

	if (r->service == SERVICE_QUEUE)
		return strict_check_queue(r);
	err = check_versions(r);
	if (err == ERR_NONE)
		err = check_headers(r);
	if (err == ERR_NONE)
		err = check_options(r, &r->cmd);
	if (err == ERR_NONE)
		err = check_entity(r, &r->cmd);
	for (int i = 0; i < r->batch.ncommands && err == ERR_NONE; i++)
	{
		err = check_options(r, &r->batch.commands[i]);
		if (err == ERR_NONE)
			err = check_entity(r, &r->batch.commands[i]);
	}
	return err;
}
