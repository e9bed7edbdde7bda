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
#include <unistd.h>

#include "auth.h"
#include "encode.h"
#include "logfile.h"
#include "operation.h"
#include "timestamp.h"

static Store *the_store;

void
router_start(Store *store)
{
	the_store = store;
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

	if (span_starts(uri, SPAN("http://")))
	{
		mark = memchr(uri.p + 7, '/', uri.n - 7);
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
		r->context.base_url = arena_printf(&r->arena, "http://%s", host);
		return account;
	}
	mark = rest->n ? memchr(rest->p, '/', rest->n) : NULL;
	label = (Span) {rest->p, mark ? (size_t) (mark - rest->p) : rest->n};
	*rest = span_skip(*rest, label.n + (mark ? 1 : 0));
	r->context.base_url = arena_printf(&r->arena, "http://%s/%.*s", host,
									   (int) label.n, label.p);
	return account_find(label);
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
	err = auth_check(&r->arena, account, r->method, path, query, r->header,
					 r->who, &r->reply.detail);
	if (err != ERR_NONE)
		return err;
	r->context.account = account_name(account);
	if (parse_err != ERR_NONE)
		return parse_err;
	if (r->too_large)
		return ERR_BODY_TOO_LARGE;
	r->cmd.body = (Span) {r->body.p, r->body.n};
	if (r->cmd.op == OP_BATCH)
		return batch_parse(&r->arena, r->cmd.content_type, r->cmd.body,
						   r->context.account, r->cmd.level, &r->batch);
	return ERR_NONE;
}

void
router_prepare(Request *r)
{
	Span		table;

	make_request_id(r->request_id);
	r->context.arena = &r->arena;
	r->context.store = the_store;
	r->context.request_id = r->request_id;
	r->is_mock = strncmp(r->uri, "/__mock/", 8) == 0;
	if (r->is_mock)
		return;
	r->err = prepare(r);
	if (r->err == ERR_NONE)
	{
		table = r->cmd.op == OP_BATCH ? r->batch.commands[0].table :
			r->cmd.table;
		r->fault = fault_match(r->class, table);
	}
}

static ErrCode
execute(Request *r)
{
	Context    *c = &r->context;

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
	reply->content_type = xml ? "application/xml;charset=utf-8" :
		content_type_of(r->cmd.level ? r->cmd.level : LEVEL_MINIMAL, true);
	error_body(&reply->body, xml, code, message, r->request_id);
}

void
router_execute(Request *r)
{
	const ErrInfo *info;

	if (r->is_mock)
	{
		mock_execute(r, the_store);
		return;
	}
	if (r->err == ERR_NONE && r->fault.action == FAULT_STATUS)
	{
		answer_error(r, r->fault.status, r->fault.code,
					 "The mock was told to fail this request.");
		if (r->fault.retry_after >= 0)
			reply_header(&r->reply, "Retry-After",
						 arena_printf(&r->arena, "%d", r->fault.retry_after));
		return;
	}
	if (r->err == ERR_NONE)
		r->err = execute(r);
	if (r->err == ERR_NONE)
		return;
	info = error_info(r->err);
	answer_error(r, info->status, info->code,
				 r->reply.detail ? r->reply.detail : info->message);
}

void
router_record(const Request *r, bool replied)
{
	JournalEntry e = {.class = r->class,.method = r->method,.uri = r->uri,
	.bytes_in = r->body_bytes,.connection = r->connection};

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
