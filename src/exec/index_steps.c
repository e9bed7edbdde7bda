/*
 * index_steps.c
 *	  The states of an index, one after the other.
 *
 * A step is one conditional update in the store's catalog, then a wait: for
 * transactions of this database by their locks, for other databases that write
 * the table by time, two of their leases.  They cannot tell us that they know,
 * because each of their backends has a lease of its own.
 *
 * Easy to break: the steps to wait after are those whose next step would be
 * wrong for a transaction that has not noticed.  After REGISTERED: somebody may
 * still write without touching.  After DEPRECATED: somebody may still look
 * things up.  After DROPPING: somebody may still touch, and must find the table.
 */
#include "postgres.h"

#include "access/xact.h"
#include "commands/progress.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "utils/backend_progress.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "exec/backfill.h"
#include "exec/index_steps.h"
#include "exec/section_clear.h"
#include "exec/store_table.h"
#include "remote/catalog.h"
#include "remote/session.h"
#include "table/settings.h"

/* An index at hand, with what the store's catalog says now. */
typedef struct indexWork
{
	itableIndex *index;
	tstore_client *client;
	itableListed *listed;		/* NULL: not in the catalog */
} indexWork;

void
itable_run_statement(const char *statement)
{
	int			code = SPI_execute(statement, false, 0);

	if (code < 0)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(code));
}

char *
itable_qualified_name(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}

void
itable_set_state(Oid index, const char *state)
{
	bool		has_state = itable_table_def(index)->has_state;

	if (state == NULL && !has_state)
		return;
	itable_run_statement(psprintf("ALTER FOREIGN TABLE %s OPTIONS (%s state %s)",
								  itable_qualified_name(index),
								  state == NULL ? "DROP" :
								  has_state ? "SET" : "ADD",
								  state == NULL ? "" :
								  quote_literal_cstr(state)));
}

void
itable_index_changed(Oid base)
{
	itableTable *fact = itable_table_def(base);
	ListCell   *cell;

	foreach(cell, itable_relations_of(fact->serverid, fact->name))
		CacheInvalidateRelcacheByRelid(lfirst_oid(cell));
}

static bool
uses_catalog(void)
{
	return itable_catalog_lease >= 0;
}

/* After every commit anew. */
static void
look(indexWork *work, Oid base, Oid index)
{
	work->index = itable_index_def(itable_table_def(index),
								   itable_table_def(base));
	work->client = itable_session(work->index->table->serverid, GetUserId());
	work->listed = !uses_catalog() ? NULL :
		itable_find_listed(itable_catalog_fresh(work->client,
												work->index->fact),
						   work->index->table->name);
}

static void
other_session(const indexWork *work)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_IN_USE),
			 errmsg("another session is building or dropping index table \"%s\"",
					work->index->table->relname),
			 errhint("If it has ended since, CALL itable_build_index or itable_drop_index again.")));
}

static void
step(indexWork *work, itableIndexState state)
{
	if (!itable_catalog_step(work->client, work->index->fact, work->listed,
							 state))
		other_session(work);
}

/* ---- waiting ---- */

/* Transactions of this database that began before: writers, or also readers. */
static void
wait_here(Oid base, Oid index, bool readers)
{
	itableTable *fact = itable_table_def(base);
	List	   *relids = itable_relations_of(fact->serverid, fact->name);
	List	   *tags = NIL;
	ListCell   *cell;

	foreach(cell, lappend_oid(relids, index))
	{
		LOCKTAG    *tag = palloc(sizeof(LOCKTAG));

		SET_LOCKTAG_RELATION(*tag, MyDatabaseId, lfirst_oid(cell));
		tags = lappend(tags, tag);
	}
	WaitForLockersMultiple(tags, readers ? AccessExclusiveLock : ShareLock,
						   true);
}

/* Other databases: until whoever is registered now must have noticed. */
static void
wait_elsewhere(Oid base, Oid index, TimestampTz since)
{
	indexWork	work;
	int64		wait_ms;

	look(&work, base, index);
	if (!uses_catalog())
		return;
	wait_ms = itable_others_wait_ms(itable_catalog_known(work.index->fact));
	while (wait_ms > 0)
	{
		int64		left = wait_ms -
		(GetCurrentTimestamp() - since) / 1000;

		if (left <= 0)
			return;
		CHECK_FOR_INTERRUPTS();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 Min(left, 100), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
}

/* Commits what was done in this database, then waits for everybody. */
static void
commit_and_wait(Oid base, Oid index, bool readers)
{
	TimestampTz since = GetCurrentTimestamp();

	itable_index_changed(base);
	SPI_commit();
	pgstat_progress_update_param(PROGRESS_CREATEIDX_PHASE,
								 PROGRESS_CREATEIDX_PHASE_WAIT_1);
	wait_here(base, index, readers);
	wait_elsewhere(base, index, since);
}

/* ---- building ---- */

/* Shows in pg_stat_progress_create_index; ends by itself after an error. */
static void
begin_progress(Oid base, Oid index)
{
	const int	params[] = {
		PROGRESS_CREATEIDX_COMMAND,
		PROGRESS_CREATEIDX_INDEX_OID,
		PROGRESS_CREATEIDX_TUPLES_TOTAL
	};
	const int64 values[] = {
		PROGRESS_CREATEIDX_COMMAND_CREATE_CONCURRENTLY,
		index,
		(int64) itable_tuples_of(base)
	};

	pgstat_progress_start_command(PROGRESS_COMMAND_CREATE_INDEX, base);
	pgstat_progress_update_multi_param(lengthof(params), params, values);
}

static void
check_not_dropping(const indexWork *work)
{
	if (work->listed != NULL && (work->listed->state == ITABLE_DEPRECATED ||
								 work->listed->state == ITABLE_DROPPING))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index table \"%s\" is being dropped",
						work->index->table->relname),
				 errhint("CALL itable_drop_index('%s'); goes on with it.",
						 work->index->table->relname)));
}

void
itable_steps_check_build(Oid base, Oid index)
{
	indexWork	work;

	look(&work, base, index);
	check_not_dropping(&work);
}

/* Lists the index, or checks that it may be built from where it is. */
static void
enlist(indexWork *work, Oid base, Oid index)
{
	if (!uses_catalog())
		return;
	if (work->listed == NULL || work->listed->state == ITABLE_DROPPED)
	{
		if (!itable_catalog_add(work->client, work->index, work->listed))
			other_session(work);
		look(work, base, index);
	}
	if (work->listed == NULL)
		other_session(work);
	check_not_dropping(work);
	/* throws when it is declared otherwise */
	(void) itable_to_maintain(itable_catalog_known(work->index->fact),
							  work->index->fact);
}

/*
 * Entries of a colocated index are believed as they are.  Those written before
 * every database knew the index may have lost their facts since.
 */
static bool
may_have_ghosts(const indexWork *work)
{
	return work->index->table->colocated && work->listed != NULL &&
		work->listed->state == ITABLE_BUILDING &&
		!work->listed->has_cursor &&
		itable_others_wait_ms(itable_catalog_known(work->index->fact)) > 0;
}

/* Fills the index in this transaction. */
static void
fill(Oid base, Oid index)
{
	indexWork	work;

	/* one builder at a time in this database; others meet in the catalog */
	LockRelationOid(index, ShareUpdateExclusiveLock);
	look(&work, base, index);
	if (uses_catalog() && work.listed == NULL)
		other_session(&work);
	if (work.listed != NULL && work.listed->state == ITABLE_REGISTERED)
		step(&work, ITABLE_BUILDING);
	pgstat_progress_update_param(PROGRESS_CREATEIDX_PHASE,
								 PROGRESS_CREATEIDX_PHASE_BUILD);
	if (may_have_ghosts(&work))
		itable_section_clear(work.index);
	if (!itable_backfill(work.index, work.client,
						 work.listed != NULL &&
						 work.listed->state == ITABLE_BUILDING ?
						 work.listed : NULL))
		other_session(&work);
	if (work.listed != NULL && work.listed->state == ITABLE_BUILDING)
	{
		work.listed->has_cursor = false;
		step(&work, ITABLE_READABLE);
	}
}

void
itable_steps_build(Oid base, Oid index)
{
	indexWork	work;

	begin_progress(base, index);
	look(&work, base, index);
	enlist(&work, base, index);
	/* resumed in BUILDING: everybody has been waited for */
	if (work.listed == NULL || work.listed->state == ITABLE_REGISTERED)
		commit_and_wait(base, index, false);
	fill(base, index);
	itable_set_state(index, NULL);
	itable_index_changed(base);
	pgstat_progress_end_command();
}

/* ---- dropping ---- */

/* One state on, here and in the catalog. */
static void
retire(Oid base, Oid index, itableIndexState state, bool readers)
{
	indexWork	work;

	look(&work, base, index);
	if (work.listed != NULL && work.listed->state < state)
		step(&work, state);
	if (work.listed == NULL || work.listed->state == state)
	{
		itable_set_state(index, itable_state_name(state));
		commit_and_wait(base, index, readers);
	}
}

void
itable_steps_drop(Oid base, Oid index)
{
	indexWork	work;

	retire(base, index, ITABLE_DEPRECATED, true);
	retire(base, index, ITABLE_DROPPING, false);
	look(&work, base, index);
	if (work.index->table->colocated)
		itable_section_clear(work.index);
	else
		(void) itable_store_drop(work.index->table->serverid,
								 work.index->table->name);
	if (work.listed == NULL || work.listed->state == ITABLE_DROPPED)
		return;
	/* others may still have it declared; let them know that it is gone */
	if (itable_others_wait_ms(itable_catalog_known(work.index->fact)) > 0)
		step(&work, ITABLE_DROPPED);
	else if (!itable_catalog_remove(work.client, work.index->fact,
									work.listed))
		other_session(&work);
}
