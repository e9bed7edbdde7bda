/*
 * table_def.h
 *	  What a foreign table says about the store's table: columns, keys, options.
 *
 * A definition is built from the relation's catalog entries and checked as a
 * whole.  It stays as it is until the memory context current at the call is
 * reset, even if the catalogs change (def_cache.c).  It sends no request.
 */
#ifndef ITABLE_TABLE_DEF_H
#define ITABLE_TABLE_DEF_H

#include "postgres.h"
#include "access/attnum.h"
#include "fmgr.h"
#include "nodes/pg_list.h"
#include "utils/relcache.h"

#include "model/index.h"

typedef enum itableColumnKind
{
	ITABLE_PROPERTY,			/* an ordinary property */
	ITABLE_PARTITION_KEY,		/* a component of the PartitionKey */
	ITABLE_ROW_KEY,				/* a component of the RowKey */
	ITABLE_ETAG,				/* system 'etag' */
	ITABLE_TIMESTAMP			/* system 'timestamp' */
} itableColumnKind;

typedef struct itableColumn
{
	AttrNumber	attnum;
	char	   *attname;		/* for messages */
	tmodel_span property;		/* the store's name of it */
	itableColumnKind kind;
	int			component;		/* keys: index within its key */
	tmodel_key_type key_type;	/* keys */
	char	   *element_of;		/* property whose elements it holds, or NULL */
	char	   *hash_of;		/* property of the hashed column, or NULL */
	int			buckets;		/* hash_of: how many */
	struct itableColumn *hashed;	/* hash_of: the column, in the row key */
	Oid			type;
	Oid			base_type;		/* type, domains looked through */
	int32		typmod;
	Oid			collation;
	tmodel_type edm;			/* type of the property in the store */
	Oid			element_type;	/* arrays: InvalidOid when not an array */
	bool		element_quoted; /* arrays: elements are JSON strings */
	bool		not_null;
	FmgrInfo	input;			/* type (or element type) text -> Datum */
	FmgrInfo	output;			/* Datum -> text */
	Oid			input_param;
	void	   *domain_check;	/* what domain_check() keeps between calls */
	int16		element_len;	/* arrays: as pg_type has it */
	bool		element_byval;
	char		element_align;
} itableColumn;

typedef struct itableTable
{
	Oid			relid;
	Oid			serverid;
	char	   *relname;		/* for messages */
	tmodel_span name;			/* the store's table */
	bool		has_name;		/* by option "table_name" */
	int			natts;
	itableColumn **columns;		/* by attnum - 1; NULL: dropped */
	tmodel_key_encoding encoding;
	int			npartition;
	itableColumn **partition;	/* in component order */
	int			npartition_parts;	/* npartition, or one more: a component
								 * without column, see "spread" */
	tmodel_key_type *partition_types;	/* of all parts */
	int			nrow;
	itableColumn **row;
	tmodel_key_type *row_types;
	bool		ordered;		/* the store hands out entities by key */
	/* options, the server's where the table has none */
	bool		updatable;
	int			fetch_size;
	int			batch_size;
	bool		async_capable;	/* scans may wait beside each other */
	int			max_connections;	/* the server's: requests in flight */
	bool		direct_insert;	/* insert_mode 'direct' */
	double		startup_cost;
	double		tuple_cost;
	/* index tables */
	tmodel_span index_of;		/* the fact table in the store; empty: none */
	int			spread;			/* partitions per key value (option buckets);
								 * more than 1: the last part of the
								 * PartitionKey is the fact's bucket */
	bool		unique;			/* one entity per key value, its owner in it */
	bool		colocated;		/* entries in the fact's own partition */
	tmodel_span stored_in;		/* the store's table that holds the entities:
								 * "name", or the fact's when colocated */
	tmodel_span section;		/* colocated: what RowKeys begin with */
	bool		queued;			/* maintained later, by a worker */
	bool		readable;		/* the planner may use it */
	char	   *state;
	bool		has_state;		/* option "state" is there */
} itableTable;

/* One index table of a fact table. */
typedef struct itableIndex
{
	itableTable *table;			/* the index table's own definition */
	itableTable *fact;			/* its fact table's */
	tmodel_fact_def fact_def;
	tmodel_index_def def;
	bool		covering;
	/* per column of the index table (attnum - 1): where a row's value comes
	 * from when the fact is at hand; 0: nowhere */
	AttrNumber *fact_attnum;
} itableIndex;

/* Once, when the library is loaded. */
extern void itable_definitions_init(void);

/* Builds and checks; throws at a definition that does not hold together. */
extern itableTable *itable_table_def(Oid relid);

#define itable_is_index(table) ((table)->index_of.len > 0)

/*
 * Are entities whose RowKeys are reserved (model/section.h) no rows of it?  In
 * a raw table any RowKey may be somebody's, and an index table has none.
 */
#define itable_hides_reserved(table) \
	(!itable_is_index(table) && (table)->encoding == TMODEL_KEY_ESCAPED)

/* The fact relation of an index table; throws when there is none. */
extern itableTable *itable_fact_of(const itableTable *index);
extern Oid	itable_fact_relid(const itableTable *index, bool missing_ok);

/* Ties an index table to its fact table; throws when they do not match. */
extern itableIndex *itable_index_def(itableTable *index, itableTable *fact);

/*
 * All index tables of a fact table (List of itableIndex *), ordered by name.  A
 * foreign table that lacks columns of an index cannot be written through, which
 * throws; "for_reading" leaves such an index out.
 */
extern List *itable_indexes_of(itableTable *fact, bool for_reading);

/*
 * Are there entities besides facts in the fact table's partitions, as far as
 * this database knows?  Leaving them out where they are told by their RowKeys
 * (model/section.h) does not wait for the answer; it only saves reading them.
 */
extern bool itable_has_sections(const itableTable *fact);

/*
 * What every writer must agree on, as one line of text (layout.c): the same for
 * two foreign tables exactly when they make the same entries of a fact.
 */
extern char *itable_index_layout(const itableIndex *index);

/* The foreign table as JSON, enough to declare it in another database. */
extern char *itable_index_definition(const itableIndex *index);

/* OIDs of the server's fact tables that have queued indexes. */
extern List *itable_queued_facts(Oid serverid);

/* OIDs of all foreign tables over a table of the store. */
extern List *itable_relations_of(Oid serverid, tmodel_span table);

/* The foreign table declared as this index table, or InvalidOid. */
extern Oid	itable_declared_index(Oid serverid, tmodel_span table);

/* OIDs of all index tables in this database. */
extern List *itable_all_indexes(void);

/* An array's element as a column: "actors" is "actor", "abc" "abc_element". */
extern char *itable_element_name(const char *name);

/* The column that holds the property, or NULL. */
extern itableColumn *itable_column_of_property(const itableTable *table,
											   tmodel_span property);

/* Rows of the relation as the last ANALYZE counted them; 0: not known. */
extern double itable_tuples_of(Oid relid);

/* Does the relation belong to this wrapper? */
extern bool itable_is_ours(Oid relid);

/*
 * The store's name for a relation that names none: its letters and digits, for
 * the store's table names have no underscores ("movies_by_actor" is table
 * "moviesbyactor").
 */
extern char *itable_default_name(const char *relname);

/* The store's table names do not distinguish case. */
extern bool itable_same_table(tmodel_span a, tmodel_span b);

extern char *itable_cstring(tmodel_span span);

#endif							/* ITABLE_TABLE_DEF_H */
