/*
 * repair.h
 *	  Repair of one index entry that a crash left unverified.
 *
 * Drives the machine of protocol.h under the same two rules.
 */
#ifndef TMODEL_REPAIR_H
#define TMODEL_REPAIR_H

#include "protocol.h"

/*
 * Repair of one entry that is not verified.  "entry" (with ETag) must have been
 * read *before* "fact" (with ETag; NULL: there is none).  "justified" is the
 * entry the fact has under the same keys, or NULL.
 *	 absent fact  -> delete the entry If-Match
 *	 stub		  -> delete the stub If-Match, then the entry
 *	 live		  -> fence the fact If-Match, then verify (covering) or delete
 *	 live, justified, pointer index: nothing to do
 * Whether an entry or stub is old enough for this is the caller's decision.
 */
typedef struct tmodel_repair
{
	tmodel_span fact_table;
	tmodel_span index_table;
	bool		covering;
	const tmodel_entity *entry;
	const tmodel_entity *fact;
	const tmodel_entity *justified;
} tmodel_repair;

extern tmodel_machine *tmodel_repair_start(tmodel_arena *arena,
										   const tmodel_repair *repair);

#endif							/* TMODEL_REPAIR_H */
