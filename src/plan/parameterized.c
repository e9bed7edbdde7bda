/*
 * parameterized.c
 *	  Ways to read a relation whose keys come from another: the inner side of
 *	  nested loops.
 *
 * Looks for join clauses that fix or bound key components, through equivalence
 * classes and as they stand, and adds one path for each set of outer relations
 * and each way its clauses open.  Which way is best is the planner's question.
 * Easy to break: conditions must come from the path's own clauses
 * (ParamPathInfo), for those are what the plan rechecks.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"

#include "compat.h"
#include "plan/element_share.h"
#include "plan/plan.h"

/* The column an equivalence class is asked about. */
typedef struct wantedColumn
{
	Index		relid;
	AttrNumber	attnum;
} wantedColumn;

static bool
is_wanted(PlannerInfo *root, RelOptInfo *rel, EquivalenceClass *ec,
		  EquivalenceMember *em, void *arg)
{
	const wantedColumn *wanted = arg;
	Node	   *node = (Node *) em->em_expr;

	while (node != NULL && IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return node != NULL && IsA(node, Var) &&
		((Var *) node)->varno == wanted->relid &&
		((Var *) node)->varattno == wanted->attnum;
}

/* Columns that are keys of the relation or of one of its indexes. */
static List *
key_attnums(const itableRelInfo *info)
{
	List	   *result = NIL;
	ListCell   *cell;

	for (int i = 0; i < info->table->npartition; i++)
		result = list_append_unique_int(result,
										info->table->partition[i]->attnum);
	for (int i = 0; i < info->table->nrow; i++)
		result = list_append_unique_int(result, info->table->row[i]->attnum);
	foreach(cell, info->indexes)
	{
		const itableIndex *index = lfirst(cell);
		const itableTable *table = index->table;

		for (int i = 0; i < table->natts; i++)
			if (table->columns[i] != NULL && index->fact_attnum[i] != 0 &&
				(table->columns[i]->kind == ITABLE_PARTITION_KEY ||
				 table->columns[i]->kind == ITABLE_ROW_KEY))
				result = list_append_unique_int(result,
												index->fact_attnum[i]);
	}
	return result;
}

/* Adds the set of outer relations a clause needs, if it can come here. */
static List *
add_outer(PlannerInfo *root, RelOptInfo *rel, RestrictInfo *rinfo,
		  List *outers)
{
	Relids		outer;
	ListCell   *cell;

	if (!join_clause_is_movable_to(rinfo, rel))
		return outers;
	outer = bms_union(rinfo->clause_relids, rel->lateral_relids);
	outer = bms_del_member(outer, rel->relid);
	if (bms_is_empty(outer))
		return outers;
	foreach(cell, outers)
		if (bms_equal(lfirst(cell), outer))
			return outers;
	return lappend(outers, outer);
}

/* Every set of outer relations with a clause about one of our columns. */
static List *
outer_sets(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info)
{
	List	   *outers = NIL;
	ListCell   *cell;

	foreach(cell, rel->joininfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);

		/* an OR may open a way by each of its sides */
		if (rinfo->orclause != NULL ||
			itable_classify(root, rel, info->table, list_make1(rinfo)) != NIL)
			outers = add_outer(root, rel, rinfo, outers);
	}
	if (!rel->has_eclass_joins)
		return outers;
	foreach(cell, key_attnums(info))
	{
		wantedColumn wanted = {rel->relid, lfirst_int(cell)};
		ListCell   *clause;

		foreach(clause,
				generate_implied_equalities_for_column(root, rel, is_wanted,
													   &wanted,
													   rel->lateral_referencers))
			outers = add_outer(root, rel, lfirst_node(RestrictInfo, clause),
							   outers);
	}
	return outers;
}

/* Does the way use a clause of the parameterization? */
static bool
uses_any(const itableChoice *choice, const List *clauses)
{
	ListCell   *cell;

	foreach(cell, choice->rinfos)
		if (list_member_ptr(clauses, lfirst(cell)))
			return true;
	return false;
}

/* Those of the clauses that the choice's keys and the filter do not use. */
static List *
kept_local(const itableRelInfo *info, const itableChoice *choice,
		   const List *rinfos)
{
	List	   *result = list_difference_ptr(rinfos, choice->rinfos);

	result = list_difference_ptr(result, choice->origins);
	return choice->index != NULL ? result :
		list_difference_ptr(result, info->filtered);
}

static void
add_paths_for(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			  Relids outer)
{
	ParamPathInfo *param = get_baserel_parampathinfo(root, rel, outer);
	List	   *clauses = itable_classify(root, rel, info->table,
										  param->ppi_clauses);
	List	   *rinfos = list_concat_copy(param->ppi_clauses,
										  rel->baserestrictinfo);
	List	   *choices;
	ListCell   *cell;

	clauses = list_concat(clauses, info->clauses);
	if (info->elements != NIL)
		param->ppi_rows =
			Min(clamp_row_est(rel->tuples *
							  itable_share(root, rel, info, rinfos)),
				rel->rows);
	choices = itable_choices(info, clauses);
	choices = list_concat(choices,
						  itable_unions(root, rel, info, clauses, rinfos));
	foreach(cell, choices)
	{
		itableChoice *choice = lfirst(cell);
		Cost		startup;
		Cost		total;

		if ((choice->access == ITABLE_FULL && choice->arms == NIL) ||
			!uses_any(choice, param->ppi_clauses))
			continue;
		itable_cost(root, rel, info, choice, &startup, &total);
		itable_plan_inner_fetch(root, rel, kept_local(info, choice, rinfos),
								&choice->fetch);
		/* as PostgreSQL reckons where matches lie by chance */
		if (choice->fetch.rows > 0)
			total = startup + (total - startup) * 2 / (param->ppi_rows + 1);
		add_path(rel, (Path *)
				 create_foreignscan_path(root, rel, NULL,
										 PATH_ROWS(param->ppi_rows), startup,
										 total, NIL, param->ppi_req_outer, NULL,
										 PATH_PRIVATE(list_make1(choice))));
	}
}

void
itable_add_parameterized_paths(PlannerInfo *root, RelOptInfo *rel,
							   itableRelInfo *info)
{
	ListCell   *cell;

	foreach(cell, outer_sets(root, rel, info))
		add_paths_for(root, rel, info, lfirst(cell));
}
