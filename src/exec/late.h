/*
 * late.h
 *	  What the store hands out too late, as something that can be asked for.
 */
#ifndef ITABLE_LATE_H
#define ITABLE_LATE_H

#include "exec/probe.h"

/* A stretch of keys: rows of one partition, or of several. */
typedef struct itableStretch
{
	tmodel_span partition;		/* data NULL: all of "partitions" */
	tmodel_key_range partitions;
	tmodel_key_range rows;
} itableStretch;

/* What one source of a merge reads. */
typedef struct itableDomain
{
	List	   *only;			/* itableStretch; NIL: all of its probe */
	List	   *given;			/* itableStretch: others read them */
} itableDomain;

/* Probes for stretches that are late. */
typedef struct itableLatePart
{
	itableProbe probe;
	itableDomain domain;
	tmodel_span floor;
} itableLatePart;

typedef struct itableLate
{
	int			n;
	itableLatePart *parts;
} itableLate;

/*
 * "last" is the last row (in SQL's order) of what a source has read so far,
 * "read_last" the last in the store's: finds what of its domain comes later and
 * belongs before "last", and gives it away.  Results live in the context.
 */
extern void itable_find_late(MemoryContext context, const itableTable *asked,
							 const itableOrder *order,
							 const itableProbe *probe, itableDomain *domain,
							 const tmodel_entity *last,
							 const tmodel_entity *read_last, itableLate *late);

/* Does the entity belong to another source? */
extern bool itable_is_given(const itableDomain *domain,
							const tmodel_entity *entity);

#endif							/* ITABLE_LATE_H */
