/*
 * index_list.c
 *	  What the catalogs say about index tables: this database's, and the store's.
 *
 * itable_index_list() is behind view itable_indexes; it asks the store only
 * about indexes that are being built.  itable_catalog() shows a fact table's
 * part of the store's catalog as it is now; itable_import_indexes is SQL on top
 * of it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/rel.h"

#include "exec/index_ddl.h"
#include "exec/store_table.h"
#include "remote/catalog.h"
#include "remote/session.h"
#include "table/settings.h"

PG_FUNCTION_INFO_V1(itable_index_list);
PG_FUNCTION_INFO_V1(itable_catalog_list);

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

/* How much of the facts the backfill has done, as far as can be told. */
static double
progress_of(const itableIndex *index, const itableListed *listed)
{
	double		facts = itable_tuples_of(index->fact->relid);

	if (index->table->readable ||
		(listed != NULL && listed->state == ITABLE_READABLE))
		return 1;
	return listed == NULL || facts <= 0 ? 0 : Min(listed->done / facts, 0.99);
}

/* Where the store's catalog knows more than this database's. */
static const itableListed *
listed_state(const itableIndex *index)
{
	tstore_client *client;

	if (index->table->readable || itable_catalog_lease < 0)
		return NULL;
	client = itable_session(index->table->serverid, GetUserId());
	return itable_find_listed(itable_catalog(client, index->fact, false),
							  index->table->name);
}

static void
put_index(ReturnSetInfo *rsinfo, itableTable *table)
{
	itableIndex *index = itable_index_def(table, itable_fact_of(table));
	List	   *key = NIL;
	List	   *covered = NIL;
	const itableListed *listed = listed_state(index);
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
	values[9] = CStringGetTextDatum(listed == NULL ||
									strcmp(table->state, "registered") != 0 ?
									table->state :
									itable_state_name(listed->state));
	values[10] = Float8GetDatum(progress_of(index, listed));
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

static void
put_listed(ReturnSetInfo *rsinfo, const itableTable *fact,
		   const itableListed *listed)
{
	Oid			declared = itable_declared_index(fact->serverid,
												 tmodel_span_of(listed->name));
	Datum		values[7];
	bool		nulls[7] = {false};

	values[0] = CStringGetTextDatum(listed->name);
	values[1] = CStringGetTextDatum(itable_state_name(listed->state));
	values[2] = Int32GetDatum(listed->epoch);
	values[3] = CStringGetTextDatum(listed->layout);
	values[4] = DirectFunctionCall1(jsonb_in,
									CStringGetDatum(listed->definition));
	values[5] = Int64GetDatum(listed->done);
	values[6] = ObjectIdGetDatum(declared);
	nulls[6] = !OidIsValid(declared);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* A fact table's part of the store's catalog. */
Datum
itable_catalog_list(PG_FUNCTION_ARGS)
{
	Oid			base = PG_GETARG_OID(0);
	itableTable *fact;
	ListCell   *cell;

	InitMaterializedSRF(fcinfo, 0);
	itable_check_owner(base);
	fact = itable_table_def(base);
	if (itable_is_index(fact))
		fact = itable_fact_of(fact);
	foreach(cell, itable_catalog_fresh(itable_session(fact->serverid,
													  GetUserId()),
									   fact)->indexes)
		put_listed((ReturnSetInfo *) fcinfo->resultinfo, fact, lfirst(cell));
	return (Datum) 0;
}
