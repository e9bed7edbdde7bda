/*
 * index_statement.c
 *	  What itable_create_index writes: a foreign table like any other.
 *
 * The first key item becomes the PartitionKey, the others and the fact's own
 * key (its row key first, so that entries of one value sort by it) the RowKey.
 * A gathered index has a bucket of the first item as its PartitionKey instead, a
 * colocated one the fact's; there all items belong to the RowKey.  A unique one
 * leaves the fact's key out, unless it is to be included.
 * Called by index_ddl.c.  Easy to break: what is written here must be accepted
 * by table_def.c and index_def.c when somebody types it by hand.
 */
#include "postgres.h"

#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "exec/index_ddl.h"
#include "model/bucket.h"
#include "table/options.h"

/* Columns collected so far. */
typedef struct statement
{
	const itableTable *base;
	StringInfoData columns;
	List	   *attnums;		/* of the fact, that have a column here */
	bool		has_partition;
} statement;

static itableColumn *
find_column(const itableTable *table, const char *name)
{
	for (int i = 0; i < table->natts; i++)
		if (table->columns[i] != NULL &&
			strcmp(table->columns[i]->attname, name) == 0)
			return table->columns[i];
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of foreign table \"%s\" does not exist",
					name, table->relname)));
}

/* Checks the layout's numbers. */
static void
check_layout(const itableIndexRequest *request)
{
	if (request->buckets < 1 || request->buckets > TMODEL_MAX_BUCKETS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" must be from %d to %d", "buckets",
						1, TMODEL_MAX_BUCKETS)));
	if (request->partitions < 0 || request->partitions > TMODEL_MAX_BUCKETS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("parameter \"%s\" must be from %d to %d",
						"partitions", 0, TMODEL_MAX_BUCKETS)));
	if (request->colocated && (request->buckets > 1 || request->partitions > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a colocated index can neither spread nor gather its key values"),
				 errhint("Its entries are in their fact's partition.")));
	if (request->buckets > 1 && request->partitions > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an index cannot both spread and gather its key values"),
				 errhint("\"buckets\" is for few key values with many facts each, \"partitions\" for many with few.")));
}

static void
append_option(StringInfo text, int *n, const char *name, const char *value)
{
	appendStringInfo(text, "%s%s %s", (*n)++ == 0 ? " OPTIONS (" : ", ", name,
					 quote_literal_cstr(value));
}

static char *
type_text(const itableColumn *column)
{
	if (OidIsValid(column->element_type))
		return format_type_with_typemod(column->element_type, column->typmod);
	return format_type_with_typemod(column->type, column->typmod);
}

/* A key column; alias NULL: the usual name. */
static void
add_key(statement *s, itableColumn *column, const char *alias)
{
	bool		element = OidIsValid(column->element_type);
	char	   *property = itable_cstring(column->property);
	int			n = 0;

	if (alias == NULL)
		alias = element ? itable_element_name(column->attname) : column->attname;
	appendStringInfo(&s->columns, "%s%s %s", s->columns.len > 0 ? ", " : "",
					 quote_identifier(alias), type_text(column));
	append_option(&s->columns, &n, "key",
				  s->has_partition ? "row" : "partition");
	if (element)
		append_option(&s->columns, &n, "element_of", property);
	else if (strcmp(alias, property) != 0)
		append_option(&s->columns, &n, "property", property);
	appendStringInfoString(&s->columns, ") NOT NULL");
	s->has_partition = true;
	if (!element)
		s->attnums = lappend_int(s->attnums, column->attnum);
}

/* A covered column. */
static void
add_include(statement *s, itableColumn *column)
{
	char	   *property = itable_cstring(column->property);
	const char *edm = itable_option(GetForeignColumnOptions(s->base->relid,
															column->attnum),
									"edm_type");
	int			n = 0;

	if (list_member_int(s->attnums, column->attnum))
		return;
	if (column->kind == ITABLE_ETAG || column->kind == ITABLE_TIMESTAMP)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_COLUMN_NAME),
				 errmsg("column \"%s\" cannot be included in an index",
						column->attname),
				 errdetail("The store changes it with every write.")));
	appendStringInfo(&s->columns, ", %s %s", quote_identifier(column->attname),
					 format_type_with_typemod(column->type, column->typmod));
	if (strcmp(column->attname, property) != 0)
		append_option(&s->columns, &n, "property", property);
	if (edm != NULL)
		append_option(&s->columns, &n, "edm_type", edm);
	if (n > 0)
		appendStringInfoChar(&s->columns, ')');
	s->attnums = lappend_int(s->attnums, column->attnum);
}

/* The PartitionKey of a gathered index: a bucket of the first key column. */
static void
add_gathering(statement *s, itableColumn *column, const char *alias,
			  int partitions)
{
	bool		element = OidIsValid(column->element_type);
	char	   *name;
	int			n = 0;

	if (alias == NULL)
		alias = element ? itable_element_name(column->attname) : column->attname;
	name = psprintf("%s_bucket", alias);
	appendStringInfo(&s->columns, "%s integer", quote_identifier(name));
	append_option(&s->columns, &n, "key", "partition");
	append_option(&s->columns, &n, "hash_of",
				  element || alias != column->attname ? alias :
				  itable_cstring(column->property));
	append_option(&s->columns, &n, "buckets", psprintf("%d", partitions));
	appendStringInfoString(&s->columns, ") NOT NULL");
	s->has_partition = true;
}

/* "alias=column" or "column" */
static void
add_item(statement *s, const char *item, int partitions)
{
	char	   *copy = pstrdup(item);
	char	   *equals = strchr(copy, '=');
	itableColumn *column;

	if (equals != NULL)
		*equals++ = '\0';
	column = find_column(s->base, equals != NULL ? equals : copy);
	if (partitions > 0 && !s->has_partition)
		add_gathering(s, column, equals != NULL ? copy : NULL, partitions);
	if (column->kind == ITABLE_ETAG || column->kind == ITABLE_TIMESTAMP)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_COLUMN_NAME),
				 errmsg("system column \"%s\" cannot be an index key",
						column->attname)));
	/* a colocated index has the fact's partition key already */
	if (equals != NULL || !list_member_int(s->attnums, column->attnum))
		add_key(s, column, equals != NULL ? copy : NULL);
}

/* The fact's own key columns that are not there yet. */
static void
add_fact_key(statement *s, int n, itableColumn **columns)
{
	for (int i = 0; i < n; i++)
		if (!list_member_int(s->attnums, columns[i]->attnum))
			add_key(s, columns[i], NULL);
}

/* The PartitionKey of a colocated index: the fact's, column by column. */
static void
add_fact_partition(statement *s)
{
	for (int i = 0; i < s->base->npartition; i++)
	{
		s->has_partition = false;
		add_key(s, s->base->partition[i], NULL);
	}
}

char *
itable_index_statement(const itableIndexRequest *request)
{
	const itableTable *base = request->base;
	statement	s = {.base = base};
	ListCell   *cell;

	check_layout(request);
	initStringInfo(&s.columns);
	if (request->colocated)
		add_fact_partition(&s);
	foreach(cell, request->key)
		add_item(&s, lfirst(cell), request->partitions);
	/* a unique index holds it beside the key, as a property */
	if (!request->unique)
	{
		add_fact_key(&s, base->nrow, base->row);
		add_fact_key(&s, base->npartition, base->partition);
	}
	foreach(cell, request->include)
		add_include(&s, find_column(base, lfirst(cell)));
	return psprintf("CREATE FOREIGN TABLE %s.%s (%s) SERVER %s OPTIONS (index_of %s, %s%s%s%sstate 'building')",
					quote_identifier(get_namespace_name(get_rel_namespace(base->relid))),
					quote_identifier(request->name), s.columns.data,
					quote_identifier(GetForeignServer(base->serverid)->servername),
					quote_literal_cstr(itable_cstring(base->name)),
					request->unique ? "unique 'true', " : "",
					request->colocated ? "colocated 'true', " : "",
					request->queued ? "maintenance 'queued', " : "",
					request->buckets > 1 ?
					psprintf("buckets '%d', ", request->buckets) : "");
}
