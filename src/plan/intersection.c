/*
 * intersection.c
 *	  Reading through several lists of entries, so that only facts that all of
 *	  them name are read.
 *
 * Conditions that are selective only together, on columns with index tables of
 * their own or on elements of one array: entries cost a page or two, the facts
 * behind them a request each.  Offered where statistics tell how much is left;
 * cost.c decides.  Called by relinfo.c.  Easy to break: every row the query wants
 * must have an entry in each list, which paths.c has made sure of.
 */
#include "postgres.h"

#include "plan/intersection.h"

/* Lists of entries that are considered, and read at once. */
#define MAX_LISTS 6
#define MAX_READ 3

/* Can the way be one of several?  Queued entries may come late: not all are
 * there. */
static bool
is_candidate(const itableChoice *choice)
{
	return choice->index != NULL && choice->arms == NIL &&
		!choice->conditional && choice->access != ITABLE_POINT &&
		!choice->index->table->queued;
}

/* The clauses without those about elements of the column, but for one. */
static List *
with_element(const List *clauses, const itableClause *kept)
{
	List	   *result = NIL;
	const ListCell *cell;

	foreach(cell, clauses)
	{
		itableClause *clause = lfirst(cell);

		if (clause == kept || !clause->element ||
			clause->attnum != kept->attnum)
			result = lappend(result, clause);
	}
	return result;
}

/* The ways through the same index table by other elements of the array. */
static List *
add_elements(const itableRelInfo *info, const itableChoice *choice,
			 List *ways)
{
	ListCell   *clause_cell;

	foreach(clause_cell, info->clauses)
	{
		const itableClause *clause = lfirst(clause_cell);
		ListCell   *cell;

		if (!clause->element || clause->match != ITABLE_COMPARE ||
			list_member_ptr(choice->rinfos, clause->rinfo))
			continue;
		foreach(cell, itable_choices(info, with_element(info->clauses, clause)))
		{
			itableChoice *way = lfirst(cell);

			if (way->index == choice->index && is_candidate(way) &&
				list_member_ptr(way->rinfos, clause->rinfo))
				ways = lappend(ways, way);
		}
	}
	return ways;
}

/* Does an entry of the one say more than an entry of the other? */
static bool
differ(const itableChoice *a, const itableChoice *b)
{
	return a->index != b->index ||
		list_difference_ptr(a->rinfos, b->rinfos) != NIL;
}

/* Reads facts through "way" that "others" name, too. */
static itableChoice *
intersect(const itableChoice *own, const itableChoice *way,
		  const itableChoice *const *others, int n)
{
	itableChoice *result = memcpy(palloc(sizeof(itableChoice)), own,
								  sizeof(itableChoice));
	itableChoice *arm = memcpy(palloc(sizeof(itableChoice)), way,
							   sizeof(itableChoice));

	result->arms = list_make1(arm);
	result->rinfos = list_union_ptr(way->rinfos, way->origins);
	for (int i = 0; i < n; i++)
	{
		arm->also = memcpy(palloc(sizeof(itableChoice)), others[i],
						   sizeof(itableChoice));
		result->rinfos = list_concat_unique_ptr(result->rinfos,
												others[i]->rinfos);
		result->rinfos = list_concat_unique_ptr(result->rinfos,
												others[i]->origins);
		arm = arm->also;
	}
	return result;
}

/* All sets of ways from "from" on that "way" may be read with. */
static List *
add_sets(List *result, const itableChoice *own, const itableChoice *way,
		 const List *ways, int from, const itableChoice **others, int n)
{
	for (int i = from; i < list_length(ways); i++)
	{
		bool		fits = differ(list_nth(ways, i), way);

		for (int j = 0; j < n; j++)
			fits &= differ(list_nth(ways, i), others[j]);
		if (!fits)
			continue;
		others[n] = list_nth(ways, i);
		result = lappend(result, intersect(own, way, others, n + 1));
		if (n + 2 < MAX_READ)
			result = add_sets(result, own, way, ways, i + 1, others, n + 1);
	}
	return result;
}

List *
itable_intersections(const itableRelInfo *info, List *choices)
{
	List	   *ways = NIL;
	List	   *result = NIL;
	ListCell   *cell;

	if (info->guessed)
		return NIL;
	foreach(cell, choices)
		if (is_candidate(lfirst(cell)))
		{
			ways = lappend(ways, lfirst(cell));
			ways = add_elements(info, lfirst(cell), ways);
		}
	ways = list_truncate(ways, MAX_LISTS);
	foreach(cell, ways)
	{
		const itableChoice *others[MAX_READ];

		/* entries that answer alone have no facts to save */
		if (!((itableChoice *) lfirst(cell))->covering)
			result = add_sets(result, linitial(choices), lfirst(cell), ways, 0,
							  others, 0);
	}
	return result;
}
