/*
 * create_plan.c
 *	  The chosen way as a plan node.
 *
 * Every clause stays in the node's qual: the store narrows, PostgreSQL decides
 * (G7).  Expressions whose values the store needs go to fdw_exprs, so that
 * parameters are found and evaluated once per scan.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "nodes/makefuncs.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"

#include "plan/callbacks.h"
#include "plan/join.h"

/* Gives every comparison's value its place in fdw_exprs. */
static void
number_filter(itableFilter *filter, List **exprs)
{
	ListCell   *cell;

	if (filter == NULL)
		return;
	if (filter->kind == TMODEL_FILTER_COMPARE &&
		filter->match != ITABLE_NOT_NULL)
	{
		filter->expr = list_length(*exprs);
		*exprs = lappend(*exprs, filter->value);
	}
	foreach(cell, filter->args)
		number_filter(lfirst(cell), exprs);
}

static void
number_conds(const itableChoice *choice, itablePlan *plan, List **exprs)
{
	ListCell   *cond_cell;
	ListCell   *value_cell;

	forboth(cond_cell, choice->conds, value_cell, choice->values)
	{
		itableCond *cond = memcpy(palloc(sizeof(itableCond)),
								  lfirst(cond_cell), sizeof(itableCond));

		if (itable_cond_has_value(cond))
		{
			cond->expr = list_length(*exprs);
			*exprs = lappend(*exprs, lfirst(value_cell));
		}
		plan->conds = lappend(plan->conds, cond);
	}
}

/* How the choice reads: its table and conditions, and those of its arms. */
static void
fill_access(const itableChoice *choice, itablePlan *plan, List **exprs)
{
	ListCell   *cell;

	plan->access = choice->access;
	plan->index = choice->index != NULL ? choice->index->table->relid :
		InvalidOid;
	plan->covering = choice->covering;
	number_conds(choice, plan, exprs);
	plan->filter = choice->part;
	number_filter(plan->filter, exprs);
	if (choice->also != NULL)
	{
		plan->also = palloc0(sizeof(itablePlan));
		fill_access(choice->also, plan->also, exprs);
	}
	foreach(cell, choice->when)
	{
		plan->when = lappend_int(plan->when, list_length(*exprs));
		*exprs = lappend(*exprs, lfirst(cell));
	}
	foreach(cell, choice->arms)
	{
		itablePlan *arm = palloc0(sizeof(itablePlan));

		fill_access(lfirst(cell), arm, exprs);
		plan->arms = lappend(plan->arms, arm);
	}
}

/* Gives LIMIT and OFFSET their places in fdw_exprs. */
static void
number_fetch(itableFetch *fetch, List **exprs)
{
	fetch->count_expr = fetch->offset_expr = -1;
	if (fetch->count != NULL)
	{
		fetch->count_expr = list_length(*exprs);
		*exprs = lappend(*exprs, fetch->count);
	}
	if (fetch->offset != NULL)
	{
		fetch->offset_expr = list_length(*exprs);
		*exprs = lappend(*exprs, fetch->offset);
	}
}

/* Why each clause stays, "" where the store has narrowed by it. */
static List *
reasons(PlannerInfo *root, RelOptInfo *rel, const itableChoice *choice,
		List *scan_clauses)
{
	const itableRelInfo *info = rel->fdw_private;
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, scan_clauses)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		const char *reason = "";

		if (rinfo->pseudoconstant)
			continue;
		if (!list_member_ptr(choice->rinfos, rinfo) &&
			!list_member_ptr(choice->origins, rinfo) &&
			!(choice->index == NULL &&
			  list_member_ptr(info->filtered, rinfo)))
			reason = itable_why_kept(root, rel, info, choice, rinfo);
		result = lappend(result, makeString(pstrdup(reason)));
	}
	return result;
}

static List *
needed_attnums(const itableRelInfo *info)
{
	List	   *result = NIL;
	int			member = -1;

	while ((member = bms_next_member(info->needed, member)) >= 0)
		if (member + FirstLowInvalidHeapAttributeNumber > 0)
			result = lappend_int(result,
								 member + FirstLowInvalidHeapAttributeNumber);
	return result;
}

void
itable_fill_plan(const itableRelInfo *info, const itableChoice *choice,
				 itablePlan *plan, List **exprs)
{
	fill_access(choice, plan, exprs);
	if (choice->index == NULL)
	{
		plan->filter = info->filter;
		number_filter(plan->filter, exprs);
		plan->skip_sections = itable_has_sections(info->table);
	}
	plan->order = choice->order;
	plan->fetch = choice->fetch;
	number_fetch(&plan->fetch, exprs);
	plan->attnums = needed_attnums(info);
}

ForeignScan *
itableGetForeignPlan(PlannerInfo *root, RelOptInfo *rel, Oid relid,
					 ForeignPath *path, List *tlist, List *clauses,
					 Plan *outer_plan)
{
	itableRelInfo *info;
	itableChoice *choice = linitial(path->fdw_private);
	itablePlan	plan = {0};
	List	   *exprs = NIL;

	/* a path of an upper relation (upper.c) is a scan of its base relation */
	if (list_length(path->fdw_private) > 1)
	{
		rel = lsecond(path->fdw_private);
		clauses = rel->baserestrictinfo;
	}
	info = rel->fdw_private;
	itable_fill_plan(info, choice, &plan, &exprs);
	plan.for_update = info->for_update;
	plan.to_the_end = root->tuple_fraction <= 0 && root->limit_tuples < 0 &&
		choice->fetch.rows == 0;
	/* whoever counts on an order gets it from one stretch */
	if (path->path.pathkeys == NIL && plan.to_the_end)
	{
		plan.pieces = choice->pieces;
		plan.cut = choice->cut;
	}
	plan.skip = choice->skip;
	plan.to_the_end &= !plan.skip;
	plan.all_columns = info->all_columns || info->for_update;
	plan.kept = reasons(root, rel, choice, clauses);
	if (choice->access == ITABLE_FULL && !plan.skip && !plan.order.back)
		plan.advice = itable_advice(root, rel, info);
	return make_foreignscan(tlist, extract_actual_clauses(clauses, false),
							rel->relid, exprs, itable_plan_to_list(&plan),
							NIL, NIL, outer_plan);
}
