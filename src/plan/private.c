/*
 * private.c
 *	  itablePlan to fdw_private and back, side by side.
 *
 * The only file that knows the List's layout.  A plan may be copied, written
 * out and read in, so the List holds nothing but integers, strings and lists.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/value.h"

#include "plan/join.h"

enum
{
	PLAN_ACCESS, PLAN_INDEX, PLAN_COVERING, PLAN_FOR_UPDATE, PLAN_CONDS,
	PLAN_FILTER, PLAN_ARMS, PLAN_ATTNUMS, PLAN_ALL_COLUMNS, PLAN_KEPT,
	PLAN_TO_THE_END, PLAN_PIECES, PLAN_SKIP_SECTIONS, PLAN_ADVICE,
	PLAN_ALSO, PLAN_ORDER, PLAN_FETCH, PLAN_WHEN, PLAN_SKIP, PLAN_CUT
};

static List *
cond_to_list(const itableCond *cond)
{
	return lappend_int(list_make5_int(cond->partition, cond->component,
									  cond->match, cond->op, cond->expr),
					   cond->buckets);
}

static itableCond *
cond_from_list(const List *list)
{
	itableCond *cond = palloc0(sizeof(itableCond));

	cond->partition = list_nth_int(list, 0);
	cond->component = list_nth_int(list, 1);
	cond->match = list_nth_int(list, 2);
	cond->op = list_nth_int(list, 3);
	cond->expr = list_nth_int(list, 4);
	cond->buckets = list_nth_int(list, 5);
	return cond;
}

/* (kind attnum op match expr) followed by the arguments' lists */
static List *
filter_to_list(const itableFilter *filter)
{
	List	   *result;
	ListCell   *cell;

	if (filter == NULL)
		return NIL;
	result = list_make1(list_make5_int(filter->kind, filter->attnum,
									   filter->op, filter->match,
									   filter->expr));
	foreach(cell, filter->args)
		result = lappend(result, filter_to_list(lfirst(cell)));
	return result;
}

static itableFilter *
filter_from_list(const List *list)
{
	itableFilter *filter;
	const List *head;
	ListCell   *cell;

	if (list == NIL)
		return NULL;
	filter = palloc0(sizeof(itableFilter));
	head = linitial(list);
	filter->kind = list_nth_int(head, 0);
	filter->attnum = list_nth_int(head, 1);
	filter->op = list_nth_int(head, 2);
	filter->match = list_nth_int(head, 3);
	filter->expr = list_nth_int(head, 4);
	for_each_from(cell, list, 1)
		filter->args = lappend(filter->args, filter_from_list(lfirst(cell)));
	return filter;
}

static String *
span_to_string(tmodel_span span)
{
	return makeString(itable_cstring(span));
}

/* (flags partition partition_from partition_to row_from row_to) each */
static List *
pieces_to_list(List *pieces)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, pieces)
	{
		const itablePiece *piece = lfirst(cell);
		List	   *texts = list_make5(span_to_string(piece->partition),
									   span_to_string(piece->partition_from),
									   span_to_string(piece->partition_to),
									   span_to_string(piece->row_from),
									   span_to_string(piece->row_to));

		result = lappend(result,
						 lcons(list_make2_int(piece->one, piece->after),
							   texts));
	}
	return result;
}

static List *
pieces_from_list(const List *list)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, list)
	{
		const List *one = lfirst(cell);
		itablePiece *piece = palloc0(sizeof(itablePiece));
		tmodel_span *const texts[] = {
			&piece->partition, &piece->partition_from, &piece->partition_to,
			&piece->row_from, &piece->row_to
		};

		piece->one = linitial_int(linitial(one));
		piece->after = lsecond_int(linitial(one));
		for (int i = 0; i < lengthof(texts); i++)
			*texts[i] = tmodel_span_of(strVal(list_nth(one, i + 1)));
		result = lappend(result, piece);
	}
	return result;
}

/* NIL: no order */
static List *
order_to_list(const itableOrder *order)
{
	if (!order->on)
		return NIL;
	return lcons(list_concat(list_make4_int(order->first,
											order->last,
											order->fixed,
											order->back),
							 order->attnums), order->hints);
}

static void
order_from_list(List *list, itableOrder *order)
{
	List	   *numbers;

	order->on = list != NIL;
	if (!order->on)
		return;
	numbers = linitial(list);
	order->first = linitial_int(numbers);
	order->last = lsecond_int(numbers);
	order->fixed = lthird_int(numbers);
	order->back = lfourth_int(numbers) != 0;
	order->attnums = list_copy_tail(numbers, 4);
	order->hints = list_copy_tail(list, 1);
}

List *
itable_plan_to_list(const itablePlan *plan)
{
	List	   *conds = NIL;
	List	   *arms = NIL;
	List	   *result;
	ListCell   *cell;

	foreach(cell, plan->conds)
		conds = lappend(conds, cond_to_list(lfirst(cell)));
	foreach(cell, plan->arms)
		arms = lappend(arms, itable_plan_to_list(lfirst(cell)));
	result = list_make5(makeInteger(plan->access),
						list_make1_oid(plan->index),
						makeInteger(plan->covering),
						makeInteger(plan->for_update),
						conds);
	result = lappend(result, filter_to_list(plan->filter));
	result = lappend(result, arms);
	result = lappend(result, plan->attnums);
	result = lappend(result, makeInteger(plan->all_columns));
	result = lappend(result, plan->kept);
	result = lappend(result, makeInteger(plan->to_the_end));
	result = lappend(result, pieces_to_list(plan->pieces));
	result = lappend(result, makeInteger(plan->skip_sections));
	result = lappend(result, plan->advice);
	result = lappend(result, plan->also != NULL ?
					 itable_plan_to_list(plan->also) : NIL);
	result = lappend(result, order_to_list(&plan->order));
	result = lappend(result, list_make4_int(plan->fetch.rows,
											plan->fetch.count_expr,
											plan->fetch.offset_expr,
											plan->fetch.exact));
	result = lappend(result, plan->when);
	result = lappend(result, makeInteger(plan->skip));
	return lappend(result, makeInteger(plan->cut));
}

itablePlan *
itable_plan_from_list(List *list)
{
	itablePlan *plan = palloc0(sizeof(itablePlan));
	ListCell   *cell;

	plan->access = intVal(list_nth(list, PLAN_ACCESS));
	plan->index = linitial_oid(list_nth(list, PLAN_INDEX));
	plan->covering = intVal(list_nth(list, PLAN_COVERING));
	plan->for_update = intVal(list_nth(list, PLAN_FOR_UPDATE));
	foreach(cell, (List *) list_nth(list, PLAN_CONDS))
		plan->conds = lappend(plan->conds, cond_from_list(lfirst(cell)));
	plan->filter = filter_from_list(list_nth(list, PLAN_FILTER));
	foreach(cell, (List *) list_nth(list, PLAN_ARMS))
		plan->arms = lappend(plan->arms, itable_plan_from_list(lfirst(cell)));
	plan->attnums = list_nth(list, PLAN_ATTNUMS);
	plan->all_columns = intVal(list_nth(list, PLAN_ALL_COLUMNS));
	plan->kept = list_nth(list, PLAN_KEPT);
	plan->to_the_end = intVal(list_nth(list, PLAN_TO_THE_END));
	plan->pieces = pieces_from_list(list_nth(list, PLAN_PIECES));
	plan->skip_sections = intVal(list_nth(list, PLAN_SKIP_SECTIONS));
	plan->advice = list_nth(list, PLAN_ADVICE);
	if (list_nth(list, PLAN_ALSO) != NIL)
		plan->also = itable_plan_from_list(list_nth(list, PLAN_ALSO));
	order_from_list(list_nth(list, PLAN_ORDER), &plan->order);
	plan->fetch.rows = linitial_int(list_nth(list, PLAN_FETCH));
	plan->fetch.count_expr = lsecond_int(list_nth(list, PLAN_FETCH));
	plan->fetch.offset_expr = lthird_int(list_nth(list, PLAN_FETCH));
	plan->fetch.exact = lfourth_int(list_nth(list, PLAN_FETCH)) != 0;
	plan->when = list_nth(list, PLAN_WHEN);
	plan->skip = intVal(list_nth(list, PLAN_SKIP));
	plan->cut = intVal(list_nth(list, PLAN_CUT));
	return plan;
}

enum
{
	JOIN_PLAN, JOIN_OIDS, JOIN_NUMBERS, JOIN_ATTNUMS
};

List *
itable_join_to_list(const itableJoin *join)
{
	return list_make4(itable_plan_to_list(join->plan),
					  list_make2_oid(join->relid, join->userid),
					  list_make4_int(join->jointype, join->single,
									 join->eager, join->nouter),
					  join->attnums);
}

itableJoin *
itable_join_from_list(List *list)
{
	itableJoin *join = palloc0(sizeof(itableJoin));
	const List *oids = list_nth(list, JOIN_OIDS);
	const List *numbers = list_nth(list, JOIN_NUMBERS);

	join->plan = itable_plan_from_list(list_nth(list, JOIN_PLAN));
	join->relid = linitial_oid(oids);
	join->userid = lsecond_oid(oids);
	join->jointype = linitial_int(numbers);
	join->single = lsecond_int(numbers) != 0;
	join->eager = lthird_int(numbers) != 0;
	join->nouter = lfourth_int(numbers);
	join->attnums = list_nth(list, JOIN_ATTNUMS);
	return join;
}
