/*
 * arms.c
 *	  Reads several ways and returns each row once.
 *
 * The arms over one table are one source, with the probes of all of them in
 * flight together.  Rows come from one source after the other, the relation
 * itself last; where all rows are wanted the others read ahead.  A fact that one
 * source has met is known by its keys to the next, which does not even read it.
 * This transaction's own writes come from the last source.  An intersection
 * needs its other lists of entries before its facts.  Called by scan.c.  Easy to
 * break: arms are wider than their clauses, so that even arms which exclude each
 * other in SQL may meet the same row.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "exec/arms.h"
#include "exec/named.h"

typedef struct armGroup
{
	itableArmGroup shown;
	itableSource *source;
	itableProbes probes;
	itableOtherList *others;
	List	   *namings;		/* of others, under way */
} armGroup;

struct itableArms
{
	MemoryContext context;
	const itablePlan *plan;
	itableTable *relation;
	int			ngroups;
	armGroup   *groups;
	int			nparts;			/* arms for a part of a list each */
	int			current;
	tstore_client *client;
	itableCounts *counts;
	MemoryContext seen_context; /* of one start */
	bool		eager;			/* of one start: all rows are wanted */
};

/* The other lists of an intersection. */
static void
add_others(const itableArms *arms, armGroup *group, const itablePlan *arm)
{
	int			n = 0;

	for (const itablePlan *other = arm->also; other != NULL;
		 other = other->also)
		n++;
	group->others = palloc0(sizeof(itableOtherList) * (n + 1));
	group->shown.others = group->others;
	for (const itablePlan *other = arm->also; other != NULL;
		 other = other->also)
	{
		itableOtherList *list = &group->others[group->shown.nothers++];

		list->plan = other;
		list->index = itable_index_def(itable_table_def(other->index),
									   arms->relation);
	}
}

/* The group of the arm's table; the relation's own is the last one. */
static armGroup *
group_of(itableArms *arms, const itablePlan *arm)
{
	armGroup   *group;

	for (int i = 0; i < arms->ngroups; i++)
	{
		group = &arms->groups[i];
		if (group->shown.index != NULL ?
			group->shown.index->table->relid == arm->index :
			!OidIsValid(arm->index))
			return group;
	}
	group = &arms->groups[arms->ngroups++];
	group->shown.probes = &group->probes;
	if (OidIsValid(arm->index))
		group->shown.index = itable_index_def(itable_table_def(arm->index),
											  arms->relation);
	group->shown.covering = arm->covering;
	add_others(arms, group, arm);
	return group;
}

/* Is the arm no way, but a condition that makes all the others pointless? */
static bool
is_everything(const itablePlan *arm)
{
	return arm->when != NIL && arm->access == ITABLE_FULL;
}

/* An arm's part of a list goes first into the filter. */
static itableFilter *
both(itableFilter *part, itableFilter *filter)
{
	itableFilter *result;

	if (part == NULL || filter == NULL)
		return part != NULL ? part : filter;
	result = palloc0(sizeof(itableFilter));
	result->kind = TMODEL_FILTER_AND;
	result->args = list_make2(part, filter);
	return result;
}

static void
add_arms(itableArms *arms, bool own)
{
	ListCell   *cell;

	foreach(cell, arms->plan->arms)
	{
		itablePlan *arm = lfirst(cell);
		armGroup   *group;

		if (OidIsValid(arm->index) == own || is_everything(arm))
			continue;
		arm->order = arms->plan->order;
		/* what the store can filter by holds for every arm */
		if (own)
		{
			arms->nparts += arm->filter != NULL;
			arm->filter = both(arm->filter, arms->plan->filter);
			arm->skip_sections = arms->plan->skip_sections;
		}
		group = group_of(arms, arm);
		group->shown.plans = lappend(group->shown.plans, arm);
	}
}

itableArms *
itable_arms(MemoryContext context, const itablePlan *plan,
			itableTable *relation)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	itableArms *arms = palloc0(sizeof(itableArms));

	arms->context = context;
	arms->plan = plan;
	arms->relation = relation;
	arms->groups = palloc0(sizeof(armGroup) * list_length(plan->arms));
	add_arms(arms, false);
	add_arms(arms, true);
	MemoryContextSwitchTo(old);
	return arms;
}

void
itable_arms_connect(itableArms *arms, const itableSourceSpec *spec,
					itableCounts *counts)
{
	arms->client = spec->client;
	arms->counts = counts;
	for (int i = 0; i < arms->ngroups; i++)
	{
		armGroup   *group = &arms->groups[i];
		itableSourceSpec own = *spec;

		if (group->shown.index != NULL)
		{
			own.kind = ITABLE_SOURCE_INDEX;
			own.index = group->shown.index;
			own.covering = group->shown.covering;
		}
		group->source = itable_source(arms->context, &own, counts);
	}
}

/* Do the conditions hold on which an arm is all of the relation? */
static bool
holds(const itablePlan *arm, const itableValues *values)
{
	ListCell   *cell;

	foreach(cell, arm->when)
		if (values->nulls[lfirst_int(cell)] ||
			!DatumGetBool(values->datums[lfirst_int(cell)]))
			return false;
	return true;
}

bool
itable_arms_build(itableArms *arms, tmodel_arena *arena,
				  const itableValues *values, int first_page, int64 wanted)
{
	ListCell   *arm;

	foreach(arm, arms->plan->arms)
		if (is_everything(lfirst(arm)) && holds(lfirst(arm), values))
			return false;
	for (int i = 0; i < arms->ngroups; i++)
	{
		armGroup   *group = &arms->groups[i];
		const itableTable *asked = group->shown.index != NULL ?
		group->shown.index->table : arms->relation;
		ListCell   *cell;

		itable_probes_init(&group->probes);
		group->probes.first_page = first_page;
		group->probes.wanted = wanted;
		foreach(cell, group->shown.plans)
			if (!itable_add_probes(arena, lfirst(cell), arms->relation, asked,
								   values, &group->probes))
				return false;
		for (int j = 0; j < group->shown.nothers; j++)
		{
			itableOtherList *other = &group->others[j];

			itable_probes_init(&other->probes);
			if (!itable_add_probes(arena, other->plan, arms->relation,
								   other->index->table, values,
								   &other->probes))
				return false;
		}
	}
	return true;
}

/* An intersection's other lists, on their way. */
static void
begin_namings(itableArms *arms, armGroup *group)
{
	MemoryContext old;

	if (group->shown.nothers == 0)
		return;
	old = MemoryContextSwitchTo(arms->seen_context);
	for (int i = 0; i < group->shown.nothers; i++)
		group->namings = lappend(group->namings,
								 itable_naming_begin(arms->seen_context,
													 arms->client,
													 group->others[i].index,
													 &group->others[i].probes,
													 arms->counts));
	MemoryContextSwitchTo(old);
}

/* No fact is read that one of the lists does not name; perhaps none is left. */
static void
finish_namings(armGroup *group)
{
	itableKeySet *named = NULL;
	ListCell   *cell;

	foreach(cell, group->namings)
	{
		itableKeySet *more = itable_naming_finish(lfirst(cell), named);

		if (more != NULL)
			named = more;
	}
	group->namings = NIL;
	itable_source_restrict(group->source, named);
	if (named == NULL || !itable_keyset_is_empty(named))
		return;
	group->probes.n = 0;
	itable_source_start(group->source, &group->probes);
}

/* Can no row come twice?  Points differ from each other. */
static bool
are_points(const itableArms *arms)
{
	const itableProbes *probes = &arms->groups[0].probes;

	if (arms->ngroups > 1 || arms->groups[0].shown.index != NULL)
		return false;
	for (int i = 0; i < probes->n; i++)
		if (!probes->probes[i].point)
			return false;
	return true;
}

void
itable_arms_start(itableArms *arms)
{
	itableKeySet *seen = NULL;

	itable_arms_stop(arms);
	if (!are_points(arms))
	{
		arms->seen_context = AllocSetContextCreate(arms->context,
												   "itable_fdw rows of arms",
												   ALLOCSET_DEFAULT_SIZES);
		seen = itable_keyset(arms->seen_context);
	}
	arms->eager = arms->groups[0].probes.first_page == 0;
	for (int i = 0; i < arms->ngroups; i++)
	{
		begin_namings(arms, &arms->groups[i]);
		itable_source_share(arms->groups[i].source, seen,
							i == arms->ngroups - 1);
		itable_source_restrict(arms->groups[i].source, NULL);
		itable_source_start(arms->groups[i].source, &arms->groups[i].probes);
		if (arms->eager)
			itable_source_begin(arms->groups[i].source);
	}
	arms->current = 0;
}

/*
 * While the current source's answer is on its way, those of the others lead on;
 * not in an intersection, where it is not known yet which facts are to be read.
 */
static void
wait_for_current(itableArms *arms)
{
	itableSource *current = arms->groups[arms->current].source;

	while (!itable_source_is_ready(current))
	{
		for (int i = arms->current + 1; i < arms->ngroups; i++)
			if (arms->groups[i].namings == NIL)
				itable_source_prefetch(arms->groups[i].source);
		/* sending may have brought the answer */
		if (!itable_source_is_ready(current))
			itable_wait_any(arms->client);
	}
}

const tmodel_entity *
itable_arms_next(itableArms *arms)
{
	while (arms->current < arms->ngroups)
	{
		armGroup   *group = &arms->groups[arms->current];
		const tmodel_entity *entity;

		if (group->namings != NIL)
			finish_namings(group);
		if (arms->eager && arms->current < arms->ngroups - 1)
			wait_for_current(arms);
		entity = itable_source_next(group->source);
		if (entity != NULL)
			return entity;
		arms->current++;
	}
	return NULL;
}

void
itable_arms_stop(itableArms *arms)
{
	for (int i = 0; i < arms->ngroups; i++)
	{
		itable_source_stop(arms->groups[i].source);
		arms->groups[i].namings = NIL;
	}
	if (arms->seen_context != NULL)
		MemoryContextDelete(arms->seen_context);
	arms->seen_context = NULL;
}

const itableFilter *
itable_arms_filter(const itableArms *arms)
{
	const itableArmGroup *last = &arms->groups[arms->ngroups - 1].shown;

	return last->index != NULL ? NULL :
		((itablePlan *) linitial(last->plans))->filter;
}

int
itable_arms_nparts(const itableArms *arms)
{
	return arms->nparts;
}

int
itable_arms_ngroups(const itableArms *arms)
{
	return arms->ngroups;
}

itableArmGroup
itable_arms_group(const itableArms *arms, int i)
{
	return arms->groups[i].shown;
}
