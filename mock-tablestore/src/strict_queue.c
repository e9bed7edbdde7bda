/*
 * strict_queue.c
 *	  --strict for the Queue service.
 *
 * The rules have the names of the table service's where they say the same.
 * Called by strict_check() only, for requests that are right otherwise.
 */
#include "strict.h"

#include <stdlib.h>

/* With it came the update of messages and their time of visibility. */
#define FIRST_UPDATE_VERSION "2011-08-18"
/* With it messages could live for longer than a week. */
#define FIRST_LONG_TTL_VERSION "2017-07-29"
#define WEEK_SECONDS (7 * 24 * 3600)
#define META_PREFIX "x-ms-meta-"

/* The official Python client sends an x-ms-meta beside those with names. */
static const char *const known_headers[] = {"Accept", "Accept-Charset",
	"Accept-Encoding", "Accept-Language", "Authorization", "Cache-Control",
	"Connection", "Content-Encoding", "Content-Language", "Content-Length",
	"Content-MD5", "Content-Type", "Date", "Expect", "Host", "Keep-Alive",
	"Origin", "traceparent", "tracestate", "Transfer-Encoding", "User-Agent",
	"x-ms-client-request-id", "x-ms-date", "x-ms-return-client-request-id",
"x-ms-meta", "x-ms-useragent", "x-ms-version", NULL};

static const char *const service_options[] = {"restype", "comp", NULL};
static const char *const list_options[] = {"comp", "prefix", "marker",
"maxresults", "include", NULL};
static const char *const comp_options[] = {"comp", NULL};
static const char *const put_options[] = {"visibilitytimeout", "messagettl",
NULL};
static const char *const get_options[] = {"numofmessages",
"visibilitytimeout", NULL};
static const char *const peek_options[] = {"peekonly", "numofmessages", NULL};
static const char *const update_options[] = {"popreceipt",
"visibilitytimeout", NULL};
static const char *const delete_options[] = {"popreceipt", NULL};

/* The options of an operation; NULL: it has none of its own. */
static const char *const *
options_of(QueueOp op)
{
	switch (op)
	{
		case QUEUE_LIST:
			return list_options;
		case QUEUE_METADATA_GET:
		case QUEUE_METADATA_SET:
		case QUEUE_ACL_GET:
		case QUEUE_ACL_SET:
			return comp_options;
		case QUEUE_SERVICE_GET:
		case QUEUE_SERVICE_SET:
		case QUEUE_SERVICE_STATS:
			return service_options;
		case MESSAGE_PUT:
			return put_options;
		case MESSAGE_GET:
			return get_options;
		case MESSAGE_PEEK:
			return peek_options;
		case MESSAGE_UPDATE:
			return update_options;
		case MESSAGE_DELETE:
			return delete_options;
		case QUEUE_NONE:
		case QUEUE_CREATE:
		case QUEUE_DELETE:
		case MESSAGE_CLEAR:
			break;
	}
	return NULL;
}

static bool
takes_body(QueueOp op)
{
	return op == QUEUE_ACL_SET || op == QUEUE_SERVICE_SET ||
		op == MESSAGE_PUT || op == MESSAGE_UPDATE;
}

static ErrCode
check_version(Request *r)
{
	const char *version = r->header(r->who, "x-ms-version");
	const Span *ttl = command_param(&r->cmd, "messagettl");

	if (version == NULL)
		return sas_is_there(&r->cmd) ? ERR_NONE :
			strict_refuse(r, ERR_MISSING_HEADER, "version",
						  "the header x-ms-version is missing.");
	if (strcmp(version, FIRST_UPDATE_VERSION) < 0 &&
		(r->queue.op == MESSAGE_UPDATE ||
		 (r->queue.op == MESSAGE_PUT &&
		  command_param(&r->cmd, "visibilitytimeout"))))
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE, "version",
							 "this needs an x-ms-version of "
							 FIRST_UPDATE_VERSION " or later.");
	if (ttl && strcmp(version, FIRST_LONG_TTL_VERSION) < 0 &&
		(ttl->p[0] == '-' || strtol(ttl->p, NULL, 10) > WEEK_SECONDS))
		return strict_refuse(r, ERR_QUERY_PARAMETER_RANGE, "version",
							 "a messagettl of more than 7 days needs an "
							 "x-ms-version of " FIRST_LONG_TTL_VERSION
							 " or later.");
	return ERR_NONE;
}

static ErrCode
check_headers(Request *r)
{
	QueueOp		op = r->queue.op;
	const char *unknown = strict_unknown_header(r, known_headers,
												META_PREFIX);

	if (unknown)
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE, "unknown-header",
							 "the service knows no header %s.", unknown);
	if (r->queue.metadata.n > 0 && op != QUEUE_CREATE &&
		op != QUEUE_METADATA_SET)
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE, "metadata",
							 META_PREFIX "... means nothing to this "
							 "operation.");
	if (r->body_bytes > 0 && !takes_body(op))
		return strict_refuse(r, ERR_INVALID_HEADER_VALUE, "body",
							 "this operation has no body.");
	return ERR_NONE;
}

static ErrCode
check_options(Request *r)
{
	const Command *cmd = &r->cmd;
	const char *const *own = options_of(r->queue.op);
	const Span *include = command_param(cmd, "include");

	for (int i = 0; i < cmd->nparams; i++)
	{
		const char *name = cmd->params[i].name.p;

		if (!strict_known(own, name, false) && strcmp(name, "timeout") != 0 &&
			!strict_known(strict_signature_options, name, false))
			return strict_refuse(r, ERR_QUERY_PARAMETER, "query-option",
								 "this operation has no query option %s.",
								 name);
	}
	if (r->queue.queue.n == 0 && r->queue.op != QUEUE_LIST &&
		command_param(cmd, "restype") == NULL)
		return strict_refuse(r, ERR_QUERY_PARAMETER_MISSING, "query-option",
							 "restype=service is missing.");
	if (include && !span_eq(*include, SPAN("metadata")))
		return strict_refuse(r, ERR_QUERY_PARAMETER, "include",
							 "include can only be metadata.");
	return strict_number(r, cmd, "timeout", "timeout", STRICT_MAX_TIMEOUT);
}

ErrCode
strict_check_queue(Request *r)
{
	ErrCode		err = check_version(r);

	if (err == ERR_NONE)
		err = check_headers(r);
	return err == ERR_NONE ? check_options(r) : err;
}
