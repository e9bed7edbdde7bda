/*
 * check.c
 *	  itable_check_index and itable_repair_index: what is wrong with an index
 *	  table, and mending it.
 *
 * check_sort.c finds suspects by comparing two scans, check_confirm.c tells
 * which of them are wrong; here they are shown, or handed to the writers of
 * txn/.  Both see the store, not what this transaction has yet to commit.
 * Easy to break: an entry of a pointer index whose fact is gone has no sign of
 * age (its fact's DELETE does not touch it), so it must be watched for a while
 * before it may be called a problem.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "exec/check_confirm.h"
#include "exec/index_ddl.h"
#include "exec/queue.h"
#include "model/section.h"
#include "remote/catalog.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "table/settings.h"
#include "txn/flush.h"
#include "txn/repair.h"

PG_FUNCTION_INFO_V1(itable_check_index);
PG_FUNCTION_INFO_V1(itable_repair_index);

/* Suspects confirmed, or mended, together. */
#define CASES_PER_ROUND 64

/* Entries watched at a time, which bounds their memory. */
#define MAX_WATCHED 20000

/* The first look at watched entries; each further wait is longer. */
#define FIRST_WATCH_MS 50

/* How often mending may make no progress. */
#define MAX_MEND_FAILURES 8

typedef struct watchedEntry
{
	itableSuspect suspect;
	tmodel_span etag;
} watchedEntry;

typedef struct checkRun
{
	itableIndex *index;
	tstore_client *client;
	ReturnSetInfo *result;		/* NULL: repair */
	MemoryContext round;		/* of one list of cases */
	checkReads	reads;
	checkCase	cases[CASES_PER_ROUND];
	MemoryContext watch_context;
	tmodel_arena *watch_arena;
	int64		duplicates;		/* met by a repair */
	int			nwatched;
	watchedEntry *watched;
	TimestampTz watched_since;	/* of the last one */
} checkRun;

/* What waits in the queue looks like a problem, and is none yet. */
static void
note_backlog(const itableTable *index)
{
	int64		backlog = itable_queue_backlog(index);

	if (backlog > 0)
		ereport(NOTICE,
				(errmsg("index table \"%s\" has %lld queued changes to take, whose entries may be shown",
						index->relname, (long long) backlog),
				 errhint("SELECT itable_process_queue(...) first.")));
}

/*
 * While an index is only registered some writer may not know it yet, and change
 * a fact behind an entry that was verified here.
 */
static void
check_writers_know(const checkRun *run)
{
	const itableCatalog *catalog = itable_catalog(run->client,
												  run->index->fact, false);
	const itableListed *listed = itable_find_listed(catalog,
													run->index->table->name);

	if (listed != NULL && listed->state == ITABLE_REGISTERED)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index table \"%s\" is still \"registered\"",
						run->index->table->relname),
				 errhint("CALL itable_build_index() to build it.")));
}

static void
begin_run(checkRun *run, Oid index, ReturnSetInfo *result)
{
	Oid			base = itable_base_of(index);
	itableTable *table = itable_table_def(index);

	memset(run, 0, sizeof(*run));
	if (!OidIsValid(base))
		(void) itable_fact_relid(table, false);
	LockRelationOid(base, AccessShareLock);
	LockRelationOid(index, AccessShareLock);
	run->index = itable_index_def(table, itable_fact_of(table));
	run->client = itable_session(table->serverid, GetUserId());
	itable_notice_readable(run->client, run->index->fact);
	if (result == NULL)
		check_writers_know(run);
	if (!itable_may_plan(run->index))
		ereport(NOTICE,
				(errmsg("index table \"%s\" is not readable: entries may be on their way",
						table->relname)));
	note_backlog(table);
	run->result = result;
	run->round = AllocSetContextCreate(CurrentMemoryContext,
									   "itable_fdw check round",
									   ALLOCSET_DEFAULT_SIZES);
	run->watch_context = AllocSetContextCreate(CurrentMemoryContext,
											   "itable_fdw watched entries",
											   ALLOCSET_DEFAULT_SIZES);
	run->watch_arena = itable_arena(run->watch_context);
	run->watched = palloc_extended(sizeof(watchedEntry) * MAX_WATCHED,
								   MCXT_ALLOC_HUGE);
	run->reads.index = run->index;
	run->reads.client = run->client;
}

/* Memory for a new list of cases; returns the context to go back to. */
static MemoryContext
begin_round(checkRun *run)
{
	MemoryContext old;

	MemoryContextReset(run->round);
	old = MemoryContextSwitchTo(run->round);
	run->reads.arena = itable_arena(run->round);
	run->reads.calls = itable_calls(run->round, run->client);
	return old;
}

/* ---- showing ---- */

/* A key as SQL text, components joined by ", "; as it is when it does not read. */
static Datum
key_text(tmodel_arena *arena, const itableTable *table, bool partition,
		 tmodel_span key)
{
	int			n = partition ? table->npartition_parts : table->nrow;
	int			ncolumns = partition ? table->npartition : table->nrow;
	itableColumn **columns = partition ? table->partition : table->row;
	tmodel_value *values = palloc0(sizeof(tmodel_value) * n);
	StringInfoData text;

	if (!partition)
		key = tmodel_section_strip(table->section, key);
	if (tmodel_key_is_shortened(key) ||
		tmodel_key_decode(arena, table->encoding, n,
						  partition ? table->partition_types : table->row_types,
						  key, values) != TMODEL_KEY_OK)
	{
		itable_check_arena(arena);
		return CStringGetTextDatum(pg_any_to_server(itable_cstring(key),
													key.len, PG_UTF8));
	}
	initStringInfo(&text);
	for (int i = 0; i < n; i++)
	{
		bool		isnull;

		if (i > 0)
			appendStringInfoString(&text, ", ");
		if (i < ncolumns)
		{
			/* the store's key may break the domain, and be shown all the same */
			itableColumn column = *columns[i];
			Datum		datum;

			column.type = column.base_type;
			datum = itable_from_value(arena, &column, &values[i], &isnull);
			appendStringInfoString(&text, OutputFunctionCall(&column.output,
															 datum));
		}
		else
			appendStringInfo(&text, "%d", values[i].u.int32);
	}
	return CStringGetTextDatum(text.data);
}

static const char *
problem_name(checkProblem problem)
{
	switch (problem)
	{
		case CHECK_MISSING:
			return "missing";
		case CHECK_DANGLING:
			return "dangling";
		case CHECK_CONTRADICTING:
			return "contradicting";
		case CHECK_UNVERIFIED:
			return "unverified";
		case CHECK_DUPLICATE:
			return "duplicate owner";
		case CHECK_OPEN:
		case CHECK_NONE:
			break;
	}
	return NULL;
}

static void
show(checkRun *run, const checkCase *it)
{
	const itableSuspect *suspect = &it->suspect;
	const itableTable *table = run->index->table;
	const itableTable *fact = run->index->fact;
	tmodel_arena *arena = run->reads.arena;
	Datum		values[6];
	bool		nulls[6] = {false};

	values[0] = CStringGetTextDatum(problem_name(it->problem));
	values[1] = key_text(arena, table, true, suspect->partition_key);
	values[2] = key_text(arena, table, false, suspect->row_key);
	nulls[3] = nulls[4] = !suspect->has_fact;
	if (suspect->has_fact)
	{
		values[3] = key_text(arena, fact, true, suspect->fact_partition_key);
		values[4] = key_text(arena, fact, false, suspect->fact_row_key);
	}
	values[5] = CStringGetTextDatum(it->detail);
	tuplestore_putvalues(run->result->setResult, run->result->setDesc, values,
						 nulls);
}

/* ---- watching ---- */

static itableSuspect
copy_suspect(tmodel_arena *arena, const itableSuspect *suspect)
{
	itableSuspect copy = *suspect;

	copy.partition_key = tmodel_span_copy(arena, suspect->partition_key);
	copy.row_key = tmodel_span_copy(arena, suspect->row_key);
	copy.fact_partition_key = tmodel_span_copy(arena,
											   suspect->fact_partition_key);
	copy.fact_row_key = tmodel_span_copy(arena, suspect->fact_row_key);
	itable_check_arena(arena);
	return copy;
}

/* May a DELETE of the fact be about to delete the entry, old as it is? */
static bool
needs_watch(const checkRun *run, const checkCase *it)
{
	return it->problem == CHECK_DANGLING && it->fact == NULL &&
		it->suspect.has_fact && itable_repair_age > 0 &&
		!run->index->covering && !tmodel_entity_is_verified(it->entry);
}

static void
watch(checkRun *run, const checkCase *it)
{
	watchedEntry *entry = &run->watched[run->nwatched++];

	entry->suspect = copy_suspect(run->watch_arena, &it->suspect);
	entry->etag = tmodel_span_copy(run->watch_arena, it->entry->etag);
	itable_check_arena(run->watch_arena);
	run->watched_since = GetCurrentTimestamp();
}

static void
wait_ms(long ms)
{
	TimestampTz until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);

	while ((ms = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												 until)) > 0)
	{
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Keeps those watched entries that still stand; shows them at the end. */
static void
look_again(checkRun *run, bool show_them)
{
	int			kept = 0;

	for (int from = 0; from < run->nwatched; from += CASES_PER_ROUND)
	{
		int			n = Min(run->nwatched - from, CASES_PER_ROUND);
		MemoryContext old = begin_round(run);

		for (int i = 0; i < n; i++)
			run->cases[i].suspect = run->watched[from + i].suspect;
		itable_check_confirm(&run->reads, n, run->cases);
		for (int i = 0; i < n; i++)
		{
			const checkCase *it = &run->cases[i];

			if (!needs_watch(run, it) ||
				!tmodel_span_equal(it->entry->etag,
								   run->watched[from + i].etag))
				continue;
			if (show_them)
				show(run, it);
			run->watched[kept++] = run->watched[from + i];
		}
		MemoryContextSwitchTo(old);
	}
	run->nwatched = kept;
}

/*
 * Shows the watched entries that stand unchanged for itable_fdw.repair_age.  A
 * writer under way ends the wait of its entries much earlier.
 */
static void
end_watch(checkRun *run)
{
	TimestampTz until = TimestampTzPlusMilliseconds(run->watched_since,
													itable_repair_age);
	long		ms = FIRST_WATCH_MS;

	while (run->nwatched > 0)
	{
		long		left = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
														   until);

		wait_ms(Min(ms, left));
		look_again(run, ms >= left);
		if (ms >= left)
			break;
		ms *= 4;
	}
	run->nwatched = 0;
	MemoryContextReset(run->watch_context);
	run->watch_arena = itable_arena(run->watch_context);
}

/* ---- mending ---- */

/* Is the fact that of one of the cases before? */
static bool
fact_was_met(const checkRun *run, int n)
{
	const tmodel_entity *fact = run->cases[n].fact;

	for (int i = 0; i < n && fact != NULL; i++)
	{
		const tmodel_entity *other = run->cases[i].fact;

		if (other != NULL &&
			tmodel_span_equal(other->row_key, fact->row_key) &&
			tmodel_span_equal(other->partition_key, fact->partition_key))
			return true;
	}
	return false;
}

/*
 * One problem of each fact: refreshing the fact mends all that it justifies,
 * and any mending changes its ETag, so that the rest must be read anew.
 */
static void
mend(checkRun *run, int n)
{
	tmodel_entity *facts = palloc(sizeof(tmodel_entity) * n);
	itableMend *entries = palloc(sizeof(itableMend) * n);
	itableRefresh result = {0};
	tstore_error error;
	int			nfacts = 0;
	int			nentries = 0;

	for (int i = 0; i < n; i++)
	{
		const checkCase *it = &run->cases[i];

		if (fact_was_met(run, i))
			continue;
		if (it->problem == CHECK_DANGLING)
		{
			entries[nentries].entry = it->entry;
			entries[nentries++].fact = it->fact;
		}
		else
			facts[nfacts++] = *it->fact;
	}
	if (nfacts > 0)
		itable_flush_refresh(run->client, run->index, nfacts, facts, &result);
	if (nentries > 0 &&
		!itable_mend(run->client, run->index, nentries, entries,
					 run->reads.arena, &error))
	{
		CHECK_FOR_INTERRUPTS();
		if (error.status != TSTORE_OK)
			itable_report(&error, psprintf("repair index table \"%s\"",
										   run->index->table->relname),
						  run->index->table->relname);
	}
}

/*
 * Leaves the cases that are problems, a repair those that it can mend; returns
 * how many.
 */
static int
confirm(checkRun *run, int n)
{
	int			kept = 0;

	itable_check_confirm(&run->reads, n, run->cases);
	for (int i = 0; i < n; i++)
	{
		if (run->result == NULL && run->cases[i].problem == CHECK_DUPLICATE)
			run->duplicates++;
		else if (run->cases[i].problem != CHECK_NONE)
			run->cases[kept++] = run->cases[i];
	}
	return kept;
}

/* Until nothing is left, or only what others change faster. */
static void
mend_all(checkRun *run, int n)
{
	int			failures = 0;

	while (n > 0 && failures < MAX_MEND_FAILURES)
	{
		int			before = n;

		mend(run, n);
		/* what was just touched is young */
		run->reads.any_age = true;
		n = confirm(run, n);
		if (n >= before)
			failures++;
	}
	run->reads.any_age = false;
	if (n > 0)
		ereport(WARNING,
				(errmsg("%d entries of index table \"%s\" could not be mended",
						n, run->index->table->relname),
				 errhint("Others are changing them all the while, or the store refuses it. CALL itable_repair_index again.")));
}

/* ---- both ---- */

/* Takes up to CASES_PER_ROUND suspects; returns how many. */
static int
take_suspects(checkRun *run, itableCheckSort *sort)
{
	itableSuspect suspect;
	int			n = 0;

	while (n < CASES_PER_ROUND && itable_check_sort_next(sort, &suspect))
		run->cases[n++].suspect = copy_suspect(run->reads.arena, &suspect);
	return n;
}

static void
show_all(checkRun *run, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (!needs_watch(run, &run->cases[i]))
			show(run, &run->cases[i]);
		else
			watch(run, &run->cases[i]);
	}
}

static void
check(Oid index, ReturnSetInfo *result)
{
	checkRun   *run = palloc(sizeof(checkRun));
	itableCheckSort *sort;
	int			n;

	begin_run(run, index, result);
	sort = itable_check_sort(CurrentMemoryContext, run->index, run->client);
	do
	{
		MemoryContext old = begin_round(run);
		int			nproblems;

		n = take_suspects(run, sort);
		nproblems = confirm(run, n);
		if (result == NULL)
			mend_all(run, nproblems);
		else
			show_all(run, nproblems);
		MemoryContextSwitchTo(old);
		if (run->nwatched > MAX_WATCHED - CASES_PER_ROUND)
			end_watch(run);
	} while (n > 0);
	end_watch(run);
	itable_check_sort_end(sort);
	if (run->duplicates > 0)
		ereport(WARNING,
				(errmsg_plural("%lld row has a key of unique index \"%s\" that another row has",
							   "%lld rows have a key of unique index \"%s\" that another row has",
							   run->duplicates, (long long) run->duplicates,
							   run->index->table->relname),
				 errhint("itable_check_index lists them; change or delete them.")));
}

Datum
itable_check_index(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	check(PG_GETARG_OID(0), (ReturnSetInfo *) fcinfo->resultinfo);
	return (Datum) 0;
}

Datum
itable_repair_index(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("parameter \"%s\" must not be null", "index")));
	check(PG_GETARG_OID(0), NULL);
	PG_RETURN_VOID();
}
