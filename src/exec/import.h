/*
 * import.h
 *	  IMPORT FOREIGN SCHEMA: foreign tables for the tables of a store.
 */
#ifndef ITABLE_IMPORT_H
#define ITABLE_IMPORT_H

#include "postgres.h"
#include "nodes/parsenodes.h"
#include "nodes/pg_list.h"

/*
 * CREATE FOREIGN TABLE statements (List of char *), fact tables only: an index
 * table belongs to itable_import_indexes().  Throws for an option it does not
 * know.
 */
extern List *itableImportForeignSchema(ImportForeignSchemaStmt *stmt,
									   Oid serverid);

#endif							/* ITABLE_IMPORT_H */
