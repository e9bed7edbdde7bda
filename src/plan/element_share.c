/*
 * element_share.c
 *	  How many rows have a value among an array's elements that is not known
 *	  before execution.
 *
 * PostgreSQL estimates "constant = ANY (column)" from the column's statistics,
 * but takes a default for values of other tables and parameters.  Here such a
 * clause is estimated from the same statistics: the elements' frequencies
 * against the other side's common values, where they are known, and the mean of
 * the rest.  What PostgreSQL keeps per clause (norm_selec) is set, so that sizes
 * of joins follow, too.  Called by relinfo.c and for parameterized paths.  Easy
 * to break: PostgreSQL asks anew when a clause is one of an inner path, so
 * itable_share() must be asked there.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "plan/element_share.h"

/* A clause and the share of rows that meet it. */
typedef struct elementShare
{
	RestrictInfo *rinfo;
	Selectivity share;
} elementShare;

/* What ANALYZE knows of an array column's elements. */
typedef struct elements
{
	AttStatsSlot common;		/* most common ones, in order */
	double		rows_with_any;	/* part of rows that are not NULL */
	double		mean;			/* of a row, different ones */
	double		rest;			/* of the mean, those not common */
	double		nrest;			/* how many those are */
	FmgrInfo   *compare;
	Oid			collation;
} elements;

static bool
read_elements(Oid relid, const itableColumn *column, elements *e)
{
	HeapTuple	tuple = SearchSysCache3(STATRELATTINH,
										ObjectIdGetDatum(relid),
										Int16GetDatum(column->attnum),
										BoolGetDatum(false));
	AttStatsSlot counts = {0};
	TypeCacheEntry *type = lookup_type_cache(column->element_type,
											 TYPECACHE_CMP_PROC_FINFO);
	double		known = 0;
	bool		found;

	if (!HeapTupleIsValid(tuple))
		return false;
	memset(e, 0, sizeof(*e));
	e->rows_with_any = 1 - ((Form_pg_statistic) GETSTRUCT(tuple))->stanullfrac;
	e->compare = &type->cmp_proc_finfo;
	e->collation = column->collation;
	found = get_attstatsslot(&e->common, tuple, STATISTIC_KIND_MCELEM,
							 InvalidOid,
							 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS) &&
		get_attstatsslot(&counts, tuple, STATISTIC_KIND_DECHIST, InvalidOid,
						 ATTSTATSSLOT_NUMBERS);
	/* behind the frequencies stand the least and the highest of them */
	found = found && e->common.nnumbers >= e->common.nvalues + 2 &&
		counts.nnumbers > 0 && OidIsValid(e->compare->fn_oid);
	if (found)
	{
		double		least = e->common.numbers[e->common.nvalues];

		for (int i = 0; i < e->common.nvalues; i++)
			known += e->common.numbers[i];
		e->mean = counts.numbers[counts.nnumbers - 1];
		e->rest = Max(e->mean - known, 0);
		e->nrest = least > 0 ? e->rest / (least / 2) : 0;
	}
	free_attstatsslot(&counts);
	ReleaseSysCache(tuple);
	return found;
}

/* The common element's frequency, or -1. */
static double
frequency_of(const elements *e, Datum value)
{
	int			low = 0;
	int			high = e->common.nvalues;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order =
		DatumGetInt32(FunctionCall2Coll(e->compare, e->collation,
										e->common.values[middle], value));

		if (order == 0)
			return e->common.numbers[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/*
 * The mean over the value's possible values.  Those that are not among its own
 * common ones, and the elements that no common value names, are taken to be
 * the same, as far as there are as many.
 */
static Selectivity
mean_share(PlannerInfo *root, const elements *e, Oid element_type, Node *value)
{
	VariableStatData other;
	AttStatsSlot common = {0};
	double		share = 0;
	double		left = 1;		/* of the other side's rows */
	double		mass = e->mean; /* of elements that were not met */
	double		nelements = e->common.nvalues + e->nrest;
	double		nvalues = 0;
	bool		is_default = true;

	examine_variable(root, value, 0, &other);
	if (HeapTupleIsValid(other.statsTuple) && exprType(value) == element_type)
	{
		nvalues = get_variable_numdistinct(&other, &is_default);
		left -= ((Form_pg_statistic) GETSTRUCT(other.statsTuple))->stanullfrac;
		(void) get_attstatsslot(&common, other.statsTuple, STATISTIC_KIND_MCV,
								InvalidOid,
								ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	}
	for (int i = 0; i < common.nvalues; i++)
	{
		double		frequency = frequency_of(e, common.values[i]);

		left -= common.numbers[i];
		nvalues -= 1;
		if (frequency < 0)
			continue;
		share += common.numbers[i] * frequency;
		mass -= frequency;
		nelements -= 1;
	}
	free_attstatsslot(&common);
	ReleaseVariableStats(other);
	return share + Max(left, 0) * Max(mass, 0) /
		Max(Max(nelements, is_default ? 0 : nvalues), 1);
}

/* "value = ANY (column)", the value not known; else NULL. */
static const itableColumn *
unknown_element(const itableTable *table, const itableClause *clause)
{
	if (!clause->element || clause->match != ITABLE_COMPARE ||
		clause->op != TMODEL_EQ || IsA(clause->value, Const) ||
		!IsA(clause->rinfo->clause, ScalarArrayOpExpr))
		return NULL;
	return table->columns[clause->attnum - 1];
}

/* May the clause be one of a join that keeps rows without a match, or one? */
static bool
has_special_joins(PlannerInfo *root)
{
	ListCell   *cell;

	foreach(cell, root->join_info_list)
		if (lfirst_node(SpecialJoinInfo, cell)->jointype != JOIN_LEFT)
			return true;
	return false;
}

static void
estimate(PlannerInfo *root, RelOptInfo *rel, itableRelInfo *info, List *clauses)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const itableClause *clause = lfirst(cell);
		const itableColumn *column = unknown_element(info->table, clause);
		elementShare *share;
		elements	e;

		if (column == NULL || !read_elements(info->table->relid, column, &e))
			continue;
		share = palloc(sizeof(elementShare));
		share->rinfo = clause->rinfo;
		share->share = mean_share(root, &e, column->element_type,
								  (Node *) clause->value) * e.rows_with_any;
		CLAMP_PROBABILITY(share->share);
		free_attstatsslot(&e.common);
		info->elements = lappend(info->elements, share);
		clause->rinfo->norm_selec = share->share;
		/* a SEMI join's clause says how many have a match at all */
		if (!has_special_joins(root))
			clause->rinfo->outer_selec = share->share;
	}
}

void
itable_estimate_elements(PlannerInfo *root, RelOptInfo *rel,
						 itableRelInfo *info)
{
	estimate(root, rel, info, info->clauses);
	estimate(root, rel, info,
			 itable_classify(root, rel, info->table, rel->joininfo));
}

Selectivity
itable_share(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			 List *rinfos)
{
	List	   *others = list_copy(rinfos);
	Selectivity result = 1;
	ListCell   *cell;

	foreach(cell, info->elements)
	{
		const elementShare *known = lfirst(cell);

		if (!list_member_ptr(others, known->rinfo))
			continue;
		others = list_delete_ptr(others, known->rinfo);
		result *= known->share;
	}
	return result * clauselist_selectivity(root, others, rel->relid,
										   JOIN_INNER, NULL);
}
