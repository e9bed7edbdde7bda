/*
 * companions.c
 *	  What shares the entity group transaction of a fact's commit point, and
 *	  whether it fits into one: colocated entries, requests for maintenance.
 *
 * Which operations a colocated index needs is model/companion's question; that
 * nothing separates them from the fact is round.c's.  Called by flush.c for
 * every change, before anything of the transaction is sent.  Easy to break: an
 * error here must come before the first request, for then it is clean.
 */
#include "postgres.h"

#include "model/batch.h"
#include "model/companion.h"
#include "model/outbox.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/companions.h"

void
itable_entries_of(tmodel_arena *arena, const itableIndex *index,
				  const tmodel_entity *fact, tmodel_entries *entries)
{
	entries->n = 0;
	if (fact != NULL &&
		!tmodel_index_entries(arena, &index->fact_def, &index->def, fact,
							  entries))
	{
		itable_check_arena(arena);
		itable_key_failed(index->fact, true, TMODEL_KEY_MALFORMED);
	}
}

/* One entity group transaction must hold the fact and all of them. */
static void
check_fit(const itableTable *fact, const tmodel_change *net)
{
	const tmodel_entity *commit = net->new_fact != NULL ? net->new_fact :
	net->old_fact;
	size_t		bytes = tmodel_batch_bytes(commit);

	if (net->ncompanions + 1 > TMODEL_BATCH_MAX_OPERATIONS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a row of foreign table \"%s\" changes too many entries of colocated indexes",
						fact->relname),
				 errdetail("The row and %d entries would have to be written together; the store takes %d operations.",
						   net->ncompanions, TMODEL_BATCH_MAX_OPERATIONS),
				 errhint("Use an index with a table of its own for arrays with many elements.")));
	for (int i = 0; i < net->ncompanions; i++)
		bytes += tmodel_batch_bytes(net->companions[i].entity);
	if (bytes > TMODEL_BATCH_MAX_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a row of foreign table \"%s\" and its entries of colocated indexes are too large",
						fact->relname),
				 errdetail("They are written together, and the store takes 4 MiB."),
				 errhint("Let the indexes cover fewer columns.")));
}

/* Asks anything at all, so that the client knows what service this is. */
static void
meet_service(tstore_client *client, const itableTable *fact,
			 const tmodel_entity *entity)
{
	itableCalls *calls = itable_calls(CurrentMemoryContext, client);
	tmodel_span keys = TMODEL_SPAN("PartitionKey");
	tstore_request *request = itable_call(calls,
										  tstore_start_get(client, fact->name,
														   entity->partition_key,
														   entity->row_key, 1,
														   &keys));

	itable_wait(calls, request);
	itable_finish(calls, request);
}

/* A service that misreads a key in a batch cannot keep fact and entry together. */
static void
check_travel(tstore_client *client, const itableTable *fact,
			 const tmodel_entity *entity)
{
	if (tstore_may_batch(client, entity->partition_key, entity->row_key))
		return;
	meet_service(client, fact, entity);
	if (tstore_may_batch(client, entity->partition_key, entity->row_key))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("this store cannot write a row of foreign table \"%s\" together with its entries",
					fact->relname),
			 errdetail("Azurite misreads keys in a batch that are empty, begin with a comma, or have a comma behind an apostrophe."),
			 errhint("The storage service itself and mock-tablestore read them.")));
}

/* What the change does to the entries of one index, added to the list. */
static void
add_index(tmodel_arena *arena, const itableIndex *index,
		  const tmodel_change *net, tmodel_companions *result)
{
	bool		refresh = net->kind == TMODEL_CHANGE_REFRESH;
	tmodel_entries olds;
	tmodel_entries news;

	itable_entries_of(arena, index, net->old_fact, &olds);
	itable_entries_of(arena, index, refresh ? net->old_fact : net->new_fact,
					  &news);
	(void) tmodel_companions_of_index(arena, &olds, &news, refresh, result);
	itable_check_arena(arena);
}

/* The request for later maintenance, if the change concerns a queued index. */
static void
add_outbox(tmodel_arena *arena, List *indexes, int number,
		   const tmodel_change *net, tmodel_companions *result)
{
	const tmodel_index_def **concerned =
	palloc(sizeof(tmodel_index_def *) * list_length(indexes));
	tmodel_entity *outbox;
	int			n = 0;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		const itableIndex *index = lfirst(cell);
		tmodel_companions changes = {0};

		if (!index->table->queued || net->kind == TMODEL_CHANGE_REFRESH)
			continue;
		add_index(arena, index, net, &changes);
		if (changes.n > 0)
			concerned[n++] = &index->def;
	}
	if (n > 0)
	{
		outbox = tmodel_outbox_entity(arena, net->write_id, number,
									  net->old_fact, net->new_fact, n,
									  concerned);
		(void) tmodel_companions_add(arena, TMODEL_UPSERT, outbox, result);
		itable_check_arena(arena);
	}
	pfree(concerned);
}

void
itable_add_companions(tmodel_arena *arena, tstore_client *client,
					  List *indexes, int number, tmodel_change *net)
{
	tmodel_companions result = {0};
	const itableTable *fact = NULL;
	ListCell   *cell;

	foreach(cell, indexes)
	{
		itableIndex *index = lfirst(cell);

		fact = index->fact;
		if (index->table->colocated)
			add_index(arena, index, net, &result);
	}
	add_outbox(arena, indexes, number, net, &result);
	net->ncompanions = result.n;
	net->companions = result.list;
	if (result.n == 0)
		return;
	check_fit(fact, net);
	check_travel(client, fact, net->new_fact != NULL ? net->new_fact :
				 net->old_fact);
	for (int i = 0; i < result.n; i++)
		check_travel(client, fact, result.list[i].entity);
}
