/*
 * test_converge_random.c
 *	  Queued maintenance under random schedules: one fact, a writer whose
 *	  changes leave outbox entities, two workers that run real machines, request
 *	  by request in any order.
 *
 * The workers do what txn/converge does: read, machine, again with all versions
 * they have acted on, and only then the outbox entity goes.  When everything
 * is done the entries must be exactly those of the fact, verified.  Where workers
 * die and give up that needs turns (the baton); without them entries that are not
 * verified may be too many.  Broken workers must be caught, or the test would
 * prove nothing.
 */
#include "unit.h"

#include "model/outbox.h"

#include <stdlib.h>

#define NKEYS 3
#define NWORKERS 2
#define MAX_OUTBOX 8
#define SCHEDULES 4000

typedef enum broken
{
	BROKEN_NOT,
	BROKEN_FORGETS,				/* what it has touched in vain */
	BROKEN_EARLY				/* deletes the outbox entity first */
} broken;

/* An entity of the store; etag 0: it is not there. */
typedef struct cell
{
	int			etag;
	int			version;		/* fact: its number; entry: that of its contents */
	bool		verified;
} cell;

/* Keys of a version: bit set; each version has other contents. */
typedef struct store
{
	cell		fact;
	cell		entries[NKEYS];
	int			keys[MAX_OUTBOX + 1];	/* by version */
	bool		outbox[MAX_OUTBOX + 1]; /* asked for by version; keeps the keys of
										 * the version before */
	int			nversions;
	int			next_etag;
} store;

typedef struct worker
{
	int			job;			/* version whose outbox it does; 0: none */
	unsigned	versions;		/* bit set: those it has to clean up after */
	tmodel_machine *machine;
	tmodel_change change;
	tmodel_index_change part;
} worker;

static tmodel_arena arena;
static store the_store;
static worker workers[NWORKERS];
static broken mode;
static bool deaths;				/* of workers, at any moment; they give up too */
static bool turns;				/* one works at a time */
static const worker *baton;		/* whose turn it is; NULL: nobody's */

static tmodel_span
number(const char *format, int n)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	tmodel_buf_printf(&buf, format, n);
	return tmodel_buf_text(&buf);
}

static tmodel_entity *
entity(const char *pk, int version, int etag)
{
	tmodel_entity bare = {.row_key = TMODEL_SPAN("r"),.timestamp = -1};
	tmodel_entity *result;
	tmodel_value value = tmodel_int32(version);

	bare.partition_key = tmodel_span_of(pk);
	if (etag > 0)
		bare.etag = number("%d", etag);
	result = tmodel_entity_extend(&arena, &bare, 2);
	tmodel_entity_set(result, TMODEL_SPAN("v"), &value);
	return result;
}

static const char *const key_names[NKEYS] = {"a", "b", "c"};

/* Adds the entries of a version. */
static void
add_entries(tmodel_entries *entries, int version)
{
	for (int k = 0; k < NKEYS; k++)
		if (the_store.keys[version] & (1 << k))
			entries->entries[entries->n++] = *entity(key_names[k], version, 0);
}

/* Reads the fact and starts a machine for the worker's job. */
static void
start(worker *w)
{
	cell	   *fact = &the_store.fact;
	bool		live = fact->etag > 0;
	size_t		room = sizeof(tmodel_entity) * NKEYS * (MAX_OUTBOX + 2);

	memset(&w->change, 0, sizeof(w->change));
	memset(&w->part, 0, sizeof(w->part));
	w->part.table = TMODEL_SPAN("ix");
	w->part.covering = true;
	w->part.old_entries.entries = tmodel_alloc(&arena, room);
	w->part.new_entries.entries = tmodel_alloc(&arena, room);
	for (int v = 0; v <= MAX_OUTBOX; v++)
		if (w->versions & (1u << v))
			add_entries(&w->part.old_entries, v);
	if (live)
		add_entries(&w->part.new_entries, fact->version);
	w->change.kind = TMODEL_CHANGE_CONVERGE;
	w->change.table = TMODEL_SPAN("facts");
	w->change.old_fact = entity("p", live ? fact->version : 0, fact->etag);
	w->change.indexed = true;
	w->change.nindexes = 1;
	w->change.indexes = &w->part;
	w->change.write_id = TMODEL_SPAN("w");
	w->machine = tmodel_machine_start(&arena, &w->change);
	if (live && mode != BROKEN_FORGETS)
		w->versions |= 1u << fact->version;
}

static cell *
cell_of(const tmodel_step_request *request)
{
	if (request->table.len == 5)
		return &the_store.fact;
	return &the_store.entries[request->entity->partition_key.data[0] - 'a'];
}

/* Carries out one request of a machine and answers it. */
static void
carry_out(worker *w, const tmodel_step_request *request)
{
	cell	   *there = cell_of(request);
	tmodel_answer answer = {.outcome = TMODEL_APPLIED};
	const tmodel_value *version =
		tmodel_entity_get(tmodel_machine_body(w->machine, request->slot,
											  &arena), TMODEL_SPAN("v"));
	bool		matches = there->etag > 0 &&
		tmodel_span_equal(request->if_match, number("%d", there->etag));

	if (request->action != TMODEL_UPSERT && there->etag == 0)
		answer.outcome = TMODEL_ABSENT;
	else if (request->action == TMODEL_GET)
		answer.entity = entity("x", there->version, there->etag);
	else if (request->action != TMODEL_UPSERT && !matches)
		answer.outcome = TMODEL_MISMATCH;
	else if (request->action == TMODEL_DELETE)
		there->etag = 0;
	else
	{
		there->etag = ++the_store.next_etag;
		if (request->action == TMODEL_UPSERT)
		{
			there->version = version->u.int32;
			there->verified = false;
		}
		else if (there != &the_store.fact)
			there->verified = true;
		answer.etag = number("%d", there->etag);
	}
	tmodel_machine_answer(w->machine, request->slot, &answer);
}

/* Done, given up or dead: the next one may be at it. */
static void
stop(worker *w)
{
	w->job = 0;
	if (baton == w)
		baton = NULL;
}

/* One step of a worker: takes a job, sends a request, or ends the job. */
static void
step(worker *w)
{
	const tmodel_step_request *requests;
	int			n;

	if (w->job == 0 && turns && baton != NULL)
		return;
	if (w->job == 0)
	{
		int			first = 1 + rand() % MAX_OUTBOX;

		for (int i = 0; i < MAX_OUTBOX && w->job == 0; i++)
			if (the_store.outbox[1 + (first + i) % MAX_OUTBOX])
				w->job = 1 + (first + i) % MAX_OUTBOX;
		if (w->job == 0)
			return;
		baton = w;
		w->versions = 1u << (w->job - 1);
		if (mode == BROKEN_EARLY)
			the_store.outbox[w->job] = false;
		start(w);
		return;
	}
	n = tmodel_machine_requests(w->machine, &arena, &requests);
	if (deaths && rand() % 20 == 0)
		stop(w);
	else if (n > 0)
	{
		tmodel_step_request request = requests[rand() % n];

		carry_out(w, &request);
	}
	else if (tmodel_machine_verdict(w->machine) == TMODEL_COMMITTED &&
			 tmodel_machine_is_settled(w->machine))
	{
		the_store.outbox[w->job] = false;
		stop(w);
	}
	else
		start(w);
}

/* The fact changes, or goes: one transaction with its outbox entity. */
static void
write_fact(void)
{
	int			version = ++the_store.nversions;
	bool		gone = rand() % 4 == 0;

	the_store.keys[version] = gone ? 0 : rand() % (1 << NKEYS);
	the_store.outbox[version] = true;
	the_store.fact.etag = gone ? 0 : ++the_store.next_etag;
	the_store.fact.version = version;
}

static bool
has_work(void)
{
	for (int i = 0; i < NWORKERS; i++)
		if (workers[i].job != 0)
			return true;
	for (int v = 1; v <= MAX_OUTBOX; v++)
		if (the_store.outbox[v])
			return true;
	return false;
}

/*
 * Are the entries those of the fact, no more and no less?  What may be left over
 * is not verified, so that whoever meets it looks at the fact.
 */
static bool
is_right(bool tidy)
{
	const cell *fact = &the_store.fact;

	for (int k = 0; k < NKEYS; k++)
	{
		const cell *entry = &the_store.entries[k];
		bool		wanted = fact->etag > 0 &&
			(the_store.keys[fact->version] & (1 << k));

		if (wanted && entry->etag == 0)
			return false;
		if (entry->etag > 0 && entry->verified &&
			(!wanted || entry->version != fact->version))
			return false;
		if (tidy && entry->etag > 0 && (!wanted || !entry->verified))
			return false;
	}
	return true;
}

/* One schedule to its end; true when all is right. */
static bool
run_schedule(unsigned seed, bool tidy)
{
	bool		right;

	srand(seed);
	memset(&the_store, 0, sizeof(the_store));
	memset(workers, 0, sizeof(workers));
	baton = NULL;
	tmodel_arena_init(&arena, &tmodel_malloc);
	for (int i = 0; i < 3000; i++)
	{
		if (the_store.nversions < MAX_OUTBOX && rand() % 9 == 0)
			write_fact();
		else
			step(&workers[rand() % NWORKERS]);
		if (the_store.nversions == MAX_OUTBOX && !has_work())
			break;
	}
	right = !has_work() && is_right(tidy);
	tmodel_arena_reset(&arena);
	return right;
}

/* The first schedule that goes wrong; 0: none does. */
static unsigned
find_wrong(broken how, bool with_deaths, bool with_turns, bool tidy)
{
	mode = how;
	deaths = with_deaths;
	turns = with_turns;
	for (unsigned seed = 1; seed <= SCHEDULES; seed++)
		if (!run_schedule(seed, tidy))
			return seed;
	return 0;
}

UNIT_TEST(converge_random_schedules)
{
	CHECK_INT(find_wrong(BROKEN_NOT, false, false, true), 0);
	CHECK_INT(find_wrong(BROKEN_NOT, true, false, false), 0);
}

/* With the baton nothing is left to repair, whoever dies. */
UNIT_TEST(converge_random_turns)
{
	CHECK_INT(find_wrong(BROKEN_NOT, false, true, true), 0);
	CHECK_INT(find_wrong(BROKEN_NOT, true, true, true), 0);
}

UNIT_TEST(converge_random_catches_broken_workers)
{
	CHECK(find_wrong(BROKEN_FORGETS, false, false, true) != 0);
	CHECK(find_wrong(BROKEN_EARLY, true, false, false) != 0);
	/* the dead leave something where nobody waits for his turn */
	CHECK(find_wrong(BROKEN_NOT, true, false, true) != 0);
	CHECK(find_wrong(BROKEN_EARLY, true, true, true) != 0);
}
