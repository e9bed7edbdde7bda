/*
 * index_ddl.c
 *	  Creating, building and dropping index tables.
 *
 * The procedures commit between their steps, for each step is followed by a
 * wait for whoever may still act on the state before (index_steps.c).  What is
 * to be done next follows from the state in the store's catalog alone, so that
 * any of them can be repeated after a crash.  Easy to break: backfill may begin
 * only when every writer knows the index, and the store's table may go only
 * when no writer maintains it any more.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "exec/index_ddl.h"
#include "exec/index_steps.h"
#include "exec/store_table.h"
#include "remote/catalog.h"
#include "remote/session.h"
#include "table/settings.h"

PG_FUNCTION_INFO_V1(itable_create_index);
PG_FUNCTION_INFO_V1(itable_build_index);
PG_FUNCTION_INFO_V1(itable_drop_index);

/* Procedures commit between steps; inside a transaction block they cannot. */
static void
begin_procedure(FunctionCallInfo fcinfo, const char *name)
{
	CallContext *context = (CallContext *) fcinfo->context;

	if (context == NULL || !IsA(context, CallContext) || context->atomic)
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("%s cannot run inside a transaction block", name),
				 errhint("CALL it by itself; it commits between its steps.")));
	if (SPI_connect_ext(SPI_OPT_NONATOMIC) != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

/* Text array -> List of char *; NULL elements are refused. */
static List *
text_items(ArrayType *array, const char *parameter)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	List	   *items = NIL;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements,
					  &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("parameter \"%s\" must not contain NULL",
							parameter)));
		items = lappend(items, TextDatumGetCString(elements[i]));
	}
	return items;
}

/* What kind of index is wanted; combinations are index_statement.c's. */
static void
take_kind(FunctionCallInfo fcinfo, itableIndexRequest *request)
{
	char	   *maintenance = text_to_cstring(PG_GETARG_TEXT_PP(5));

	request->unique = PG_GETARG_BOOL(4);
	request->queued = strcmp(maintenance, "queued") == 0;
	request->colocated = PG_GETARG_BOOL(6);
	if (!request->queued && strcmp(maintenance, "sync") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" must be \"sync\" or \"queued\"",
						"maintenance")));
}

/* A name the catalog lists is taken, whatever this database knows. */
static void
check_not_listed(const itableTable *base, const char *name)
{
	tstore_client *client = itable_session(base->serverid, GetUserId());
	const itableListed *listed;

	if (itable_catalog_lease < 0)
		return;
	listed = itable_find_listed(itable_catalog_fresh(client, base),
								tmodel_span_of(itable_default_name(name)));
	if (listed == NULL || listed->state == ITABLE_DROPPED ||
		OidIsValid(get_relname_relid(name, get_rel_namespace(base->relid))))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_TABLE),
			 errmsg("the store's catalog lists an index table \"%s\" of \"%s\" already",
					listed->name, base->relname),
			 errhint("SELECT itable_import_indexes('%s'); declares it here.",
					 base->relname)));
}

static void
take_request(FunctionCallInfo fcinfo, itableIndexRequest *request)
{
	request->name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	request->key = text_items(PG_GETARG_ARRAYTYPE_P(2), "key");
	request->include = text_items(PG_GETARG_ARRAYTYPE_P(3), "include");
	request->buckets = PG_GETARG_INT32(7);
	request->partitions = PG_GETARG_INT32(8);
	if (request->key == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index needs at least one key column")));
}

Datum
itable_create_index(PG_FUNCTION_ARGS)
{
	Oid			base = PG_GETARG_OID(0);
	itableIndexRequest request = {0};
	Oid			index;

	take_kind(fcinfo, &request);
	begin_procedure(fcinfo, "itable_create_index");
	itable_check_owner(base);
	LockRelationOid(base, ShareUpdateExclusiveLock);
	request.base = itable_table_def(base);
	if (itable_is_index(request.base))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is itself an index table",
						request.base->relname)));
	take_request(fcinfo, &request);
	check_not_listed(request.base, request.name);
	itable_run_statement(itable_index_statement(&request));
	index = get_relname_relid(request.name, get_rel_namespace(base));
	/* checks the whole, before anything exists in the store */
	(void) itable_index_def(itable_table_def(index), request.base);
	(void) itable_store_create(itable_table_def(index));
	itable_index_changed(base);
	SPI_commit();

	itable_steps_build(base, index);
	SPI_finish();
	PG_RETURN_VOID();
}

Oid
itable_base_of(Oid index)
{
	itableTable *table;

	itable_check_owner(index);
	table = itable_table_def(index);
	if (!itable_is_index(table))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not an index table", table->relname),
				 errhint("Index tables have the option \"index_of\".")));
	return itable_fact_relid(table, true);
}

Datum
itable_build_index(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	Oid			base;
	itableTable *table;

	begin_procedure(fcinfo, "itable_build_index");
	base = itable_base_of(index);
	table = itable_table_def(index);
	if (!OidIsValid(base))
		(void) itable_fact_relid(table, false);
	itable_steps_check_build(base, index);
	(void) itable_store_create(table);
	itable_set_state(index, "building");
	itable_index_changed(base);
	SPI_commit();
	itable_steps_build(base, index);
	SPI_finish();
	PG_RETURN_VOID();
}

/* Would the foreign table go?  Asked before anything has gone in the store. */
static void
check_droppable(Oid index)
{
	itable_run_statement(psprintf("DROP FOREIGN TABLE %s",
								  itable_qualified_name(index)));
	SPI_rollback();
}

Datum
itable_drop_index(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	Oid			base;

	begin_procedure(fcinfo, "itable_drop_index");
	base = itable_base_of(index);
	check_droppable(index);
	if (OidIsValid(base))
		itable_steps_drop(base, index);
	else
	{
		itableTable *table = itable_table_def(index);

		(void) itable_store_drop(table->serverid, table->name);
	}
	itable_run_statement(psprintf("DROP FOREIGN TABLE %s",
								  itable_qualified_name(index)));
	if (OidIsValid(base))
		itable_index_changed(base);
	SPI_finish();
	PG_RETURN_VOID();
}
