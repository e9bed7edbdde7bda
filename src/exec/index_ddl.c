/*
 * index_ddl.c
 *	  Creating, building and dropping index tables, and what the catalogs say
 *	  about them.
 *
 * An index passes through states: building (writers maintain it, the planner
 * does not use it), readable, dropping.  Between two states every transaction
 * that may still act on the old one is waited for, which is why these are
 * procedures that commit between their steps.  Easy to break: backfill may
 * begin only when every writer knows the index.
 */
#include "postgres.h"

#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "exec/backfill.h"
#include "exec/index_ddl.h"
#include "exec/section_clear.h"
#include "exec/store_table.h"
#include "table/table_def.h"

PG_FUNCTION_INFO_V1(itable_create_index);
PG_FUNCTION_INFO_V1(itable_build_index);
PG_FUNCTION_INFO_V1(itable_drop_index);
PG_FUNCTION_INFO_V1(itable_index_list);

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

static void
run_statement(const char *statement)
{
	int			code = SPI_execute(statement, false, 0);

	if (code < 0)
		elog(ERROR, "SPI_execute failed: %s", SPI_result_code_string(code));
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

/* Every foreign table over the fact's table in the store. */
static void
wait_for_writers(Oid base)
{
	itableTable *table = itable_table_def(base);
	List	   *tags = NIL;
	ListCell   *cell;

	foreach(cell, itable_relations_of(table->serverid, table->name))
	{
		LOCKTAG    *tag = palloc(sizeof(LOCKTAG));

		SET_LOCKTAG_RELATION(*tag, MyDatabaseId, lfirst_oid(cell));
		tags = lappend(tags, tag);
	}
	WaitForLockersMultiple(tags, ShareLock, true);
}

static char *
qualified_name(Oid relid)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
									  get_rel_name(relid));
}

/* Fills the index from the facts, then lets the planner use it. */
static void
build(Oid base, Oid index)
{
	wait_for_writers(base);
	itable_backfill(index);
	run_statement(psprintf("ALTER FOREIGN TABLE %s OPTIONS (DROP state)",
						   qualified_name(index)));
	CacheInvalidateRelcacheByRelid(base);
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
	request.name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	request.key = text_items(PG_GETARG_ARRAYTYPE_P(2), "key");
	request.include = text_items(PG_GETARG_ARRAYTYPE_P(3), "include");
	request.buckets = PG_GETARG_INT32(7);
	request.partitions = PG_GETARG_INT32(8);
	if (request.key == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index needs at least one key column")));
	run_statement(itable_index_statement(&request));
	index = get_relname_relid(request.name, get_rel_namespace(base));
	/* checks the whole, before anything exists in the store */
	(void) itable_index_def(itable_table_def(index), request.base);
	(void) itable_store_create(itable_table_def(index));
	CacheInvalidateRelcacheByRelid(base);
	SPI_commit();

	build(base, index);
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
	(void) itable_store_create(table);
	run_statement(psprintf("ALTER FOREIGN TABLE %s OPTIONS (%s state 'building')",
						   qualified_name(index),
						   table->has_state ? "SET" : "ADD"));
	CacheInvalidateRelcacheByRelid(base);
	SPI_commit();
	build(base, index);
	SPI_finish();
	PG_RETURN_VOID();
}

Datum
itable_drop_index(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	Oid			base;
	Oid			serverid;
	tmodel_span name;
	itableIndex *colocated = NULL;
	MemoryContext old;

	begin_procedure(fcinfo, "itable_drop_index");
	base = itable_base_of(index);
	serverid = itable_table_def(index)->serverid;
	old = MemoryContextSwitchTo(PortalContext);
	name = tmodel_span_of(pstrdup(itable_cstring(itable_table_def(index)->name)));
	if (itable_table_def(index)->colocated)
		colocated = itable_index_def(itable_table_def(index),
									 itable_fact_of(itable_table_def(index)));
	MemoryContextSwitchTo(old);
	run_statement(psprintf("DROP FOREIGN TABLE %s", qualified_name(index)));
	if (OidIsValid(base))
		CacheInvalidateRelcacheByRelid(base);
	SPI_commit();
	/* a writer that still knows the index must not meet a missing table */
	if (OidIsValid(base))
		wait_for_writers(base);
	if (colocated != NULL)
		itable_section_clear(colocated);
	else
		(void) itable_store_drop(serverid, name);
	SPI_finish();
	PG_RETURN_VOID();
}

static Datum
text_array(List *names)
{
	Datum	   *elements = palloc(sizeof(Datum) * (list_length(names) + 1));
	ListCell   *cell;
	int			n = 0;

	foreach(cell, names)
		elements[n++] = CStringGetTextDatum(lfirst(cell));
	return PointerGetDatum(construct_array(elements, n, TEXTOID, -1, false,
										   TYPALIGN_INT));
}

/* Does the index copy every property of the fact that is no key? */
static bool
covers_all(const itableIndex *index)
{
	for (int i = 0; i < index->fact->natts; i++)
	{
		const itableColumn *column = index->fact->columns[i];
		bool		found = false;

		if (column == NULL || column->kind != ITABLE_PROPERTY)
			continue;
		for (int j = 0; j < index->table->natts && !found; j++)
			found = index->fact_attnum[j] == column->attnum;
		if (!found)
			return false;
	}
	return true;
}

static void
put_index(ReturnSetInfo *rsinfo, itableTable *table)
{
	itableIndex *index = itable_index_def(table, itable_fact_of(table));
	List	   *key = NIL;
	List	   *covered = NIL;
	Datum		values[12];
	bool		nulls[12] = {false};

	for (int i = 0; i < table->npartition; i++)
		key = lappend(key, table->partition[i]->attname);
	for (int i = 0; i < table->nrow; i++)
		key = lappend(key, table->row[i]->attname);
	for (int i = 0; i < table->natts; i++)
		if (table->columns[i] != NULL &&
			table->columns[i]->kind == ITABLE_PROPERTY)
			covered = lappend(covered, table->columns[i]->attname);
	values[0] = ObjectIdGetDatum(index->fact->relid);
	values[1] = ObjectIdGetDatum(table->relid);
	values[2] = text_array(key);
	values[3] = text_array(covered);
	values[4] = CStringGetTextDatum(!index->covering ? "pointer" :
									covers_all(index) ? "full" : "partial");
	values[5] = BoolGetDatum(table->unique);
	values[6] = CStringGetTextDatum(table->queued ? "queued" : "sync");
	values[7] = BoolGetDatum(table->colocated);
	values[8] = Int32GetDatum(Max(table->spread, 1));
	values[9] = CStringGetTextDatum(table->state);
	values[10] = Float8GetDatum(table->readable ? 1.0 : 0.0);
	values[11] = Int64GetDatum(0);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* All index tables of this database that have a fact table here. */
Datum
itable_index_list(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, itable_all_indexes())
	{
		itableTable *table = itable_table_def(lfirst_oid(cell));

		if (OidIsValid(itable_fact_relid(table, true)))
			put_index((ReturnSetInfo *) fcinfo->resultinfo, table);
	}
	return (Datum) 0;
}
