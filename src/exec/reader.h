/*
 * reader.h
 *	  Entities of the store, one after the other, from a list of probes.
 */
#ifndef ITABLE_READER_H
#define ITABLE_READER_H

#include "exec/probe.h"
#include "remote/session.h"

/* What EXPLAIN (ANALYZE) shows; a retry is a request too. */
typedef struct itableCounts
{
	int64		requests;
	int64		pages;			/* answers to queries */
	int64		entities;
	int64		bytes;			/* received */
	int64		retries;
} itableCounts;

typedef struct itableReader itableReader;

typedef struct itableReaderSpec
{
	tstore_client *client;
	tmodel_span table;
	const char *relname;		/* for messages */
	int			nselect;		/* 0: all properties */
	const tmodel_span *select;
	int			page_size;		/* 1..1000 */
	bool		plain;			/* pages without ETags and types */
	bool		to_the_end;		/* all rows will be wanted */
	bool		any_order;		/* of probes: whichever page comes first */
	bool		cut;			/* probes may be cut (any_order) */
	int			in_flight;		/* pages under way; 0: as many as is usual */
	bool		only_facts;		/* leave out entities with reserved RowKeys */
} itableReaderSpec;

/* Everything in *spec must outlive the reader, which lives in "context". */
extern itableReader *itable_reader(MemoryContext context,
								   const itableReaderSpec *spec,
								   itableCounts *counts);

/* A started reader over every entity of the table, in the current context. */
extern itableReader *itable_read_table(const itableTable *table,
									   tstore_client *client,
									   itableCounts *counts);

/* The same in no order, several ranges of keys at a time after ANALYZE. */
extern itableReader *itable_read_pieces(const itableTable *table,
										tstore_client *client,
										itableCounts *counts);

/* The same from the first entity behind these keys on, in the store's order. */
extern itableReader *itable_read_table_after(const itableTable *table,
											 tstore_client *client,
											 itableCounts *counts,
											 tmodel_span partition_key,
											 tmodel_span row_key);

/* (Re)starts with these probes; nothing is sent before the first _next. */
extern void itable_reader_start(itableReader *reader,
								const itableProbes *probes);

/* Asks for the first pages now, so that they are under way. */
extern void itable_reader_begin(itableReader *reader);

/* How many entities can be had without waiting. */
extern int	itable_reader_ready(const itableReader *reader);

/* Is it known that there are no more? */
extern bool itable_reader_is_done(const itableReader *reader);

/* The next entity, valid until the next call; NULL at the end. */
extern const tmodel_entity *itable_reader_next(itableReader *reader);

/* Is the last probe the one that is read? */
extern bool itable_reader_is_last(const itableReader *reader);

/* Breaks off what is in flight. */
/* Begins the next call of itable_reader_next(): sends what it would send. */
extern void itable_reader_prefetch(itableReader *reader);

/* Will itable_reader_next() not wait? */
extern bool itable_reader_is_ready(const itableReader *reader);

extern void itable_reader_stop(itableReader *reader);

/* Adds a finished request to the counts. */
extern void itable_count(itableCounts *counts, const tstore_reply *reply,
						 bool page);

#endif							/* ITABLE_READER_H */
