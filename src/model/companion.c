/*
 * companion.c
 *	  What a colocated index adds to the commit point of a fact's change.
 *
 * Only which operations; that they travel with the fact is protocol.c's and
 * txn/round.c's.  Called by txn/companions.
 *
 * Easy to break: an entity may occur once in an entity group transaction, so an
 * entry of both versions of the fact is written or left alone, never deleted.
 */
#include "companion.h"

#include <string.h>

bool
tmodel_companions_add(tmodel_arena *arena, tmodel_action action,
					  const tmodel_entity *entity, tmodel_companions *result)
{
	if (entity == NULL)
		return false;
	if (result->n == result->room)
	{
		int			room = result->room == 0 ? 8 : 2 * result->room;
		tmodel_companion *list = tmodel_alloc(arena, sizeof(tmodel_companion) *
											  (size_t) room);

		if (list == NULL)
			return false;
		if (result->n > 0)
			memcpy(list, result->list,
				   sizeof(tmodel_companion) * (size_t) result->n);
		result->list = list;
		result->room = room;
	}
	result->list[result->n].action = action;
	result->list[result->n++].entity = entity;
	return true;
}

/* The entry as it is written: it may answer alone from the first moment. */
static const tmodel_entity *
verified(tmodel_arena *arena, const tmodel_entity *entry)
{
	tmodel_entity *result = tmodel_entity_extend(arena, entry, 1);
	tmodel_value yes = tmodel_boolean(true);

	if (result != NULL)
		tmodel_entity_set(result, TMODEL_SPAN(TMODEL_P_VERIFIED), &yes);
	return result;
}

bool
tmodel_companions_of_index(tmodel_arena *arena,
						   const tmodel_entries *old_entries,
						   const tmodel_entries *new_entries, bool all,
						   tmodel_companions *result)
{
	for (int i = 0; !all && i < old_entries->n; i++)
	{
		const tmodel_entity *entry = &old_entries->entries[i];

		if (tmodel_entries_find(new_entries, entry->partition_key,
								entry->row_key) == NULL &&
			!tmodel_companions_add(arena, TMODEL_DELETE, entry, result))
			return false;
	}
	for (int i = 0; i < new_entries->n; i++)
	{
		const tmodel_entity *entry = &new_entries->entries[i];
		const tmodel_entity *old = all ? NULL :
			tmodel_entries_find(old_entries, entry->partition_key,
								entry->row_key);

		if ((old == NULL || !tmodel_entity_same_content(old, entry)) &&
			!tmodel_companions_add(arena, TMODEL_UPSERT,
								   verified(arena, entry), result))
			return false;
	}
	return true;
}
