/*
 * relinfo.c
 *	  The planner callbacks: size of a foreign relation and paths over it.
 *
 * Gathers what paths.c, cost.c and create_plan.c need, once per query and
 * relation.  Sends no request.  Easy to break: an UPDATE or DELETE needs the
 * whole entity of each row, whatever columns the query names.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "catalog/pg_class.h"
#include "optimizer/inherit.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "parser/parsetree.h"
#include "utils/rel.h"

#include "compat.h"
#include "plan/callbacks.h"
#include "plan/element_share.h"
#include "plan/intersection.h"
#include "plan/long_list.h"
#include "table/settings.h"

/* Rows assumed of a table that was never analyzed. */
#define DEFAULT_TUPLES 10000

/* Columns that the output or any clause needs. */
static void
find_needed(RelOptInfo *rel, itableRelInfo *info)
{
	ListCell   *cell;

	pull_varattnos((Node *) rel->reltarget->exprs, rel->relid, &info->needed);
	foreach(cell, rel->baserestrictinfo)
		pull_varattnos((Node *) lfirst_node(RestrictInfo, cell)->clause,
					   rel->relid, &info->needed);
	info->all_columns =
		bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, info->needed);
}

/* Is the relation what the query changes (or a child of it)? */
static bool
is_changed(PlannerInfo *root, RelOptInfo *rel)
{
	CmdType		command = root->parse->commandType;

	return (command == CMD_UPDATE || command == CMD_DELETE) &&
		bms_is_member(rel->relid, root->all_result_relids);
}

static void
collect_filter(PlannerInfo *root, RelOptInfo *rel, itableRelInfo *info)
{
	itableFilter *all = palloc0(sizeof(itableFilter));
	ListCell   *cell;
	int			comparisons = 0;

	all->kind = TMODEL_FILTER_AND;
	foreach(cell, rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		itableFilter *part = itable_ship(root, rel, info->table,
										 rinfo->clause);
		int			more = itable_filter_comparisons(info->table, part);

		if (part == NULL || comparisons + more > itable_filter_room(info->table))
			continue;
		comparisons += more;
		all->args = lappend(all->args, part);
		info->filtered = lappend(info->filtered, rinfo);
	}
	info->filter = all->args == NIL ? NULL :
		list_length(all->args) == 1 ? linitial(all->args) : all;
}

void
itableGetForeignRelSize(PlannerInfo *root, RelOptInfo *rel, Oid relid)
{
	itableRelInfo *info = palloc0(sizeof(itableRelInfo));

	rel->fdw_private = info;
	info->table = itable_table_def(relid);
	if (itable_is_index(info->table))
		info->self_index = itable_index_def(info->table,
											itable_fact_of(info->table));
	else
		info->indexes = itable_indexes_of(info->table, true);
	info->for_update = is_changed(root, rel);
	find_needed(rel, info);
	info->clauses = itable_classify(root, rel, info->table,
									rel->baserestrictinfo);
	info->clauses = itable_split_elements(root, rel, info->clauses);
	/* entries that are not verified may contradict the fact: no filter there */
	if (info->self_index == NULL)
		collect_filter(root, rel, info);

	info->guessed = rel->tuples <= 0;
	if (info->guessed)
		rel->tuples = DEFAULT_TUPLES;
	itable_estimate_elements(root, rel, info);
	set_baserel_size_estimates(root, rel);
}

void
itableGetForeignPaths(PlannerInfo *root, RelOptInfo *rel, Oid relid)
{
	itableRelInfo *info = rel->fdw_private;
	List	   *choices = itable_choices(info, info->clauses);
	ListCell   *cell;

	choices = list_concat(choices, itable_list_parts(root, rel, info,
													 linitial(choices)));
	choices = list_concat(choices, itable_intersections(info, choices));
	choices = list_concat(choices, itable_unions(root, rel, info, info->clauses,
												 rel->baserestrictinfo));
	if (has_useful_pathkeys(root, rel))
	{
		choices = list_concat(choices, itable_whole_indexes(info,
															info->clauses));
		choices = list_concat(choices,
							  itable_ordered_unions(root, rel, info,
													info->clauses,
													rel->baserestrictinfo));
	}
	foreach(cell, choices)
		itable_add_paths(root, rel, info, lfirst(cell));
	itable_add_parameterized_paths(root, rel, info);
	/* so that a cached plan notices when an index table changes */
	foreach(cell, info->indexes)
	{
		itableIndex *index = lfirst(cell);

		root->glob->relationOids = lappend_oid(root->glob->relationOids,
											   index->table->relid);
	}
}

bool
itableIsForeignPathAsyncCapable(ForeignPath *path)
{
	const RelOptInfo *rel = path->path.parent;
	const itableRelInfo *info = rel->fdw_private;

	return info->table->async_capable;
}
