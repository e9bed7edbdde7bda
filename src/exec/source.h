/*
 * source.h
 *	  Where a scan's rows come from: the three ways to read a relation, with
 *	  this transaction's own writes laid over.
 */
#ifndef ITABLE_SOURCE_H
#define ITABLE_SOURCE_H

#include "exec/keyset.h"
#include "exec/lookup.h"
#include "exec/reader.h"
#include "txn/overlay.h"

typedef enum itableSourceKind
{
	ITABLE_SOURCE_TABLE,		/* a fact (or plain) table */
	ITABLE_SOURCE_INDEX,		/* a fact table through an index table */
	ITABLE_SOURCE_ENTRIES		/* an index table itself */
} itableSourceKind;

typedef struct itableSource itableSource;

typedef struct itableSourceSpec
{
	itableSourceKind kind;
	tstore_client *client;
	Oid			userid;			/* whose client it is */
	const itableTable *relation;	/* the scanned relation */
	const itableIndex *index;	/* INDEX, ENTRIES */
	bool		covering;		/* INDEX: verified entries answer alone */
	const bool *wanted;			/* by attnum - 1; NULL: whole entities */
	CommandId	cid;			/* the snapshot's */
	bool		to_the_end;		/* all rows will be wanted */
	bool		any_order;		/* rows of several probes may be mixed */
	bool		only_rows;		/* nobody but the row itself needs its keys */
	bool		cut;			/* probes may be cut while they are read */
	const itableOrder *order;	/* rows must come so; NULL: in any order */
} itableSourceSpec;

extern itableSource *itable_source(MemoryContext context,
								   const itableSourceSpec *spec,
								   itableCounts *counts);

/* How it reads the table that is asked. */
extern const itableReaderSpec *itable_source_reads(const itableSource *source);

/*
 * Before a start: rows whose keys are in "seen" are left out, and those returned
 * are added to it (NULL: alone).  Only the "last" of the sources that share it
 * returns this transaction's own writes.
 */
extern void itable_source_share(itableSource *source, itableKeySet *seen,
								bool last);

/* Before a start: INDEX reads no facts but these; NULL: all. */
extern void itable_source_restrict(itableSource *source, itableKeySet *only);

extern void itable_source_start(itableSource *source,
								const itableProbes *probes);

/*
 * The next row as an entity of the scanned relation (its keys, its
 * properties); NULL at the end.  Valid until the next call.
 */
extern const tmodel_entity *itable_source_next(itableSource *source);

/* Asks for the first pages now, so that they are under way. */
extern void itable_source_begin(itableSource *source);

/*
 * Sends what can be sent without waiting: the first requests, and those that
 * answers which have come lead to.
 */
extern void itable_source_prefetch(itableSource *source);

extern tstore_client *itable_source_client(const itableSource *source);

/* Will itable_source_next() hardly wait?  Prefetches. */
extern bool itable_source_is_ready(itableSource *source);

extern void itable_source_stop(itableSource *source);

#endif							/* ITABLE_SOURCE_H */
