/*
 * arms.h
 *	  A scan that reads several ways, its arms, and returns each row once.
 */
#ifndef ITABLE_ARMS_H
#define ITABLE_ARMS_H

#include "exec/source.h"

typedef struct itableArms itableArms;

/* Opens the tables that the plan's arms ask; sends nothing. */
extern itableArms *itable_arms(MemoryContext context, const itablePlan *plan,
							   itableTable *relation);

/* What the arms' sources have in common; before the first start. */
extern void itable_arms_connect(itableArms *arms, const itableSourceSpec *spec,
								itableCounts *counts);

/*
 * The probes of all arms, in the current context and the arena; "first_page" and
 * "wanted" as in probe.h.  False: some arm does not do with these values, and the plan's own
 * access must.
 */
extern bool itable_arms_build(itableArms *arms, tmodel_arena *arena,
							  const itableValues *values, int first_page,
							  int64 wanted);

/* As those of a source (source.h). */
extern void itable_arms_start(itableArms *arms);
extern const tmodel_entity *itable_arms_next(itableArms *arms);
extern void itable_arms_stop(itableArms *arms);

/* A list of entries that names facts only. */
typedef struct itableOtherList
{
	itableIndex *index;
	const itablePlan *plan;
	itableProbes probes;		/* after _build */
} itableOtherList;

/* For EXPLAIN: the tables asked. */
typedef struct itableArmGroup
{
	itableIndex *index;			/* NULL: the relation itself */
	bool		covering;
	List	   *plans;			/* itablePlan: the arms over this table */
	const itableProbes *probes; /* after _build */
	int			nothers;		/* intersection: they name the same facts */
	const itableOtherList *others;
} itableArmGroup;

/* In how many parts a long list of values is asked for; 0: there is none. */
extern int	itable_arms_nparts(const itableArms *arms);

/* What the store filters by where the relation itself is asked; or NULL. */
extern const itableFilter *itable_arms_filter(const itableArms *arms);

extern int	itable_arms_ngroups(const itableArms *arms);
extern itableArmGroup itable_arms_group(const itableArms *arms, int i);

#endif							/* ITABLE_ARMS_H */
