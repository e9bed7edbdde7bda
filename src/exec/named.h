/*
 * named.h
 *	  The facts that an index table's entries name.
 */
#ifndef ITABLE_NAMED_H
#define ITABLE_NAMED_H

#include "exec/keyset.h"
#include "exec/reader.h"

typedef struct itableNaming itableNaming;

/* Asks for the entries of the probes; the first requests are on their way. */
extern itableNaming *itable_naming_begin(MemoryContext context,
										 tstore_client *client,
										 const itableIndex *index,
										 const itableProbes *probes,
										 itableCounts *counts);

/*
 * Reads them to their end and returns the keys of their facts, in the context,
 * of those only that are in "within" (NULL: all).  NULL: more than work_mem
 * holds.
 */
extern itableKeySet *itable_naming_finish(itableNaming *naming,
										  const itableKeySet *within);

#endif							/* ITABLE_NAMED_H */
