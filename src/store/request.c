/*
 * request.c
 *	  How each operation is written as HTTP: verb, path, query, body.
 *
 * Keys appear in paths quoted, quotes doubled, and then percent-encoded but for
 * the unreserved characters; so no key can end its quotes, begin a query or
 * walk up the path.  What changes with every attempt (date, authorization) is
 * not here; see client.c.
 *
 * Called by client.c and, for the parts of a batch, by multipart.c.  Easy to
 * break: '+' in a query means a space, so tokens and filters are encoded whole.
 */
#include "store_int.h"

#include "model/batch.h"
#include "json.h"

#include <string.h>

static const char request_json[] = "application/json";
static const char request_multipart[] =
	"multipart/mixed; boundary=" TSTORE_BATCH_BOUNDARY;

/* See store_int.h. */
bool
tstore_url_encode(tmodel_buf *buf, tmodel_span text)
{
	static const char hex[] = "0123456789ABCDEF";
	bool		ok = true;

	for (size_t i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
			(c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_' ||
			c == '~')
			ok = tmodel_buf_putc(buf, (char) c);
		else
		{
			char		code[3] = {'%', hex[c >> 4], hex[c & 15]};

			ok = tmodel_buf_append(buf, code, 3);
		}
	}
	return ok && !buf->arena->failed;
}

/* See store_int.h. */
void
tstore_buf_reserve(tmodel_buf *buf, size_t size)
{
	char	   *data;

	if (buf->data != NULL)
		return;
	data = tmodel_alloc(buf->arena, size);
	if (data == NULL)
		return;
	buf->data = data;
	buf->capacity = size;
}

/* Appends 'key', quotes inside doubled, encoded. */
static void
request_key(tmodel_buf *buf, tmodel_span key)
{
	size_t		at = 0;

	tmodel_buf_putc(buf, '\'');
	while (at < key.len)
	{
		const char *quote = memchr(key.data + at, '\'', key.len - at);
		size_t		run = quote != NULL ?
			(size_t) (quote - key.data) - at : key.len - at;

		tstore_url_encode(buf, (tmodel_span) {key.data + at, run});
		at += run;
		if (quote != NULL)
		{
			tmodel_buf_puts(buf, "%27%27");
			at++;
		}
	}
	tmodel_buf_putc(buf, '\'');
}

/* Appends /account/table */
static void
request_table_path(tmodel_buf *buf, const tstore_endpoint *endpoint,
				   tmodel_span table)
{
	tmodel_buf_span(buf, endpoint->prefix);
	tmodel_buf_putc(buf, '/');
	tstore_url_encode(buf, table);
}

/* Appends /account/table(PartitionKey='p',RowKey='r') */
static void
request_entity_path(tmodel_buf *buf, const tstore_endpoint *endpoint,
					tmodel_span table, tmodel_span partition_key,
					tmodel_span row_key)
{
	request_table_path(buf, endpoint, table);
	tmodel_buf_puts(buf, "(PartitionKey=");
	request_key(buf, partition_key);
	tmodel_buf_puts(buf, ",RowKey=");
	request_key(buf, row_key);
	tmodel_buf_putc(buf, ')');
}

/* Appends a parameter with '?' or '&' before it. */
static void
request_parameter(tmodel_buf *buf, bool *first, const char *name,
				  tmodel_span value)
{
	tmodel_buf_putc(buf, *first ? '?' : '&');
	*first = false;
	tmodel_buf_puts(buf, name);
	tmodel_buf_putc(buf, '=');
	tstore_url_encode(buf, value);
}

/* Appends $select=a,b,c; the commas too are encoded. */
static void
request_select(tmodel_buf *buf, bool *first, int nselect,
			   const tmodel_span *select)
{
	for (int i = 0; i < nselect; i++)
	{
		if (i == 0)
			request_parameter(buf, first, "$select", select[i]);
		else
		{
			tmodel_buf_puts(buf, "%2C");
			tstore_url_encode(buf, select[i]);
		}
	}
}

/* Appends $filter and $top. */
static void
request_filter(tmodel_buf *buf, bool *first, const tstore_query *query)
{
	if (query->filter.len > 0)
		request_parameter(buf, first, "$filter", query->filter);
	if (query->top > 0)
	{
		tmodel_buf	top;

		tmodel_buf_init(&top, buf->arena);
		tmodel_buf_printf(&top, "%d", query->top);
		request_parameter(buf, first, "$top", tmodel_buf_text(&top));
	}
}

/* Takes the finished target over; false when memory was short. */
static bool
request_target(tstore_call *call, const tmodel_buf *buf, size_t path_len)
{
	call->target = tmodel_buf_text(buf);
	call->path_len = path_len;
	return !buf->arena->failed;
}

/* What a request counts as; those about the catalog are about tables. */
static tstore_kind
request_kind(tmodel_span table, tstore_kind kind)
{
	return tmodel_span_equal(table, TMODEL_SPAN(TSTORE_CATALOG_TABLE)) ?
		TSTORE_K_TABLE : kind;
}

/* See store_int.h. */
bool
tstore_call_get(tmodel_arena *arena, const tstore_endpoint *endpoint,
				tmodel_span table, tmodel_span partition_key,
				tmodel_span row_key, int nselect, const tmodel_span *select,
				tstore_call *call)
{
	tmodel_buf	target;
	size_t		path_len;
	bool		first = true;

	*call = (tstore_call) {
		.kind = request_kind(table, TSTORE_K_GET),
		.shape = TSTORE_S_ENTITY, .method = "GET", .read = true
	};
	tmodel_buf_init(&target, arena);
	request_entity_path(&target, endpoint, table, partition_key, row_key);
	path_len = target.len;
	request_select(&target, &first, nselect, select);
	return request_target(call, &target, path_len);
}

/* See store_int.h. */
bool
tstore_call_query(tmodel_arena *arena, const tstore_endpoint *endpoint,
				  tmodel_span table, const tstore_query *query,
				  tstore_call *call)
{
	tmodel_buf	target;
	size_t		path_len;
	bool		first = true;

	*call = (tstore_call) {
		.kind = request_kind(table, TSTORE_K_QUERY),
		.shape = TSTORE_S_PAGE, .method = "GET",
		.read = true, .lazy = true, .plain = query->plain
	};
	tmodel_buf_init(&target, arena);
	request_table_path(&target, endpoint, table);
	tmodel_buf_puts(&target, "()");
	path_len = target.len;
	request_filter(&target, &first, query);
	request_select(&target, &first, query->nselect, query->select);
	/* an empty PartitionKey's token may be empty, too */
	if (query->next_partition_key.len > 0 || query->next_row_key.len > 0)
		request_parameter(&target, &first, "NextPartitionKey",
						  query->next_partition_key);
	if (query->next_row_key.len > 0)
		request_parameter(&target, &first, "NextRowKey",
						  query->next_row_key);
	return request_target(call, &target, path_len);
}

/* See store_int.h. */
const char *
tstore_write_method(tstore_write write)
{
	switch (write)
	{
		case TSTORE_INSERT:
			return "POST";
		case TSTORE_REPLACE:
		case TSTORE_UPSERT_REPLACE:
			return "PUT";
		case TSTORE_MERGE:
		case TSTORE_UPSERT_MERGE:
			return "MERGE";
		case TSTORE_DELETE:
			return "DELETE";
	}
	return "";
}

/* See store_int.h. */
bool
tstore_write_path(tmodel_buf *buf, const tstore_endpoint *endpoint,
				  tmodel_span table, const tstore_operation *operation)
{
	if (operation->write == TSTORE_INSERT)
		request_table_path(buf, endpoint, table);
	else
		request_entity_path(buf, endpoint, table,
							operation->entity->partition_key,
							operation->entity->row_key);
	return !buf->arena->failed;
}

/* See store_int.h. */
const char *
tstore_operation_fault(const tstore_operation *operation)
{
	if (!tstore_write_is_conditional(operation->write))
		return NULL;
	if (operation->if_match.len == 0)
		return "a conditional write has no ETag";
	for (size_t i = 0; i < operation->if_match.len; i++)
	{
		if (operation->if_match.data[i] < ' ' ||
			operation->if_match.data[i] > '~')
			return "an ETag contains an illegal character";
	}
	return NULL;
}

/* See store_int.h. */
bool
tstore_write_is_conditional(tstore_write write)
{
	return write == TSTORE_REPLACE || write == TSTORE_MERGE ||
		write == TSTORE_DELETE;
}

static bool
request_is_upsert(tstore_write write)
{
	return write == TSTORE_UPSERT_REPLACE || write == TSTORE_UPSERT_MERGE;
}

/* See store_int.h. */
bool
tstore_call_write(tmodel_arena *arena, const tstore_endpoint *endpoint,
				  tmodel_span table, const tstore_operation *operation,
				  tstore_call *call)
{
	tmodel_buf	target;
	tmodel_buf	body;

	*call = (tstore_call) {
		.kind = TSTORE_K_UPDATE, .shape = TSTORE_S_WRITE,
		.method = tstore_write_method(operation->write),
		.idempotent = request_is_upsert(operation->write), .noperations = 1
	};
	if (operation->write == TSTORE_DELETE)
		call->kind = TSTORE_K_DELETE;
	else if (operation->write == TSTORE_INSERT)
	{
		call->kind = TSTORE_K_INSERT;
		call->no_content = true;
		call->inserts = true;
	}
	call->kind = request_kind(table, call->kind);
	if (tstore_write_is_conditional(operation->write))
		call->if_match = tmodel_span_copy(arena, operation->if_match);
	if (operation->write != TSTORE_DELETE)
	{
		tmodel_buf_init(&body, arena);
		tstore_entity_print(&body, operation->entity);
		call->body = tmodel_buf_text(&body);
		call->content_type = request_json;
	}
	tmodel_buf_init(&target, arena);
	tstore_write_path(&target, endpoint, table, operation);
	return request_target(call, &target, target.len);
}

/* See store_int.h. */
bool
tstore_call_batch(tmodel_arena *arena, const tstore_endpoint *endpoint,
				  tmodel_span table, int noperations,
				  const tstore_operation *operations, tstore_call *call)
{
	tmodel_buf	target;
	tmodel_buf	body;
	size_t		size = 1024;

	if (noperations == 1)
	{
		bool		ok = tstore_call_write(arena, endpoint, table,
										   operations, call);

		call->lone_batch = true;
		return ok;
	}
	*call = (tstore_call) {
		.kind = TSTORE_K_BATCH, .shape = TSTORE_S_BATCH, .method = "POST",
		.content_type = request_multipart, .idempotent = true,
		.noperations = noperations
	};
	call->deletes = tmodel_alloc(arena, (size_t) noperations * sizeof(bool));
	if (call->deletes == NULL)
		return false;
	for (int i = 0; i < noperations; i++)
	{
		call->deletes[i] = operations[i].write == TSTORE_DELETE;
		if (!request_is_upsert(operations[i].write))
			call->idempotent = false;
		if (operations[i].write == TSTORE_INSERT)
			call->inserts = true;
		size += tmodel_batch_bytes(operations[i].entity);
	}
	tmodel_buf_init(&body, arena);
	tstore_buf_reserve(&body, size);
	if (!tstore_multipart_print(&body, endpoint, table, noperations,
								operations))
		return false;
	call->body = tmodel_buf_text(&body);
	tmodel_buf_init(&target, arena);
	tmodel_buf_span(&target, endpoint->prefix);
	tmodel_buf_puts(&target, "/$batch");
	return request_target(call, &target, target.len);
}

/* See store_int.h. */
bool
tstore_call_create_table(tmodel_arena *arena, const tstore_endpoint *endpoint,
						 tmodel_span table, tstore_call *call)
{
	tmodel_buf	target;
	tmodel_buf	body;

	*call = (tstore_call) {
		.kind = TSTORE_K_TABLE, .shape = TSTORE_S_TABLE, .method = "POST",
		.content_type = request_json, .no_content = true
	};
	tmodel_buf_init(&body, arena);
	tmodel_buf_puts(&body, "{\"TableName\":");
	tstore_json_string(&body, table);
	tmodel_buf_putc(&body, '}');
	call->body = tmodel_buf_text(&body);
	tmodel_buf_init(&target, arena);
	request_table_path(&target, endpoint, TMODEL_SPAN("Tables"));
	return request_target(call, &target, target.len);
}

/* See store_int.h. */
bool
tstore_call_delete_table(tmodel_arena *arena, const tstore_endpoint *endpoint,
						 tmodel_span table, tstore_call *call)
{
	tmodel_buf	target;

	*call = (tstore_call) {
		.kind = TSTORE_K_TABLE, .shape = TSTORE_S_TABLE, .method = "DELETE"
	};
	tmodel_buf_init(&target, arena);
	request_table_path(&target, endpoint, TMODEL_SPAN("Tables"));
	tmodel_buf_putc(&target, '(');
	request_key(&target, table);
	tmodel_buf_putc(&target, ')');
	return request_target(call, &target, target.len);
}

/* See store_int.h. */
bool
tstore_call_list_tables(tmodel_arena *arena, const tstore_endpoint *endpoint,
						const tstore_query *query, tstore_call *call)
{
	tmodel_buf	target;
	size_t		path_len;
	bool		first = true;

	*call = (tstore_call) {
		.kind = TSTORE_K_TABLE, .shape = TSTORE_S_TABLES, .method = "GET",
		.read = true
	};
	tmodel_buf_init(&target, arena);
	request_table_path(&target, endpoint, TMODEL_SPAN("Tables"));
	path_len = target.len;
	if (query != NULL)
	{
		request_filter(&target, &first, query);
		if (query->next_table.len > 0)
			request_parameter(&target, &first, "NextTableName",
							  query->next_table);
	}
	return request_target(call, &target, path_len);
}
