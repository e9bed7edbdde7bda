/*
 * world.c
 *	  The steps of the model world: which are possible, and taking one.
 *
 * Judges nothing itself (judge.c).  A step is one request of one machine with
 * one of everything that can become of it: carried out and answered, refused,
 * carried out with its answer lost, delayed, duplicated; or the death of its
 * machine's process; or the arrival of a request sent long ago.
 */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

world		the_world;
char		world_heap[HEAP_BYTES] __attribute__((aligned(16)));

/* Where the newest allocation begins. */
static size_t heap_last;

static void *
heap_alloc(void *ctx, size_t size)
{
	char	   *at = world_heap + the_world.heap_used;

	(void) ctx;
	size = (size + 15) & ~(size_t) 15;
	if (the_world.heap_used + size > HEAP_BYTES)
		abort();
	heap_last = the_world.heap_used;
	the_world.heap_used += size;
	return at;
}

/* What was allocated last comes back: memory for a moment. */
static void
heap_release(void *ctx, void *ptr)
{
	(void) ctx;
	if (ptr == world_heap + heap_last)
		the_world.heap_used = heap_last;
}

static const tmodel_allocator heap = {heap_alloc, heap_release, NULL};

/* Until the next call; nothing of it is part of the world. */
static int
world_requests(const tmodel_machine *machine,
			   const tmodel_step_request **requests)
{
	static tmodel_arena arena = {.allocator = &tmodel_malloc};

	tmodel_arena_rewind(&arena);
	return tmodel_machine_requests(machine, &arena, requests);
}

void
world_fail(const char *violation)
{
	if (the_world.violation == NULL)
		the_world.violation = violation;
}

/* ---- beginnings ---------------------------------------------------------- */

static tmodel_entity *
with_string(const tmodel_entity *entity, const char *name, const char *text)
{
	tmodel_entity *copy = tmodel_entity_extend(&the_world.arena, entity, 2);
	tmodel_value value = tmodel_string(tmodel_span_of(text));

	tmodel_entity_set(copy, tmodel_span_of(name), &value);
	return copy;
}

static tmodel_entity *
make_stub(int fact, const char *id)
{
	tmodel_entity bare = *fact_of(fact, 0);
	tmodel_value yes = tmodel_boolean(true);
	tmodel_entity *stub;

	bare.nproperties = 0;
	stub = with_string(&bare, TMODEL_P_WRITES, id);
	tmodel_entity_set(stub, TMODEL_SPAN(TMODEL_P_STUB), &yes);
	return stub;
}

static void
put_entries(int fact, int content, bool verified)
{
	tmodel_value yes = tmodel_boolean(true);

	for (int index = 0; index < the_world.scenario->nindexes; index++)
	{
		const tmodel_entries *all = entries_of(index, fact, content);

		for (int i = 0; i < all->n; i++)
		{
			tmodel_entity *entry = with_string(&all->entries[i],
											   TMODEL_P_WRITE, "z");

			if (verified && the_world.scenario->covering[index])
				tmodel_entity_set(entry, TMODEL_SPAN(TMODEL_P_VERIFIED), &yes);
			store_put(slot_of(table_of(ENTRY_SLOT(index, 0, 0)), entry), entry);
		}
	}
}

static tmodel_entity *
live_fact(int fact, int content)
{
	return with_string(fact_of(fact, content), TMODEL_P_WRITES, "z0");
}

/*
 * What is there of the second fact, whose key is b.  START_CRASHED: nothing, the
 * first has a claim too many there.
 */
static void
put_second(world_start start)
{
	int			content = CONTENT(2, 0);

	if (start == START_LIVE)
		store_put(1, live_fact(1, content));
	else if (start == START_STUB)
		store_put(1, make_stub(1, "z3"));
	else if (start == START_BARE)
		store_put(1, fact_of(1, content));
	if (start == START_LIVE || start == START_STUB)
		put_entries(1, content, start == START_LIVE);
}

static void
put_start(world_start start)
{
	int			content = CONTENT(1, 0);

	switch (start)
	{
		case START_LIVE:
			store_put(0, the_world.scenario->indexed ? live_fact(0, content) :
					  fact_of(0, content));
			put_entries(0, content, true);
			break;
		case START_CRASHED:
			store_put(0, live_fact(0, content));
			put_entries(0, content, false);
			put_entries(0, CONTENT(2, 1), false);
			break;
		case START_STUB:
			store_put(0, make_stub(0, "z1"));
			put_entries(0, CONTENT(1, 1), false);
			break;
		case START_BARE:
			store_put(0, fact_of(0, content));
			break;
		case START_ABSENT:
		case NSTARTS:
			break;
	}
	if (count_facts(the_world.scenario) > 1)
		put_second(start);
}

static actor *
add_actor(actor_kind kind, int nops)
{
	int			at = the_world.nactors++;
	actor	   *added = &the_world.actors[at];

	added->kind = kind;
	added->nops = nops;
	for (int op = 0; op < nops; op++)
		snprintf(added->ids[op], sizeof(added->ids[op]), "w%d.%d", at, op);
	return added;
}

/* What the dead may still have on the way: a touch of each entry, a stub. */
static void
add_zombies(const scenario *scenario)
{
	int			n = 0;

	for (int i = 0; i < scenario->nzombies && n < MAX_LIMBO; i++)
	{
		limbo	   *one = &the_world.limbos[n++];

		one->used = true;
		one->actor = -1;
		one->request.table = table_of(i % 3 == 2 ? 0 : FIRST_ENTRY);
		one->request.action = i % 3 == 2 ? TMODEL_INSERT : TMODEL_UPSERT;
		one->request.entity = i % 3 == 2 ? make_stub(0, "z2") :
			&entries_of(0, 0, CONTENT(1 + i % 3, 1))->entries[0];
		/* a claim's touch is conditional, and only an insert can come late */
		if (i % 3 != 2 && scenario->unique[0])
			one->request.action = TMODEL_INSERT;
	}
}

void
world_reset(const scenario *scenario, world_start start)
{
	memset(&the_world, 0, sizeof(the_world));
	tmodel_arena_init(&the_world.arena, &heap);
	the_world.scenario = scenario;
	the_world.next_etag = 100;
	the_world.current = -1;
	the_world.built = !scenario->building;
	put_start(start);
	for (int i = 0; i < scenario->nwriters; i++)
		add_actor(ACTOR_WRITER, scenario->nops)->fact =
			i % count_facts(scenario);
	for (int i = 0; i < scenario->nrepairers; i++)
		add_actor(ACTOR_REPAIRER, scenario->nrepairs);
	for (int i = 0; i < scenario->nbackfills; i++)
		add_actor(ACTOR_BACKFILL, 2 * count_facts(scenario));
	add_zombies(scenario);
	judge_state();
}

/* ---- which steps are possible -------------------------------------------- */

static void
add_choice(choice *choices, int *n, effect effect, int by, int argument,
		   int faults)
{
	if (*n >= MAX_CHOICES)
		abort();
	choices[(*n)++] = (choice) {effect, by, argument, faults, 0};
}

static void
begin_choices(const actor *who, int by, choice *choices, int *n)
{
	const scenario *scenario = the_world.scenario;
	bool		live = content_of(the_world.slots[who->fact]) >= 0;

	if (who->kind == ACTOR_BACKFILL || who->has_entry)
	{
		add_choice(choices, n, EFFECT_BEGIN, by, who->slot, 0);
		return;
	}
	if (who->kind == ACTOR_REPAIRER)
	{
		for (int slot = FIRST_ENTRY; slot < NSLOTS; slot++)
			if (the_world.slots[slot] != NULL &&
				!tmodel_entity_is_verified(the_world.slots[slot]))
				add_choice(choices, n, EFFECT_BEGIN, by, slot, 0);
		return;
	}
	if (!live && scenario->no_inserts)
		return;
	for (int content = 0; content < NCONTENTS; content++)
		if (scenario->contents & (1u << content))
			add_choice(choices, n, EFFECT_BEGIN, by,
					   (live ? TMODEL_CHANGE_UPDATE : TMODEL_CHANGE_INSERT) *
					   NCONTENTS + content, 0);
	if (live && !scenario->no_deletes)
		add_choice(choices, n, EFFECT_BEGIN, by,
				   TMODEL_CHANGE_DELETE * NCONTENTS, 0);
}

static bool
limbo_has_room(void)
{
	for (int i = 0; i < MAX_LIMBO; i++)
		if (!the_world.limbos[i].used)
			return true;
	return false;
}

static void
request_choices(const actor *who, int by, choice *choices, int *n)
{
	const tmodel_step_request *requests;
	int			nrequests = world_requests(who->machine, &requests);
	bool		room = limbo_has_room();

	if (who->machine->waiting)
		return;
	if (nrequests <= 0)
		world_fail("a machine that has not finished asks for nothing");
	for (int i = 0; i < nrequests; i++)
	{
		add_choice(choices, n, EFFECT_NORMAL, by, i, 0);
		add_choice(choices, n, EFFECT_REFUSED, by, i, 1);
		if (requests[i].action == TMODEL_GET)
		{
			add_choice(choices, n, EFFECT_UNKNOWN, by, i, 1);
			continue;
		}
		add_choice(choices, n, EFFECT_LOST, by, i, 1);
		if (room)
		{
			add_choice(choices, n, EFFECT_DELAYED, by, i, 1);
			add_choice(choices, n, EFFECT_DUPLICATED, by, i, 1);
		}
	}
	add_choice(choices, n, EFFECT_DEATH, by, 0, 1);
	if (who->kind == ACTOR_WRITER &&
		tmodel_machine_phase(who->machine) < TMODEL_SETTLE)
		add_choice(choices, n, EFFECT_ABANDON, by, 0, 1);
}

/*
 * To leave an actor that could go on in the middle of an operation is a
 * preemption; few of them suffice to show most races.
 */
int
world_choices(choice *choices)
{
	int			n = 0;
	bool		busy = false;

	for (int by = 0; by < the_world.nactors; by++)
	{
		const actor *who = &the_world.actors[by];
		int			before = n;

		if (who->dead || who->op >= who->nops)
			continue;
		if (who->machine == NULL)
			begin_choices(who, by, choices, &n);
		else
			request_choices(who, by, choices, &n);
		if (by == the_world.current && n > before &&
			(who->machine != NULL || who->has_entry))
			busy = true;
	}
	for (int i = 0; i < n && busy; i++)
		choices[i].preemptions = choices[i].actor != the_world.current;
	for (int i = 0; i < MAX_LIMBO; i++)
		if (the_world.limbos[i].used)
			add_choice(choices, &n, EFFECT_ARRIVAL, i, 0, 0);
	return n;
}

/* ---- taking a step ------------------------------------------------------- */

/* A backfill has gone through all facts, and met no duplicate. */
static void
next_backfill(actor *who, bool done)
{
	if (!done)
		return;
	if (++who->fact < count_facts(the_world.scenario))
		return;
	the_world.built = true;
	who->op = who->nops;
}

static void
end_operation(actor *who)
{
	const tmodel_index_change *duplicate;
	bool		done = tmodel_machine_verdict(who->machine) ==
		TMODEL_COMMITTED &&
		tmodel_machine_refused(who->machine, &duplicate) == NULL;

	who->machine = NULL;
	who->has_entry = false;
	who->disturbed = false;
	who->seen_unknown = false;
	who->op++;
	if (who->kind == ACTOR_BACKFILL)
		next_backfill(who, done);
}

/* Keys that the first writer is about to give up. */
static void
take_over(actor *who)
{
	const actor *donor = &the_world.actors[0];

	if (who == donor || donor->machine == NULL || donor->dead)
		return;
	for (int i = 0; i < who->parts[0].new_entries.n; i++)
		tmodel_machine_inherit(who->machine, donor->machine,
							   who->parts[0].table,
							   &who->parts[0].new_entries.entries[i]);
}

/* The waiting go on; those whose donor did not commit give up. */
static void
resume_all(void)
{
	for (int by = 0; by < the_world.nactors; by++)
	{
		actor	   *who = &the_world.actors[by];

		if (who->machine == NULL || who->dead || !who->machine->waiting)
			continue;
		tmodel_machine_resume(who->machine);
		if (who->machine->waiting && (the_world.actors[0].dead ||
									  the_world.actors[0].machine == NULL))
		{
			who->disturbed = true;
			tmodel_machine_abandon(who->machine);
			judge_verdict(who);
			if (tmodel_machine_phase(who->machine) == TMODEL_FINISHED)
				end_operation(who);
		}
	}
}

static void
start_change(actor *who, tmodel_change_kind kind, int content)
{
	tmodel_change *change = &who->change;
	const scenario *scenario = the_world.scenario;
	const tmodel_entity *old_fact = the_world.slots[who->fact];

	memset(change, 0, sizeof(*change));
	memset(who->parts, 0, sizeof(who->parts));
	who->content = content;
	change->kind = kind;
	change->table = table_of(0);
	if (kind != TMODEL_CHANGE_INSERT)
		change->old_fact = old_fact;
	if (kind == TMODEL_CHANGE_INSERT || kind == TMODEL_CHANGE_UPDATE)
		change->new_fact = fact_of(who->fact, content);
	change->indexed = scenario->indexed;
	change->direct = scenario->direct;
	change->patience = 1;
	change->write_id = tmodel_span_of(who->ids[who->op]);
	change->nindexes = scenario->nindexes;
	change->indexes = who->parts;
	for (int i = 0; i < scenario->nindexes; i++)
	{
		tmodel_index_change *part = &who->parts[i];

		fill_index_change(i, part);
		if (change->old_fact != NULL)
			part->old_entries = *entries_of(i, who->fact, content_of(old_fact));
		if (change->new_fact != NULL)
			part->new_entries = *entries_of(i, who->fact, content);
		if (kind == TMODEL_CHANGE_REFRESH)
			part->new_entries = part->old_entries;
	}
	who->machine = tmodel_machine_start(&the_world.arena, change);
	if (scenario->moves && who->machine != NULL)
		take_over(who);
}

static void
start_repair(actor *who)
{
	tmodel_repair *repair = &who->repair;
	int			of = fact_named_by(who->entry);
	const tmodel_entity *fact = the_world.slots[of];
	int			index = INDEX_OF_SLOT(who->slot);
	int			content = content_of(fact);

	memset(repair, 0, sizeof(*repair));
	repair->fact_table = table_of(0);
	repair->index_table = table_of(who->slot);
	repair->covering = the_world.scenario->covering[index];
	repair->entry = who->entry;
	repair->fact = fact;
	if (content >= 0)
		repair->justified = tmodel_entries_find(entries_of(index, of, content),
												who->entry->partition_key,
												who->entry->row_key);
	who->machine = tmodel_repair_start(&the_world.arena, repair);
}

static void
begin(actor *who, int argument)
{
	if (who->kind == ACTOR_REPAIRER && !who->has_entry)
	{
		who->has_entry = true;
		who->slot = argument;
		who->entry = the_world.slots[argument];
		return;
	}
	if (who->kind == ACTOR_REPAIRER)
		start_repair(who);
	else if (who->kind == ACTOR_WRITER)
		start_change(who, argument / NCONTENTS, argument % NCONTENTS);
	else if (content_of(the_world.slots[who->fact]) >= 0)
		start_change(who, TMODEL_CHANGE_REFRESH, 0);
	else
	{
		/* Nothing to fill in: whoever inserts maintains the index. */
		next_backfill(who, true);
		return;
	}
	if (who->machine == NULL)
		abort();
}

/* Has the store carry out a request, whoever it was sent by. */
static tmodel_answer
carry_out(int by, int op, bool commit, const tmodel_step_request *request)
{
	const tmodel_entity *before =
		the_world.slots[slot_of(request->table, request->entity)];
	tmodel_answer answer = store_apply(request);

	if (by >= 0 && commit && answer.outcome == TMODEL_APPLIED)
		judge_commit(&the_world.actors[by], op, before);
	return answer;
}

static void
put_in_limbo(int by, bool commit, const tmodel_step_request *request)
{
	for (int i = 0; i < MAX_LIMBO; i++)
	{
		limbo	   *one = &the_world.limbos[i];

		if (one->used)
			continue;
		one->used = true;
		one->actor = by;
		one->op = the_world.actors[by].op;
		one->commit = commit;
		one->request = *request;
		return;
	}
	abort();
}

/* Forgets what can never be applied any more: its ETag is gone for good. */
static void
clear_limbo(void)
{
	for (int i = 0; i < MAX_LIMBO; i++)
	{
		limbo	   *one = &the_world.limbos[i];
		const tmodel_entity *there;

		if (!one->used || one->request.if_match.len == 0 ||
			one->request.if_match.data[0] == '*')
			continue;
		there = the_world.slots[slot_of(one->request.table,
										one->request.entity)];
		if (there == NULL || !tmodel_span_equal(there->etag,
												one->request.if_match))
			one->used = false;
	}
}

static bool
is_commit(const actor *who, const tmodel_step_request *request)
{
	const task *one = &who->machine->tasks[request->slot -
										   who->machine->first_slot];

	return who->kind == ACTOR_WRITER && one->kind == TASK_COMMIT;
}

/* What the conductor does when a claim is to be waited for. */
static void
turn_to_order(tmodel_machine *machine)
{
	if (tmodel_machine_pauses(machine))
		tmodel_machine_order_claims(machine);
}

static void
take_request(actor *who, const choice *taken)
{
	const tmodel_step_request *requests;
	tmodel_step_request request;
	tmodel_answer answer = {.outcome = TMODEL_UNKNOWN};
	bool		commit;

	world_requests(who->machine, &requests);
	request = requests[taken->argument];
	request.entity = tmodel_machine_body(who->machine, request.slot,
										 &the_world.arena);
	commit = is_commit(who, &request);
	if (taken->effect == EFFECT_NORMAL || taken->effect == EFFECT_LOST ||
		taken->effect == EFFECT_DUPLICATED)
		answer = carry_out(taken->actor, who->op, commit, &request);
	if (taken->effect == EFFECT_DELAYED || taken->effect == EFFECT_DUPLICATED)
		put_in_limbo(taken->actor, commit, &request);
	answer.old = !the_world.scenario->young;
	if (taken->effect != EFFECT_NORMAL)
		who->disturbed = true;
	if (taken->effect == EFFECT_REFUSED)
		answer.outcome = TMODEL_REFUSED;
	if (taken->effect == EFFECT_LOST || taken->effect == EFFECT_DELAYED)
	{
		memset(&answer, 0, sizeof(answer));
		answer.outcome = TMODEL_UNKNOWN;
		who->seen_unknown |= commit;
	}
	if (!tmodel_machine_answer(who->machine, request.slot, &answer))
		world_fail("out of memory");
	turn_to_order(who->machine);
}

void
world_take(const choice *taken)
{
	actor	   *who = &the_world.actors[taken->actor];

	the_world.faults += taken->faults;
	the_world.preemptions += taken->preemptions;
	if (taken->effect == EFFECT_ARRIVAL)
	{
		limbo		one = the_world.limbos[taken->actor];

		the_world.limbos[taken->actor].used = false;
		carry_out(one.actor, one.op, one.commit, &one.request);
	}
	else
	{
		the_world.current = taken->actor;
		if (taken->effect == EFFECT_BEGIN)
			begin(who, taken->argument);
		else if (taken->effect == EFFECT_DEATH)
			who->dead = true;
		else if (taken->effect == EFFECT_ABANDON)
		{
			who->disturbed = true;
			tmodel_machine_abandon(who->machine);
		}
		else
			take_request(who, taken);
		if (who->machine != NULL && !who->dead)
		{
			judge_verdict(who);
			if (tmodel_machine_phase(who->machine) == TMODEL_FINISHED)
				end_operation(who);
		}
	}
	resume_all();
	clear_limbo();
	judge_state();
}

void
world_describe(const choice *taken, char *line, size_t size)
{
	static const char *const effects[] = {
		"reads and begins", "", "REFUSED", "answer LOST", "DELAYED",
		"DUPLICATED", "UNKNOWN", "dies", "abandons", "ARRIVES"
	};
	static const char *const actions[] = {
		"GET", "INSERT", "UPSERT", "REPLACE", "MERGE", "DELETE"
	};
	static const char *const kinds[] = {"insert", "update", "delete", "refresh"};
	const tmodel_step_request *requests;
	const actor *who = &the_world.actors[taken->actor];

	if (taken->effect == EFFECT_ARRIVAL)
		requests = &the_world.limbos[taken->actor].request;
	else if (taken->effect == EFFECT_BEGIN || taken->effect == EFFECT_DEATH ||
			 taken->effect == EFFECT_ABANDON)
	{
		if (taken->effect == EFFECT_BEGIN && who->kind == ACTOR_WRITER)
			snprintf(line, size, "actor %d begins %s, contents %d",
					 taken->actor, kinds[taken->argument / NCONTENTS],
					 taken->argument % NCONTENTS);
		else
			snprintf(line, size, "actor %d %s %s", taken->actor,
					 effects[taken->effect], taken->effect == EFFECT_BEGIN ?
					 slot_name(who->has_entry ? 0 : taken->argument) : "");
		return;
	}
	else
	{
		world_requests(who->machine, &requests);
		requests += taken->argument;
	}
	snprintf(line, size, "%s %d: %s %s if-match \"%.*s\" %s",
			 taken->effect == EFFECT_ARRIVAL ? "limbo" : "actor",
			 taken->actor, actions[requests->action],
			 slot_name(slot_of(requests->table, requests->entity)),
			 (int) requests->if_match.len, requests->if_match.data,
			 effects[taken->effect]);
}

/* Everybody stops; repair visits every entry until nothing is left to do. */
void
world_settle(void)
{
	the_world.nactors = 0;
	for (int round = 0; round < 3; round++)
		for (int slot = FIRST_ENTRY; slot < NSLOTS; slot++)
		{
			actor	   *who = &the_world.actors[MAX_ACTORS - 1];

			memset(who, 0, sizeof(*who));
			who->kind = ACTOR_REPAIRER;
			who->nops = 1;
			if (the_world.slots[slot] == NULL ||
				tmodel_entity_is_verified(the_world.slots[slot]))
				continue;
			begin(who, slot);
			begin(who, slot);
			while (who->machine != NULL &&
				   tmodel_machine_phase(who->machine) != TMODEL_FINISHED)
				world_take(&(choice) {EFFECT_NORMAL, MAX_ACTORS - 1, 0, 0, 0});
		}
	judge_rest();
}
