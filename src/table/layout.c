/*
 * layout.c
 *	  An index table as text: to compare, and to declare elsewhere.
 *
 * The layout is what must be the same in every database that writes the fact
 * table, in the store's own words: no column names, no SQL types.  The
 * definition is what CREATE FOREIGN TABLE says, as JSON.  Both are kept in the
 * store's catalog (remote/catalog).  Easy to break: a layout is compared with
 * those that earlier versions wrote; its words must not change.
 */
#include "postgres.h"

#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "nodes/parsenodes.h"
#include "commands/defrem.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "table/table_def.h"

static const char *const key_type_names[] = {
	[TMODEL_KEY_TEXT] = "text",
	[TMODEL_KEY_INT16] = "int16",
	[TMODEL_KEY_INT32] = "int32",
	[TMODEL_KEY_INT64] = "int64",
	[TMODEL_KEY_BOOL] = "bool",
	[TMODEL_KEY_DATE] = "date",
	[TMODEL_KEY_TIMESTAMP] = "timestamp",
	[TMODEL_KEY_TIMESTAMPTZ] = "timestamptz",
	[TMODEL_KEY_UUID] = "uuid"
};

/* "text of element actors", "int16 of bucket 64" */
static void
append_column(StringInfo text, const tmodel_index_column *column)
{
	appendStringInfo(text, "%s of ", key_type_names[column->type]);
	switch (column->source)
	{
		case TMODEL_FROM_PROPERTY:
			appendStringInfo(text, "property %s",
							 itable_cstring(column->property));
			break;
		case TMODEL_FROM_ELEMENT:
			appendStringInfo(text, "element %s",
							 itable_cstring(column->property));
			break;
		case TMODEL_FROM_PARTITION:
			appendStringInfo(text, "partition %d", column->component);
			break;
		case TMODEL_FROM_ROW:
			appendStringInfo(text, "row %d", column->component);
			break;
		case TMODEL_FROM_HASH:
			appendStringInfo(text, "bucket %d of %d", column->component,
							 column->buckets);
			break;
		case TMODEL_FROM_FACT_HASH:
			appendStringInfo(text, "fact bucket %d", column->buckets);
			break;
	}
}

static void
append_key(StringInfo text, const char *label, int n,
		   const tmodel_index_column *columns)
{
	appendStringInfo(text, "%s (", label);
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(text, ", ");
		append_column(text, &columns[i]);
	}
	appendStringInfoString(text, ") ");
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

char *
itable_index_layout(const itableIndex *index)
{
	const tmodel_index_def *def = &index->def;
	char	  **covered = palloc(sizeof(char *) * (def->ncovered + 1));
	StringInfoData text;

	initStringInfo(&text);
	append_key(&text, "partition", def->npartition, def->partition);
	append_key(&text, "row", def->nrow, def->row);
	for (int i = 0; i < def->ncovered; i++)
	{
		const itableColumn *column =
		itable_column_of_property(index->table, def->covered[i]);

		covered[i] = psprintf("%s %s", itable_cstring(def->covered[i]),
							  tmodel_type_name(column->edm));
	}
	qsort(covered, def->ncovered, sizeof(char *), compare_names);
	appendStringInfoString(&text, "covers (");
	for (int i = 0; i < def->ncovered; i++)
		appendStringInfo(&text, "%s%s", i > 0 ? ", " : "", covered[i]);
	appendStringInfo(&text, ")%s%s%s",
					 index->table->unique ? " unique" : "",
					 index->table->colocated ? " colocated" : "",
					 index->table->queued ? " queued" : "");
	return text.data;
}

static void
append_member(StringInfo text, const char *name, const char *value)
{
	char		last = text->data[text->len - 1];

	if (last != '{' && last != '[')
		appendStringInfoString(text, ", ");
	escape_json(text, name);
	appendStringInfoString(text, ": ");
	escape_json(text, value);
}

/* Options as an object of strings, but for what is this database's own. */
static void
append_options(StringInfo text, List *options)
{
	ListCell   *cell;

	appendStringInfoString(text, "\"options\": {");
	foreach(cell, options)
	{
		DefElem    *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, "state") != 0 &&
			strcmp(option->defname, "table_name") != 0 &&
			strcmp(option->defname, "index_of") != 0)
			append_member(text, option->defname, defGetString(option));
	}
	appendStringInfoChar(text, '}');
}

char *
itable_index_definition(const itableIndex *index)
{
	const itableTable *table = index->table;
	StringInfoData text;
	bool		first = true;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	append_member(&text, "relation", table->relname);
	append_member(&text, "maintenance", table->queued ? "queued" : "sync");
	appendStringInfo(&text, ", \"unique\": %s, \"colocated\": %s, \"columns\": [",
					 table->unique ? "true" : "false",
					 table->colocated ? "true" : "false");
	for (int i = 0; i < table->natts; i++)
	{
		const itableColumn *column = table->columns[i];

		if (column == NULL)
			continue;
		appendStringInfoString(&text, first ? "{" : ", {");
		first = false;
		append_member(&text, "name", column->attname);
		append_member(&text, "type",
					  format_type_extended(column->type, column->typmod,
										   FORMAT_TYPE_TYPEMOD_GIVEN |
										   FORMAT_TYPE_FORCE_QUALIFY));
		appendStringInfo(&text, ", \"not_null\": %s, ",
						 column->not_null ? "true" : "false");
		append_options(&text, GetForeignColumnOptions(table->relid,
													  column->attnum));
		appendStringInfoChar(&text, '}');
	}
	appendStringInfoString(&text, "], ");
	append_options(&text, GetForeignTable(table->relid)->options);
	appendStringInfoChar(&text, '}');
	return text.data;
}
