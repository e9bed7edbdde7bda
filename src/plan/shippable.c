/*
 * shippable.c
 *	  Which WHERE clauses the store can filter by.
 *
 * Answers "can it be a $filter on properties?" (itable_ship).  PostgreSQL
 * rechecks every clause on every row it gets, so a filter may let too much
 * through, but must never lose a row (G7); each restriction below is a case
 * where the store would.  What a clause says is match.c's question, why one
 * stays reasons.c's.  Called while planning.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/plan.h"
#include "remote/convert.h"

/*
 * Are there comparisons one of which holds for every value, in every store?
 * They say that the property is there.  What NaN answers is not known.
 */
static bool
can_be_there(tmodel_type type)
{
	return type != TMODEL_DOUBLE && type != TMODEL_BINARY &&
		type != TMODEL_NULL;
}

/*
 * May the clause be a filter?  Text compares in the store's own order, which is
 * that of COLLATE "C" but for bounds that model/text_range widens; NaN sorts
 * above all in SQL, and whether it is "ne" in the store is not known; Azurite compares DateTime by
 * milliseconds, so that "not equal" would lose rows; nobody knows how services
 * order uuids.
 */
static bool
can_filter(const itableColumn *column, const itableClause *clause)
{
	tmodel_compare op = clause->op;
	bool		equality = op == TMODEL_EQ || op == TMODEL_NE;

	if (column->kind == ITABLE_TIMESTAMP)
		return clause->match != ITABLE_NOT_NULL && op != TMODEL_NE;
	if (column->kind != ITABLE_PROPERTY)
		return false;
	if (clause->match == ITABLE_NOT_NULL)
		return can_be_there(column->edm);
	if (OidIsValid(column->element_type))
		return false;
	switch (column->base_type)
	{
		case TEXTOID:
		case VARCHAROID:
			return column->edm == TMODEL_STRING &&
				(equality || clause->ordered);
		case INT2OID:
		case INT4OID:
			return column->edm == TMODEL_INT32;
		case INT8OID:
			return column->edm == TMODEL_INT64;
		case FLOAT8OID:
			return column->edm == TMODEL_DOUBLE &&
				(op == TMODEL_EQ || op == TMODEL_LT || op == TMODEL_LE);
		case BOOLOID:
			return column->edm == TMODEL_BOOLEAN && equality;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return column->edm == TMODEL_DATETIME && op != TMODEL_NE;
		case UUIDOID:
			return column->edm == TMODEL_GUID && equality;
		default:
			return false;
	}
}

/* Does a constant that the property's type cannot hold say nothing? */
static bool
says_something(const itableColumn *column, const itableClause *clause)
{
	const Const *constant = (const Const *) clause->value;
	Datum		value;

	if (clause->match != ITABLE_COMPARE || !IsA(constant, Const) ||
		constant->constisnull)
		return true;
	value = constant->constvalue;
	if (column->edm == TMODEL_INT32 && constant->consttype == INT8OID)
		return clause->op == TMODEL_EQ ||
			(DatumGetInt64(value) >= PG_INT32_MIN &&
			 DatumGetInt64(value) <= PG_INT32_MAX);
	if (constant->consttype == FLOAT8OID)
		return isfinite(DatumGetFloat8(value));
	return itable_is_storable(constant->consttype, value);
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
	/* an OR of equalities, however long, is a list of values */
	if (!itable_match(root, rel->relid, table, (Node *) expr, &clause) &&
		!itable_match_none_of(root, rel->relid, table, (Node *) expr, &clause))
		return IsA(expr, BoolExpr) ?
			ship_boolean(root, rel, table, (BoolExpr *) expr) : NULL;
	if (clause.element || clause.match == ITABLE_ALL_OF ||
		!can_filter(table->columns[clause.attnum - 1], &clause) ||
		!says_something(table->columns[clause.attnum - 1], &clause))
		return NULL;
	filter = palloc0(sizeof(itableFilter));
	filter->kind = TMODEL_FILTER_COMPARE;
	filter->attnum = clause.attnum;
	filter->match = clause.match;
	filter->op = clause.op;
	filter->value = clause.value;
	return filter;
}

/* How many comparisons the filter will have; arrays count their elements. */
int
itable_filter_comparisons(const itableTable *table, const itableFilter *filter)
{
	int			sum = 0;
	tmodel_type edm;
	ListCell   *cell;

	if (filter == NULL)
		return 0;
	foreach(cell, filter->args)
		sum += itable_filter_comparisons(table, lfirst(cell));
	if (filter->kind != TMODEL_FILTER_COMPARE)
		return sum;
	edm = table->columns[filter->attnum - 1]->edm;
	switch (filter->match)
	{
		case ITABLE_ANY_OF:
		case ITABLE_NONE_OF:
			return itable_array_length(filter->value) *
				(edm == TMODEL_DATETIME ? 2 : 1);
		case ITABLE_NOT_NULL:
			return edm == TMODEL_BOOLEAN || edm == TMODEL_GUID ? 2 : 1;
		case ITABLE_COMPARE:
			return edm == TMODEL_DATETIME && filter->op == TMODEL_EQ ? 2 : 1;
		default:
			return 2;			/* the beginning of a text */
	}
}
