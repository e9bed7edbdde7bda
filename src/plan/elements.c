/*
 * elements.c
 *	  What an array must contain, element by element.
 *
 * actors @> '{a,b}' says that a is one of the actors and that b is.  A lookup
 * takes one of them, an intersection several; statistics know how frequent each
 * is, so that the rarest is taken first.  Called by relinfo.c.  Easy to break:
 * an empty array, and one with NULL, stay as they are, for probe.c knows what
 * they mean.
 */
#include "postgres.h"

#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "plan/intersection.h"
#include "table/array.h"

/* More elements than this are not looked at one by one. */
#define MAX_ELEMENTS 100

static bool
is_one_element(const itableClause *clause)
{
	return clause->element && clause->match == ITABLE_COMPARE &&
		clause->op == TMODEL_EQ;
}

/* element = ANY (column), as a clause of its own that statistics understand */
static RestrictInfo *
element_clause(PlannerInfo *root, const itableClause *clause, Const *element)
{
	const OpExpr *contains = (const OpExpr *) clause->rinfo->clause;
	ScalarArrayOpExpr *expr = makeNode(ScalarArrayOpExpr);
	TypeCacheEntry *cache = lookup_type_cache(element->consttype,
											  TYPECACHE_EQ_OPR);
	Node	   *column = linitial(contains->args);

	if (column == (Node *) clause->value)
		column = lsecond(contains->args);
	expr->opno = cache->eq_opr;
	expr->opfuncid = get_opcode(cache->eq_opr);
	expr->useOr = true;
	expr->inputcollid = contains->inputcollid;
	expr->args = list_make2(element, column);
	expr->location = -1;
	return make_simple_restrictinfo(root, (Expr *) expr);
}

/* The clauses that a "contains" stands for; NIL: it stays as it is. */
static List *
split(PlannerInfo *root, const itableClause *clause)
{
	const Const *list = (const Const *) clause->value;
	List	   *result = NIL;
	itableArray array;

	if (clause->match != ITABLE_ALL_OF || !IsA(list, Const) ||
		list->constisnull || !IsA(clause->rinfo->clause, OpExpr))
		return NIL;
	array = itable_open_array(list->constvalue);
	if (array.n < 1 || array.n > MAX_ELEMENTS)
		return NIL;
	for (int i = 0; i < array.n; i++)
	{
		itableClause *one = memcpy(palloc(sizeof(itableClause)), clause,
								   sizeof(itableClause));

		if (array.nulls[i])
			return NIL;
		one->match = ITABLE_COMPARE;
		one->op = TMODEL_EQ;
		one->value = (Expr *) itable_element_const(&array, i,
												   list->constcollid);
		one->rinfo = element_clause(root, clause, (Const *) one->value);
		one->origin = clause->rinfo;
		result = lappend(result, one);
	}
	return result;
}

/* How frequent the element is; shares are kept with their clauses. */
static Selectivity
frequency(PlannerInfo *root, RelOptInfo *rel, const itableClause *clause)
{
	return clauselist_selectivity(root, list_make1(clause->rinfo), rel->relid,
								  JOIN_INNER, NULL);
}

/* Adds a clause about one element behind those that are as rare; not twice. */
static List *
add_in_order(PlannerInfo *root, RelOptInfo *rel, List *clauses,
			 itableClause *clause)
{
	Selectivity own = frequency(root, rel, clause);
	int			at = 0;
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const itableClause *other = lfirst(cell);

		if (other->attnum == clause->attnum &&
			equal(other->value, clause->value))
			return clauses;
		if (frequency(root, rel, other) <= own)
			at = foreach_current_index(cell) + 1;
	}
	return list_insert_nth(clauses, at, clause);
}

List *
itable_split_elements(PlannerInfo *root, RelOptInfo *rel,
					  List *clauses)
{
	List	   *single = NIL;
	List	   *others = NIL;
	ListCell   *cell;

	foreach(cell, clauses)
	{
		itableClause *clause = lfirst(cell);
		List	   *parts = is_one_element(clause) ? list_make1(clause) :
		split(root, clause);
		ListCell   *part;

		if (parts == NIL)
			others = lappend(others, clause);
		foreach(part, parts)
			single = add_in_order(root, rel, single, lfirst(part));
	}
	return list_concat(single, others);
}
