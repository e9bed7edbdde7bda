/*
 * union.c
 *	  Ways to read through an OR: one for each side, every row returned once.
 *
 * Answers "does each side of this OR open a way of its own?"  What every way
 * may use are the clauses beside the OR and those of its own side.  A row
 * comparison is such an OR in disguise: (p, r) > (a, b) is p = a and r > b, or
 * p > a.  Called by relinfo.c and parameterized.c.  Easy to break: one side
 * without a way makes the whole OR a full scan, now or when its parameters say.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/intersection.h"

/* More sides than this are not worth the planner's time. */
#define MAX_ARMS 2000

/* ORs within ORs, followed this deep. */
#define MAX_DEPTH 3

typedef struct unionSearch
{
	PlannerInfo *root;
	RelOptInfo *rel;
	const itableRelInfo *info;
	bool		ordered;		/* every side through one table: "index" */
	const itableIndex *index;	/* NULL: the relation itself */
} unionSearch;

/* left op right, by the strategy of the operator family */
static Expr *
compare_pair(Oid family, int strategy, Node *left, Node *right, Oid collation)
{
	Oid			operator = get_opfamily_member(family, exprType(left),
											   exprType(right), strategy);

	if (!OidIsValid(operator))
		return NULL;
	return make_opclause(operator, BOOLOID, false, (Expr *) left,
						 (Expr *) right, InvalidOid, collation);
}

Expr *
itable_row_first(const RowCompareExpr *expr)
{
	int			strategy = itable_row_strategy(expr);

	return compare_pair(linitial_oid(expr->opfamilies),
						strategy == BTLessStrategyNumber ?
						BTLessEqualStrategyNumber :
						strategy == BTGreaterStrategyNumber ?
						BTGreaterEqualStrategyNumber : strategy,
						linitial(expr->largs), linitial(expr->rargs),
						linitial_oid(expr->inputcollids));
}

/* The side of a row comparison on which the first "n" pairs are equal. */
static Expr *
row_side(const RowCompareExpr *expr, int n)
{
	int			last = list_length(expr->opnos) - 1;
	int			strategy = itable_row_strategy(expr);
	List	   *args = NIL;

	if (n < last)
		strategy = strategy == BTLessEqualStrategyNumber ?
			BTLessStrategyNumber :
			strategy == BTGreaterEqualStrategyNumber ?
			BTGreaterStrategyNumber : strategy;
	for (int i = 0; i <= n; i++)
	{
		Expr	   *pair = compare_pair(list_nth_oid(expr->opfamilies, i),
										i < n ? BTEqualStrategyNumber :
										strategy,
										list_nth(expr->largs, i),
										list_nth(expr->rargs, i),
										list_nth_oid(expr->inputcollids, i));

		if (pair == NULL)
			return NULL;
		args = lappend(args, pair);
	}
	return list_length(args) == 1 ? linitial(args) : make_andclause(args);
}

/* A row comparison as the OR it stands for; NULL when it cannot be. */
static RestrictInfo *
open_row(PlannerInfo *root, const RowCompareExpr *expr)
{
	List	   *sides = NIL;

	for (int i = list_length(expr->opnos) - 1; i >= 0; i--)
	{
		Expr	   *side = row_side(expr, i);

		if (side == NULL)
			return NULL;
		sides = lappend(sides, side);
	}
	return make_simple_restrictinfo(root, make_orclause(sides));
}

/* The sides of an OR, each a List of RestrictInfo. */
static List *
sides_of(Expr *orclause)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, ((BoolExpr *) orclause)->args)
	{
		Node	   *side = lfirst(cell);

		result = lappend(result, IsA(side, RestrictInfo) ?
						 list_make1(side) : ((BoolExpr *) side)->args);
	}
	return result;
}

static itableChoice *through(const unionSearch *search, List *clauses,
							 RestrictInfo *rinfo, int depth);

/*
 * In an order, the sides are read as one: they must ask the same table, and no
 * value may make one of them unusable.
 */
static bool
may_be_merged(const unionSearch *search, const itableChoice *choice)
{
	ListCell   *cell;

	foreach(cell, choice->arms)
		if (!may_be_merged(search, lfirst(cell)))
			return false;
	return choice->arms != NIL ||
		(choice->index == search->index && !choice->conditional);
}

/* What one side costs at least, and how; NULL: a full scan. */
static itableChoice *
cheapest(const unionSearch *search, List *clauses, List *side, int depth)
{
	itableChoice *best = NULL;
	Cost		best_cost = 0;
	List	   *choices = itable_choices(search->info, clauses);
	ListCell   *cell;

	foreach(cell, side)
	{
		itableChoice *choice = depth < MAX_DEPTH ?
		through(search, clauses, lfirst(cell), depth + 1) : NULL;

		if (choice != NULL)
			choices = lappend(choices, choice);
	}
	foreach(cell, choices)
	{
		itableChoice *choice = lfirst(cell);
		Cost		startup;
		Cost		total;

		if (choice->arms == NIL && choice->access == ITABLE_FULL)
			continue;
		if (search->ordered && !may_be_merged(search, choice))
			continue;
		itable_cost(search->root, search->rel, search->info, choice, &startup,
					&total);
		if (best == NULL || total < best_cost)
		{
			best = choice;
			best_cost = total;
		}
	}
	return best;
}

/*
 * A side that opens no way of its own, but only counts when a condition without
 * columns is true: ($1 IS NULL OR town = $1).  Where it is, all is read.
 */
static itableChoice *
sometimes_full(const unionSearch *search, List *side)
{
	itableChoice *arm = palloc0(sizeof(itableChoice));
	ListCell   *cell;

	arm->access = ITABLE_FULL;
	arm->probes = 1;
	foreach(cell, side)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);

		if (!bms_is_member(search->rel->relid, rinfo->clause_relids) &&
			!contain_volatile_functions((Node *) rinfo->clause) &&
			!contain_subplans((Node *) rinfo->clause))
			arm->when = lappend(arm->when, rinfo->clause);
	}
	return arm->when != NIL ? arm : NULL;
}

/* The way through one clause, or NULL. */
static itableChoice *
through(const unionSearch *search, List *clauses, RestrictInfo *rinfo,
		int depth)
{
	RestrictInfo *or = rinfo;
	itableClause list;
	itableChoice *result;
	bool		useful = false;
	List	   *arms = NIL;
	List	   *used = NIL;
	ListCell   *cell;

	if (IsA(rinfo->clause, RowCompareExpr))
		or = open_row(search->root, (RowCompareExpr *) rinfo->clause);
	else if (itable_match(search->root, search->rel->relid,
						  search->info->table, (Node *) rinfo->clause,
						  &list))
		return NULL;			/* a list of values does it as well */
	if (or == NULL || or->orclause == NULL)
		return NULL;
	foreach(cell, sides_of(or->orclause))
	{
		List	   *side = lfirst(cell);
		List	   *all = itable_classify(search->root, search->rel,
										  search->info->table, side);
		itableChoice *arm;

		all = list_concat(itable_split_elements(search->root, search->rel,
												all), clauses);
		arm = cheapest(search, all, side, depth);
		if (arm == NULL && !search->ordered)
			arm = sometimes_full(search, side);
		else if (arm != NULL)
			useful = true;
		if (arm == NULL || list_length(arms) >= MAX_ARMS)
			return NULL;
		arms = arm->arms != NIL ? list_concat(arms, arm->arms) :
			lappend(arms, arm);
		used = list_concat_unique_ptr(used, arm->rinfos);
		used = list_concat_unique_ptr(used, arm->origins);
	}
	if (!useful)
		return NULL;
	result = memcpy(palloc(sizeof(itableChoice)),
					linitial(itable_choices(search->info, clauses)),
					sizeof(itableChoice));
	result->arms = arms;
	result->rinfos = lappend(used, rinfo);
	return result;
}

/* The ways through each of the clauses. */
static List *
through_any(const unionSearch *search, List *clauses, List *rinfos)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, rinfos)
	{
		itableChoice *choice = through(search, clauses,
									   lfirst_node(RestrictInfo, cell), 0);

		if (choice != NULL)
			result = lappend(result, choice);
	}
	return result;
}

List *
itable_unions(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			  List *clauses, List *rinfos)
{
	unionSearch search = {root, rel, info};

	return through_any(&search, clauses, rinfos);
}

List *
itable_ordered_unions(PlannerInfo *root, RelOptInfo *rel,
					  const itableRelInfo *info, List *clauses, List *rinfos)
{
	unionSearch search = {root, rel, info, true, NULL};
	List	   *result = through_any(&search, clauses, rinfos);
	ListCell   *cell;

	foreach(cell, info->indexes)
	{
		search.index = lfirst(cell);
		result = list_concat(result, through_any(&search, clauses, rinfos));
	}
	foreach(cell, result)
	{
		itableChoice *choice = lfirst(cell);
		ListCell   *arm;

		choice->only_ordered = true;
		choice->probes = 0;
		foreach(arm, choice->arms)
			choice->probes += ((itableChoice *) lfirst(arm))->probes;
	}
	return result;
}
