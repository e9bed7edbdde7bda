/*
 * repair.c
 *	  Repair of one index entry that a crash left unverified.
 *
 * The same machine as for changes (protocol.c), with at most two steps: change
 * the fact's ETag, then verify or delete the entry.  It does not decide whether
 * the entry is old enough, and it reads nothing: the caller has read the entry
 * first and the fact afterwards.
 *
 * Easy to break: that order.  The entry's ETag must be older than the state of
 * the fact on which the decision rests, and that state must still hold when the
 * entry is changed; the fence guarantees the second.
 */
#include "protocol_int.h"

/*
 * An absent fact needs no fence: to be live again it must be reserved anew, and
 * every entry is touched after that, so the ETag read before is dead by then.
 */
tmodel_machine *
tmodel_repair_start(tmodel_arena *arena, const tmodel_repair *repair)
{
	tmodel_machine *machine = tmodel_p_machine_new(arena, 1);
	bool		stub;

	if (machine == NULL)
		return NULL;
	machine->repair = repair;
	machine->base = repair->fact;
	stub = repair->fact != NULL && tmodel_entity_is_stub(repair->fact);
	if (repair->fact != NULL && !stub && repair->justified != NULL &&
		!repair->covering)
		tmodel_p_finish(machine, TMODEL_COMMITTED);
#ifndef TMODEL_BREAK_NOFENCE
	else if (repair->fact != NULL)
		tmodel_p_enter_commit(machine);
#endif
	else
	{
		machine->verdict = TMODEL_COMMITTED;
		tmodel_p_enter_settle(machine);
	}
	return arena->failed ? NULL : machine;
}

/* The ETag change: deletes a stub, fences a live fact. */
void
tmodel_p_repair_commit(tmodel_machine *machine)
{
	const tmodel_entity *fact = machine->repair->fact;

	tmodel_p_begin(machine, TMODEL_COMMIT);
	tmodel_p_add(machine, TASK_COMMIT, tmodel_entity_is_stub(fact) ?
				 TMODEL_DELETE : TMODEL_MERGE, NULL, fact->etag);
}

/* Is the entry to stay? */
static bool
is_justified(const tmodel_repair *repair)
{
	return repair->justified != NULL && repair->fact != NULL &&
		!tmodel_entity_is_stub(repair->fact);
}

/*
 * The justified contents replace those of whoever touched the entry last, who
 * may have meant another version of the fact.
 */
const tmodel_entity *
tmodel_p_repaired(const tmodel_machine *machine, tmodel_arena *arena)
{
	tmodel_entity *entry = tmodel_entity_extend(arena,
												machine->repair->justified, 1);
	tmodel_value verified = tmodel_boolean(true);

	if (entry != NULL)
		tmodel_entity_set(entry, TMODEL_SPAN(TMODEL_P_VERIFIED), &verified);
	return entry;
}

void
tmodel_p_repair_settle(tmodel_machine *machine)
{
	tmodel_p_add(machine, TASK_SETTLE, is_justified(machine->repair) ?
				 TMODEL_REPLACE : TMODEL_DELETE, NULL,
				 machine->repair->entry->etag);
}
