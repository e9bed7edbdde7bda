/*
 * table_def.c
 *	  From a foreign table's catalog entries to a checked definition.
 *
 * Answers "which property is which column, and what are the keys?".  Does not
 * know index tables' relation to facts (index_def.c) and sends no request.
 * Called wherever a relation of ours is planned, read, written or created.
 * Easy to break: key components are numbered in column order, and data already
 * in the store depends on that order.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "model/section.h"
#include "table/def_cache.h"
#include "table/options.h"

#define DEFAULT_FETCH_SIZE 1000
#define DEFAULT_BATCH_SIZE 100
#define DEFAULT_MAX_CONNECTIONS 8
/* costs are counted in sequential pages: a request is worth about a hundred */
#define DEFAULT_BUCKETS 16
#define DEFAULT_STARTUP_COST 100.0
#define DEFAULT_TUPLE_COST 0.01

char *
itable_cstring(tmodel_span span)
{
	return pnstrdup(span.data != NULL ? span.data : "", span.len);
}

char *
itable_default_name(const char *relname)
{
	char	   *name = palloc(strlen(relname) + 1);
	int			n = 0;

	for (const char *p = relname; *p != '\0'; p++)
		if ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
			(*p >= '0' && *p <= '9'))
			name[n++] = *p;
	name[n] = '\0';
	return name;
}

static void
definition_error(const itableTable *table, const char *message,
				 const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_ATTRIBUTE_VALUE),
			 errmsg("foreign table \"%s\": %s", table->relname, message),
			 errhint("%s", hint)));
}

/* The store's type for an SQL type (1-interface section 1.5). */
static tmodel_type
edm_type_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
			return TMODEL_INT32;
		case INT8OID:
			return TMODEL_INT64;
		case FLOAT4OID:
		case FLOAT8OID:
			return TMODEL_DOUBLE;
		case BOOLOID:
			return TMODEL_BOOLEAN;
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TMODEL_DATETIME;
		case UUIDOID:
			return TMODEL_GUID;
		case BYTEAOID:
			return TMODEL_BINARY;
		default:
			return TMODEL_STRING;
	}
}

/* The key form of an SQL type; false when the type cannot be a key. */
static bool
key_type_of(Oid type, tmodel_key_type *key_type)
{
	static const struct
	{
		Oid			type;
		tmodel_key_type key_type;
	}			known[] = {
		{TEXTOID, TMODEL_KEY_TEXT}, {VARCHAROID, TMODEL_KEY_TEXT},
		{INT2OID, TMODEL_KEY_INT16}, {INT4OID, TMODEL_KEY_INT32},
		{INT8OID, TMODEL_KEY_INT64}, {BOOLOID, TMODEL_KEY_BOOL},
		{DATEOID, TMODEL_KEY_DATE}, {TIMESTAMPOID, TMODEL_KEY_TIMESTAMP},
		{TIMESTAMPTZOID, TMODEL_KEY_TIMESTAMPTZ}, {UUIDOID, TMODEL_KEY_UUID},
	};

	for (int i = 0; i < lengthof(known); i++)
		if (known[i].type == type)
		{
			*key_type = known[i].key_type;
			return true;
		}
	return false;
}

/* Numbers and booleans stand bare in a JSON array, all else in quotes. */
static bool
is_bare_in_json(Oid type)
{
	switch (type)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case BOOLOID:
			return true;
		default:
			return false;
	}
}

/* Array columns: how their elements are written and read. */
static void
fill_element(itableColumn *column)
{
	Oid			element = get_base_element_type(column->base_type);

	column->element_type = element;
	if (OidIsValid(element))
	{
		column->element_quoted = !is_bare_in_json(element);
		get_typlenbyvalalign(element, &column->element_len,
							 &column->element_byval, &column->element_align);
	}
}

/* The functions that turn the column (or its elements) to text and back. */
static void
fill_functions(itableColumn *column)
{
	Oid			type = OidIsValid(column->element_type) ?
	column->element_type : column->type;
	Oid			function;
	bool		is_varlena;

	getTypeInputInfo(type, &function, &column->input_param);
	fmgr_info(function, &column->input);
	getTypeOutputInfo(type, &function, &is_varlena);
	fmgr_info(function, &column->output);
}

/* kind and key type from the options "key" and "system" */
static void
fill_role(itableTable *table, itableColumn *column, List *options)
{
	const char *key = itable_option(options, "key");
	const char *system = itable_option(options, "system");
	Oid			type = column->base_type;

	if (key != NULL && system != NULL)
		definition_error(table,
						 psprintf("column \"%s\" has both \"key\" and \"system\"",
								  column->attname),
						 "A column is either a key or filled by the store.");
	column->kind = ITABLE_PROPERTY;
	if (key != NULL)
	{
		column->kind = strcmp(key, "partition") == 0 ?
			ITABLE_PARTITION_KEY : ITABLE_ROW_KEY;
		if (!key_type_of(type, &column->key_type))
			definition_error(table,
							 psprintf("column \"%s\" of type %s cannot be a key",
									  column->attname,
									  format_type_be(column->type)),
							 "Keys are text, varchar, smallint, integer, bigint, boolean, date, timestamp, timestamptz or uuid.");
		if (OidIsValid(column->collation) &&
			!get_collation_isdeterministic(column->collation))
			definition_error(table,
							 psprintf("column \"%s\" has a nondeterministic collation",
									  column->attname),
							 "Equal keys must be equal bytes; choose another collation.");
	}
	else if (system != NULL)
	{
		column->kind = strcmp(system, "etag") == 0 ?
			ITABLE_ETAG : ITABLE_TIMESTAMP;
		if (column->kind == ITABLE_ETAG ? type != TEXTOID : type != TIMESTAMPTZOID)
			definition_error(table,
							 psprintf("column \"%s\" has the wrong type",
									  column->attname),
							 "A system 'etag' column is text, a system 'timestamp' column timestamptz.");
	}
}

/* The property's name in the store, checked against the store's rules. */
static void
fill_property(itableTable *table, itableColumn *column, List *options)
{
	const char *property = itable_option(options, "property");

	column->property =
		tmodel_span_of(pstrdup(property != NULL ? property : column->attname));
	if (column->kind != ITABLE_PROPERTY)
		return;
	if (tmodel_is_reserved(column->property))
		definition_error(table,
						 psprintf("property \"%s\" has a reserved name",
								  itable_cstring(column->property)),
						 "Names that begin with \"" TMODEL_RESERVED_PREFIX "\" belong to itable_fdw; give the column another \"property\".");
	if (!tmodel_property_name_ok(column->property) ||
		tmodel_span_equal(column->property, TMODEL_SPAN("PartitionKey")) ||
		tmodel_span_equal(column->property, TMODEL_SPAN("RowKey")) ||
		tmodel_span_equal(column->property, TMODEL_SPAN("Timestamp")))
		definition_error(table,
						 psprintf("\"%s\" cannot be a property's name",
								  itable_cstring(column->property)),
						 "The store takes letters, digits and underscores; use option \"property\" to name it.");
}

/* A hashed shard key: computed from another key column. */
static void
fill_hash(itableTable *table, itableColumn *column, List *options)
{
	const char *hash_of = itable_option(options, "hash_of");

	column->buckets = itable_option_int(options, "buckets", DEFAULT_BUCKETS);
	if (hash_of == NULL && itable_option(options, "buckets") != NULL)
		definition_error(table,
						 psprintf("column \"%s\" has \"buckets\" but no \"hash_of\"",
								  column->attname),
						 "A hashed key column names the column it is the hash of.");
	if (hash_of == NULL)
		return;
	column->hash_of = pstrdup(hash_of);
	if (column->kind != ITABLE_PARTITION_KEY || column->element_of != NULL)
		definition_error(table,
						 psprintf("column \"%s\" has \"hash_of\" but is no partition key",
								  column->attname),
						 "Give the column option \"key\" 'partition'.");
	if (column->key_type != TMODEL_KEY_TEXT &&
		column->key_type != TMODEL_KEY_INT16 &&
		column->key_type != TMODEL_KEY_INT32 &&
		column->key_type != TMODEL_KEY_INT64)
		definition_error(table,
						 psprintf("hashed key column \"%s\" has the wrong type",
								  column->attname),
						 "A bucket is an integer or text.");
	if (table->encoding == TMODEL_KEY_RAW)
		definition_error(table, "key_encoding 'raw' has no hashed keys",
						 "Leave the option out.");
}

/* hash_of names a column of the row key, so that a lookup can compute it. */
static void
resolve_hashes(itableTable *table)
{
	for (int i = 0; i < table->npartition; i++)
	{
		itableColumn *column = table->partition[i];

		for (int j = 0; column->hash_of != NULL && j < table->nrow; j++)
			if (tmodel_span_equal(table->row[j]->property,
								  tmodel_span_of(column->hash_of)))
				column->hashed = table->row[j];
		if (column->hash_of != NULL && column->hashed == NULL)
			definition_error(table,
							 psprintf("column \"%s\" is the hash of \"%s\", which is no row key column",
									  column->attname, column->hash_of),
							 "hash_of names a column with option \"key\" 'row'.");
	}
}

static itableColumn *
make_column(itableTable *table, Form_pg_attribute att)
{
	List	   *options = GetForeignColumnOptions(table->relid, att->attnum);
	itableColumn *column = palloc0(sizeof(itableColumn));
	const char *edm = itable_option(options, "edm_type");
	const char *element_of = itable_option(options, "element_of");

	column->attnum = att->attnum;
	column->attname = pstrdup(NameStr(att->attname));
	column->type = att->atttypid;
	column->base_type = getBaseType(att->atttypid);
	column->typmod = att->atttypmod;
	column->collation = att->attcollation;
	column->not_null = att->attnotnull;
	fill_role(table, column, options);
	fill_property(table, column, options);
	fill_element(column);
	fill_functions(column);
	column->edm = edm != NULL ? tmodel_type_of_name(tmodel_span_of(edm)) :
		edm_type_of(column->base_type);
	column->element_of = element_of != NULL ? pstrdup(element_of) : NULL;
	if (element_of != NULL &&
		(!itable_is_index(table) || column->kind == ITABLE_PROPERTY))
		definition_error(table,
						 psprintf("column \"%s\" has \"element_of\" but is no key of an index table",
								  column->attname),
						 "Give the column option \"key\" and the table option \"index_of\".");
	fill_hash(table, column, options);
	return column;
}

static void
check_no_property_twice(itableTable *table)
{
	for (int i = 0; i < table->natts; i++)
		for (int j = 0; table->columns[i] != NULL && j < i; j++)
			if (table->columns[j] != NULL &&
				table->columns[i]->kind == ITABLE_PROPERTY &&
				table->columns[j]->kind == ITABLE_PROPERTY &&
				tmodel_span_equal(table->columns[i]->property,
								  table->columns[j]->property))
				definition_error(table,
								 psprintf("property \"%s\" stands in two columns",
										  itable_cstring(table->columns[i]->property)),
								 "Each column needs a property of its own; see option \"property\".");
}

/* Collects the key columns in column order and checks that both keys exist. */
static void
fill_keys(itableTable *table)
{
	table->partition = palloc0(sizeof(itableColumn *) * table->natts);
	table->row = palloc0(sizeof(itableColumn *) * table->natts);
	table->partition_types = palloc0(sizeof(tmodel_key_type) *
									 (table->natts + 1));
	table->row_types = palloc0(sizeof(tmodel_key_type) * table->natts);
	for (int i = 0; i < table->natts; i++)
	{
		itableColumn *column = table->columns[i];

		if (column == NULL)
			continue;
		if (column->kind == ITABLE_PARTITION_KEY)
		{
			column->component = table->npartition;
			table->partition_types[table->npartition] = column->key_type;
			table->partition[table->npartition++] = column;
		}
		else if (column->kind == ITABLE_ROW_KEY)
		{
			column->component = table->nrow;
			table->row_types[table->nrow] = column->key_type;
			table->row[table->nrow++] = column;
		}
	}
	/* a unique index need not have a row key: see TMODEL_KEY_NONE */
	if (table->npartition == 0 || (table->nrow == 0 && !table->unique))
		definition_error(table,
						 table->npartition == 0 ?
						 "no column is the partition key" :
						 "no column is the row key",
						 "Mark key columns with OPTIONS (key 'partition') and OPTIONS (key 'row').");
	if (table->encoding == TMODEL_KEY_RAW &&
		(table->npartition > 1 || table->nrow > 1))
		definition_error(table, "key_encoding 'raw' allows one column per key",
						 "Composite keys need key_encoding 'escaped'.");
	table->npartition_parts = table->npartition;
	if (table->spread > 1)
		table->partition_types[table->npartition_parts++] = TMODEL_KEY_INT16;
	resolve_hashes(table);
}

/* Where the entities are: a colocated index has no table of its own. */
static void
place_entities(itableTable *table)
{
	char	   *section;

	table->stored_in = table->colocated ? table->index_of : table->name;
	if (!table->colocated)
		return;
	if (table->unique || table->queued || table->spread > 1)
		definition_error(table,
						 psprintf("a colocated index cannot %s",
								  table->unique ? "be unique" :
								  table->queued ? "be queued" :
								  "have buckets"),
						 table->unique ? "A partition knows only its own keys; use an index with a table of its own." :
						 table->queued ? "It is always up to date, for its entries are written with the fact." :
						 "Its entries are in their fact's partition.");
	section = palloc(TMODEL_SECTION_ROOM(table->name));
	table->section.data = section;
	table->section.len = tmodel_section_of_index(table->name, section);
}

/* One entity per key value leaves no room for other layouts. */
static void
check_unique(const itableTable *table)
{
	if (table->queued)
		definition_error(table, "a unique index cannot be maintained later",
						 "A key value must be claimed before the fact is written; leave out \"maintenance\".");
	if (table->spread > 1)
		definition_error(table, "a unique index cannot be spread over buckets",
						 "It has one entry for each key value; \"partitions\" of itable_create_index gathers them instead.");
}

/* Table options, the server's where the table has none of its own. */
/* Cosmos DB, which speaks the same protocol, hands out entities in any order. */
static bool
keeps_order(const char *endpoint)
{
	return endpoint == NULL || strstr(endpoint, ".cosmos.") == NULL;
}

static void
fill_options(itableTable *table, List *own, List *server)
{
	const char *name = itable_option(own, "table_name");
	const char *encoding = itable_option(own, "key_encoding");
	const char *mode = itable_option(own, "insert_mode");
	const char *index_of = itable_option(own, "index_of");

	table->name = tmodel_span_of(name != NULL ? pstrdup(name) :
								 itable_default_name(table->relname));
	table->has_name = name != NULL;
	table->ordered = keeps_order(itable_option(server, "endpoint"));
	table->encoding = encoding != NULL && strcmp(encoding, "raw") == 0 ?
		TMODEL_KEY_RAW : TMODEL_KEY_ESCAPED;
	if (mode == NULL)
		mode = itable_option(server, "insert_mode");
	table->direct_insert = mode != NULL && strcmp(mode, "direct") == 0;
	table->updatable =
		itable_option_bool(own, "updatable",
						   itable_option_bool(server, "updatable", true));
	table->fetch_size =
		itable_option_int(own, "fetch_size",
						  itable_option_int(server, "fetch_size",
											DEFAULT_FETCH_SIZE));
	table->batch_size =
		itable_option_int(own, "batch_size",
						  itable_option_int(server, "batch_size",
											DEFAULT_BATCH_SIZE));
	table->async_capable =
		itable_option_bool(own, "async_capable",
						   itable_option_bool(server, "async_capable", false));
	table->max_connections = itable_option_int(server, "max_connections",
											   DEFAULT_MAX_CONNECTIONS);
	table->startup_cost = itable_option_real(server, "fdw_startup_cost",
											 DEFAULT_STARTUP_COST);
	table->tuple_cost = itable_option_real(server, "fdw_tuple_cost",
										   DEFAULT_TUPLE_COST);
	if (index_of != NULL)
	{
		const char *state = itable_option(own, "state");

		/* a relation's name is understood too */
		table->index_of = tmodel_span_of(itable_default_name(index_of));
		table->state = pstrdup(state != NULL ? state : "readable");
		table->has_state = state != NULL;
		table->readable = strcmp(table->state, "readable") == 0;
		table->spread = itable_option_int(own, "buckets", 1);
		table->unique = itable_option_bool(own, "unique", false);
		table->colocated = itable_option_bool(own, "colocated", false);
		table->queued = itable_option(own, "maintenance") != NULL &&
			strcmp(itable_option(own, "maintenance"), "queued") == 0;
	}
	place_entities(table);
	if (table->unique)
		check_unique(table);
}

/* Table names of the store: [A-Za-z][A-Za-z0-9]{2,62} (4-store section 3). */
static void
check_table_name(itableTable *table)
{
	const char *p = table->name.data;
	size_t		len = table->name.len;
	bool		ok = len >= 3 && len <= 63;

	for (size_t i = 0; ok && i < len; i++)
		ok = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
			(i > 0 && p[i] >= '0' && p[i] <= '9');
	/* "Tables" is the service's own collection */
	if (!ok || (len == 6 && pg_strncasecmp(p, "tables", 6) == 0))
		definition_error(table,
						 psprintf("\"%s\" cannot be a table's name in the store",
								  itable_cstring(table->name)),
						 "The store takes 3 to 63 letters and digits, a letter first, and keeps \"tables\" for itself; name it with option \"table_name\".");
}

/* See def_cache.h. */
itableTable *
itable_form_table(Oid relid)
{
	Relation	rel = table_open(relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	ForeignTable *foreign = GetForeignTable(relid);
	itableTable *table = palloc0(sizeof(itableTable));

	table->relid = relid;
	table->serverid = foreign->serverid;
	table->relname = pstrdup(RelationGetRelationName(rel));
	fill_options(table, foreign->options,
				 GetForeignServer(foreign->serverid)->options);
	check_table_name(table);
	table->natts = desc->natts;
	table->columns = palloc0(sizeof(itableColumn *) * (desc->natts + 1));
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped)
			table->columns[i] = make_column(table, TupleDescAttr(desc, i));
	check_no_property_twice(table);
	fill_keys(table);
	table_close(rel, NoLock);
	return table;
}

itableTable *
itable_table_def(Oid relid)
{
	return itable_kept(ITABLE_KEPT_TABLE, relid);
}

itableColumn *
itable_column_of_property(const itableTable *table, tmodel_span property)
{
	for (int i = 0; i < table->natts; i++)
		if (table->columns[i] != NULL &&
			table->columns[i]->kind != ITABLE_ETAG &&
			table->columns[i]->kind != ITABLE_TIMESTAMP &&
			tmodel_span_equal(table->columns[i]->property, property))
			return table->columns[i];
	return NULL;
}
