/*
 * protocol.c
 *	  The write protocol of index tables: phases, and what each answer means.
 *
 * No I/O, no clock, no memory but the arena's.  What is written is made in
 * protocol_plan.c; claim.c has the phase CLAIM; repair.c drives the same machine
 * for one entry.
 *
 * Easy to break: after an answer UNKNOWN to a commit, nothing may be claimed
 * that another history could contradict; see decide().  The commit is sent
 * again only with the same If-Match (ETags never come back, so one copy at most
 * is ever applied), or after the touches, never alone with a newer ETag.
 */
#include "batch.h"
#include "outbox.h"
#include "detach.h"
#include "protocol_int.h"

#include <string.h>

/* ---- tasks --------------------------------------------------------------- */

/* A machine with room for that many tasks; NULL: out of memory. */
tmodel_machine *
tmodel_p_machine_new(tmodel_arena *arena, int ntasks)
{
	tmodel_machine *machine = tmodel_alloc(arena, sizeof(tmodel_machine));

	if (machine == NULL)
		return NULL;
	machine->arena = arena;
	machine->tasks = tmodel_alloc(arena, (size_t) ntasks * sizeof(task));
	if (machine->tasks == NULL)
		return NULL;
	machine->verdict = TMODEL_PENDING;
	return machine;
}

/* Starts a set of tasks; the old ones' slots become unknown. */
void
tmodel_p_begin(tmodel_machine *machine, tmodel_phase phase)
{
	machine->phase = phase;
	machine->first_slot += machine->ntasks;
	machine->ntasks = 0;
	machine->nopen = 0;
}

/* Adds a request, of the entry or (NULL) of the fact. */
task *
tmodel_p_add(tmodel_machine *machine, task_kind kind, tmodel_action action,
			 entry_work *entry, tmodel_span if_match)
{
	task	   *added = &machine->tasks[machine->ntasks];

	memset(added, 0, sizeof(*added));
	added->kind = kind;
	added->action = action;
	added->entry = entry;
	added->if_match = if_match;
	machine->ntasks++;
	machine->nopen++;
	return added;
}

/* Ends the machine; a verdict that is already there stays. */
bool
tmodel_p_finish(tmodel_machine *machine, tmodel_verdict verdict)
{
	if (machine->verdict == TMODEL_PENDING)
		machine->verdict = verdict;
	tmodel_p_begin(machine, TMODEL_FINISHED);
	return true;
}

/* Nothing can be undone without memory; readers' repair will do it. */
bool
tmodel_p_out_of_memory(tmodel_machine *machine)
{
	tmodel_p_finish(machine, machine->unknown ? TMODEL_DOUBTFUL :
					TMODEL_FAILED);
	return machine->verdict == TMODEL_COMMITTED;
}

/*
 * Ends the machine without success.  An own stub would keep others waiting for
 * its age, so it is deleted first: that is also the ETag change of the fact
 * which the fence rule wants before the touched entries may go.  Claims it has
 * made are given up in any case, but for a REFRESH: others may have seen the
 * fact live with the key and rest on the claim without having touched it.
 */
bool
tmodel_p_fail(tmodel_machine *machine, tmodel_verdict verdict)
{
	if (machine->verdict == TMODEL_PENDING)
		machine->verdict = verdict;
	if (machine->repair != NULL || machine->verdict == TMODEL_DOUBTFUL ||
		machine->change->kind == TMODEL_CHANGE_REFRESH)
		return tmodel_p_finish(machine, machine->verdict);
	if (!machine->own_stub)
		return tmodel_p_enter_settle(machine);
	machine->own_stub = false;
	tmodel_p_begin(machine, TMODEL_SETTLE);
	tmodel_p_add(machine, TASK_UNDO, TMODEL_DELETE, NULL,
				 machine->base->etag);
	return true;
}

/* ---- phases -------------------------------------------------------------- */

/*
 * Reads the fact to decide what has happened.  This is done in an early phase
 * so that a conductor which serves the lowest phase first knows the outcome of
 * one machine before it sends the commits of others of the same transaction.
 */
static bool
read_fact(tmodel_machine *machine, tmodel_phase phase)
{
	tmodel_p_begin(machine, phase);
	tmodel_p_add(machine, TASK_READ_FACT, TMODEL_GET, NULL,
				 (tmodel_span) {NULL, 0});
	return true;
}

static bool
enter_reserve(tmodel_machine *machine)
{
	machine->base = NULL;
	machine->own_stub = false;
	tmodel_p_begin(machine, TMODEL_RESERVE);
	tmodel_p_add(machine, TASK_RESERVE, TMODEL_INSERT, NULL,
				 (tmodel_span) {NULL, 0});
	return true;
}

/*
 * The fence of a CONVERGE is always made, also of a pointer index: it tells
 * whether what was touched is still what the fact wants.  Absence cannot be
 * fenced; it must hold after the old entries were read.
 */
static bool
converge_touched(tmodel_machine *machine)
{
	if (machine->nentries == 0)
		return tmodel_p_finish(machine, TMODEL_COMMITTED);
	if (machine->base == NULL)
		return read_fact(machine, TMODEL_TOUCH);
	return tmodel_p_enter_commit(machine);
}

/* After the touches: the commit point, unless it needs none. */
static bool
touches_done(tmodel_machine *machine)
{
	bool		fence = false;

	machine->touched = true;

	if (machine->verdict != TMODEL_PENDING)
		return tmodel_p_enter_settle(machine);
	if (machine->change->kind == TMODEL_CHANGE_CONVERGE)
		return converge_touched(machine);

	/*
	 * A REFRESH commits (fences) only to be allowed to verify.  The touches of
	 * a pointer index need no fence: an entry that the fact no longer justifies
	 * is garbage which readers recheck and repair, and whoever takes the key
	 * away or brings it back maintains the entry itself, because an index is
	 * registered before it is backfilled.  Nobody can delete an entry that was
	 * touched here and is justified: that needs an ETag from before a change of
	 * the fact to a version without the key, and bringing the key back touches
	 * the entry again.
	 */
	if (machine->change->kind == TMODEL_CHANGE_REFRESH)
	{
		fence = machine->change->ncompanions > 0;
		for (int i = 0; i < machine->nentries && !fence; i++)
			fence = tmodel_p_index(machine, &machine->entries[i])->covering;
		if (!fence)
			return tmodel_p_finish(machine, TMODEL_COMMITTED);
	}
	return tmodel_p_enter_commit(machine);
}

bool
tmodel_p_enter_touch(tmodel_machine *machine)
{
	const tmodel_span none = {NULL, 0};

#ifdef TMODEL_BREAK_FACTFIRST
	if (machine->verdict == TMODEL_PENDING)
		return tmodel_p_enter_commit(machine);
#endif
	tmodel_p_begin(machine, TMODEL_TOUCH);
	for (int i = 0; i < machine->nentries; i++)
	{
		entry_work *work = &machine->entries[i];

		if (tmodel_p_index(machine, work)->unique != NULL)
			continue;
		work->etag = none;
		if (work->plan == ENTRY_READ)
			tmodel_p_add(machine, TASK_READ_ENTRY, TMODEL_GET, work, none);
		else
			tmodel_p_add(machine, TASK_TOUCH, TMODEL_UPSERT, work, none);
#ifdef TMODEL_BREAK_CHECKEXIST
		machine->tasks[machine->ntasks - 1].action = TMODEL_GET;
#endif
	}
	if (machine->ntasks == 0)
		return touches_done(machine);
	return true;
}

/* What the commit point takes with it. */
static void
add_companions(tmodel_machine *machine)
{
	for (int i = 0; i < machine->change->ncompanions; i++)
	{
		tmodel_action action = machine->change->companions[i].action;

		if (!machine->gone[i])
			tmodel_p_add(machine, TASK_COMPANION, action, NULL,
						 action == TMODEL_DELETE ? TMODEL_SPAN("*") :
						 (tmodel_span) {NULL, 0})->companion = i;
	}
}

bool
tmodel_p_enter_commit(tmodel_machine *machine)
{
	const tmodel_change *change = machine->change;
	const tmodel_entity *base = machine->base;
	tmodel_span if_match = {NULL, 0};
	tmodel_action action = TMODEL_REPLACE;

	if (machine->repair != NULL)
	{
		tmodel_p_repair_commit(machine);
		return true;
	}

	tmodel_p_begin(machine, TMODEL_COMMIT);
	machine->waiting = tmodel_p_waits_for_donor(machine);
	if (machine->waiting)
		return true;
	if (base != NULL)
		if_match = base->etag;
	switch (change->kind)
	{
		case TMODEL_CHANGE_INSERT:
			if (base == NULL)
				action = TMODEL_INSERT;
			break;
		case TMODEL_CHANGE_UPDATE:
			break;
		case TMODEL_CHANGE_DELETE:
			action = TMODEL_DELETE;
			break;
		case TMODEL_CHANGE_REFRESH:
		case TMODEL_CHANGE_CONVERGE:
			action = TMODEL_MERGE;
			break;
	}
	tmodel_p_add(machine, TASK_COMMIT, action, NULL, if_match);
	add_companions(machine);
	return true;
}

/* Adds the verification or the removal of one entry, if there is one to do. */
static void
settle_entry(tmodel_machine *machine, entry_work *work)
{
	const tmodel_index_change *index = tmodel_p_index(machine, work);
	tmodel_span if_match = work->etag;
	tmodel_action action = TMODEL_DELETE;

	/* Without the ETag the fence rule forbids both; repair will do it. */
	if (work->etag.len == 0 ||
		(work->claim != NULL && work->claim->has_heir &&
		 machine->verdict == TMODEL_COMMITTED))
		return;
	if (machine->verdict != TMODEL_COMMITTED)
	{
		if (work->plan != ENTRY_TOUCH && work->plan != ENTRY_CLAIM)
			return;
		if (!machine->undone && (work->claim == NULL || !work->claim->made))
			return;
	}
	else if (work->new_at >= 0)
	{
		if (!index->covering || index->unverified)
			return;
		action = TMODEL_MERGE;
	}
#ifdef TMODEL_BREAK_VERIFYSTAR
	if (action == TMODEL_MERGE)
		if_match = TMODEL_SPAN("*");
#endif
#ifdef TMODEL_BREAK_RELEASESTAR
	if (action == TMODEL_DELETE && index->unique != NULL)
		if_match = TMODEL_SPAN("*");
#endif
#ifdef TMODEL_BREAK_DELSTAR
	if (action == TMODEL_DELETE)
		if_match = TMODEL_SPAN("*");
#endif
	tmodel_p_add(machine, TASK_SETTLE, action, work, if_match);
}

/* After COMMITTED, or to undo what a machine without success has done. */
bool
tmodel_p_enter_settle(tmodel_machine *machine)
{
	tmodel_p_begin(machine, TMODEL_SETTLE);
	if (machine->repair != NULL)
		tmodel_p_repair_settle(machine);
	for (int i = 0; i < machine->nentries; i++)
		settle_entry(machine, &machine->entries[i]);
	if (machine->ntasks == 0)
		return tmodel_p_finish(machine, machine->verdict);
	return true;
}

static bool
committed(tmodel_machine *machine)
{
	machine->verdict = TMODEL_COMMITTED;
	machine->unknown = false;
	machine->own_stub = false;
#ifdef TMODEL_BREAK_FACTFIRST
	return tmodel_p_enter_touch(machine);
#endif
#ifdef TMODEL_BREAK_CLAIMLATE
	return tmodel_p_enter_claim(machine);
#endif
	return tmodel_p_enter_settle(machine);
}

/* ---- decisions ----------------------------------------------------------- */

/* Is F0 this transaction's own?  A caller's mistake; the id proves nothing. */
static bool
replaces_own_write(const tmodel_machine *machine)
{
	return machine->base != NULL && !tmodel_entity_is_stub(machine->base) &&
		tmodel_p_has_write_id(machine->base, machine->change->write_id);
}

/* Did this machine's write make the live fact what it is, now or earlier? */
static bool
is_own_success(const tmodel_machine *machine, const tmodel_entity *fact)
{
	const tmodel_change *change = machine->change;

	if (change->new_fact == NULL)	/* DELETE, REFRESH */
		return false;
	if (change->indexed)
		return tmodel_p_has_write_id(fact, change->write_id) &&
			!replaces_own_write(machine);
	/* Without write ids the contents must do. */
	return machine->unknown &&
		tmodel_entity_same_content(fact, change->new_fact);
}

/*
 * After an UNKNOWN: does what is there prove that no copy of the commit was
 * applied, and that none ever will be?  "fact" has another ETag than the base
 * and is not an own success.
 *
 * UPDATE, DELETE: the newest write id of the version that was to be replaced is
 * still there, so the fact is the same incarnation and the list did not run
 * over; an applied UPDATE's id would stand before it.  INSERT over a stub:
 * never; the new fact could have been deleted, and inserted by another.
 */
static bool
proves_not_applied(const tmodel_machine *machine, const tmodel_entity *fact)
{
	const tmodel_change *change = machine->change;
	tmodel_span newest;

	if (change->kind == TMODEL_CHANGE_INSERT)
	{
		/*
		 * Insert-if-absent without a stub relies on nobody deleting (direct
		 * mode, or a table without indexes).  A live fact may be the own one,
		 * changed by others, unless all its writers are still listed.
		 */
		return machine->base == NULL &&
			(fact == NULL || tmodel_entity_is_stub(fact) ||
			 (change->indexed &&
			  tmodel_p_count_write_ids(fact) < MAX_WRITE_IDS));
	}
	if (!change->indexed || fact == NULL || tmodel_entity_is_stub(fact) ||
		replaces_own_write(machine))
		return false;
	newest = tmodel_p_newest_write_id(machine->base);
	if (newest.len == 0)
		return tmodel_p_newest_write_id(fact).len == 0;
	return tmodel_p_has_write_id(fact, newest);
}

/* For tmodel_machine_etag(); without memory it is not known. */
static void
keep_etag(tmodel_machine *machine, tmodel_span etag)
{
	if (machine->change->keeps_etag)
		machine->etag = tmodel_span_copy(machine->arena, etag);
}

/* The version just read becomes the one to replace; everything begins again. */
static bool
begin_again(tmodel_machine *machine, const tmodel_entity *base)
{
	machine->base = NULL;
	machine->own_stub = false;
	/* whoever changed the fact's fence may have mended what was gone */
	memset(machine->gone, 0, sizeof(bool) * machine->change->ncompanions);
	if (base != NULL)
	{
		machine->late_touches |= machine->unknown;
		machine->base = tmodel_entity_copy(machine->arena, base);
		if (machine->base == NULL)
			return tmodel_p_out_of_memory(machine);
		machine->own_stub = tmodel_entity_is_stub(base) &&
			tmodel_p_has_write_id(base, machine->change->write_id);
		tmodel_p_forget_claims(machine);
		return tmodel_p_enter_claim(machine);
	}
	if (machine->change->indexed && !machine->change->direct)
		return enter_reserve(machine);

	/*
	 * Insert-if-absent: the touches stay as they are.  A copy of the commit may
	 * be applied at any moment, and their ETags must be from before it.
	 */
	return tmodel_p_enter_commit(machine);
}

/*
 * What now?  "fact" is what a read found (NULL: nothing) when the machine did
 * not know the fact's state: its stub was refused, or its commit was.
 */
static bool
decide(tmodel_machine *machine, const tmodel_entity *fact)
{
	const tmodel_change *change = machine->change;
	bool		stub = fact != NULL && tmodel_entity_is_stub(fact);
	bool		live = fact != NULL && !stub;
	bool		again = machine->repeats++ < MAX_REPEATS;

	/* Whoever makes the fact live again has its entries touched after that. */
	if (change->kind == TMODEL_CHANGE_CONVERGE)
		return live ? tmodel_p_finish(machine, TMODEL_LOST_RACE) :
			committed(machine);

	/* Unchanged: no copy of the commit was applied; it may be sent again. */
	if (fact != NULL && machine->base != NULL &&
		tmodel_span_equal(fact->etag, machine->base->etag))
		return again ? tmodel_p_enter_commit(machine) :
			tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL :
				 TMODEL_LOST_RACE);
	if (live && is_own_success(machine, fact))
	{
		keep_etag(machine, fact->etag);
		return machine->late_touches ?
			tmodel_p_finish(machine, TMODEL_COMMITTED) : committed(machine);
	}
	/* Gone is what a DELETE wanted; absence also serves as its fence. */
	if (fact == NULL && change->kind == TMODEL_CHANGE_DELETE &&
		machine->unknown)
		return committed(machine);
	machine->own_stub = false;
	if (machine->unknown && !proves_not_applied(machine, fact))
		return tmodel_p_finish(machine, TMODEL_DOUBTFUL);

	/* A copy of an insert-if-absent may still arrive; others cannot. */
	if (change->kind != TMODEL_CHANGE_INSERT)
		machine->unknown = false;
	if (change->kind == TMODEL_CHANGE_INSERT)
	{
		if (live)
			return tmodel_p_fail(machine, TMODEL_DUPLICATE);
	}
	else if (!live || (change->kind == TMODEL_CHANGE_REFRESH &&
					   change->ncompanions == 0) ||
			 !tmodel_entity_same_content(fact, change->old_fact))
		return tmodel_p_fail(machine, TMODEL_LOST_RACE);
	if (!again)
		return tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL :
					TMODEL_LOST_RACE);
	return begin_again(machine, fact);
}

/* ---- answers ------------------------------------------------------------- */

/* The task is to be sent again, or too often. */
static bool
repeat_or_fail(tmodel_machine *machine, task *answered)
{
	if (answered->repeats++ < MAX_UNKNOWN)
		return true;
	return tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL : TMODEL_FAILED);
}

static bool
answer_reserve(tmodel_machine *machine, const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			if (answer->etag.len > 0)
			{
				tmodel_entity *stub = tmodel_p_stub(machine, machine->arena);

				if (stub == NULL)
					return tmodel_p_out_of_memory(machine);
				stub->etag = tmodel_span_copy(machine->arena, answer->etag);
				if (machine->arena->failed)
					return tmodel_p_out_of_memory(machine);
				machine->base = stub;
				machine->own_stub = true;
				tmodel_p_forget_claims(machine);
				return tmodel_p_enter_claim(machine);
			}
			/* FALLTHROUGH */
		case TMODEL_EXISTS:
			return read_fact(machine, TMODEL_RESERVE);
		case TMODEL_UNKNOWN:
			if (machine->unknowns++ >= MAX_UNKNOWN)
				return tmodel_p_fail(machine, TMODEL_FAILED);
			return read_fact(machine, TMODEL_RESERVE);
		default:
			return tmodel_p_fail(machine, TMODEL_FAILED);
	}
}

static bool
answer_read(tmodel_machine *machine, task *answered,
			const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			return decide(machine, answer->entity);
		case TMODEL_ABSENT:
			return decide(machine, NULL);
		case TMODEL_UNKNOWN:
			return repeat_or_fail(machine, answered);
		default:
			return tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL :
						TMODEL_FAILED);
	}
}

/* A touch or the read of an old entry; the last one leads on. */
static bool
answer_touch(tmodel_machine *machine, task *answered,
			 const tmodel_answer *answer)
{
	tmodel_span etag = answer->etag;

	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			if (answered->action == TMODEL_GET &&
				answer->entity != NULL)
				etag = answer->entity->etag;
			answered->entry->etag = tmodel_span_copy(machine->arena, etag);
			if (machine->arena->failed)
				return tmodel_p_out_of_memory(machine);
			break;
		case TMODEL_UNKNOWN:
			return repeat_or_fail(machine, answered);
		case TMODEL_ABSENT:
			if (answered->kind == TASK_READ_ENTRY)
				break;
#ifdef TMODEL_BREAK_CHECKEXIST
			answered->action = TMODEL_UPSERT;
			return true;
#endif
			/* FALLTHROUGH */
		default:
			return tmodel_p_fail(machine, TMODEL_FAILED);
	}
	answered->answered = true;
	if (--machine->nopen > 0)
		return true;
	return touches_done(machine);
}

/* A fence has no effect to be honest about: it is applied, or it is not. */
static bool
answer_fence(tmodel_machine *machine, const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			return committed(machine);
		case TMODEL_ABSENT:
		case TMODEL_MISMATCH:
		case TMODEL_UNKNOWN:
			return tmodel_p_finish(machine, TMODEL_LOST_RACE);
		default:
			return tmodel_p_finish(machine, TMODEL_FAILED);
	}
}

/*
 * A fence that carries the entries of a colocated index.  Touches would have
 * made them complete by now, whoever changed the fact; here a fact that was only
 * fenced by another must be tried again, and so must an unknown outcome.
 */
static bool
answer_refresh(tmodel_machine *machine, task *answered,
			   const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			return committed(machine);
		case TMODEL_ABSENT:
			return tmodel_p_finish(machine, TMODEL_LOST_RACE);
		case TMODEL_MISMATCH:
			return read_fact(machine, TMODEL_TOUCH);
		case TMODEL_UNKNOWN:
			return repeat_or_fail(machine, answered);
		default:
			return tmodel_p_fail(machine, TMODEL_FAILED);
	}
}

static bool
answer_commit(tmodel_machine *machine, task *answered,
			  const tmodel_answer *answer)
{
	const tmodel_change *change = machine->change;

	if (machine->repair != NULL || change->kind == TMODEL_CHANGE_REFRESH ||
		change->kind == TMODEL_CHANGE_CONVERGE)
		return machine->repair == NULL && change->ncompanions > 0 ?
			answer_refresh(machine, answered, answer) :
			answer_fence(machine, answer);
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
			keep_etag(machine, answer->etag);
			return committed(machine);
		case TMODEL_ABSENT:
			return decide(machine, NULL);
		case TMODEL_MISMATCH:
			/* Nobody fences facts of a table without indexes. */
			if (!change->indexed && !machine->unknown &&
				change->kind != TMODEL_CHANGE_INSERT)
				return tmodel_p_fail(machine, TMODEL_LOST_RACE);
			return read_fact(machine, TMODEL_TOUCH);
		case TMODEL_EXISTS:
			return read_fact(machine, TMODEL_TOUCH);
		case TMODEL_UNKNOWN:
			machine->unknown = true;
			if (machine->unknowns++ >= MAX_UNKNOWN)
				return tmodel_p_finish(machine, TMODEL_DOUBTFUL);
			return read_fact(machine, TMODEL_TOUCH);
		default:
			return tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL :
						TMODEL_FAILED);
	}
}

/*
 * The commit's own answer tells what became of it; only a companion that is to
 * blame for a failure matters here.  An entry that somebody removed by hand
 * must not make its fact unchangeable: it is left out.  Nobody can bring it
 * back without changing the fact's ETag, on which the commit depends.
 */
static bool
answer_companion(tmodel_machine *machine, task *answered,
				 const tmodel_answer *answer)
{
	switch (answer->outcome)
	{
		case TMODEL_APPLIED:
		case TMODEL_UNKNOWN:
			return true;
		case TMODEL_ABSENT:
			if (answered->action != TMODEL_DELETE)
				break;
			machine->gone[answered->companion] = true;
			answered->answered = true;
			machine->nopen--;
			return true;
		default:
			break;
	}
	return tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL : TMODEL_FAILED);
}

/* Best effort: whatever the answer, it is not tried again. */
static bool
answer_settle(tmodel_machine *machine, task *answered,
			  const tmodel_answer *answer)
{
	if (answered->kind == TASK_UNDO)
	{
		machine->undone = answer->outcome == TMODEL_APPLIED;
		return tmodel_p_enter_settle(machine);
	}
	machine->unsettled |= answer->outcome != TMODEL_APPLIED &&
		(answer->outcome != TMODEL_ABSENT ||
		 answered->action != TMODEL_DELETE);
	answered->answered = true;
	if (--machine->nopen == 0)
		tmodel_p_finish(machine, machine->verdict);
	return true;
}

/* ---- interface ----------------------------------------------------------- */

tmodel_machine *
tmodel_machine_start(tmodel_arena *arena, const tmodel_change *change)
{
	tmodel_machine *machine;
	entry_work *entries;
	int			nentries;

	if (!tmodel_p_plan_entries(arena, change, &nentries, &entries))
		return NULL;
	machine = tmodel_p_machine_new(arena, nentries > change->ncompanions ?
								   nentries : change->ncompanions + 1);
	if (machine == NULL)
		return NULL;
	machine->nentries = nentries;
	machine->entries = entries;
	if (change->new_fact != NULL)
		machine->fact_bytes = tmodel_batch_bytes(change->new_fact);
	machine->gone = tmodel_alloc(arena,
								 sizeof(bool) * (change->ncompanions + 1));
	if (machine->gone == NULL)
		return NULL;
	machine->change = change;
	machine->fact = change->new_fact != NULL ? *change->new_fact :
		*change->old_fact;
	machine->fact.nproperties = 0;
	machine->fact.properties = NULL;
	machine->fact.etag = (tmodel_span) {NULL, 0};
	machine->base = change->old_fact;
	if (change->kind == TMODEL_CHANGE_CONVERGE &&
		change->old_fact->etag.len == 0)
		machine->base = NULL;
	if (change->kind == TMODEL_CHANGE_INSERT && change->indexed &&
		!change->direct)
		enter_reserve(machine);
	else
		tmodel_p_enter_claim(machine);
	return arena->failed ? NULL : machine;
}

bool
tmodel_machine_is_settled(const tmodel_machine *machine)
{
	return !machine->unsettled;
}

tmodel_span
tmodel_machine_etag(const tmodel_machine *machine)
{
	return machine->etag;
}

tmodel_phase
tmodel_machine_phase(const tmodel_machine *machine)
{
	return machine->phase;
}

tmodel_verdict
tmodel_machine_verdict(const tmodel_machine *machine)
{
	return machine->verdict;
}

bool
tmodel_machine_is_failing(const tmodel_machine *machine)
{
	return machine->failing != TMODEL_PENDING;
}

int
tmodel_machine_requests(const tmodel_machine *machine, tmodel_arena *arena,
						const tmodel_step_request **requests)
{
	size_t		room = (size_t) machine->ntasks + 1;
	tmodel_step_request *open = tmodel_alloc(arena, room * sizeof(*open));
	tmodel_entity *keys = tmodel_alloc(arena, room * sizeof(*keys));
	int			n = 0;

	*requests = open;
	if (open == NULL || keys == NULL)
		return 0;
	for (int slot = 0;
		 tmodel_machine_next(machine, &slot, &open[n], &keys[n]); slot++)
		n++;
	return n;
}

bool
tmodel_machine_asks(const tmodel_machine *machine, int slot)
{
	int			at = slot - machine->first_slot;

	return at >= 0 && at < machine->ntasks && !machine->tasks[at].answered;
}

const tmodel_entity *
tmodel_machine_body(const tmodel_machine *machine, int slot,
					tmodel_arena *arena)
{
	int			at = slot - machine->first_slot;

	if (!tmodel_machine_asks(machine, slot))
		return NULL;
	return tmodel_p_body(machine, &machine->tasks[at], arena);
}

bool
tmodel_machine_answer(tmodel_machine *machine, int slot,
					  const tmodel_answer *answer)
{
	int			at = slot - machine->first_slot;
	task	   *answered;

	/* A late answer to what is no longer waited for (after _abandon). */
	if (!tmodel_machine_asks(machine, slot))
		return true;
	answered = &machine->tasks[at];
	if (answer->outcome == TMODEL_ROLLED_BACK &&
		answered->kind != TASK_CLAIM &&
		(machine->phase != TMODEL_SETTLE ||
		 answered->repeats++ < MAX_SETTLE_REPEATS))
		return true;
	switch (answered->kind)
	{
		case TASK_RESERVE:
			return answer_reserve(machine, answer);
		case TASK_READ_FACT:
			return answer_read(machine, answered, answer);
		case TASK_CLAIM:
		case TASK_READ_CLAIM:
		case TASK_READ_OWNER:
		case TASK_FENCE_OWNER:
		case TASK_TAKE_CLAIM:
		case TASK_DROP_CLAIM:
			return tmodel_p_answer_claim(machine, answered, answer);
		case TASK_TOUCH:
		case TASK_READ_ENTRY:
			return answer_touch(machine, answered, answer);
		case TASK_COMMIT:
			return answer_commit(machine, answered, answer);
		case TASK_COMPANION:
			return answer_companion(machine, answered, answer);
		case TASK_UNDO:
		case TASK_SETTLE:
			return answer_settle(machine, answered, answer);
	}
	return true;
}

void
tmodel_machine_abandon(tmodel_machine *machine)
{
	if (machine->phase == TMODEL_SETTLE || machine->phase == TMODEL_FINISHED)
		return;
	tmodel_p_fail(machine, machine->unknown ? TMODEL_DOUBTFUL : TMODEL_ABANDONED);
}

const tmodel_entity *
tmodel_machine_refused(const tmodel_machine *machine,
					   const tmodel_index_change **index)
{
	if (machine->refused == NULL)
		return NULL;
	*index = tmodel_p_index(machine, machine->refused);
	return &(*index)->new_entries.entries[machine->refused->new_at];
}

void
tmodel_machine_stop(tmodel_machine *machine)
{
	if (machine->phase != TMODEL_SETTLE)
		return;
	machine->unsettled = true;
	tmodel_p_finish(machine, machine->verdict);
}
