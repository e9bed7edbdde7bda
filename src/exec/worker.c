/*
 * worker.c
 *	  The background worker that does queued maintenance.
 *
 * Every itable_fdw.queue_interval it does what waits for the fact tables of one
 * database, each as the table's owner, with the owner's user mapping; where
 * messages tell of it, it scans tables only every itable_fdw.queue_scan.  What fails
 * is logged and tried again at the next turn.  Without shared_preload_libraries
 * there is no worker, and itable_process_queue does the same by hand.  Easy to
 * break: an error must leave the worker in a state to go on, so every table has
 * a transaction of its own.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "exec/queue.h"
#include "exec/worker.h"
#include "table/settings.h"

/* Found by its name. */
extern PGDLLEXPORT void itable_worker_main(Datum argument);

/* Changes done for one table before the next has its turn. */
#define MAX_AT_A_TIME 10000

/* A restarted worker must not run in circles. */
#define RESTART_SECONDS 10

void
itable_worker_init(void)
{
	BackgroundWorker worker;

	if (!process_shared_preload_libraries_in_progress ||
		itable_queue_database == NULL || itable_queue_database[0] == '\0')
		return;
	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = RESTART_SECONDS;
	strlcpy(worker.bgw_library_name, "itable_fdw", BGW_MAXLEN);
	strlcpy(worker.bgw_function_name, "itable_worker_main", BGW_MAXLEN);
	strlcpy(worker.bgw_name, "itable_fdw queue worker", BGW_MAXLEN);
	strlcpy(worker.bgw_type, "itable_fdw queue worker", BGW_MAXLEN);
	RegisterBackgroundWorker(&worker);
}

static void
begin_turn(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
end_turn(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/* The fact tables with queued indexes, in "context". */
static List *
find_tables(MemoryContext context)
{
	List	   *found = NIL;
	MemoryContext old;

	begin_turn();
	if (OidIsValid(get_extension_oid("itable_fdw", true)))
	{
		found = itable_queue_tables();
		old = MemoryContextSwitchTo(context);
		found = list_copy(found);
		MemoryContextSwitchTo(old);
	}
	end_turn();
	return found;
}

/* The relation's owner; InvalidOid when it was dropped meanwhile. */
static Oid
owner_of(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* One table, as its owner. */
static void
do_table(Oid fact, bool scan)
{
	Oid			owner;
	Oid			user;
	int			security;

	begin_turn();
	owner = owner_of(fact);
	if (OidIsValid(owner))
	{
		GetUserIdAndSecContext(&user, &security);
		SetUserIdAndSecContext(owner, security | SECURITY_LOCAL_USERID_CHANGE |
							   SECURITY_NOFORCE_RLS);
		(void) itable_queue_process_table(fact, MAX_AT_A_TIME, scan);
		SetUserIdAndSecContext(user, security);
	}
	end_turn();
}

/* The same; an error is logged, and the next turn tries again. */
static void
try_table(Oid fact, bool scan)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		do_table(fact, scan);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		HOLD_INTERRUPTS();
		EmitErrorReport();
		AbortCurrentTransaction();
		FlushErrorState();
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
}

static void
take_turn(MemoryContext context, bool scan)
{
	List	   *tables;
	ListCell   *cell;

	pgstat_report_activity(STATE_RUNNING, "itable_fdw queued maintenance");
	tables = find_tables(context);
	foreach(cell, tables)
	{
		CHECK_FOR_INTERRUPTS();
		try_table(lfirst_oid(cell), scan);
	}
	pgstat_report_stat(false);
	pgstat_report_activity(STATE_IDLE, NULL);
}

void
itable_worker_main(Datum argument)
{
	MemoryContext context;
	TimestampTz scanned = 0;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(itable_queue_database, NULL, 0);
	context = AllocSetContextCreate(TopMemoryContext, "itable_fdw worker",
									ALLOCSET_SMALL_SIZES);
	for (;;)
	{
		bool		scan;

		MemoryContextSwitchTo(context);
		MemoryContextReset(context);
		scan = TimestampDifferenceExceeds(scanned, GetCurrentTimestamp(),
										  itable_queue_scan);
		if (scan)
			scanned = GetCurrentTimestamp();
		take_turn(context, scan);
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 itable_queue_interval, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
	}
}
