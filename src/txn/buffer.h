/*
 * buffer.h
 *	  The transaction's writes, kept until PRE_COMMIT.
 *
 * One *change* per entity touched; each change is a stack of *versions*, one
 * per command that wrote it, so that scans see what their snapshot may see and
 * ROLLBACK TO takes back exactly what it should.  Nothing here talks to the
 * store (flush.c does); scans look through overlay.h.
 */
#ifndef ITABLE_BUFFER_H
#define ITABLE_BUFFER_H

#include "postgres.h"
#include "access/xact.h"
#include "storage/itemptr.h"

#include "table/table_def.h"
#include "txn/rows.h"

typedef struct itableVersion itableVersion;
typedef struct itableChange itableChange;
typedef struct itableTarget itableTarget;

struct itableVersion
{
	itableVersion *older;		/* of the same entity */
	itableChange *change;
	SubTransactionId subid;
	CommandId	cid;			/* visible to snapshots with a later one */
	const itableRow *row;		/* NULL: deleted */
};

struct itableChange
{
	itableTarget *target;
	tmodel_span partition_key;	/* hash key, with target; a row's */
	tmodel_span row_key;
	uint32		hash;
	const itableRow *base;		/* F0 as read, with ETag; NULL: none known */
	itableVersion *newest;		/* NULL: all rolled back */
	itableChange *next;			/* of the target, in order of first write */
};

/* A store's table with changes in this transaction. */
struct itableTarget
{
	Oid			serverid;
	Oid			userid;			/* whose credentials write */
	Oid			relid;			/* the foreign table first written through */
	itableTable *table;
	itableChange *changes;		/* first; NULL: none */
	itableChange *last;
	int			nchanges;
	itableTarget *next;
};

/* The target for a table, made when it is not there. */
extern itableTarget *itable_target(const itableTable *table, Oid userid);

/* The target, or NULL when this transaction has not written the table. */
extern itableTarget *itable_find_target(Oid serverid, tmodel_span table);

/* All targets, linked through next. */
extern itableTarget *itable_targets(void);

/* The change of an entity, or NULL. */
extern itableChange *itable_find_change(itableTarget *target,
										tmodel_span partition_key,
										tmodel_span row_key);

/* The newest version that a snapshot of this curcid sees, or NULL. */
extern const itableVersion *itable_visible_version(const itableChange *change,
												   CommandId cid);

/*
 * Buffered writes; entities are copied.  Insert throws 23505 when this
 * transaction knows a live row of that key; update and delete return false when
 * the current command has already changed the row (PostgreSQL ignores the second
 * change, and so do we).  "old" is what "read" has.
 */
extern void itable_buffer_insert(itableTarget *target,
								 const tmodel_entity *entity);
extern bool itable_buffer_update(itableTarget *target, const itableRow *read,
								 const tmodel_entity *old,
								 const tmodel_entity *entity);
extern bool itable_buffer_delete(itableTarget *target, const itableRow *read);

/* Does this transaction know a live row with the entity's keys? */
extern bool itable_buffer_has_row(itableTarget *target,
								  const tmodel_entity *entity);

/* Another number whenever something was written or rolled back. */
extern uint64 itable_buffer_generation(void);

/* Memory until the transaction ends. */
extern MemoryContext itable_buffer_context(void);

/*
 * Rows that a scan read for UPDATE or DELETE: those of the store are kept, own
 * ones are the version that the scan's snapshot sees.  The row identity is a
 * ctid that names the row.
 */
extern const itableRow *itable_buffer_row(Oid serverid, tmodel_span table,
										  const tmodel_entity *entity,
										  CommandId cid);
extern void itable_remember_row(const itableRow *row, ItemPointer tid);
extern const itableRow *itable_remembered_row(ItemPointer tid);

/* Ends of (sub)transactions; xact.c calls them. */
extern void itable_buffer_rollback_to(SubTransactionId subid);
extern void itable_buffer_reset(void);
extern bool itable_buffer_is_empty(void);

#endif							/* ITABLE_BUFFER_H */
