/*
 * cost.c
 *	  What a way to read costs, in requests first.
 *
 * A request costs fdw_startup_cost, an entity fdw_tuple_cost, a byte what
 * price.h says.  Requests that can be in flight together share the wait, so that
 * only a part of each counts.  Called by relinfo.c for every choice.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"

#include "plan/element_share.h"
#include "plan/plan.h"
#include "plan/price.h"
#include "table/settings.h"

/* The most an index key value is taken to select where nothing is known. */
#define GUESSED_SHARE 0.001

/* Of a full scan that itable_fdw.full_scan refuses: anything else is better. */
#define FORBIDDEN_COST 1.0e10

/* How often a parameter is taken to ask for everything ($1 IS NULL OR ...). */
#define UNLIKELY_SHARE 0.1

/*
 * The clauses that conditions came from.  A row comparison narrows by its first
 * pair only, its end included.
 */
static List *
clauses_asked(PlannerInfo *root, const itableChoice *choice)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, choice->rinfos)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		Expr	   *first = choice->arms == NIL &&
		IsA(rinfo->clause, RowCompareExpr) ?
		itable_row_first((RowCompareExpr *) rinfo->clause) : NULL;

		result = lappend(result, first == NULL ? rinfo :
						 make_simple_restrictinfo(root, first));
	}
	return result;
}

/* How many entities the conditions on keys leave. */
static double
entities_asked(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			   const itableChoice *choice)
{
	Selectivity share = itable_share(root, rel, info,
									 clauses_asked(root, choice));

	if (choice->access == ITABLE_POINT &&
		(choice->index == NULL || choice->index->table->unique))
		return choice->probes;
	/* without statistics an unknown array element seems to be everywhere */
	if (info->guessed && choice->index != NULL)
		share = Min(share, GUESSED_SHARE * choice->probes);
	return clamp_row_est(rel->tuples * share);
}

Cost
itable_parallel_cost(const itableTable *table, double requests)
{
	if (requests <= 0)
		return 0;
	return table->startup_cost *
		(1 + Max(requests - 1, 0) / itable_width(table));
}

/* Receiving so many entities, with so many bytes of values in each. */
static Cost
entities_cost(const itableTable *table, double entities, double width)
{
	return entities * (table->tuple_cost + (ITABLE_ENTITY_BYTES + width) /
					   1024 * ITABLE_KILOBYTE_COST);
}

/* Pages of stretches, several read side by side, so many begun for themselves. */
static Cost
pages_cost(const itableTable *table, double pages, double begun, int pieces)
{
	/* pages of one stretch wait for each other */
	return itable_parallel_cost(table, begun) + Max(pages - begun, 0) *
		table->startup_cost / Min(Max(pieces, 1), itable_width(table));
}

/* A lookup of so many rows, less a scan that has them, too. */
static Cost
lookup_minus_scan(const itableTable *table, double rows, double found,
				  bool filtered)
{
	double		sent = filtered ? found : rows;
	Cost		scan = pages_cost(table, ceil(sent / table->fetch_size), 1,
								  itable_pieces_for(table, sent)) +
	entities_cost(table, sent, 0) + (rows - sent) * ITABLE_WALK_COST;
	Cost		lookup = pages_cost(table, ceil(found / table->fetch_size), 1,
									1) +
	itable_parallel_cost(table, found) +
	entities_cost(table, found, ITABLE_ENTRY_BYTES) +
	entities_cost(table, found, 0);

	return lookup - scan;
}

double
itable_break_even(const itableTable *table, double rows, bool filtered)
{
	double		low = 1;
	double		high = rows;

	if (rows <= 1 || lookup_minus_scan(table, rows, low, filtered) >= 0)
		return 0;
	if (lookup_minus_scan(table, rows, high, filtered) <= 0)
		return 1;
	while (high - low > 0.5)
	{
		double		middle = (low + high) / 2;

		if (lookup_minus_scan(table, rows, middle, filtered) < 0)
			low = middle;
		else
			high = middle;
	}
	return low / rows;
}

/*
 * How many facts are read behind the entries; *total grows by what the other
 * lists of entries cost.
 */
static double
facts_read(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		   const itableChoice *choice, double entities, Cost *total)
{
	List	   *rinfos = choice->rinfos;

	if (choice->also == NULL)
		return entities;
	for (const itableChoice *other = choice->also; other != NULL;
		 other = other->also)
	{
		double		entries = entities_asked(root, rel, info, other);
		double		pages = ceil(entries / info->table->fetch_size);

		*total += pages_cost(info->table, pages, other->probes, 1) +
			entities_cost(info->table, entries, ITABLE_ENTRY_BYTES) +
			entries * cpu_tuple_cost;
		rinfos = list_union_ptr(rinfos, other->rinfos);
	}
	return clamp_row_est(rel->tuples * itable_share(root, rel, info, rinfos));
}

/* One way, without what PostgreSQL does with its rows; an arm has no pieces. */
static Cost
way_cost(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		 itableChoice *choice, bool is_arm, double share, double *rows)
{
	const itableTable *table = info->table;
	double		entities = entities_asked(root, rel, info, choice);
	double		pages;
	Cost		total;

	/* a filter on properties saves pages, not the store's own work */
	if (choice->index != NULL)
		share = 1;
	*rows = entities * share;
	pages = ceil(*rows / table->fetch_size);
	choice->pieces = is_arm ? NIL :
		itable_pieces(root, rel, info, choice, *rows);
	total = pages_cost(table, pages, choice->probes,
					   list_length(choice->pieces)) +
		entities_cost(table, *rows, choice->index != NULL ?
					  ITABLE_ENTRY_BYTES : rel->reltarget->width) +
		entities * (1 - share) * ITABLE_WALK_COST;
	if (choice->index != NULL && !choice->covering)
	{
		double		facts = facts_read(root, rel, info, choice, entities,
									   &total);

		total += itable_parallel_cost(table, facts) +
			entities_cost(table, facts, rel->reltarget->width);
	}
	else if (info->self_index != NULL && !info->self_index->covering)
		total += itable_parallel_cost(table, entities);
	return total;
}

/* Parts of a long list, as many at a time as there are connections. */
static Cost
parts_cost(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		   const itableChoice *choice, double share, double *rows)
{
	double		list = clauselist_selectivity(root, choice->rinfos, rel->relid,
											  JOIN_INNER, NULL) /
	clauselist_selectivity(root,
						   ((itableChoice *) linitial(choice->arms))->rinfos,
						   rel->relid, JOIN_INNER, NULL);
	Cost		total = 0;
	ListCell   *cell;

	/* nothing is selected where the relation's own way selects nothing */
	if (isnan(list))
		list = 0;
	foreach(cell, choice->arms)
	{
		itableChoice *arm = lfirst(cell);
		double		arm_rows;

		total += way_cost(root, rel, info, arm, true,
						  share * Min(list * arm->part_share, 1), &arm_rows);
		*rows += arm_rows;
	}
	return total / Min(list_length(choice->arms),
					   Max(info->table->max_connections, 1));
}

/* All arms; their point reads are in flight together. */
static Cost
arms_cost(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
		  const itableChoice *choice, double share, double *rows)
{
	double		points = 0;
	Cost		total = 0;
	ListCell   *cell;

	*rows = 0;
	if (((itableChoice *) linitial(choice->arms))->part != NULL)
		return parts_cost(root, rel, info, choice, share, rows);
	foreach(cell, choice->arms)
	{
		itableChoice *arm = lfirst(cell);
		double		arm_rows = arm->probes;

		if (arm->index == NULL && arm->access == ITABLE_POINT)
			points += arm->probes;
		else if (arm->when != NIL && arm->access == ITABLE_FULL)
			total += way_cost(root, rel, info, arm, true, share, &arm_rows) *
				UNLIKELY_SHARE;
		else
			total += way_cost(root, rel, info, arm, true, share,
							  &arm_rows);
		*rows += arm_rows;
	}
	return total + itable_parallel_cost(info->table, points) +
		entities_cost(info->table, points, rel->reltarget->width);
}

void
itable_cost(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			itableChoice *choice, Cost *startup, Cost *total)
{
	double		share = 1;
	double		rows;
	QualCost	qual;

	if (info->filtered != NIL)
		share = clauselist_selectivity(root, info->filtered, rel->relid,
									   JOIN_INNER, NULL);
	*startup = info->table->startup_cost;
	*total = choice->arms == NIL ?
		way_cost(root, rel, info, choice, false, share, &rows) :
		arms_cost(root, rel, info, choice, share, &rows);
	cost_qual_eval(&qual, rel->baserestrictinfo, root);
	*startup += qual.startup;
	*total += qual.startup + rows * (cpu_tuple_cost + qual.per_tuple);
	if (itable_full_scan == ITABLE_FULL_SCAN_ERROR && choice->arms == NIL &&
		choice->access == ITABLE_FULL)
		*total += FORBIDDEN_COST;
}
