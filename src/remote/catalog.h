/*
 * catalog.h
 *	  The catalog of indexes that all databases writing to a store share.
 *
 * Table itablecatalog has a partition for each fact table, in it an entity for
 * each index (definition, state, progress of its backfill) and one for each
 * *writer*, a database that writes the fact table.  One query brings all.
 *
 * What a backend has read it believes for one lease (catalog_lease).  Nothing a
 * writer sends at its commit points rests on an older reading, so whoever moves
 * an index and then waits two leases knows that every writer knows.  Writers of
 * this database need no such wait: they hold locks, and a message of
 * invalidation makes them read again.
 *
 * catalog.c reads and keeps, catalog_change.c writes, catalog_rules.c says what
 * a state means for a writer, a planner, a scan.
 */
#ifndef ITABLE_CATALOG_H
#define ITABLE_CATALOG_H

#include "postgres.h"

#include "store/client.h"
#include "table/table_def.h"

typedef enum itableIndexState
{
	ITABLE_UNLISTED = 0,		/* not in the catalog */
	ITABLE_REGISTERED,			/* writers touch entries */
	ITABLE_BUILDING,			/* and verify them; backfill goes on */
	ITABLE_READABLE,			/* the planner may use it */
	ITABLE_DEPRECATED,			/* maintained, used no more */
	ITABLE_DROPPING,			/* neither */
	ITABLE_DROPPED				/* its table is gone from the store */
} itableIndexState;

/* "registered" and so on, as in the store and in option "state". */
extern const char *itable_state_name(itableIndexState state);

typedef struct itableListed
{
	char	   *name;			/* the index table in the store */
	itableIndexState state;
	int32		epoch;			/* counts its steps */
	char	   *incarnation;	/* tells it from an earlier one of the name */
	char	   *layout;			/* itable_index_layout() */
	char	   *definition;		/* itable_index_definition() */
	/* the backfill's cursor: the last fact done; no key: none */
	bool		has_cursor;
	tmodel_span cursor_partition;
	tmodel_span cursor_row;
	int64		done;			/* facts */
	tmodel_span etag;
} itableListed;

typedef struct itableWriter
{
	char	   *id;				/* itable_writer_id() */
	int			lease_ms;
	int64		age_ms;			/* since it registered, by the store's clock */
} itableWriter;

typedef struct itableCatalog
{
	bool		exists;			/* the store has a catalog */
	List	   *indexes;		/* itableListed *, by name */
	List	   *writers;		/* itableWriter *, those long silent left out */
} itableCatalog;

/* ---- catalog.c ---- */

/* Once, when the library is loaded. */
extern void itable_catalog_init(void);

/*
 * What is known of the fact table's indexes, read again when the lease is over;
 * this database is registered first.  Valid until the next call about the table
 * that reads.  Throws what the store says.  Readers ("writing" false) do with
 * less: no catalog is made for them, and without the right to register they
 * believe nothing for longer than this call.
 */
extern const itableCatalog *itable_catalog(tstore_client *client,
										   const itableTable *fact,
										   bool writing);

/* The same for a writer, read now whatever the lease. */
extern const itableCatalog *itable_catalog_fresh(tstore_client *client,
												 const itableTable *fact);

/* The same for a flush under way: throws nothing; NULL: *error says why, or a
 * cancel came (TSTORE_ABORTED). */
extern const itableCatalog *itable_catalog_renew(tstore_client *client,
												 const itableTable *fact,
												 tstore_error *error);

/* Sends nothing; NULL: nothing is known. */
extern const itableCatalog *itable_catalog_known(const itableTable *fact);

/* May a writer still act on what is known?  Sends nothing. */
extern bool itable_lease_holds(const itableTable *fact);

/* For how long; 0: no longer, -1: for ever (catalog_lease is off). */
extern int64 itable_lease_left_ms(const itableTable *fact);

/* The index in the catalog, or NULL. */
extern itableListed *itable_find_listed(const itableCatalog *catalog,
										tmodel_span name);

/* This database's name among the writers: never that of another. */
extern char *itable_writer_id(void);

/* ---- catalog_change.c ---- */

/* Registers this database; throws nothing, *error says what the store said. */
extern bool itable_register_writer(tstore_client *client,
								   const itableTable *fact,
								   tstore_error *error);

/*
 * A new index, REGISTERED; in place of "was" (DROPPED), if any.  False: another
 * was faster.
 */
extern bool itable_catalog_add(tstore_client *client, const itableIndex *index,
							   const itableListed *was);

/*
 * One conditional update: the index's state, or (state the same) only cursor
 * and progress.  The new ETag is put into *listed.  False: somebody else
 * changed it.
 */
extern bool itable_catalog_step(tstore_client *client, const itableTable *fact,
								itableListed *listed, itableIndexState state);

/* Takes it out; false: somebody else changed it. */
extern bool itable_catalog_remove(tstore_client *client,
								  const itableTable *fact,
								  const itableListed *listed);

/* How long to wait for other databases' writers: two of the longest leases;
 * 0: there are none. */
extern int64 itable_others_wait_ms(const itableCatalog *catalog);

/* ---- catalog_rules.c ---- */

/* An index as a transaction maintains it. */
typedef struct itableMaintained
{
	itableIndex *index;
	const char *name;			/* in the store */
	bool		may_verify;
	itableIndexState state;
	char	   *incarnation;	/* NULL: unlisted */
} itableMaintained;

/*
 * The indexes a writer of the fact table must maintain (itableMaintained *), in
 * the current context.  Throws when the catalog lists one that is not declared
 * here, or is declared otherwise.
 */
extern List *itable_to_maintain(const itableCatalog *catalog,
								itableTable *fact);

/*
 * May a transaction that maintains these commit under this catalog?  NULL: yes;
 * else the name of the index that moved on.
 */
extern const char *itable_moved_index(const itableCatalog *catalog,
									  List *maintained);

/* May the planner use it, as far as is known?  Sends nothing. */
extern bool itable_may_plan(const itableIndex *index);

/*
 * For scans of a fact table: an index imported before it was readable may be so
 * by now.  Reads the catalog when there is such an index and the lease is over.
 */
extern void itable_notice_readable(tstore_client *client, itableTable *fact);

/* Throws 40001 unless lookups through the index still find everything. */
extern void itable_check_readable(tstore_client *client,
								  const itableIndex *index);

#endif							/* ITABLE_CATALOG_H */
