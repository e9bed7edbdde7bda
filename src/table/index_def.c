/*
 * index_def.c
 *	  How an index table's columns are made from its fact table's.
 *
 * Answers "which fact does this index table serve, which indexes does this
 * fact have, and where does each index column come from?".  Columns are matched
 * by property name.  Sends no request; whether an index may be used is its
 * state.  Easy to break: every foreign table over the same store table must
 * find the same indexes, whatever the relations are called.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_table.h"
#include "foreign/fdwapi.h"
#include "foreign/foreign.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "table/def_cache.h"
#include "table/options.h"

bool
itable_same_table(tmodel_span a, tmodel_span b)
{
	return a.len == b.len && pg_strncasecmp(a.data, b.data, a.len) == 0;
}

/* OIDs of foreign tables, of one server or (InvalidOid) of all. */
static List *
foreign_tables(Oid serverid)
{
	Relation	catalog = table_open(ForeignTableRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL,
										  0, NULL);
	HeapTuple	tuple;
	List	   *oids = NIL;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_foreign_table form = (Form_pg_foreign_table) GETSTRUCT(tuple);

		if (serverid == InvalidOid || form->ftserver == serverid)
			oids = lappend_oid(oids, form->ftrelid);
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	list_sort(oids, list_oid_cmp);
	return oids;
}

List *
itable_all_indexes(void)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, foreign_tables(InvalidOid))
		if (itable_is_ours(lfirst_oid(cell)) &&
			itable_option(GetForeignTable(lfirst_oid(cell))->options,
						  "index_of") != NULL)
			result = lappend_oid(result, lfirst_oid(cell));
	return result;
}

/* Every foreign table of a server, in order of OID; see def_cache.h. */
List *
itable_form_briefs(Oid serverid)
{
	List	   *briefs = NIL;
	ListCell   *cell;

	foreach(cell, foreign_tables(serverid))
	{
		Oid			relid = lfirst_oid(cell);
		List	   *options = GetForeignTable(relid)->options;
		const char *name = itable_option(options, "table_name");
		const char *index_of = itable_option(options, "index_of");
		itableBrief *brief;

		if (name == NULL && get_rel_name(relid) == NULL)
			continue;
		brief = palloc(sizeof(itableBrief));
		brief->relid = relid;
		brief->name = name != NULL ? name :
			itable_default_name(get_rel_name(relid));
		brief->index_of = index_of != NULL ? itable_default_name(index_of) :
			NULL;
		brief->colocated = index_of != NULL &&
			itable_option_bool(options, "colocated", false);
		brief->queued = index_of != NULL &&
			itable_option(options, "maintenance") != NULL &&
			strcmp(itable_option(options, "maintenance"), "queued") == 0;
		briefs = lappend(briefs, brief);
	}
	return briefs;
}

static List *
tables_of_server(Oid serverid)
{
	return itable_kept(ITABLE_KEPT_SERVER, serverid);
}

Oid
itable_fact_relid(const itableTable *index, bool missing_ok)
{
	ListCell   *cell;

	foreach(cell, tables_of_server(index->serverid))
	{
		itableBrief *brief = lfirst(cell);

		if (brief->index_of == NULL &&
			itable_same_table(index->index_of, tmodel_span_of(brief->name)))
			return brief->relid;
	}
	if (!missing_ok)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("no foreign table for fact table \"%s\" of index table \"%s\"",
						itable_cstring(index->index_of), index->relname),
				 errhint("Create a foreign table with table_name '%s' on the same server.",
						 itable_cstring(index->index_of))));
	return InvalidOid;
}

itableTable *
itable_fact_of(const itableTable *index)
{
	return itable_table_def(itable_fact_relid(index, false));
}

static void
column_error(const itableTable *index, const char *property, const char *what,
			 const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_COLUMN_NAME),
			 errmsg("index table \"%s\": %s \"%s\"", index->relname, what,
					property),
			 errhint("%s", hint)));
}

/* Where one key column of the index comes from. */
static tmodel_index_column
key_source(const itableTable *index, const itableColumn *column,
		   const itableTable *fact)
{
	tmodel_index_column result = {.name = column->property,
	.type = column->key_type};
	tmodel_span from = column->element_of != NULL ?
	tmodel_span_of(column->element_of) : column->property;
	itableColumn *source = itable_column_of_property(fact, from);

	if (column->hashed != NULL)
	{
		result.source = TMODEL_FROM_HASH;
		result.component = index->npartition_parts + column->hashed->component;
		result.buckets = column->buckets;
		return result;
	}
	result.property = from;
	if (source == NULL)
		column_error(index, itable_cstring(from),
					 "the fact table has no property",
					 "Columns are matched by property name; see options \"property\" and \"element_of\".");
	result.component = source->component;
	if (source->kind == ITABLE_PARTITION_KEY)
		result.source = TMODEL_FROM_PARTITION;
	else if (source->kind == ITABLE_ROW_KEY)
		result.source = TMODEL_FROM_ROW;
	else if (column->element_of != NULL)
		result.source = TMODEL_FROM_ELEMENT;
	else
		result.source = TMODEL_FROM_PROPERTY;
	if (column->element_of != NULL && !OidIsValid(source->element_type))
		column_error(index, itable_cstring(from),
					 "element_of names a property that is not an array",
					 "Leave element_of out to index the value itself.");
	if (column->element_of == NULL && OidIsValid(source->element_type))
		column_error(index, itable_cstring(from),
					 "an array cannot be a key:",
					 "Use element_of to index each element.");
	if ((column->element_of != NULL ? source->element_type : source->type) !=
		column->type)
		column_error(index, itable_cstring(from),
					 "the key column's type differs from the fact table's:",
					 "Declare both with the same type.");
	return result;
}

/* Fills one key of the definition. */
static tmodel_index_column *
key_columns(const itableTable *index, int n, itableColumn **columns,
			const itableTable *fact)
{
	tmodel_index_column *result = palloc0(sizeof(tmodel_index_column) *
										  (n + 1));

	for (int i = 0; i < n; i++)
		result[i] = key_source(index, columns[i], fact);
	return result;
}

/* The part of the PartitionKey that spreads one key value. */
static void
add_spread(const itableTable *index, tmodel_index_def *def)
{
	tmodel_index_column *columns = (tmodel_index_column *) def->partition;
	tmodel_index_column *part = &columns[index->npartition];

	part->name = TMODEL_SPAN(TMODEL_P_BUCKET);
	part->type = TMODEL_KEY_INT16;
	part->source = TMODEL_FROM_FACT_HASH;
	part->buckets = index->spread;
}

static bool
has_source(const tmodel_index_def *def, tmodel_source source, int component)
{
	for (int i = 0; i < def->npartition; i++)
		if (def->partition[i].source == source &&
			def->partition[i].component == component)
			return true;
	for (int i = 0; i < def->nrow; i++)
		if (def->row[i].source == source && def->row[i].component == component)
			return true;
	return false;
}

/* A column of the fact's key that is no key column of the index, or NULL. */
static const itableColumn *
missing_key(const tmodel_index_def *def, const itableTable *fact)
{
	for (int i = 0; i < fact->npartition; i++)
		if (!has_source(def, TMODEL_FROM_PARTITION, i))
			return fact->partition[i];
	for (int i = 0; i < fact->nrow; i++)
		if (!has_source(def, TMODEL_FROM_ROW, i))
			return fact->row[i];
	return NULL;
}

/* An index that is not unique must contain the whole key of the fact. */
static void
check_fact_key(const itableIndex *index)
{
	const tmodel_index_def *def = &index->def;
	const itableColumn *missing = missing_key(def, index->fact);
	int			elements = 0;

	if (missing != NULL && !def->unique)
		column_error(index->table, itable_cstring(missing->property),
					 "the key lacks the fact table's key",
					 "Add the fact table's key columns to the row key, so that entries of different facts differ.");
	if (missing == NULL && def->unique)
		column_error(index->table, itable_cstring(index->table->name),
					 "a unique index contains the whole key of the fact table:",
					 "Such keys are unique by themselves; leave out \"unique\", or the fact's key.");
	for (int i = 0; i < def->npartition; i++)
		elements += def->partition[i].source == TMODEL_FROM_ELEMENT;
	for (int i = 0; i < def->nrow; i++)
		elements += def->row[i].source == TMODEL_FROM_ELEMENT;
	if (elements > 1)
		column_error(index->table, itable_cstring(index->table->name),
					 "more than one column has element_of in",
					 "An index can hold the elements of one array.");
}

/* Entries in the fact's partition have the fact's PartitionKey. */
static void
check_colocated(const itableTable *index, const tmodel_index_def *def,
				const itableTable *fact)
{
	bool		same = def->npartition == fact->npartition_parts;

	for (int i = 0; same && i < def->npartition; i++)
		same = def->partition[i].source == TMODEL_FROM_PARTITION &&
			def->partition[i].component == i;
	if (!same)
		column_error(index, itable_cstring(index->name),
					 "the PartitionKey is not the fact table's in colocated index",
					 "Declare the fact table's partition key columns, and no others, with OPTIONS (key 'partition').");
}

/* Something besides facts must be told from facts by its RowKey. */
static void
check_encoding(const itableTable *index, const itableTable *fact)
{
	if ((index->colocated || index->queued) &&
		fact->encoding == TMODEL_KEY_RAW)
		column_error(index, itable_cstring(fact->name),
					 index->queued ?
					 "a queued index cannot serve key_encoding 'raw' of" :
					 "a colocated index cannot serve key_encoding 'raw' of",
					 "Any text may be a raw key, so that other entities of the partition could not be told from facts; use an index that is neither.");
}

/* A column of a unique index that holds a part of its owner's key. */
static void
add_owner(itableIndex *index, const itableColumn *column,
		  const itableColumn *source)
{
	tmodel_index_def *def = &index->def;
	tmodel_index_column *owner;

	if (def->owner == NULL)
		def->owner = palloc0(sizeof(tmodel_index_column) *
							 (index->table->natts + 1));
	owner = (tmodel_index_column *) &def->owner[def->nowner++];
	owner->name = column->property;
	owner->type = source->key_type;
	owner->source = source->kind == ITABLE_PARTITION_KEY ?
		TMODEL_FROM_PARTITION : TMODEL_FROM_ROW;
	owner->component = source->component;
}

/* Covered columns: properties copied from the fact, and fact_attnum of all. */
static void
fill_covered(itableIndex *result)
{
	itableTable *index = result->table;
	tmodel_span *covered = palloc0(sizeof(tmodel_span) * (index->natts + 1));
	int			n = 0;

	result->fact_attnum = palloc0(sizeof(AttrNumber) * (index->natts + 1));
	for (int i = 0; i < index->natts; i++)
	{
		itableColumn *column = index->columns[i];
		itableColumn *source;

		if (column == NULL || column->kind == ITABLE_ETAG ||
			column->kind == ITABLE_TIMESTAMP)
			continue;
		if (column->element_of != NULL || column->hashed != NULL)
			continue;
		source = itable_column_of_property(result->fact, column->property);
		if (source == NULL)
			column_error(index, itable_cstring(column->property),
						 "the fact table has no property",
						 "Columns are matched by property name; see option \"property\".");
		result->fact_attnum[i] = source->attnum;
		if (column->kind != ITABLE_PROPERTY)
			continue;
		if (source->kind != ITABLE_PROPERTY && !result->def.unique)
			column_error(index, itable_cstring(column->property),
						 "a key of the fact table must be a key column here too:",
						 "Give the column OPTIONS (key 'row').");
		if (source->type != column->type || source->edm != column->edm)
			column_error(index, itable_cstring(column->property),
						 "the covered column's type differs from the fact table's:",
						 "Declare both with the same type.");
		if (source->kind != ITABLE_PROPERTY)
			add_owner(result, column, source);
		else
			covered[n++] = column->property;
	}
	result->def.covered = covered;
	result->def.ncovered = n;
}

/* See def_cache.h. */
itableIndex *
itable_form_index(itableTable *index, itableTable *fact)
{
	itableIndex *result = palloc0(sizeof(itableIndex));
	tmodel_index_def *def = &result->def;

	result->table = index;
	result->fact = fact;
	result->fact_def.table = fact->name;
	result->fact_def.encoding = fact->encoding;
	result->fact_def.npartition = fact->npartition;
	result->fact_def.partition_types = fact->partition_types;
	result->fact_def.nrow = fact->nrow;
	result->fact_def.row_types = fact->row_types;
	if (index->encoding != TMODEL_KEY_ESCAPED)
		column_error(index, itable_cstring(index->name),
					 "key_encoding 'raw' is not for index tables:",
					 "Leave the option out.");
	def->table = index->colocated ? fact->name : index->name;
	def->section = index->section;
	def->npartition = index->npartition_parts;
	def->partition = key_columns(index, index->npartition, index->partition,
								 fact);
	if (index->spread > 1)
		add_spread(index, def);
	def->nrow = index->nrow;
	def->row = key_columns(index, index->nrow, index->row, fact);
	def->unique = index->unique;
	check_fact_key(result);
	if (index->colocated)
		check_colocated(index, def, fact);
	check_encoding(index, fact);
	fill_covered(result);
	result->covering = tmodel_index_is_covering(def);
	return result;
}

itableIndex *
itable_index_def(itableTable *index, itableTable *fact)
{
	if (itable_is_kept(index) && itable_is_kept(fact))
	{
		itableIndex *kept = itable_kept(ITABLE_KEPT_INDEX, index->relid);

		/* of several relations over a fact table one is the index's own */
		if (kept->table == index && kept->fact == fact)
			return kept;
	}
	return itable_form_index(index, fact);
}

static int
compare_index_names(const ListCell *a, const ListCell *b)
{
	const itableIndex *left = lfirst(a);
	const itableIndex *right = lfirst(b);

	return tmodel_span_compare(left->table->name, right->table->name);
}

/* A second foreign table over the same index table adds no index. */
static bool
is_listed(List *indexes, const char *name)
{
	ListCell   *cell;

	foreach(cell, indexes)
		if (itable_same_table(((itableIndex *) lfirst(cell))->table->name, tmodel_span_of(name)))
			return true;
	return false;
}

bool
itable_has_sections(const itableTable *fact)
{
	ListCell   *cell;

	if (!itable_hides_reserved(fact))
		return false;
	foreach(cell, tables_of_server(fact->serverid))
	{
		const itableBrief *brief = lfirst(cell);

		if ((brief->colocated || brief->queued) &&
			itable_same_table(fact->name, tmodel_span_of(brief->index_of)))
			return true;
	}
	return false;
}

/* See table_def.h. */
List *
itable_queued_facts(Oid serverid)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, tables_of_server(serverid))
	{
		const itableBrief *brief = lfirst(cell);
		Oid			fact;

		if (!brief->queued)
			continue;
		fact = itable_fact_relid(itable_table_def(brief->relid), true);
		if (OidIsValid(fact))
			result = list_append_unique_oid(result, fact);
	}
	return result;
}

/* Does the foreign table have every column the index is made of? */
static bool
has_sources(const itableTable *fact, const itableTable *index)
{
	if ((index->colocated || index->queued) && !itable_hides_reserved(fact))
		return false;
	for (int i = 0; i < index->natts; i++)
	{
		const itableColumn *column = index->columns[i];

		if (column == NULL || column->kind == ITABLE_ETAG ||
			column->kind == ITABLE_TIMESTAMP || column->hashed != NULL)
			continue;
		if (itable_column_of_property(fact, column->element_of != NULL ?
									  tmodel_span_of(column->element_of) :
									  column->property) == NULL)
			return false;
	}
	return true;
}

List *
itable_relations_of(Oid serverid, tmodel_span table)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, tables_of_server(serverid))
	{
		itableBrief *brief = lfirst(cell);

		if (itable_same_table(table, tmodel_span_of(brief->name)))
			result = lappend_oid(result, brief->relid);
	}
	return result;
}

Oid
itable_declared_index(Oid serverid, tmodel_span table)
{
	ListCell   *cell;

	foreach(cell, tables_of_server(serverid))
	{
		itableBrief *brief = lfirst(cell);

		if (brief->index_of != NULL &&
			itable_same_table(table, tmodel_span_of(brief->name)))
			return brief->relid;
	}
	return InvalidOid;
}

/* See def_cache.h. */
List *
itable_form_indexes(itableTable *fact, bool for_reading)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, tables_of_server(fact->serverid))
	{
		itableBrief *brief = lfirst(cell);

		if (brief->index_of != NULL &&
			itable_same_table(fact->name, tmodel_span_of(brief->index_of)) &&
			!is_listed(result, brief->name))
		{
			itableTable *index = itable_table_def(brief->relid);

			if (!for_reading || has_sources(fact, index))
				result = lappend(result, itable_form_index(index, fact));
		}
	}
	list_sort(result, compare_index_names);
	return result;
}

List *
itable_indexes_of(itableTable *fact, bool for_reading)
{
	if (itable_is_index(fact))
		return NIL;
	/* a fact that was dropped or changed since has the indexes it had */
	if (!itable_is_kept(fact))
		return itable_form_indexes(fact, for_reading);
	return list_copy(itable_kept(for_reading ? ITABLE_KEPT_FOR_READING :
								 ITABLE_KEPT_FOR_WRITING, fact->relid));
}

/* Our tables are those of the wrapper that the extension creates. */
bool
itable_is_ours(Oid relid)
{
	ForeignTable *foreign;
	ForeignServer *server;
	ForeignDataWrapper *wrapper;

	if (get_rel_relkind(relid) != RELKIND_FOREIGN_TABLE)
		return false;
	foreign = GetForeignTable(relid);
	server = GetForeignServer(foreign->serverid);
	wrapper = GetForeignDataWrapper(server->fdwid);
	return strcmp(wrapper->fdwname, "itable_fdw") == 0;
}

double
itable_tuples_of(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double		tuples = 0;

	if (HeapTupleIsValid(tuple))
	{
		tuples = Max(((Form_pg_class) GETSTRUCT(tuple))->reltuples, 0);
		ReleaseSysCache(tuple);
	}
	return tuples;
}

char *
itable_element_name(const char *name)
{
	size_t		len = strlen(name);

	if (len > 1 && name[len - 1] == 's')
		return pnstrdup(name, len - 1);
	return psprintf("%s_element", name);
}
