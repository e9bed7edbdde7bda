/*
 * ops_queue.c
 *	  Queues: create, list, delete, metadata, access policies, properties.
 *
 * Messages are ops_message.c's.  Answers are XML as the service writes it.
 */
#include "queue.h"

#include "acl.h"
#include "clock.h"
#include "properties.h"
#include "queue_store.h"
#include "xml.h"

#define MAX_LIST 5000
#define XML_PROLOG "<?xml version=\"1.0\" encoding=\"utf-8\"?>"

static ErrCode
error_of(StoreResult result)
{
	switch (result)
	{
		case STORE_OK:
			return ERR_NONE;
		case STORE_NOT_FOUND:
			return ERR_QUEUE_NOT_FOUND;
		case STORE_EXISTS:
			return ERR_QUEUE_EXISTS;
		case STORE_FAILED:
			break;
	}
	return ERR_INTERNAL;
}

/* The next "name:value\n" of the metadata. */
static bool
next_pair(Span *rest, Span *name, Span *value)
{
	const char *colon = rest->n ? memchr(rest->p, ':', rest->n) : NULL;
	const char *end = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;

	if (colon == NULL || end == NULL)
		return false;
	*name = (Span) {rest->p, (size_t) (colon - rest->p)};
	*value = (Span) {colon + 1, (size_t) (end - colon - 1)};
	*rest = span_skip(*rest, (size_t) (end + 1 - rest->p));
	return true;
}

/* 204 when it is there with the same metadata. */
static ErrCode
create(Context *c, const QueueCommand *q, Reply *reply)
{
	Queue		old;
	StoreResult result = queue_find(c->store, c->arena, c->account, q->queue,
									&old);

	if (result == STORE_OK)
	{
		reply->status = 204;
		return span_eq(old.metadata, q->metadata) ? ERR_NONE :
			ERR_QUEUE_EXISTS;
	}
	reply->status = 201;
	return result == STORE_NOT_FOUND ?
		error_of(queue_create(c->store, c->account, q->queue, q->metadata)) :
		ERR_INTERNAL;
}

static ErrCode
answer_metadata(Context *c, const Queue *queue, Reply *reply)
{
	Span		rest = queue->metadata;
	Span		name;
	Span		value;
	int64_t		count;
	StoreResult result = queue_count(c->store, queue->id, mock_clock_now(),
									 &count);

	reply_header(reply, "x-ms-approximate-messages-count",
				 arena_printf(c->arena, "%lld", (long long) count));
	while (next_pair(&rest, &name, &value))
		reply_header(reply,
					 arena_printf(c->arena, "x-ms-meta-%.*s", (int) name.n,
								  name.p), arena_strdup(c->arena, value));
	reply->status = 200;
	return error_of(result);
}

static void
put_queue(Buf *out, const Queue *queue, bool with_metadata)
{
	Span		rest = queue->metadata;
	Span		name;
	Span		value;

	BUF_LIT(out, "<Queue>");
	xml_element(out, "Name", queue->name);
	if (with_metadata)
	{
		BUF_LIT(out, "<Metadata>");
		while (next_pair(&rest, &name, &value))
		{
			buf_printf(out, "<%.*s>", (int) name.n, name.p);
			xml_text(out, value);
			buf_printf(out, "</%.*s>", (int) name.n, name.p);
		}
		BUF_LIT(out, "</Metadata>");
	}
	BUF_LIT(out, "</Queue>");
}

/* The queues from the marker on; the rest's first name is NextMarker. */
static ErrCode
put_queues(Context *c, Span prefix, Span marker, int64_t max,
		   bool with_metadata, Buf *out)
{
	bool		below = span_cmp(marker, prefix) < 0;
	Span		from = below ? prefix : marker;
	Queue		queue;
	StoreResult result;
	bool		after = false;
	Span		next = SPAN("");

	BUF_LIT(out, "<Queues>");
	while ((result = queue_next(c->store, c->arena, c->account, from, after,
								&queue)) == STORE_OK &&
		   span_starts(queue.name, prefix))
	{
		if (max-- == 0)
		{
			next = queue.name;
			break;
		}
		put_queue(out, &queue, with_metadata);
		from = queue.name;
		after = true;
	}
	BUF_LIT(out, "</Queues>");
	xml_element(out, "NextMarker", next);
	return result == STORE_FAILED ? ERR_INTERNAL : ERR_NONE;
}

static ErrCode
list(Context *c, const Command *cmd, Reply *reply)
{
	const Span *prefix = command_param(cmd, "prefix");
	const Span *marker = command_param(cmd, "marker");
	const Span *include = command_param(cmd, "include");
	Buf		   *out = &reply->body;
	int64_t		max;
	ErrCode		err = queue_number(c->arena, cmd, "maxresults", 1, MAX_LIST,
								   MAX_LIST, &max, &reply->detail);

	if (err != ERR_NONE)
		return err;
	buf_printf(out, XML_PROLOG "<EnumerationResults ServiceEndpoint=\"%s/\">",
			   c->base_url);
	if (prefix)
		xml_element(out, "Prefix", *prefix);
	if (marker)
		xml_element(out, "Marker", *marker);
	if (command_param(cmd, "maxresults"))
		buf_printf(out, "<MaxResults>%d</MaxResults>", (int) max);
	err = put_queues(c, prefix ? *prefix : SPAN(""),
					 marker ? *marker : SPAN(""), max,
					 include && span_eq(*include, SPAN("metadata")), out);
	BUF_LIT(out, "</EnumerationResults>");
	reply->content_type = "application/xml";
	reply->status = 200;
	return err;
}

static ErrCode
drop(Context *c, const Queue *queue)
{
	StoreResult result = store_begin(c->store);

	if (result == STORE_OK)
		result = queue_drop(c->store, queue->id);
	if (result == STORE_OK)
		result = acl_forget(c, SERVICE_QUEUE, queue->name);
	if (result == STORE_OK)
		result = store_commit(c->store);
	if (result != STORE_OK)
		store_rollback(c->store);
	return error_of(result);
}

/* Operations on a queue that must be there. */
static ErrCode
run_on_queue(Context *c, const QueueCommand *q, const Command *cmd,
			 Reply *reply)
{
	Queue		queue;
	ErrCode		err = error_of(queue_find(c->store, c->arena, c->account,
										  q->queue, &queue));

	reply->status = 204;
	if (err != ERR_NONE)
		return err;
	switch (q->op)
	{
		case QUEUE_DELETE:
			return drop(c, &queue);
		case QUEUE_METADATA_GET:
			return answer_metadata(c, &queue, reply);
		case QUEUE_METADATA_SET:
			return error_of(queue_set_metadata(c->store, queue.id,
											   q->metadata));
		case QUEUE_ACL_GET:
			reply->status = 200;
			reply->content_type = "application/xml";
			return acl_print(c, SERVICE_QUEUE, q->queue, &reply->body);
		case QUEUE_ACL_SET:
			return acl_store(c, SERVICE_QUEUE, q->queue, cmd->body,
							 &reply->detail);
		default:
			return ERR_VERB;
	}
}

ErrCode
queue_run(Context *c, const QueueCommand *q, const Command *cmd,
		  Reply *reply)
{
	ErrCode		err;

	switch (q->op)
	{
		case QUEUE_SERVICE_GET:
			return properties_get(c, SERVICE_QUEUE, reply);
		case QUEUE_SERVICE_SET:
			return properties_set(c, SERVICE_QUEUE, cmd->body, reply);
		case QUEUE_SERVICE_STATS:
			return service_stats(c, reply);
		default:
			break;
	}
	if (q->op >= MESSAGE_PUT)
		return message_run(c, q, cmd, reply);
	store_lock(c->store);
	if (q->op == QUEUE_LIST)
		err = list(c, cmd, reply);
	else if (q->op == QUEUE_CREATE)
		err = create(c, q, reply);
	else
		err = run_on_queue(c, q, cmd, reply);
	store_unlock(c->store);
	return err;
}
