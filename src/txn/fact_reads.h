/*
 * fact_reads.h
 *	  Reads many facts whose keys are known, in few requests.
 */
#ifndef ITABLE_FACT_READS_H
#define ITABLE_FACT_READS_H

#include "postgres.h"

#include "remote/session.h"
#include "table/table_def.h"

/* One fact that is wanted. */
typedef struct factRead
{
	const tmodel_entity *keys;	/* only its keys count; no two the same */
	const tmodel_entity **found;	/* left as it is when it is not there */
} factRead;

/*
 * Reads them all; what is found (with ETag) is copied to the arena.  Sorts
 * "reads".  Each is read after the call.  Throws when the store fails.
 */
extern void itable_read_facts(tstore_client *client, itableCalls *calls,
							  const itableTable *table, tmodel_arena *arena,
							  int n, factRead *reads);

#endif							/* ITABLE_FACT_READS_H */
