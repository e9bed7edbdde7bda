/*
 * claim.c
 *	  Entries of unique indexes: one entity for each key value, whose owner is
 *	  the fact it names.  The phase CLAIM of the machine in protocol.c.
 *
 * A claim that is not there is inserted; the own is touched If-Match; another's
 * is taken after its owner was read, found to be without the key, and fenced.
 * Absence needs no fence: to be live again the owner must be reserved anew, and
 * then touches its claim.  A claim that somebody may be about to rest on is
 * looked at again for a while (patience), so that he can finish.
 *
 * Easy to break: the claim is read *before* its owner, and taken only with the
 * ETag of that read.  Even the own must be touched, or a thief who read it while
 * the fact had lost the key still takes it.
 */
#include "protocol_int.h"

#include <string.h>

static const tmodel_span nothing = {NULL, 0};

static bool
same_keys(const tmodel_entity *a, const tmodel_entity *b)
{
	return tmodel_span_equal(a->row_key, b->row_key) &&
		tmodel_span_equal(a->partition_key, b->partition_key);
}

/* As the fact justifies it after the change, or did before. */
static const tmodel_entity *
claim_of(const tmodel_machine *machine, const entry_work *work)
{
	const tmodel_index_change *index = tmodel_p_index(machine, work);

	return work->new_at >= 0 ? &index->new_entries.entries[work->new_at] :
		&index->old_entries.entries[work->old_at];
}

/* The id of the write that a claim is from; empty when it does not say. */
static tmodel_span
writer_of(const tmodel_entity *claim)
{
	const tmodel_value *id = tmodel_entity_get(claim,
											   TMODEL_SPAN(TMODEL_P_WRITE));

	return id != NULL && id->type == TMODEL_STRING ? id->u.bytes : nothing;
}

/* Does the live fact have the claim's key? */
static bool
justifies(tmodel_machine *machine, const entry_work *work,
		  const tmodel_entity *fact)
{
	const tmodel_index_change *index = tmodel_p_index(machine, work);
	tmodel_entries entries;

	if (tmodel_entity_is_stub(fact))
		return false;
	if (!tmodel_index_entries(machine->arena, index->fact_def, index->unique,
							  fact, &entries))
		return false;
	return tmodel_entries_find(&entries, work->partition_key,
							   work->row_key) != NULL;
}

static bool claims_done(tmodel_machine *machine);

/* ---- requests ------------------------------------------------------------ */

/* The task's next request, under the same slot. */
static bool
ask(task *claim, task_kind kind, tmodel_action action, tmodel_span if_match)
{
	claim->kind = kind;
	claim->action = action;
	claim->if_match = if_match;
	claim->pause = 0;
	return true;
}

static bool
ask_insert(task *claim)
{
	claim->entry->claim->made = true;
	claim->entry->claim->written = true;
	return ask(claim, TASK_CLAIM, TMODEL_INSERT, nothing);
}

/* Done with one of the tasks; the last one leads on. */
static bool
task_done(tmodel_machine *machine, task *claim)
{
	claim->answered = true;
	if (--machine->nopen > 0)
		return true;
	if (machine->failing != TMODEL_PENDING)
		return tmodel_p_fail(machine, machine->failing);
	return claims_done(machine);
}

/*
 * Ends the machine because of this claim, as soon as the others under way are
 * answered: they must be known to be given up.
 */
static bool
refuse(tmodel_machine *machine, task *claim, tmodel_verdict verdict)
{
	if (machine->failing == TMODEL_PENDING)
	{
		machine->refused = claim->entry;
		machine->failing = machine->unknown ? TMODEL_DOUBTFUL : verdict;
	}
	return task_done(machine, claim);
}

/* Looks at the claim; again and again ends in LOST_RACE. */
static bool
ask_read(tmodel_machine *machine, task *claim)
{
	entry_work *work = claim->entry;

	if (work->claim->looks++ >= MAX_CLAIM_REPEATS + work->claim->waits)
		return refuse(machine, claim, TMODEL_LOST_RACE);
	ask(claim, TASK_READ_CLAIM, TMODEL_GET, nothing);
	claim->pause = work->claim->waits;
	return true;
}

/* Touches what was seen, which makes this fact its owner. */
static bool
ask_take(task *claim, tmodel_span if_match)
{
	claim->entry->claim->written = true;
	return ask(claim, TASK_TAKE_CLAIM, TMODEL_REPLACE, if_match);
}

/* An ETag change of the owner: a stub goes, a live fact is fenced. */
static bool
ask_fence(task *claim)
{
	const tmodel_entity *owner = claim->entry->claim->owner;

#ifdef TMODEL_BREAK_STEALUNFENCED
	claim->entry->claim->made = true;
	return ask_take(claim, claim->entry->claim->seen->etag);
#endif
	return ask(claim, TASK_FENCE_OWNER, tmodel_entity_is_stub(owner) ?
			   TMODEL_DELETE : TMODEL_MERGE, owner->etag);
}

/* ---- the phase ----------------------------------------------------------- */

/* The fact is to be replaced in another version: all claims begin anew. */
void
tmodel_p_forget_claims(tmodel_machine *machine)
{
	machine->touched = false;
	machine->waiting = false;
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];

		if (work->claim == NULL)
			continue;
		work->claim->claimed = false;
		work->claim->waits = 0;
		work->claim->unknowns = 0;
		work->claim->looks = 0;
		if (work->plan == ENTRY_RELEASE)
			work->etag = nothing;
	}
}

/*
 * The first request for a claim.  Inserting at once is a guess that saves a
 * read.  After an own write that would be wrong: what is there then may be from
 * a touch, and must not pass for made by the insert.
 */
static void
begin_claim(tmodel_machine *machine, entry_work *work)
{
	const bool	insert = work->plan == ENTRY_CLAIM && work->old_at < 0 &&
		!work->claim->written;
	task	   *added = tmodel_p_add(machine, TASK_READ_CLAIM, TMODEL_GET, work,
									 nothing);

	if (work->claim->donor != NULL && !work->claim->written && work->claim->donated->etag.len > 0)
	{
		/* the donor's commit was the fence */
		work->claim->made = true;
		ask_take(added, work->claim->donated->etag);
	}
	else if (insert)
		ask_insert(added);
}

/* Its donor has not committed yet. */
static bool
is_deferred(const entry_work *work)
{
#ifdef TMODEL_BREAK_INHERITEARLY
	return work->claim->donor != NULL && work->claim->donated->etag.len == 0;
#endif
	return work->claim->donor != NULL && work->claim->donor->verdict != TMODEL_COMMITTED;
}

bool
tmodel_p_waits_for_donor(const tmodel_machine *machine)
{
	for (int i = 0; i < machine->nentries; i++)
	{
		const claim_work *claim = machine->entries[i].claim;

		if (claim != NULL && claim->donor != NULL && !claim->claimed)
			return true;
	}
	return false;
}

static entry_work *
find_work(tmodel_machine *machine, entry_plan plan, tmodel_span table,
		  const tmodel_entity *claim)
{
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];

		if (work->plan == plan && work->claim != NULL &&
			!work->claim->claimed &&
			tmodel_span_equal(tmodel_p_index(machine, work)->table, table) &&
			tmodel_span_equal(work->row_key, claim->row_key) &&
			tmodel_span_equal(work->partition_key, claim->partition_key))
			return work;
	}
	return NULL;
}

bool
tmodel_machine_inherit(tmodel_machine *heir, tmodel_machine *donor,
					   tmodel_span table, const tmodel_entity *claim)
{
	entry_work *wanted = find_work(heir, ENTRY_CLAIM, table, claim);
	entry_work *given = find_work(donor, ENTRY_RELEASE, table, claim);

	if (wanted == NULL || wanted->old_at >= 0 || given == NULL ||
		donor->phase != TMODEL_CLAIM)
		return false;
	wanted->claim->donor = donor;
	wanted->claim->donated = given;
	given->claim->has_heir = true;
	wanted->claim->written = false;	/* nothing was sent yet */
	if (heir->phase == TMODEL_CLAIM)
		return tmodel_p_enter_claim(heir);
	return true;
}

void
tmodel_machine_resume(tmodel_machine *heir)
{
	if (!heir->waiting)
		return;
	for (int i = 0; i < heir->nentries; i++)
		if (heir->entries[i].claim != NULL && is_deferred(&heir->entries[i]))
			return;
	heir->waiting = false;
	(void) tmodel_p_enter_claim(heir);
}

bool
tmodel_p_enter_claim(tmodel_machine *machine)
{
#ifdef TMODEL_BREAK_CLAIMLATE
	if (machine->verdict == TMODEL_PENDING)
		return tmodel_p_enter_touch(machine);
#endif
	tmodel_p_begin(machine, TMODEL_CLAIM);
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];

		if ((work->plan != ENTRY_CLAIM && work->plan != ENTRY_RELEASE) ||
			work->claim->claimed || is_deferred(work))
			continue;
		begin_claim(machine, work);
		if (machine->ordered)
			return true;
	}
	if (machine->ntasks > 0)
		return true;
	if (machine->verdict != TMODEL_PENDING)
		return tmodel_p_enter_settle(machine);
	return machine->touched ? tmodel_p_enter_commit(machine) :
		tmodel_p_enter_touch(machine);
}

/* The next one in order, or the next phase. */
static bool
claims_done(tmodel_machine *machine)
{
	return tmodel_p_enter_claim(machine);
}

void
tmodel_machine_order_claims(tmodel_machine *machine)
{
	bool		any = false;

	for (int i = 0; i < machine->nentries; i++)
		any |= tmodel_p_index(machine, &machine->entries[i])->unique != NULL;
	if (machine->ordered || !any || machine->verdict != TMODEL_PENDING ||
		machine->unknown || machine->phase < TMODEL_CLAIM ||
		machine->phase > TMODEL_COMMIT)
		return;
	machine->ordered = true;
	tmodel_p_forget_claims(machine);
	tmodel_p_begin(machine, TMODEL_CLAIM);
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];
		tmodel_span etag = work->etag;

		if (work->claim == NULL || !work->claim->made || etag.len == 0)
			continue;
		work->etag = nothing;
		tmodel_p_add(machine, TASK_DROP_CLAIM, TMODEL_DELETE, work, etag);
	}
	if (machine->ntasks == 0)
		(void) tmodel_p_enter_claim(machine);
}

bool
tmodel_machine_pauses(const tmodel_machine *machine)
{
	for (int i = 0; i < machine->ntasks; i++)
		if (!machine->tasks[i].answered && machine->tasks[i].pause > 0)
			return true;
	return false;
}

const tmodel_entity *
tmodel_machine_turn(const tmodel_machine *machine, tmodel_span *table)
{
	const task *claim = &machine->tasks[0];

	if (!machine->ordered || machine->phase != TMODEL_CLAIM ||
		machine->ntasks != 1 || claim->entry == NULL ||
		claim->kind == TASK_DROP_CLAIM)
		return NULL;
	*table = tmodel_p_index(machine, claim->entry)->table;
	return claim_of(machine, claim->entry);
}

/* ---- answers ------------------------------------------------------------- */

/* This claim needs no more requests. */
static bool
had(tmodel_machine *machine, task *claim, tmodel_span etag)
{
	claim->entry->etag = tmodel_span_copy(machine->arena, etag);
	if (machine->arena->failed)
		return tmodel_p_out_of_memory(machine);
	claim->entry->claim->claimed = true;
	return task_done(machine, claim);
}

/* The answer did not come: what is there tells, unless nothing answers. */
static bool
look_after_unknown(tmodel_machine *machine, task *claim)
{
	if (claim->entry->claim->unknowns++ >= MAX_UNKNOWN)
		return refuse(machine, claim, TMODEL_FAILED);
	return ask_read(machine, claim);
}

/* The claim names this machine's own fact. */
static bool
found_own(tmodel_machine *machine, task *claim)
{
	entry_work *work = claim->entry;

	/* another writer of the same fact may rest on his version */
	if (!tmodel_span_equal(writer_of(work->claim->seen), machine->change->write_id))
		work->claim->made = false;
#ifdef TMODEL_BREAK_UNDOTAKEN
	work->claim->made = true;
#endif
	/* for an heir it is touched, so that others see that somebody is at it */
	if (work->plan == ENTRY_RELEASE && !work->claim->has_heir &&
		!tmodel_p_index(machine, work)->covering)
		return had(machine, claim, work->claim->seen->etag);
#ifdef TMODEL_BREAK_CLAIMEXIST
	return had(machine, claim, work->claim->seen->etag);
#endif
	return ask_take(claim, work->claim->seen->etag);
}

static bool
found_claim(tmodel_machine *machine, task *claim, const tmodel_answer *answer)
{
	entry_work *work = claim->entry;
	tmodel_entity owner;
	bool		names;

	work->claim->seen = tmodel_entity_copy(machine->arena, answer->entity);
	if (work->claim->seen == NULL)
		return tmodel_p_out_of_memory(machine);
	work->claim->seen_old = answer->old;
	names = tmodel_p_names_fact(work->claim->seen, &owner);
	if (names && same_keys(&owner, &machine->fact))
		return found_own(machine, claim);
	if (work->plan == ENTRY_RELEASE)
		return had(machine, claim, nothing);
	if (!names)
	{
		/* nobody's: put there by another program */
		work->claim->made = true;
		return ask_take(claim, work->claim->seen->etag);
	}
	work->claim->named = tmodel_entity_copy(machine->arena, &owner);
	if (work->claim->named == NULL)
		return tmodel_p_out_of_memory(machine);
	return ask(claim, TASK_READ_OWNER, TMODEL_GET, nothing);
}

static bool
answer_read_claim(tmodel_machine *machine, task *claim,
				  const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			return found_claim(machine, claim, answer);
		case TMODEL_ABSENT:
			if (claim->entry->plan == ENTRY_RELEASE)
				return had(machine, claim, nothing);
			return ask_insert(claim);
		case TMODEL_UNKNOWN:
			return look_after_unknown(machine, claim);
		default:
			return refuse(machine, claim, TMODEL_FAILED);
	}
}

/*
 * The owner does not have the key: it lost it, never got it, or is about to get
 * it.  A live fact that has it (REFRESH) need not wait.
 */
static bool
found_orphan(tmodel_machine *machine, task *claim)
{
	entry_work *work = claim->entry;

	if (work->claim->seen_old || work->claim->donor != NULL ||
		machine->change->kind == TMODEL_CHANGE_REFRESH)
	{
		if (work->claim->owner != NULL)
			return ask_fence(claim);
		work->claim->made = true;
		return ask_take(claim, work->claim->seen->etag);
	}
	if (work->claim->waits++ >= machine->change->patience)
		return refuse(machine, claim, TMODEL_LOST_RACE);
	return ask_read(machine, claim);
}

/* A REFRESH changes nothing and goes on: what can be mended is. */
static bool
found_duplicate(tmodel_machine *machine, task *claim)
{
	if (machine->change->kind != TMODEL_CHANGE_REFRESH)
		return refuse(machine, claim, TMODEL_DUPLICATE);
	machine->refused = claim->entry;
	return had(machine, claim, nothing);
}

static bool
answer_read_owner(tmodel_machine *machine, task *claim,
				  const tmodel_answer *answer)
{
	entry_work *work = claim->entry;

	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			work->claim->owner = tmodel_entity_copy(machine->arena, answer->entity);
			if (work->claim->owner == NULL)
				return tmodel_p_out_of_memory(machine);
			if (justifies(machine, work, work->claim->owner))
				return found_duplicate(machine, claim);
			if (machine->arena->failed)
				return tmodel_p_out_of_memory(machine);
			return found_orphan(machine, claim);
		case TMODEL_ABSENT:
			work->claim->owner = NULL;
			return found_orphan(machine, claim);
		case TMODEL_UNKNOWN:
			return look_after_unknown(machine, claim);
		default:
			return refuse(machine, claim, TMODEL_FAILED);
	}
}

/* A write: an insert, a fence of the owner, a touch or theft. */
static bool
answer_write(tmodel_machine *machine, task *claim, const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			if (claim->kind == TASK_FENCE_OWNER)
			{
				claim->entry->claim->made = true;
				return ask_take(claim, claim->entry->claim->seen->etag);
			}
			if (answer->etag.len > 0)
				return had(machine, claim, answer->etag);
			return ask_read(machine, claim);
		case TMODEL_ABSENT:
			/* of an insert: there is no such table */
			if (claim->kind == TASK_CLAIM)
				return refuse(machine, claim, TMODEL_FAILED);
			/* FALLTHROUGH */
		case TMODEL_EXISTS:
		case TMODEL_MISMATCH:
		case TMODEL_ROLLED_BACK:
			return ask_read(machine, claim);
		case TMODEL_UNKNOWN:
			return look_after_unknown(machine, claim);
		default:
			return refuse(machine, claim, TMODEL_FAILED);
	}
}

/* Another claim has ended the machine: only what was just written counts. */
static bool
note_and_stop(tmodel_machine *machine, task *claim, const tmodel_answer *answer)
{
	if (answer->outcome == TMODEL_APPLIED && answer->etag.len > 0 &&
		(claim->kind == TASK_CLAIM || claim->kind == TASK_TAKE_CLAIM))
		return had(machine, claim, answer->etag);
	return task_done(machine, claim);
}

/* False: out of memory. */
bool
tmodel_p_answer_claim(tmodel_machine *machine, task *claim,
					  const tmodel_answer *answer)
{
	if (machine->failing != TMODEL_PENDING)
		return note_and_stop(machine, claim, answer);
	switch (claim->kind)
	{
		case TASK_READ_CLAIM:
			return answer_read_claim(machine, claim, answer);
		case TASK_READ_OWNER:
			return answer_read_owner(machine, claim, answer);
		case TASK_DROP_CLAIM:
			/* whatever became of it, it is read before it is taken */
			return task_done(machine, claim);
		default:
			return answer_write(machine, claim, answer);
	}
}
