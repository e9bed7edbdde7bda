/*
 * store_table.h
 *	  Tables of the store as a whole: create, drop, and who may.
 */
#ifndef ITABLE_STORE_TABLE_H
#define ITABLE_STORE_TABLE_H

#include "postgres.h"

#include "table/table_def.h"

#define ITABLE_VERSION "1.0.0"

/* Throws unless the relation is ours and belongs to the caller. */
extern void itable_check_owner(Oid relid);

/* True when it was not there (create) or was there (drop).  Not undone by
 * ROLLBACK. */
extern bool itable_store_create(const itableTable *table);
extern bool itable_store_drop(Oid serverid, tmodel_span name);

#endif							/* ITABLE_STORE_TABLE_H */
