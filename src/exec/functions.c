/*
 * functions.c
 *	  SQL functions about tables of the store, connections and statistics.
 *
 * Creating and dropping a table in the store happens at once and is not undone
 * by ROLLBACK; functions.c says so where it matters.  Index DDL is in
 * index_ddl.c.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "exec/store_table.h"
#include "plan/price.h"
#include "remote/catalog.h"
#include "remote/report.h"
#include "remote/session.h"
#include "table/settings.h"
#include "table/table_def.h"

PG_FUNCTION_INFO_V1(itable_break_even_of);
PG_FUNCTION_INFO_V1(itable_create_table);
PG_FUNCTION_INFO_V1(itable_drop_table);
PG_FUNCTION_INFO_V1(itable_stats);
PG_FUNCTION_INFO_V1(itable_stats_reset);
PG_FUNCTION_INFO_V1(itable_get_connections);
PG_FUNCTION_INFO_V1(itable_disconnect);
PG_FUNCTION_INFO_V1(itable_disconnect_all);
PG_FUNCTION_INFO_V1(itable_fdw_diag);

void
itable_check_owner(Oid relid)
{
	if (!itable_is_ours(relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a foreign table of itable_fdw",
						get_rel_name(relid))));
	itable_compat_check_owner(relid);
}

/* One request that must succeed, or fail with the status allowed. */
static bool
run_table_request(itableCalls *calls, tstore_request *request,
				  tstore_status allowed, const char *doing, const char *table)
{
	const tstore_reply *reply;
	bool		done;

	itable_call(calls, request);
	itable_wait(calls, request);
	reply = tstore_reply_of(request);
	done = reply->error.status == TSTORE_OK;
	if (!done && reply->error.status != allowed)
		itable_report(&reply->error, doing, table);
	itable_finish(calls, request);
	return done;
}

bool
itable_store_create(const itableTable *table)
{
	tstore_client *client = itable_session(table->serverid, GetUserId());
	itableCalls *calls = itable_calls(CurrentMemoryContext, client);

	if (table->colocated)
		return false;			/* it has none of its own */
	return run_table_request(calls,
							 tstore_start_create_table(client, table->name),
							 TSTORE_TABLE_EXISTS,
							 psprintf("create table \"%s\" in the store",
									  itable_cstring(table->name)), NULL);
}

bool
itable_store_drop(Oid serverid, tmodel_span name)
{
	tstore_client *client = itable_session(serverid, GetUserId());
	itableCalls *calls = itable_calls(CurrentMemoryContext, client);

	/* an entity's 404 and a table's look alike here: there is no table */
	return run_table_request(calls, tstore_start_delete_table(client, name),
							 TSTORE_TABLE_NOT_FOUND,
							 psprintf("delete table \"%s\" from the store",
									  itable_cstring(name)), NULL);
}

/*
 * This database is going to write the table: to say so now saves its first
 * writer a request.  Best effort; a writer does what was not possible here.
 */
static void
register_here(const itableTable *fact)
{
	tstore_error error;

	if (itable_catalog_lease >= 0)
		(void) itable_register_writer(itable_session(fact->serverid,
													 GetUserId()),
									  fact, &error);
	CHECK_FOR_INTERRUPTS();
}

/* One that is listed and not declared here, or NULL. */
static itableListed *
find_undeclared(const itableCatalog *catalog, const itableTable *fact)
{
	ListCell   *cell;

	foreach(cell, catalog->indexes)
	{
		itableListed *listed = lfirst(cell);

		if (listed->state != ITABLE_DROPPED &&
			!OidIsValid(itable_declared_index(fact->serverid,
											  tmodel_span_of(listed->name))))
			return listed;
	}
	return NULL;
}

/*
 * The facts are gone, or there are none yet.  Indexes declared here stay listed,
 * for their foreign tables go on serving a table that is created anew; of the
 * others nothing is left that could be used, which databases that have them
 * declared are told.  Best effort: without the right to read the catalog there
 * is nothing to forget.
 */
static void
forget_indexes(const itableTable *fact)
{
	tstore_client *client = itable_session(fact->serverid, GetUserId());
	const itableCatalog *catalog;
	itableListed *listed;
	tstore_error error;

	if (itable_catalog_lease < 0)
		return;
	while ((catalog = itable_catalog_renew(client, fact, &error)) != NULL &&
		   (listed = find_undeclared(catalog, fact)) != NULL)
		if (!(itable_others_wait_ms(catalog) > 0 ?
			  itable_catalog_step(client, fact, listed, ITABLE_DROPPED) :
			  itable_catalog_remove(client, fact, listed)))
			break;
	CHECK_FOR_INTERRUPTS();
}

Datum
itable_create_table(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	itableTable *table;
	bool		created;

	itable_check_owner(relid);
	table = itable_table_def(relid);
	created = itable_store_create(table);
	if (!itable_is_index(table) && created)
		forget_indexes(table);
	else if (!itable_is_index(table))
		register_here(table);
	PG_RETURN_BOOL(created);
}

Datum
itable_drop_table(PG_FUNCTION_ARGS)
{
	Oid			relid = PG_GETARG_OID(0);
	itableTable *table;
	bool		dropped;

	itable_check_owner(relid);
	table = itable_table_def(relid);
	if (table->colocated)
		PG_RETURN_BOOL(false);	/* it has none; the fact's stays */
	dropped = itable_store_drop(table->serverid, table->name);
	if (!itable_is_index(table))
		forget_indexes(table);
	PG_RETURN_BOOL(dropped);
}

/* One row per operation of a server. */
static void
put_statistics(Oid serverid, const tstore_counters *counters, void *ctx)
{
	ReturnSetInfo *rsinfo = ctx;
	ForeignServer *server = GetForeignServerExtended(serverid,
													 FSV_MISSING_OK);

	if (server == NULL)
		return;
	for (int i = 0; i < TSTORE_KINDS; i++)
	{
		Datum		values[9];
		bool		nulls[9] = {false};
		const tstore_counters *c = &counters[i];

		values[0] = DirectFunctionCall1(namein,
										CStringGetDatum(server->servername));
		values[1] = CStringGetTextDatum(tstore_kind_names[i]);
		values[2] = Int64GetDatum(c->requests);
		values[3] = Int64GetDatum(c->entities);
		values[4] = Int64GetDatum(c->bytes_sent);
		values[5] = Int64GetDatum(c->bytes_received);
		values[6] = Int64GetDatum(c->retries);
		values[7] = Int64GetDatum(c->throttles);
		values[8] = Int64GetDatum(c->connections);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values,
							 nulls);
	}
}

Datum
itable_stats(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	itable_sessions_statistics(put_statistics, fcinfo->resultinfo);
	return (Datum) 0;
}

Datum
itable_stats_reset(PG_FUNCTION_ARGS)
{
	itable_sessions_reset_statistics();
	PG_RETURN_VOID();
}

static void
put_connection(Oid serverid, bool valid, void *ctx)
{
	ReturnSetInfo *rsinfo = ctx;
	ForeignServer *server = GetForeignServerExtended(serverid,
													 FSV_MISSING_OK);
	Datum		values[2];
	bool		nulls[2] = {false};

	nulls[0] = server == NULL;
	if (server != NULL)
		values[0] = CStringGetTextDatum(server->servername);
	values[1] = BoolGetDatum(valid);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

Datum
itable_get_connections(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	itable_sessions_each(put_connection, fcinfo->resultinfo);
	return (Datum) 0;
}

Datum
itable_disconnect(PG_FUNCTION_ARGS)
{
	ForeignServer *server =
	GetForeignServerByName(text_to_cstring(PG_GETARG_TEXT_PP(0)), false);

	PG_RETURN_BOOL(itable_sessions_disconnect(server->serverid));
}

Datum
itable_disconnect_all(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(itable_sessions_disconnect(InvalidOid));
}

Datum
itable_fdw_diag(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"itable_fdw", "PostgreSQL",
	"libraries"};
	const char *versions[3];
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	versions[0] = ITABLE_VERSION;
	versions[1] = PG_VERSION;
	versions[2] = tstore_versions();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < lengthof(names); i++)
	{
		Datum		values[2];
		bool		nulls[2] = {false};

		values[0] = CStringGetTextDatum(names[i]);
		values[1] = CStringGetTextDatum(versions[i]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values,
							 nulls);
	}
	return (Datum) 0;
}

Datum
itable_break_even_of(PG_FUNCTION_ARGS)
{
	const itableTable *table = itable_table_def(PG_GETARG_OID(0));

	PG_RETURN_FLOAT8(itable_break_even(table,
									   Max(PG_GETARG_FLOAT8(1), 0),
									   PG_GETARG_BOOL(2)));
}
