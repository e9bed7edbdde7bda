/*
 * converge.c
 *	  Queued maintenance: brings the entries of facts up to date.
 *
 * For each fact: read it, touch what it justifies and what earlier versions
 * justified, fence it, verify the first and delete the second; only then the
 * outbox entities that asked for it go, which exec/queue has found.
 *
 * Who does it has the fact table's baton (baton.h), so that nobody deletes an
 * outbox entity that names a version acted on here: one that gives up, or dies,
 * leaves what the next one needs to tidy up after him.  docs/PROTOCOL.md tells
 * why answers stay right even where two are at it.  Easy to break: he must
 * remember the versions he has acted on.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "model/outbox.h"
#include "model/protocol.h"
#include "model/repair.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/companions.h"
#include "txn/converge.h"
#include "txn/dense.h"
#include "txn/round.h"

/* How often a fact is tried that others change meanwhile. */
#define MAX_ATTEMPTS 5

/* From here on batches of touches cost less than single reads of entries. */
#define BULK_FACTS 16

/* A fact, and all that asks for its entries. */
typedef struct convergeFact
{
	tmodel_entity keys;			/* the bare fact */
	List	   *outboxes;		/* const tmodel_entity * */
	List	   *versions;		/* const tmodel_entity *: entries of these may
								 * be there */
	bool		done;
} convergeFact;

typedef struct convergeRun
{
	itableBaton *baton;
	bool		overtaken;		/* it is another's: what was done meanwhile
								 * counts for nothing */
	tstore_client *client;
	itableCalls *calls;
	const itableTable *table;
	List	   *indexes;
	tmodel_arena *arena;
	int			nfacts;
	convergeFact *facts;
} convergeRun;

/* The fact of an outbox entity, new or met before. */
static convergeFact *
fact_of(convergeRun *run, const tmodel_entity *version)
{
	convergeFact *fact;

	for (int i = 0; i < run->nfacts; i++)
	{
		fact = &run->facts[i];
		if (tmodel_span_equal(fact->keys.row_key, version->row_key) &&
			tmodel_span_equal(fact->keys.partition_key,
							  version->partition_key))
			return fact;
	}
	fact = &run->facts[run->nfacts++];
	memset(fact, 0, sizeof(*fact));
	fact->keys.partition_key = version->partition_key;
	fact->keys.row_key = version->row_key;
	fact->keys.timestamp = -1;
	return fact;
}

static void
gather(convergeRun *run, int n, const tmodel_entity *const *outboxes)
{
	run->facts = palloc(sizeof(convergeFact) * n);
	for (int i = 0; i < n; i++)
	{
		tmodel_entity *version = tmodel_outbox_fact(run->arena, outboxes[i]);
		convergeFact *fact;

		itable_check_arena(run->arena);
		fact = fact_of(run, version);
		fact->outboxes = lappend(fact->outboxes, (void *) outboxes[i]);
		fact->versions = lappend(fact->versions, version);
	}
}

/* A fact read by its keys. */
static const tmodel_entity *
take_fact(convergeRun *run, tstore_request *request)
{
	const tmodel_entity *fact = NULL;
	const tstore_reply *reply;

	itable_wait(run->calls, request);
	reply = tstore_reply_of(request);
	if (reply->error.status != TSTORE_OK &&
		reply->error.status != TSTORE_NOT_FOUND)
		itable_report_read(&reply->error, run->table->relname);
	if (reply->nentities == 1)
		fact = tmodel_entity_copy(run->arena, &reply->entities[0]);
	itable_finish(run->calls, request);
	return fact;
}

/* Reads the facts not done; NULL: not there, or only reserved. */
static const tmodel_entity **
read_facts(convergeRun *run)
{
	const tmodel_entity **facts = palloc0(sizeof(*facts) * run->nfacts);
	denseRead  *reads = palloc(sizeof(denseRead) * run->nfacts);
	tstore_request **asked = palloc0(sizeof(*asked) * run->nfacts);
	int			n = 0;

	for (int i = 0; i < run->nfacts; i++)
		if (!run->facts[i].done)
			reads[n++] = (denseRead) {.table = run->table->name,
				.keys = &run->facts[i].keys,.owner = &facts[i]};
	itable_read_dense(run->client, run->calls, run->arena, n, reads);
	for (int i = 0; i < n; i++)
		if (!reads[i].known)
			asked[i] = itable_call(run->calls,
								   tstore_start_get(run->client,
													run->table->name,
													reads[i].keys->partition_key,
													reads[i].keys->row_key,
													0, NULL));
	for (int i = 0; i < n; i++)
	{
		const tmodel_entity *fact = asked[i] != NULL ?
			take_fact(run, asked[i]) : reads[i].found;

		if (fact != NULL && !tmodel_entity_is_stub(fact))
			*(const tmodel_entity **) reads[i].owner = fact;
	}
	itable_check_arena(run->arena);
	pfree(reads);
	pfree(asked);
	return facts;
}

/* The entries of all versions together; the machine sorts out equal ones. */
static void
old_entries(convergeRun *run, const itableIndex *index,
			const convergeFact *fact, tmodel_entries *result)
{
	tmodel_entries *parts = palloc(sizeof(tmodel_entries) *
								   list_length(fact->versions));
	ListCell   *cell;
	int			nparts = 0;

	result->n = 0;
	foreach(cell, fact->versions)
	{
		itable_entries_of(run->arena, index, lfirst(cell), &parts[nparts]);
		result->n += parts[nparts++].n;
	}
	result->entries = tmodel_alloc(run->arena, sizeof(tmodel_entity) *
								   (result->n + 1));
	itable_check_arena(run->arena);
	result->n = 0;
	for (int i = 0; i < nparts; i++)
		for (int j = 0; j < parts[i].n; j++)
			result->entries[result->n++] = parts[i].entries[j];
	pfree(parts);
}

/* Does one of the fact's outbox entities ask for the index? */
static bool
is_named(const convergeFact *fact, const itableIndex *index)
{
	ListCell   *cell;

	foreach(cell, fact->outboxes)
		if (tmodel_outbox_names(lfirst(cell), index->table->name))
			return true;
	return false;
}

/* The machine that brings one fact's entries up to date. */
static void
start_fact(convergeRun *run, convergeFact *fact, const tmodel_entity *live,
		   const char *write_id, flushItem *item)
{
	tmodel_change *change = tmodel_alloc(run->arena, sizeof(tmodel_change));
	tmodel_index_change *parts = tmodel_alloc(run->arena,
											  sizeof(tmodel_index_change) *
											  list_length(run->indexes));
	ListCell   *cell;

	itable_check_arena(run->arena);
	change->kind = TMODEL_CHANGE_CONVERGE;
	change->table = run->table->name;
	change->old_fact = live != NULL ? live : &fact->keys;
	change->indexed = true;
	change->indexes = parts;
	change->write_id = tmodel_span_of(write_id);
	foreach(cell, run->indexes)
	{
		const itableIndex *index = lfirst(cell);
		tmodel_index_change *part = &parts[change->nindexes];

		if (!is_named(fact, index))
			continue;
		change->nindexes++;
		part->table = index->def.table;
		part->covering = index->covering;
		part->fact_def = &index->fact_def;
		part->touch_old = run->nfacts > BULK_FACTS;
		old_entries(run, index, fact, &part->old_entries);
		itable_entries_of(run->arena, index, live, &part->new_entries);
	}
	memset(item, 0, sizeof(*item));
	item->table = run->table;
	item->change = change;
	item->indexes = run->indexes;
	item->machine = tmodel_machine_start(run->arena, change);
	itable_check_arena(run->arena);
}

/* A failure that is no lost race ends it all; what was not done stays asked. */
static void
check_errors(const convergeRun *run, const flushSite *site)
{
	for (int i = 0; i < site->nitems; i++)
	{
		const flushItem *item = &site->items[i];

		switch (itable_item_status(item))
		{
			case TSTORE_OK:
			case TSTORE_PRECONDITION:
			case TSTORE_NOT_FOUND:
			case TSTORE_EXISTS:
				break;
			default:
				itable_report(item->error,
							  psprintf("maintain the queued indexes of foreign table \"%s\"",
									   run->table->relname),
							  run->table->relname);
		}
	}
}

/* False: the baton is another's now, so that nothing more may be sent. */
static bool
run_machines(convergeRun *run, flushSite *site)
{
	roundScope	scope = {.may_start = itable_baton_holds,.ctx = run->baton};
	tmodel_phase phase;

	while ((phase = itable_lowest_phase(site)) != TMODEL_FINISHED)
	{
		if (!itable_baton_keep(run->baton))
			return false;
		scope.left_ms = itable_baton_left_ms(run->baton);
		if (itable_round(site, phase, &scope, run->arena) == ROUND_INTERRUPTED)
		{
			CHECK_FOR_INTERRUPTS();
			ereport(ERROR,
					(errcode(ERRCODE_QUERY_CANCELED),
					 errmsg("queued maintenance was interrupted")));
		}
		check_errors(run, site);
	}
	return true;
}

static flushSite
make_site(const convergeRun *run, int room)
{
	flushSite	site = {.client = run->client,.calls = run->calls};

	site.batch_size = run->table->batch_size;
	site.items = palloc0(sizeof(flushItem) * (room + 1));
	return site;
}

/* Tries every fact that is not done; true when nothing is left to try. */
static bool
attempt(convergeRun *run, const char *write_id)
{
	const tmodel_entity **lives = read_facts(run);
	flushSite	site = make_site(run, run->nfacts);
	convergeFact **tried = palloc(sizeof(convergeFact *) * run->nfacts);
	bool		all = true;

	for (int i = 0; i < run->nfacts; i++)
	{
		convergeFact *fact = &run->facts[i];

		if (fact->done)
			continue;
		tried[site.nitems] = fact;
		start_fact(run, fact, lives[i], write_id, &site.items[site.nitems++]);
		/* what is touched for it may prove to be in vain */
		if (lives[i] != NULL)
			fact->versions = lappend(fact->versions, (void *) lives[i]);
	}
	run->overtaken = !run_machines(run, &site);
	for (int i = 0; i < site.nitems; i++)
	{
		const tmodel_machine *machine = site.items[i].machine;

		tried[i]->done = tmodel_machine_verdict(machine) == TMODEL_COMMITTED &&
			tmodel_machine_phase(machine) == TMODEL_FINISHED &&
			tmodel_machine_is_settled(machine);
		all &= tried[i]->done;
	}
	return all || run->overtaken;
}

/* Deletes the outbox entities of facts that are done; returns how many. */
static int
forget(convergeRun *run, int room)
{
	flushSite	site = make_site(run, room);
	tmodel_repair *repairs = palloc0(sizeof(tmodel_repair) * room);

	for (int i = 0; i < run->nfacts; i++)
	{
		ListCell   *cell;

		if (!run->facts[i].done)
			continue;
		foreach(cell, run->facts[i].outboxes)
		{
			tmodel_repair *repair = &repairs[site.nitems];
			flushItem  *item = &site.items[site.nitems++];

			/* as an entry whose fact is gone: deleted If-Match */
			repair->fact_table = repair->index_table = run->table->name;
			repair->entry = lfirst(cell);
			item->table = run->table;
			item->machine = tmodel_repair_start(run->arena, repair);
			itable_check_arena(run->arena);
		}
	}
	return run_machines(run, &site) ? site.nitems : 0;
}

/* With the baton in hand; returns how many outbox entities were done. */
static int
work(convergeRun *run, int n, const tmodel_entity *const *outboxes)
{
	uint64		random;
	char		write_id[17];

	if (!pg_strong_random(&random, sizeof(random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a write id")));
	snprintf(write_id, sizeof(write_id), "%016llx",
			 (unsigned long long) random);
	gather(run, n, outboxes);
	for (int attempts = 1; !attempt(run, write_id); attempts++)
	{
		CHECK_FOR_INTERRUPTS();
		if (attempts == MAX_ATTEMPTS)
			break;
		/* its writer may be done soon */
		(void) itable_pause(attempts);
	}
	return run->overtaken ? 0 : forget(run, n);
}

bool
itable_converge(itableBaton *baton, tstore_client *client,
				const itableTable *fact, List *indexes, int n,
				const tmodel_entity *const *outboxes, int *done)
{
	convergeRun run = {.baton = baton,.client = client,.table = fact,
	.indexes = indexes};

	Assert(n <= ITABLE_CONVERGE_MAX);
	if (n == 0)
		return true;
	if (!itable_baton_take(baton))
		return false;
	run.calls = itable_calls(CurrentMemoryContext, client);
	run.arena = itable_arena(CurrentMemoryContext);
	PG_TRY();
	{
		*done += work(&run, n, outboxes);
	}
	PG_CATCH();
	{
		/* one that fails again and again must not keep others out */
		if (geterrcode() != ERRCODE_QUERY_CANCELED &&
			geterrcode() != ERRCODE_ADMIN_SHUTDOWN)
			itable_baton_release(baton);
		PG_RE_THROW();
	}
	PG_END_TRY();
	itable_baton_release(baton);
	return true;
}
