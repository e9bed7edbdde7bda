/*
 * ops_mock.c
 *	  Everything under /__mock/: journal, counters, faults, reset.
 *
 * Needs no signature and is itself never journalled, counted or hit by a
 * fault, so a test can look without changing what it looks at.
 */
#include "router.h"

#include "operation.h"
#include "park.h"

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

static void
serve_reset(Request *r, Store *store)
{
	StoreResult result;

	store_lock(store);
	result = store_reset(store);
	store_unlock(store);
	if (result == STORE_OK)
		answer(r, 204, NULL);
	else
		answer_text(r, 500, "SQLite failed, see the log");
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
	else if (span_eq(path, SPAN("reset")) && post)
		serve_reset(r, store);
	else
		answer_text(r, 404, "there are journal, journal/reset, counters, "
					"counters/reset, faults and (by POST) reset");
}
