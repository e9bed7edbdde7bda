/*
 * upper.c
 *	  What the planner asks for above a scan; here DISTINCT on the PartitionKey,
 *	  by skipping from partition to partition.
 *
 * SELECT DISTINCT p, or GROUP BY p without aggregates, needs one row of each
 * partition: a request each, which is less than reading all of them where
 * partitions are large.  LIMIT is limit.c's.  Called by the planner for each
 * upper relation.  Easy to break: every clause must be about the PartitionKey
 * alone.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "plan/callbacks.h"
#include "plan/upper.h"

RelOptInfo *
itable_only_relation(PlannerInfo *root)
{
	int			relid;
	RelOptInfo *rel;
	const itableRelInfo *info;

	if (!bms_get_singleton_member(root->all_baserels, &relid))
		return NULL;
	rel = root->simple_rel_array[relid];
	if (rel == NULL || rel->reloptkind != RELOPT_BASEREL ||
		rel->fdwroutine == NULL || rel->fdw_private == NULL ||
		rel->fdwroutine->GetForeignUpperPaths != itableGetForeignUpperPaths)
		return NULL;
	info = rel->fdw_private;
	return info->for_update ? NULL : rel;
}

List *
itable_ways(const RelOptInfo *rel)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, rel->pathlist)
	{
		ForeignPath *path = lfirst(cell);

		if (IsA(path, ProjectionPath))
			path = (ForeignPath *) ((ProjectionPath *) path)->subpath;
		if (IsA(path, ForeignPath) && path->path.param_info == NULL &&
			path->path.parent == rel && list_length(path->fdw_private) == 1)
			result = lappend(result, path);
	}
	return result;
}

/* Is the attribute a component of the PartitionKey, compared by its bytes? */
static bool
is_partition_column(const itableTable *table, AttrNumber attnum)
{
	const itableColumn *column;

	if (attnum <= 0)
		return false;
	column = table->columns[attnum - 1];
	return column != NULL && column->kind == ITABLE_PARTITION_KEY &&
		(!OidIsValid(column->collation) ||
		 get_collation_isdeterministic(column->collation));
}

/* Do the expressions name all columns of the PartitionKey, and nothing else? */
static bool
are_partition_columns(const itableTable *table, Index relid, List *exprs)
{
	Bitmapset  *named = NULL;
	ListCell   *cell;

	foreach(cell, exprs)
	{
		const Var  *var = lfirst(cell);

		if (!IsA(var, Var) || var->varno != relid || var->varlevelsup != 0 ||
			!is_partition_column(table, var->varattno))
			return false;
		named = bms_add_member(named, var->varattno);
	}
	return table->npartition_parts == table->npartition &&
		bms_num_members(named) == table->npartition;
}

/* Is every clause decided by the PartitionKey? */
static bool
clauses_fit(const itableTable *table, const RelOptInfo *rel)
{
	ListCell   *cell;

	foreach(cell, rel->baserestrictinfo)
	{
		const RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		Bitmapset  *named = NULL;
		int			member = -1;

		if (rinfo->pseudoconstant ||
			contain_volatile_functions((Node *) rinfo->clause) ||
			contain_subplans((Node *) rinfo->clause))
			return false;
		pull_varattnos((Node *) rinfo->clause, rel->relid, &named);
		while ((member = bms_next_member(named, member)) >= 0)
			if (!is_partition_column(table,
									 member + FirstLowInvalidHeapAttributeNumber))
				return false;
	}
	return true;
}

/* Does the query ask for nothing but different values at this stage? */
static bool
is_distinct(const Query *parse, UpperRelationKind stage)
{
	if (parse->hasAggs || parse->groupingSets != NIL ||
		parse->havingQual != NULL || parse->hasWindowFuncs ||
		parse->hasTargetSRFs)
		return false;
	return stage == UPPERREL_DISTINCT ?
		parse->distinctClause != NIL && !parse->hasDistinctOn &&
		parse->groupClause == NIL :
		parse->groupClause != NIL;
}

static void
add_skip_path(PlannerInfo *root, RelOptInfo *rel, RelOptInfo *output_rel,
			  PathTarget *target)
{
	itableRelInfo *info = rel->fdw_private;
	itableChoice *choice = linitial(itable_choices(info, info->clauses));
	itableChoice *skip = memcpy(palloc(sizeof(itableChoice)), choice,
								sizeof(itableChoice));
	double		groups = estimate_num_groups(root, target->exprs, rel->rows,
											 NULL, NULL);
	Cost		one = info->table->startup_cost;

	skip->skip = true;
	skip->pieces = NIL;
	skip->cut = false;
	itable_plan_fetch(root, rel, NIL, &skip->fetch);
	add_path(output_rel, (Path *)
			 create_foreign_upper_path(root, output_rel, target,
									   PATH_ROWS(groups), one,
									   (groups + 1) * one, NIL, NULL,
									   PATH_PRIVATE(list_make2(skip, rel))));
}

void
itableGetForeignUpperPaths(PlannerInfo *root, UpperRelationKind stage,
						   RelOptInfo *input_rel, RelOptInfo *output_rel,
						   void *extra)
{
	RelOptInfo *rel;
	itableRelInfo *info;
	PathTarget *target;

	rel = itable_only_relation(root);
	if (rel == NULL)
		return;
	if (stage == UPPERREL_FINAL)
		itable_add_limit_path(root, rel, output_rel, extra);
	if ((stage != UPPERREL_DISTINCT && stage != UPPERREL_GROUP_AGG) ||
		!is_distinct(root->parse, stage))
		return;
	info = rel->fdw_private;
	target = root->upper_targets[stage];
	if (target != NULL &&
		are_partition_columns(info->table, rel->relid, target->exprs) &&
		clauses_fit(info->table, rel))
		add_skip_path(root, rel, output_rel, target);
}
