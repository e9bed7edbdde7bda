/*
 * fault.c
 *	  Rules that make chosen requests fail in a chosen way.
 *
 * Every rule counts the requests that match it and fires for number nth to
 * nth+times-1; so the same requests meet the same faults in every run.  The
 * oldest rule that fires wins.  Only decides: router.c and http_server.c act.
 */
#include "fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <yajl/yajl_tree.h>

#include "json.h"

#define MAX_RULES 256

typedef struct Rule
{
	int			class;			/* CounterClass, or -1 for any */
	char		table[64];		/* empty: any */
	int64_t		nth;			/* first match that fires, from 1 */
	int64_t		times;			/* how many fire; 0: all from nth on */
	int64_t		matched;
	int64_t		fired;
	Fault		fault;
} Rule;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Rule rules[MAX_RULES];
static atomic_int nrules;		/* read without the lock: mostly zero */

static const char *const action_names[] = {"none", "status", "delay",
"drop_before", "drop_reply", "silent"};

static const char *
read_text(yajl_val object, const char *name, const char *fallback)
{
	const char *path[] = {name, NULL};
	yajl_val	v = yajl_tree_get(object, path, yajl_t_string);

	return v ? YAJL_GET_STRING(v) : fallback;
}

static int64_t
read_number(yajl_val object, const char *name, int64_t fallback)
{
	const char *path[] = {name, NULL};
	yajl_val	v = yajl_tree_get(object, path, yajl_t_number);

	return v && YAJL_IS_INTEGER(v) ? YAJL_GET_INTEGER(v) : fallback;
}

static bool
known_member(const char *name)
{
	static const char *const names[] = {"operation", "table", "nth", "times",
	"action", "status", "code", "retry_after", "ms"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

static const char *
rule_from_json(Arena *a, yajl_val v, Rule *rule)
{
	const char *operation = read_text(v, "operation", "any");
	const char *action = read_text(v, "action", "");
	Fault	   *fault = &rule->fault;

	for (size_t i = 0; i < YAJL_GET_OBJECT(v)->len; i++)
	{
		if (!known_member(YAJL_GET_OBJECT(v)->keys[i]))
			return arena_printf(a, "unknown member \"%s\"",
								YAJL_GET_OBJECT(v)->keys[i]);
	}
	rule->class = strcmp(operation, "any") == 0 ? -1 : CLASS_COUNT;
	for (int i = 1; i < CLASS_COUNT; i++)
	{
		if (strcmp(operation, class_name((CounterClass) i)) == 0)
			rule->class = i;
	}
	for (int i = 1; i <= FAULT_SILENT; i++)
	{
		if (strcmp(action, action_names[i]) == 0)
			fault->action = (FaultAction) i;
	}
	strncpy(rule->table, read_text(v, "table", ""), sizeof(rule->table) - 1);
	rule->nth = read_number(v, "nth", 1);
	rule->times = read_number(v, "times", 1);
	fault->status = (int) read_number(v, "status", 503);
	fault->retry_after = (int) read_number(v, "retry_after", -1);
	fault->delay_ms = (int) read_number(v, "ms", 0);
	strncpy(fault->code, read_text(v, "code", fault->status == 503 ?
								   "ServerBusy" : "InternalError"),
			sizeof(fault->code) - 1);
	if (rule->class == CLASS_COUNT)
		return "operation must be any, table, get, query, batch, insert, "
			"update or delete";
	if (fault->action == FAULT_NONE)
		return "action must be status, delay, drop_before, drop_reply or "
			"silent";
	if (rule->nth < 1 || rule->times < 0 || fault->delay_ms < 0)
		return "nth counts from 1; times and ms may not be negative";
	if (fault->status < 200 || fault->status > 599)
		return "status must be between 200 and 599";
	return NULL;
}

const char *
fault_add(Arena *a, Span json)
{
	char		why[256];
	yajl_val	v = yajl_tree_parse(arena_strdup(a, json), why, sizeof(why));
	Rule		rule = {0};
	const char *wrong;

	if (v == NULL || !YAJL_IS_OBJECT(v))
	{
		yajl_tree_free(v);
		return "the body must be one JSON object";
	}
	wrong = rule_from_json(a, v, &rule);
	yajl_tree_free(v);
	if (wrong != NULL)
		return wrong;
	pthread_mutex_lock(&lock);
	if (nrules < MAX_RULES)
	{
		rules[nrules] = rule;
		nrules++;
	}
	else
		wrong = "there are too many rules";
	pthread_mutex_unlock(&lock);
	return wrong;
}

void
fault_print(Buf *out)
{
	buf_putc(out, '[');
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nrules; i++)
	{
		const Rule *r = &rules[i];

		buf_puts(out, i ? ",\n{\"operation\":" : "{\"operation\":");
		json_string(out, span_of(r->class < 0 ? "any" :
								 class_name((CounterClass) r->class)));
		BUF_LIT(out, ",\"table\":");
		if (r->table[0])
			json_string(out, span_of(r->table));
		else
			BUF_LIT(out, "null");
		buf_printf(out, ",\"nth\":%lld,\"times\":%lld,\"action\":\"%s\","
				   "\"status\":%d,\"code\":", (long long) r->nth,
				   (long long) r->times, action_names[r->fault.action],
				   r->fault.status);
		json_string(out, span_of(r->fault.code));
		buf_printf(out, ",\"retry_after\":%d,\"ms\":%d,\"matched\":%lld,"
				   "\"hits\":%lld}", r->fault.retry_after, r->fault.delay_ms,
				   (long long) r->matched, (long long) r->fired);
	}
	pthread_mutex_unlock(&lock);
	BUF_LIT(out, "]\n");
}

void
fault_clear(void)
{
	pthread_mutex_lock(&lock);
	nrules = 0;
	pthread_mutex_unlock(&lock);
}

Fault
fault_match(CounterClass class, Span table)
{
	Fault		found = {0};

	if (nrules == 0)
		return found;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nrules; i++)
	{
		Rule	   *r = &rules[i];

		if (r->class >= 0 && r->class != (int) class)
			continue;
		if (r->table[0] && !span_eq_nocase(span_of(r->table), table))
			continue;
		r->matched++;
		if (r->matched < r->nth ||
			(r->times > 0 && r->matched >= r->nth + r->times))
			continue;
		if (found.action != FAULT_NONE)
			continue;
		r->fired++;
		found = r->fault;
	}
	pthread_mutex_unlock(&lock);
	return found;
}
