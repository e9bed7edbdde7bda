/*
 * response.c
 *	  What an answer means: success with its data, or which failure.
 *
 * Reads headers, bodies by the shape of the call, and errors in every form the
 * service has: odata.error as JSON, XML, an empty body, a failed operation
 * inside a batch that is "202 Accepted" outside.
 *
 * Called by client.c once an exchange is answered, and by http.c for each
 * header (inside libcurl, so nothing here may jump).  Easy to break: messages
 * of the store are not stable; only code and status decide.
 */
#include "response.h"

#include "json.h"

#include <string.h>

/* 1601-01-01, where ticks begin, in seconds before 1970-01-01 */
#define RESPONSE_TICKS_EPOCH INT64_C(11644473600)
#define RESPONSE_TICKS_PER_SECOND INT64_C(10000000)

/* See response.h. */
bool
tstore_same_name(tmodel_span text, const char *name)
{
	if (text.len != strlen(name))
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		char		a = text.data[i];
		char		b = name[i];

		if (a >= 'A' && a <= 'Z')
			a = (char) (a - 'A' + 'a');
		if (b >= 'A' && b <= 'Z')
			b = (char) (b - 'A' + 'a');
		if (a != b)
			return false;
	}
	return true;
}

/* See http.h. */
bool
tstore_header_set(tmodel_arena *arena, tstore_headers *headers,
				  tmodel_span name, tmodel_span value)
{
	const struct
	{
		const char *name;
		tmodel_span *value;
	}			known[] = {
		{"Content-Type", &headers->content_type},
		{"ETag", &headers->etag},
		{"Date", &headers->date},
		{"x-ms-request-id", &headers->request_id},
		{"x-ms-error-code", &headers->error_code},
		{"Retry-After", &headers->retry_after},
		{"x-ms-retry-after-ms", &headers->retry_after_ms},
		{"retry-after-ms", &headers->retry_after_ms},
		{"x-ms-continuation-NextPartitionKey", &headers->next_partition_key},
		{"x-ms-continuation-NextRowKey", &headers->next_row_key},
		{"x-ms-continuation-NextTableName", &headers->next_table},
		{"Server", &headers->server},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		if (!tstore_same_name(name, known[i].name))
			continue;
		*known[i].value = tmodel_span_copy(arena, value);
		return known[i].value->data != NULL;
	}
	return true;
}

/* Copies into a field of an error, cut at "size" but not inside a character. */
static void
response_copy(char *field, size_t size, tmodel_span text)
{
	size_t		len = text.len < size ? text.len : size - 1;

	if (len < text.len)
	{
		while (len > 0 && ((unsigned char) text.data[len] & 0xC0) == 0x80)
			len--;
	}
	for (size_t i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		field[i] = c < ' ' || c == 0x7F ? ' ' : (char) c;
	}
	field[len] = '\0';
}

/* See response.h. */
void
tstore_error_set(tstore_error *error, tstore_status status,
				 tmodel_span message)
{
	error->status = status;
	response_copy(error->message, sizeof(error->message), message);
}

/* What an error's body says. */
typedef struct error_words
{
	tmodel_span code;
	tmodel_span message;

	/* while it is read as JSON */
	int			depth;
	tmodel_span key;
} error_words;

/*
 * The sink for {"odata.error":{"code":..,"message":{"lang":..,"value":..}}};
 * {"error":{"code":..,"message":".."}} will do, too.
 */
static bool
error_event(void *ctx, tstore_json_kind kind, tmodel_span text)
{
	error_words *words = ctx;

	switch (kind)
	{
		case TSTORE_JSON_BEGIN_OBJECT:
		case TSTORE_JSON_BEGIN_ARRAY:
			words->depth++;
			break;
		case TSTORE_JSON_END_OBJECT:
		case TSTORE_JSON_END_ARRAY:
			words->depth--;
			break;
		case TSTORE_JSON_KEY:
			words->key = text;
			break;
		case TSTORE_JSON_STRING:
			if (words->depth == 2 &&
				tmodel_span_equal(words->key, TMODEL_SPAN("code")))
				words->code = text;
			else if ((words->depth == 2 &&
					  tmodel_span_equal(words->key, TMODEL_SPAN("message"))) ||
					 (words->depth == 3 &&
					  tmodel_span_equal(words->key, TMODEL_SPAN("value"))))
				words->message = text;
			break;
		default:
			break;
	}
	return true;
}

/* The text of the first XML element with this local name, in any case. */
static tmodel_span
error_xml_text(tmodel_span xml, const char *name)
{
	for (size_t i = 0; i + 1 < xml.len; i++)
	{
		size_t		start = i + 1;
		size_t		end = start;
		const char *close;

		if (xml.data[i] != '<')
			continue;
		while (end < xml.len && strchr(" \t\r\n/>", xml.data[end]) == NULL)
		{
			if (xml.data[end++] == ':')
				start = end;
		}
		if (!tstore_same_name((tmodel_span) {xml.data + start, end - start},
							  name))
			continue;
		close = memchr(xml.data + end, '>', xml.len - end);
		if (close == NULL || close[-1] == '/')
			break;
		start = (size_t) (close - xml.data) + 1;
		close = memchr(xml.data + start, '<', xml.len - start);
		if (close == NULL)
			break;
		return (tmodel_span) {xml.data + start,
			(size_t) (close - xml.data) - start};
	}
	return (tmodel_span) {NULL, 0};
}

/* Copies XML text with the five named entities resolved. */
static tmodel_span
error_xml_unescape(tmodel_arena *arena, tmodel_span text)
{
	static const struct
	{
		const char *name;
		char		c;
	}			entities[] = {
		{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'},
		{"&apos;", '\''}
	};
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	for (size_t i = 0; i < text.len; i++)
	{
		char		c = text.data[i];

		for (size_t j = 0; c == '&' && j < 5; j++)
		{
			size_t		len = strlen(entities[j].name);

			if (text.len - i >= len &&
				memcmp(text.data + i, entities[j].name, len) == 0)
			{
				c = entities[j].c;
				i += len - 1;
				break;
			}
		}
		tmodel_buf_putc(&buf, c);
	}
	return tmodel_buf_text(&buf);
}

/* Reads whatever the body says; nothing when it says nothing. */
static void
error_read_body(tmodel_arena *arena, tmodel_span body, error_words *words)
{
	size_t		line_len = 0;

	while (body.len > 0 && strchr(" \t\r\n", body.data[0]) != NULL &&
		   body.data[0] != '\0')
	{
		body.data++;
		body.len--;
	}
	if (body.len == 0)
		return;
	if (body.data[0] == '{')
		(void) tstore_json_parse(arena, body, error_event, words);
	else
	{
		words->code = error_xml_unescape(arena, error_xml_text(body, "code"));
		words->message =
			error_xml_unescape(arena, error_xml_text(body, "message"));
	}
	/* the lines after the first are RequestId and Time */
	while (line_len < words->message.len &&
		   words->message.data[line_len] != '\r' &&
		   words->message.data[line_len] != '\n')
		line_len++;
	words->message.len = line_len;
}

/* Takes "2:" off a message; -1 when it does not begin so. */
static int
error_take_index(tmodel_span *message)
{
	int			index = 0;
	size_t		i = 0;

	while (i < message->len && i < 6 && message->data[i] >= '0' &&
		   message->data[i] <= '9')
		index = index * 10 + (message->data[i++] - '0');
	if (i == 0 || i == message->len || message->data[i] != ':')
		return -1;
	message->data += i + 1;
	message->len -= i + 1;
	return index;
}

/* Does the call name an entity (and not just a table)? */
static bool
error_names_entity(const tstore_call *call)
{
	switch (call->shape)
	{
		case TSTORE_S_ENTITY:
			return true;
		case TSTORE_S_WRITE:
			return !call->inserts;
		case TSTORE_S_BATCH:
			return true;
		default:
			return false;
	}
}

/* 404: the store says ResourceNotFound for entities and for tables. */
static tstore_status
error_not_found(const tstore_call *call, tmodel_span code)
{
	if (tstore_same_name(code, "TableNotFound") || !error_names_entity(call))
		return TSTORE_TABLE_NOT_FOUND;
	return TSTORE_NOT_FOUND;
}

static tstore_status
error_conflict(const tstore_call *call, tmodel_span code)
{
	if (tstore_same_name(code, "EntityAlreadyExists"))
		return TSTORE_EXISTS;
	if (tstore_same_name(code, "TableAlreadyExists"))
		return TSTORE_TABLE_EXISTS;
	if (tstore_same_name(code, "TableBeingDeleted"))
		return TSTORE_TABLE_BEING_DELETED;
	if (code.len > 0)
		return TSTORE_INVALID;
	if (call->shape == TSTORE_S_TABLE)
		return TSTORE_TABLE_EXISTS;
	return call->inserts ? TSTORE_EXISTS : TSTORE_INVALID;
}

static bool
error_is_too_large(tmodel_span code)
{
	return tstore_same_name(code, "EntityTooLarge") ||
		tstore_same_name(code, "PropertyValueTooLarge") ||
		tstore_same_name(code, "KeyValueTooLarge") ||
		tstore_same_name(code, "RequestBodyTooLarge") ||
		tstore_same_name(code, "ContentLengthExceeded");
}

/* The status of an answer that is no success. */
static tstore_status
error_status(const tstore_call *call, int http_status, tmodel_span code)
{
	switch (http_status)
	{
		case 401:
		case 403:
			return TSTORE_AUTH;
		case 404:
			return error_not_found(call, code);
		case 408:
			return TSTORE_TIMEOUT;
		case 409:
			return error_conflict(call, code);
		case 412:
			return TSTORE_PRECONDITION;
		case 413:
			return TSTORE_TOO_LARGE;
		case 429:
		case 503:
			return TSTORE_THROTTLED;
		default:
			break;
	}
	if (http_status >= 400 && http_status < 500)
		return error_is_too_large(code) ? TSTORE_TOO_LARGE : TSTORE_INVALID;
	return http_status >= 500 ? TSTORE_SERVER : TSTORE_PROTOCOL;
}

/* See response.h. */
void
tstore_response_error(tmodel_arena *arena, const tstore_call *call,
					  const tstore_answer *answer, tstore_error *error,
					  int *index)
{
	error_words words = {.depth = 0};
	tstore_status status;

	*index = -1;
	error_read_body(arena, answer->body, &words);
	if (words.code.len == 0)
		words.code = answer->headers.error_code;
	if (call->shape == TSTORE_S_BATCH)
		*index = error_take_index(&words.message);
	status = error_status(call, answer->http_status, words.code);
	if (words.message.len == 0)
		words.message = tmodel_span_of(tstore_status_text(status));
	if (arena->failed)
	{
		/* without the code, the status would be a guess */
		status = TSTORE_NO_MEMORY;
		words.message = tmodel_span_of(tstore_status_text(status));
	}
	error->http_status = answer->http_status;
	response_copy(error->code, sizeof(error->code), words.code);
	tstore_error_set(error, status, words.message);
}

/* Ends the reply with an answer that is not understood, or no memory. */
static void
response_fail(tstore_reply *reply, tstore_status status, const char *message)
{
	tstore_error_set(&reply->error, status, tmodel_span_of(message));
}

/* The names out of the answer to a list of tables. */
static tstore_status
response_read_tables(tmodel_arena *arena, tmodel_span body,
					 tstore_reply *reply)
{
	int			nentities;
	tmodel_entity *entities;
	tstore_status status = tstore_page_read(arena, body, &nentities,
											&entities);

	if (status != TSTORE_OK)
		return status;
	reply->tables = tmodel_alloc(arena, ((size_t) nentities + 1) *
								 sizeof(tmodel_span));
	if (reply->tables == NULL)
		return TSTORE_NO_MEMORY;
	for (int i = 0; i < nentities; i++)
	{
		const tmodel_value *name = tmodel_entity_get(&entities[i],
													 TMODEL_SPAN("TableName"));

		if (name == NULL || name->type != TMODEL_STRING)
			return TSTORE_PROTOCOL;
		reply->tables[reply->ntables++] = name->u.bytes;
	}
	return TSTORE_OK;
}

/* The one entity of a point read. */
static tstore_status
response_read_entity(tmodel_arena *arena, const tstore_exchange *exchange,
					 tmodel_span body, tstore_reply *reply)
{
	tstore_status status;

	reply->entities = tmodel_alloc(arena, sizeof(tmodel_entity));
	if (reply->entities == NULL)
		return TSTORE_NO_MEMORY;
	status = tstore_entity_read(arena, body, reply->entities);
	if (status != TSTORE_OK)
		return status;
	reply->nentities = 1;
	if (reply->entities[0].etag.len == 0)
		reply->entities[0].etag = exchange->answer.etag;
	return TSTORE_OK;
}

/* Takes over where the answer goes on.  Either half of a key may be missing. */
static void
response_continuation(const tstore_headers *headers, tstore_reply *reply)
{
	reply->next_partition_key = headers->next_partition_key;
	reply->next_row_key = headers->next_row_key;
	reply->next_table = headers->next_table;
	reply->has_more = headers->next_partition_key.len > 0 ||
		headers->next_row_key.len > 0 || headers->next_table.len > 0;
}

/* One ETag per operation; a DELETE has none even if the answer names one. */
static void
response_batch_etags(tmodel_arena *arena, const tstore_call *call,
					 const tstore_answer *answers, tstore_reply *reply)
{
	reply->etags = tmodel_alloc(arena, (size_t) call->noperations *
								sizeof(tmodel_span));
	if (reply->etags == NULL)
	{
		response_fail(reply, TSTORE_NO_MEMORY, "out of memory");
		return;
	}
	reply->netags = call->noperations;
	for (int i = 0; i < call->noperations; i++)
	{
		if (!call->deletes[i])
			reply->etags[i] = answers[i].headers.etag;
	}
}

/* Which operation failed, by whatever tells it; -1 when nothing does. */
static int
response_failed_operation(const tstore_call *call, const tstore_answer *answer,
						  int index)
{
	if (index >= 0 && index < call->noperations)
		return index;
	if (answer->content_id >= 1 && answer->content_id <= call->noperations)
		return answer->content_id - 1;
	return call->noperations == 1 ? 0 : -1;
}

/* Reads the parts of a batch's answer. */
static void
response_read_batch(tmodel_arena *arena, const tstore_call *call,
					tstore_exchange *exchange, tmodel_span body,
					tstore_reply *reply)
{
	tstore_answer *answers;
	int			nanswers = 0;
	tstore_status status;

	answers = tmodel_alloc(arena, (size_t) call->noperations *
						   sizeof(tstore_answer));
	if (answers == NULL)
	{
		response_fail(reply, TSTORE_NO_MEMORY, "out of memory");
		return;
	}
	status = tstore_multipart_read(arena, exchange->answer.content_type, body,
								   call->noperations, &nanswers, answers);
	for (int i = 0; status == TSTORE_OK && i < nanswers; i++)
	{
		int			index;

		if (answers[i].http_status >= 200 && answers[i].http_status < 300)
			continue;
		tstore_response_error(arena, call, &answers[i], &reply->error, &index);
		reply->error.operation =
			response_failed_operation(call, &answers[i], index);
		if (exchange->answer.retry_after.len == 0)
			exchange->answer.retry_after = answers[i].headers.retry_after;
		if (exchange->answer.retry_after_ms.len == 0)
			exchange->answer.retry_after_ms =
				answers[i].headers.retry_after_ms;
		return;
	}
	if (status == TSTORE_OK && nanswers != call->noperations)
		status = TSTORE_PROTOCOL;
	if (status != TSTORE_OK)
		response_fail(reply, status,
					  "the answer to a batch is not understood");
	else
		response_batch_etags(arena, call, answers, reply);
}

/* Reads the body of a success. */
static void
response_read_success(tmodel_arena *arena, const tstore_call *call,
					  tstore_exchange *exchange, tmodel_span body,
					  tstore_reply *reply)
{
	tstore_status status = TSTORE_OK;

	switch (call->shape)
	{
		case TSTORE_S_ENTITY:
			status = response_read_entity(arena, exchange, body, reply);
			break;
		case TSTORE_S_PAGE:
			if (!call->lazy)
				status = tstore_page_read(arena, body, &reply->nentities,
										  &reply->entities);
			response_continuation(&exchange->answer, reply);
			break;
		case TSTORE_S_TABLES:
			status = response_read_tables(arena, body, reply);
			response_continuation(&exchange->answer, reply);
			break;
		case TSTORE_S_WRITE:
			reply->etags = tmodel_alloc(arena, sizeof(tmodel_span));
			if (reply->etags == NULL)
				status = TSTORE_NO_MEMORY;
			else if (call->kind != TSTORE_K_DELETE)
				reply->etags[0] = exchange->answer.etag;
			reply->netags = 1;
			break;
		case TSTORE_S_BATCH:
			response_read_batch(arena, call, exchange, body, reply);
			break;
		case TSTORE_S_QUEUE:
			reply->body = body;
			break;
		case TSTORE_S_TABLE:
			break;
	}
	if (status != TSTORE_OK)
		response_fail(reply, status, status == TSTORE_NO_MEMORY ?
					  "out of memory" : "the answer is not understood");
}

/* See response.h. */
void
tstore_response_decode(tmodel_arena *arena, const tstore_exchange *exchange,
					   tstore_reply *reply)
{
	tmodel_span body = {exchange->data, exchange->len};
	tstore_status status = tstore_page_read(arena, body, &reply->nentities,
											&reply->entities);

	if (status != TSTORE_OK)
		response_fail(reply, status, status == TSTORE_NO_MEMORY ?
					  "out of memory" : "the answer is not understood");
}

/* Is this the HTTP status of a success for the call? */
static bool
response_is_success(const tstore_call *call, int http_status)
{
	switch (call->shape)
	{
		case TSTORE_S_ENTITY:
		case TSTORE_S_PAGE:
		case TSTORE_S_TABLES:
			return http_status == 200;
		case TSTORE_S_BATCH:
			return http_status == 202;
		default:
			return http_status >= 200 && http_status < 300;
	}
}

/* See response.h. */
void
tstore_response_read(tmodel_arena *arena, const tstore_call *call,
					 tstore_exchange *exchange, tstore_reply *reply)
{
	tstore_answer answer = {
		.http_status = exchange->http_status,
		.body = {exchange->data, exchange->len},
		.headers = exchange->answer,
		.content_id = -1
	};
	int64_t		seconds;
	int			index;

	reply->error.http_status = exchange->http_status;
	response_copy(reply->error.request_id, sizeof(reply->error.request_id),
				  exchange->answer.request_id);
	if (tstore_http_date_read(exchange->answer.date, &seconds))
		reply->server_time = (seconds + RESPONSE_TICKS_EPOCH) *
			RESPONSE_TICKS_PER_SECOND;
	if (response_is_success(call, exchange->http_status))
	{
		response_read_success(arena, call, exchange, answer.body, reply);
		return;
	}
	tstore_response_error(arena, call, &answer, &reply->error, &index);
	if (call->lone_batch && exchange->http_status >= 400 &&
		exchange->http_status < 500)
		reply->error.operation = 0;
	else if (call->shape == TSTORE_S_BATCH && index >= 0 &&
			 index < call->noperations)
		reply->error.operation = index;
}
