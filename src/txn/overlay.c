/*
 * overlay.c
 *	  Which of this transaction's versions a snapshot sees.
 *
 * A scan sees versions of earlier commands only, never those of its own, so
 * that INSERT ... SELECT and UPDATE do not meet their own rows.  Called by
 * exec/scan for every entity the store hands out, and once at its end.
 */
#include "postgres.h"

#include "txn/overlay.h"

/* The newest version an earlier command made, or NULL. */
static const itableVersion *
visible_version(const itableChange *change, CommandId cid)
{
	for (const itableVersion *version = change->newest; version != NULL;
		 version = version->older)
		if (version->cid < cid)
			return version;
	return NULL;
}

void
itable_overlay_begin(itableOverlay *overlay, Oid serverid, tmodel_span table,
					 CommandId cid)
{
	overlay->target = itable_find_target(serverid, table);
	overlay->cid = cid;
	itable_overlay_rewind(overlay);
}

void
itable_overlay_rewind(itableOverlay *overlay)
{
	overlay->cursor = overlay->target != NULL ? overlay->target->changes : NULL;
}

bool
itable_overlay_covers(const itableOverlay *overlay, tmodel_span partition_key,
					  tmodel_span row_key, const tmodel_entity **entity)
{
	const itableChange *change;
	const itableVersion *version;

	if (overlay->target == NULL)
		return false;
	change = itable_find_change(overlay->target, partition_key, row_key);
	if (change == NULL)
		return false;
	version = visible_version(change, overlay->cid);
	if (version == NULL)
		return false;
	*entity = version->entity;
	return true;
}

const tmodel_entity *
itable_overlay_next(itableOverlay *overlay)
{
	while (overlay->cursor != NULL)
	{
		const itableVersion *version = visible_version(overlay->cursor,
													   overlay->cid);

		overlay->cursor = overlay->cursor->next;
		if (version != NULL && version->entity != NULL)
			return version->entity;
	}
	return NULL;
}
