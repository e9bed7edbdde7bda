/*
 * judge.c
 *	  What must hold in the model world (2-protocol section 2.1), and which
 *	  worlds are the same for the explorer.
 *
 * G1 and G2 are judged after every request, G5 and G6 at every commit the store
 * carries out and at every verdict.
 *
 * Easy to break: world_hash() may leave out only what cannot influence any
 * later step or judgement.  An ETag that is no entity's any more can never
 * match again, so all of them count as one.
 */
#include "world.h"

#include <string.h>

/* The entry that the live fact has in that slot, or NULL. */
static const tmodel_entity *
justified_in(int slot, int fact)
{
	int			content = content_of(the_world.slots[fact]);
	const tmodel_entries *all;

	if (content < 0)
		return NULL;
	all = entries_of(INDEX_OF_SLOT(slot), fact, content);
	for (int i = 0; i < all->n; i++)
		if (slot_of(table_of(slot), &all->entries[i]) == slot)
			return &all->entries[i];
	return NULL;
}

/*
 * G1: a live fact has all its entries; no two have one key of a unique index.
 * G2: a verified entry tells the truth.
 */
static void
judge_slot(int slot)
{
	const scenario *scenario = the_world.scenario;
	const tmodel_entity *entry = the_world.slots[slot];
	const tmodel_entity *right = NULL;
	int			index = INDEX_OF_SLOT(slot);
	int			owners = 0;

	for (int fact = 0; fact < count_facts(scenario); fact++)
	{
		const tmodel_entity *justified = justified_in(slot, fact);

		if (justified == NULL)
			continue;
		owners++;
		if (the_world.built && entry == NULL)
			world_fail("G1: a live fact lacks an entry");
		if (the_world.built && entry != NULL && fact_named_by(entry) != fact)
			world_fail("G1: a live fact's entry names another fact");
		if (entry != NULL && fact_named_by(entry) == fact)
			right = justified;
	}
	if (owners > 1 && the_world.built)
		world_fail("G1: two live facts have one key of a unique index");
	if (entry == NULL || !tmodel_entity_is_verified(entry))
		return;
	if (!scenario->covering[index])
		world_fail("an entry of a pointer index is verified");
	if (right == NULL || !tmodel_entity_same_content(entry, right))
		world_fail("G2: a verified entry contradicts the fact");
}

void
judge_state(void)
{
	int			end = ENTRY_SLOT(the_world.scenario->nindexes, 0, 0);

	for (int slot = FIRST_ENTRY; slot < end; slot++)
		judge_slot(slot);
}

/* The store has carried out a commit of this actor's operation. */
void
judge_commit(actor *by, int op, const tmodel_entity *before)
{
	tmodel_verdict verdict = by->verdicts[op];

	if (++by->applied[op] > 1)
		world_fail("G6: one change was applied twice");
	if (verdict != TMODEL_PENDING && verdict != TMODEL_COMMITTED &&
		verdict != TMODEL_DOUBTFUL)
		world_fail("G6: applied after it was reported as not applied");
	if (op != by->op || by->machine == NULL)
		return;
	if (by->change.kind == TMODEL_CHANGE_INSERT)
	{
		if (content_of(before) >= 0)
			world_fail("G5: an INSERT replaced a live fact");
	}
	else if (content_of(before) != content_of(by->change.old_fact))
		world_fail("G5: lost update");
}

/* The actor's machine has reached a verdict. */
void
judge_verdict(actor *by)
{
	tmodel_verdict verdict = tmodel_machine_verdict(by->machine);
	int			applied = by->applied[by->op];
	tmodel_change_kind kind = by->change.kind;

	by->verdicts[by->op] = verdict;
	if (by->kind != ACTOR_WRITER)
		return;
	switch (verdict)
	{
		case TMODEL_PENDING:
			break;
		case TMODEL_COMMITTED:
			/*
			 * Gone by another's hand also is what a DELETE wanted; without
			 * write ids another's equal contents pass for the own.
			 */
			if (applied == 0 && !(by->seen_unknown &&
								  (kind == TMODEL_CHANGE_DELETE ||
								   !by->change.indexed)))
				world_fail("G6: reported as committed, but was not applied");
			break;
		case TMODEL_DOUBTFUL:
			if (!by->seen_unknown)
				world_fail("doubtful although every answer came");
			break;
		case TMODEL_FAILED:
		case TMODEL_ABANDONED:
			if (!by->disturbed)
				world_fail("failed although nothing was refused");
			/* FALLTHROUGH */
		case TMODEL_DUPLICATE:
		case TMODEL_LOST_RACE:
			if (applied != 0)
				world_fail("G6: reported as not applied, but was");
			if (verdict == TMODEL_LOST_RACE && kind == TMODEL_CHANGE_INSERT &&
				by->machine->refused == NULL)
				world_fail("an INSERT lost a race");
			break;
	}
}

/* After everybody has stopped and repair has been everywhere. */
void
judge_rest(void)
{
	const scenario *scenario = the_world.scenario;
	int			end = ENTRY_SLOT(scenario->nindexes, 0, 0);

	judge_state();
	for (int slot = FIRST_ENTRY; slot < end; slot++)
	{
		const tmodel_entity *entry = the_world.slots[slot];

		if (entry == NULL)
			continue;
		if (justified_in(slot, fact_named_by(entry)) == NULL)
			world_fail("repair left an entry without a fact");
		else if (scenario->covering[INDEX_OF_SLOT(slot)] &&
				 !tmodel_entity_is_verified(entry))
			world_fail("repair left an entry unverified");
	}
}

/* ---- which worlds are the same ------------------------------------------- */

static uint64_t
mix(uint64_t hash, uint64_t with)
{
	hash ^= with + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
	hash *= UINT64_C(0xff51afd7ed558ccd);
	return hash ^ (hash >> 32);
}

static uint64_t
mix_span(uint64_t hash, tmodel_span span)
{
	uint64_t	word = span.len;

	for (size_t i = 0; i < span.len; i++)
	{
		word = (word << 8) | (unsigned char) span.data[i];
		if (i % 7 == 6)
		{
			hash = mix(hash, word);
			word = 0;
		}
	}
	return mix(hash, word);
}

/* What an entity says, but for counters and ids that nobody decides upon. */
static uint64_t
mix_entity(uint64_t hash, const tmodel_entity *entity)
{
	const tmodel_value *value;

	if (entity == NULL)
		return mix(hash, 1);
	value = tmodel_entity_get(entity, TMODEL_SPAN("d"));
	hash = mix(hash, value != NULL ? 2 + (uint64_t) value->u.int32 : 7);
	value = tmodel_entity_get(entity, TMODEL_SPAN("k"));
	if (value != NULL)
		hash = mix_span(hash, value->u.bytes);
	value = tmodel_entity_get(entity, TMODEL_SPAN(TMODEL_P_WRITES));
	if (value != NULL)
		hash = mix_span(hash, value->u.bytes);
	/* who wrote a claim decides who may give it up; whose it is, everything */
	if (the_world.scenario->unique[0])
	{
		value = tmodel_entity_get(entity, TMODEL_SPAN(TMODEL_P_WRITE));
		if (value != NULL)
			hash = mix_span(hash, value->u.bytes);
		value = tmodel_entity_get(entity, TMODEL_SPAN(TMODEL_P_FACT_RK));
		if (value != NULL)
			hash = mix_span(hash, value->u.bytes);
	}
	return mix(hash, (uint64_t) tmodel_entity_is_stub(entity) * 2 +
			   tmodel_entity_is_verified(entity));
}

/* None, current, outdated or any. */
static uint64_t
mix_etag(uint64_t hash, int slot, tmodel_span etag)
{
	const tmodel_entity *there = the_world.slots[slot];

	if (etag.len == 0)
		return mix(hash, 1);
	if (there != NULL && tmodel_span_equal(there->etag, etag))
		return mix(hash, 2);
	return mix(hash, etag.data[0] == '*' ? 3 : 4);
}

static uint64_t
mix_request(uint64_t hash, const tmodel_step_request *request)
{
	int			slot = slot_of(request->table, request->entity);

	hash = mix(hash, (uint64_t) request->action * NSLOTS + (uint64_t) slot);
	hash = mix_etag(hash, slot, request->if_match);
	return mix_entity(hash, request->entity);
}

static uint64_t
mix_task(uint64_t hash, const tmodel_machine *machine, const task *one)
{
	tmodel_step_request request;
	tmodel_entity keys;
	tmodel_arena arena;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_p_request(machine, one, &request, &keys);
	request.entity = tmodel_p_body(machine, one, &arena);
	hash = mix_request(hash, &request);
	tmodel_arena_reset(&arena);
	return hash;
}

static uint64_t
mix_machine(uint64_t hash, const tmodel_machine *machine)
{
	hash = mix(hash, (uint64_t) machine->phase * 64 +
			   (uint64_t) machine->verdict * 4 +
			   (uint64_t) machine->own_stub * 2 + machine->unknown +
			   (machine->undone ? 1000003 : 0) +
			   (machine->ordered ? 2000003 : 0) +
			   (machine->waiting ? 8000009 : 0) +
			   4000037 * (uint64_t) machine->failing);
	hash = mix(hash, (uint64_t) machine->unknowns * 64 +
			   (uint64_t) machine->repeats);
	hash = mix_entity(hash, machine->base);
	if (machine->base != NULL)
		hash = mix_etag(hash, slot_of(table_of(0), machine->base),
						machine->base->etag);
	for (int i = 0; i < machine->nentries; i++)
	{
		const entry_work *work = &machine->entries[i];
		tmodel_entity keys = {.partition_key = work->partition_key,
		.row_key = work->row_key};
		int			slot = slot_of(tmodel_p_index(machine, work)->table, &keys);

		hash = mix_etag(hash, slot, work->etag);
		if (tmodel_p_index(machine, work)->unique == NULL)
			continue;
		hash = mix(hash, (uint64_t) work->claim->claimed * 2 + work->claim->made +
				   (work->claim->written ? 1000003 : 0) +
				   (work->claim->has_heir ? 2000003 : 0) +
				   (work->claim->donor == NULL ? 0 : 4000037 *
					(1 + (uint64_t) work->claim->donor->verdict)) +
				   4 * (uint64_t) work->claim->waits + 64 * (uint64_t) work->claim->looks +
				   1024 * (uint64_t) work->claim->unknowns);
		if (work->claim->claimed || work->claim->seen == NULL)
			continue;
		hash = mix_etag(mix_entity(hash, work->claim->seen), slot, work->claim->seen->etag);
		if (work->claim->owner != NULL)
			hash = mix_etag(mix_entity(hash, work->claim->owner),
							slot_of(table_of(0), work->claim->owner),
							work->claim->owner->etag);
	}
	for (int i = 0; i < machine->ntasks; i++)
	{
		const task *one = &machine->tasks[i];

		hash = mix(hash, (uint64_t) one->kind * 16 +
				   (uint64_t) one->repeats * 2 + one->answered);
		if (!one->answered)
			hash = mix_task(hash, machine, one);
	}
	return hash;
}

static uint64_t
mix_actor(uint64_t hash, const actor *one)
{
	hash = mix(hash, (uint64_t) one->op * 8 + (uint64_t) one->dead * 4 +
			   (uint64_t) one->disturbed * 2 + one->seen_unknown);
	for (int op = 0; op < one->nops; op++)
		hash = mix(hash, (uint64_t) one->verdicts[op] * 4 +
				   (uint64_t) one->applied[op]);
	if (one->dead)
		return hash;
	if (one->has_entry)
		hash = mix_etag(mix(hash, (uint64_t) one->slot * 2 +
							(uint64_t) fact_named_by(one->entry)),
						one->slot, one->entry->etag);
	if (one->machine == NULL)
		return hash;
	hash = mix(hash, (uint64_t) one->change.kind * NCONTENTS +
			   (uint64_t) one->content);
	if (one->change.old_fact != NULL)
		hash = mix_entity(hash, one->change.old_fact);
	return mix_machine(hash, one->machine);
}

uint64_t
world_hash(void)
{
	uint64_t	hash = (uint64_t) the_world.current * 2 + the_world.built;
	uint64_t	limbos = 0;

	for (int slot = 0; slot < NSLOTS; slot++)
		hash = mix_entity(hash, the_world.slots[slot]);
	for (int i = 0; i < the_world.nactors; i++)
		hash = mix_actor(hash, &the_world.actors[i]);
	for (int i = 0; i < MAX_LIMBO; i++)
	{
		const limbo *one = &the_world.limbos[i];

		if (one->used)
			limbos += mix_request(mix(42, (uint64_t) (one->actor + 1) * 8 +
									  (uint64_t) one->op * 2 + one->commit),
								  &one->request);
	}
	return mix(hash, limbos);
}
