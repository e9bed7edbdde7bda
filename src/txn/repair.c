/*
 * repair.c
 *	  Mends index entries a scan met, after the scan.
 *
 * Answers "what is to become of this unverified entry?" by reading its fact
 * once more and running the repair machine (model/repair).  Called by scans
 * (remember) and at PRE_COMMIT (run), so that no answer waits for it.  Easy to
 * break: the entry's ETag must be older than the fact that is read here.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "model/protocol.h"
#include "remote/memory.h"
#include "remote/session.h"
#include "table/settings.h"
#include "txn/repair.h"
#include "txn/round.h"

/* Entries mended in one transaction: repair is not what it came for. */
#define MAX_REPAIRS 64

#define TICKS_PER_MS INT64CONST(10000)

typedef struct repairCandidate
{
	Oid			index;			/* relation */
	Oid			serverid;
	Oid			userid;
	tmodel_entity *entry;
} repairCandidate;

static MemoryContext repairs = NULL;
static tmodel_arena *repair_arena = NULL;
static repairCandidate candidates[MAX_REPAIRS];
static int	ncandidates = 0;

/* Age by the server's clock alone; it tells whole seconds, so 0 asks nothing. */
static bool
is_old(const tmodel_entity *entity, int64 server_time)
{
	return itable_repair_age == 0 ||
		(entity->timestamp >= 0 && server_time - entity->timestamp >=
		 itable_repair_age * TICKS_PER_MS);
}

static bool
is_remembered(const tmodel_entity *entry)
{
	for (int i = 0; i < ncandidates; i++)
		if (tmodel_span_equal(candidates[i].entry->row_key, entry->row_key) &&
			tmodel_span_equal(candidates[i].entry->partition_key,
							  entry->partition_key))
			return true;
	return false;
}

void
itable_remember_repair(const itableIndex *index, Oid userid,
					   const tmodel_entity *entry, int64 server_time)
{
	repairCandidate *candidate = &candidates[ncandidates];

	if (ncandidates == MAX_REPAIRS || entry->etag.len == 0 ||
		!is_old(entry, server_time) || is_remembered(entry))
		return;
	if (repairs == NULL)
	{
		repairs = AllocSetContextCreate(TopMemoryContext,
										"itable_fdw repairs",
										ALLOCSET_SMALL_SIZES);
		repair_arena = itable_arena(repairs);
	}
	candidate->index = index->table->relid;
	candidate->serverid = index->table->serverid;
	candidate->userid = userid;
	candidate->entry = tmodel_entity_copy(repair_arena, entry);
	if (candidate->entry != NULL)
		ncandidates++;
}

void
itable_repairs_reset(void)
{
	if (repairs != NULL)
		MemoryContextDelete(repairs);
	repairs = NULL;
	repair_arena = NULL;
	ncandidates = 0;
}

/*
 * The fact as it is now.  *found: the store told, and the fact is no stub of an
 * INSERT that may still be under way.
 */
static const tmodel_entity *
read_fact(itableCalls *calls, const itableIndex *index,
		  const tmodel_entity *entry, tmodel_arena *arena, bool *found)
{
	const tmodel_value *pk = tmodel_entity_get(entry,
											   TMODEL_SPAN(TMODEL_P_FACT_PK));
	const tmodel_value *rk = tmodel_entity_get(entry,
											   TMODEL_SPAN(TMODEL_P_FACT_RK));
	tstore_client *client = itable_calls_client(calls);
	const tmodel_entity *fact = NULL;
	const tstore_reply *reply;
	tstore_request *request;

	*found = false;
	if (pk == NULL || rk == NULL)
		return NULL;
	request = itable_call(calls, tstore_start_get(client, index->fact->name,
												  pk->u.bytes, rk->u.bytes,
												  0, NULL));
	itable_wait(calls, request);
	reply = tstore_reply_of(request);
	*found = reply->error.status == TSTORE_OK ||
		reply->error.status == TSTORE_NOT_FOUND;
	if (reply->error.status == TSTORE_OK)
	{
		fact = tmodel_entity_copy(arena, &reply->entities[0]);
		itable_check_arena(arena);
		if (tmodel_entity_is_stub(fact))
			*found = is_old(fact, reply->server_time);
	}
	itable_finish(calls, request);
	return fact;
}

/* The machine for one candidate; NULL: nothing to do. */
static tmodel_machine *
start_repair(itableCalls *calls, const itableIndex *index,
			 const tmodel_entity *entry, tmodel_arena *arena)
{
	tmodel_repair *repair = tmodel_alloc(arena, sizeof(tmodel_repair));
	tmodel_entries entries = {0};
	bool		found;

	itable_check_arena(arena);
	repair->fact = read_fact(calls, index, entry, arena, &found);
	if (!found)
		return NULL;
	repair->fact_table = index->fact->name;
	repair->index_table = index->table->name;
	repair->covering = index->covering;
	repair->entry = entry;
	if (repair->fact != NULL && !tmodel_entity_is_stub(repair->fact) &&
		tmodel_index_entries(arena, &index->fact_def, &index->def,
							 repair->fact, &entries))
		repair->justified = tmodel_entries_find(&entries,
												entry->partition_key,
												entry->row_key);
	itable_check_arena(arena);
	return tmodel_repair_start(arena, repair);
}

/* Drives one machine to its end; false when the session should stop. */
static bool
drive_repair(flushSite *site, tmodel_arena *arena)
{
	tmodel_machine *machine = site->items[0].machine;
	roundScope	everything = {0};

	while (tmodel_machine_phase(machine) != TMODEL_FINISHED)
		if (itable_round(site, tmodel_machine_phase(machine), &everything,
						 arena) != ROUND_DONE)
			return false;
	return site->items[0].error.status == TSTORE_OK ||
		site->items[0].error.status == TSTORE_PRECONDITION ||
		site->items[0].error.status == TSTORE_NOT_FOUND;
}

static bool
mend(const repairCandidate *candidate, MemoryContext context)
{
	itableTable *table;
	itableIndex *index;
	tmodel_arena *arena = itable_arena(context);
	flushItem	item = {0};
	flushSite	site = {.batch_size = 1,.nitems = 1,.items = &item};

	if (get_rel_name(candidate->index) == NULL)
		return true;
	table = itable_table_def(candidate->index);
	if (!itable_is_index(table) ||
		!OidIsValid(itable_fact_relid(table, true)))
		return true;
	index = itable_index_def(table, itable_fact_of(table));
	site.client = itable_session(candidate->serverid, candidate->userid);
	site.calls = itable_calls(context, site.client);
	item.table = index->fact;
	item.machine = start_repair(site.calls, index, candidate->entry, arena);
	return item.machine == NULL || drive_repair(&site, arena);
}

void
itable_repairs_run(void)
{
	for (int i = 0; i < ncandidates; i++)
	{
		MemoryContext context = AllocSetContextCreate(repairs,
													  "itable_fdw repair",
													  ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);
		bool		go_on = mend(&candidates[i], context);

		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		if (!go_on)
			break;
	}
}
