/*
 * fault_json.c
 *	  A fault rule from its JSON text.
 *
 * A misspelt rule would make a test pass for the wrong reason, so everything
 * unknown or of a wrong type is refused, with a text that says what it is.
 */
#include "fault.h"

#include <stdlib.h>
#include <yajl/yajl_tree.h>

typedef struct Reader
{
	Arena	   *arena;
	yajl_val	object;
	const char *wrong;			/* the first complaint */
} Reader;

static const char *const texts[] = {"operation", "table", "partition",
"action", "code", "location", "point", "when"};
static const char *const numbers[] = {"nth", "times", "status", "retry_after",
"ms", "bytes", "page_size"};
static const char *const flags[] = {"no_row_key", "odd_token"};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static bool
is_one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static yajl_val
member(const Reader *r, const char *name)
{
	const char *path[] = {name, NULL};

	return yajl_tree_get(r->object, path, yajl_t_any);
}

static const char *
read_text(const Reader *r, const char *name, const char *fallback)
{
	yajl_val	v = member(r, name);

	return YAJL_IS_STRING(v) ? YAJL_GET_STRING(v) : fallback;
}

static int64_t
read_number(const Reader *r, const char *name, int64_t fallback)
{
	yajl_val	v = member(r, name);

	return YAJL_IS_INTEGER(v) ? YAJL_GET_INTEGER(v) : fallback;
}

static bool
read_flag(const Reader *r, const char *name)
{
	return YAJL_IS_TRUE(member(r, name));
}

/* Every member must be known and of its type; null is as if left out. */
static void
check_members(Reader *r)
{
	for (size_t i = 0; i < YAJL_GET_OBJECT(r->object)->len; i++)
	{
		const char *name = YAJL_GET_OBJECT(r->object)->keys[i];
		yajl_val	v = YAJL_GET_OBJECT(r->object)->values[i];
		bool		text = is_one_of(name, texts, LENGTH(texts));
		bool		number = is_one_of(name, numbers, LENGTH(numbers));
		bool		flag = is_one_of(name, flags, LENGTH(flags));

		if (!text && !number && !flag)
			r->wrong = arena_printf(r->arena, "unknown member \"%s\"", name);
		else if (YAJL_IS_NULL(v))
			continue;
		else if (text && !YAJL_IS_STRING(v))
			r->wrong = arena_printf(r->arena, "%s must be a string", name);
		else if (number && (!YAJL_IS_INTEGER(v) ||
							llabs(YAJL_GET_INTEGER(v)) > INT32_MAX))
			r->wrong = arena_printf(r->arena, "%s must be an integer of 32 "
									"bits", name);
		else if (flag && !YAJL_IS_TRUE(v) && !YAJL_IS_FALSE(v))
			r->wrong = arena_printf(r->arena, "%s must be true or false",
									name);
	}
}

/* Copy a text that must fit. */
static void
copy_text(Reader *r, const char *name, const char *fallback, char *out,
		  size_t room)
{
	const char *text = read_text(r, name, fallback);

	if (strlen(text) >= room)
		r->wrong = arena_printf(r->arena, "%s is too long", name);
	else
		memcpy(out, text, strlen(text) + 1);
}

static const char *
default_code(int status)
{
	return status == 503 ? "ServerBusy" :
		status == 429 ? "TooManyRequests" : "InternalError";
}

static void
read_fault(Reader *r, Fault *fault)
{
	const char *action = read_text(r, "action", "");
	bool		redirect;

	for (int i = 1; i < FAULT_COUNT; i++)
	{
		if (strcmp(action, fault_name((FaultAction) i)) == 0)
			fault->action = (FaultAction) i;
	}
	redirect = fault->action == FAULT_REDIRECT;
	fault->status = (int) read_number(r, "status", redirect ? 307 : 503);
	fault->retry_after = (int) read_number(r, "retry_after", -1);
	fault->delay_ms = (int) read_number(r, "ms", 0);
	fault->bytes = read_number(r, "bytes", -1);
	fault->page_size = (int) read_number(r, "page_size", -1);
	fault->no_row_key = read_flag(r, "no_row_key");
	fault->odd_token = read_flag(r, "odd_token");
	fault->after = strcmp(read_text(r, "when", "before"), "after") == 0;
	copy_text(r, "code", default_code(fault->status), fault->code,
			  sizeof(fault->code));
	copy_text(r, "location", "", fault->location, sizeof(fault->location));
	copy_text(r, "point", "", fault->point, sizeof(fault->point));
}

static const char *
check_fault(const Reader *r, const Fault *fault)
{
	const char *when = read_text(r, "when", "before");

	if (fault->action == FAULT_NONE)
		return "action must be status, delay, drop_before, drop_reply, "
			"silent, zombie, late, truncate, garbage, redirect, slow_body, "
			"oversized, page or pause";
	if (fault->delay_ms < 0)
		return "ms may not be negative";
	if (fault->status < 200 || fault->status > 599)
		return "status must be between 200 and 599";
	if (fault->action == FAULT_PAUSE && fault->point[0] == '\0')
		return "pause needs a point";
	if (strcmp(when, "before") != 0 && strcmp(when, "after") != 0)
		return "when must be before or after";
	if (fault->page_size > 1000)
		return "page_size may not exceed 1000";
	if (fault->action == FAULT_PAGE && fault->page_size < 0 &&
		!fault->no_row_key && !fault->odd_token)
		return "page needs page_size, no_row_key or odd_token";
	if (fault->action == FAULT_SLOW_BODY && fault->bytes == 0)
		return "a body of steps of 0 bytes would never end";
	return NULL;
}

static void
read_rule(Reader *r, Rule *rule)
{
	const char *operation = read_text(r, "operation", "any");
	const char *partition = read_text(r, "partition", NULL);

	rule->class = strcmp(operation, "any") == 0 ? -1 : CLASS_COUNT;
	for (int i = 1; i < CLASS_COUNT; i++)
	{
		if (strcmp(operation, class_name((CounterClass) i)) == 0)
			rule->class = i;
	}
	copy_text(r, "table", "", rule->table, sizeof(rule->table));
	rule->nth = read_number(r, "nth", 1);
	rule->times = read_number(r, "times", 1);
	read_fault(r, &rule->fault);
	if (r->wrong)
		return;
	if (rule->class == CLASS_COUNT)
		r->wrong = "operation must be any, table, get, query, batch, insert, "
			"update, delete or queue";
	else if (rule->nth < 1 || rule->times < 0)
		r->wrong = "nth counts from 1; times may not be negative";
	else
		r->wrong = check_fault(r, &rule->fault);
	if (r->wrong == NULL && partition)
		rule->partition = xstrdup(partition);
}

const char *
rule_from_json(Arena *a, Span json, Rule *rule)
{
	char		why[256];
	Reader		r = {.arena = a};

	r.object = yajl_tree_parse(arena_strdup(a, json), why, sizeof(why));
	memset(rule, 0, sizeof(*rule));
	if (!YAJL_IS_OBJECT(r.object))
		r.wrong = "the rule must be one JSON object";
	else
		check_members(&r);
	if (r.wrong == NULL)
		read_rule(&r, rule);
	yajl_tree_free(r.object);
	return r.wrong;
}
