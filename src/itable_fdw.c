/*
 * itable_fdw.c
 *	  Module magic, initialisation, and the handler; nothing else.
 */
#include "postgres.h"

#include "fmgr.h"
#include "foreign/fdwapi.h"

#include "exec/analyze.h"
#include "exec/import.h"
#include "exec/lookup_join.h"
#include "exec/modify.h"
#include "exec/scan.h"
#include "exec/worker.h"
#include "plan/join.h"
#include "plan/callbacks.h"
#include "remote/catalog.h"
#include "remote/session.h"
#include "table/settings.h"
#include "table/table_def.h"
#include "txn/xact.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(itable_fdw_handler);

void		_PG_init(void);

void
_PG_init(void)
{
	itable_settings_init();
	itable_definitions_init();
	itable_sessions_init();
	itable_catalog_init();
	itable_xact_init();
	itable_worker_init();
	itable_join_init(&itable_lookup_join_methods);
}

Datum
itable_fdw_handler(PG_FUNCTION_ARGS)
{
	FdwRoutine *routine = makeNode(FdwRoutine);

	routine->GetForeignRelSize = itableGetForeignRelSize;
	routine->GetForeignPaths = itableGetForeignPaths;
	routine->GetForeignUpperPaths = itableGetForeignUpperPaths;
	routine->GetForeignPlan = itableGetForeignPlan;
	routine->BeginForeignScan = itableBeginForeignScan;
	routine->IterateForeignScan = itableIterateForeignScan;
	routine->ReScanForeignScan = itableReScanForeignScan;
	routine->EndForeignScan = itableEndForeignScan;
	routine->ExplainForeignScan = itableExplainForeignScan;
	routine->IsForeignPathAsyncCapable = itableIsForeignPathAsyncCapable;
	routine->ForeignAsyncRequest = itableForeignAsyncRequest;
	routine->ForeignAsyncConfigureWait = itableForeignAsyncConfigureWait;
	routine->ForeignAsyncNotify = itableForeignAsyncNotify;
	routine->AnalyzeForeignTable = itableAnalyzeForeignTable;
	routine->ExecForeignTruncate = itableExecForeignTruncate;
	routine->ImportForeignSchema = itableImportForeignSchema;
	itable_modify_routine(routine);
	PG_RETURN_POINTER(routine);
}
