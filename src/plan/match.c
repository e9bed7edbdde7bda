/*
 * match.c
 *	  What a WHERE clause says about one column.
 *
 * Answers "which column, which comparison, with which value?" for the forms in
 * which SQL says such things: operators, IN and ANY, LIKE and starts_with, an
 * OR of equalities, the first column of a row comparison, booleans, NOT NULL.
 * Whether the store can use it as a key is paths.c's question, as a filter
 * shippable.c's.  Easy to break: a match may say less than its clause, never
 * more, and every match rejects rows where its column is NULL (paths.c counts
 * on it).
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/clauses.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"

#include "compat.h"
#include "plan/plan.h"
#include "table/array.h"

/* operators of pg_catalog; pg_operator.h names only some */
#define ARRAY_OVERLAP_OPERATOR 2750
#define ARRAY_CONTAINS_OPERATOR 2751
#define TEXT_STARTS_WITH_OPERATOR 3877

static Node *
strip_relabel(Node *node)
{
	while (node != NULL && (IsA(node, RelabelType) || IsA(node, CollateExpr)))
		node = (Node *) (IsA(node, RelabelType) ? ((RelabelType *) node)->arg :
						 ((CollateExpr *) node)->arg);
	return node;
}

/* The user column of this relation the node is, or 0. */
AttrNumber
itable_column_of(Node *node, Index relid)
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

static bool
is_datetime(Oid type)
{
	return type == DATEOID || type == TIMESTAMPOID || type == TIMESTAMPTZOID;
}

/* Does a date and time of "type" have one exact counterpart in the column? */
static bool
is_exact_datetime(Oid column_type, Oid type)
{
	return column_type == TIMESTAMPTZOID ||
		(column_type == TIMESTAMPOID && type == DATEOID);
}

/* Can a value of "type" be a constant for the column? */
static bool
types_meet(const itableColumn *column, Oid type, itableClause *clause)
{
	Oid			own = column->base_type;

	if (own == type || (is_integer(own) && is_integer(type)) ||
		(is_text(own) && is_text(type)))
		return true;
	if (!is_datetime(own) || !is_datetime(type))
		return false;
	clause->near = !is_exact_datetime(own, type);
	return true;
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

/* column LIKE pattern: an equality, a beginning, or nothing of use */
static bool
match_like(Node *pattern, itableClause *clause)
{
	Const	   *constant = (Const *) pattern;
	StringInfoData prefix;
	const char *p;

	clause->match = ITABLE_LIKE;
	if (!IsA(pattern, Const))
		return exprType(pattern) == TEXTOID;
	if (constant->constisnull || constant->consttype != TEXTOID)
		return false;
	initStringInfo(&prefix);
	for (p = TextDatumGetCString(constant->constvalue);
		 *p != '\0' && *p != '%' && *p != '_'; p++)
	{
		if (*p == '\\' && *++p == '\0')
			return false;		/* an error, if a row comes to it */
		appendStringInfoChar(&prefix, *p);
	}
	if (prefix.len == 0)
		return false;
	clause->match = *p == '\0' ? ITABLE_COMPARE : ITABLE_BEGINS;
	clause->op = TMODEL_EQ;
	clause->value = (Expr *) makeConst(TEXTOID, -1, constant->constcollid, -1,
									   CStringGetTextDatum(prefix.data),
									   false, false);
	return true;
}

/* starts_with(column, value), column ^@ value */
static bool
match_begins(const itableColumn *column, Node *value, itableClause *clause)
{
	clause->match = ITABLE_BEGINS;
	clause->value = (Expr *) value;
	return is_text(column->base_type) && is_text(exprType(value));
}

/* column op value */
static bool
match_comparison(const itableColumn *column, Oid operator, Oid collation,
				 Node *value, itableClause *clause)
{
	clause->attnum = column->attnum;
	clause->value = (Expr *) value;
	if (!is_exact_collation(collation))
		return false;
	if (OidIsValid(column->element_type))
	{
		clause->element = true;
		clause->match = operator == ARRAY_CONTAINS_OPERATOR ? ITABLE_ALL_OF :
			ITABLE_ANY_OF;
		return (operator == ARRAY_CONTAINS_OPERATOR ||
				operator == ARRAY_OVERLAP_OPERATOR) &&
			get_element_type(exprType(value)) == column->element_type;
	}
	if (is_text(column->base_type) && operator == OID_TEXT_LIKE_OP)
		return match_like(value, clause);
	if (operator == TEXT_STARTS_WITH_OPERATOR)
		return match_begins(column, value, clause);
	clause->match = ITABLE_COMPARE;
	clause->ordered = is_key_order(column, collation);
	return comparison_of(operator, column->base_type, &clause->op) &&
		types_meet(column, exprType(value), clause);
}

/*
 * Which side is the column?  On the left already, or the operator is turned
 * round; NULL: neither, or the other side is no value.
 */
static const itableColumn *
sort_sides(PlannerInfo *root, Index relid, const itableTable *table,
		   Node *left, Node *right, Oid *operator, Node **value)
{
	AttrNumber	attnum = itable_column_of(left, relid);

	*value = right;
	if (attnum == 0)
	{
		attnum = itable_column_of(right, relid);
		*value = left;
		*operator = get_commutator(*operator);
	}
	if (attnum == 0 || !OidIsValid(*operator) || !is_value(root, *value, relid))
		return NULL;
	return table->columns[attnum - 1];
}

static bool
match_operator(PlannerInfo *root, Index relid, const itableTable *table,
			   OpExpr *expr, itableClause *clause)
{
	Oid			operator = expr->opno;
	const itableColumn *column;
	Node	   *value;

	if (list_length(expr->args) != 2)
		return false;
	/* both have no commutator */
	if ((operator == OID_TEXT_LIKE_OP ||
		 operator == TEXT_STARTS_WITH_OPERATOR) &&
		itable_column_of(linitial(expr->args), relid) == 0)
		return false;
	column = sort_sides(root, relid, table, linitial(expr->args),
						lsecond(expr->args), &operator, &value);
	return column != NULL &&
		match_comparison(column, operator, expr->inputcollid, value, clause);
}

static bool
match_function(PlannerInfo *root, Index relid, const itableTable *table,
			   FuncExpr *expr, itableClause *clause)
{
	if (expr->funcid != F_STARTS_WITH || !is_exact_collation(expr->inputcollid))
		return false;
	clause->attnum = itable_column_of(linitial(expr->args), relid);
	return clause->attnum != 0 && is_value(root, lsecond(expr->args), relid) &&
		match_begins(table->columns[clause->attnum - 1], lsecond(expr->args),
					 clause);
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
	clause->attnum = itable_column_of(left, relid);
	clause->op = TMODEL_EQ;
	if (clause->attnum != 0 && is_value(root, right, relid))
	{
		column = table->columns[clause->attnum - 1];
		clause->match = ITABLE_ANY_OF;
		clause->value = (Expr *) right;
		return !OidIsValid(column->element_type) &&
			comparison_of(expr->opno, column->base_type, &op) &&
			op == TMODEL_EQ &&
			types_meet(column, get_element_type(exprType(right)), clause);
	}
	clause->attnum = itable_column_of(right, relid);
	if (clause->attnum == 0 || !is_value(root, left, relid))
		return false;
	column = table->columns[clause->attnum - 1];
	clause->element = true;
	clause->match = ITABLE_COMPARE;
	clause->value = (Expr *) left;
	return OidIsValid(column->element_type) &&
		comparison_of(expr->opno, column->element_type, &op) &&
		op == TMODEL_EQ &&
		(exprType(left) == column->element_type ||
		 (is_text(exprType(left)) && is_text(column->element_type)));
}

bool
itable_match_none_of(PlannerInfo *root, Index relid, const itableTable *table,
					 Node *node, itableClause *clause)
{
	ScalarArrayOpExpr *expr = (ScalarArrayOpExpr *) node;
	const itableColumn *column;

	memset(clause, 0, sizeof(*clause));
	if (!IsA(node, ScalarArrayOpExpr) || expr->useOr ||
		!is_exact_collation(expr->inputcollid))
		return false;
	clause->attnum = itable_column_of(linitial(expr->args), relid);
	if (clause->attnum == 0 || !is_value(root, lsecond(expr->args), relid))
		return false;
	column = table->columns[clause->attnum - 1];
	clause->match = ITABLE_NONE_OF;
	clause->value = lsecond(expr->args);
	return !OidIsValid(column->element_type) &&
		comparison_of(expr->opno, column->base_type, &clause->op) &&
		clause->op == TMODEL_NE &&
		types_meet(column, get_element_type(exprType((Node *) clause->value)),
				   clause);
}

/* (column, ...) < (value, ...): the first pair, its end included */
static bool
match_row(PlannerInfo *root, Index relid, const itableTable *table,
		  RowCompareExpr *expr, itableClause *clause)
{
	Oid			operator = linitial_oid(expr->opnos);
	const itableColumn *column;
	Node	   *value;

	column = sort_sides(root, relid, table, linitial(expr->largs),
						linitial(expr->rargs), &operator, &value);
	if (column == NULL || OidIsValid(column->element_type) ||
		!match_comparison(column, operator, linitial_oid(expr->inputcollids),
						  value, clause))
		return false;
	if (clause->op == TMODEL_LT)
		clause->op = TMODEL_LE;
	if (clause->op == TMODEL_GT)
		clause->op = TMODEL_GE;
	return true;
}

/* A boolean column that must have this value. */
static bool
match_boolean(Index relid, const itableTable *table, Node *node, bool truth,
			  itableClause *clause)
{
	clause->attnum = itable_column_of(node, relid);
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
match_not_null(Index relid, Node *node, itableClause *clause)
{
	clause->attnum = itable_column_of(node, relid);
	clause->match = ITABLE_NOT_NULL;
	return clause->attnum != 0;
}

static bool
match_boolean_test(Index relid, const itableTable *table, BooleanTest *test,
				   itableClause *clause)
{
	switch (test->booltesttype)
	{
		case IS_TRUE:
			return match_boolean(relid, table, (Node *) test->arg, true,
								 clause);
		case IS_FALSE:
			return match_boolean(relid, table, (Node *) test->arg, false,
								 clause);
		case IS_NOT_UNKNOWN:
			return match_not_null(relid, (Node *) test->arg, clause);
		default:
			return false;		/* true of NULL */
	}
}

/* NOT column, column IS NOT DISTINCT FROM constant */
static bool
match_not(PlannerInfo *root, Index relid, const itableTable *table,
		  Node *node, itableClause *clause)
{
	DistinctExpr *distinct = (DistinctExpr *) node;
	OpExpr		equal;
	Node	   *value;

	if (!IsA(node, DistinctExpr))
		return match_boolean(relid, table, node, false, clause);
	value = lsecond(distinct->args);
	if (IsA(linitial(distinct->args), Const))
		value = linitial(distinct->args);
	if (!IsA(value, Const) || ((Const *) value)->constisnull)
		return false;
	/* the same node, but for its tag */
	memcpy(&equal, distinct, sizeof(OpExpr));
	equal.xpr.type = T_OpExpr;
	return match_operator(root, relid, table, &equal, clause);
}

/* The values of an equality or a constant list, as expressions. */
static List *
alternatives(const itableClause *clause)
{
	Const	   *list = (Const *) clause->value;
	List	   *result = NIL;
	itableArray array;

	if (clause->match == ITABLE_COMPARE)
		return list_make1(clause->value);
	if (!IsA(list, Const) || list->constisnull)
		return NIL;
	array = itable_open_array(list->constvalue);
	for (int i = 0; i < array.n; i++)
		result = lappend(result,
						 itable_element_const(&array, i, list->constcollid));
	return result;
}

/* column = a OR column = b OR column IN (...): one list of values */
static bool
match_or(PlannerInfo *root, Index relid, const itableTable *table,
		 BoolExpr *expr, itableClause *clause)
{
	ArrayExpr  *array = makeNode(ArrayExpr);
	ListCell   *cell;

	array->location = -1;
	foreach(cell, expr->args)
	{
		itableClause one;
		List	   *values;
		Oid			type;

		if (!itable_match(root, relid, table, lfirst(cell), &one) ||
			(one.match != ITABLE_ANY_OF &&
			 (one.match != ITABLE_COMPARE || one.op != TMODEL_EQ)))
			return false;
		values = alternatives(&one);
		if (values == NIL)
			return false;
		type = exprType(linitial(values));
		if (array->elements == NIL)
		{
			*clause = one;
			array->element_typeid = type;
			array->array_collid = exprCollation(linitial(values));
		}
		else if (one.attnum != clause->attnum ||
				 one.element != clause->element ||
				 type != array->element_typeid)
			return false;
		array->elements = list_concat(array->elements, values);
	}
	array->array_typeid = get_array_type(array->element_typeid);
	clause->match = ITABLE_ANY_OF;
	clause->value = (Expr *) eval_const_expressions(root, (Node *) array);
	return OidIsValid(array->array_typeid);
}

bool
itable_match(PlannerInfo *root, Index relid, const itableTable *table,
			 Node *node, itableClause *clause)
{
	memset(clause, 0, sizeof(*clause));
	switch (nodeTag(node))
	{
		case T_OpExpr:
			return match_operator(root, relid, table, (OpExpr *) node, clause);
		case T_FuncExpr:
			return match_function(root, relid, table, (FuncExpr *) node,
								  clause);
		case T_ScalarArrayOpExpr:
			return match_array(root, relid, table, (ScalarArrayOpExpr *) node,
							   clause);
		case T_RowCompareExpr:
			return match_row(root, relid, table, (RowCompareExpr *) node,
							 clause);
		case T_NullTest:
			return ((NullTest *) node)->nulltesttype == IS_NOT_NULL &&
				!((NullTest *) node)->argisrow &&
				match_not_null(relid, (Node *) ((NullTest *) node)->arg,
							   clause);
		case T_BooleanTest:
			return match_boolean_test(relid, table, (BooleanTest *) node,
									  clause);
		case T_BoolExpr:
			if (((BoolExpr *) node)->boolop == OR_EXPR)
				return match_or(root, relid, table, (BoolExpr *) node, clause);
			return ((BoolExpr *) node)->boolop == NOT_EXPR &&
				match_not(root, relid, table,
						  linitial(((BoolExpr *) node)->args), clause);
		default:
			return match_boolean(relid, table, node, true, clause);
	}
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

		if (!itable_match(root, rel->relid, table, (Node *) rinfo->clause,
						  &clause) || clause.near)
			continue;
		clause.rinfo = rinfo;
		result = lappend(result, memcpy(palloc(sizeof(clause)), &clause,
										sizeof(clause)));
	}
	return result;
}
