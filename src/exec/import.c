/*
 * import.c
 *	  What a table of the store looks like from a sample of its entities.
 *
 * The store has no schema: every entity has its own properties.  The columns
 * are those of the first page of each table (one request each), in order of
 * first appearance; a property that comes later, or has another type there, is
 * the user's to declare.  Called by IMPORT FOREIGN SCHEMA.  Easy to break: a
 * column's type decides what is pushed down, so a doubtful property becomes
 * text only when every value was a text.
 */
#include "postgres.h"

#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "exec/import.h"
#include "model/list.h"
#include "model/section.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "table/table_def.h"

#define MAX_SAMPLE 1000
/* What this extension keeps for itself. */
#define CATALOG_TABLE "itablecatalog"

/* How the statements are made. */
typedef struct importRun
{
	const char *server;
	const char *schema;			/* where the foreign tables go */
	tstore_client *client;
	int			sample;			/* entities looked at, of each table */
	bool		system_columns;
} importRun;

/* What the sample says about one property. */
typedef struct importProperty
{
	tmodel_span name;
	int			values;			/* how many entities have it */
	int			of_type[TMODEL_BINARY + 1];
	int			arrays;			/* texts that are JSON arrays of texts */
	int			elements;		/* in them */
} importProperty;

/* One table's sample. */
typedef struct importTable
{
	const char *name;			/* the store's */
	List	   *properties;		/* importProperty *, by first appearance */
	bool		is_index;		/* entries of an index table */
	bool		has_reserved;	/* written by this extension */
	bool		decodes;		/* every key reads as an escaped text */
	bool		has_escape;		/* and some key only so */
} importTable;

static int
sample_option(const DefElem *def)
{
	int			sample = pg_strtoint32(defGetString((DefElem *) def));

	if (sample < 1 || sample > MAX_SAMPLE)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
				 errmsg("option \"%s\" must be from %d to %d", "sample_size",
						1, MAX_SAMPLE)));
	return sample;
}

static void
read_options(importRun *run, List *options)
{
	ListCell   *cell;

	run->sample = MAX_SAMPLE;
	foreach(cell, options)
	{
		DefElem    *def = lfirst_node(DefElem, cell);

		if (strcmp(def->defname, "sample_size") == 0)
			run->sample = sample_option(def);
		else if (strcmp(def->defname, "system_columns") == 0)
			run->system_columns = defGetBoolean(def);
		else
			ereport(ERROR,
					(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
					 errmsg("invalid option \"%s\"", def->defname),
					 errhint("IMPORT FOREIGN SCHEMA takes the options \"sample_size\" and \"system_columns\".")));
	}
}

/* The answer to a request; throws when it failed. */
static const tstore_reply *
answer_of(itableCalls *calls, tstore_request *request, const char *doing)
{
	const tstore_reply *reply;

	itable_call(calls, request);
	itable_wait(calls, request);
	reply = tstore_reply_of(request);
	if (reply->error.status != TSTORE_OK)
		itable_report(&reply->error, doing, NULL);
	return reply;
}

/* Names of all tables in the store (char *), in its order. */
static List *
table_names(const importRun *run)
{
	itableCalls *calls = itable_calls(CurrentMemoryContext, run->client);
	tstore_query query = {{0}};
	List	   *names = NIL;
	bool		more;

	do
	{
		const tstore_reply *reply;

		reply = answer_of(calls, tstore_start_list_tables(run->client, &query),
						  "list the store's tables");
		for (int i = 0; i < reply->ntables; i++)
			names = lappend(names, itable_cstring(reply->tables[i]));
		more = reply->has_more;
		query.next_table = tmodel_span_of(itable_cstring(reply->next_table));
		itable_finish_all(calls);
	} while (more);
	return names;
}

/* May the statement for this table be wanted?  PostgreSQL asks again. */
static bool
is_wanted(const ImportForeignSchemaStmt *stmt, const char *name)
{
	ListCell   *cell;

	if (pg_strcasecmp(name, CATALOG_TABLE) == 0)
		return false;
	if (stmt->list_type == FDW_IMPORT_SCHEMA_ALL)
		return true;
	foreach(cell, stmt->table_list)
		if (strcmp(((RangeVar *) lfirst(cell))->relname, name) == 0)
			return stmt->list_type == FDW_IMPORT_SCHEMA_LIMIT_TO;
	return stmt->list_type == FDW_IMPORT_SCHEMA_EXCEPT;
}

/*
 * Counts the elements of a JSON array whose elements are texts or null; false
 * for any other text.
 */
static bool
is_text_array(tmodel_arena *arena, tmodel_span text, int *nelements)
{
	tmodel_list list;
	bool		quoted = false;

	if (text.len < 2 || text.data[0] != '[' ||
		!tmodel_list_parse(arena, text, &list))
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		if (quoted && text.data[i] == '\\')
			i++;
		else if (text.data[i] == '"')
			quoted = !quoted;
		else if (!quoted && strchr("[], \t\r\nul", text.data[i]) == NULL)
			return false;		/* of a number, true or false */
	}
	*nelements += list.nelements;
	return true;
}

static importProperty *
find_property(importTable *table, tmodel_span name)
{
	importProperty *property;
	ListCell   *cell;

	foreach(cell, table->properties)
	{
		property = lfirst(cell);
		if (tmodel_span_equal(property->name, name))
			return property;
	}
	property = palloc0(sizeof(importProperty));
	property->name = tmodel_span_of(itable_cstring(name));
	table->properties = lappend(table->properties, property);
	return property;
}

static void
look_at_property(importTable *table, tmodel_arena *arena,
				 const tmodel_property *property)
{
	importProperty *seen;

	if (tmodel_is_reserved(property->name))
	{
		table->has_reserved = true;
		if (tmodel_span_equal(property->name, TMODEL_SPAN(TMODEL_P_FACT_PK)))
			table->is_index = true;
		return;
	}
	if (property->value.type == TMODEL_NULL)
		return;
	seen = find_property(table, property->name);
	seen->values++;
	seen->of_type[property->value.type]++;
	if (property->value.type == TMODEL_STRING &&
		is_text_array(arena, property->value.u.bytes, &seen->elements))
		seen->arrays++;
}

/* Does the key read as one escaped text?  And is it another text then? */
static void
look_at_key(importTable *table, tmodel_arena *arena, tmodel_span key)
{
	const tmodel_key_type type = TMODEL_KEY_TEXT;
	tmodel_value value;

	if (tmodel_key_decode(arena, TMODEL_KEY_ESCAPED, 1, &type, key,
						  &value) != TMODEL_KEY_OK)
		table->decodes = false;
	else if (!tmodel_span_equal(value.u.bytes, key))
		table->has_escape = true;
}

/* Reads the first page. */
static void
look_at_table(const importRun *run, importTable *table)
{
	itableCalls *calls = itable_calls(CurrentMemoryContext, run->client);
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	tstore_query query = {.top = run->sample};
	const tstore_reply *reply;
	tmodel_key_range everything;
	tmodel_buf	filter;

	/* entries of colocated indexes may stand before all facts */
	tmodel_key_range_all(&everything);
	tmodel_buf_init(&filter, arena);
	(void) tmodel_filter_print(&filter,
							   tmodel_section_hide(arena, TMODEL_KEY_TEXT,
												   &everything));
	itable_check_arena(arena);
	query.filter = tmodel_buf_text(&filter);
	table->decodes = true;
	reply = answer_of(calls, tstore_start_query(run->client,
												tmodel_span_of(table->name),
												&query),
					  psprintf("read table \"%s\"", table->name));
	for (int i = 0; i < reply->nentities; i++)
	{
		const tmodel_entity *entity = &reply->entities[i];

		CHECK_FOR_INTERRUPTS();
		look_at_key(table, arena, entity->partition_key);
		look_at_key(table, arena, entity->row_key);
		for (int p = 0; p < entity->nproperties; p++)
			look_at_property(table, arena, &entity->properties[p]);
	}
	itable_finish_all(calls);
}

/* The column type for a property: of all its values, or text, which reads all. */
static const char *
column_type(const importProperty *property, bool *mixed)
{
	static const char *const names[] = {
		NULL, "text", "integer", "bigint", "double precision", "boolean",
		"timestamp with time zone", "uuid", "bytea"
	};
	if (property->arrays == property->values && property->elements > 0)
		return "text[]";
	for (tmodel_type type = TMODEL_STRING; type <= TMODEL_BINARY; type++)
		if (property->of_type[type] == property->values)
			return names[type];
	*mixed = true;
	return "text";
}

/* "wanted", or with underscores so that no property has the name. */
static char *
free_name(const importTable *table, const char *wanted)
{
	char	   *name = pstrdup(wanted);
	ListCell   *cell;
	bool		taken;

	do
	{
		taken = false;
		foreach(cell, table->properties)
		{
			importProperty *property = lfirst(cell);

			if (tmodel_span_equal(property->name, tmodel_span_of(name)))
				taken = true;
		}
		if (taken)
			name = psprintf("%s_", name);
	} while (taken);
	return name;
}

static void
append_properties(StringInfo text, const importTable *table)
{
	ListCell   *cell;

	foreach(cell, table->properties)
	{
		importProperty *property = lfirst(cell);
		char	   *name = itable_cstring(property->name);
		bool		mixed = false;
		const char *type = column_type(property, &mixed);

		if (mixed)
			ereport(WARNING,
					(errmsg("property \"%s\" of table \"%s\" has values of several types",
							name, table->name),
					 errdetail("The column is text, which shows them all."),
					 errhint("A condition that the store evaluates finds only the values that are texts; write (column || '') = ... to have PostgreSQL evaluate it.")));
		/* PostgreSQL would cut the name off, and another property be meant */
		if (strlen(name) >= NAMEDATALEN)
		{
			char	   *cut = pnstrdup(name, NAMEDATALEN - 1);

			ereport(NOTICE,
					(errmsg("property \"%s\" of table \"%s\" becomes column \"%s\"",
							name, table->name, cut)));
			appendStringInfo(text, ",\n  %s %s OPTIONS (property %s)",
							 quote_identifier(cut), type,
							 quote_literal_cstr(name));
		}
		else
			appendStringInfo(text, ",\n  %s %s", quote_identifier(name), type);
	}
}

static char *
statement_for(const importRun *run, const importTable *table)
{
	StringInfoData text;
	bool		escaped = table->decodes &&
		(table->has_reserved || table->has_escape);

	initStringInfo(&text);
	appendStringInfo(&text, "CREATE FOREIGN TABLE %s.%s (\n  %s text OPTIONS (key 'partition') COLLATE \"C\" NOT NULL,\n  %s text OPTIONS (key 'row') COLLATE \"C\" NOT NULL",
					 quote_identifier(run->schema),
					 quote_identifier(table->name),
					 quote_identifier(free_name(table, "partition_key")),
					 quote_identifier(free_name(table, "row_key")));
	append_properties(&text, table);
	if (run->system_columns)
		appendStringInfo(&text, ",\n  %s text OPTIONS (system 'etag'),\n  %s timestamp with time zone OPTIONS (system 'timestamp')",
						 quote_identifier(free_name(table, "etag")),
						 quote_identifier(free_name(table, "changed")));
	appendStringInfo(&text, "\n) SERVER %s OPTIONS (table_name %s, key_encoding '%s')",
					 quote_identifier(run->server),
					 quote_literal_cstr(table->name),
					 escaped ? "escaped" : "raw");
	return text.data;
}

List *
itableImportForeignSchema(ImportForeignSchemaStmt *stmt, Oid serverid)
{
	importRun	run = {0};
	List	   *statements = NIL;
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(outer, "itable_fdw import",
												  ALLOCSET_DEFAULT_SIZES);
	ListCell   *cell;

	read_options(&run, stmt->options);
	if (strcmp(stmt->remote_schema, "tables") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_SCHEMA_NOT_FOUND),
				 errmsg("foreign schema \"%s\" does not exist",
						stmt->remote_schema),
				 errhint("A store has one schema, \"tables\".")));
	run.server = stmt->server_name;
	run.schema = stmt->local_schema;
	run.client = itable_session(serverid, GetUserId());
	foreach(cell, table_names(&run))
	{
		importTable table = {.name = lfirst(cell)};
		char	   *statement;

		if (!is_wanted(stmt, table.name))
			continue;
		MemoryContextSwitchTo(context);
		look_at_table(&run, &table);
		statement = table.is_index ? NULL : statement_for(&run, &table);
		MemoryContextSwitchTo(outer);
		if (statement != NULL)
			statements = lappend(statements, pstrdup(statement));
		else
			ereport(NOTICE,
					(errmsg("table \"%s\" is an index table and is not imported",
							table.name),
					 errhint("Call itable_import_indexes() on its fact table.")));
		MemoryContextReset(context);
	}
	MemoryContextDelete(context);
	return statements;
}
