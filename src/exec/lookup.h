/*
 * lookup.h
 *	  The facts behind index entries: point reads, several in flight.
 */
#ifndef ITABLE_LOOKUP_H
#define ITABLE_LOOKUP_H

#include "exec/reader.h"

typedef struct itableLookup itableLookup;

/* "spec" as for a reader over the fact table; page_size is not used. */
extern itableLookup *itable_lookup(MemoryContext context,
								   const itableReaderSpec *spec,
								   itableCounts *counts);

/* A new scan; so many facts will be wanted first (0: all of them). */
extern void itable_lookup_start(itableLookup *lookup, int first);

/* Entries added and not handed out yet. */
extern int	itable_lookup_pending(const itableLookup *lookup);

/* Would another entry have to wait? */
extern bool itable_lookup_is_full(const itableLookup *lookup);

/* Starts reading the fact of an entry (which is copied). */
extern void itable_lookup_add(itableLookup *lookup,
							  const tmodel_entity *entry);

/*
 * The next entry and its fact, in the order added; *fact is NULL when there is
 * none (or only a stub).  Valid until the next call.  False: nothing waits.
 */
extern bool itable_lookup_next(itableLookup *lookup,
							   const tmodel_entity **entry,
							   const tmodel_entity **fact);

/* The server's clock (ticks) at the answer returned last; -1: not told. */
extern int64 itable_lookup_server_time(const itableLookup *lookup);

/* Is no fact left to be returned? */
extern bool itable_lookup_is_empty(const itableLookup *lookup);

/* Will itable_lookup_next() not wait, and return a fact? */
extern bool itable_lookup_is_ready(const itableLookup *lookup);

extern void itable_lookup_stop(itableLookup *lookup);

/* The fact's keys an entry names; false when it names none. */
extern bool itable_entry_fact(const tmodel_entity *entry,
							  tmodel_span *partition_key,
							  tmodel_span *row_key);

#endif							/* ITABLE_LOOKUP_H */
