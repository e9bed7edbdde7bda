/*
 * buffer.c
 *	  What this transaction has written and not yet sent.
 *
 * Answers "what has this transaction done to this entity, as of which command
 * and subtransaction?".  Does not know protocol, batches or requests.  Written
 * by exec/modify, read by overlay.c and flush.c.  Easy to break: versions must
 * be pushed in time order, for ROLLBACK TO pops them from the end.
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/hashfn.h"
#include "foreign/foreign.h"
#include "utils/memutils.h"

#include "remote/memory.h"
#include "txn/buffer.h"

static bool change_equal(const itableChange *a, const itableChange *b);

static inline uint32
change_hash(const itableTarget *target, tmodel_span partition_key,
			tmodel_span row_key)
{
	uint32		hash = hash_bytes((const unsigned char *) row_key.data,
								  row_key.len);

	hash = hash_combine(hash, hash_bytes((const unsigned char *)
										 partition_key.data,
										 partition_key.len));
	return hash_combine(hash, murmurhash32((uint32) (uintptr_t) target));
}

/* The table holds pointers to changes, so that changes never move. */
typedef struct changeSlot
{
	itableChange *change;
	char		status;
} changeSlot;

#define SH_PREFIX changes
#define SH_ELEMENT_TYPE changeSlot
#define SH_KEY_TYPE itableChange *
#define SH_KEY change
#define SH_HASH_KEY(tb, key) ((key)->hash)
#define SH_EQUAL(tb, a, b) change_equal(a, b)
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* How a remembered row's number becomes a ctid: the block, and the offset. */
#define ROWS_PER_BLOCK 1024

typedef struct transactionBuffer
{
	MemoryContext context;		/* NULL: nothing was buffered yet */
	tmodel_arena *arena;		/* changes and versions */
	changes_hash *changes;
	itableTarget *targets;
	itableVersion **versions;	/* all, oldest first */
	int			nversions;
	int			max_versions;
	const itableRow **rows;		/* remembered rows by number */
	int64		nrows;
	int64		max_rows;
} transactionBuffer;

static transactionBuffer buffer;
static uint64 generation = 0;

static bool
change_equal(const itableChange *a, const itableChange *b)
{
	return a->target == b->target &&
		tmodel_span_equal(a->row_key, b->row_key) &&
		tmodel_span_equal(a->partition_key, b->partition_key);
}

static void
ensure_buffer(void)
{
	MemoryContext context;

	if (buffer.context != NULL)
		return;
	context = AllocSetContextCreate(TopMemoryContext, "itable_fdw buffer",
									ALLOCSET_DEFAULT_SIZES);
	memset(&buffer, 0, sizeof(buffer));
	buffer.arena = itable_arena(context);
	buffer.changes = changes_create(context, 64, NULL);
	buffer.max_versions = 64;
	buffer.versions = MemoryContextAlloc(context, buffer.max_versions *
										 sizeof(itableVersion *));
	buffer.max_rows = ROWS_PER_BLOCK;
	buffer.rows = MemoryContextAlloc(context, buffer.max_rows *
									 sizeof(itableRow *));
	itable_rows_begin(context);
	buffer.context = context;
}

MemoryContext
itable_buffer_context(void)
{
	ensure_buffer();
	return buffer.context;
}

itableTarget *
itable_find_target(Oid serverid, tmodel_span table)
{
	if (buffer.context == NULL)
		return NULL;
	for (itableTarget *target = buffer.targets; target != NULL;
		 target = target->next)
		if (target->serverid == serverid &&
			itable_same_table(target->table->name, table))
			return target;
	return NULL;
}

/* One entity's changes go out together, so with one user's credentials. */
static void
check_same_user(const itableTarget *target, Oid userid)
{
	if (target->userid == userid ||
		GetUserMapping(target->userid, target->serverid)->umid ==
		GetUserMapping(userid, target->serverid)->umid)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("foreign table \"%s\" is written with two user mappings in one transaction",
					target->table->relname),
			 errhint("Write it as one user, or commit in between.")));
}

itableTarget *
itable_target(const itableTable *table, Oid userid)
{
	itableTarget *target = itable_find_target(table->serverid, table->name);
	MemoryContext old;

	if (target != NULL)
	{
		check_same_user(target, userid);
		return target;
	}
	ensure_buffer();
	old = MemoryContextSwitchTo(buffer.context);
	target = palloc0(sizeof(itableTarget));
	target->serverid = table->serverid;
	target->userid = userid;
	target->relid = table->relid;
	target->table = itable_table_def(table->relid);
	target->next = buffer.targets;
	buffer.targets = target;
	MemoryContextSwitchTo(old);
	return target;
}

uint64
itable_buffer_generation(void)
{
	return generation;
}

itableTarget *
itable_targets(void)
{
	return buffer.context == NULL ? NULL : buffer.targets;
}

itableChange *
itable_find_change(itableTarget *target, tmodel_span partition_key,
				   tmodel_span row_key)
{
	itableChange probe = {0};
	changeSlot *slot;

	if (target == NULL)
		return NULL;
	probe.target = target;
	probe.partition_key = partition_key;
	probe.row_key = row_key;
	probe.hash = change_hash(target, partition_key, row_key);
	slot = changes_lookup(buffer.changes, &probe);
	return slot != NULL ? slot->change : NULL;
}

/* The change of this row's entity, made when it is not there. */
static itableChange *
get_change(itableTarget *target, const itableRow *row, const itableRow *base)
{
	itableChange *change = itable_find_change(target, row->partition_key,
											  row->row_key);
	bool		found;

	if (change != NULL)
		return change;
	change = tmodel_alloc(buffer.arena, sizeof(itableChange));
	itable_check_arena(buffer.arena);
	change->target = target;
	change->partition_key = row->partition_key;
	change->row_key = row->row_key;
	change->hash = change_hash(target, row->partition_key, row->row_key);
	change->base = base;
	changes_insert(buffer.changes, change, &found);
	if (target->last != NULL)
		target->last->next = change;
	else
		target->changes = change;
	target->last = change;
	target->nchanges++;
	return change;
}

static void
push_version(itableChange *change, const itableRow *row)
{
	itableVersion *version = tmodel_alloc(buffer.arena, sizeof(itableVersion));

	itable_check_arena(buffer.arena);
	if (buffer.nversions == buffer.max_versions)
	{
		buffer.versions = repalloc_huge(buffer.versions,
										2 * buffer.max_versions *
										sizeof(itableVersion *));
		buffer.max_versions *= 2;
	}
	generation++;
	version->older = change->newest;
	version->change = change;
	version->subid = GetCurrentSubTransactionId();
	version->cid = GetCurrentCommandId(true);
	version->row = row;
	change->newest = version;
	buffer.versions[buffer.nversions++] = version;
}

/* Live as far as this transaction knows, whatever the snapshot. */
static bool
is_live(const itableChange *change)
{
	return change->newest != NULL ? change->newest->row != NULL :
		change->base != NULL;
}

bool
itable_buffer_has_row(itableTarget *target, const tmodel_entity *entity)
{
	const itableChange *change = itable_find_change(target,
													entity->partition_key,
													entity->row_key);

	return change != NULL && is_live(change);
}

/* Shares what it can with the row it was made from, if any. */
static void
insert_like(itableTarget *target, const tmodel_entity *entity,
			const itableRow *like, const tmodel_entity *like_entity)
{
	const itableRow *row;

	if (itable_buffer_has_row(target, entity))
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION),
				 errmsg("duplicate key in foreign table \"%s\"",
						target->table->relname),
				 errdetail("The transaction has already written an entity with this partition key and row key.")));
	row = itable_row_keep(entity, like, like_entity);
	push_version(get_change(target, row, NULL), row);
}

void
itable_buffer_insert(itableTarget *target, const tmodel_entity *entity)
{
	insert_like(target, entity, NULL, NULL);
}

/* The change a read row belongs to; NULL when this command changed it. */
static itableChange *
change_of_read(itableTarget *target, const itableRow *read)
{
	itableChange *change = get_change(target, read, read);
	itableVersion *newest = change->newest;

	if (newest == NULL)
	{
		/* rolled back, or first change: what was read now counts */
		if (read->etag.len > 0)
			change->base = read;
		return change;
	}
	if (newest->row == read)
		return change;
	if (newest->cid == GetCurrentCommandId(false))
		return NULL;
	ereport(ERROR,
			(errcode(ERRCODE_TRIGGERED_DATA_CHANGE_VIOLATION),
			 errmsg("row of foreign table \"%s\" was already changed by an operation triggered by the current command",
					target->table->relname)));
}

bool
itable_buffer_update(itableTarget *target, const itableRow *read,
					 const tmodel_entity *old, const tmodel_entity *entity)
{
	itableChange *change = change_of_read(target, read);

	if (change == NULL)
		return false;
	if (tmodel_span_equal(read->partition_key, entity->partition_key) &&
		tmodel_span_equal(read->row_key, entity->row_key))
	{
		push_version(change, itable_row_keep(entity, read, old));
		return true;
	}
	/* a new key: another entity */
	push_version(change, NULL);
	insert_like(target, entity, read, old);
	return true;
}

bool
itable_buffer_delete(itableTarget *target, const itableRow *read)
{
	itableChange *change = change_of_read(target, read);

	if (change == NULL)
		return false;
	push_version(change, NULL);
	return true;
}

const itableVersion *
itable_visible_version(const itableChange *change, CommandId cid)
{
	for (const itableVersion *version = change->newest; version != NULL;
		 version = version->older)
		if (version->cid < cid)
			return version;
	return NULL;
}

const itableRow *
itable_buffer_row(Oid serverid, tmodel_span table, const tmodel_entity *entity,
				  CommandId cid)
{
	const itableChange *change;
	const itableVersion *version = NULL;

	/* what has an ETag comes from the store, else from the buffer */
	ensure_buffer();
	if (entity->etag.len > 0)
		return itable_row_keep(entity, NULL, NULL);
	change = itable_find_change(itable_find_target(serverid, table),
								entity->partition_key, entity->row_key);
	if (change != NULL)
		version = itable_visible_version(change, cid);
	if (version == NULL || version->row == NULL)
		elog(ERROR, "row of a foreign table is unknown to the transaction");
	return version->row;
}

/* Block numbers start at 0, offsets at 1, as PostgreSQL wants them. */
void
itable_remember_row(const itableRow *row, ItemPointer tid)
{
	ensure_buffer();
	if (buffer.nrows == buffer.max_rows)
	{
		buffer.rows = repalloc_huge(buffer.rows, 2 * buffer.max_rows *
									sizeof(itableRow *));
		buffer.max_rows *= 2;
	}
	buffer.rows[buffer.nrows] = row;
	ItemPointerSet(tid, (BlockNumber) (buffer.nrows / ROWS_PER_BLOCK),
				   (OffsetNumber) (buffer.nrows % ROWS_PER_BLOCK + 1));
	buffer.nrows++;
}

const itableRow *
itable_remembered_row(ItemPointer tid)
{
	int64		number = (int64) ItemPointerGetBlockNumberNoCheck(tid) *
	ROWS_PER_BLOCK + ItemPointerGetOffsetNumberNoCheck(tid) - 1;

	if (buffer.context == NULL || number < 0 || number >= buffer.nrows)
		elog(ERROR, "row identity of a foreign table row is unknown");
	return buffer.rows[number];
}

void
itable_buffer_rollback_to(SubTransactionId subid)
{
	generation++;
	if (buffer.context == NULL)
		return;
	/* versions of this subtransaction and its children are the last ones */
	while (buffer.nversions > 0 &&
		   buffer.versions[buffer.nversions - 1]->subid >= subid)
	{
		itableVersion *version = buffer.versions[--buffer.nversions];

		version->change->newest = version->older;
	}
}

void
itable_buffer_reset(void)
{
	if (buffer.context != NULL)
	{
		itable_rows_end();
		MemoryContextDelete(buffer.context);
	}
	memset(&buffer, 0, sizeof(buffer));
}

bool
itable_buffer_is_empty(void)
{
	return buffer.context == NULL || buffer.nversions == 0;
}
