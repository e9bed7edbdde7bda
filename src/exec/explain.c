/*
 * explain.c
 *	  What EXPLAIN says about a foreign scan.
 *
 * Access always; the store's filter and what stayed local with VERBOSE; counted
 * requests with ANALYZE.  Sends nothing itself.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "nodes/value.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "exec/explain.h"
#include "exec/probe_filter.h"
#include "exec/scan.h"

static char *
index_text(const itableTable *index, bool covering)
{
	return psprintf("index %s (%s%s)", index->relname,
					covering ? "covering" : "pointer",
					index->queued ? ", queued" : "");
}

/* The ways of all arms, each kind once: "union of point, index a (pointer)" */
static char *
arms_text(const itableArms *arms)
{
	List	   *texts = NIL;
	StringInfoData text;
	ListCell   *cell;

	for (int i = 0; i < itable_arms_ngroups(arms); i++)
	{
		itableArmGroup group = itable_arms_group(arms, i);

		foreach(cell, group.plans)
		{
			const itablePlan *arm = lfirst(cell);
			char	   *one = group.index != NULL ?
			index_text(group.index->table, group.covering) :
			pstrdup(itable_access_name(arm->access));

			for (int j = 0; j < group.nothers; j++)
				one = psprintf("%s%s, %s", j == 0 ? "intersection of " : "",
							   one, index_text(group.others[j].index->table,
											   group.others[j].plan->covering));
			if (!list_member(texts, makeString(one)))
				texts = lappend(texts, makeString(one));
		}
	}
	initStringInfo(&text);
	if (list_length(texts) > 1)
		appendStringInfoString(&text, "union of ");
	foreach(cell, texts)
		appendStringInfo(&text, "%s%s", cell == list_head(texts) ? "" : ", ",
						 strVal(lfirst(cell)));
	return text.data;
}

char *
itable_access_text(const itablePlan *plan, const itableTable *asked)
{
	if (plan->skip)
		return pstrdup("partitions (skip)");
	if (plan->order.back)
		return psprintf("%s (from the end)", itable_access_name(plan->access));
	if (!OidIsValid(plan->index))
		return pstrdup(itable_access_name(plan->access));
	return index_text(asked, plan->covering);
}

static char *
access_text(const itableScan *scan)
{
	if (scan->arms != NULL)
		return arms_text(scan->arms);
	return itable_access_text(scan->plan, scan->asked);
}

/* "PartitionKey eq 'Fred'"; several probes: the first and how many more. */
static char *
probes_text(const itableProbes *probes)
{
	char	   *first;

	if (probes->n == 0)
		return pstrdup("nothing can match");
	first = itable_cstring(probes->probes[0].filter);
	if (probes->n == 1)
		return first;
	return psprintf("%s (and %d more)", first, probes->n - 1);
}

static const char *
operator_text(tmodel_compare op)
{
	static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};

	return names[op];
}

/* The conditions of a plan on one of the keys: "PartitionKey eq $1". */
static void
append_conditions(StringInfo text, const itablePlan *plan, List *exprs,
				  List *context, bool prefix, bool partition)
{
	ListCell   *cell;

	foreach(cell, plan->conds)
	{
		const itableCond *cond = lfirst(cell);
		Node	   *expr;

		/* buckets follow from the others */
		if (cond->partition != partition || !itable_cond_has_value(cond))
			continue;
		expr = list_nth(exprs, cond->expr);
		appendStringInfo(text, "%s%s %s %s%s", text->len > 0 ? " and " : "",
						 partition ? "PartitionKey" : "RowKey",
						 cond->match == ITABLE_BEGINS ? "begins" :
						 cond->match == ITABLE_LIKE ? "like" :
						 operator_text(cond->op),
						 cond->match == ITABLE_ANY_OF ? "any of " :
						 cond->match == ITABLE_ALL_OF ? "one of " : "",
						 deparse_expression(expr, context, prefix, false));
	}
}

/* A comparison of a property: "year eq any of $1". */
static void
append_comparison(StringInfo text, const itableTable *relation, List *exprs,
				  List *context, bool prefix, const itableFilter *filter)
{
	const itableColumn *column = relation->columns[filter->attnum - 1];
	const char *how = filter->match == ITABLE_BEGINS ? "begins" :
	filter->match == ITABLE_LIKE ? "like" : operator_text(filter->op);

	appendStringInfoString(text, column->kind == ITABLE_TIMESTAMP ?
						   "Timestamp" : itable_cstring(column->property));
	if (filter->match == ITABLE_NOT_NULL)
		appendStringInfoString(text, " is there");
	else
		appendStringInfo(text, " %s %s%s", how,
						 filter->match == ITABLE_ANY_OF ? "any of " :
						 filter->match == ITABLE_NONE_OF ? "all of " : "",
						 deparse_expression(list_nth(exprs, filter->expr),
											context, prefix, false));
}

/* A filter whose values are not known yet. */
static void
append_filter(StringInfo text, const itableTable *relation, List *exprs,
			  List *context, bool prefix, const itableFilter *filter,
			  bool nested)
{
	const char *between = filter->kind == TMODEL_FILTER_AND ? " and " : " or ";
	ListCell   *cell;

	if (filter->kind == TMODEL_FILTER_COMPARE)
	{
		append_comparison(text, relation, exprs, context, prefix, filter);
		return;
	}
	nested &= filter->kind == TMODEL_FILTER_OR;
	appendStringInfoString(text, nested ? "(" : "");
	foreach(cell, filter->args)
	{
		if (cell != list_head(filter->args))
			appendStringInfoString(text, between);
		append_filter(text, relation, exprs, context, prefix, lfirst(cell),
					  true);
	}
	appendStringInfoString(text, nested ? ")" : "");
}

char *
itable_conditions_text(const itablePlan *plan, const itableTable *relation,
					   List *exprs, List *context, bool prefix)
{
	StringInfoData text;

	initStringInfo(&text);
	append_conditions(&text, plan, exprs, context, prefix, true);
	append_conditions(&text, plan, exprs, context, prefix, false);
	if (plan->filter != NULL)
	{
		appendStringInfoString(&text, text.len > 0 ? " and " : "");
		append_filter(&text, relation, exprs, context, prefix, plan->filter,
					  text.len > 0);
	}
	return text.data;
}

/* Conditions whose values are not known yet. */
static char *
conditions_text(ForeignScanState *node, ExplainState *es,
				const itablePlan *plan)
{
	ForeignScan *scan = (ForeignScan *) node->ss.ps.plan;

	return itable_conditions_text(plan,
								  ((itableScan *) node->fdw_state)->table,
								  scan->fdw_exprs,
								  set_deparse_context_plan(es->deparse_cxt,
														   (Plan *) scan, NIL),
								  false);
}

/* What is asked of each table of a union: "name: filter; name: filter". */
static char *
arms_filter_text(ForeignScanState *node, ExplainState *es, bool constant)
{
	const itableScan *scan = node->fdw_state;
	int			ngroups = itable_arms_ngroups(scan->arms);
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < ngroups; i++)
	{
		itableArmGroup group = itable_arms_group(scan->arms, i);
		ListCell   *cell;

		appendStringInfoString(&text, i > 0 ? "; " : "");
		if (ngroups > 1 || group.nothers > 0)
			appendStringInfo(&text, "%s: ", group.index != NULL ?
							 group.index->table->relname :
							 scan->table->relname);
		if (constant)
			appendStringInfoString(&text, probes_text(group.probes));
		for (int j = 0; constant && j < group.nothers; j++)
			appendStringInfo(&text, "; %s: %s",
							 group.others[j].index->table->relname,
							 probes_text(&group.others[j].probes));
		if (constant)
			continue;
		foreach(cell, group.plans)
		{
			const itablePlan *arm = lfirst(cell);

			appendStringInfo(&text, "%s%s",
							 cell == list_head(group.plans) ? "" : " or ",
							 conditions_text(node, es, arm));
			for (int j = 0; j < group.nothers; j++)
				appendStringInfo(&text, "; %s: %s",
								 group.others[j].index->table->relname,
								 conditions_text(node, es,
												 group.others[j].plan));
		}
	}
	return text.data;
}

static char *
filter_text(ForeignScanState *node, ExplainState *es)
{
	const itableScan *scan = node->fdw_state;
	bool		constant = itable_scan_constant_probes(node);

	/* constants tell whether the arms do */
	if (scan->arms != NULL && (!constant || scan->through_arms))
		return arms_filter_text(node, es, constant);
	return constant ? probes_text(&scan->probes) :
		conditions_text(node, es, scan->plan);
}

static void
explain_filter(ForeignScanState *node, ExplainState *es)
{
	char	   *text = filter_text(node, es);

	if (text[0] != '\0')
		ExplainPropertyText("Store Filter", text, es);
}

/* "clause (reason)" for each clause the store did not narrow by. */
static void
explain_kept(ForeignScanState *node, ExplainState *es)
{
	itableScan *scan = node->fdw_state;
	Plan	   *plan = node->ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt, plan, NIL);
	List	   *kept = NIL;
	ListCell   *clause;
	ListCell   *reason;

	forboth(clause, plan->qual, reason, scan->plan->kept)
	{
		char	   *why = strVal(lfirst(reason));

		if (why[0] != '\0')
			kept = lappend(kept,
						   psprintf("%s (%s)",
									deparse_expression(lfirst(clause),
													   context, false, false),
									why));
	}
	if (kept != NIL)
		ExplainPropertyList("Kept Local", kept, es);
}

/* What was planned as a filter and did not go with the last start's values. */
static void
explain_refused(ForeignScanState *node, ExplainState *es)
{
	itableScan *scan = node->fdw_state;
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, NIL);
	const itableFilter *filter = scan->through_arms ?
	itable_arms_filter(scan->arms) : scan->plan->filter;
	List	   *texts = NIL;
	ListCell   *cell;

	foreach(cell, itable_refused_filters(scan->start_arena, filter,
										 scan->table, &scan->values))
	{
		const itableRefused *refused = lfirst(cell);
		StringInfoData text;

		initStringInfo(&text);
		append_filter(&text, scan->table, plan->fdw_exprs, context, false,
					  refused->filter, false);
		appendStringInfo(&text, " (%s)", refused->why);
		texts = lappend(texts, text.data);
	}
	if (texts != NIL)
		ExplainPropertyList("Kept in This Execution", texts, es);
}

/* "5", "$1" */
static char *
deparse_limit(const ForeignScan *plan, int expr, List *context)
{
	Node	   *node = list_nth(plan->fdw_exprs, expr);

	if (IsA(node, Const) && !((Const *) node)->constisnull)
		return psprintf(INT64_FORMAT,
						DatumGetInt64(((Const *) node)->constvalue));
	return deparse_expression(node, context, false, false);
}

/* The columns that rows are ordered by: "name, released". */
static void
explain_order(const itableScan *scan, ExplainState *es)
{
	StringInfoData text;
	ListCell   *cell;

	if (!scan->plan->order.on)
		return;
	initStringInfo(&text);
	foreach(cell, scan->plan->order.attnums)
		appendStringInfo(&text, "%s%s", text.len > 0 ? ", " : "",
						 quote_identifier(scan->table->columns[lfirst_int(cell) - 1]->attname));
	appendStringInfoString(&text, scan->plan->order.back ? " DESC" : "");
	ExplainPropertyText("Order", text.data, es);
}

/* What the first page is for: LIMIT and OFFSET. */
static void
explain_limit(ForeignScanState *node, ExplainState *es)
{
	itableScan *scan = node->fdw_state;
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	const itableFetch *fetch = &scan->plan->fetch;
	List	   *context;
	char	   *text;

	if (fetch->count_expr < 0)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, (Plan *) plan, NIL);
	text = deparse_limit(plan, fetch->count_expr, context);
	if (fetch->offset_expr >= 0)
		text = psprintf("%s behind %s", text,
						deparse_limit(plan, fetch->offset_expr, context));
	ExplainPropertyText("Limit", !fetch->exact ? text :
						psprintf("%s (exact)", text), es);
}

void
itable_explain_counts(const itableCounts *counts, ExplainState *es)
{
	if (es->format == EXPLAIN_FORMAT_TEXT)
	{
		appendStringInfoSpaces(es->str, es->indent * 2);
		appendStringInfo(es->str,
						 "Requests: " INT64_FORMAT "  Pages: " INT64_FORMAT
						 "  Entities: " INT64_FORMAT "  Bytes: " INT64_FORMAT
						 "  Retries: " INT64_FORMAT "\n",
						 counts->requests, counts->pages, counts->entities,
						 counts->bytes, counts->retries);
		return;
	}
	ExplainPropertyInteger("Requests", NULL, counts->requests, es);
	ExplainPropertyInteger("Pages", NULL, counts->pages, es);
	ExplainPropertyInteger("Entities", NULL, counts->entities, es);
	ExplainPropertyInteger("Bytes", NULL, counts->bytes, es);
	ExplainPropertyInteger("Retries", NULL, counts->retries, es);
}

/* Adds a reason why the arms may not do. */
static void
append_otherwise(StringInfo text, List *exprs, int expr, List *context,
				 const char *how)
{
	appendStringInfo(text, "%s%s%s", text->len > 0 ? ", " : "",
					 deparse_expression(list_nth(exprs, expr), context,
										false, false), how);
}

/* "full when ($1 IS NULL)", "full when $1 is empty": the arms do not do */
static void
explain_otherwise(ForeignScanState *node, ExplainState *es)
{
	itableScan *scan = node->fdw_state;
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	List	   *context = set_deparse_context_plan(es->deparse_cxt,
												   (Plan *) plan, NIL);
	StringInfoData text;
	ListCell   *arm_cell;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(arm_cell, scan->plan->arms)
	{
		const itablePlan *arm = lfirst(arm_cell);

		foreach(cell, arm->when)
			append_otherwise(&text, plan->fdw_exprs, lfirst_int(cell),
							 context, "");
		foreach(cell, arm->conds)
		{
			const itableCond *cond = lfirst(cell);

			if (cond->match == ITABLE_ALL_OF &&
				!IsA(list_nth(plan->fdw_exprs, cond->expr), Const))
				append_otherwise(&text, plan->fdw_exprs, cond->expr, context,
								 " is empty");
		}
	}
	if (text.len > 0)
		ExplainPropertyText("Otherwise",
							psprintf("%s when %s",
									 itable_access_name(scan->plan->access),
									 text.data), es);
}

void
itableExplainForeignScan(ForeignScanState *node, ExplainState *es)
{
	itableScan *scan = node->fdw_state;

	ExplainPropertyText("Access", access_text(scan), es);
	if (scan->plan->pieces != NIL)
		ExplainPropertyInteger("Pieces", NULL,
							   list_length(scan->plan->pieces), es);
	if (scan->arms != NULL && itable_arms_nparts(scan->arms) > 0)
		ExplainPropertyInteger("List Parts", NULL,
							   itable_arms_nparts(scan->arms), es);
	explain_order(scan, es);
	explain_limit(node, es);
	if (es->verbose)
	{
		explain_filter(node, es);
		explain_kept(node, es);
	}
	if (es->verbose && scan->arms != NULL)
		explain_otherwise(node, es);
	if (es->verbose && es->analyze && scan->under_way)
		explain_refused(node, es);
	if (es->analyze && scan->fallbacks > 0)
		ExplainPropertyText("Fallback",
							itable_access_name(scan->plan->access), es);
	if (es->analyze && scan->replay != NULL &&
		itable_replay_count(scan->replay) > 0)
		ExplainPropertyInteger("Replays", NULL,
							   itable_replay_count(scan->replay), es);
	if (es->analyze)
		itable_explain_counts(&scan->counts, es);
}
