/*
 * fault.c
 *	  Rules that make chosen requests fail in a chosen way.
 *
 * Every rule counts the requests that match it and fires for number nth to
 * nth+times-1; so the same requests meet the same faults in every run.  The
 * oldest rule that fires wins.  Only decides: router.c, ops_query.c and
 * http_server.c act.
 */
#include "fault.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "json.h"

#define MAX_RULES 256

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Rule rules[MAX_RULES];
static atomic_int nrules;		/* read without the lock: mostly zero */
static atomic_int npartitions;	/* rules with a partition */

const char *
fault_name(FaultAction action)
{
	static const char *const names[FAULT_COUNT] = {"none", "status", "delay",
		"drop_before", "drop_reply", "silent", "zombie", "late", "truncate",
		"garbage", "redirect", "slow_body", "oversized", "page",
	"pause"};

	return names[action];
}

const char *
fault_add(Arena *a, Span json)
{
	Rule		rule;
	const char *wrong = rule_from_json(a, json, &rule);

	if (wrong != NULL)
		return wrong;
	pthread_mutex_lock(&lock);
	if (nrules < MAX_RULES)
	{
		npartitions += rule.partition != NULL;
		rules[nrules] = rule;
		nrules++;
	}
	else
	{
		free(rule.partition);
		wrong = "there are too many rules";
	}
	pthread_mutex_unlock(&lock);
	return wrong;
}

static void
print_text(Buf *out, const char *name, const char *text)
{
	buf_printf(out, "\"%s\":", name);
	if (text && *text)
		json_string(out, span_of(text));
	else
		BUF_LIT(out, "null");
	buf_putc(out, ',');
}

static void
print_rule(Buf *out, const Rule *r)
{
	const Fault *f = &r->fault;

	buf_putc(out, '{');
	print_text(out, "operation", r->class < 0 ? "any" :
			   class_name((CounterClass) r->class));
	print_text(out, "table", r->table);
	print_text(out, "partition", r->partition);
	print_text(out, "action", fault_name(f->action));
	print_text(out, "code", f->code);
	print_text(out, "location", f->location);
	print_text(out, "point", f->point);
	print_text(out, "when", f->after ? "after" : "before");
	buf_printf(out, "\"nth\":%lld,\"times\":%lld,\"status\":%d,"
			   "\"retry_after\":%d,\"ms\":%d,\"bytes\":%lld,"
			   "\"page_size\":%d,\"no_row_key\":%s,\"odd_token\":%s,"
			   "\"matched\":%lld,\"hits\":%lld}", (long long) r->nth,
			   (long long) r->times, f->status, f->retry_after, f->delay_ms,
			   (long long) f->bytes, f->page_size,
			   f->no_row_key ? "true" : "false",
			   f->odd_token ? "true" : "false", (long long) r->matched,
			   (long long) r->fired);
}

void
fault_print(Buf *out)
{
	buf_putc(out, '[');
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nrules; i++)
	{
		if (i > 0)
			BUF_LIT(out, ",\n");
		print_rule(out, &rules[i]);
	}
	pthread_mutex_unlock(&lock);
	BUF_LIT(out, "]\n");
}

void
fault_clear(void)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nrules; i++)
		free(rules[i].partition);
	nrules = 0;
	npartitions = 0;
	pthread_mutex_unlock(&lock);
}

bool
fault_wants_partition(void)
{
	return npartitions > 0;
}

static bool
is_for(const Rule *r, CounterClass class, Span table, const Span *partition)
{
	if (r->class >= 0 && r->class != (int) class)
		return false;
	/* A page is scripted for queries only; others do not count. */
	if (r->fault.action == FAULT_PAGE && class != CLASS_QUERY)
		return false;
	if (r->table[0] && !span_eq_nocase(span_of(r->table), table))
		return false;
	return r->partition == NULL ||
		(partition != NULL && span_eq(span_of(r->partition), *partition));
}

Fault
fault_match(CounterClass class, Span table, const Span *partition)
{
	Fault		found = {0};

	if (nrules == 0)
		return found;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < nrules; i++)
	{
		Rule	   *r = &rules[i];

		if (!is_for(r, class, table, partition))
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
