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

#include "remote/session.h"
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

/* Not changed for itable_fdw.repair_age, by the server's clock alone? */
extern bool itable_is_old(const tmodel_entity *entity, int64 server_time);

/* One entry to mend. */
typedef struct itableMend
{
	const tmodel_entity *entry; /* with ETag, read before the fact */
	const tmodel_entity *fact;	/* as read, perhaps a stub; NULL: none */
} itableMend;

/*
 * Mends the entries of the list together, whatever their age; each fact at most
 * once in it, for mending changes its ETag.  A lost race leaves an entry as it
 * is.  False: ended by a cancel (error's status is TSTORE_OK) or by the store.
 */
extern bool itable_mend(tstore_client *client, const itableIndex *index,
						int n, const itableMend *list, tmodel_arena *arena,
						tstore_error *error);

#endif							/* ITABLE_REPAIR_H */
