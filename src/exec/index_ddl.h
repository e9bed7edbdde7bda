/*
 * index_ddl.h
 *	  Composing the CREATE FOREIGN TABLE statement of an index table, and what
 *	  the procedures about indexes share.
 */
#ifndef ITABLE_INDEX_DDL_H
#define ITABLE_INDEX_DDL_H

#include "postgres.h"
#include "nodes/pg_list.h"

#include "table/table_def.h"

typedef struct itableIndexRequest
{
	itableTable *base;
	const char *name;			/* of the new relation */
	List	   *key;			/* "column" or "alias=column" (char *) */
	List	   *include;		/* column names (char *) */
	bool		unique;
	bool		colocated;
	bool		queued;
	int			buckets;		/* partitions each key value is spread over */
	int			partitions;		/* that gather all key values; 0: one each */
} itableIndexRequest;

/*
 * The statement, with state 'building'; throws for columns that do not exist or
 * cannot be keys.  palloc'd.
 */
extern char *itable_index_statement(const itableIndexRequest *request);

/*
 * The base relation of an index table that belongs to the caller; InvalidOid
 * when it is not in this database.  Throws for anything else.
 */
extern Oid	itable_base_of(Oid index);

#endif							/* ITABLE_INDEX_DDL_H */
