/*
 * claims.c
 *	  Keys of unique indexes within one transaction.
 *
 * Machines know only their own fact; what concerns several facts of a flush is
 * here: two of them that are to have one key, which no request would show
 * before something is visible.  Also says which key was the trouble.  Called by
 * flush.c.  Easy to break: keys are compared as the store has them, encoded.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "model/claim.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "table/settings.h"
#include "txn/claims.h"

typedef struct claimKey
{
	const tstore_client *client;	/* tables of two stores may share a name */
	tmodel_span table;
	tmodel_span partition_key;
	tmodel_span row_key;
} claimKey;

typedef struct claimSlot
{
	claimKey	key;			/* hash key */
	const tmodel_index_change *index;	/* of the holder */
	flushItem  *holder;			/* its fact has the key after the flush */
	flushItem  *releaser;		/* its fact has it before, and not after */
	char		status;
} claimSlot;

static inline uint32
claim_hash(const claimKey *key)
{
	uint32		hash = hash_bytes((const unsigned char *) key->partition_key.data,
								  key->partition_key.len);

	return hash_combine(hash,
						hash_bytes((const unsigned char *) key->row_key.data,
								   key->row_key.len));
}

static inline bool
claim_equal(const claimKey *a, const claimKey *b)
{
	return a->client == b->client &&
		tmodel_span_equal(a->partition_key, b->partition_key) &&
		tmodel_span_equal(a->row_key, b->row_key) &&
		tmodel_span_equal(a->table, b->table);
}

#define SH_PREFIX claims
#define SH_ELEMENT_TYPE claimSlot
#define SH_KEY_TYPE claimKey
#define SH_KEY key
#define SH_HASH_KEY(tb, key) claim_hash(&(key))
#define SH_EQUAL(tb, a, b) claim_equal(&(a), &(b))
#define SH_SCOPE static inline
#define SH_DEFINE
#define SH_DECLARE
#include "lib/simplehash.h"

/* ---- messages ---- */

/* As SQL has it; the store's value may break the column's domain. */
static const char *
value_text(const itableColumn *column, const tmodel_value *value,
		   tmodel_arena *arena)
{
	itableColumn base = *column;
	bool		isnull;
	Datum		datum;

	base.type = base.base_type;
	datum = itable_from_value(arena, &base, value, &isnull);
	return OutputFunctionCall(&base.output, datum);
}

/* Appends one key's columns; what does not decode is shown as it is. */
static void
append_columns(StringInfo names, StringInfo values, const itableTable *table,
			   bool partition, const tmodel_entity *entry, tmodel_arena *arena)
{
	int			n = partition ? table->npartition : table->nrow;
	itableColumn **columns = partition ? table->partition : table->row;
	tmodel_span key = partition ? entry->partition_key : entry->row_key;
	tmodel_value *parts = palloc0(sizeof(tmodel_value) * (n + 1));
	bool		shortened = tmodel_key_is_shortened(key);
	bool		ok = shortened ||
		tmodel_key_decode(arena, table->encoding, n,
						  partition ? table->partition_types : table->row_types,
						  key, parts) == TMODEL_KEY_OK;

	for (int i = 0; i < n; i++)
	{
		const tmodel_value *value = &parts[i];
		const char *text;

		if (columns[i]->hashed != NULL)
			continue;
		if (shortened)
			value = tmodel_entity_get(entry, columns[i]->property);
		text = ok && value != NULL ?
			value_text(columns[i], value, arena) : itable_cstring(key);
		appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "",
						 columns[i]->attname);
		appendStringInfo(values, "%s%s", values->len > 0 ? ", " : "", text);
	}
}

static char *
claim_text(const itableIndex *index, const tmodel_entity *entry,
				  tmodel_arena *arena)
{
	StringInfoData names;
	StringInfoData values;

	initStringInfo(&names);
	initStringInfo(&values);
	append_columns(&names, &values, index->table, true, entry, arena);
	append_columns(&names, &values, index->table, false, entry, arena);
	itable_check_arena(arena);
	return psprintf("(%s)=(%s)", names.data, values.data);
}

static void
report_duplicate(const itableIndex *index, const tmodel_entity *entry,
				 const char *what, tmodel_arena *arena)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNIQUE_VIOLATION),
			 errmsg("duplicate key in unique index \"%s\"",
					index->table->relname),
			 errdetail("Key %s %s.", claim_text(index, entry, arena),
					   what),
			 err_generic_string(PG_DIAG_TABLE_NAME, index->fact->relname),
			 err_generic_string(PG_DIAG_CONSTRAINT_NAME,
								index->table->relname)));
}

static const itableIndex *
index_of(const flushItem *item, const tmodel_index_change *change)
{
	ListCell   *cell;

	foreach(cell, item->indexes)
	{
		const itableIndex *index = lfirst(cell);

		if (&index->def == change->unique)
			return index;
	}
	elog(ERROR, "unique index not found");
}

char *
itable_refused_text(const flushItem *item, tmodel_arena *arena)
{
	const tmodel_index_change *change;
	const tmodel_entity *entry = tmodel_machine_refused(item->machine,
														&change);

	return claim_text(index_of(item, change), entry, arena);
}

void
itable_claims_report(const flushItem *item, tmodel_arena *arena)
{
	const tmodel_index_change *change;
	const tmodel_entity *entry = tmodel_machine_refused(item->machine,
														&change);
	const itableIndex *index;

	if (entry == NULL)
		return;
	index = index_of(item, change);
	if (tmodel_machine_verdict(item->machine) == TMODEL_DUPLICATE)
		report_duplicate(index, entry, "already exists", arena);
	if (tmodel_machine_verdict(item->machine) == TMODEL_LOST_RACE)
		itable_report_claim(index->table->relname,
							claim_text(index, entry, arena));
}

/* ---- two facts, one key ---- */

static claimSlot *
slot_of(claims_hash *claims, const tstore_client *client,
		const tmodel_index_change *index, const tmodel_entity *entry)
{
	claimKey	key = {client, index->table, entry->partition_key,
	entry->row_key};
	bool		found;
	claimSlot  *slot = claims_insert(claims, key, &found);

	if (!found)
	{
		slot->index = NULL;
		slot->holder = slot->releaser = NULL;
	}
	return slot;
}

/* What the fact is to have, and what it gives up. */
static void
note_keys(claims_hash *claims, const tstore_client *client, flushItem *item,
		  tmodel_arena *arena)
{
	for (int i = 0; i < item->change->nindexes; i++)
	{
		const tmodel_index_change *index = &item->change->indexes[i];

		if (index->unique == NULL)
			continue;
		for (int j = 0; j < index->new_entries.n; j++)
		{
			const tmodel_entity *entry = &index->new_entries.entries[j];
			claimSlot  *slot = slot_of(claims, client, index, entry);

			if (slot->holder != NULL && slot->holder != item)
				report_duplicate(index_of(item, index), entry,
								 "is written twice by the transaction", arena);
			slot->index = index;
			slot->holder = item;
		}
		for (int j = 0; j < index->old_entries.n; j++)
		{
			const tmodel_entity *entry = &index->old_entries.entries[j];

			if (tmodel_entries_find(&index->new_entries, entry->partition_key,
									entry->row_key) == NULL)
				slot_of(claims, client, index, entry)->releaser = item;
		}
	}
}

/* Rows that exchange keys would have to commit before each other. */
static bool
is_in_circle(flushItem *item)
{
	ListCell   *cell;

	check_stack_depth();
	if (item->visited != 0)
		return item->visited == 1;
	item->visited = 1;
	foreach(cell, item->donors)
		if (is_in_circle(lfirst(cell)))
			return true;
	item->visited = 2;
	return false;
}

/* A row that takes a key commits after the one that gave it up. */
static void
check_atomic(const flushItem *heir)
{
	if (itable_one_partition)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("the transaction passes a key of a unique index of foreign table \"%s\" from one row to another",
						heir->table->relname),
				 errdetail("The two rows are written one after the other, and itable_fdw.multi_partition_commit is \"error\"."),
				 errhint("Split the transaction, or set itable_fdw.multi_partition_commit to \"allow\".")));
}

/* Keys that one row gives up and another takes. */
static void
pass_on(claims_hash *claims, tmodel_arena *arena)
{
	claims_iterator i;
	claimSlot  *slot;

	claims_start_iterate(claims, &i);
	while ((slot = claims_iterate(claims, &i)) != NULL)
	{
		tmodel_entity keys = {.partition_key = slot->key.partition_key,
		.row_key = slot->key.row_key};

		if (slot->holder != NULL && slot->releaser != NULL &&
			slot->holder != slot->releaser &&
			tmodel_machine_inherit(slot->holder->machine,
								   slot->releaser->machine, slot->key.table,
								   &keys))
		{
			check_atomic(slot->holder);
			slot->holder->donors = lappend(slot->holder->donors,
										   slot->releaser);
		}
	}
	claims_start_iterate(claims, &i);
	while ((slot = claims_iterate(claims, &i)) != NULL)
		if (slot->holder != NULL && slot->holder->donors != NIL &&
			is_in_circle(slot->holder))
			report_duplicate(index_of(slot->holder, slot->index),
							 tmodel_entries_find(&slot->index->new_entries,
												 slot->key.partition_key,
												 slot->key.row_key),
							 "is exchanged between rows by the transaction",
							 arena);
}

void
itable_claims_prepare(flushSite *sites, tmodel_arena *arena)
{
	claims_hash *claims = NULL;

	for (flushSite *site = sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
		{
			flushItem  *item = &site->items[i];

			if (!item->has_claims)
				continue;
			if (claims == NULL)
				claims = claims_create(CurrentMemoryContext, 64, NULL);
			note_keys(claims, site->client, item, arena);
		}
	if (claims == NULL)
		return;
	pass_on(claims, arena);
	claims_destroy(claims);
}

/* ---- in order ---- */

static bool
anybody_waits(flushSite *sites)
{
	for (flushSite *site = sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
		{
			if (site->items[i].has_claims &&
				tmodel_machine_phase(site->items[i].machine) == TMODEL_CLAIM &&
				tmodel_machine_pauses(site->items[i].machine))
				return true;
		}
	return false;
}

static int
compare_claims(const claimKey *a, const claimKey *b)
{
	int			cmp = tmodel_span_compare(a->table, b->table);

	if (cmp == 0)
		cmp = tmodel_span_compare(a->partition_key, b->partition_key);
	return cmp != 0 ? cmp : tmodel_span_compare(a->row_key, b->row_key);
}

const flushItem *
itable_claims_turn(flushSite *sites)
{
	const flushItem *first = NULL;
	claimKey	lowest = {0};
	bool		order = anybody_waits(sites);

	for (flushSite *site = sites; site != NULL; site = site->next)
		for (int i = 0; i < site->nitems; i++)
		{
			flushItem  *item = &site->items[i];
			claimKey	key;
			const tmodel_entity *claim;

			if (order)
				tmodel_machine_order_claims(item->machine);
			claim = tmodel_machine_turn(item->machine, &key.table);
			if (claim == NULL)
			{
				/* gives up what it has: no need to wait for anybody */
				if (tmodel_machine_phase(item->machine) == TMODEL_CLAIM)
					return NULL;
				continue;
			}
			key.partition_key = claim->partition_key;
			key.row_key = claim->row_key;
			if (first == NULL || compare_claims(&key, &lowest) < 0)
			{
				first = item;
				lowest = key;
			}
		}
	return first;
}
