/*
 * ops_message.c
 *	  Messages: put, get, peek, update, delete, clear.
 *
 * A get hides what it returns until the visibility timeout is over and gives
 * it a new pop receipt; an update does the same.  Only the newest receipt is
 * good, also after the message became visible again.  Times are those of
 * clock.c, ids and receipts are counted, so a test can foresee all of them.
 */
#include "queue.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "encode.h"
#include "queue_store.h"
#include "xml.h"

#define MAX_MESSAGES 32
#define MAX_TEXT_BYTES 65536
#define MAX_VISIBILITY_SECONDS (7 * 24 * 3600)
#define DEFAULT_TTL_SECONDS (7 * 24 * 3600)
#define DEFAULT_VISIBILITY_SECONDS 30
#define NEVER_EXPIRES TICKS_MAX

/* The id's form is a GUID's; its end is the sequence number. */
#define ID_FORMAT "00000000-0000-4000-8000-%012llx"
#define ID_PREFIX "00000000-0000-4000-8000-"

static bool
read_id(Arena *a, Span id, int64_t *seq)
{
	char	   *end;

	if (id.n != 36 || strncasecmp(id.p, ID_PREFIX, 24) != 0)
		return false;
	*seq = strtoll(arena_strdup(a, span_skip(id, 24)), &end, 16);
	return *end == '\0';
}

static const char *
receipt_of(Arena *a, const Message *m)
{
	Buf			b = {0};
	const char *text = arena_printf(a, "receipt %lld of %lld",
									(long long) m->receipt,
									(long long) m->seq);

	base64_put(&b, span_of(text));
	text = arena_strdup(a, (Span) {b.p, b.n});
	buf_free(&b);
	return text;
}

static void
put_time(Buf *out, const char *name, int64_t ticks)
{
	char		text[HTTP_DATE_MAX];

	http_date_format(text, ticks);
	xml_element(out, name, span_of(text));
}

/* What each operation shows of a message. */
static void
put_message(Context *c, QueueOp op, const Message *m, Buf *out)
{
	BUF_LIT(out, "<QueueMessage>");
	buf_printf(out, "<MessageId>" ID_FORMAT "</MessageId>",
			   (unsigned long long) m->seq);
	put_time(out, "InsertionTime", m->inserted);
	put_time(out, "ExpirationTime", m->expires);
	if (op != MESSAGE_PEEK)
	{
		xml_element(out, "PopReceipt", span_of(receipt_of(c->arena, m)));
		put_time(out, "TimeNextVisible", m->visible);
	}
	if (op != MESSAGE_PUT)
	{
		buf_printf(out, "<DequeueCount>%lld</DequeueCount>",
				   (long long) m->dequeued);
		xml_element(out, "MessageText", m->text);
	}
	BUF_LIT(out, "</QueueMessage>");
}

static void
put_messages(Context *c, QueueOp op, const Message *m, int n, Reply *reply)
{
	BUF_LIT(&reply->body, "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
			"<QueueMessagesList>");
	for (int i = 0; i < n; i++)
		put_message(c, op, &m[i], &reply->body);
	BUF_LIT(&reply->body, "</QueueMessagesList>");
	reply->content_type = "application/xml";
}

static ErrCode
read_text(Arena *a, Span body, Span *text)
{
	const XmlNode *root = xml_parse(a, body);
	const XmlNode *node = xml_child(root, "MessageText");
	size_t		units;

	if (node == NULL || !span_eq(root->name, SPAN("QueueMessage")))
		return ERR_XML_DOCUMENT;
	if (!utf16_length(node->text, &units))
		return ERR_XML_NODE_VALUE;
	*text = node->text;
	return text->n > MAX_TEXT_BYTES ? ERR_MESSAGE_TOO_LARGE : ERR_NONE;
}

static ErrCode
put(Context *c, int64_t queue, const Command *cmd, Reply *reply)
{
	Message		m = {.inserted = mock_clock_now(),.receipt = 1};
	int64_t		ttl;
	int64_t		hidden;
	ErrCode		err = read_text(c->arena, cmd->body, &m.text);

	if (err == ERR_NONE)
		err = queue_number(c->arena, cmd, "messagettl", -1, INT32_MAX,
						   DEFAULT_TTL_SECONDS, &ttl, &reply->detail);
	if (err == ERR_NONE && ttl == 0)
		err = ERR_QUERY_PARAMETER_RANGE;
	if (err == ERR_NONE)
		err = queue_number(c->arena, cmd, "visibilitytimeout", 0,
						   MAX_VISIBILITY_SECONDS, 0, &hidden,
						   &reply->detail);
	if (err != ERR_NONE)
		return err;
	if (ttl > 0 && hidden >= ttl)
	{
		reply->detail = "One of the query parameters specified in the "
			"request URI is outside the permissible range. messagettl must "
			"be greater than visibilitytimeout.";
		return ERR_QUERY_PARAMETER_RANGE;
	}
	m.visible = m.inserted + hidden * TICKS_PER_SECOND;
	m.expires = ttl < 0 ? NEVER_EXPIRES : m.inserted + ttl * TICKS_PER_SECOND;
	if (message_add(c->store, queue, &m) != STORE_OK)
		return ERR_INTERNAL;
	put_messages(c, MESSAGE_PUT, &m, 1, reply);
	reply->status = 201;
	reply->entities_in = 1;
	return ERR_NONE;
}

/* Give the messages to the caller for some time. */
static StoreResult
take(Context *c, int64_t queue, int64_t now, int max, int64_t hidden,
	 Message *found, int *n)
{
	StoreResult result = store_begin(c->store);

	if (result == STORE_OK)
		result = message_visible(c->store, c->arena, queue, now, max, found,
								 n);
	for (int i = 0; i < *n && result == STORE_OK; i++)
	{
		found[i].visible = now + hidden * TICKS_PER_SECOND;
		found[i].receipt++;
		found[i].dequeued++;
		result = message_save(c->store, &found[i]);
	}
	if (result == STORE_OK)
		result = store_commit(c->store);
	if (result != STORE_OK)
		store_rollback(c->store);
	return result;
}

static ErrCode
get(Context *c, int64_t queue, QueueOp op, const Command *cmd, Reply *reply)
{
	Message		found[MAX_MESSAGES];
	int64_t		now = mock_clock_now();
	int64_t		max;
	int64_t		hidden = 0;
	int			n = 0;
	StoreResult result;
	ErrCode		err = queue_number(c->arena, cmd, "numofmessages", 1,
								   MAX_MESSAGES, 1, &max, &reply->detail);

	if (err == ERR_NONE && op == MESSAGE_GET)
		err = queue_number(c->arena, cmd, "visibilitytimeout", 1,
						   MAX_VISIBILITY_SECONDS, DEFAULT_VISIBILITY_SECONDS,
						   &hidden, &reply->detail);
	if (err != ERR_NONE)
		return err;
	result = op == MESSAGE_GET ?
		take(c, queue, now, (int) max, hidden, found, &n) :
		message_visible(c->store, c->arena, queue, now, (int) max, found, &n);
	if (result != STORE_OK)
		return ERR_INTERNAL;
	put_messages(c, op, found, n, reply);
	reply->status = 200;
	reply->entities_out = n;
	return ERR_NONE;
}

/* The message of the URL, if its pop receipt is the newest one. */
static ErrCode
find(Context *c, int64_t queue, const QueueCommand *q, const Command *cmd,
	 Message *m)
{
	const Span *receipt = command_param(cmd, "popreceipt");
	StoreResult result;
	Span		bytes;
	int64_t		seq;

	if (receipt == NULL)
		return ERR_QUERY_PARAMETER_MISSING;
	if (receipt->n == 0 || !base64_decode(c->arena, *receipt, &bytes))
		return ERR_QUERY_PARAMETER;
	if (!read_id(c->arena, q->message, &seq))
		return ERR_MESSAGE_NOT_FOUND;
	result = message_find(c->store, c->arena, queue, seq, m);
	if (result == STORE_FAILED)
		return ERR_INTERNAL;
	if (result != STORE_OK || m->expires <= mock_clock_now())
		return ERR_MESSAGE_NOT_FOUND;
	/* PopReceiptMismatch is documented, but the service never sends it. */
	return span_eq(*receipt, span_of(receipt_of(c->arena, m))) ? ERR_NONE :
		ERR_MESSAGE_NOT_FOUND;
}

static ErrCode
update(Context *c, int64_t queue, const QueueCommand *q, const Command *cmd,
	   Reply *reply)
{
	char	   *when = arena_alloc(c->arena, HTTP_DATE_MAX);
	Message		m;
	int64_t		hidden;
	ErrCode		err = ERR_NONE;

	if (command_param(cmd, "visibilitytimeout") == NULL)
		err = ERR_QUERY_PARAMETER_MISSING;
	if (err == ERR_NONE)
		err = queue_number(c->arena, cmd, "visibilitytimeout", 0,
						   MAX_VISIBILITY_SECONDS, 0, &hidden,
						   &reply->detail);
	if (err == ERR_NONE)
		err = find(c, queue, q, cmd, &m);
	/* Without a body the text stays as it is. */
	if (err == ERR_NONE && cmd->body.n > 0)
		err = read_text(c->arena, cmd->body, &m.text);
	if (err != ERR_NONE)
		return err;
	m.visible = mock_clock_now() + hidden * TICKS_PER_SECOND;
	if (m.visible > m.expires)
		return ERR_QUERY_PARAMETER_RANGE;
	m.receipt++;
	if (message_save(c->store, &m) != STORE_OK)
		return ERR_INTERNAL;
	http_date_format(when, m.visible);
	reply_header(reply, "x-ms-popreceipt", receipt_of(c->arena, &m));
	reply_header(reply, "x-ms-time-next-visible", when);
	reply->status = 204;
	return ERR_NONE;
}

static ErrCode
run(Context *c, int64_t queue, const QueueCommand *q, const Command *cmd,
	Reply *reply)
{
	Message		m;
	ErrCode		err;

	reply->status = 204;
	switch (q->op)
	{
		case MESSAGE_PUT:
			return put(c, queue, cmd, reply);
		case MESSAGE_GET:
		case MESSAGE_PEEK:
			return get(c, queue, q->op, cmd, reply);
		case MESSAGE_CLEAR:
			return message_clear(c->store, queue) == STORE_OK ? ERR_NONE :
				ERR_INTERNAL;
		case MESSAGE_UPDATE:
			return update(c, queue, q, cmd, reply);
		case MESSAGE_DELETE:
			err = find(c, queue, q, cmd, &m);
			if (err == ERR_NONE &&
				message_remove(c->store, m.seq) != STORE_OK)
				err = ERR_INTERNAL;
			return err;
		default:
			return ERR_VERB;
	}
}

ErrCode
message_run(Context *c, const QueueCommand *q, const Command *cmd,
			Reply *reply)
{
	Queue		queue;
	StoreResult result;
	ErrCode		err;

	store_lock(c->store);
	result = queue_find(c->store, c->arena, c->account, q->queue, &queue);
	if (result == STORE_OK)
		err = run(c, queue.id, q, cmd, reply);
	else
		err = result == STORE_NOT_FOUND ? ERR_QUEUE_NOT_FOUND : ERR_INTERNAL;
	store_unlock(c->store);
	return err;
}
