/*
 * ops_query.c
 *	  A page of entities: $filter, $select, $top and continuation tokens.
 *
 * Walks only the key ranges the filter allows and stops at the page's end;
 * the token is the first key not looked at, so a page can be empty although
 * a token follows (as with the real service).  Easy to break: a token holds
 * for the same filter only, the client sends both again.
 */
#include "operation.h"

#include <stdlib.h>

#include "encode.h"
#include "fault.h"
#include "filter.h"
#include "limits.h"
#include "render.h"
#include "sas.h"
#include "timestamp.h"

#define MAX_PAGE 1000

/* A page ends after this long, however few rows it found. */
#define MAX_PAGE_SECONDS 5

#define MAX_TOKEN_BYTES 8192

/* In front of an odd token; the rest is a usual one. */
#define ODD_PREFIX "0!+ =/%41%zz&?#'\";,:@ "

/* How many rows a query looks at before it lets others have the store. */
#define ROWS_PER_TURN 4096

/* 1!LENGTH!BASE64 with - for =, the real service's form. */
const char *
token_make(Arena *a, Span text)
{
	Buf			b = {0};
	const char *token;

	base64_put(&b, text);
	for (size_t i = 0; i < b.n; i++)
	{
		if (b.p[i] == '=')
			b.p[i] = '-';
	}
	token = arena_printf(a, "1!%d!%.*s", (int) b.n, (int) b.n,
						 b.p ? b.p : "");
	buf_free(&b);
	return token;
}

/* A token with whatever a client may forget to encode. */
static const char *
token_odd(Arena *a, const char *token)
{
	return arena_printf(a, "%s%s", ODD_PREFIX, token);
}

/* True for a missing token too, leaving *text as it was. */
bool
token_read(Arena *a, const Span *sent, Span *text)
{
	Span		rest = sent ? *sent : SPAN("");
	const Span *token = sent ? &rest : NULL;
	const char *bang;
	char	   *copy;
	size_t		n;
	size_t		units;

	if (token == NULL)
		return true;
	if (span_starts(rest, SPAN(ODD_PREFIX)))
		rest = span_skip(rest, sizeof(ODD_PREFIX) - 1);
	if (token->n < 3 || token->n > MAX_TOKEN_BYTES ||
		memcmp(token->p, "1!", 2) != 0)
		return false;
	bang = memchr(token->p + 2, '!', token->n - 2);
	if (bang == NULL || bang == token->p + 2 ||
		strspn(token->p + 2, "0123456789") != (size_t) (bang - token->p - 2))
		return false;
	n = token->n - (size_t) (bang + 1 - token->p);
	if (strtoul(token->p + 2, NULL, 10) != n)
		return false;
	copy = arena_strdup(a, (Span) {bang + 1, n});
	for (size_t i = 0; i < n; i++)
	{
		if (copy[i] == '-')
			copy[i] = '=';
	}
	return base64_decode(a, (Span) {copy, n}, text) &&
		utf16_length(*text, &units);
}

ErrCode
page_limit(const Command *cmd, int *limit)
{
	const Span *top = command_param(cmd, "$top");
	char	   *end;
	long		n;

	*limit = MAX_PAGE;
	if (top == NULL)
		return ERR_NONE;
	if (top->n == 0 || top->n > 9 ||
		strspn(top->p, "0123456789") != top->n)
		return ERR_INVALID_INPUT;
	n = strtol(top->p, &end, 10);
	if (n < 1 || n > MAX_PAGE)
		return ERR_INVALID_INPUT;
	*limit = (int) n;
	return ERR_NONE;
}

typedef struct Page
{
	Context    *context;
	Renderer	renderer;
	Filter		filter;
	KeyRange   *ranges;
	int			nranges;
	Span		from_pk;		/* the token, in key form */
	Span		from_rk;
	int			limit;
	Cursor	   *rows;			/* copies, rendered without the lock */
	int			count;			/* rows on the page */
	size_t		bytes;			/* of these rows */
	int64_t		deadline;		/* ticks */
	unsigned	scanned;		/* rows looked at */
	bool		full;			/* stop: the token has been set */
	bool		by_partition;	/* ends where another partition begins */
	bool		odd_token;
	bool		no_row_key;		/* of a token between two partitions */
	Span		partition;		/* of the first row looked at, key form */
	FilterRow	row;
} Page;

static int
compare_keys(Span pk1, Span rk1, Span pk2, Span rk2)
{
	int			c = span_cmp(pk1, pk2);

	return c ? c : span_cmp(rk1, rk2);
}

/* What a fault rule or --limits changes about the page. */
static void
follow_script(Page *page, const Fault *script)
{
	page->by_partition = limits_on();
	if (script == NULL)
		return;
	if (script->page_size >= 0 && script->page_size < page->limit)
		page->limit = script->page_size;
	page->by_partition |= script->no_row_key;
	page->no_row_key = script->no_row_key;
	page->odd_token = script->odd_token;
}

static ErrCode
page_prepare(Page *page, const Command *cmd, Reply *reply)
{
	Arena	   *a = page->context->arena;
	const Span *filter = command_param(cmd, "$filter");
	const Span *next_row = command_param(cmd, "NextRowKey");
	ErrCode		err;

	if (cmd->level == LEVEL_UNSUPPORTED)
		return ERR_ATOM_NOT_SUPPORTED;
	err = page_limit(cmd, &page->limit);
	if (err == ERR_NONE)
		err = filter_parse(a, filter ? *filter : SPAN(""), &page->filter,
						   &reply->detail);
	if (err != ERR_NONE)
		return err;
	page->from_pk = page->from_rk = SPAN("");
	if (next_row && next_row->n == 0)
		next_row = NULL;		/* how some clients say "no row key" */
	if (!token_read(a, command_param(cmd, "NextPartitionKey"),
					&page->from_pk) ||
		!token_read(a, next_row, &page->from_rk))
		return ERR_INVALID_INPUT;
	page->from_pk = key_form(a, page->from_pk);
	page->from_rk = key_form(a, page->from_rk);
	page->ranges = filter_ranges(a, &page->filter, &page->nranges);
	if (page->context->grant)
		page->nranges = grant_clip(page->context->grant, page->ranges,
								   page->nranges);
	select_parse(a, command_param(cmd, "$select"), &page->renderer.select);
	page->rows = arena_alloc(a, sizeof(Cursor) * (size_t) (page->limit + 1));
	page->row.values = arena_alloc(a, sizeof(Value) *
								   (size_t) (page->filter.nslots + 1));
	page->row.present = arena_alloc(a, sizeof(bool) *
									(size_t) (page->filter.nslots + 1));
	follow_script(page, page->context->page_script);
	page->deadline = timestamp_now() + MAX_PAGE_SECONDS * TICKS_PER_SECOND;
	return ERR_NONE;
}

static void
set_token(Page *page, const Cursor *at, Reply *reply)
{
	Arena	   *a = page->context->arena;
	const char *pk = token_make(a, key_utf8(a, at->pk));
	const char *rk = token_make(a, key_utf8(a, at->rk));
	bool		between = page->scanned > 0 &&
		!span_eq(page->partition, at->pk);

	page->full = true;
	reply_header(reply, "x-ms-continuation-NextPartitionKey",
				 page->odd_token ? token_odd(a, pk) : pk);
	if (!page->no_row_key || !between)
		reply_header(reply, "x-ms-continuation-NextRowKey",
					 page->odd_token ? token_odd(a, rk) : rk);
}

/* The table again after the lock was given up; NULL when it was dropped. */
static const Table *
find_table(Page *page, const Command *cmd)
{
	Context    *c = page->context;
	const Table *table = store_table_find(c->store, c->account, cmd->table);

	if (table != NULL)
		page->renderer.table = span_of(table->name);
	return table;
}

/* Every so many rows: let others in, then go on where we were. */
static StoreResult
take_turns(Page *page, const Command *cmd, const Cursor *at)
{
	Context    *c = page->context;
	Cursor		copy;
	const Table *table;

	if (page->scanned % ROWS_PER_TURN != 0)
		return STORE_OK;
	copy.pk = arena_span(c->arena, at->pk);
	copy.rk = arena_span(c->arena, at->rk);
	if (!store_yield(c->store))
		return STORE_OK;
	table = find_table(page, cmd);
	if (table == NULL)
		return STORE_NOT_FOUND;
	/* With its NUL, the copy is the successor of the key. */
	copy.rk.n++;
	return store_seek(c->store, table->id, copy.pk, copy.rk);
}

/* Must this row wait for the next page? */
static bool
page_ends(const Page *page, const Cursor *at)
{
	if (page->by_partition && page->scanned > 0 &&
		!span_eq(page->partition, at->pk))
		return true;
	if (limits_on() && page->scanned == LIMITS_PAGE_ROWS)
		return true;
	return page->count == page->limit ||
		(page->scanned % 1024 == 1023 && timestamp_now() > page->deadline);
}

/* Rendering takes longer than this copy, and others wait for the lock. */
static void
add_row(Page *page, const Cursor *at)
{
	Arena	   *a = page->context->arena;
	Cursor	   *row = &page->rows[page->count];
	char	   *copy = arena_alloc(a, at->rk.n + at->blob.n + 1);

	if (page->count > 0 && span_eq(row[-1].pk, at->pk))
		row->pk = row[-1].pk;
	else
		row->pk = arena_span(a, at->pk);
	memcpy(copy, at->rk.p, at->rk.n);
	memcpy(copy + at->rk.n, at->blob.p, at->blob.n);
	row->rk = (Span) {copy, at->rk.n};
	row->blob = (Span) {copy + at->rk.n, at->blob.n};
	page->count++;
	page->bytes += at->pk.n + at->rk.n + at->blob.n;
}

static void
render_page(Page *page, Buf *out)
{
	/* Most pages fit; growing would copy what is there. */
	buf_need(out, 256 + page->bytes + 128 * (size_t) page->count);
	buf_putc(out, '{');
	render_metadata(&page->renderer, out, false);
	BUF_LIT(out, "\"value\":[");
	for (int i = 0; i < page->count; i++)
	{
		if (i > 0)
			buf_putc(out, ',');
		render_entity(&page->renderer, out, &page->rows[i], false);
	}
	BUF_LIT(out, "]}");
}

static ErrCode
scan_range(Page *page, const Command *cmd, const KeyRange *range,
		   int64_t table, Reply *reply)
{
	Store	   *store = page->context->store;
	bool		resume = compare_keys(page->from_pk, page->from_rk,
									  range->lo_pk, range->lo_rk) > 0;
	Cursor		at;
	StoreResult result;

	result = store_seek(store, table,
						resume ? page->from_pk : range->lo_pk,
						resume ? page->from_rk : range->lo_rk);
	while (result == STORE_OK && (result = store_next(store, &at)) == STORE_OK)
	{
		if (!range->no_hi && compare_keys(at.pk, at.rk, range->hi_pk,
										  range->hi_rk) >= 0)
			break;
		if (page_ends(page, &at))
		{
			set_token(page, &at, reply);
			break;
		}
		if (page->by_partition && page->scanned == 0)
			page->partition = arena_span(page->context->arena, at.pk);
		page->scanned++;
		page->row.pk = at.pk;
		page->row.rk = at.rk;
		page->row.blob = at.blob;
		if (filter_match(&page->filter, &page->row))
		{
			add_row(page, &at);
		}
		result = take_turns(page, cmd, &at);
	}
	store_seek_end(store);
	return result == STORE_FAILED ? ERR_INTERNAL : ERR_NONE;
}

static ErrCode
scan(Page *page, const Command *cmd, Reply *reply)
{
	const Table *table = find_table(page, cmd);
	ErrCode		err = ERR_NONE;

	if (table == NULL)
		return table_missing(cmd->table, &reply->detail);
	for (int i = 0; i < page->nranges && !page->full && err == ERR_NONE; i++)
	{
		const KeyRange *r = &page->ranges[i];

		/* Ranges that lie before the token are done. */
		if (!r->no_hi && compare_keys(page->from_pk, page->from_rk, r->hi_pk,
									  r->hi_rk) >= 0)
			continue;
		err = scan_range(page, cmd, r, table->id, reply);
		table = find_table(page, cmd);
		if (table == NULL)
			return ERR_TABLE_NOT_FOUND;
	}
	page->renderer.table = arena_span(page->context->arena,
									  page->renderer.table);
	return err;
}

ErrCode
entity_query(Context *c, const Command *cmd, Reply *reply)
{
	Page		page = {.context = c};
	ErrCode		err;

	page.renderer.context = c;
	page.renderer.level = cmd->level;
	err = page_prepare(&page, cmd, reply);
	if (err != ERR_NONE)
		return err;
	store_lock(c->store);
	err = scan(&page, cmd, reply);
	store_unlock(c->store);
	if (err == ERR_NONE)
		render_page(&page, &reply->body);
	if (limits_on() && page.count > 1)
		limits_charge(c->account, cmd->table,
					  key_utf8(c->arena, page.partition), page.count - 1);
	reply->entities_out = page.count;
	reply->content_type = content_type_of(cmd->level, true);
	reply->status = 200;
	return err;
}
