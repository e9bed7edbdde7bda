/*
 * ddl_check.c
 *	  What CREATE and ALTER FOREIGN TABLE must still fulfil.
 *
 * The validator sees one option list at a time; this event trigger sees whole
 * tables: definitions that do not hold together are refused, a table without
 * table_name is given one (so that RENAME changes nothing in the store), an
 * index table depends on its fact table (so that DROP needs CASCADE), and cached
 * plans over the fact table are made anew.  A dump's script sets options column
 * by column after CREATE; it switches check_function_bodies off, and so are
 * these checks: then a definition is checked at its first use.  Easy to break:
 * pg_restore may bring an index table before its fact table.
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

#include "table/table_def.h"

PG_FUNCTION_INFO_V1(itable_check_ddl);

/* The index table goes when its fact table goes. */
static void
depend_on(Oid index, Oid fact)
{
	ObjectAddress dependent = {RelationRelationId, index, 0};
	ObjectAddress referenced = {RelationRelationId, fact, 0};

	(void) deleteDependencyRecordsForClass(RelationRelationId, index,
										   RelationRelationId,
										   DEPENDENCY_NORMAL);
	recordDependencyOn(&dependent, &referenced, DEPENDENCY_NORMAL);
}

static void
check_index(itableTable *index)
{
	Oid			fact = itable_fact_relid(index, true);

	if (!OidIsValid(fact))
		return;
	(void) itable_index_def(index, itable_table_def(fact));
	depend_on(index->relid, fact);
	CacheInvalidateRelcacheByRelid(fact);
}

/* A fact table, perhaps changed under its indexes, or come after them. */
static void
check_fact(itableTable *fact)
{
	List	   *relations = itable_relations_of(fact->serverid, fact->name);
	ListCell   *cell;

	foreach(cell, itable_indexes_of(fact, true))
	{
		itableIndex *index = lfirst(cell);

		if (itable_fact_relid(index->table, false) == fact->relid)
			depend_on(index->table->relid, fact->relid);
	}
	/* the one its indexes depend on must keep what they are made of */
	if (relations != NIL && linitial_oid(relations) == fact->relid)
		(void) itable_indexes_of(fact, false);
}

/* The relation's name of today becomes the store's name for good. */
static void
fix_name(const itableTable *table)
{
	char	   *statement =
	psprintf("ALTER FOREIGN TABLE %s OPTIONS (ADD table_name %s)",
			 quote_qualified_identifier(get_namespace_name(get_rel_namespace(table->relid)),
										table->relname),
			 quote_literal_cstr(itable_cstring(table->name)));

	if (SPI_execute(statement, false, 0) != SPI_OK_UTILITY)
		elog(ERROR, "could not set option \"table_name\"");
}

/* The relations the command made or changed. */
static List *
changed_relations(void)
{
	List	   *result = NIL;

	if (SPI_execute("SELECT DISTINCT objid FROM pg_catalog.pg_event_trigger_ddl_commands() "
					"WHERE classid = 'pg_catalog.pg_class'::pg_catalog.regclass",
					true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the DDL commands");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Datum		relid = SPI_getbinval(SPI_tuptable->vals[i],
										  SPI_tuptable->tupdesc, 1, &isnull);

		if (!isnull)
			result = lappend_oid(result, DatumGetObjectId(relid));
	}
	return result;
}

Datum
itable_check_ddl(PG_FUNCTION_ARGS)
{
	ListCell   *cell;

	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("itable_check_ddl is an event trigger function")));
	if (!check_function_bodies)
		PG_RETURN_NULL();
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	foreach(cell, changed_relations())
	{
		itableTable *table;

		if (!itable_is_ours(lfirst_oid(cell)))
			continue;
		table = itable_table_def(lfirst_oid(cell));
		if (itable_is_index(table))
			check_index(table);
		else
			check_fact(table);
		if (!table->has_name)
			fix_name(table);
	}
	SPI_finish();
	PG_RETURN_NULL();
}
