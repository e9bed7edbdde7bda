/*
 * def_cache.c
 *	  Definitions kept between statements, and dropped when a catalog changes.
 *
 * One invalidation of anything that definitions are made of makes all of them
 * stale: they are few and cheap against a request, and it leaves no dependency
 * to forget.  What is stale lives on while it is pinned.  Called by table_def.c
 * and index_def.c only.  Easy to break: a lookup must lock its relation like
 * building does, for that is what index builds wait for and when messages of
 * other backends are read; callbacks of invalidation must free nothing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "storage/lmgr.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "table/def_cache.h"

typedef struct keptKey
{
	itableKept	kind;
	Oid			oid;
} keptKey;

typedef struct keptItem
{
	MemoryContext context;		/* holds the item and the thing */
	void	   *thing;
	uint64		born;			/* the generation it was built in */
	int			pins;
	bool		forgotten;		/* no longer in the table */
} keptItem;

typedef struct keptEntry
{
	keptKey		key;			/* hash key */
	keptItem   *item;
} keptEntry;

typedef struct keptPin
{
	MemoryContextCallback callback;
	keptItem   *item;
} keptPin;

static HTAB *kept = NULL;		/* keptEntry */
static HTAB *known = NULL;		/* OIDs of relations something is made of */
static uint64 generation = 1;	/* counts invalidations */
static uint64 swept = 1;		/* stale things of earlier ones are gone */

static void
relation_changed(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) ||
		hash_search(known, &relid, HASH_FIND, NULL) != NULL)
		generation++;
}

static void
catalog_changed(Datum arg, int cacheid, uint32 hash)
{
	generation++;
}

void
itable_definitions_init(void)
{
	HASHCTL		ctl = {.keysize = sizeof(keptKey),
	.entrysize = sizeof(keptEntry)};

	kept = hash_create("itable_fdw definitions", 32, &ctl,
					   HASH_ELEM | HASH_BLOBS);
	ctl.keysize = ctl.entrysize = sizeof(Oid);
	known = hash_create("itable_fdw known relations", 32, &ctl,
						HASH_ELEM | HASH_BLOBS);
	CacheRegisterRelcacheCallback(relation_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNTABLEREL, catalog_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, catalog_changed,
								  (Datum) 0);
	CacheRegisterSyscacheCallback(FOREIGNDATAWRAPPEROID, catalog_changed,
								  (Datum) 0);
}

/* Called while contexts are torn down, also after errors: throws nothing. */
static void
unpin(void *arg)
{
	keptItem   *item = ((keptPin *) arg)->item;

	if (--item->pins == 0 && item->forgotten)
		MemoryContextDelete(item->context);
}

static void *
pin(keptItem *item)
{
	keptPin    *new = palloc(sizeof(keptPin));

	new->item = item;
	new->callback.func = unpin;
	new->callback.arg = new;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &new->callback);
	item->pins++;
	return item->thing;
}

/* Takes what is stale out of the table; it goes when nobody needs it. */
static void
sweep(void)
{
	HASH_SEQ_STATUS scan;
	keptEntry  *entry;
	Oid		   *relid;

	if (swept == generation)
		return;
	swept = generation;
	hash_seq_init(&scan, kept);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		keptItem   *item = entry->item;

		hash_search(kept, &entry->key, HASH_REMOVE, NULL);
		item->forgotten = true;
		if (item->pins == 0)
			MemoryContextDelete(item->context);
	}
	hash_seq_init(&scan, known);
	while ((relid = hash_seq_search(&scan)) != NULL)
		hash_search(known, relid, HASH_REMOVE, NULL);
}

static void
make_known(Oid relid)
{
	hash_search(known, &relid, HASH_ENTER, NULL);
}

/*
 * May several scans use the definition at a time?  Not when a conversion
 * function keeps state in it that evaluating SQL (a domain's CHECK) could meet
 * again within itself.
 */
static bool
is_shareable(const itableTable *table)
{
	for (int i = 0; i < table->natts; i++)
	{
		const itableColumn *column = table->columns[i];
		Oid			type;
		char		kind;

		if (column == NULL)
			continue;
		if (column->type != column->base_type)
			return false;
		type = OidIsValid(column->element_type) ? column->element_type :
			column->type;
		kind = get_typtype(type);
		if (kind != TYPTYPE_BASE && kind != TYPTYPE_ENUM)
			return false;
	}
	return true;
}

static void *
build(itableKept kind, Oid oid, bool *keep)
{
	itableTable *table;
	ListCell   *cell;
	List	   *list;

	switch (kind)
	{
		case ITABLE_KEPT_TABLE:
			table = itable_form_table(oid);
			*keep = is_shareable(table);
			return table;
		case ITABLE_KEPT_INDEX:
			table = itable_table_def(oid);
			return itable_form_index(table, itable_fact_of(table));
		case ITABLE_KEPT_FOR_READING:
		case ITABLE_KEPT_FOR_WRITING:
			return itable_form_indexes(itable_table_def(oid),
										kind == ITABLE_KEPT_FOR_READING);
		case ITABLE_KEPT_SERVER:
			list = itable_form_briefs(oid);
			foreach(cell, list)
				make_known(((itableBrief *) lfirst(cell))->relid);
			return list;
	}
	return NULL;
}

/* In a context of its own, which the caller's holds until all is well. */
static void *
build_and_keep(itableKept kind, Oid oid)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw definition",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	keptItem   *item = palloc0(sizeof(keptItem));
	keptKey		key = {kind, oid};
	bool		keep = true;
	bool		found;
	keptEntry  *entry;

	item->context = context;
	item->born = generation;
	if (kind != ITABLE_KEPT_SERVER)
		make_known(oid);
	item->thing = build(kind, oid, &keep);
	MemoryContextSwitchTo(old);
	/* what changed while it was built may or may not be in it */
	if (!keep || item->born != generation)
		return item->thing;
	entry = hash_search(kept, &key, HASH_ENTER, &found);
	if (found)
		return item->thing;		/* made by building something else */
	entry->item = item;
	MemoryContextSetParent(context, CacheMemoryContext);
	return pin(item);
}

static keptItem *
find(itableKept kind, Oid oid)
{
	keptKey		key = {kind, oid};
	keptEntry  *entry = hash_search(kept, &key, HASH_FIND, NULL);

	return entry == NULL || entry->item->born != generation ? NULL :
		entry->item;
}

/* The locks that building takes; they also read what others have changed. */
static void
lock_tables(itableKept kind, Oid oid)
{
	keptItem   *item;
	ListCell   *cell;

	if (kind == ITABLE_KEPT_SERVER)
		return;
	LockRelationOid(oid, AccessShareLock);
	if (kind != ITABLE_KEPT_FOR_READING && kind != ITABLE_KEPT_FOR_WRITING)
		return;
	AcceptInvalidationMessages();
	item = find(kind, oid);
	if (item == NULL)
		return;
	/* a message read here may end the item, but not while it is pinned */
	foreach(cell, (List *) pin(item))
		LockRelationOid(((itableIndex *) lfirst(cell))->table->relid,
						AccessShareLock);
}

void *
itable_kept(itableKept kind, Oid oid)
{
	keptItem   *item;

	lock_tables(kind, oid);
	if (kind == ITABLE_KEPT_SERVER)
		AcceptInvalidationMessages();
	item = find(kind, oid);
	if (item != NULL)
		return pin(item);
	sweep();
	return build_and_keep(kind, oid);
}

bool
itable_is_kept(const itableTable *table)
{
	keptItem   *item = find(ITABLE_KEPT_TABLE, table->relid);

	return item != NULL && item->thing == table;
}
