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

#include "model/repair.h"
#include "remote/catalog.h"
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

/* The server's clock tells whole seconds, so 0 asks nothing. */
bool
itable_is_old(const tmodel_entity *entity, int64 server_time)
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
		!itable_is_old(entry, server_time) || is_remembered(entry))
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
			*found = itable_is_old(fact, reply->server_time);
	}
	itable_finish(calls, request);
	return fact;
}

/* The machine for one entry; "mend" must live as long as the arena. */
static tmodel_machine *
start_repair(const itableIndex *index, const itableMend *mend,
			 tmodel_arena *arena)
{
	tmodel_repair *repair = tmodel_alloc(arena, sizeof(tmodel_repair));
	tmodel_machine *machine;
	tmodel_entries entries = {0};

	itable_check_arena(arena);
	repair->fact = mend->fact;
	repair->fact_table = index->fact->name;
	repair->index_table = index->def.table;
	repair->covering = index->covering;
	repair->entry = mend->entry;
	if (repair->fact != NULL && !tmodel_entity_is_stub(repair->fact) &&
		tmodel_index_entries(arena, &index->fact_def, &index->def,
							 repair->fact, &entries))
		repair->justified = tmodel_entries_find(&entries,
												mend->entry->partition_key,
												mend->entry->row_key);
	itable_check_arena(arena);
	machine = tmodel_repair_start(arena, repair);
	itable_check_arena(arena);
	return machine;
}

/* A failure that is not a lost race: the next request would fail too. */
static bool
store_fails(const flushSite *site, tstore_error *error)
{
	for (int i = 0; i < site->nitems; i++)
		switch (itable_item_status(&site->items[i]))
		{
			case TSTORE_OK:
			case TSTORE_PRECONDITION:
			case TSTORE_NOT_FOUND:
				break;
			default:
				*error = *site->items[i].error;
				return true;
		}
	return false;
}

bool
itable_mend(tstore_client *client, const itableIndex *index, int n,
			const itableMend *list, tmodel_arena *arena, tstore_error *error)
{
	flushItem  *items = palloc0(sizeof(flushItem) * (n + 1));
	flushSite	site = {.client = client,.nitems = n,.items = items};
	roundScope	everything = {0};
	tmodel_phase phase;

	memset(error, 0, sizeof(*error));
	site.calls = itable_calls(CurrentMemoryContext, client);
	site.batch_size = index->fact->batch_size;
	for (int i = 0; i < n; i++)
	{
		items[i].table = index->fact;
		items[i].machine = start_repair(index, &list[i], arena);
	}
	while ((phase = itable_lowest_phase(&site)) != TMODEL_FINISHED)
		if (itable_round(&site, phase, &everything, arena) != ROUND_DONE ||
			store_fails(&site, error))
			return false;
	return !store_fails(&site, error);
}

static bool
mend_candidate(const repairCandidate *candidate, MemoryContext context)
{
	itableTable *table;
	itableIndex *index;
	tmodel_arena *arena = itable_arena(context);
	itableMend	mend = {.entry = candidate->entry};
	tstore_client *client;
	tstore_error error;
	bool		found;

	if (get_rel_name(candidate->index) == NULL)
		return true;
	table = itable_table_def(candidate->index);
	if (!itable_is_index(table) ||
		!OidIsValid(itable_fact_relid(table, true)))
		return true;
	index = itable_index_def(table, itable_fact_of(table));
	/* not every writer may know an index that is not readable yet */
	if (!itable_may_plan(index))
		return true;
	client = itable_session(candidate->serverid, candidate->userid);
	mend.fact = read_fact(itable_calls(context, client), index,
						  candidate->entry, arena, &found);
	/* without stubs an INSERT under way has no fact yet, but its entries */
	if (found && mend.fact == NULL && index->fact->direct_insert)
		return true;
	return !found || itable_mend(client, index, 1, &mend, arena, &error);
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
		bool		go_on = mend_candidate(&candidates[i],
											 context);

		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		if (!go_on)
			break;
	}
}
