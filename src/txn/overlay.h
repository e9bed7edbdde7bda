/*
 * overlay.h
 *	  Read your own writes: what a scan must change in the store's answer.
 */
#ifndef ITABLE_OVERLAY_H
#define ITABLE_OVERLAY_H

#include "txn/buffer.h"

typedef struct itableOverlay
{
	itableTarget *target;		/* NULL: nothing was written */
	CommandId	cid;			/* the snapshot's */
	itableChange *cursor;		/* for _next */
	const itableRow *row;		/* the row of what _next returned last */
	tmodel_arena *arena;		/* its contents */
} itableOverlay;

/* "cid" is the scanning snapshot's curcid. */
extern void itable_overlay_begin(itableOverlay *overlay, Oid serverid,
								 tmodel_span table, CommandId cid);

/*
 * True when this transaction's own version of the entity counts instead of the
 * store's, or that it deleted it.
 */
extern bool itable_overlay_covers(const itableOverlay *overlay,
								  tmodel_span partition_key,
								  tmodel_span row_key);

/*
 * The own live versions, one after the other, each until the next is asked for;
 * NULL at the end.
 */
extern const tmodel_entity *itable_overlay_next(itableOverlay *overlay);
extern void itable_overlay_rewind(itableOverlay *overlay);

#endif							/* ITABLE_OVERLAY_H */
