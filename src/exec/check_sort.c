/*
 * check_sort.c
 *	  Compares what facts justify with what an index table holds, in bounded
 *	  memory and two scans.
 *
 * Every entry that a fact justifies and every entry that is there becomes one
 * record; sorted, the records of one entry stand side by side.  Records carry a
 * digest of the contents, not the contents.  Called by check.c, which reads
 * what is suspect once more.  Easy to break: facts and entries must both be
 * sorted here, for the stores do not agree with us (or each other) on the order
 * of keys.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "compat.h"
#include "exec/check_sort.h"
#include "exec/lookup.h"
#include "remote/memory.h"

/* A byte no key contains; below all others, so that keys sort before it. */
#define END_OF_KEY '\0'

/* What follows the entry's keys in a record. */
typedef struct recordTail
{
	char		side;			/* STORED or JUSTIFIED */
	bool		verified;
	bool		has_fact;
	uint64		digest;			/* of the contents */
	uint32		fact_partition_len; /* then the fact's keys */
} recordTail;

/* what is stored sorts before what is justified */
#define STORED 'e'
#define JUSTIFIED 'j'

/* A record taken apart; spans point into its bytes. */
typedef struct checkRecord
{
	struct varlena *bytes;		/* NULL: the end */
	tmodel_span keys;			/* both, each with END_OF_KEY */
	recordTail	tail;
	tmodel_span fact_partition_key;
	tmodel_span fact_row_key;
} checkRecord;

struct itableCheckSort
{
	const itableIndex *index;
	MemoryContext context;		/* records that are read back live here */
	Tuplesortstate *sort;
	tmodel_arena *arena;		/* of the present fact's entries */
	StringInfoData record;
	checkRecord ahead;			/* read, not yet used */
	checkRecord stored;			/* looked at last */
	bool		met;			/* stored: it was handed out */
	checkRecord justified;
};

/* The same for equal contents in any order (tmodel_entity_same_content). */
static uint64
digest_of(tmodel_arena *arena, const tmodel_entity *entry)
{
	uint64		digest = 0;

	for (int i = 0; i < entry->nproperties; i++)
	{
		const tmodel_property *property = &entry->properties[i];
		tmodel_buf	text;
		tmodel_span value;
		uint64		hash;

		if (property->value.type == TMODEL_NULL ||
			tmodel_is_reserved(property->name))
			continue;
		tmodel_buf_init(&text, arena);
		tmodel_value_print(&text, &property->value);
		itable_check_arena(arena);
		value = tmodel_buf_text(&text);
		hash = hash_bytes_extended((const unsigned char *) property->name.data,
								   property->name.len,
								   property->value.type);
		digest += hash_bytes_extended((const unsigned char *) value.data,
									  value.len, hash);
	}
	return digest;
}

static void
put_record(itableCheckSort *sort, const tmodel_entity *entry, char side)
{
	StringInfo	record = &sort->record;
	recordTail	tail;
	tmodel_span partition_key = {NULL, 0};
	tmodel_span row_key = {NULL, 0};

	memset(&tail, 0, sizeof(tail));
	tail.side = side;
	tail.verified = tmodel_entity_is_verified(entry);
	tail.has_fact = itable_entry_fact(entry, &partition_key, &row_key);
	tail.digest = digest_of(sort->arena, entry);
	tail.fact_partition_len = partition_key.len;
	resetStringInfo(record);
	appendStringInfoSpaces(record, VARHDRSZ);
	appendBinaryStringInfo(record, entry->partition_key.data,
						   entry->partition_key.len);
	appendStringInfoChar(record, END_OF_KEY);
	appendBinaryStringInfo(record, entry->row_key.data, entry->row_key.len);
	appendStringInfoChar(record, END_OF_KEY);
	appendBinaryStringInfo(record, (char *) &tail, sizeof(tail));
	if (tail.has_fact)
	{
		appendBinaryStringInfo(record, partition_key.data, partition_key.len);
		appendBinaryStringInfo(record, row_key.data, row_key.len);
	}
	SET_VARSIZE(record->data, record->len);
	tuplesort_putdatum(sort->sort, PointerGetDatum(record->data), false);
}

/* A fact whose keys do not decode has no entries, whoever asks. */
static void
put_fact(itableCheckSort *sort, const tmodel_entity *fact)
{
	const itableIndex *index = sort->index;
	tmodel_entries entries;

	if (tmodel_entity_is_stub(fact))
		return;
	if (!tmodel_index_entries(sort->arena, &index->fact_def, &index->def, fact,
							  &entries))
	{
		itable_check_arena(sort->arena);
		return;
	}
	for (int i = 0; i < entries.n; i++)
		put_record(sort, &entries.entries[i], JUSTIFIED);
}

/* Both tables in turns, so that a page of each is under way. */
static void
read_both(itableCheckSort *sort, tstore_client *client)
{
	itableCounts counts = {0};
	itableReader *facts = itable_read_pieces(sort->index->fact, client, &counts);
	itableReader *entries = itable_read_pieces(sort->index->table, client, &counts);
	bool		more_facts = true;
	bool		more_entries = true;

	while (more_facts || more_entries)
	{
		const tmodel_entity *fact = more_facts ?
		itable_reader_next(facts) : NULL;
		const tmodel_entity *entry = more_entries ?
		itable_reader_next(entries) : NULL;

		more_facts = fact != NULL;
		more_entries = entry != NULL;
		if (more_facts)
			put_fact(sort, fact);
		if (more_entries)
			put_record(sort, entry, STORED);
		tmodel_arena_reset(sort->arena);
		CHECK_FOR_INTERRUPTS();
	}
	itable_reader_stop(facts);
	itable_reader_stop(entries);
}

/* Takes the next record of the sort apart. */
static void
advance(itableCheckSort *sort)
{
	checkRecord *record = &sort->ahead;
	MemoryContext old = MemoryContextSwitchTo(sort->context);
	Datum		datum;
	bool		found = itable_compat_sort_next(sort->sort, &datum);
	const char *data;
	const char *at;
	const char *end;

	MemoryContextSwitchTo(old);
	memset(record, 0, sizeof(*record));
	if (!found)
		return;
	record->bytes = (struct varlena *) DatumGetPointer(datum);
	data = VARDATA(record->bytes);
	end = (const char *) record->bytes + VARSIZE(record->bytes);
	at = data + strlen(data) + 1;
	at += strlen(at) + 1;
	record->keys = (tmodel_span) {data, at - data};
	memcpy(&record->tail, at, sizeof(record->tail));
	at += sizeof(record->tail);
	record->fact_partition_key = (tmodel_span) {at,
	record->tail.fact_partition_len};
	at += record->tail.fact_partition_len;
	record->fact_row_key = (tmodel_span) {at, end - at};
}

static void
release(checkRecord *record)
{
	if (record->bytes != NULL)
		pfree(record->bytes);
	memset(record, 0, sizeof(*record));
}

itableCheckSort *
itable_check_sort(MemoryContext context, const itableIndex *index,
				  tstore_client *client)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	itableCheckSort *sort = palloc0(sizeof(itableCheckSort));
	TypeCacheEntry *type = lookup_type_cache(BYTEAOID, TYPECACHE_LT_OPR);

	sort->index = index;
	sort->context = context;
	sort->arena = itable_arena(context);
	initStringInfo(&sort->record);
	sort->sort = tuplesort_begin_datum(BYTEAOID, type->lt_opr, InvalidOid,
									   false, maintenance_work_mem, NULL,
									   TUPLESORT_NONE);
	read_both(sort, client);
	tuplesort_performsort(sort->sort);
	advance(sort);
	MemoryContextSwitchTo(old);
	return sort;
}

/* Does the entry that is there equal the one that is justified? */
static bool
agree(const itableCheckSort *sort)
{
	const checkRecord *stored = &sort->stored;
	const checkRecord *justified = &sort->justified;

	if (stored->bytes == NULL || justified->bytes == NULL ||
		!stored->tail.has_fact ||
		!tmodel_span_equal(stored->fact_partition_key,
						   justified->fact_partition_key) ||
		!tmodel_span_equal(stored->fact_row_key, justified->fact_row_key))
		return false;
	if (!stored->tail.verified)
		return !sort->index->covering;
	return stored->tail.digest == justified->tail.digest;
}

/*
 * The next entry that a fact justifies, with what is stored under its keys, or
 * one that is stored and nothing justifies.  Several facts may justify an entry
 * of a unique index.  False at the end.
 */
static bool
next_pair(itableCheckSort *sort)
{
	checkRecord *stored = &sort->stored;

	release(&sort->justified);
	for (;;)
	{
		bool		end = sort->ahead.bytes == NULL;

		if (stored->bytes != NULL &&
			(end || !tmodel_span_equal(stored->keys, sort->ahead.keys)))
		{
			if (!sort->met)
			{
				sort->met = true;
				return true;
			}
			release(stored);
		}
		if (end)
			return false;
		if (sort->ahead.tail.side == JUSTIFIED)
		{
			sort->justified = sort->ahead;
			sort->met = true;
			advance(sort);
			return true;
		}
		release(stored);
		*stored = sort->ahead;
		sort->met = false;
		advance(sort);
	}
}

bool
itable_check_sort_next(itableCheckSort *sort, itableSuspect *suspect)
{
	while (next_pair(sort))
	{
		const checkRecord *record = sort->justified.bytes != NULL ?
		&sort->justified : &sort->stored;
		const char *keys = record->keys.data;

		CHECK_FOR_INTERRUPTS();
		if (agree(sort))
			continue;
		suspect->partition_key = tmodel_span_of(keys);
		suspect->row_key = tmodel_span_of(keys + strlen(keys) + 1);
		suspect->has_fact = record->tail.has_fact;
		suspect->fact_partition_key = record->fact_partition_key;
		suspect->fact_row_key = record->fact_row_key;
		return true;
	}
	return false;
}

void
itable_check_sort_end(itableCheckSort *sort)
{
	tuplesort_end(sort->sort);
}
