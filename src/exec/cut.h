/*
 * cut.h
 *	  Cuts probes in two while they are read, so that no connection is idle.
 *
 * The reader tells what it has read of each probe; asked for a cut, this picks
 * the probe that seems to have most left, gives its rear part to a new probe,
 * and says from then on where the old one ends.
 */
#ifndef ITABLE_CUT_H
#define ITABLE_CUT_H

#include "postgres.h"

#include "exec/probe.h"
#include "remote/session.h"

typedef struct itableCuts itableCuts;

/* For one start, in the context.  The probes must say what they are made of. */
extern itableCuts *itable_cuts(MemoryContext context,
							   const itableProbes *probes);

/* A page of the probe, decoded. */
extern void itable_cuts_take(itableCuts *cuts, int i,
							 const tstore_reply *page);

/*
 * Makes a cut if one seems worth a request; the probes it adds are to be read
 * like the others.
 */
extern bool itable_cuts_make(itableCuts *cuts);

/* How many probes there are now, and each of them. */
extern int	itable_cuts_n(const itableCuts *cuts);
extern const itableProbe *itable_cuts_probe(const itableCuts *cuts, int i);

/* Does another probe read this entity, which came with that one? */
extern bool itable_cuts_is_beyond(const itableCuts *cuts, int i,
								  const tmodel_entity *entity);

#endif							/* ITABLE_CUT_H */
