/*
 * long_list.c
 *	  Lists of values that are too long for one filter, asked for in parts.
 *
 * The store takes some comparisons in a filter, and year IN (...) may have a
 * hundred.  It stays local, or the partition is asked once for every few of the
 * values: an arm for each part.  Offered where that is no more requests than
 * reading the partition; whether it costs less is cost.c's question, for the
 * store walks the partition again for each part.  Called by relinfo.c.  Easy to
 * break: values may stand twice in the list, and parts are as wide as filters
 * are, so that arms must leave out rows that others have returned.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "plan/long_list.h"
#include "table/array.h"

/* Of the 2,000 characters of a filter, with room for keys. */
#define MAX_PART_LENGTH 1200

/* The clause as a filter that is one list of constants; NULL: it is none. */
static itableFilter *
constant_list(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info,
			  const RestrictInfo *rinfo)
{
	itableFilter *filter = itable_ship(root, rel, info->table, rinfo->clause);

	if (list_member_ptr(info->filtered, rinfo) || filter == NULL ||
		filter->kind != TMODEL_FILTER_COMPARE ||
		filter->match != ITABLE_ANY_OF || !IsA(filter->value, Const) ||
		((Const *) filter->value)->constisnull)
		return NULL;
	return filter;
}

bool
itable_is_long_list(PlannerInfo *root, RelOptInfo *rel,
					const itableRelInfo *info, const RestrictInfo *rinfo)
{
	return constant_list(root, rel, info, rinfo) != NULL;
}

/* How long a comparison with the value is, at most. */
static int
length_of(const itableColumn *column, const itableArray *list, int i)
{
	int			length = (int) column->property.len + 60;

	if (list->len == -1 && !list->nulls[i])
		length += 2 * (int) VARSIZE_ANY_EXHDR(DatumGetPointer(list->values[i]));
	return length;
}

/* As many values from "from" on as a filter takes; where the next part begins. */
static int
end_of_part(const itableColumn *column, const itableArray *list, int from,
			int most)
{
	int			length = 0;
	int			to = from;

	while (to < list->n && to - from < most)
	{
		length += length_of(column, list, to);
		if (length > MAX_PART_LENGTH && to > from)
			break;
		to++;
	}
	return to;
}

static itableFilter *
part_of(const itableFilter *whole, const itableArray *list, int from, int to)
{
	itableFilter *part = memcpy(palloc(sizeof(itableFilter)), whole,
								sizeof(itableFilter));
	const Const *constant = (const Const *) whole->value;
	int			dimension = to - from;
	int			bound = 1;
	ArrayType  *array = construct_md_array(list->values + from,
										   list->nulls + from, 1, &dimension,
										   &bound, list->type, list->len,
										   list->byval, list->align);

	part->value = (Expr *) makeConst(constant->consttype, -1,
									 constant->constcollid, -1,
									 PointerGetDatum(array), false, false);
	return part;
}

/* The way in parts; NULL: it would be more requests than pages. */
static itableChoice *
in_parts(const itableRelInfo *info, const itableChoice *own,
		 RestrictInfo *rinfo, const itableFilter *filter, double pages)
{
	const itableColumn *column = info->table->columns[filter->attnum - 1];
	int			room = itable_filter_room(info->table) -
	itable_filter_comparisons(info->table, info->filter);
	int			most = room / (column->edm == TMODEL_DATETIME ? 2 : 1);
	itableChoice *result = memcpy(palloc(sizeof(itableChoice)), own,
								  sizeof(itableChoice));
	itableArray list = itable_open_array(((Const *) filter->value)->constvalue);

	if (most < 1 || list.n / most >= pages)
		return NULL;
	for (int from = 0; from < list.n;)
	{
		int			to = end_of_part(column, &list, from, most);
		itableChoice *arm = memcpy(palloc(sizeof(itableChoice)), own,
								   sizeof(itableChoice));

		arm->part = part_of(filter, &list, from, to);
		arm->part_share = (double) (to - from) / list.n;
		result->arms = lappend(result->arms, arm);
		from = to;
	}
	result->rinfos = lappend(list_copy(own->rinfos), rinfo);
	return list_length(result->arms) * own->probes < pages ? result : NULL;
}

List *
itable_list_parts(PlannerInfo *root, RelOptInfo *rel,
				  const itableRelInfo *info, const itableChoice *own)
{
	List	   *result = NIL;
	double		share;
	double		pages;
	ListCell   *cell;

	/* whoever wants a few rows is not served by reading all parts */
	if (info->guessed || own->arms != NIL || info->self_index != NULL ||
		(own->access != ITABLE_PARTITION && own->access != ITABLE_RANGE) ||
		root->tuple_fraction > 0 || root->limit_tuples >= 0)
		return NIL;
	share = clauselist_selectivity(root, own->rinfos, rel->relid, JOIN_INNER,
								   NULL);
	if (info->filtered != NIL)
		share *= clauselist_selectivity(root, info->filtered, rel->relid,
										JOIN_INNER, NULL);
	pages = rel->tuples * share / info->table->fetch_size;
	foreach(cell, rel->baserestrictinfo)
	{
		RestrictInfo *rinfo = lfirst_node(RestrictInfo, cell);
		itableFilter *filter = constant_list(root, rel, info, rinfo);
		itableChoice *choice = filter == NULL ? NULL :
		in_parts(info, own, rinfo, filter, pages);

		if (choice != NULL)
			result = lappend(result, choice);
	}
	return result;
}
