/*
 * ops_batch.c
 *	  Entity group transactions: all of a change set or nothing.
 *
 * Bodies are read before the lock is taken; then one SQLite transaction
 * applies them.  The answer is 202 either way; a failure is one part whose
 * message starts with the index of the operation.  Easy to break: the first
 * failure in the order of the operations is the one reported.
 */
#include "operation.h"

#include <stdlib.h>

#include "batch.h"
#include "sas.h"

static void
put_part_headers(Buf *out, const Command *cmd, const Reply *reply)
{
	BUF_LIT(out, "X-Content-Type-Options: nosniff\r\n"
			"Cache-Control: no-cache\r\n");
	for (int i = 0; i < reply->nheaders; i++)
		buf_printf(out, "%s: %s\r\n", reply->headers[i].name,
				   reply->headers[i].value);
	BUF_LIT(out, "DataServiceVersion: 3.0;\r\n");
	if (cmd && cmd->content_id)
		buf_printf(out, "Content-ID: %s\r\n", cmd->content_id);
	if (reply->content_type)
		buf_printf(out, "Content-Type: %s\r\n", reply->content_type);
}

/* A reply as an application/http part. */
static void
put_part(Buf *out, const char *boundary, const Command *cmd,
		 const Reply *reply)
{
	buf_printf(out, "--%s\r\nContent-Type: application/http\r\n"
			   "Content-Transfer-Encoding: binary\r\n\r\n"
			   "HTTP/1.1 %d %s\r\n", boundary, reply->status,
			   status_text(reply->status));
	put_part_headers(out, cmd, reply);
	BUF_LIT(out, "\r\n");
	buf_put(out, reply->body.p, reply->body.n);
	BUF_LIT(out, "\r\n");
}

/* Turns an error into the reply of the part at index. */
static void
error_part(Context *c, const Command *cmd, ErrCode err, int index,
		   Reply *part)
{
	const ErrInfo *info = error_info(err);
	const char *message = part->detail ? part->detail : info->message;

	message = arena_printf(c->arena, "%d:%s", index, message);
	part->status = info->status;
	part->body.n = 0;
	part->nheaders = 0;
	if (cmd->has_prefer)
		reply_header(part, "Preference-Applied", cmd->no_content ?
					 "return-no-content" : "return-content");
	part->content_type = content_type_of(LEVEL_MINIMAL, true);
	error_body(&part->body, false, info->code, message, c->request_id);
}

static int
compare_writes(const void *x, const void *y)
{
	const Write *a = *(const Write *const *) x;
	const Write *b = *(const Write *const *) y;
	int			c = span_cmp(a->rk, b->rk);

	return c ? c : a < b ? -1 : a > b;
}

/* Index of the first operation that repeats a row key, or n. */
static int
first_duplicate(Arena *a, const Write *writes, int n)
{
	const Write **sorted = arena_alloc(a, sizeof(Write *) * (size_t) (n + 1));
	int			first = n;

	for (int i = 0; i < n; i++)
		sorted[i] = &writes[i];
	qsort(sorted, (size_t) n, sizeof(Write *), compare_writes);
	for (int i = 1; i < n; i++)
	{
		if (span_eq(sorted[i - 1]->rk, sorted[i]->rk) &&
			sorted[i] - writes < first)
			first = (int) (sorted[i] - writes);
	}
	return first;
}

/*
 * Read all bodies and check what concerns the batch as a whole.  Returns how
 * many operations may be applied; *err says why not all of them.
 */
static int
prepare(Context *c, const Batch *b, Write *writes, Reply *part, ErrCode *err)
{
	int			n = 0;
	int			duplicate;

	while (n < b->ncommands && *err == ERR_NONE)
	{
		const Command *cmd = &b->commands[n];

		*err = grant_allows(c->grant, cmd);
		if (*err == ERR_NONE)
			*err = write_prepare(c, cmd, &writes[n], part);
		if (*err == ERR_NONE && (!span_eq(writes[0].pk, writes[n].pk) ||
								 !span_eq_nocase(b->commands[0].table,
												 cmd->table)))
			*err = ERR_BATCH_PARTITIONS;
		if (*err == ERR_NONE)
			n++;
	}
	duplicate = first_duplicate(c->arena, writes, n);
	if (duplicate < n)
	{
		*err = ERR_INVALID_DUPLICATE_ROW;
		part->detail = NULL;
		return duplicate;
	}
	if (*err == ERR_NONE && b->err != ERR_NONE)
	{
		*err = b->err;
		part->detail = b->detail;
	}
	return n;
}

/* All in one transaction; returns how many went well. */
static int
apply(Context *c, const Write *writes, int n, bool keep, Reply *parts,
	  ErrCode *err)
{
	int			done = 0;

	store_lock(c->store);
	if (store_begin(c->store) != STORE_OK)
		*err = ERR_INTERNAL;
	while (done < n && *err == ERR_NONE)
	{
		*err = write_apply(c, &writes[done], &parts[done]);
		if (*err == ERR_NONE)
			done++;
	}
	if (*err == ERR_NONE && keep)
	{
		if (store_commit(c->store) != STORE_OK)
			*err = ERR_INTERNAL;
		/* Some index must be named, and it must be one of them. */
		if (*err != ERR_NONE && done > 0)
			done--;
	}
	if (*err != ERR_NONE || !keep)
		store_rollback(c->store);
	store_unlock(c->store);
	return done;
}

static void
run_changeset(Context *c, const Batch *b, const char *boundary, Reply *reply)
{
	Write	   *writes = arena_alloc(c->arena, sizeof(Write) *
									 (MAX_BATCH_COMMANDS + 1));
	Reply	   *parts = arena_zalloc(c->arena, sizeof(Reply) *
									 (MAX_BATCH_COMMANDS + 1));
	Reply		broken = {0};
	ErrCode		prepare_err = ERR_NONE;
	ErrCode		err = ERR_NONE;
	int			n = prepare(c, b, writes, &broken, &prepare_err);
	int			done = apply(c, writes, n, prepare_err == ERR_NONE, parts,
							 &err);

	if (err != ERR_NONE)
		broken.detail = parts[done].detail;
	else
		err = prepare_err;
	if (err != ERR_NONE)
	{
		error_part(c, &b->commands[done], err, done, &broken);
		put_part(&reply->body, boundary, &b->commands[done], &broken);
		buf_free(&broken.body);
	}
	for (int i = 0; i < n; i++)
	{
		if (err == ERR_NONE)
		{
			put_part(&reply->body, boundary, &b->commands[i], &parts[i]);
			reply->entities_in++;
		}
		buf_free(&parts[i].body);
	}
	/* The one that failed may have been beyond those applied. */
	if (n < MAX_BATCH_COMMANDS)
		buf_free(&parts[n].body);
}

static void
run_query(Context *c, const Batch *b, const char *boundary, Reply *reply)
{
	const Command *cmd = &b->commands[0];
	Reply		part = {0};
	ErrCode		err = b->err;

	part.detail = b->detail;
	if (err == ERR_NONE)
		err = grant_allows(c->grant, cmd);
	if (err == ERR_NONE)
		err = cmd->op == OP_QUERY ? entity_query(c, cmd, &part) :
			entity_get(c, cmd, &part);
	if (err != ERR_NONE)
		error_part(c, cmd, err, 0, &part);
	else
		reply->entities_out = part.entities_out;
	put_part(&reply->body, boundary, cmd, &part);
	buf_free(&part.body);
}

/* One change set is all that a batch may have; the others are told so. */
static void
refuse_changeset(Context *c, const char *boundary, Buf *out)
{
	const Command none = {0};
	Reply		part = {.detail = "The batch request can have one change set "
	"only."};

	error_part(c, &none, ERR_INVALID_INPUT, 0, &part);
	put_part(out, boundary, &none, &part);
	buf_free(&part.body);
}

ErrCode
batch_run(Context *c, const Command *cmd, Batch *b, Reply *reply)
{
	const char *outer = arena_printf(c->arena, "batchresponse_%s",
									 c->request_id);
	const char *inner = arena_printf(c->arena, "changesetresponse_%s",
									 c->request_id);

	if (b->has_changeset)
	{
		buf_printf(&reply->body, "--%s\r\nContent-Type: multipart/mixed; "
				   "boundary=%s\r\n\r\n", outer, inner);
		run_changeset(c, b, inner, reply);
		buf_printf(&reply->body, "--%s--\r\n", inner);
		for (int i = 0; i < b->nrefused; i++)
			refuse_changeset(c, outer, &reply->body);
	}
	else
		run_query(c, b, outer, reply);
	buf_printf(&reply->body, "--%s--\r\n", outer);
	reply->content_type = arena_printf(c->arena,
									   "multipart/mixed; boundary=%s", outer);
	reply->status = 202;
	return ERR_NONE;
}
