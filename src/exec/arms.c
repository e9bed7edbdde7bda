/*
 * arms.c
 *	  Reads several ways one after the other and returns each row once.
 *
 * The arms over one table are one source, with the probes of all of them in
 * flight together; the relation itself comes last.  A fact that one source has
 * returned is known by its keys to the next, which does not even read it.  This
 * transaction's own writes come from the last source.  An arm that is an
 * intersection reads the other table's entries first.  Called by scan.c.  Easy
 * to break: arms are wider than their clauses, so that even arms which exclude
 * each other in SQL may meet the same row.
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
	itableProbes also_probes;
} armGroup;

struct itableArms
{
	MemoryContext context;
	const itablePlan *plan;
	itableTable *relation;
	int			ngroups;
	armGroup   *groups;
	int			current;
	tstore_client *client;
	itableCounts *counts;
	MemoryContext seen_context; /* of one start */
};

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
	if (arm->also != NULL)
	{
		group->shown.also_probes = &group->also_probes;
		group->shown.also = itable_index_def(itable_table_def(arm->also->index),
											 arms->relation);
	}
	return group;
}

/* Is the arm no way, but a condition that makes all the others pointless? */
static bool
is_everything(const itablePlan *arm)
{
	return arm->when != NIL && arm->access == ITABLE_FULL;
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
			arm->filter = arms->plan->filter;
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
				  const itableValues *values, int first_page)
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
		foreach(cell, group->shown.plans)
			if (!itable_add_probes(arena, lfirst(cell), arms->relation, asked,
								   values, &group->probes))
				return false;
		if (group->shown.also == NULL)
			continue;
		itable_probes_init(&group->also_probes);
		if (!itable_add_probes(arena,
							   ((itablePlan *) linitial(group->shown.plans))->also,
							   arms->relation, group->shown.also->table,
							   values, &group->also_probes))
			return false;
	}
	return true;
}

/* An intersection's other side is read first; it may leave nothing to read. */
static void
restrict_group(itableArms *arms, armGroup *group)
{
	itableKeySet *only;

	if (group->shown.also == NULL)
		return;
	only = itable_facts_named(arms->seen_context, arms->client,
							  group->shown.also, &group->also_probes,
							  arms->counts);
	itable_source_restrict(group->source, only);
	if (only != NULL && itable_keyset_is_empty(only))
		group->probes.n = 0;
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
	for (int i = 0; i < arms->ngroups; i++)
	{
		restrict_group(arms, &arms->groups[i]);
		itable_source_share(arms->groups[i].source, seen,
							i == arms->ngroups - 1);
		itable_source_start(arms->groups[i].source, &arms->groups[i].probes);
	}
	arms->current = 0;
}

const tmodel_entity *
itable_arms_next(itableArms *arms)
{
	while (arms->current < arms->ngroups)
	{
		const tmodel_entity *entity =
		itable_source_next(arms->groups[arms->current].source);

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
		itable_source_stop(arms->groups[i].source);
	if (arms->seen_context != NULL)
		MemoryContextDelete(arms->seen_context);
	arms->seen_context = NULL;
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
