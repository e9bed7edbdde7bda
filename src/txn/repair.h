/*
 * repair.h
 *	  Entries that scans found unverified, mended before the transaction ends.
 *
 * A crash leaves entries that are not verified; readers answer correctly in
 * spite of them, at the price of reading the fact.  Those older than
 * itable_fdw.repair_age by the server's clock belong to no writer any more;
 * were one wrong about that, the protocol's two rules still hold.
 */
#ifndef ITABLE_REPAIR_H
#define ITABLE_REPAIR_H

#include "postgres.h"

#include "table/table_def.h"

/*
 * Remembers an entry (with ETag and Timestamp) that was read before its fact.
 * Ignored when it is young, or enough are remembered.
 */
extern void itable_remember_repair(const itableIndex *index, Oid userid,
								   const tmodel_entity *entry,
								   int64 server_time);

/* Mends what was remembered: best effort, ended by any trouble or cancel. */
extern void itable_repairs_run(void);
extern void itable_repairs_reset(void);

#endif							/* ITABLE_REPAIR_H */
