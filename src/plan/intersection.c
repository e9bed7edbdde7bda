/*
 * intersection.c
 *	  Reading through two index tables, so that only facts that both name are
 *	  read.
 *
 * Two conditions, each served by its own index table, that are selective only
 * together: the entries of both cost a page or two, the facts behind them a
 * request each.  Offered where statistics tell how much is left; cost.c decides.
 * Called by relinfo.c.  Easy to break: every row the query wants must have an
 * entry in both tables, which paths.c has made sure of for each.
 */
#include "postgres.h"

#include "plan/plan.h"

/* Can the way be one of two?  Queued entries may come late: not all are there. */
static bool
is_candidate(const itableChoice *choice)
{
	return choice->index != NULL && choice->arms == NIL &&
		!choice->conditional && choice->access != ITABLE_POINT &&
		!choice->index->table->queued;
}

/* Reads facts through "way" that "other" names, too. */
static itableChoice *
intersect(const itableChoice *own, const itableChoice *way,
		  itableChoice *other)
{
	itableChoice *result = memcpy(palloc(sizeof(itableChoice)), own,
								  sizeof(itableChoice));
	itableChoice *arm = memcpy(palloc(sizeof(itableChoice)), way,
							   sizeof(itableChoice));

	arm->also = other;
	result->arms = list_make1(arm);
	result->rinfos = list_union_ptr(way->rinfos, other->rinfos);
	return result;
}

List *
itable_intersections(const itableRelInfo *info, List *choices)
{
	List	   *result = NIL;
	ListCell   *cell;
	ListCell   *other_cell;

	if (info->guessed)
		return NIL;
	foreach(cell, choices)
	{
		const itableChoice *way = lfirst(cell);

		/* entries that answer alone have no facts to save */
		if (!is_candidate(way) || way->covering)
			continue;
		foreach(other_cell, choices)
		{
			itableChoice *other = lfirst(other_cell);

			if (is_candidate(other) && other->index != way->index)
				result = lappend(result, intersect(linitial(choices), way,
												   other));
		}
	}
	return result;
}
