/*
 * limit.c
 *	  LIMIT and OFFSET done by the scan itself.
 *
 * Where the store decides every clause and hands out the order that is wanted,
 * the number of rows is known before the first request: pages are then exactly
 * as large as what is still wanted (1,000 and 500 of LIMIT 1500), and none is
 * asked for ahead behind the last.  Otherwise LIMIT is a hint (fetch.c).  Called
 * by upper.c.  Easy to break: rows are still rechecked, by exec/scan.c before it
 * counts them, for this transaction's own rows pass no filter of the store.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"

#include "compat.h"
#include "plan/upper.h"

/* Does the way narrow by all that the clause says? */
static bool
is_decided(PlannerInfo *root, const RelOptInfo *rel, const itableRelInfo *info,
		   const itableChoice *choice, RestrictInfo *rinfo)
{
	itableClause clause;
	bool		matches = itable_match(root, rel->relid, info->table,
									   (Node *) rinfo->clause, &clause);

	if (rinfo->pseudoconstant ||
		contain_volatile_functions((Node *) rinfo->clause))
		return false;
	if (choice->index == NULL && list_member_ptr(info->filtered, rinfo))
		return true;
	/* keys are always there */
	if (matches && clause.match == ITABLE_NOT_NULL &&
		(info->table->columns[clause.attnum - 1]->kind == ITABLE_PARTITION_KEY ||
		 info->table->columns[clause.attnum - 1]->kind == ITABLE_ROW_KEY))
		return true;
	if (!list_member_ptr(choice->rinfos, rinfo))
		return false;
	if (!matches || IsA(rinfo->clause, RowCompareExpr))
		return choice->arms != NIL;
	return clause.match != ITABLE_LIKE && clause.match != ITABLE_ALL_OF;
}

bool
itable_decides(PlannerInfo *root, const RelOptInfo *rel,
			   const itableChoice *choice)
{
	ListCell   *cell;

	foreach(cell, rel->baserestrictinfo)
		if (!is_decided(root, rel, rel->fdw_private, choice, lfirst(cell)))
			return false;
	return true;
}

/* Is a path's every row, in its order, one that is wanted? */
static bool
is_exact(PlannerInfo *root, const RelOptInfo *rel, const ForeignPath *path)
{
	const itableChoice *choice = linitial(path->fdw_private);

	/* without a count, the query wants something else of the rows */
	return choice->fetch.count != NULL && choice->also == NULL &&
		pathkeys_contained_in(root->sort_pathkeys, path->path.pathkeys) &&
		itable_decides(root, rel, choice);
}

/* Columns that only a scan below can tell. */
static bool
needs_system_columns(const itableRelInfo *info)
{
	int			member = -1;

	while ((member = bms_next_member(info->needed, member)) >= 0)
		if (member + FirstLowInvalidHeapAttributeNumber < 0)
			return true;
	return false;
}

void
itable_add_limit_path(PlannerInfo *root, RelOptInfo *rel, RelOptInfo *output,
					  const FinalPathExtraData *extra)
{
	const Query *parse = root->parse;
	PathTarget *target = root->upper_targets[UPPERREL_FINAL];
	ListCell   *cell;

	if (!extra->limit_needed || parse->limitOption == LIMIT_OPTION_WITH_TIES ||
		parse->commandType != CMD_SELECT || parse->rowMarks != NIL ||
		parse->hasTargetSRFs || needs_system_columns(rel->fdw_private) ||
		contain_volatile_functions((Node *) target->exprs))
		return;
	foreach(cell, itable_ways(rel))
	{
		const ForeignPath *path = lfirst(cell);
		itableChoice *choice;
		double		rows = path->path.rows;
		Cost		startup = path->path.startup_cost;
		Cost		total = path->path.total_cost;

		if (!is_exact(root, rel, path))
			continue;
		choice = memcpy(palloc(sizeof(itableChoice)), linitial(path->fdw_private),
						sizeof(itableChoice));
		choice->fetch.exact = true;
		adjust_limit_rows_costs(&rows, &startup, &total, extra->offset_est,
								extra->count_est);
		startup += target->cost.startup;
		total += target->cost.startup + target->cost.per_tuple * rows;
		/* what PostgreSQL's node would cost */
		total = Max(startup, total - cpu_tuple_cost * rows);
		add_path(output, (Path *)
				 create_foreign_upper_path(root, output, target,
										   PATH_ROWS(rows), startup, total,
										   path->path.pathkeys, NULL,
										   PATH_PRIVATE(list_make2(choice,
																   rel))));
	}
}
