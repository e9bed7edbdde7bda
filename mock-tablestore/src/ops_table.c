/*
 * ops_table.c
 *	  Create, list, get and delete tables.
 *
 * Names compare without case and are shown as they were created; the list is
 * ordered by the lower-case name.  Deleting takes effect at once (the real
 * service may answer TableBeingDeleted for a while).
 */
#include "operation.h"

#include <ctype.h>

#include "acl.h"
#include "filter.h"
#include "json.h"
#include "sas.h"

#define MIN_TABLE_NAME 3
#define MAX_TABLE_NAME 63

static ErrCode
check_name(Span name, const char **detail)
{
	if (name.n < MIN_TABLE_NAME || name.n > MAX_TABLE_NAME)
	{
		*detail = "The specified resource name length is not within the "
			"permissible limits.";
		return ERR_OUT_OF_RANGE;
	}
	for (size_t i = 0; i < name.n; i++)
	{
		unsigned char c = (unsigned char) name.p[i];

		if (c >= 0x80 || !isalnum(c) || (i == 0 && isdigit(c)))
			return ERR_INVALID_RESOURCE_NAME;
	}
	if (span_eq_nocase(name, SPAN("tables")))
		return ERR_INVALID_RESOURCE_NAME;
	return ERR_NONE;
}

ErrCode
table_missing(Span name, const char **detail)
{
	ErrCode		err = check_name(name, detail);

	return err == ERR_NONE ? ERR_TABLE_NOT_FOUND : err;
}

/* {"TableName":"x"} with what the metadata level adds. */
static void
put_table(Context *c, Level level, Span name, bool single, Buf *out)
{
	int			n = (int) name.n;

	buf_putc(out, '{');
	if (single && level > LEVEL_NONE)
		buf_printf(out, "\"odata.metadata\":\"%s/$metadata#Tables/@Element\",",
				   c->base_url);
	if (level == LEVEL_FULL)
		buf_printf(out, "\"odata.type\":\"%s.Tables\",\"odata.id\":"
				   "\"%s/Tables('%.*s')\",\"odata.editLink\":"
				   "\"Tables('%.*s')\",", c->account, c->base_url, n, name.p,
				   n, name.p);
	BUF_LIT(out, "\"TableName\":");
	json_string(out, name);
	buf_putc(out, '}');
}

static ErrCode
answer_table(Context *c, const Command *cmd, Span name, int status,
			 Reply *reply)
{
	put_table(c, cmd->level, name, true, &reply->body);
	reply->content_type = content_type_of(cmd->level, true);
	reply->status = status;
	return ERR_NONE;
}

ErrCode
table_create(Context *c, const Command *cmd, Reply *reply)
{
	Entity		e;
	Span		name = {NULL, 0};
	StoreResult result;
	const char *location;
	ErrCode		err;

	if (!cmd->no_content && cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	err = entity_from_json(c->arena, cmd->body, &e, &reply->detail);
	if (err != ERR_NONE)
		return err;
	for (int i = 0; i < e.nprops; i++)
	{
		if (span_eq(e.props[i].name, SPAN("TableName")) &&
			!e.props[i].is_null && e.props[i].value.type == VT_STRING)
			name = e.props[i].value.bytes;
	}
	if (name.p == NULL)
		return ERR_PROPERTIES_NEED_VALUE;
	err = check_name(name, &reply->detail);
	if (err != ERR_NONE)
		return err;
	store_lock(c->store);
	result = store_table_create(c->store, c->account, name);
	store_unlock(c->store);
	if (result != STORE_OK)
		return result == STORE_EXISTS ? ERR_TABLE_EXISTS : ERR_INTERNAL;
	location = arena_printf(c->arena, "%s/Tables('%.*s')", c->base_url,
							(int) name.n, name.p);
	reply_header(reply, "Location", location);
	if (cmd->has_prefer)
		reply_header(reply, "Preference-Applied", cmd->no_content ?
					 "return-no-content" : "return-content");
	if (cmd->no_content)
	{
		reply_header(reply, "DataServiceId", location);
		reply->status = 204;
		return ERR_NONE;
	}
	return answer_table(c, cmd, name, 201, reply);
}

ErrCode
table_delete(Context *c, const Command *cmd, Reply *reply)
{
	StoreResult result;

	store_lock(c->store);
	acl_forget(c, SERVICE_TABLE, cmd->table);
	result = store_table_drop(c->store, c->account, cmd->table);
	store_unlock(c->store);
	if (result == STORE_NOT_FOUND)
		return ERR_RESOURCE_NOT_FOUND;
	reply->status = 204;
	return result == STORE_OK ? ERR_NONE : ERR_INTERNAL;
}

ErrCode
table_get(Context *c, const Command *cmd, Reply *reply)
{
	const Table *table;
	Span		name;

	if (cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	store_lock(c->store);
	table = store_table_find(c->store, c->account, cmd->table);
	if (table)
		name = arena_span(c->arena, span_of(table->name));
	store_unlock(c->store);
	if (table == NULL)
		return ERR_RESOURCE_NOT_FOUND;
	return answer_table(c, cmd, name, 200, reply);
}

ErrCode
table_acl(Context *c, const Command *cmd, Reply *reply)
{
	ErrCode		err = ERR_NONE;

	store_lock(c->store);
	if (store_table_find(c->store, c->account, cmd->table) == NULL)
	{
		/* A resource, says the front end, where a query says a table. */
		err = table_missing(cmd->table, &reply->detail);
		if (err == ERR_TABLE_NOT_FOUND)
			err = ERR_RESOURCE_NOT_FOUND;
	}
	else if (cmd->op == OP_ACL_SET)
		err = acl_store(c, SERVICE_TABLE, cmd->table, cmd->body,
						&reply->detail);
	else
		err = acl_print(c, SERVICE_TABLE, cmd->table, &reply->body);
	store_unlock(c->store);
	reply->status = cmd->op == OP_ACL_SET ? 204 : 200;
	if (cmd->op == OP_ACL_GET)
		reply->content_type = "application/xml";
	return err;
}

/* A table as an entity of one property, for the filter's sake. */
static bool
table_matches(Arena *a, const Filter *f, const Table *table)
{
	Property	prop = {.name = SPAN("TableName")};
	Entity		e = {.props = &prop,.nprops = 1};
	FilterRow	row = {.pk = SPAN(""),.rk = SPAN("")};

	if (f->root == NULL)
		return true;
	prop.value.type = VT_STRING;
	prop.value.bytes = span_of(table->name);
	entity_encode(a, &e, 0, 0, &row.blob);
	row.values = arena_alloc(a, sizeof(Value) * (size_t) (f->nslots + 1));
	row.present = arena_zalloc(a, sizeof(bool) * (size_t) (f->nslots + 1));
	return filter_match(f, &row);
}

ErrCode
table_list(Context *c, const Command *cmd, Reply *reply)
{
	const Span *filter_text = command_param(cmd, "$filter");
	const Table *table;
	Filter		filter;
	Span		from = SPAN("");
	int			limit;
	int			n = 0;
	ErrCode		err = page_limit(cmd, &limit);

	if (cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	if (err == ERR_NONE)
		err = filter_parse(c->arena, filter_text ? *filter_text : SPAN(""),
						   &filter, &reply->detail);
	if (err == ERR_NONE &&
		!token_read(c->arena, command_param(cmd, "NextTableName"), &from))
		err = ERR_INVALID_INPUT;
	if (err != ERR_NONE)
		return err;
	buf_putc(&reply->body, '{');
	if (cmd->level > LEVEL_NONE)
		buf_printf(&reply->body, "\"odata.metadata\":\"%s/$metadata#Tables\",",
				   c->base_url);
	BUF_LIT(&reply->body, "\"value\":[");
	store_lock(c->store);
	for (int i = 0; (table = store_table_at(c->store, c->account, from, i));
		 i++)
	{
		if (n == limit)
		{
			reply_header(reply, "x-ms-continuation-NextTableName",
						 token_make(c->arena, span_of(table->name)));
			break;
		}
		if (!table_matches(c->arena, &filter, table))
			continue;
		if (n++ > 0)
			buf_putc(&reply->body, ',');
		put_table(c, cmd->level, span_of(table->name), false, &reply->body);
	}
	store_unlock(c->store);
	BUF_LIT(&reply->body, "]}");
	reply->content_type = content_type_of(cmd->level, true);
	reply->status = 200;
	return ERR_NONE;
}
