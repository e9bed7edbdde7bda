/*
 * flush.c
 *	  The conductor: takes a transaction's changes through the phases of the
 *	  index protocol, all changes together, and says what came of it.
 *
 * Order (2-protocol section 2.7): stubs, touches, commit points, settling; a
 * phase begins when the one before has ended for every change.  Until the first
 * commit point nothing is visible and any failure is clean; after it failures
 * are reported honestly (G6).  How requests travel is round.c's question, what
 * they are is model/protocol's.  Called at PRE_COMMIT and by backfill.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "model/claim.h"
#include "remote/catalog.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "table/settings.h"
#include "txn/claims.h"
#include "txn/companions.h"
#include "txn/flush.h"
#include "txn/round.h"
#include "txn/wake.h"

#define KEYS_SHOWN 5

/* Duplicates among which those keys are sought. */
#define MAX_DUPLICATES_NOTED 1000

/* A fact table written: what is maintained rests on the store's catalog. */
typedef struct flushLease
{
	netTable	net;
	struct flushLease *next;
} flushLease;

typedef struct flushRun
{
	MemoryContext context;
	tmodel_arena *arena;		/* machines */
	tmodel_arena *contents;		/* changes that are kept */
	tmodel_arena *scratch;		/* a change that is not */
	flushSite  *sites;
	char		write_id[17];	/* 16 hex digits: unique to this flush */
	int			nchanges;		/* that it has been given to */
	bool		refresh;		/* losing a race is no failure */
	flushLease *leases;
} flushRun;

/* Which keys ended how, for the report of a partial commit. */
typedef struct flushTally
{
	int			applied;
	int			pending;
	int			doubtful;
	flushItem  *failed;			/* first that failed; NULL: none */
} flushTally;

static void
begin_run(flushRun *run, MemoryContext parent)
{
	uint64		random;

	memset(run, 0, sizeof(*run));
	run->context = AllocSetContextCreate(parent, "itable_fdw flush",
										 ALLOCSET_DEFAULT_SIZES);
	run->arena = itable_arena(run->context);
	run->contents = itable_arena(run->context);
	run->scratch = itable_arena(run->context);
	if (!pg_strong_random(&random, sizeof(random)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate a write id")));
	snprintf(run->write_id, sizeof(run->write_id), "%016llx",
			 (unsigned long long) random);
}

static flushSite *
site_of(flushRun *run, tstore_client *client, Oid userid, int batch_size)
{
	flushSite  *site;

	for (site = run->sites; site != NULL; site = site->next)
		if (site->client == client && site->batch_size == batch_size)
			return site;
	site = MemoryContextAllocZero(run->context, sizeof(flushSite));
	site->client = client;
	site->userid = userid;
	site->calls = itable_calls(run->context, client);
	site->batch_size = batch_size;
	site->next = run->sites;
	run->sites = site;
	return site;
}

static bool
any_unique(const List *indexes)
{
	const ListCell *cell;

	foreach(cell, indexes)
		if (((const itableIndex *) lfirst(cell))->table->unique)
			return true;
	return false;
}

/* Room for so many items more; they are not to move in memory after that. */
static void
make_room(const flushRun *run, flushSite *site, int more)
{
	Size		bytes;

	site->max_items = site->nitems + more;
	bytes = Max(site->max_items, 1) * sizeof(flushItem);
	site->items = site->items == NULL ?
		MemoryContextAllocHuge(run->context, bytes) :
		repalloc_huge(site->items, bytes);
}

static flushItem *
add_item(flushRun *run, flushSite *site, const itableTable *table,
		 const tmodel_entity *fact, const tmodel_change *change,
		 List *indexes)
{
	flushItem  *item;

	Assert(site->nitems < site->max_items);
	item = &site->items[site->nitems++];
	memset(item, 0, sizeof(*item));
	item->table = table;
	item->partition_key = fact->partition_key;
	item->row_key = fact->row_key;
	item->change = change;
	item->indexes = indexes;
	item->has_claims = any_unique(indexes);
	item->machine = tmodel_machine_start(run->arena, change);
	itable_check_arena(run->arena);
	return item;
}

/*
 * The machine for one entity's net change; nothing for a change undone.  What
 * can be made again is kept for the first changes only, so that small
 * transactions are fast and large ones small.
 */
static void
add_change(flushRun *run, flushSite *site, const netTable *net,
		   const itableChange *row)
{
	bool		keep = !net->may_detach ||
		run->contents->allocated <= (size_t) itable_write_buffer * 1024 /
		CONTENTS_PART;
	tmodel_change *change = itable_net_change(net, row, run->nchanges++,
											  TMODEL_NEEDS_ENTRIES,
											  keep ? run->contents :
											  run->scratch);
	flushItem  *item;

	if (change == NULL)
		return;
	item = add_item(run, site, net->table, change->new_fact != NULL ?
					change->new_fact : change->old_fact, change, net->indexes);
	item->net = net;
	item->row = row;
	if (keep)
		return;
	item->header = &net->headers[change->kind];
	item->change = NULL;
	if (!tmodel_machine_detach(item->machine, item->header))
		itable_check_arena(run->arena);
	tmodel_arena_rewind(run->scratch);
}

/*
 * What is maintained, by this database's catalogs and the store's: DDL of this
 * transaction, another's that has committed, and that of other databases must be
 * seen.
 */
static flushLease *
take_lease(flushRun *run, tstore_client *client, itableTarget *target)
{
	flushLease *lease = palloc0(sizeof(flushLease));
	netTable   *net = &lease->net;
	ListCell   *cell;

	net->client = client;
	net->target = target;
	net->table = target->table;
	net->maintained = itable_to_maintain(itable_catalog(client, net->table,
														true), net->table);
	foreach(cell, net->maintained)
		net->indexes = lappend(net->indexes,
							   ((itableMaintained *) lfirst(cell))->index);
	net->write_id = tmodel_span_of(run->write_id);
	itable_net_begin(net, run->arena);
	lease->next = run->leases;
	run->leases = lease;
	return lease;
}

/* All of one table's changes. */
static void
add_target(flushRun *run, itableTarget *target)
{
	MemoryContext old = MemoryContextSwitchTo(run->context);
	tstore_client *client = itable_session(target->serverid, target->userid);
	flushLease *lease;
	flushSite  *site;

	if (target->changes == NULL)
		return;
	if (get_rel_name(target->relid) != NULL)
		target->table = itable_table_def(target->relid);
	lease = take_lease(run, client, target);
	site = site_of(run, client, target->userid, target->table->batch_size);
	make_room(run, site, target->nchanges);
	for (itableChange *change = target->changes; change != NULL;
		 change = change->next)
		add_change(run, site, &lease->net, change);
	MemoryContextSwitchTo(old);
}

static void
check_one_partition(const flushRun *run)
{
	const flushItem *first = NULL;

	if (!itable_one_partition)
		return;
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
		{
			const flushItem *item = &site->items[i];

			if (first == NULL)
				first = item;
			else if (item->table != first->table ||
					 !tmodel_span_equal(item->partition_key,
										first->partition_key))
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("the transaction writes to more than one partition"),
						 errdetail("Only a commit to one partition is atomic in the store, and itable_fdw.multi_partition_commit is \"error\"."),
						 errhint("Split the transaction, or set itable_fdw.multi_partition_commit to \"allow\".")));
		}
}

static tmodel_phase
lowest_phase(const flushRun *run)
{
	tmodel_phase lowest = TMODEL_FINISHED;

	for (flushSite *site = run->sites; site != NULL; site = site->next)
		lowest = Min(lowest, itable_lowest_phase(site));
	return lowest;
}

/* Did a claim stand in the way? */
static bool
was_refused(const flushItem *item)
{
	const tmodel_index_change *index;

	return tmodel_machine_refused(item->machine, &index) != NULL;
}

static void
take_tally(const flushRun *run, flushTally *tally)
{
	memset(tally, 0, sizeof(*tally));
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
		{
			flushItem  *item = &site->items[i];

			switch (tmodel_machine_verdict(item->machine))
			{
				case TMODEL_PENDING:
					tally->pending++;
					break;
				case TMODEL_COMMITTED:
					tally->applied++;
					break;
				case TMODEL_DOUBTFUL:
					tally->doubtful++;
					break;
				case TMODEL_LOST_RACE:
					if (run->refresh && !was_refused(item))
						break;
					/* FALLTHROUGH */
				default:
					if (tally->failed == NULL)
						tally->failed = item;
					break;
			}
		}
}

static void
for_all_machines(const flushRun *run, void (*act) (tmodel_machine *machine))
{
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
			act(site->items[i].machine);
}

/* One key's columns as "(genre, name)=(Action, Heat)" pieces. */
static void
append_key(StringInfo names, StringInfo values, int n,
		   itableColumn *const *columns, const tmodel_key_type *types,
		   tmodel_key_encoding encoding, tmodel_span key, tmodel_arena *arena)
{
	tmodel_value *parts = palloc0(sizeof(tmodel_value) * n);
	bool		ok = tmodel_key_decode(arena, encoding, n, types, key,
									   parts) == TMODEL_KEY_OK;

	for (int i = 0; i < n; i++)
	{
		tmodel_buf	text;

		tmodel_buf_init(&text, arena);
		if (ok)
			tmodel_value_print(&text, &parts[i]);
		else
			tmodel_buf_span(&text, key);
		appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "",
						 columns[i]->attname);
		appendStringInfo(values, "%s%s", values->len > 0 ? ", " : "",
						 itable_cstring(tmodel_buf_text(&text)));
	}
}

static char *
key_text(const flushRun *run, const flushItem *item)
{
	const itableTable *table = item->table;
	StringInfoData names;
	StringInfoData values;

	initStringInfo(&names);
	initStringInfo(&values);
	append_key(&names, &values, table->npartition, table->partition,
			   table->partition_types, table->encoding, item->partition_key,
			   run->arena);
	append_key(&names, &values, table->nrow, table->row, table->row_types,
			   table->encoding, item->row_key, run->arena);
	return psprintf("(%s)=(%s)", names.data, values.data);
}

/* "3 applied: (genre, name)=(...), ...": up to KEYS_SHOWN keys. */
static void
append_keys(const flushRun *run, StringInfo text, const char *label,
			bool (*belongs) (tmodel_verdict verdict))
{
	int			n = 0;
	StringInfoData keys;

	initStringInfo(&keys);
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
			if (belongs(tmodel_machine_verdict(site->items[i].machine)) &&
				n++ < KEYS_SHOWN)
				appendStringInfo(&keys, "%s%s", n > 1 ? ", " : "",
								 key_text(run, &site->items[i]));
	if (n > 0)
		appendStringInfo(text, "%s%s: %d: %s%s.", text->len > 0 ? "\n" : "",
						 label, n, keys.data, n > KEYS_SHOWN ? ", ..." : "");
}

static bool
is_applied(tmodel_verdict verdict)
{
	return verdict == TMODEL_COMMITTED;
}

static bool
is_doubtful(tmodel_verdict verdict)
{
	return verdict == TMODEL_DOUBTFUL;
}

static bool
is_not_applied(tmodel_verdict verdict)
{
	return verdict != TMODEL_COMMITTED && verdict != TMODEL_DOUBTFUL;
}

/* The first refusal any change met, for the report. */
static const tstore_error *
first_error(const flushRun *run)
{
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
			if (site->items[i].error != NULL &&
				!is_applied(tmodel_machine_verdict(site->items[i].machine)))
				return site->items[i].error;
	return NULL;
}

/* Something is visible, or may be: 08007 and the keys. */
static void
report_partial(const flushRun *run)
{
	const tstore_error *cause = first_error(run);
	StringInfoData detail;

	initStringInfo(&detail);
	append_keys(run, &detail, "Applied", is_applied);
	append_keys(run, &detail, "Not applied", is_not_applied);
	append_keys(run, &detail, "Unknown", is_doubtful);
	if (cause != NULL)
		appendStringInfo(&detail, "\nCause: %s", itable_error_detail(cause));
	itable_report_partial(detail.data);
}

/* Nothing is visible: the error of the first change that failed. */
static void
report_clean(const flushRun *run, const flushItem *item)
{
	tstore_error error = {0};

	if (item->error != NULL)
		error = *item->error;
	/* at most a stub or an entry that is not verified, which nobody sees */
	error.maybe_applied = false;
	itable_claims_report(item, run->arena);
	switch (tmodel_machine_verdict(item->machine))
	{
		case TMODEL_DUPLICATE:
			ereport(ERROR,
					(errcode(ERRCODE_UNIQUE_VIOLATION),
					 errmsg("duplicate key in foreign table \"%s\"",
							item->table->relname),
					 errdetail("Key %s already exists.", key_text(run, item))));
			break;
		case TMODEL_LOST_RACE:
			itable_report_conflict(item->table->relname, key_text(run, item));
			break;
		default:
			if (error.status == TSTORE_EXISTS)
				ereport(ERROR,
						(errcode(ERRCODE_UNIQUE_VIOLATION),
						 errmsg("duplicate key in foreign table \"%s\"",
								item->table->relname)));
			itable_report(&error,
						  psprintf("write to foreign table \"%s\"",
								   item->table->relname),
						  item->table->relname);
	}
}

/* One round on every site; INTERRUPTED when a cancel came between. */
static roundResult
run_sites(flushRun *run, tmodel_phase phase, const roundScope *scope)
{
	roundResult all = ROUND_NOTHING;

	for (flushSite *site = run->sites; site != NULL; site = site->next)
	{
		roundResult result = itable_round(site, phase, scope, run->arena);

		if (result == ROUND_INTERRUPTED)
			return result;
		if (result == ROUND_DONE)
			all = result;
		if (result == ROUND_DONE && scope->first_only)
			break;
	}
	return all;
}

/* May commit points still be sent? */
static bool
leases_hold(void *ctx)
{
	for (flushLease *lease = ((flushRun *) ctx)->leases; lease != NULL;
		 lease = lease->next)
		if (!itable_lease_holds(lease->net.table))
			return false;
	return true;
}

/* So that a commit point is sent at all, however short the lease. */
#define LEAST_LEFT_MS 100

/* For how long commit points may be sent; -1: for ever. */
static int64
lease_left_ms(const flushRun *run)
{
	int64		left_ms = -1;

	for (flushLease *lease = run->leases; lease != NULL; lease = lease->next)
	{
		int64		left = itable_lease_left_ms(lease->net.table);

		if (left >= 0 && (left_ms < 0 || left < left_ms))
			left_ms = left;
	}
	return left_ms < 0 ? left_ms : Max(left_ms, LEAST_LEFT_MS);
}

/*
 * A round of one phase; true when a cancel came between.  Facts are deleted
 * after all others have been written: an UPDATE of a key writes the row anew in
 * another place, and must find that it cannot before the old one is gone.
 */
static bool
run_phase(flushRun *run, tmodel_phase phase, bool first_only)
{
	roundScope	scope = {.first_only = first_only};
	roundResult result;

	scope.no_deletes = phase == TMODEL_COMMIT;
	if (phase == TMODEL_COMMIT)
	{
		scope.may_start = leases_hold;
		scope.ctx = run;
		scope.left_ms = lease_left_ms(run);
	}
	if (phase == TMODEL_CLAIM)
		scope.only = itable_claims_turn(run->sites);
	result = run_sites(run, phase, &scope);
	if (result == ROUND_NOTHING && scope.no_deletes)
	{
		scope.no_deletes = false;
		result = run_sites(run, phase, &scope);
	}
	return result == ROUND_INTERRUPTED;
}

/* Is the store gone?  Then settling would only wait for time-outs. */
static bool
store_is_gone(const flushRun *run)
{
	for (flushSite *site = run->sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
			switch (itable_item_status(&site->items[i]))
			{
				case TSTORE_CONNECT:
				case TSTORE_TIMEOUT:
				case TSTORE_LOST:
				case TSTORE_THROTTLED:
				case TSTORE_TLS:
				case TSTORE_AUTH:
					return true;
				default:
					break;
			}
	return false;
}

/* Verifications, deletes, undoing: best effort, ended by any trouble. */
static void
settle(flushRun *run)
{
	while (lowest_phase(run) == TMODEL_SETTLE)
		if (store_is_gone(run) || run_phase(run, TMODEL_SETTLE, false))
			for_all_machines(run, tmodel_machine_stop);
}

/* A failure was met: undo what can be undone and throw. */
static void
fail(flushRun *run, const flushTally *before)
{
	flushItem  *failed = before->failed;
	tstore_error cause = {0};
	flushTally	tally;

	/* an unanswered commit point turns doubtful here */
	for_all_machines(run, tmodel_machine_abandon);
	if (failed != NULL && failed->error != NULL)
		cause = *failed->error;
	settle(run);
	/* what undoing met is not why */
	if (failed != NULL && failed->error != NULL)
		*failed->error = cause;
	take_tally(run, &tally);
	if (tally.applied > 0 || tally.doubtful > 0)
		report_partial(run);
	report_clean(run, before->failed);
}

/* A cancel before the first commit point is clean, after it is a report. */
static void
interrupted(flushRun *run)
{
	flushTally	tally;

	for_all_machines(run, tmodel_machine_abandon);
	take_tally(run, &tally);
	if (tally.applied > 0 || tally.doubtful > 0)
		report_partial(run);
	CHECK_FOR_INTERRUPTS();
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 errmsg("the commit was interrupted")));
}

/* Commit points must not be sent: undo what can be undone and throw. */
static void
fail_lease(flushRun *run, const flushLease *lease, const char *moved,
		   const tstore_error *error)
{
	flushTally	tally;

	for_all_machines(run, tmodel_machine_abandon);
	if (moved != NULL)
		settle(run);
	take_tally(run, &tally);
	if (tally.applied > 0 || tally.doubtful > 0)
		report_partial(run);
	if (moved != NULL)
		itable_report_index_moved(lease->net.table->relname, moved,
								  itable_state_name(itable_find_listed(
								  itable_catalog_known(lease->net.table),
								  tmodel_span_of(moved))->state));
	CHECK_FOR_INTERRUPTS();
	itable_report(error, psprintf("write to foreign table \"%s\"",
								  lease->net.table->relname), NULL);
}

/*
 * Commit points rest on a catalog no older than a lease.  One that ran out
 * during the flush is renewed; if an index has moved on that the touches did not
 * take into account, nothing may be committed.
 */
static void
keep_leases(flushRun *run)
{
	for (flushLease *lease = run->leases; lease != NULL; lease = lease->next)
	{
		const itableCatalog *catalog;
		const char *moved;
		tstore_error error;

		if (itable_lease_holds(lease->net.table))
			continue;
		catalog = itable_catalog_renew(lease->net.client, lease->net.table, &error);
		if (catalog == NULL)
			fail_lease(run, lease, NULL, &error);
		moved = itable_moved_index(catalog, lease->net.maintained);
		if (moved != NULL)
			fail_lease(run, lease, moved, NULL);
	}
}

static void
drive(flushRun *run)
{
	tmodel_phase phase;
	flushTally	tally = {0};

	while ((phase = lowest_phase(run)) < TMODEL_SETTLE)
	{
		bool		first_only = phase == TMODEL_COMMIT && tally.applied == 0 &&
		!run->refresh;

		if (phase == TMODEL_COMMIT)
			keep_leases(run);
		if (run_phase(run, phase, first_only))
			interrupted(run);
		if (phase == TMODEL_COMMIT)
			for_all_machines(run, tmodel_machine_resume);
		take_tally(run, &tally);
		if (tally.failed != NULL || tally.doubtful > 0)
			fail(run, &tally);
	}
	settle(run);
}

void
itable_flush(void)
{
	flushRun	run;

	AcceptInvalidationMessages();
	begin_run(&run, itable_buffer_context());
	for (itableTarget *target = itable_targets(); target != NULL;
		 target = target->next)
		add_target(&run, target);
	check_one_partition(&run);
	itable_claims_prepare(run.sites, run.arena);
	drive(&run);
	itable_wake(run.sites, run.arena);
	MemoryContextDelete(run.context);
}

/* Notes a key that is to be shown, once. */
static void
note_key(itableRefresh *result, char *key)
{
	ListCell   *cell;

	foreach(cell, result->keys)
		if (strcmp(lfirst(cell), key) == 0)
			return;
	if (list_length(result->keys) < KEYS_SHOWN)
		result->keys = lappend(result->keys, key);
}

/* Facts whose keys of a unique index others have. */
static void
note_duplicates(const flushRun *run, const flushSite *site,
				itableRefresh *result)
{
	MemoryContext old = CurrentMemoryContext;

	if (result->context != NULL)
		MemoryContextSwitchTo(result->context);
	for (int i = 0; i < site->nitems; i++)
		if (was_refused(&site->items[i]) &&
			result->duplicates++ < MAX_DUPLICATES_NOTED)
			note_key(result, itable_refused_text(&site->items[i],
												 run->arena));
	MemoryContextSwitchTo(old);
}

void
itable_flush_refresh(tstore_client *client, itableIndex *index, int nfacts,
					 const tmodel_entity *facts, itableRefresh *result)
{
	flushRun	run;
	flushSite  *site;
	itableMaintained one = {.index = index,.may_verify = true};
	List	   *maintained = list_make1(&one);
	List	   *indexes = list_make1(index);
	flushTally	tally;

	begin_run(&run, CurrentMemoryContext);
	run.refresh = true;
	site = site_of(&run, client, GetUserId(), index->fact->batch_size);
	make_room(&run, site, nfacts);
	for (int i = 0; i < nfacts; i++)
	{
		tmodel_change *change = tmodel_alloc(run.arena, sizeof(tmodel_change));

		itable_check_arena(run.arena);
		if (tmodel_entity_is_stub(&facts[i]))
			continue;
		change->kind = TMODEL_CHANGE_REFRESH;
		change->table = index->fact->name;
		change->old_fact = &facts[i];
		change->indexed = true;
		itable_net_indexes(run.arena, maintained, &facts[i], &facts[i], true,
						   change);
		change->write_id = tmodel_span_of(run.write_id);
		itable_add_companions(run.arena, client, indexes, run.nchanges++,
							  change);
		result->entries += change->ncompanions;
		for (int j = 0; j < change->nindexes; j++)
			result->entries += change->indexes[j].new_entries.n;
		add_item(&run, site, index->fact, &facts[i], change, indexes);
	}
	drive(&run);
	take_tally(&run, &tally);
	note_duplicates(&run, site, result);
	result->facts += tally.applied;
	result->lost += site->nitems - tally.applied;
	MemoryContextDelete(run.context);
}
