/*
 * join_path.c
 *	  Offers the lookup join: for many outer rows at a time, reads of our table
 *	  by their values.
 *
 * A nested loop hands its inner side one outer row at a time, so only one
 * lookup is under way.  The lookup join takes any outer path and one of our
 * parameterized paths, and keeps several outer rows' lookups in flight; the
 * executor's half is exec/lookup_join.c.  Rows come in the outer side's order.
 * Easy to break: every clause of the inner relation and of the join is checked
 * again on the joined row; which of them decide about a match and which come
 * after an outer join makes a difference.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "plan/callbacks.h"
#include "plan/join.h"
#include "plan/price.h"
#include "table/settings.h"

static set_join_pathlist_hook_type previous_hook = NULL;
static const CustomScanMethods *executor = NULL;

static Plan *plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path,
					   List *tlist, List *clauses, List *plans);

static const CustomPathMethods path_methods = {
	.CustomName = ITABLE_LOOKUP_JOIN,
	.PlanCustomPath = plan_join
};

/* What the path keeps for its plan. */
typedef struct joinChoice
{
	RelOptInfo *innerrel;
	itableChoice *choice;
	JoinType	jointype;
	bool		single;			/* one match is enough */
	List	   *matching;		/* clauses (bare) that make a match */
	List	   *later;			/* clauses on the join's rows */
} joinChoice;

/* Is it a base relation of ours whose columns are all we need of it? */
static bool
is_inner(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *cell;

	if (rel->reloptkind != RELOPT_BASEREL || rel->rtekind != RTE_RELATION ||
		rel->fdwroutine == NULL ||
		rel->fdwroutine->GetForeignPaths != itableGetForeignPaths ||
		rel->fdw_private == NULL || !bms_is_empty(rel->lateral_relids))
		return false;
	foreach(cell, rel->reltarget->exprs)
	{
		const Var  *var = lfirst(cell);

		if (!IsA(var, Var) || var->varattno <= 0)
			return false;
	}
	return true;
}

/* One table is asked, whatever the values are. */
static bool
is_simple(const itableChoice *choice)
{
	return choice->arms == NIL && !choice->conditional;
}

static bool
is_possible(PlannerInfo *root, RelOptInfo *joinrel, JoinType jointype)
{
	/* clauses of a security barrier have an order */
	return itable_enable_lookup_join && root->rowMarks == NIL &&
		root->qual_security_level == 0 &&
		(root->parse->commandType == CMD_SELECT ||
		 root->parse->commandType == CMD_INSERT) &&
		bms_is_empty(joinrel->lateral_relids) &&
		(jointype == JOIN_INNER || jointype == JOIN_SEMI ||
		 jointype == JOIN_LEFT || jointype == JOIN_ANTI);
}

static bool
has_pseudoconstant(const List *rinfos)
{
	const ListCell *cell;

	foreach(cell, rinfos)
		if (lfirst_node(RestrictInfo, cell)->pseudoconstant)
			return true;
	return false;
}

/*
 * Splits the clauses by when they are checked; false when one needs a node of
 * its own above.
 */
static bool
sort_clauses(joinChoice *join, RelOptInfo *joinrel, const ForeignPath *inner,
			 const List *restrictlist)
{
	List	   *matching = list_concat_copy(join->innerrel->baserestrictinfo,
											inner->path.param_info->ppi_clauses);
	List	   *later = NIL;
	const ListCell *cell;

	foreach(cell, restrictlist)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);

		if (IS_OUTER_JOIN(join->jointype) &&
			RINFO_IS_PUSHED_DOWN(rinfo, joinrel->relids))
			later = lappend(later, rinfo);
		else
			matching = list_append_unique_ptr(matching, rinfo);
	}
	join->matching = extract_actual_clauses(matching, false);
	join->later = extract_actual_clauses(later, false);
	return !has_pseudoconstant(matching) && !has_pseudoconstant(later);
}

/* How many lookups there are: rows with the values of others share theirs. */
static double
lookups_made(PlannerInfo *root, const Path *outer, const itableChoice *choice)
{
	List	   *values = NIL;
	ListCell   *cell;

	foreach(cell, choice->values)
		if (lfirst(cell) != NULL && contain_var_clause(lfirst(cell)))
			values = lappend(values, lfirst(cell));
	return values == NIL ? outer->rows :
		estimate_num_groups(root, values, outer->rows, NULL, NULL);
}

static void
set_costs(PlannerInfo *root, CustomPath *path, const Path *outer,
		  const Path *inner, const itableChoice *choice,
		  const itableTable *table)
{
	double		more = Max(lookups_made(root, outer, choice) - 1, 0);
	double		requests = choice->probes +
	(choice->index != NULL && !choice->covering ? inner->rows : 0);
	Cost		each = Max(inner->total_cost, requests * table->startup_cost) /
	itable_width(table);

	/* lookups of several outer rows share the connections */
	path->path.startup_cost = outer->startup_cost + inner->startup_cost;
	path->path.total_cost = outer->total_cost + inner->total_cost +
		more * each +
		path->path.rows * cpu_tuple_cost;
	if (!enable_nestloop)
		path->path.startup_cost += disable_cost;
	if (!enable_nestloop)
		path->path.total_cost += disable_cost;
}

static void
add_join(PlannerInfo *root, RelOptInfo *joinrel, Path *outer,
		 RelOptInfo *innerrel, ForeignPath *inner_path, JoinType jointype,
		 JoinPathExtraData *extra)
{
	const itableRelInfo *info = innerrel->fdw_private;
	CustomPath *path = makeNode(CustomPath);
	joinChoice *join = palloc0(sizeof(joinChoice));

	join->innerrel = innerrel;
	join->choice = linitial(inner_path->fdw_private);
	join->jointype = jointype;
	join->single = jointype == JOIN_SEMI || jointype == JOIN_ANTI ||
		extra->inner_unique;
	if (!sort_clauses(join, joinrel, inner_path, extra->restrictlist))
		return;
	path->path.pathtype = T_CustomScan;
	path->path.parent = joinrel;
	path->path.pathtarget = joinrel->reltarget;
	path->path.rows = joinrel->rows;
	path->path.pathkeys = build_join_pathkeys(root, joinrel, jointype,
											  outer->pathkeys);
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->custom_paths = list_make1(outer);
	path->custom_private = list_make1(join);
	path->methods = &path_methods;
	set_costs(root, path, outer, &inner_path->path, join->choice, info->table);
	add_path(joinrel, &path->path);
}

static void
find_joins(PlannerInfo *root, RelOptInfo *joinrel, RelOptInfo *outerrel,
		   RelOptInfo *innerrel, JoinType jointype, JoinPathExtraData *extra)
{
	Path	   *outer = outerrel->cheapest_total_path;
	List	   *paths;
	ListCell   *cell;

	if (previous_hook != NULL)
		previous_hook(root, joinrel, outerrel, innerrel, jointype, extra);
	if (!is_possible(root, joinrel, jointype) || !is_inner(root, innerrel) ||
		outer == NULL || outer->param_info != NULL)
		return;
	/* add_path() does not touch the inner relation's list */
	paths = innerrel->pathlist;
	foreach(cell, paths)
	{
		ForeignPath *inner_path = lfirst(cell);

		if (IsA(inner_path, ForeignPath) &&
			inner_path->path.param_info != NULL &&
			bms_is_subset(PATH_REQ_OUTER(&inner_path->path),
						  outerrel->relids) &&
			is_simple(linitial(inner_path->fdw_private)))
			add_join(root, joinrel, outer, innerrel, inner_path, jointype,
					 extra);
	}
}

/* The entry for a column or placeholder, whatever outer joins did to it. */
static const Expr *
find_in_tuple(const List *tlist, const Node *wanted)
{
	const ListCell *cell;

	foreach(cell, tlist)
	{
		const Node *expr = (Node *) lfirst_node(TargetEntry, cell)->expr;

		if (nodeTag(expr) != nodeTag(wanted))
			continue;
		if (IsA(expr, Var) ?
			((Var *) expr)->varno == ((Var *) wanted)->varno &&
			((Var *) expr)->varattno == ((Var *) wanted)->varattno :
			((PlaceHolderVar *) expr)->phid == ((PlaceHolderVar *) wanted)->phid)
			return (const Expr *) expr;
	}
	return NULL;
}

/*
 * The expression over the tuple's columns as they stand there.  Where it is
 * evaluated they have their values, on either side of the join.
 */
static Node *
over_tuple(Node *node, void *tlist)
{
	const Expr *found = NULL;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) || IsA(node, PlaceHolderVar))
		found = find_in_tuple(tlist, node);
	if (found == NULL)
		return expression_tree_mutator(node, over_tuple, tlist);
	node = copyObject(node);
	if (IsA(node, Var))
		ITABLE_SAME_NULLING((Var *) node, (const Var *) found, varnullingrels);
	else
		ITABLE_SAME_NULLING((PlaceHolderVar *) node,
							(const PlaceHolderVar *) found, phnullingrels);
	return node;
}

/* Adds the relation's columns that an expression names, each once. */
static List *
add_columns(List *tlist, Node *expr, Index relid)
{
	ListCell   *cell;

	foreach(cell, pull_var_clause(expr, PVC_RECURSE_AGGREGATES |
								  PVC_RECURSE_WINDOWFUNCS |
								  PVC_RECURSE_PLACEHOLDERS))
	{
		Var		   *var = lfirst(cell);

		if (var->varno == relid && find_in_tuple(tlist, (Node *) var) == NULL)
			tlist = lappend(tlist,
							makeTargetEntry((Expr *) copyObject(var),
											list_length(tlist) + 1, NULL,
											false));
	}
	return tlist;
}

/* What a row holds before projection: the outer row, then inner columns. */
static List *
scan_tlist(const Plan *outer, const joinChoice *join, const RelOptInfo *rel,
		   List *tlist)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, outer->targetlist)
	{
		TargetEntry *entry = lfirst_node(TargetEntry, cell);

		result = lappend(result,
						 makeTargetEntry((Expr *) copyObject(entry->expr),
										 list_length(result) + 1, NULL, false));
	}
	/* the tlist may yet be replaced by another one over these */
	result = add_columns(result, (Node *) rel->reltarget->exprs,
						 join->innerrel->relid);
	result = add_columns(result, (Node *) tlist, join->innerrel->relid);
	/* those above the join first: they stand in the tuple as it leaves it */
	result = add_columns(result, (Node *) join->later, join->innerrel->relid);
	return add_columns(result, (Node *) join->matching, join->innerrel->relid);
}

static Plan *
plan_join(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *tlist,
		  List *clauses, List *plans)
{
	joinChoice *join = linitial(path->custom_private);
	Plan	   *outer = linitial(plans);
	CustomScan *scan = makeNode(CustomScan);
	itablePlan	plan = {0};
	itableJoin	private = {0};
	List	   *exprs = NIL;

	itable_fill_plan(join->innerrel->fdw_private, join->choice, &plan, &exprs);
	private.plan = &plan;
	private.relid = planner_rt_fetch(join->innerrel->relid, root)->relid;
	private.userid = join->innerrel->userid;
	private.jointype = join->jointype;
	private.single = join->single;
	private.eager = root->tuple_fraction <= 0 && root->limit_tuples < 0;
	private.nouter = list_length(outer->targetlist);
	scan->custom_scan_tlist = scan_tlist(outer, join, rel, tlist);
	for (int i = private.nouter; i < list_length(scan->custom_scan_tlist); i++)
	{
		TargetEntry *entry = list_nth(scan->custom_scan_tlist, i);

		private.attnums = lappend_int(private.attnums,
									  castNode(Var, entry->expr)->varattno);
	}
	plan.attnums = private.attnums;
	scan->scan.plan.targetlist = tlist;
	scan->scan.plan.qual = join->later;
	scan->scan.scanrelid = 0;
	scan->flags = path->flags;
	scan->custom_plans = plans;
	scan->custom_exprs =
		(List *) over_tuple((Node *) list_make2(exprs, join->matching),
							scan->custom_scan_tlist);
	scan->custom_private = itable_join_to_list(&private);
	scan->methods = executor;
	return &scan->scan.plan;
}

void
itable_join_init(const CustomScanMethods *methods)
{
	executor = methods;
	RegisterCustomScanMethods(methods);
	previous_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = find_joins;
}
