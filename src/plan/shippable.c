/*
 * shippable.c
 *	  Which WHERE clauses the store can help with, and why the others stay.
 *
 * Answers two questions about a clause: does it say something about a column
 * that may be a key (itable_classify), and can it be a $filter on properties
 * (itable_ship)?  PostgreSQL rechecks every clause on every row it gets, so a
 * filter may let too much through, but must never lose a row (G7); each
 * restriction below is a case where the store would.  Called while planning.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/plan.h"

/* The service documents at most 15 comparisons in a filter (4-store). */
#define MAX_FILTER_VALUES 15

/* array operators of pg_catalog for anyarray; pg_operator.h names only some */
#define ARRAY_OVERLAP_OPERATOR 2750
#define ARRAY_CONTAINS_OPERATOR 2751
#define ARRAY_CONTAINED_OPERATOR 2752

static Node *
strip_relabel(Node *node)
{
	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node;
}

/* The user column of this relation the node is, or 0. */
static AttrNumber
column_of(Node *node, Index relid)
{
	node = strip_relabel(node);
	if (node != NULL && IsA(node, Var))
	{
		Var		   *var = (Var *) node;

		if (var->varno == relid && var->varlevelsup == 0 && var->varattno > 0)
			return var->varattno;
	}
	return 0;
}

/*
 * May the node be evaluated once per scan?  Columns of other relations may
 * stand in it: then the clause is one of a parameterized path, and its values
 * are known at each rescan.
 */
static bool
is_value(PlannerInfo *root, Node *node, Index relid)
{
	return !bms_is_member(relid, pull_varnos(root, node)) &&
		!contain_volatile_functions(node) && !contain_subplans(node);
}

static bool
is_integer(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID;
}

static bool
is_text(Oid type)
{
	return type == TEXTOID || type == VARCHAROID;
}

/* Can a value of "type" be a constant for the column? */
static bool
types_meet(const itableColumn *column, Oid type)
{
	Oid			own = column->base_type;

	return own == type || (is_integer(own) && is_integer(type)) ||
		(is_text(own) && is_text(type));
}

/* The comparison an operator makes by the column type's default order. */
static bool
comparison_of(Oid operator, Oid column_type, tmodel_compare *op)
{
	Oid			type = is_text(column_type) ? TEXTOID : column_type;
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
	Oid			negator;

	if (!OidIsValid(cache->btree_opf))
		return false;
	switch (get_op_opfamily_strategy(operator, cache->btree_opf))
	{
		case BTLessStrategyNumber:
			*op = TMODEL_LT;
			return true;
		case BTLessEqualStrategyNumber:
			*op = TMODEL_LE;
			return true;
		case BTEqualStrategyNumber:
			*op = TMODEL_EQ;
			return true;
		case BTGreaterEqualStrategyNumber:
			*op = TMODEL_GE;
			return true;
		case BTGreaterStrategyNumber:
			*op = TMODEL_GT;
			return true;
	}
	negator = get_negator(operator);
	if (OidIsValid(negator) &&
		get_op_opfamily_strategy(negator, cache->btree_opf) ==
		BTEqualStrategyNumber)
	{
		*op = TMODEL_NE;
		return true;
	}
	return false;
}

/* Is the order of this comparison the order of the key's characters? */
static bool
is_key_order(const itableColumn *column, Oid collation)
{
	return !is_text(column->base_type) ||
		(OidIsValid(collation) && itable_collation_is_c(collation));
}

/* Equality must be equality of bytes. */
static bool
is_exact_collation(Oid collation)
{
	return !OidIsValid(collation) || get_collation_isdeterministic(collation);
}

/* The part of a LIKE pattern before its first wildcard; NULL: none. */
static Expr *
like_prefix(Node *pattern)
{
	Const	   *constant = (Const *) pattern;
	char	   *pattern_text;
	StringInfoData prefix;

	if (!IsA(pattern, Const) || constant->constisnull ||
		constant->consttype != TEXTOID)
		return NULL;
	pattern_text = TextDatumGetCString(constant->constvalue);
	initStringInfo(&prefix);
	for (char *p = pattern_text; *p != '\0' && *p != '%' && *p != '_'; p++)
	{
		if (*p == '\\' && *++p == '\0')
			break;
		appendStringInfoChar(&prefix, *p);
	}
	if (prefix.len == 0)
		return NULL;
	return (Expr *) makeConst(TEXTOID, -1, constant->constcollid, -1,
							  CStringGetTextDatum(prefix.data), false, false);
}

/* column op value, either way round */
static bool
match_operator(PlannerInfo *root, Index relid, const itableTable *table,
			   OpExpr *expr, itableClause *clause)
{
	Node	   *left;
	Node	   *right;
	Oid			operator = expr->opno;
	const itableColumn *column;

	if (list_length(expr->args) != 2)
		return false;
	left = linitial(expr->args);
	right = lsecond(expr->args);
	if (column_of(left, relid) == 0)
	{
		Node	   *swap = left;

		left = right;
		right = swap;
		operator = get_commutator(operator);
	}
	clause->attnum = column_of(left, relid);
	if (clause->attnum == 0 || !OidIsValid(operator) ||
		!is_value(root, right, relid))
		return false;
	column = table->columns[clause->attnum - 1];
	clause->value = (Expr *) right;
	if (OidIsValid(column->element_type))
	{
		clause->element = true;
		clause->match = operator == ARRAY_CONTAINS_OPERATOR ? ITABLE_ALL_OF :
			ITABLE_ANY_OF;
		return (operator == ARRAY_CONTAINS_OPERATOR ||
				operator == ARRAY_OVERLAP_OPERATOR) &&
			is_exact_collation(expr->inputcollid) &&
			get_element_type(exprType(right)) == column->element_type;
	}
	if (is_text(column->base_type) && operator == OID_TEXT_LIKE_OP)
	{
		clause->match = ITABLE_BEGINS;
		clause->value = like_prefix(right);
		return clause->value != NULL;
	}
	clause->match = ITABLE_COMPARE;
	clause->ordered = is_key_order(column, expr->inputcollid);
	return comparison_of(operator, column->base_type, &clause->op) &&
		types_meet(column, exprType(right)) &&
		is_exact_collation(expr->inputcollid);
}

/* column = ANY (array), or value = ANY (array column) */
static bool
match_array(PlannerInfo *root, Index relid, const itableTable *table,
			ScalarArrayOpExpr *expr, itableClause *clause)
{
	Node	   *left = linitial(expr->args);
	Node	   *right = lsecond(expr->args);
	const itableColumn *column;
	tmodel_compare op;

	if (!expr->useOr || !is_exact_collation(expr->inputcollid))
		return false;
	clause->attnum = column_of(left, relid);
	if (clause->attnum != 0 && is_value(root, right, relid))
	{
		column = table->columns[clause->attnum - 1];
		clause->match = ITABLE_ANY_OF;
		clause->op = TMODEL_EQ;
		clause->value = (Expr *) right;
		return !OidIsValid(column->element_type) &&
			comparison_of(expr->opno, column->base_type, &op) && op == TMODEL_EQ &&
			types_meet(column, get_element_type(exprType(right)));
	}
	clause->attnum = column_of(right, relid);
	if (clause->attnum == 0 || !is_value(root, left, relid))
		return false;
	column = table->columns[clause->attnum - 1];
	clause->element = true;
	clause->match = ITABLE_COMPARE;
	clause->op = TMODEL_EQ;
	clause->value = (Expr *) left;
	return OidIsValid(column->element_type) &&
		comparison_of(expr->opno, column->element_type, &op) &&
		op == TMODEL_EQ &&
		(exprType(left) == column->element_type ||
		 (is_text(exprType(left)) && is_text(column->element_type)));
}

/* A boolean column standing for itself, or negated. */
static bool
match_boolean(Index relid, const itableTable *table, Node *node,
			  itableClause *clause)
{
	bool		truth = true;

	if (IsA(node, BoolExpr) && ((BoolExpr *) node)->boolop == NOT_EXPR)
	{
		node = linitial(((BoolExpr *) node)->args);
		truth = false;
	}
	clause->attnum = column_of(node, relid);
	if (clause->attnum == 0 ||
		table->columns[clause->attnum - 1]->base_type != BOOLOID)
		return false;
	clause->match = ITABLE_COMPARE;
	clause->op = TMODEL_EQ;
	clause->value = (Expr *) makeBoolConst(truth, false);
	clause->ordered = true;
	return true;
}

static bool
match_clause(PlannerInfo *root, Index relid, const itableTable *table,
			 Node *node, itableClause *clause)
{
	memset(clause, 0, sizeof(*clause));
	if (IsA(node, OpExpr))
		return match_operator(root, relid, table, (OpExpr *) node, clause);
	if (IsA(node, ScalarArrayOpExpr))
		return match_array(root, relid, table, (ScalarArrayOpExpr *) node,
						   clause);
	return match_boolean(relid, table, node, clause);
}

/* Those of the clauses (RestrictInfo) that say something about one column. */
List *
itable_classify(PlannerInfo *root, RelOptInfo *rel, const itableTable *table,
				List *rinfos)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		itableClause clause;

		if (!match_clause(root, rel->relid, table, (Node *) rinfo->clause,
						  &clause))
			continue;
		clause.rinfo = rinfo;
		result = lappend(result, memcpy(palloc(sizeof(clause)), &clause,
										sizeof(clause)));
	}
	return result;
}

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
	if (!match_clause(root, rel->relid, table, (Node *) expr, &clause) ||
		clause.element || clause.match == ITABLE_BEGINS ||
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
		(column_of(linitial(((OpExpr *) clause)->args), relid) != 0 ||
		 column_of(lsecond(((OpExpr *) clause)->args), relid) != 0))
		return "the store has no such comparison for this type";
	return "function is not shippable";
}
