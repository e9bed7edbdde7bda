/*
 * ops_mock.c
 *	  Everything under /__mock/: journal, counters, faults, reset.
 *
 * Needs no signature and is itself never journalled, counted or hit by a
 * fault, so a test can look without changing what it looks at.
 */
#include "router.h"

#include "clock.h"
#include "cors.h"
#include "operation.h"
#include "park.h"
#include "zombie.h"
#include "queue_store.h"

static void
answer(Request *r, int status, const char *type)
{
	r->reply.status = status;
	r->reply.content_type = type;
}

static void
answer_text(Request *r, int status, const char *text)
{
	buf_printf(&r->reply.body, "%s\n", text);
	answer(r, status, "text/plain;charset=utf-8");
}

static void
serve_journal(Request *r, bool get, bool delete)
{
	if (get)
	{
		journal_print(&r->reply.body);
		answer(r, 200, "text/plain;charset=utf-8");
	}
	else if (delete)
	{
		journal_reset();
		answer(r, 204, NULL);
	}
	else
		answer_text(r, 405, "use GET or DELETE");
}

static void
serve_counters(Request *r, bool get, bool delete)
{
	if (get)
	{
		counters_print(&r->reply.body);
		answer(r, 200, "application/json");
	}
	else if (delete)
	{
		counters_reset();
		answer(r, 204, NULL);
	}
	else
		answer_text(r, 405, "use GET or DELETE");
}

static void
serve_faults(Request *r, bool get, bool delete, bool post)
{
	const char *wrong = NULL;

	if (get)
	{
		fault_print(&r->reply.body);
		answer(r, 200, "application/json");
	}
	else if (delete)
	{
		fault_clear();
		park_release_silent();
		park_release(NULL);
		answer(r, 204, NULL);
	}
	else if (post)
	{
		wrong = fault_add(&r->arena, (Span) {r->body.p, r->body.n});
		if (wrong)
			answer_text(r, 400, wrong);
		else
			answer(r, 204, NULL);
	}
	else
		answer_text(r, 405, "use GET, POST or DELETE");
}

/* {"freeze": time or true, "advance_ms": n}; NULL or what is wrong. */
static const char *
set_clock(Request *r)
{
	Entity		e;
	const char *detail;
	int64_t		ticks;
	bool		freeze;

	if (entity_from_json(&r->arena, (Span) {r->body.p, r->body.n}, &e,
						 &detail) != ERR_NONE)
		return "the body must be a JSON object";
	for (int i = 0; i < e.nprops; i++)
	{
		const Value *v = &e.props[i].value;

		freeze = span_eq(e.props[i].name, SPAN("freeze"));
		if (freeze && v->type == VT_BOOL && v->b)
			mock_clock_freeze(mock_clock_now());
		else if (freeze && v->type == VT_STRING &&
				 timestamp_parse(v->bytes, &ticks))
			mock_clock_freeze(ticks);
		else if (span_eq(e.props[i].name, SPAN("advance_ms")) &&
				 v->type == VT_INT32)
			mock_clock_advance(v->i64 * (TICKS_PER_SECOND / 1000));
		else
			return "there are freeze (a time or true) and advance_ms";
	}
	return NULL;
}

static void
serve_clock(Request *r, bool get, bool delete, bool post)
{
	char		now[TIMESTAMP_MAX];
	const char *wrong = post ? set_clock(r) : NULL;

	if (delete)
		mock_clock_reset();
	if (wrong)
		answer_text(r, 400, wrong);
	else if (get || post || delete)
	{
		timestamp_format(now, mock_clock_now());
		buf_printf(&r->reply.body, "{\"now\":\"%s\",\"frozen\":%s}\n", now,
				   mock_clock_is_frozen() ? "true" : "false");
		answer(r, 200, "application/json");
	}
	else
		answer_text(r, 405, "use GET, POST or DELETE");
}

/* /__mock/release?point=NAME, or all points. */
static void
serve_release(Request *r)
{
	Command		query = {.nparams = 0};
	const char *mark = strchr(r->uri, '?');
	const Span *point;
	int			n;

	if (mark && command_query(&r->arena, span_of(mark + 1),
							  &query) != ERR_NONE)
	{
		answer_text(r, 400, "the query is not valid");
		return;
	}
	point = command_param(&query, "point");
	n = zombie_release(point ? point->p : NULL);
	n += park_release(point ? point->p : NULL);
	buf_printf(&r->reply.body, "{\"released\":%d}\n", n);
	answer(r, 200, "application/json");
}

static void
serve_reset(Request *r, Store *store)
{
	StoreResult result;

	store_lock(store);
	result = store_reset(store);
	if (result == STORE_OK)
		result = queue_store_reset(store);
	cors_changed(store);
	store_unlock(store);
	if (result == STORE_OK)
		answer(r, 204, NULL);
	else
		answer_text(r, 500, "SQLite failed, see the log");
}

bool
mock_is_asked(const char *uri)
{
	return strncmp(uri, "/__mock/", 8) == 0;
}

void
mock_execute(Request *r, Store *store)
{
	Span		path = {r->uri + 8, strcspn(r->uri + 8, "?")};
	bool		get = strcmp(r->method, "GET") == 0;
	bool		delete = strcmp(r->method, "DELETE") == 0;
	bool		post = strcmp(r->method, "POST") == 0;

	if (span_eq(path, SPAN("journal")))
		serve_journal(r, get, delete);
	else if (span_eq(path, SPAN("journal/reset")))
		serve_journal(r, false, post);
	else if (span_eq(path, SPAN("counters")))
		serve_counters(r, get, delete);
	else if (span_eq(path, SPAN("counters/reset")))
		serve_counters(r, false, post);
	else if (span_eq(path, SPAN("faults")))
		serve_faults(r, get, delete, post);
	else if (span_eq(path, SPAN("clock")))
		serve_clock(r, get, delete, post);
	else if (span_eq(path, SPAN("paused")) && get)
	{
		park_print(&r->reply.body);
		answer(r, 200, "application/json");
	}
	else if (span_eq(path, SPAN("release")) && post)
		serve_release(r);
	else if (span_eq(path, SPAN("reset")) && post)
		serve_reset(r, store);
	else
		answer_text(r, 404, "there are journal, journal/reset, counters, "
					"counters/reset, faults, clock, paused and (by POST) "
					"release and reset");
}
