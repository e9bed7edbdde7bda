/*
 * attempt.c
 *	  What a call needs for one attempt: the URL and the headers, freshly
 *	  dated and authorized.
 *
 * Called by client.c before every attempt.  Easy to break: the signature is
 * over the path as it is in the URL, and the date as it is in the header.
 */
#include "store_int.h"

/* Appends a header to the list; NULL when memory was short, see the flag. */
static void
attempt_header(tmodel_arena *arena, const char **headers, int *nheaders,
			   const char *name, tmodel_span value)
{
	tmodel_buf	line;

	tmodel_buf_init(&line, arena);
	tmodel_buf_puts(&line, name);
	tmodel_buf_puts(&line, ": ");
	tmodel_buf_span(&line, value);
	headers[(*nheaders)++] = tmodel_buf_text(&line).data;
}

/* The URL, with the SAS behind the query. */
static const char *
attempt_url(tmodel_arena *arena, const tstore_endpoint *endpoint,
			const tstore_call *call)
{
	tmodel_buf	url;

	tmodel_buf_init(&url, arena);
	tmodel_buf_span(&url, endpoint->base);
	tmodel_buf_span(&url, call->target);
	if (endpoint->sas.len > 0)
	{
		tmodel_buf_putc(&url, call->path_len < call->target.len ? '&' : '?');
		tmodel_buf_span(&url, endpoint->sas);
	}
	return tmodel_buf_text(&url).data;
}

/* The value of Authorization; empty when the SAS or nothing authorizes. */
static tmodel_span
attempt_authorization(tmodel_arena *arena, const tstore_endpoint *endpoint,
					  const tstore_call *call, const char *date,
					  tmodel_span *signature)
{
	tmodel_buf	value;

	tmodel_buf_init(&value, arena);
	if (endpoint->key.len > 0)
	{
		tmodel_span path = {call->target.data, call->path_len};

		*signature = call->queue ?
			tstore_sign_queue(arena, endpoint->account, endpoint->key,
							  call->method, call->content_type,
							  call->body.len, date, TSTORE_API_VERSION, path,
							  call->resource) :
			tstore_sign(arena, endpoint->account, endpoint->key, call->method,
						call->content_type, date, path);
		tmodel_buf_puts(&value, "SharedKey ");
		tmodel_buf_span(&value, endpoint->account);
		tmodel_buf_putc(&value, ':');
		tmodel_buf_span(&value, *signature);
	}
	else if (endpoint->bearer.len > 0)
	{
		tmodel_buf_puts(&value, "Bearer ");
		tmodel_buf_span(&value, endpoint->bearer);
	}
	return tmodel_buf_text(&value);
}

/* See store_int.h. */
bool
tstore_attempt_prepare(tmodel_arena *arena, const tstore_endpoint *endpoint,
					   const tstore_call *call, int64_t unix_now,
					   tstore_exchange *exchange, tmodel_span *signature)
{
	const char **headers;
	int			n = 0;
	char		date[TSTORE_HTTP_DATE_SIZE];
	tmodel_span authorization;

	headers = tmodel_alloc(arena, 16 * sizeof(*headers));
	if (headers == NULL)
		return false;
	tstore_http_date(unix_now, date);
	*signature = (tmodel_span) {NULL, 0};
	attempt_header(arena, headers, &n, "x-ms-date", tmodel_span_of(date));
	headers[n++] = "x-ms-version: " TSTORE_API_VERSION;
	headers[n++] = "DataServiceVersion: 3.0";
	headers[n++] = "MaxDataServiceVersion: 3.0;NetFx";
	headers[n++] = call->queue ? "Accept: application/xml" :
		call->plain ? "Accept: application/json;odata=nometadata" :
		"Accept: application/json;odata=minimalmetadata";
	headers[n++] = "User-Agent: itable_fdw";
	headers[n++] = "Expect:";	/* libcurl must not ask before it sends */
	if (call->content_type != NULL)
		attempt_header(arena, headers, &n, "Content-Type",
					   tmodel_span_of(call->content_type));
	if (call->no_content)
		headers[n++] = "Prefer: return-no-content";
	if (call->if_match.len > 0)
		attempt_header(arena, headers, &n, "If-Match", call->if_match);
	authorization = attempt_authorization(arena, endpoint, call, date,
										  signature);
	if (authorization.len > 0)
		attempt_header(arena, headers, &n, "Authorization", authorization);
	headers[n] = NULL;
	exchange->arena = arena;
	exchange->method = call->method;
	exchange->url = attempt_url(arena, endpoint, call);
	exchange->headers = headers;
	exchange->body = call->body;
	exchange->has_body = call->content_type != NULL;
	exchange->read = call->read;
	return !arena->failed;
}
