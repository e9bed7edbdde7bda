/*
 * catalog.c
 *	  Reads a fact table's part of the catalog and keeps it for a lease.
 *
 * Answers "what does this backend know, and may it still act on it?".  A lease
 * begins when the request is *sent*: what the answer says was true later than
 * that.  A writer registers before it reads, a builder moves the index before
 * it reads who is registered, so that one of them meets the other.  Easy to
 * break: callbacks of invalidation must free nothing, they only make stale.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/formatting.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/plancache.h"

#include "remote/catalog_int.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "table/options.h"
#include "table/settings.h"

/* Relations over one table that are noticed one by one. */
#define MAX_RELATIONS 8

#define TICKS_PER_MS INT64CONST(10000)

typedef struct catalogKey
{
	Oid			serverid;
	char		table[64];		/* lower case; the store allows 63 */
} catalogKey;

typedef struct catalogEntry
{
	catalogKey	key;			/* hash key */
	MemoryContext context;		/* of "catalog"; NULL: nothing is known */
	itableCatalog *catalog;
	int64		asked_ms;		/* when it was asked for, monotonic */
	int			lease_ms;		/* as registered; 0: not registered */
	bool		stale;			/* something changed in this database */
	int			nrelids;		/* more than MAX_RELATIONS: any */
	Oid			relids[MAX_RELATIONS];
} catalogEntry;

static HTAB *entries = NULL;
static itableCatalog nothing = {0};

static const char *const state_names[] = {
	[ITABLE_UNLISTED] = "unlisted",
	[ITABLE_REGISTERED] = "registered",
	[ITABLE_BUILDING] = "building",
	[ITABLE_READABLE] = "readable",
	[ITABLE_DEPRECATED] = "deprecated",
	[ITABLE_DROPPING] = "dropping",
	[ITABLE_DROPPED] = "dropped"
};

const char *
itable_state_name(itableIndexState state)
{
	return state_names[state];
}

static void
relation_changed(Datum arg, Oid relid)
{
	HASH_SEQ_STATUS scan;
	catalogEntry *entry;

	hash_seq_init(&scan, entries);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		bool		ours = !OidIsValid(relid) || entry->nrelids > MAX_RELATIONS;

		for (int i = 0; i < entry->nrelids && !ours; i++)
			ours = entry->relids[i] == relid;
		entry->stale |= ours;
	}
}

void
itable_catalog_init(void)
{
	HASHCTL		ctl = {.keysize = sizeof(catalogKey),
	.entrysize = sizeof(catalogEntry)};

	entries = hash_create("itable_fdw catalogs", 16, &ctl,
						  HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
}

tmodel_span
itable_catalog_key(tmodel_span table)
{
	return tmodel_span_of(asc_tolower(table.data, table.len));
}

/*
 * System identifier and database tell databases apart, the id that CREATE
 * EXTENSION drew tells copies of a database apart.
 */
char *
itable_writer_id(void)
{
	ForeignDataWrapper *wrapper = GetForeignDataWrapperByName("itable_fdw",
															  true);
	const char *drawn = wrapper == NULL ? NULL :
		itable_option(wrapper->options, "cluster_id");

	return psprintf("%llx-%x-%s", (unsigned long long) GetSystemIdentifier(),
					MyDatabaseId, drawn != NULL ? drawn : "0");
}

static catalogEntry *
entry_of(const itableTable *fact, bool make)
{
	catalogKey	key = {.serverid = fact->serverid};
	tmodel_span name = itable_catalog_key(fact->name);
	catalogEntry *entry;
	bool		found;

	strlcpy(key.table, name.data, sizeof(key.table));
	entry = hash_search(entries, &key, make ? HASH_ENTER : HASH_FIND, &found);
	if (entry == NULL)
		return NULL;
	if (!found)
		memset((char *) entry + sizeof(key), 0, sizeof(*entry) - sizeof(key));
	for (int i = 0; i < Min(entry->nrelids, MAX_RELATIONS); i++)
		if (entry->relids[i] == fact->relid)
			return entry;
	if (entry->nrelids < MAX_RELATIONS)
		entry->relids[entry->nrelids] = fact->relid;
	entry->nrelids = Min(entry->nrelids + 1, MAX_RELATIONS + 1);
	return entry;
}

/* ---- reading ---- */

static char *
text_of(const tmodel_entity *entity, tmodel_span name)
{
	const tmodel_value *value = tmodel_entity_get(entity, name);

	return value == NULL || value->type != TMODEL_STRING ? pstrdup("") :
		pnstrdup(value->u.bytes.data, value->u.bytes.len);
}

static int64
number_of(const tmodel_entity *entity, tmodel_span name)
{
	const tmodel_value *value = tmodel_entity_get(entity, name);

	return value == NULL ? 0 : value->type == TMODEL_INT32 ? value->u.int32 :
		value->type == TMODEL_INT64 ? value->u.int64 : 0;
}

static itableListed *
read_listed(const tmodel_entity *entity)
{
	itableListed *listed = palloc0(sizeof(itableListed));
	char	   *state = text_of(entity, ITABLE_C_STATE);

	listed->name = text_of(entity, ITABLE_C_NAME);
	for (int i = ITABLE_REGISTERED; i <= ITABLE_DROPPED; i++)
		if (strcmp(state, state_names[i]) == 0)
			listed->state = i;
	listed->epoch = number_of(entity, ITABLE_C_EPOCH);
	listed->incarnation = text_of(entity, ITABLE_C_INCARNATION);
	listed->layout = text_of(entity, ITABLE_C_LAYOUT);
	listed->definition = text_of(entity, ITABLE_C_DEFINITION);
	listed->done = number_of(entity, ITABLE_C_DONE);
	listed->has_cursor = tmodel_entity_get(entity, ITABLE_C_CURSOR_PK) != NULL;
	listed->cursor_partition =
		tmodel_span_of(text_of(entity, ITABLE_C_CURSOR_PK));
	listed->cursor_row = tmodel_span_of(text_of(entity, ITABLE_C_CURSOR_RK));
	listed->etag = tmodel_span_of(pnstrdup(entity->etag.data,
										   entity->etag.len));
	return listed;
}

/* One entity into the catalog: an index, or a writer that is not long gone. */
static void
take_entity(itableCatalog *catalog, const tmodel_entity *entity,
			int64 server_time)
{
	size_t		prefix = strlen(ITABLE_WRITER_PREFIX);
	itableWriter *writer;

	if (entity->row_key.len < prefix ||
		memcmp(entity->row_key.data, ITABLE_WRITER_PREFIX, prefix) != 0)
	{
		catalog->indexes = lappend(catalog->indexes, read_listed(entity));
		return;
	}
	writer = palloc0(sizeof(itableWriter));
	writer->id = pnstrdup(entity->row_key.data + prefix,
						  entity->row_key.len - prefix);
	writer->lease_ms = number_of(entity, ITABLE_C_LEASE);
	if (server_time >= 0 && entity->timestamp >= 0)
		writer->age_ms = (server_time - entity->timestamp) / TICKS_PER_MS;
	/* the store's clock tells whole seconds */
	if (writer->age_ms < ITABLE_REGISTERED_MS + 2 * writer->lease_ms + 1000)
		catalog->writers = lappend(catalog->writers, writer);
}

/* One page; *token is where the next begins.  False: *error is set. */
static bool
read_page(itableCalls *calls, itableCatalog *catalog, tstore_query *token,
		  bool *more, tstore_error *error)
{
	tstore_client *client = itable_calls_client(calls);
	tstore_request *request =
	itable_call(calls, tstore_start_query(client,
										  TMODEL_SPAN(TSTORE_CATALOG_TABLE),
										  token));
	const tstore_reply *reply;

	memset(error, 0, sizeof(*error));
	*more = false;
	if (!tstore_wait(client, request))
	{
		error->status = TSTORE_ABORTED;
		return false;
	}
	reply = tstore_reply_of(request);
	*error = reply->error;
	if (error->status == TSTORE_TABLE_NOT_FOUND)
		return true;
	if (error->status != TSTORE_OK)
		return false;
	catalog->exists = true;
	for (int i = 0; i < reply->nentities; i++)
		take_entity(catalog, &reply->entities[i], reply->server_time);
	*more = reply->has_more;
	token->next_partition_key =
		tmodel_span_of(pnstrdup(reply->next_partition_key.data,
								reply->next_partition_key.len));
	token->next_row_key = tmodel_span_of(pnstrdup(reply->next_row_key.data,
												  reply->next_row_key.len));
	itable_finish(calls, request);
	return true;
}

/* The whole partition, in the current context. */
static bool
read_partition(tstore_client *client, const itableTable *fact,
			   itableCatalog *catalog, tstore_error *error)
{
	tmodel_span key = itable_catalog_key(fact->name);
	tstore_query query = {.filter =
		tmodel_span_of(psprintf("PartitionKey eq '%s'",
								itable_cstring(key)))};
	/* requests hold the client for as long as their context lives */
	MemoryContext requests = AllocSetContextCreate(CurrentMemoryContext,
												   "itable_fdw catalog requests",
												   ALLOCSET_SMALL_SIZES);
	itableCalls *calls = itable_calls(requests, client);
	bool		more = true;
	bool		done = true;

	while (more && done)
		done = read_page(calls, catalog, &query, &more, error);
	MemoryContextDelete(requests);
	return done;
}

static itableWriter *
own_registration(const itableCatalog *catalog)
{
	char	   *id = itable_writer_id();
	ListCell   *cell;

	foreach(cell, catalog->writers)
	{
		itableWriter *writer = lfirst(cell);

		if (strcmp(writer->id, id) == 0)
			return writer;
	}
	return NULL;
}

/* Is the registration there, long enough to come and for leases like ours? */
static bool
is_registered(const itableCatalog *catalog, int *lease_ms)
{
	itableWriter *writer = own_registration(catalog);

	*lease_ms = writer == NULL ? 0 : writer->lease_ms;
	return writer != NULL && writer->age_ms < ITABLE_REGISTERED_MS / 2 &&
		writer->lease_ms >= itable_catalog_lease;
}

/* Would a planner decide alike?  NULL: nothing was known. */
static bool
same_states(const itableCatalog *was, const itableCatalog *now)
{
	ListCell   *cell;

	if (was == NULL || list_length(was->indexes) != list_length(now->indexes))
		return was == NULL && now->indexes == NIL;
	foreach(cell, now->indexes)
	{
		const itableListed *listed = lfirst(cell);
		const itableListed *before =
		itable_find_listed(was, tmodel_span_of(listed->name));

		if (before == NULL || before->state != listed->state)
			return false;
	}
	return true;
}

/* Reads into *entry; what was known before is forgotten only on success. */
static bool
read_entry(catalogEntry *entry, tstore_client *client,
		   const itableTable *fact, tstore_error *error)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw catalog",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	itableCatalog *catalog = palloc0(sizeof(itableCatalog));
	int64		asked = tstore_now_ms();
	bool		done;

	entry->stale = false;		/* messages from now on count */
	done = read_partition(client, fact, catalog, error);
	MemoryContextSwitchTo(old);
	if (!done)
	{
		entry->stale = true;
		MemoryContextDelete(context);
		return false;
	}
	MemoryContextSetParent(context, TopMemoryContext);
	if (!same_states(entry->catalog, catalog))
		ResetPlanCache();
	if (entry->context != NULL)
		MemoryContextDelete(entry->context);
	entry->context = context;
	entry->catalog = catalog;
	entry->asked_ms = asked;
	return true;
}

/* Reads, and registers when that is needed; then reads again. */
static bool
renew(catalogEntry *entry, tstore_client *client, const itableTable *fact,
	  bool writing, tstore_error *error)
{
	if (!read_entry(entry, client, fact, error))
		return false;
	if (is_registered(entry->catalog, &entry->lease_ms))
		return true;
	if (!writing && !entry->catalog->exists)
	{
		/* nobody has listed anything */
		entry->lease_ms = itable_catalog_lease;
		return true;
	}
	if (!itable_register_writer(client, fact, error))
	{
		entry->lease_ms = 0;
		return !writing && error->status == TSTORE_AUTH;
	}
	if (!read_entry(entry, client, fact, error))
		return false;
	(void) is_registered(entry->catalog, &entry->lease_ms);
	return true;
}

static bool
holds(const catalogEntry *entry)
{
	return entry != NULL && entry->context != NULL && !entry->stale &&
		tstore_now_ms() - entry->asked_ms < Min(entry->lease_ms, itable_catalog_lease);
}

bool
itable_lease_holds(const itableTable *fact)
{
	return itable_catalog_lease < 0 || holds(entry_of(fact, false));
}

int64
itable_lease_left_ms(const itableTable *fact)
{
	const catalogEntry *entry;

	if (itable_catalog_lease < 0)
		return -1;
	entry = entry_of(fact, false);
	return !holds(entry) ? 0 : Min(entry->lease_ms, itable_catalog_lease) -
		(tstore_now_ms() - entry->asked_ms);
}

/* Throws what came in the way; a cancel throws by itself. */
static const itableCatalog *
must_renew(catalogEntry *entry, tstore_client *client,
		   const itableTable *fact, bool writing)
{
	tstore_error error;

	while (!renew(entry, client, fact, writing, &error))
	{
		if (error.status != TSTORE_ABORTED)
			itable_report(&error, psprintf("%s foreign table \"%s\"",
										   writing ? "write to" : "read",
										   fact->relname), NULL);
		CHECK_FOR_INTERRUPTS();
	}
	return entry->catalog;
}

const itableCatalog *
itable_catalog(tstore_client *client, const itableTable *fact, bool writing)
{
	catalogEntry *entry;

	if (itable_catalog_lease < 0)
		return &nothing;
	entry = entry_of(fact, true);
	if (holds(entry))
		return entry->catalog;
	return must_renew(entry, client, fact, writing);
}

const itableCatalog *
itable_catalog_fresh(tstore_client *client, const itableTable *fact)
{
	return must_renew(entry_of(fact, true), client, fact, true);
}

const itableCatalog *
itable_catalog_renew(tstore_client *client, const itableTable *fact,
					 tstore_error *error)
{
	catalogEntry *entry = entry_of(fact, true);

	return renew(entry, client, fact, true, error) ? entry->catalog : NULL;
}

const itableCatalog *
itable_catalog_known(const itableTable *fact)
{
	catalogEntry *entry = itable_catalog_lease < 0 ? NULL :
		entry_of(fact, false);

	return entry == NULL || entry->stale ? NULL : entry->catalog;
}

itableListed *
itable_find_listed(const itableCatalog *catalog, tmodel_span name)
{
	ListCell   *cell;

	foreach(cell, catalog->indexes)
	{
		itableListed *listed = lfirst(cell);

		if (itable_same_table(tmodel_span_of(listed->name), name))
			return listed;
	}
	return NULL;
}
