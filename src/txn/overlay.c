/*
 * overlay.c
 *	  Which of this transaction's versions a snapshot sees.
 *
 * A scan sees versions of earlier commands only, never those of its own, so
 * that INSERT ... SELECT and UPDATE do not meet their own rows.  Called by
 * exec/scan for every entity the store hands out, and once at its end.
 */
#include "postgres.h"

#include "remote/memory.h"
#include "txn/overlay.h"

void
itable_overlay_begin(itableOverlay *overlay, Oid serverid, tmodel_span table,
					 CommandId cid)
{
	overlay->target = itable_find_target(serverid, table);
	overlay->cid = cid;
	overlay->arena = itable_arena(CurrentMemoryContext);
	itable_overlay_rewind(overlay);
}

void
itable_overlay_rewind(itableOverlay *overlay)
{
	overlay->cursor = overlay->target != NULL ? overlay->target->changes : NULL;
}

bool
itable_overlay_covers(const itableOverlay *overlay, tmodel_span partition_key,
					  tmodel_span row_key)
{
	const itableChange *change;

	if (overlay->target == NULL)
		return false;
	change = itable_find_change(overlay->target, partition_key, row_key);
	return change != NULL &&
		itable_visible_version(change, overlay->cid) != NULL;
}

const tmodel_entity *
itable_overlay_next(itableOverlay *overlay)
{
	while (overlay->cursor != NULL)
	{
		const itableVersion *version = itable_visible_version(overlay->cursor,
															  overlay->cid);

		overlay->cursor = overlay->cursor->next;
		if (version == NULL || version->row == NULL)
			continue;
		overlay->row = version->row;
		tmodel_arena_rewind(overlay->arena);
		return itable_row_load(version->row, overlay->arena);
	}
	return NULL;
}
