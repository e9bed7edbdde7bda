/*
 * companion.h
 *	  What a colocated index adds to the commit point of a fact's change.
 *
 * Entries in the fact's own partition change in the same entity group
 * transaction as the fact, so they are right whenever anybody looks: they are
 * written verified, and nothing is touched, settled or mended after a crash.
 */
#ifndef TMODEL_COMPANION_H
#define TMODEL_COMPANION_H

#include "protocol.h"

typedef struct tmodel_companions
{
	int			n;
	int			room;
	tmodel_companion *list;		/* in the arena */
} tmodel_companions;

/*
 * Adds what makes the entries of F0 (old_entries) those of F1 (new_entries):
 * entries only F0 has are deleted, entries that F1 has with other contents are
 * written.  "all": every new entry is written, whatever F0 had (REFRESH).
 * False: out of memory.
 */
extern bool tmodel_companions_of_index(tmodel_arena *arena,
									   const tmodel_entries *old_entries,
									   const tmodel_entries *new_entries,
									   bool all, tmodel_companions *result);

/* One more operation; false: out of memory. */
extern bool tmodel_companions_add(tmodel_arena *arena, tmodel_action action,
								  const tmodel_entity *entity,
								  tmodel_companions *result);

#endif							/* TMODEL_COMPANION_H */
