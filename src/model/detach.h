/*
 * detach.h
 *	  Machines (protocol.h) of many changes at once: what of a change need not
 *	  stay in memory between requests.
 */
#ifndef TMODEL_DETACH_H
#define TMODEL_DETACH_H

#include "protocol.h"

/*
 * A change's facts and entries need not stay in memory: a machine that is
 * detached knows its keys and what was answered.  "header" stands for the change
 * then; it is alike but for facts, entries and companions, which it lacks, and
 * may serve several machines.  The change of an attachment may be made anew, but
 * is the same.  Keys and ETags of the facts must live on.  Not with companions
 * or a unique index, nor for REFRESH and CONVERGE.  False: out of memory.
 */
extern bool tmodel_machine_detach(tmodel_machine *machine,
								  const tmodel_change *header);
extern void tmodel_machine_attach(tmodel_machine *machine,
								  const tmodel_change *change);

/*
 * The first open request at *slot or behind, which becomes its slot, with its
 * keys in *keys; false: there is none.
 */
extern bool tmodel_machine_next(const tmodel_machine *machine, int *slot,
								tmodel_step_request *request,
								tmodel_entity *keys);

/* What of its change a machine must be attached to. */
typedef enum tmodel_contents
{
	TMODEL_NEEDS_KEYS,			/* none: it may be detached */
	TMODEL_NEEDS_FACTS,
	TMODEL_NEEDS_ENTRIES		/* and the facts */
} tmodel_contents;

/* For _body() of that slot or, of a GET, for _answer(). */
extern tmodel_contents tmodel_machine_needs(const tmodel_machine *machine,
											int slot);

#endif							/* TMODEL_DETACH_H */
