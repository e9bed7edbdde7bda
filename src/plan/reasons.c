/*
 * reasons.c
 *	  Why a clause is left to PostgreSQL, for EXPLAIN (VERBOSE).
 *
 * Says the first thing that stands in the way, in few words and true.  Decides
 * nothing: match.c, paths.c and shippable.c do.  Called by create_plan.c for
 * clauses that neither the chosen way's keys nor its filter use.  Easy to break:
 * a reason must follow when one of those three changes its mind.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "plan/long_list.h"

/* A comparison of a property that is no filter. */
static const char *
why_property(const itableColumn *column, const itableClause *clause)
{
	tmodel_compare op = clause->op;

	if (clause->match == ITABLE_NOT_NULL)
		return column->edm == TMODEL_DOUBLE ?
			"no comparison holds for every number and NaN" :
			"the store has no null test";
	if (column->edm == TMODEL_DATETIME && op == TMODEL_NE)
		return "stores may compare milliseconds only";
	if (column->edm == TMODEL_DOUBLE && column->base_type == FLOAT8OID)
		return op == TMODEL_GT || op == TMODEL_GE ?
			"NaN is above every number in SQL, not in the store" :
			op == TMODEL_NE ? "whether NaN is another number differs" :
			"no number of the store is meant";
	if (column->base_type == TEXTOID || column->base_type == VARCHAROID)
		return "the store's order is not this collation's";
	if (column->edm == TMODEL_GUID)
		return "the store's order of uuids is not known";
	if (column->edm == TMODEL_INT32)
		return "true or false for every value of the type";
	return "the store has no such comparison for this type";
}

/* A comparison of a key component that the way does not use. */
static const char *
why_key(const itableColumn *column, const itableClause *clause,
		const itableChoice *choice)
{
	if (clause->match == ITABLE_NOT_NULL)
		return "keys are never null";
	if (clause->op == TMODEL_NE)
		return "<> is no range of keys";
	if (clause->near)
		return "the key's type meets the value only roughly";
	if (clause->match == ITABLE_COMPARE && clause->op != TMODEL_EQ &&
		!clause->ordered)
		return "the order of keys is not this collation's";
	if (choice->index != NULL)
		return "not a key of the index table, or behind one that is not fixed";
	return "the key components before it are not fixed";
}

static const char *
why_matched(const itableRelInfo *info, const itableClause *clause,
			const itableChoice *choice)
{
	const itableColumn *column = info->table->columns[clause->attnum - 1];

	switch (column->kind)
	{
		case ITABLE_ETAG:
			return "system columns are not filtered by the store";
		case ITABLE_TIMESTAMP:
			return "an entity's time is never null, and comparisons of it are rough";
		case ITABLE_PARTITION_KEY:
		case ITABLE_ROW_KEY:
			return why_key(column, clause, choice);
		default:
			return why_property(column, clause);
	}
}

/* Columns that nothing can be said about. */
static const char *
why_columns(const itableRelInfo *info, Node *clause, Index relid)
{
	ListCell   *cell;

	foreach(cell, pull_var_clause(clause, PVC_RECURSE_PLACEHOLDERS))
	{
		Var		   *var = lfirst_node(Var, cell);
		itableColumn *column;

		if (var->varno != relid || var->varattno <= 0)
			continue;
		column = info->table->columns[var->varattno - 1];
		if (OidIsValid(column->element_type))
			return "the store does not look into arrays";
		if (column->kind == ITABLE_ETAG)
			return "system columns are not filtered by the store";
	}
	return NULL;
}

/* Does each side of the operator name columns of the relation? */
static bool
compares_columns(PlannerInfo *root, Node *clause, Index relid)
{
	List	   *args = IsA(clause, OpExpr) ? ((OpExpr *) clause)->args : NIL;

	return list_length(args) == 2 &&
		bms_is_member(relid, pull_varnos(root, linitial(args))) &&
		bms_is_member(relid, pull_varnos(root, lsecond(args)));
}

static const char *
why_form(PlannerInfo *root, const itableRelInfo *info, Node *clause,
		 Index relid)
{
	const char *reason;

	if (IsA(clause, NullTest))
		return "the store has no null test";
	if (IsA(clause, BooleanTest) || IsA(clause, DistinctExpr))
		return "true of NULL, which the store cannot tell";
	if (IsA(clause, BoolExpr) && ((BoolExpr *) clause)->boolop == NOT_EXPR)
		return "NOT over a missing property differs in the store";
	reason = why_columns(info, clause, relid);
	if (reason != NULL)
		return reason;
	if (IsA(clause, BoolExpr))
		return "a side of it neither opens a key nor is a filter";
	if (IsA(clause, OpExpr) && ((OpExpr *) clause)->opno == OID_TEXT_LIKE_OP)
		return "the pattern does not begin with a text";
	if (compares_columns(root, clause, relid))
		return "the store compares with constants only";
	if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2 &&
		(itable_column_of(linitial(((OpExpr *) clause)->args), relid) != 0 ||
		 itable_column_of(lsecond(((OpExpr *) clause)->args), relid) != 0))
		return "the store has no such comparison for this type";
	return "function is not shippable";
}

const char *
itable_why_kept(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
				const itableChoice *choice, RestrictInfo *rinfo)
{
	Node	   *clause = (Node *) rinfo->clause;
	itableClause match;

	if (contain_volatile_functions(clause))
		return "a volatile function must run here";
	if (contain_subplans(clause))
		return "a subquery must run here";
	if (list_member_ptr(info->filtered, rinfo))
		return "entries that are not verified may contradict the fact";
	if (itable_ship(root, rel, info->table, rinfo->clause) != NULL)
		return info->self_index != NULL ?
			"entries that are not verified may contradict the fact" :
			!bms_equal(rinfo->clause_relids, rel->relids) ?
			"join clauses are used as keys only" :
			choice->access != ITABLE_FULL &&
			itable_is_long_list(root, rel, info, rinfo) ?
			"more comparisons than a filter may have; in parts it would cost more" :
			"more comparisons than a filter may have";
	if (!itable_match(root, rel->relid, info->table, clause, &match) &&
		!itable_match_none_of(root, rel->relid, info->table, clause, &match))
		return why_form(root, info, clause, rel->relid);
	if (match.element)
		return "the store does not look into arrays";
	return why_matched(info, &match, choice);
}
