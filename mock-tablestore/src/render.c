/*
 * render.c
 *	  A stored entity as JSON, at one of three metadata levels.
 *
 * Order of members as the service has it: odata.*, the keys, Timestamp, the
 * properties.  Writes straight into the answer's buffer.  Called per row of
 * a page: nothing here may allocate in the common case.
 */
#include "render.h"

#include <math.h>

#include "encode.h"
#include "json.h"
#include "timestamp.h"

void
select_parse(Arena *a, const Span *text, Select *select)
{
	Span		rest;

	memset(select, 0, sizeof(*select));
	if (text == NULL)
		return;
	select->given = true;
	select->text = span_trim(*text);
	if (select->text.n == 0 || span_eq(select->text, SPAN("*")))
		return;
	select->names = arena_alloc(a, sizeof(Span) * (text->n / 2 + 2));
	rest = *text;
	while (true)
	{
		const char *comma = rest.n ? memchr(rest.p, ',', rest.n) : NULL;
		Span		name = {rest.p, comma ? (size_t) (comma - rest.p) : rest.n};
		bool		seen = false;

		rest = span_skip(rest, name.n + (comma ? 1 : 0));
		name = span_trim(name);
		for (int i = 0; i < select->n; i++)
			seen |= span_eq(select->names[i], name);
		if (name.n > 0 && !seen)
			select->names[select->n++] = name;
		if (comma == NULL)
			break;
	}
}

static bool
is_selected(const Select *select, Span name)
{
	for (int i = 0; i < select->n; i++)
	{
		if (span_eq(select->names[i], name))
			return true;
	}
	return select->names == NULL;
}

static void
put_quoted_key(Buf *out, Arena *a, Span key)
{
	Span		s = key_utf8(a, key);

	buf_putc(out, '\'');
	for (size_t i = 0; i < s.n; i++)
	{
		if (s.p[i] == '\'')
			BUF_LIT(out, "%27%27");
		else
			percent_put(out, (Span) {s.p + i, 1});
	}
	buf_putc(out, '\'');
}

void
render_path(Buf *out, Arena *a, Span table, Span pk, Span rk)
{
	buf_span(out, table);
	BUF_LIT(out, "(PartitionKey=");
	put_quoted_key(out, a, pk);
	BUF_LIT(out, ",RowKey=");
	put_quoted_key(out, a, rk);
	buf_putc(out, ')');
}

void
render_metadata(const Renderer *r, Buf *out, bool single)
{
	if (r->level <= LEVEL_NONE)
		return;
	BUF_LIT(out, "\"odata.metadata\":\"");
	buf_puts(out, r->context->base_url);
	BUF_LIT(out, "/$metadata#");
	buf_span(out, r->table);
	if (single)
		BUF_LIT(out, "/@Element");
	if (r->select.given)
	{
		Buf			quoted = {0};

		BUF_LIT(out, "&$select=");
		json_string(&quoted, r->select.text);
		buf_put(out, quoted.p + 1, quoted.n - 2);
		buf_free(&quoted);
	}
	BUF_LIT(out, "\",");
}

/* The members only odata=fullmetadata has. */
static void
put_full(const Renderer *r, Buf *out, const Cursor *row)
{
	Arena	   *a = r->context->arena;

	BUF_LIT(out, "\"odata.type\":\"");
	buf_puts(out, r->context->account);
	buf_putc(out, '.');
	buf_span(out, r->table);
	BUF_LIT(out, "\",\"odata.id\":\"");
	buf_puts(out, r->context->base_url);
	buf_putc(out, '/');
	render_path(out, a, r->table, row->pk, row->rk);
	BUF_LIT(out, "\",");
}

static void
put_etag(Buf *out, const char *time, size_t n)
{
	BUF_LIT(out, "\"odata.etag\":\"W/\\\"datetime'");
	buf_put(out, time, 13);
	BUF_LIT(out, "%3A");
	buf_put(out, time + 14, 2);
	BUF_LIT(out, "%3A");
	buf_put(out, time + 17, n - 17);
	BUF_LIT(out, "'\\\"\",");
}

static void
put_double(Buf *out, double d)
{
	if (isfinite(d))
		json_double(out, d);
	else if (d != d)
		BUF_LIT(out, "\"NaN\"");
	else if (d > 0)
		BUF_LIT(out, "\"Infinity\"");
	else
		BUF_LIT(out, "\"-Infinity\"");
}

static void
put_value(Buf *out, const Value *v)
{
	char		text[40];

	switch (v->type)
	{
		case VT_STRING:
			json_string(out, v->bytes);
			break;
		case VT_INT32:
			json_int(out, v->i64);
			break;
		case VT_INT64:
			buf_putc(out, '"');
			json_int(out, v->i64);
			buf_putc(out, '"');
			break;
		case VT_DOUBLE:
			put_double(out, v->f64);
			break;
		case VT_BOOL:
			buf_puts(out, v->b ? "true" : "false");
			break;
		case VT_DATETIME:
			buf_putc(out, '"');
			buf_put(out, text, timestamp_format(text, v->i64));
			buf_putc(out, '"');
			break;
		case VT_GUID:
			guid_format(text, v->guid);
			buf_putc(out, '"');
			buf_put(out, text, 36);
			buf_putc(out, '"');
			break;
		case VT_BINARY:
			buf_putc(out, '"');
			base64_put(out, v->bytes);
			buf_putc(out, '"');
			break;
	}
}

/* NULL when the JSON form says the type already. */
static const char *
annotation(const Value *v)
{
	switch (v->type)
	{
		case VT_INT64:
			return "Edm.Int64";
		case VT_DATETIME:
			return "Edm.DateTime";
		case VT_GUID:
			return "Edm.Guid";
		case VT_BINARY:
			return "Edm.Binary";
		case VT_DOUBLE:
			return isfinite(v->f64) ? NULL : "Edm.Double";
		default:
			return NULL;
	}
}

static void
put_property(const Renderer *r, Buf *out, Span name, const Value *v)
{
	const char *type = r->level > LEVEL_NONE ? annotation(v) : NULL;

	buf_need(out, name.n * 2 + 64);
	if (type != NULL)
	{
		BUF_LIT(out, "\"");
		buf_span(out, name);
		BUF_LIT(out, "@odata.type\":\"");
		buf_puts(out, type);
		BUF_LIT(out, "\",");
	}
	BUF_LIT(out, "\"");
	buf_span(out, name);
	BUF_LIT(out, "\":");
	put_value(out, v);
	buf_putc(out, ',');
}

static void
put_all(const Renderer *r, Buf *out, Span blob)
{
	BlobReader	reader;
	Span		name;
	Value		v;

	blob_open(&reader, blob);
	while (blob_next(&reader, &name, &v))
		put_property(r, out, name, &v);
}

/* In the order of $select; what the entity lacks is null. */
static void
put_selected(const Renderer *r, Buf *out, Span blob)
{
	for (int i = 0; i < r->select.n; i++)
	{
		Span		wanted = r->select.names[i];
		BlobReader	reader;
		Span		name;
		Value		v;
		bool		found = false;

		if (span_eq(wanted, SPAN("PartitionKey")) ||
			span_eq(wanted, SPAN("RowKey")) ||
			span_eq(wanted, SPAN("Timestamp")))
			continue;
		blob_open(&reader, blob);
		while (!found && blob_next(&reader, &name, &v))
			found = span_eq(name, wanted);
		if (found)
			put_property(r, out, name, &v);
		else
		{
			json_string(out, wanted);
			BUF_LIT(out, ":null,");
		}
	}
}

static void
put_system(const Renderer *r, Buf *out, const Cursor *row, const char *time,
		   size_t time_len)
{
	if (is_selected(&r->select, SPAN("PartitionKey")))
	{
		BUF_LIT(out, "\"PartitionKey\":");
		json_key(out, row->pk);
		buf_putc(out, ',');
	}
	if (is_selected(&r->select, SPAN("RowKey")))
	{
		BUF_LIT(out, "\"RowKey\":");
		json_key(out, row->rk);
		buf_putc(out, ',');
	}
	if (is_selected(&r->select, SPAN("Timestamp")))
	{
		if (r->level == LEVEL_FULL)
			BUF_LIT(out, "\"Timestamp@odata.type\":\"Edm.DateTime\",");
		BUF_LIT(out, "\"Timestamp\":\"");
		buf_put(out, time, time_len);
		BUF_LIT(out, "\",");
	}
}

void
render_entity(const Renderer *r, Buf *out, const Cursor *row, bool single)
{
	char		time[TIMESTAMP_MAX];
	size_t		time_len = timestamp_format(time, blob_ticks(row->blob));

	buf_putc(out, '{');
	if (single)
		render_metadata(r, out, true);
	if (r->level == LEVEL_FULL)
		put_full(r, out, row);
	if (r->level > LEVEL_NONE)
		put_etag(out, time, time_len);
	if (r->level == LEVEL_FULL)
	{
		BUF_LIT(out, "\"odata.editLink\":\"");
		render_path(out, r->context->arena, r->table, row->pk, row->rk);
		BUF_LIT(out, "\",");
	}
	put_system(r, out, row, time, time_len);
	if (r->select.names)
		put_selected(r, out, row->blob);
	else
		put_all(r, out, row->blob);
	if (out->p[out->n - 1] == ',')
		out->n--;
	buf_putc(out, '}');
}
