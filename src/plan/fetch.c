/*
 * fetch.c
 *	  How many rows a query will want first.
 *
 * A LIMIT, a cursor or an EXISTS reads a scan only in part.  The first page is
 * then as small as what is wanted, and the pages after it double, so that
 * neither a thousand entities are read for one row nor one request is sent for
 * each.  A semi-join's inner side is read until it has a match.  Called for every
 * path.  Easy to break: this is a hint only; a row may yet be rejected, and the
 * scan must go on.
 */
#include "postgres.h"

#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/paths.h"

#include "plan/plan.h"

/* Rows of the first page when only a part of them will be read. */
#define PART_ROWS 100

/* Does everything a scan returns reach the top, row by row? */
static bool
is_streaming(const Query *parse)
{
	return !parse->hasAggs && parse->groupClause == NIL &&
		parse->groupingSets == NIL && parse->havingQual == NULL &&
		parse->distinctClause == NIL && !parse->hasWindowFuncs &&
		parse->setOperations == NULL;
}

/* A number that is known when the scan starts. */
static bool
is_known(Node *limit)
{
	return !contain_volatile_functions(limit) && !contain_subplans(limit);
}

void
itable_plan_fetch(PlannerInfo *root, RelOptInfo *rel, const List *pathkeys,
				  itableFetch *fetch)
{
	const Query *parse = root->parse;

	memset(fetch, 0, sizeof(*fetch));
	fetch->count_expr = fetch->offset_expr = -1;
	if (!is_streaming(parse) ||
		!pathkeys_contained_in(root->sort_pathkeys, (List *) pathkeys))
		return;
	if (parse->limitCount != NULL && !parse->hasTargetSRFs &&
		is_known(parse->limitCount) && is_known(parse->limitOffset) &&
		bms_membership(root->all_baserels) == BMS_SINGLETON)
	{
		fetch->rows = PART_ROWS;
		fetch->count = (Expr *) parse->limitCount;
		fetch->offset = (Expr *) parse->limitOffset;
	}
	else if (root->tuple_fraction >= 1 &&
			 bms_membership(root->all_baserels) == BMS_SINGLETON)
		fetch->rows = (int) Min(root->tuple_fraction, 1000);
	else if (root->tuple_fraction > 0)
		fetch->rows = PART_ROWS;
}

/* Does whoever reads the relation for a row of another end at the first match? */
static bool
ends_at_first_match(PlannerInfo *root, RelOptInfo *rel)
{
	ListCell   *cell;

	foreach(cell, root->join_info_list)
	{
		const SpecialJoinInfo *join = lfirst_node(SpecialJoinInfo, cell);

		if ((join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI) &&
			bms_equal(join->min_righthand, rel->relids))
			return true;
	}
	return false;
}

void
itable_plan_inner_fetch(PlannerInfo *root, RelOptInfo *rel, List *clauses,
						itableFetch *fetch)
{
	double		share;

	memset(fetch, 0, sizeof(*fetch));
	fetch->count_expr = fetch->offset_expr = -1;
	if (!ends_at_first_match(root, rel))
		return;
	share = clauselist_selectivity(root, clauses, rel->relid, JOIN_INNER,
								   NULL);
	fetch->rows = (int) Min(1 / Max(share, 1.0 / PART_ROWS), PART_ROWS);
}
