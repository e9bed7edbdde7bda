/*
 * lookup.c
 *	  Reads facts by the keys their index entries carry.
 *
 * The window starts small, so that LIMIT 1 does not read dozens of facts, and
 * doubles while the scan goes on.  Called by scan.c.  Easy to break: an entry's
 * fact keys come from its own properties, never from parsing its RowKey.
 */
#include "postgres.h"

#include "exec/lookup.h"
#include "remote/memory.h"
#include "remote/report.h"

#define FIRST_WINDOW 4
#define MAX_WINDOW 32

typedef struct pendingFact
{
	tstore_request *request;
	tmodel_arena entry_arena;	/* holds the copy of the entry */
	tmodel_entity *entry;
} pendingFact;

struct itableLookup
{
	itableReaderSpec spec;
	itableCounts *counts;
	itableCalls *calls;
	const tmodel_allocator *allocator;
	int			window;
	int			first;			/* oldest pending */
	int			n;				/* pending, plus the one handed out */
	bool		handed_out;		/* the oldest was returned by _next */
	pendingFact pending[MAX_WINDOW + 1];
};

itableLookup *
itable_lookup(MemoryContext context, const itableReaderSpec *spec,
			  itableCounts *counts)
{
	itableLookup *lookup = MemoryContextAllocZero(context,
												  sizeof(itableLookup));

	lookup->spec = *spec;
	lookup->counts = counts;
	lookup->calls = itable_calls(context, spec->client);
	lookup->allocator = itable_allocator(context);
	lookup->window = FIRST_WINDOW;
	for (int i = 0; i <= MAX_WINDOW; i++)
		tmodel_arena_init(&lookup->pending[i].entry_arena, lookup->allocator);
	return lookup;
}

bool
itable_entry_fact(const tmodel_entity *entry, tmodel_span *partition_key,
				  tmodel_span *row_key)
{
	const tmodel_value *partition = tmodel_entity_get(entry,
													  TMODEL_SPAN(TMODEL_P_FACT_PK));
	const tmodel_value *row = tmodel_entity_get(entry,
												TMODEL_SPAN(TMODEL_P_FACT_RK));

	if (partition == NULL || row == NULL ||
		partition->type != TMODEL_STRING || row->type != TMODEL_STRING)
		return false;
	*partition_key = partition->u.bytes;
	*row_key = row->u.bytes;
	return true;
}

void
itable_lookup_start(itableLookup *lookup, int first)
{
	itable_lookup_stop(lookup);
	lookup->window = first > 0 ? Min(first, FIRST_WINDOW) : FIRST_WINDOW;
}

int
itable_lookup_pending(const itableLookup *lookup)
{
	return lookup->n - (lookup->handed_out ? 1 : 0);
}

bool
itable_lookup_is_full(const itableLookup *lookup)
{
	return itable_lookup_pending(lookup) >= lookup->window;
}

void
itable_lookup_add(itableLookup *lookup, const tmodel_entity *entry)
{
	int			at = (lookup->first + lookup->n) % (MAX_WINDOW + 1);
	pendingFact *pending = &lookup->pending[at];
	tmodel_span partition_key;
	tmodel_span row_key;

	pending->entry = tmodel_entity_copy(&pending->entry_arena, entry);
	itable_check_arena(&pending->entry_arena);
	if (!itable_entry_fact(pending->entry, &partition_key, &row_key))
		elog(ERROR, "index entry names no fact");
	pending->request = itable_call(lookup->calls,
								   tstore_start_get(lookup->spec.client,
													lookup->spec.table,
													partition_key, row_key,
													lookup->spec.nselect,
													lookup->spec.select));
	lookup->n++;
}

/* Lets go of the fact handed out last. */
static void
release_first(itableLookup *lookup)
{
	pendingFact *pending = &lookup->pending[lookup->first];

	itable_finish(lookup->calls, pending->request);
	tmodel_arena_reset(&pending->entry_arena);
	lookup->first = (lookup->first + 1) % (MAX_WINDOW + 1);
	lookup->n--;
	lookup->handed_out = false;
}

bool
itable_lookup_next(itableLookup *lookup, const tmodel_entity **entry,
				   const tmodel_entity **fact)
{
	pendingFact *pending;
	const tstore_reply *reply;

	if (lookup->handed_out)
		release_first(lookup);
	if (lookup->n == 0)
		return false;
	pending = &lookup->pending[lookup->first];
	if (!tstore_is_done(pending->request))
		itable_wait(lookup->calls, pending->request);
	reply = tstore_reply_of(pending->request);
	if (reply->error.status != TSTORE_OK &&
		reply->error.status != TSTORE_NOT_FOUND)
		itable_report_read(&reply->error, lookup->spec.relname);
	itable_count(lookup->counts, reply, false);
	lookup->handed_out = true;
	lookup->window = Min(lookup->window * 2, MAX_WINDOW);
	*entry = pending->entry;
	*fact = reply->nentities == 1 &&
		!tmodel_entity_is_stub(&reply->entities[0]) ? &reply->entities[0] :
		NULL;
	return true;
}

bool
itable_lookup_is_empty(const itableLookup *lookup)
{
	return lookup->n == (lookup->handed_out ? 1 : 0);
}

bool
itable_lookup_is_ready(const itableLookup *lookup)
{
	int			next = lookup->first + (lookup->handed_out ? 1 : 0);

	return lookup->n > (lookup->handed_out ? 1 : 0) &&
		tstore_is_done(lookup->pending[next % (MAX_WINDOW + 1)].request);
}

int64
itable_lookup_server_time(const itableLookup *lookup)
{
	if (!lookup->handed_out)
		return -1;
	return tstore_reply_of(lookup->pending[lookup->first].request)->server_time;
}

void
itable_lookup_stop(itableLookup *lookup)
{
	if (lookup->handed_out)
		release_first(lookup);
	while (lookup->n > 0)
		release_first(lookup);
	lookup->window = FIRST_WINDOW;
}
