/*
 * modelstore.c
 *	  The store: a few entities in memory, ETags from a counter, never reused.
 *
 * Conditional requests mean here what the service documents, which is more than
 * one can say of an emulator.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>

/* Stores the entity under a fresh ETag. */
void
store_put(int slot, const tmodel_entity *entity)
{
	tmodel_entity *stored = tmodel_entity_extend(&the_world.arena, entity, 0);
	char		etag[16];

	if (stored == NULL)
		abort();
	snprintf(etag, sizeof(etag), "%d", the_world.next_etag++);
	stored->etag = tmodel_span_copy(&the_world.arena, tmodel_span_of(etag));
	the_world.slots[slot] = stored;
}

/* Properties of the request win over those that are there. */
static void
store_merge(int slot, const tmodel_entity *with)
{
	tmodel_entity *merged = tmodel_entity_extend(&the_world.arena,
												 the_world.slots[slot],
												 with->nproperties);

	for (int i = 0; i < with->nproperties; i++)
		tmodel_entity_set(merged, with->properties[i].name,
						  &with->properties[i].value);
	store_put(slot, merged);
}

tmodel_answer
store_apply(const tmodel_step_request *request)
{
	int			slot = slot_of(request->table, request->entity);
	const tmodel_entity *there = the_world.slots[slot];
	tmodel_answer answer = {.outcome = TMODEL_APPLIED};

	if (request->action == TMODEL_GET)
	{
		answer.entity = there;
		if (there == NULL)
			answer.outcome = TMODEL_ABSENT;
		return answer;
	}
	if (request->action == TMODEL_INSERT && there != NULL)
		answer.outcome = TMODEL_EXISTS;
	else if (request->action != TMODEL_INSERT &&
			 request->action != TMODEL_UPSERT)
	{
		if (request->if_match.len == 0)
			abort();
		if (there == NULL)
			answer.outcome = TMODEL_ABSENT;
		else if (!tmodel_span_equal(request->if_match, TMODEL_SPAN("*")) &&
				 !tmodel_span_equal(request->if_match, there->etag))
			answer.outcome = TMODEL_MISMATCH;
	}
	if (answer.outcome != TMODEL_APPLIED)
		return answer;

	if (request->action == TMODEL_DELETE)
		the_world.slots[slot] = NULL;
	else
	{
		if (request->action == TMODEL_MERGE)
			store_merge(slot, request->entity);
		else
			store_put(slot, request->entity);
		answer.etag = the_world.slots[slot]->etag;
	}
	return answer;
}
