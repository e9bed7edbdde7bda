/*
 * baton.c
 *	  Taking, keeping and passing on the baton of queued maintenance.
 *
 * Answers "may this backend work at the outbox now?".  What the work is, is
 * txn/converge's question; who waits for how long, exec/queue's.  Easy to break:
 * time counts from before the request that took the baton was sent, and a
 * backend that was cancelled leaves it taken, so that its name must be the
 * backend's, not the statement's: the next statement goes on at once.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "model/outbox.h"
#include "model/section.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "table/settings.h"
#include "txn/baton.h"
#include "txn/repair.h"
#include "txn/round.h"

/* Not reserved: replacing a fact keeps the reserved properties. */
#define WORKER_PROPERTY "worker"

/* How long passing it on may hold up who is done. */
#define RELEASE_MS 1000

struct itableBaton
{
	tstore_client *client;
	itableCalls *calls;
	const itableTable *fact;
	MemoryContext context;
	tmodel_arena *arena;
	const tmodel_entity *seen;	/* with ETag; NULL: there is none */
	bool		held;
	int64		until_ms;		/* held: until then; -1: for ever */
};

/* This backend's name. */
static const char *
worker_name(void)
{
	static char name[17] = "";
	uint64		random;

	if (name[0] == '\0')
	{
		if (!pg_strong_random(&random, sizeof(random)))
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("could not generate a worker's name")));
		snprintf(name, sizeof(name), "%016llx", (unsigned long long) random);
	}
	return name;
}

itableBaton *
itable_baton(tstore_client *client, const itableTable *fact)
{
	itableBaton *baton = palloc0(sizeof(itableBaton));

	baton->client = client;
	baton->fact = fact;
	baton->context = CurrentMemoryContext;
	baton->calls = itable_calls(CurrentMemoryContext, client);
	baton->arena = itable_arena(CurrentMemoryContext);
	return baton;
}

static tmodel_entity
bare_baton(void)
{
	return (tmodel_entity) {.partition_key = TMODEL_SPAN(TMODEL_BATON_KEY),
		.row_key = TMODEL_SPAN(TMODEL_BATON_KEY),.timestamp = -1};
}

/* Has nobody it, or this backend, or somebody who must be dead? */
static bool
may_be_taken(const tmodel_entity *seen, int64 server_time)
{
	const tmodel_value *worker = tmodel_entity_get(seen,
												   TMODEL_SPAN(WORKER_PROPERTY));

	return worker == NULL || worker->type != TMODEL_STRING ||
		worker->u.bytes.len == 0 ||
		tmodel_span_equal(worker->u.bytes, tmodel_span_of(worker_name())) ||
		itable_is_old(seen, server_time);
}

bool
itable_baton_look(itableBaton *baton)
{
	tmodel_entity bare = bare_baton();
	tstore_request *request = itable_call(baton->calls,
										  tstore_start_get(baton->client,
														   baton->fact->name,
														   bare.partition_key,
														   bare.row_key, 0, NULL));
	const tstore_reply *reply;
	bool		may = true;

	itable_wait(baton->calls, request);
	reply = tstore_reply_of(request);
	if (reply->error.status != TSTORE_OK &&
		reply->error.status != TSTORE_NOT_FOUND)
		itable_report_read(&reply->error, baton->fact->relname);
	baton->seen = NULL;
	if (reply->nentities == 1)
	{
		may = may_be_taken(&reply->entities[0], reply->server_time);
		baton->seen = tmodel_entity_copy(baton->arena, &reply->entities[0]);
		itable_check_arena(baton->arena);
	}
	itable_finish(baton->calls, request);
	return may;
}

static bool
always(void *ctx)
{
	return true;
}

/* Writes a name into it; false: somebody else did, or *error says why not. */
static bool
write_name(itableBaton *baton, const char *name, int64 left_ms,
		   const tstore_error **error)
{
	tmodel_entity bare = bare_baton();
	tmodel_entity *next = tmodel_entity_extend(baton->arena, &bare, 1);
	tmodel_value value = tmodel_string(tmodel_span_of(name));
	tmodel_change change = {.table = baton->fact->name,.keeps_etag = true};
	flushItem	item = {.table = baton->fact};
	flushSite	site = {.client = baton->client,.calls = baton->calls,
	.batch_size = 1,.nitems = 1,.items = &item};
	roundScope	scope = {.may_start = always,.left_ms = left_ms};
	tmodel_phase phase;

	itable_check_arena(baton->arena);
	tmodel_entity_set(next, TMODEL_SPAN(WORKER_PROPERTY), &value);
	change.kind = baton->seen != NULL ? TMODEL_CHANGE_UPDATE :
		TMODEL_CHANGE_INSERT;
	change.old_fact = baton->seen;
	change.new_fact = next;
	item.machine = tmodel_machine_start(baton->arena, &change);
	itable_check_arena(baton->arena);
	while ((phase = tmodel_machine_phase(item.machine)) != TMODEL_FINISHED)
		if (itable_round(&site, phase, &scope,
						 baton->arena) == ROUND_INTERRUPTED)
			break;
	*error = item.error;
	if (tmodel_machine_verdict(item.machine) != TMODEL_COMMITTED)
		return false;
	next->etag = tmodel_machine_etag(item.machine);
	baton->seen = next;
	return next->etag.len > 0;
}

/* Takes or renews it; time counts from now. */
static bool
write_own_name(itableBaton *baton)
{
	int64		now = tstore_now_ms();
	const tstore_error *error;

	baton->held = write_name(baton, worker_name(), -1, &error);
	baton->until_ms = itable_repair_age == 0 ? -1 : now + itable_repair_age / 2;
	if (baton->held)
		return true;
	CHECK_FOR_INTERRUPTS();
	switch (error != NULL ? error->status : TSTORE_OK)
	{
		case TSTORE_OK:
		case TSTORE_PRECONDITION:
		case TSTORE_NOT_FOUND:
		case TSTORE_EXISTS:
			return false;
		default:
			itable_report(error,
						  psprintf("maintain the queued indexes of foreign table \"%s\"",
								   baton->fact->relname),
						  baton->fact->relname);
	}
}

bool
itable_baton_take(itableBaton *baton)
{
	return write_own_name(baton);
}

bool
itable_baton_keep(itableBaton *baton)
{
	int64		left = itable_baton_left_ms(baton);

	if (!baton->held || left == 0)
		return false;
	return left < 0 || left > itable_repair_age / 4 || write_own_name(baton);
}

void
itable_baton_release(itableBaton *baton)
{
	MemoryContext old = MemoryContextSwitchTo(baton->context);
	const tstore_error *error;

	if (baton->held && itable_baton_left_ms(baton) != 0)
		(void) write_name(baton, "", RELEASE_MS, &error);
	baton->held = false;
	MemoryContextSwitchTo(old);
}

int64
itable_baton_left_ms(const itableBaton *baton)
{
	return baton->until_ms < 0 ? -1 : Max(baton->until_ms - tstore_now_ms(), 0);
}

bool
itable_baton_holds(void *baton)
{
	return itable_baton_left_ms(baton) != 0;
}
