/*
 * outbox.h
 *	  What a change leaves for queued maintenance: an entity in the fact's
 *	  partition that says which fact's entries are to be brought up to date.
 *
 * It is a companion of the commit point (protocol.h): it is there if and only
 * if the change is.  Besides the fact's RowKey it keeps those properties of the
 * version F0 that was replaced which index keys are made of: whoever comes later
 * computes F0's entries from them, and deletes those the fact no longer has.  So
 * it is never larger than the fact was, whatever the number of entries, and
 * every change has one of its own: nothing must be read, and none is lost when
 * a fact changes again before the worker comes.
 */
#ifndef TMODEL_OUTBOX_H
#define TMODEL_OUTBOX_H

#include "protocol.h"

/*
 * The outbox entity of a change, for the indexes it concerns.  write_id and
 * number are unique to the change.  old_fact: NULL for an INSERT.  NULL: out of
 * memory.
 */
extern tmodel_entity *tmodel_outbox_entity(tmodel_arena *arena,
										   tmodel_span write_id, int number,
										   const tmodel_entity *old_fact,
										   const tmodel_entity *new_fact,
										   int nindexes,
										   const tmodel_index_def *const *indexes);

/* Is it one?  Anything else under such a RowKey is nobody's. */
extern bool tmodel_is_outbox(const tmodel_entity *entity);

/*
 * The fact as far as index keys need it: its keys, and the old properties.
 * NULL: out of memory.
 */
extern tmodel_entity *tmodel_outbox_fact(tmodel_arena *arena,
										 const tmodel_entity *outbox);

/* Does it concern the index? */
extern bool tmodel_outbox_names(const tmodel_entity *outbox, tmodel_span index);

/* Was all done that SETTLE had to do?  After a CONVERGE nobody else will. */
extern bool tmodel_machine_is_settled(const tmodel_machine *machine);

/* The ETag that an INSERT or UPDATE with keeps_etag has left; empty: unknown. */
extern tmodel_span tmodel_machine_etag(const tmodel_machine *machine);

#endif							/* TMODEL_OUTBOX_H */
