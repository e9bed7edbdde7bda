/*
 * catalog_int.h
 *	  How the catalog looks in the store; for catalog.c and catalog_change.c.
 */
#ifndef ITABLE_CATALOG_INT_H
#define ITABLE_CATALOG_INT_H

#include "remote/catalog.h"

/* The PartitionKey of a fact table, the RowKey of an index; palloc'd. */
extern tmodel_span itable_catalog_key(tmodel_span table);

/* How long a registration counts; writers renew it at half of that. */
#define ITABLE_REGISTERED_MS (60 * 60 * 1000)

/* The names of properties, and what begins a writer's RowKey. */
#define ITABLE_WRITER_PREFIX "~writer~"
#define ITABLE_C_LEASE TMODEL_SPAN("Lease")
#define ITABLE_C_NAME TMODEL_SPAN("Name")
#define ITABLE_C_STATE TMODEL_SPAN("State")
#define ITABLE_C_EPOCH TMODEL_SPAN("Epoch")
#define ITABLE_C_INCARNATION TMODEL_SPAN("Incarnation")
#define ITABLE_C_LAYOUT TMODEL_SPAN("Layout")
#define ITABLE_C_DEFINITION TMODEL_SPAN("Definition")
#define ITABLE_C_CURSOR_PK TMODEL_SPAN("CursorPartitionKey")
#define ITABLE_C_CURSOR_RK TMODEL_SPAN("CursorRowKey")
#define ITABLE_C_DONE TMODEL_SPAN("Done")

#endif							/* ITABLE_CATALOG_INT_H */
