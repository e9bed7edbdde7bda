/*
 * named.h
 *	  The facts that an index table's entries name.
 */
#ifndef ITABLE_NAMED_H
#define ITABLE_NAMED_H

#include "exec/keyset.h"
#include "exec/reader.h"

/*
 * Reads the entries the probes ask for and returns the keys of their facts, in
 * the context; NULL when they are more than work_mem holds.
 */
extern itableKeySet *itable_facts_named(MemoryContext context,
										tstore_client *client,
										const itableIndex *index,
										const itableProbes *probes,
										itableCounts *counts);

#endif							/* ITABLE_NAMED_H */
