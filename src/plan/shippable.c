/*
 * shippable.c
 *	  Which WHERE clauses the store can filter by, and why the others stay.
 *
 * Answers "can it be a $filter on properties?" (itable_ship).  PostgreSQL
 * rechecks every clause on every row it gets, so a filter may let too much
 * through, but must never lose a row (G7); each restriction below is a case
 * where the store would.  What a clause says is match.c's question.  Called
 * while planning.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/plan.h"

/* The service documents at most 15 comparisons in a filter (4-store). */
#define MAX_FILTER_VALUES 15

/*
 * May "column op constant" be a filter?  Text compares in the store's own
 * order; NaN sorts above all in SQL and nowhere in the store; Azurite compares
 * DateTime by milliseconds, so that "not equal" would lose rows.
 */
static bool
can_filter(const itableColumn *column, tmodel_compare op)
{
	if (column->kind != ITABLE_PROPERTY || OidIsValid(column->element_type))
		return false;
	switch (column->base_type)
	{
		case TEXTOID:
		case VARCHAROID:
			return column->edm == TMODEL_STRING &&
				(op == TMODEL_EQ || op == TMODEL_NE);
		case INT2OID:
		case INT4OID:
			return column->edm == TMODEL_INT32;
		case INT8OID:
			return column->edm == TMODEL_INT64;
		case FLOAT8OID:
			return column->edm == TMODEL_DOUBLE &&
				(op == TMODEL_EQ || op == TMODEL_LT || op == TMODEL_LE);
		case BOOLOID:
			return column->edm == TMODEL_BOOLEAN &&
				(op == TMODEL_EQ || op == TMODEL_NE);
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return column->edm == TMODEL_DATETIME && op != TMODEL_NE;
		case UUIDOID:
			return column->edm == TMODEL_GUID && op == TMODEL_EQ;
		default:
			return false;
	}
}

static itableFilter *
ship_boolean(PlannerInfo *root, RelOptInfo *rel, const itableTable *table,
			 BoolExpr *expr)
{
	itableFilter *filter = palloc0(sizeof(itableFilter));
	ListCell   *cell;

	if (expr->boolop == NOT_EXPR)
		return NULL;
	filter->kind = expr->boolop == AND_EXPR ? TMODEL_FILTER_AND :
		TMODEL_FILTER_OR;
	foreach(cell, expr->args)
	{
		itableFilter *arg = itable_ship(root, rel, table, lfirst(cell));

		/* an AND may lose a part, an OR may not */
		if (arg != NULL)
			filter->args = lappend(filter->args, arg);
		else if (expr->boolop == OR_EXPR)
			return NULL;
	}
	return filter->args != NIL ? filter : NULL;
}

/* The clause as a filter on properties, or NULL. */
itableFilter *
itable_ship(PlannerInfo *root, RelOptInfo *rel, const itableTable *table,
			Expr *expr)
{
	itableClause clause;
	itableFilter *filter;

	if (IsA(expr, RestrictInfo))
		expr = ((RestrictInfo *) expr)->clause;
	if (IsA(expr, BoolExpr) && ((BoolExpr *) expr)->boolop != NOT_EXPR)
		return ship_boolean(root, rel, table, (BoolExpr *) expr);
	if (!itable_match(root, rel->relid, table, (Node *) expr, &clause) ||
		clause.element ||
		(clause.match != ITABLE_COMPARE && clause.match != ITABLE_ANY_OF) ||
		!can_filter(table->columns[clause.attnum - 1], clause.op))
		return NULL;
	filter = palloc0(sizeof(itableFilter));
	filter->kind = TMODEL_FILTER_COMPARE;
	filter->attnum = clause.attnum;
	filter->op = clause.op;
	filter->any = clause.match == ITABLE_ANY_OF;
	filter->value = clause.value;
	if (itable_filter_comparisons(filter) > MAX_FILTER_VALUES)
		return NULL;
	return filter;
}

/* How many comparisons the filter will have; arrays count their elements. */
int
itable_filter_comparisons(const itableFilter *filter)
{
	int			sum = 0;
	ListCell   *cell;

	if (filter == NULL)
		return 0;
	if (filter->kind == TMODEL_FILTER_COMPARE)
		return filter->any ? itable_array_length(filter->value) : 2;
	foreach(cell, filter->args)
		sum += itable_filter_comparisons(lfirst(cell));
	return sum;
}

/* For EXPLAIN VERBOSE: why the clause is no filter. */
const char *
itable_why_kept(const itableTable *table, Expr *clause, Index relid)
{
	List	   *vars = pull_var_clause((Node *) clause,
									   PVC_RECURSE_AGGREGATES |
									   PVC_RECURSE_WINDOWFUNCS |
									   PVC_RECURSE_PLACEHOLDERS);
	ListCell   *cell;

	if (contain_volatile_functions((Node *) clause))
		return "a volatile function must run here";
	if (IsA(clause, NullTest))
		return "the store has no null test";
	if (IsA(clause, BoolExpr) && ((BoolExpr *) clause)->boolop == NOT_EXPR)
		return "NOT over a missing property differs in the store";
	foreach(cell, vars)
	{
		Var		   *var = lfirst_node(Var, cell);
		itableColumn *column;

		if (var->varno != relid || var->varattno <= 0)
			continue;
		column = table->columns[var->varattno - 1];
		if (OidIsValid(column->element_type))
			return "the store does not look into arrays";
		if (column->kind == ITABLE_ETAG || column->kind == ITABLE_TIMESTAMP)
			return "system columns are not filtered by the store";
	}
	if (IsA(clause, OpExpr) && list_length(((OpExpr *) clause)->args) == 2 &&
		(itable_column_of(linitial(((OpExpr *) clause)->args), relid) != 0 ||
		 itable_column_of(lsecond(((OpExpr *) clause)->args), relid) != 0))
		return "the store has no such comparison for this type";
	return "function is not shippable";
}
