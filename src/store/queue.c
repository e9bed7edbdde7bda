/*
 * queue.c
 *	  Requests to the Queue service, and its answers.
 *
 * The service speaks XML, of which this file writes and reads the little that
 * messages need.  Called by txn/wake and exec/queue.
 *
 * Easy to break: the parameters of the query are signed, in the order of their
 * names; tstore_call.resource must say what the target says.
 */
#include "queue.h"

#include "sign.h"
#include "store_int.h"

#include <openssl/evp.h>
#include <string.h>

/* A new request, with its call half written. */
static tstore_request *
queue_begin(tstore_client *client, const char *method, tmodel_span queue,
			const char *rest, tmodel_buf *target, tstore_call **call)
{
	tstore_request *request = tstore_request_new(client);
	const tstore_endpoint *endpoint;
	tmodel_arena *arena;

	if (request == NULL)
		return NULL;
	*call = tstore_request_call(request, &arena, &endpoint);
	**call = (tstore_call) {
		.kind = TSTORE_K_QUEUE,.shape = TSTORE_S_QUEUE,.method = method,
		/* twice is as good as once: messages are only hints */
		.idempotent = true,.queue = true
	};
	tmodel_buf_init(target, arena);
	tmodel_buf_span(target, endpoint->prefix);
	tmodel_buf_putc(target, '/');
	tstore_url_encode(target, queue);
	tmodel_buf_puts(target, rest);
	return request;
}

static tstore_request *
queue_send(tstore_request *request, tmodel_buf *target, size_t path_len,
		   tstore_call *call)
{
	call->target = tmodel_buf_text(target);
	call->path_len = path_len;
	return tstore_request_queue(request, !target->arena->failed);
}

/* See queue.h. */
tstore_request *
tstore_start_create_queue(tstore_client *client, tmodel_span queue)
{
	tstore_call *call;
	tmodel_buf	target;
	tstore_request *request = queue_begin(client, "PUT", queue, "", &target,
										  &call);

	if (request == NULL)
		return NULL;
	call->content_type = "application/xml";	/* a length of 0 must be told */
	call->body = TMODEL_SPAN("");
	return queue_send(request, &target, target.len, call);
}

/* Base64 needs no escapes in XML. */
static bool
queue_print_message(tmodel_buf *body, tmodel_span text)
{
	unsigned char *encoded = tmodel_alloc(body->arena,
										  (text.len + 2) / 3 * 4 + 1);

	if (encoded == NULL)
		return false;
	EVP_EncodeBlock(encoded, (const unsigned char *) text.data,
					(int) text.len);
	tmodel_buf_puts(body, "<QueueMessage><MessageText>");
	tmodel_buf_puts(body, (const char *) encoded);
	return tmodel_buf_puts(body, "</MessageText></QueueMessage>");
}

/* See queue.h. */
tstore_request *
tstore_start_put_message(tstore_client *client, tmodel_span queue,
						 tmodel_span text)
{
	tstore_call *call;
	tmodel_buf	target;
	tmodel_buf	body;
	tstore_request *request = queue_begin(client, "POST", queue, "/messages",
										  &target, &call);

	if (request == NULL)
		return NULL;
	tmodel_buf_init(&body, target.arena);
	if (!queue_print_message(&body, text))
		return tstore_request_queue(request, false);
	call->content_type = "application/xml";
	call->body = tmodel_buf_text(&body);
	return queue_send(request, &target, target.len, call);
}

/* See queue.h. */
tstore_request *
tstore_start_get_messages(tstore_client *client, tmodel_span queue,
						  int hidden_seconds)
{
	tstore_call *call;
	tmodel_buf	target;
	tmodel_buf	resource;
	size_t		path_len;
	tstore_request *request = queue_begin(client, "GET", queue, "/messages",
										  &target, &call);

	if (request == NULL)
		return NULL;
	path_len = target.len;
	tmodel_buf_printf(&target, "?numofmessages=%d&visibilitytimeout=%d",
					  TSTORE_MESSAGES_MAX, hidden_seconds);
	tmodel_buf_init(&resource, target.arena);
	tmodel_buf_printf(&resource, "\nnumofmessages:%d\nvisibilitytimeout:%d",
					  TSTORE_MESSAGES_MAX, hidden_seconds);
	call->resource = tmodel_buf_text(&resource);
	return queue_send(request, &target, path_len, call);
}

/* See queue.h. */
tstore_request *
tstore_start_delete_message(tstore_client *client, tmodel_span queue,
							const tstore_message *message)
{
	tstore_call *call;
	tmodel_buf	target;
	tmodel_buf	resource;
	size_t		path_len;
	tstore_request *request = queue_begin(client, "DELETE", queue,
										  "/messages/", &target, &call);

	if (request == NULL)
		return NULL;
	tstore_url_encode(&target, message->id);
	path_len = target.len;
	tmodel_buf_puts(&target, "?popreceipt=");
	tstore_url_encode(&target, message->receipt);
	tmodel_buf_init(&resource, target.arena);
	tmodel_buf_puts(&resource, "\npopreceipt:");
	tmodel_buf_span(&resource, message->receipt);
	call->resource = tmodel_buf_text(&resource);
	return queue_send(request, &target, path_len, call);
}

/* ---- answers ------------------------------------------------------------- */

/* Where a text stands in another; NULL: nowhere. */
static const char *
find_text(tmodel_span text, const char *wanted)
{
	size_t		len = strlen(wanted);

	for (size_t i = 0; i + len <= text.len; i++)
		if (memcmp(text.data + i, wanted, len) == 0)
			return text.data + i;
	return NULL;
}

/* What stands between two tags; *rest is what follows.  False: nothing. */
static bool
between(tmodel_span xml, const char *open, const char *end, tmodel_span *inner,
		tmodel_span *rest)
{
	const char *from = find_text(xml, open);
	const char *to;
	tmodel_span behind;

	if (from == NULL)
		return false;
	from += strlen(open);
	behind = (tmodel_span) {from, (size_t) (xml.data + xml.len - from)};
	to = find_text(behind, end);
	if (to == NULL)
		return false;
	*inner = (tmodel_span) {from, (size_t) (to - from)};
	to += strlen(end);
	*rest = (tmodel_span) {to, (size_t) (xml.data + xml.len - to)};
	return true;
}

/* See queue.h.  Ids, receipts and base64 have nothing that XML escapes. */
int
tstore_read_messages(tmodel_arena *arena, const tstore_reply *reply,
					 tstore_message *messages)
{
	tmodel_span rest = reply->body;
	tmodel_span one;
	tmodel_span ignored;
	int			n = 0;

	while (n < TSTORE_MESSAGES_MAX &&
		   between(rest, "<QueueMessage>", "</QueueMessage>", &one, &rest))
	{
		tstore_message *message = &messages[n];
		tmodel_span text = {NULL, 0};

		memset(message, 0, sizeof(*message));
		if (!between(one, "<MessageId>", "</MessageId>", &message->id,
					 &ignored) ||
			!between(one, "<PopReceipt>", "</PopReceipt>", &message->receipt,
					 &ignored))
			continue;
		if (between(one, "<MessageText>", "</MessageText>", &text, &ignored) &&
			!tstore_base64_decode(arena, text, &message->text))
			message->text = (tmodel_span) {NULL, 0};
		message->id = tmodel_span_copy(arena, message->id);
		message->receipt = tmodel_span_copy(arena, message->receipt);
		n++;
	}
	return arena->failed ? -1 : n;
}
