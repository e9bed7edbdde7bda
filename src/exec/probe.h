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
	/* what the filter is made of, for merges that ask for a part of it */
	tmodel_key_range partitions;	/* where partition_key is not known */
	tmodel_key_range rows;
	itablePiece piece;			/* of a scan that may be cut (cut.h) ... */
	tmodel_span rest;			/* ... and its filter without the piece */
	tmodel_span properties;		/* filter on properties */
	int			ncomparisons;	/* in it */
	tmodel_span floor;			/* no image of an entity's key (order.h) is
								 * below it */
} itableProbe;

typedef struct itableProbes
{
	int			n;				/* 0: no row can match; an ordered plan's are
								 * ordered by floor */
	itableProbe *probes;
	int			max;			/* room */
	itableKeySet *points;		/* none is asked twice */
	itableKeySet *queries;
	bool		everything;		/* one asks for all partitions */
	int			first_page;		/* entities wanted first; 0: all will be */
	int64		wanted;			/* and not more if all of them are rows; 0: not
								 * known */
	bool		unordered;		/* the order planned does not hold within
								 * each probe */
} itableProbes;

/* The values of fdw_exprs. */
typedef struct itableValues
{
	int			n;
	Oid		   *types;
	Datum	   *datums;
	bool	   *nulls;
} itableValues;

/* The least key above this one in the store: keys hold nothing below a space. */
extern tmodel_span itable_key_behind(tmodel_arena *arena, tmodel_span key);

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

/* One for each piece of it that is read side by side, in no order. */
extern void itable_probe_pieces(const itableTable *table,
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

/*
 * The filter of a part of a probe over the relation's own table: partitions in
 * the range ("partitions"), or rows in it of the probe's partition.
 */
extern tmodel_span itable_probe_part(tmodel_arena *arena,
									 const itableTable *table,
									 const itableProbe *probe, bool partitions,
									 const tmodel_key_range *range);

/* The filter of a piece, of what "rest" lets through. */
extern tmodel_span itable_piece_filter(tmodel_arena *arena,
									   const itablePiece *piece,
									   tmodel_span rest);

/* The probes that ask for those behind these keys, in the store's order. */
extern void itable_probe_after(const itableTable *table,
							   tmodel_span partition_key,
							   tmodel_span row_key, itableProbes *probes);

#endif							/* ITABLE_PROBE_H */
