/*
 * ops_entity.c
 *	  One entity: point get, insert, replace, merge, upserts, delete.
 *
 * A write has two halves so that a batch can check all of its bodies before
 * it takes the lock: write_prepare reads, write_apply changes the store.
 * Easy to break: every stored blob gets a new tick, and the ETag is that
 * tick, so an ETag can never come back.
 */
#include "operation.h"

#include "encode.h"
#include "render.h"
#include "sas.h"

ErrCode
entity_get(Context *c, const Command *cmd, Reply *reply)
{
	Renderer	r = {.context = c,.level = cmd->level};
	const Table *table;
	Cursor		row;
	StoreResult result;
	ErrCode		err = ERR_NONE;
	size_t		units;

	if (cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	if (!utf16_length(cmd->pk, &units) || !utf16_length(cmd->rk, &units))
		return ERR_INVALID_INPUT;
	row.pk = key_form(c->arena, cmd->pk);
	row.rk = key_form(c->arena, cmd->rk);
	select_parse(c->arena, command_param(cmd, "$select"), &r.select);
	if (c->grant && !grant_covers(c->grant, row.pk, row.rk))
		return ERR_AUTHORIZATION_FAILURE;
	store_lock(c->store);
	table = store_table_find(c->store, c->account, cmd->table);
	if (table == NULL)
		err = table_missing(cmd->table, &reply->detail);
	else
	{
		result = store_get(c->store, table->id, row.pk, row.rk, &row.blob);
		if (result != STORE_OK)
			err = result == STORE_NOT_FOUND ? ERR_RESOURCE_NOT_FOUND :
				ERR_INTERNAL;
		else
		{
			r.table = arena_span(c->arena, span_of(table->name));
			row.blob = arena_span(c->arena, row.blob);
		}
	}
	store_unlock(c->store);
	if (err != ERR_NONE)
		return err;
	buf_need(&reply->body, 2 * row.blob.n + 512);	/* mostly enough */
	render_entity(&r, &reply->body, &row, true);
	reply_header(reply, "ETag", etag_of(c->arena, blob_ticks(row.blob)));
	reply->content_type = content_type_of(cmd->level, true);
	reply->status = 200;
	reply->entities_out = 1;
	return err;
}

static ErrCode
check_content_type(const char *type)
{
	if (type == NULL || strncasecmp(type, "application/json", 16) == 0)
		return ERR_NONE;
	if (strncasecmp(type, "application/atom", 16) == 0)
		return ERR_ATOM_NOT_SUPPORTED;
	return ERR_MEDIA_TYPE;
}

/* No If-None-Match, and If-Match is "*" or something like an ETag. */
static ErrCode
check_if_match(Arena *a, const Command *cmd, const char **detail)
{
	const char *etag = cmd->if_match;
	size_t		start;

	if (cmd->has_if_none_match)
	{
		*detail = etag ? "Both If-Match and If-None-Match HTTP headers cannot "
			"be specified at the same time. Please specify either one of the "
			"headers or none of them." : cmd->op == OP_DELETE ?
			"If-None-Match HTTP header cannot be specified for DELETE "
			"operations." : "If-None-Match HTTP header cannot be specified "
			"for PUT operations.";
		return ERR_INVALID_INPUT;
	}
	if (etag == NULL || strcmp(etag, "*") == 0)
		return ERR_NONE;
	start = strncmp(etag, "W/", 2) == 0 ? 2 : 0;
	if (etag[start] == '"')
	{
		const char *end = strchr(etag + start + 1, '"');

		if (end && end[1] == '\0')
			return ERR_NONE;
	}
	*detail = arena_printf(a, "The etag value '%s' specified in one of the "
						   "request headers is not valid. Please make sure "
						   "only one etag value is specified and is valid.",
						   etag);
	return ERR_INVALID_INPUT;
}

/* The keys an insert has in its body, all others in the URL. */
static ErrCode
choose_keys(Context *c, Write *w, const char **detail)
{
	const Command *cmd = w->cmd;
	Entity	   *e = &w->entity;
	ErrCode		err;

	if (cmd->op == OP_INSERT)
	{
		if (!e->has_pk || !e->has_rk)
			return ERR_PROPERTIES_NEED_VALUE;
	}
	else
	{
		if ((e->has_pk && !span_eq(e->pk, cmd->pk)) ||
			(e->has_rk && !span_eq(e->rk, cmd->rk)))
		{
			*detail = "One of the request inputs is not valid. The keys in "
				"the body differ from those in the URL.";
			return ERR_INVALID_INPUT;
		}
		e->pk = cmd->pk;
		e->rk = cmd->rk;
		err = key_check(e->pk, "PartitionKey", c->arena, detail);
		if (err == ERR_NONE)
			err = key_check(e->rk, "RowKey", c->arena, detail);
		if (err != ERR_NONE)
			return err;
	}
	w->pk = key_form(c->arena, e->pk);
	w->rk = key_form(c->arena, e->rk);
	return ERR_NONE;
}

/* Read the body and check all that needs no look at the store. */
ErrCode
write_prepare(Context *c, const Command *cmd, Write *w, Reply *reply)
{
	ErrCode		err = ERR_NONE;
	Span		blob;

	memset(w, 0, sizeof(*w));
	w->cmd = cmd;
	if (cmd->op == OP_INSERT && !cmd->no_content &&
		cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	if (cmd->op != OP_INSERT)
		err = check_if_match(c->arena, cmd, &reply->detail);
	if (err == ERR_NONE && cmd->op == OP_DELETE && cmd->if_match == NULL)
		return ERR_MISSING_HEADER;
	if (err == ERR_NONE && cmd->op != OP_DELETE)
	{
		err = check_content_type(cmd->content_type);
		if (err == ERR_NONE)
			err = entity_from_json(c->arena, cmd->body, &w->entity,
								   &reply->detail);
	}
	if (err == ERR_NONE)
		err = choose_keys(c, w, &reply->detail);
	if (err == ERR_NONE && c->grant && !grant_covers(c->grant, w->pk, w->rk))
		err = ERR_AUTHORIZATION_FAILURE;
	/* Limits of what is written; a merge is checked again when merged. */
	if (err == ERR_NONE && cmd->op != OP_DELETE)
		err = entity_encode(c->arena, &w->entity, w->pk.n + w->rk.n, 0, &blob);
	return err;
}

static ErrCode
error_of(StoreResult result)
{
	switch (result)
	{
		case STORE_OK:
			return ERR_NONE;
		case STORE_NOT_FOUND:
			return ERR_RESOURCE_NOT_FOUND;
		case STORE_EXISTS:
			return ERR_ENTITY_EXISTS;
		case STORE_FAILED:
			break;
	}
	return ERR_INTERNAL;
}

/* Does If-Match allow to change what is there?  Not called for upserts. */
static ErrCode
check_condition(Context *c, const Write *w, int64_t table)
{
	Span		old;
	StoreResult result = store_get(c->store, table, w->pk, w->rk, &old);

	if (result != STORE_OK)
		return error_of(result);
	if (strcmp(w->cmd->if_match, "*") == 0 ||
		strcmp(w->cmd->if_match, etag_of(c->arena, blob_ticks(old))) == 0)
		return ERR_NONE;
	return ERR_CONDITION_NOT_MET;
}

static ErrCode
apply_merge(Context *c, const Write *w, int64_t table, int64_t ticks,
			Span *blob)
{
	Span		old;
	size_t		key_bytes = w->pk.n + w->rk.n;
	StoreResult result = store_get(c->store, table, w->pk, w->rk, &old);
	ErrCode		err;

	if (result == STORE_NOT_FOUND)
		err = entity_encode(c->arena, &w->entity, key_bytes, ticks, blob);
	else if (result == STORE_OK)
		err = entity_merge(c->arena, old, &w->entity, key_bytes, ticks, blob);
	else
		err = ERR_INTERNAL;
	if (err == ERR_NONE)
		err = error_of(store_put(c->store, table, w->pk, w->rk, *blob));
	return err;
}

static ErrCode
apply_to_table(Context *c, const Write *w, int64_t table, int64_t ticks,
			   Span *blob)
{
	ErrCode		err = ERR_NONE;

	if (w->cmd->op == OP_DELETE)
	{
		err = check_condition(c, w, table);
		if (err == ERR_NONE)
			err = error_of(store_delete(c->store, table, w->pk, w->rk));
		return err;
	}
	if (w->cmd->op == OP_MERGE)
	{
		if (w->cmd->if_match)
			err = check_condition(c, w, table);
		return err == ERR_NONE ? apply_merge(c, w, table, ticks, blob) : err;
	}
	if (w->cmd->op == OP_REPLACE && w->cmd->if_match)
		err = check_condition(c, w, table);
	if (err == ERR_NONE)
		err = entity_encode(c->arena, &w->entity, w->pk.n + w->rk.n, ticks,
							blob);
	if (err != ERR_NONE)
		return err;
	if (w->cmd->op == OP_INSERT)
		return error_of(store_insert(c->store, table, w->pk, w->rk, *blob));
	return error_of(store_put(c->store, table, w->pk, w->rk, *blob));
}

/* 201 with the entity, or 204 with where it is. */
static void
answer_insert(Context *c, const Write *w, const Table *table, Span blob,
			  Reply *reply)
{
	const Command *cmd = w->cmd;
	Renderer	r = {.context = c,.level = cmd->level,
	.table = span_of(table->name)};
	Cursor		row = {w->pk, w->rk, blob};
	Buf			location = {0};
	const char *copy;

	buf_puts(&location, c->base_url);
	buf_putc(&location, '/');
	render_path(&location, c->arena, r.table, w->pk, w->rk);
	copy = arena_strdup(c->arena, (Span) {location.p, location.n});
	buf_free(&location);
	reply_header(reply, "Location", copy);
	if (cmd->has_prefer)
		reply_header(reply, "Preference-Applied", cmd->no_content ?
					 "return-no-content" : "return-content");
	if (cmd->no_content)
	{
		reply_header(reply, "DataServiceId", copy);
		return;
	}
	render_entity(&r, &reply->body, &row, true);
	reply->status = 201;
	reply->content_type = content_type_of(cmd->level, true);
}

/* Under the store's lock, within a transaction or as one of its own. */
ErrCode
write_apply(Context *c, const Write *w, Reply *reply)
{
	const Table *table = store_table_find(c->store, c->account,
										  w->cmd->table);
	int64_t		ticks;
	Span		blob = {NULL, 0};
	ErrCode		err;

	if (table == NULL)
		return table_missing(w->cmd->table, &reply->detail);
	ticks = store_tick(c->store);
	err = apply_to_table(c, w, table->id, ticks, &blob);
	if (err != ERR_NONE)
		return err;
	reply->status = 204;
	reply->entities_in = 1;
	if (w->cmd->op == OP_INSERT)
		answer_insert(c, w, table, blob, reply);
	if (w->cmd->op != OP_DELETE)
		reply_header(reply, "ETag", etag_of(c->arena, ticks));
	return ERR_NONE;
}

ErrCode
entity_write(Context *c, const Command *cmd, Reply *reply)
{
	Write		w;
	ErrCode		err = write_prepare(c, cmd, &w, reply);

	if (err != ERR_NONE)
		return err;
	store_lock(c->store);
	err = write_apply(c, &w, reply);
	store_unlock(c->store);
	return err;
}
