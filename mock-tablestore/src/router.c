/*
 * router.c
 *	  A request between the HTTP library and the operations.
 *
 * Finds the account (path style, or host style when the Host's first label is
 * an account), checks the signature, parses the command and hands it to its
 * operation.  Errors become bodies here and nowhere else.
 */
#include "router.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bearer.h"
#include "cors.h"
#include "credential.h"
#include "encode.h"
#include "limits.h"
#include "logfile.h"
#include "operation.h"
#include "partition.h"
#include "properties.h"
#include "strict.h"
#include "timestamp.h"

#define VERSION_UPSERT "2011-08-18"
#define VERSION_JSON "2013-08-15"
#define MAX_TIMEOUT_SECONDS 30

static Store *the_store;

void
router_start(Store *store)
{
	the_store = store;
	cors_changed(store);
}

/* Unique within this process and unlike those of any other run. */
static void
make_request_id(char out[37])
{
	static _Atomic uint64_t counter;
	static _Atomic uint64_t seed;
	uint8_t		id[16];
	uint64_t	n = ++counter;

	if (seed == 0)
		seed = (uint64_t) timestamp_now() ^ (uint64_t) getpid() << 48;
	for (int i = 0; i < 8; i++)
	{
		id[i] = (uint8_t) (seed >> (8 * (7 - i)));
		id[15 - i] = (uint8_t) (n >> (8 * i));
	}
	guid_format(out, id);
}

static CounterClass
class_of(Operation op)
{
	switch (op)
	{
		case OP_TABLE_LIST:
		case OP_TABLE_GET:
		case OP_TABLE_CREATE:
		case OP_TABLE_DELETE:
		case OP_SERVICE_GET:
		case OP_SERVICE_SET:
		case OP_SERVICE_STATS:
		case OP_ACL_GET:
		case OP_ACL_SET:
			return CLASS_TABLE;
		case OP_QUERY:
			return CLASS_QUERY;
		case OP_GET:
			return CLASS_GET;
		case OP_INSERT:
			return CLASS_INSERT;
		case OP_REPLACE:
		case OP_MERGE:
			return CLASS_UPDATE;
		case OP_DELETE:
			return CLASS_DELETE;
		case OP_BATCH:
			return CLASS_BATCH;
		case OP_NONE:
			break;
	}
	return CLASS_OTHER;
}

/* scheme://host, and the account where it is in the path. */
static const char *
base_url(Request *r, const char *host, Span account)
{
	const char *scheme = r->origin.https ? "https://" : "http://";
	char	   *url = arena_alloc(&r->arena, 8 + strlen(host) + account.n + 2);
	char	   *to = stpcpy(stpcpy(url, scheme), host);

	if (account.n > 0)
		*to++ = '/';
	*(char *) mempcpy(to, account.p, account.n) = '\0';
	return url;
}

/*
 * Split the URI and find the account.  *rest is the path behind "/account/",
 * still encoded; the result is NULL when no such account exists.
 */
static const Account *
find_account(Request *r, Span *path, Span *query, Span *rest)
{
	Span		uri = span_of(r->uri);
	const char *host = r->header(r->who, "Host");
	const char *mark;
	const Account *account;
	Span		label;

	if (span_starts(uri, SPAN("http://")) ||
		span_starts(uri, SPAN("https://")))
	{
		mark = memchr(uri.p + 8, '/', uri.n - 8);
		uri = mark ? span_skip(uri, (size_t) (mark - uri.p)) : SPAN("/");
	}
	mark = memchr(uri.p, '?', uri.n);
	*path = (Span) {uri.p, mark ? (size_t) (mark - uri.p) : uri.n};
	*query = mark ? span_skip(uri, path->n + 1) : SPAN("");
	*rest = path->n ? span_skip(*path, 1) : *path;
	host = host ? host : "localhost";
	label = (Span) {host, strcspn(host, ".")};
	account = host[label.n] == '.' ? account_find(label) : NULL;
	if (account)
	{
		r->context.base_url = base_url(r, host, SPAN(""));
		r->secondary = !span_eq(label, span_of(account_name(account)));
		return account;
	}
	mark = rest->n ? memchr(rest->p, '/', rest->n) : NULL;
	label = (Span) {rest->p, mark ? (size_t) (mark - rest->p) : rest->n};
	*rest = span_skip(*rest, label.n + (mark ? 1 : 0));
	r->context.base_url = base_url(r, host, label);
	account = account_find(label);
	r->secondary = account && !span_eq(label, span_of(account_name(account)));
	return account;
}

static bool
writes(Operation op)
{
	return command_is_write(op) || op == OP_TABLE_CREATE ||
		op == OP_TABLE_DELETE || op == OP_SERVICE_SET || op == OP_ACL_SET;
}

/* The secondary endpoint is for reading, and alone has statistics. */
static ErrCode
check_secondary(const Request *r, bool write, bool stats)
{
	if (r->secondary && write)
		return ERR_READ_ONLY_SECONDARY;
	return !r->secondary && stats ? ERR_QUERY_PARAMETER : ERR_NONE;
}

/* timeout=SECONDS; more than 30 is 30, as the service has it. */
static ErrCode
read_timeout(Request *r)
{
	int64_t		seconds;
	ErrCode		err = queue_number(&r->arena, &r->cmd, "timeout", 1, INT32_MAX,
								   -1, &seconds, &r->reply.detail);

	r->timeout_ms = seconds < 0 ? -1 :
		1000 * (seconds < MAX_TIMEOUT_SECONDS ? seconds : MAX_TIMEOUT_SECONDS);
	return err;
}

int64_t
router_clip_wait(Request *r, int64_t wait_ms)
{
	if (r->err != ERR_NONE || r->is_mock || r->timeout_ms < 0 ||
		wait_ms <= r->timeout_ms)
		return wait_ms;
	r->timed_out = true;
	return r->timeout_ms;
}

/* Does it send an entity, or want to have one? */
static bool
speaks_json(const Command *cmd)
{
	return cmd->op != OP_DELETE && cmd->op != OP_TABLE_DELETE &&
		cmd->op < OP_SERVICE_GET && cmd->level != LEVEL_UNSUPPORTED;
}

/*
 * x-ms-version is a date.  Upserts came with one of them (before, If-Match
 * was mandatory), JSON with another.
 */
static ErrCode
check_version(Request *r)
{
	const char *version = r->header(r->who, "x-ms-version");

	if (version && (strlen(version) != 10 ||
					strspn(version, "0123456789-") != 10 ||
					version[4] != '-' || version[7] != '-'))
	{
		r->reply.front_end = true;
		return ERR_INVALID_HEADER_VALUE;
	}
	if ((r->cmd.op == OP_REPLACE || r->cmd.op == OP_MERGE) &&
		r->cmd.if_match == NULL && version &&
		strcmp(version, VERSION_UPSERT) < 0)
		return ERR_MISSING_HEADER;
	return version && speaks_json(&r->cmd) &&
		strcmp(version, VERSION_JSON) < 0 ? ERR_JSON_NOT_SUPPORTED : ERR_NONE;
}

static ErrCode
check_credential(Request *r, const Account *account, Span path, Span query)
{
	bool		queue = r->service == SERVICE_QUEUE;
	Credential	who = {.request = {&r->arena, account, r->method, path, query,
			&r->cmd, r->header, r->each_header, r->who},
		.text = queue ? queue_signed_text : table_signed_text,
		.service = r->service,.resource = queue ? r->queue.queue : SPAN(""),
	.origin = &r->origin};
	Grant	   *grant;
	ErrCode		err = credential_check(&r->context, &who, &grant,
									   &r->reply.detail);

	r->context.grant = grant;
	r->reply.front_end = err != ERR_NONE && credential_error(err);
	return err;
}

static ErrCode
prepare_queue(Request *r)
{
	Span		path;
	Span		query;
	Span		rest;
	const Account *account = find_account(r, &path, &query, &rest);
	ErrCode		parse_err = queue_parse(&r->arena, r->method, rest, query,
										r->each_header, r->who, &r->cmd,
										&r->queue, &r->reply.detail);
	ErrCode		err;

	r->class = CLASS_QUEUE;
	r->context.account = account ? account_name(account) : "";
	if (r->preflight)
		return ERR_NONE;
	err = check_credential(r, account, path, query);
	if (err == ERR_NONE)
		err = parse_err;
	if (err == ERR_NONE)
		err = queue_allows(r->context.grant, r->queue.op);
	if (err == ERR_NONE)
		err = check_secondary(r, queue_op_writes(r->queue.op),
							  r->queue.op == QUEUE_SERVICE_STATS);
	if (err == ERR_NONE)
		err = read_timeout(r);
	if (err == ERR_NONE && r->too_large)
		err = ERR_BODY_TOO_LARGE;
	r->cmd.body = (Span) {r->body.p, r->body.n};
	return err;
}

static ErrCode
prepare(Request *r)
{
	Span		path;
	Span		query;
	Span		rest;
	const Account *account = find_account(r, &path, &query, &rest);
	ErrCode		parse_err = command_parse(&r->arena, r->method, rest, query,
										  r->header, r->who, &r->cmd,
										  &r->reply.detail);
	ErrCode		err;

	r->class = class_of(r->cmd.op);
	r->context.account = account ? account_name(account) : "";
	if (r->preflight)
	{
		r->class = CLASS_TABLE;
		r->reply.front_end = true;
		return ERR_NONE;
	}
	err = check_credential(r, account, path, query);
	if (err != ERR_NONE)
		return err;
	r->reply.front_end = command_param(&r->cmd, "comp") != NULL;
	if (parse_err != ERR_NONE)
		return parse_err;
	err = grant_allows(r->context.grant, &r->cmd);
	if (err == ERR_NONE)
		err = check_secondary(r, writes(r->cmd.op),
							  r->cmd.op == OP_SERVICE_STATS);
	if (err == ERR_NONE)
		err = read_timeout(r);
	if (err == ERR_NONE)
		err = check_version(r);
	if (err != ERR_NONE)
		return err;
	if (r->too_large)
		return ERR_BODY_TOO_LARGE;
	r->cmd.body = (Span) {r->body.p, r->body.n};
	if (r->cmd.op == OP_BATCH)
		return batch_parse(&r->arena, r->cmd.content_type, r->cmd.body,
						   r->context.account, r->cmd.level, &r->batch);
	return ERR_NONE;
}

/* The partition it is confined to, or NULL. */
static const Span *
partition_for(Request *r)
{
	Span	   *partition = arena_alloc(&r->arena, sizeof(Span));

	if (r->service != SERVICE_TABLE ||
		!partition_of(&r->arena, &r->cmd, &r->batch, partition))
		return NULL;
	return partition;
}

static Span
table_for(const Request *r)
{
	return r->cmd.op == OP_BATCH && r->batch.ncommands > 0 ?
		r->batch.commands[0].table : r->cmd.table;
}

static void
meet_fault(Request *r)
{
	r->fault = fault_match(r->class, table_for(r), fault_wants_partition() ?
						   partition_for(r) : NULL);
	if (r->fault.action == FAULT_NONE)
		return;
	r->noted = fault_name(r->fault.action);
	if (r->fault.action == FAULT_PAGE)
		r->context.page_script = &r->fault;
}

/* A request whose end cannot be told: not even its account is looked at. */
static void
prepare_refusal(Request *r)
{
	r->class = r->service == SERVICE_QUEUE ? CLASS_QUEUE : CLASS_OTHER;
	r->context.account = "";
	r->timeout_ms = -1;
	r->err = r->unclear;
	r->reply.detail = r->unclear_detail;
	r->reply.front_end = true;
}

void
router_prepare(Request *r)
{
	ErrCode		err = ERR_NONE;

	make_request_id(r->request_id);
	r->context.arena = &r->arena;
	r->context.store = the_store;
	r->context.request_id = r->request_id;
	if (r->unclear != ERR_NONE)
	{
		prepare_refusal(r);
		return;
	}
	r->is_mock = mock_is_asked(r->uri);
	if (r->is_mock)
		return;
	r->timeout_ms = -1;
	r->preflight = strcmp(r->method, "OPTIONS") == 0;
	r->err = r->service == SERVICE_QUEUE ? prepare_queue(r) : prepare(r);
	if ((r->err == ERR_NONE || r->err == ERR_NOT_IMPLEMENTED) &&
		strict_on() && !r->preflight)
		err = strict_check(r);
	if (err != ERR_NONE)
		r->err = err;
	if (r->err == ERR_NONE && !r->preflight)
		meet_fault(r);
}

/* Takes the tokens of what is known before; a query pays afterwards. */
static bool
within_limits(Request *r)
{
	int			entities = r->cmd.op == OP_BATCH ? r->batch.ncommands : 1;
	const char *which;

	if (limits_admit(r->context.account, table_for(r), partition_for(r),
					 entities, &which))
		return true;
	r->noted = which;
	return false;
}

static ErrCode
execute(Request *r)
{
	Context    *c = &r->context;

	if (r->timed_out)
		return ERR_OPERATION_TIMED_OUT;
	if (limits_on() && !within_limits(r))
		return ERR_SERVER_BUSY;
	if (r->preflight)
		return cors_preflight(c, r->service, r->header, r->who, &r->reply);
	if (r->service == SERVICE_QUEUE)
		return queue_run(c, &r->queue, &r->cmd, &r->reply);
	switch (r->cmd.op)
	{
		case OP_TABLE_LIST:
			return table_list(c, &r->cmd, &r->reply);
		case OP_TABLE_GET:
			return table_get(c, &r->cmd, &r->reply);
		case OP_TABLE_CREATE:
			return table_create(c, &r->cmd, &r->reply);
		case OP_TABLE_DELETE:
			return table_delete(c, &r->cmd, &r->reply);
		case OP_QUERY:
			return entity_query(c, &r->cmd, &r->reply);
		case OP_GET:
			return entity_get(c, &r->cmd, &r->reply);
		case OP_INSERT:
		case OP_REPLACE:
		case OP_MERGE:
		case OP_DELETE:
			return entity_write(c, &r->cmd, &r->reply);
		case OP_BATCH:
			return batch_run(c, &r->cmd, &r->batch, &r->reply);
		case OP_SERVICE_GET:
			return properties_get(c, SERVICE_TABLE, &r->reply);
		case OP_SERVICE_SET:
			return properties_set(c, SERVICE_TABLE, r->cmd.body, &r->reply);
		case OP_SERVICE_STATS:
			return service_stats(c, &r->reply);
		case OP_ACL_GET:
		case OP_ACL_SET:
			return table_acl(c, &r->cmd, &r->reply);
		case OP_NONE:
			break;
	}
	return ERR_METHOD_NOT_ALLOWED;
}

/* The answer to a refused request. */
static void
answer_error(Request *r, int status, const char *code, const char *message)
{
	Reply	   *reply = &r->reply;
	bool		xml = r->cmd.level == LEVEL_UNSUPPORTED &&
		r->cmd.op != OP_BATCH;

	reply->status = status;
	reply->nheaders = 0;
	reply->entities_in = reply->entities_out = 0;
	reply->body.n = 0;
	if (status == 401)
		reply_header(reply, "WWW-Authenticate", bearer_challenge());
	if (r->service == SERVICE_QUEUE || reply->front_end)
	{
		reply->content_type = "application/xml";
		reply_header(reply, "x-ms-error-code",
					 arena_strdup(&r->arena, span_of(code)));
		if (r->service == SERVICE_QUEUE)
			error_body_plain(&reply->body, code, message, r->request_id);
		else
			error_body_front_end(&reply->body, code, message, r->request_id);
		return;
	}
	reply->content_type = xml ? "application/xml;charset=utf-8" :
		content_type_of(r->cmd.level ? r->cmd.level : LEVEL_MINIMAL, true);
	error_body(&reply->body, xml, code, message, r->request_id);
}

/* Faults that apply nothing and answer instead; true if it is one. */
static bool
answer_fault(Request *r)
{
	const Fault *f = &r->fault;

	if (f->action == FAULT_REDIRECT)
	{
		r->reply.status = f->status;
		reply_header(&r->reply, "Location", f->location[0] ? f->location :
					 arena_printf(&r->arena, "%s://%s%s", r->origin.https ?
								  "https" : "http",
								  r->header(r->who, "Host"), r->uri));
		return true;
	}
	if (f->action != FAULT_STATUS)
		return false;
	answer_error(r, f->status, f->code,
				 "The mock was told to fail this request.");
	if (f->retry_after >= 0)
		reply_header(&r->reply, "Retry-After",
					 arena_printf(&r->arena, "%d", f->retry_after));
	return true;
}

static void
answer(Request *r)
{
	const ErrInfo *info;

	if (r->err == ERR_NONE && answer_fault(r))
		return;
	if (r->err == ERR_NONE)
		r->err = execute(r);
	if (r->err == ERR_NONE)
		return;
	info = error_info(r->err);
	answer_error(r, info->status, info->code,
				 r->reply.detail ? r->reply.detail : info->message);
}

void
router_execute(Request *r)
{
	if (r->is_mock)
	{
		mock_execute(r, the_store);
		return;
	}
	answer(r);
	if (!r->preflight && r->header)
		cors_answer(&r->context, r->service, r->method, r->header, r->who,
					&r->reply);
}

static const char *
keep(Arena *a, const char *s)
{
	return s ? arena_strdup(a, span_of(s)) : NULL;
}

Request *
router_detach(Request *r)
{
	Request    *d = xmalloc(sizeof(*d));
	Arena	   *a = &d->arena;

	*d = *r;
	memset(r, 0, sizeof(*r));
	d->method = keep(a, d->method);
	d->cmd.if_match = keep(a, d->cmd.if_match);
	d->cmd.content_type = keep(a, d->cmd.content_type);
	d->context.arena = a;
	d->context.request_id = d->request_id;
	d->context.page_script = NULL;
	d->origin.address = NULL;
	d->header = NULL;
	d->who = NULL;
	return d;
}

void
router_repeat(Request *r)
{
	buf_free(&r->reply.body);
	memset(&r->reply, 0, sizeof(r->reply));
	r->err = ERR_NONE;
	r->noted = r->fault.action == FAULT_LATE ? "applied_late" :
		"applied_again";
	r->fault.action = FAULT_NONE;
	r->again = true;
	router_execute(r);
	router_record(r, true);
}

void
router_discard(Request *r)
{
	free(r->uri);
	buf_free(&r->body);
	buf_free(&r->reply.body);
	arena_free(&r->arena);
	free(r);
}

void
router_record(const Request *r, bool replied)
{
	JournalEntry e = {.class = r->class,.method = r->method,.uri = r->uri,
		.bytes_in = r->body_bytes,.connection = r->connection,
	.fault = r->noted,.again = r->again};

	if (r->is_mock)
		return;
	e.status = replied ? r->reply.status : 0;
	e.bytes_out = replied ? r->reply.body.n : 0;
	e.entities_in = r->reply.entities_in;
	e.entities_out = r->reply.entities_out;
	journal_add(&e);
	if (log_requests())
		log_line("%s %s %d %zu %zu %llu %s", e.method, e.uri, e.status,
				 e.bytes_in, e.bytes_out, (unsigned long long) e.connection,
				 r->request_id);
}
