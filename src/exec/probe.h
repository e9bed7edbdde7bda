/*
 * probe.h
 *	  What exactly is asked of the store, once the values are known.
 *
 * A probe is one point read or one query; a scan has one for each combination
 * of the values its key conditions allow.
 */
#ifndef ITABLE_PROBE_H
#define ITABLE_PROBE_H

#include "postgres.h"

#include "exec/keyset.h"
#include "plan/plan.h"

typedef struct itableProbe
{
	bool		point;			/* read one entity by its keys */
	tmodel_span partition_key;
	tmodel_span row_key;
	tmodel_span filter;			/* query: OData text, empty for everything */
} itableProbe;

typedef struct itableProbes
{
	int			n;				/* 0: no row can match */
	itableProbe *probes;
	int			max;			/* room */
	itableKeySet *points;		/* none is asked twice */
	itableKeySet *queries;
	bool		everything;		/* one asks for all partitions */
} itableProbes;

/* The values of fdw_exprs. */
typedef struct itableValues
{
	int			n;
	Oid		   *types;
	Datum	   *datums;
	bool	   *nulls;
} itableValues;

/*
 * The probes of a plan over the table that is asked ("asked": the relation or
 * an index table); "relation" is the scanned one, whose columns the property
 * filter names.  Everything is in the arena.
 */
extern void itable_build_probes(tmodel_arena *arena, const itablePlan *plan,
								const itableTable *relation,
								const itableTable *asked,
								const itableValues *values,
								itableProbes *probes);

/* One probe that asks for every entity of the table, in the current context. */
extern void itable_probe_everything(const itableTable *table,
									itableProbes *probes);
/*
 * The same in two steps, for several plans over one table: none at first, then
 * those of each.  False when the values make a condition say nothing ("contains
 * the empty array"): then the plan does not do.
 */
extern void itable_probes_init(itableProbes *probes);
extern bool itable_add_probes(tmodel_arena *arena, const itablePlan *plan,
							  const itableTable *relation,
							  const itableTable *asked,
							  const itableValues *values,
							  itableProbes *probes);

/* The probes that ask for those behind these keys, in the store's order. */
extern void itable_probe_after(const itableTable *table,
							   tmodel_span partition_key,
							   tmodel_span row_key, itableProbes *probes);

#endif							/* ITABLE_PROBE_H */
