/*
 * round.c
 *	  Sends and answers the requests of one phase.
 *
 * Answers "what became of this request?" for every machine.  Knows nothing of
 * SQL, of phases' meaning or of what to do about failures (flush.c).  Easy to
 * break: when one operation of a batch fails, the others were rolled back and
 * must be asked for again, not counted as failed.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "model/batch.h"
#include "model/claim.h"
#include "remote/memory.h"
#include "remote/trace.h"
#include "table/settings.h"
#include "txn/dense.h"
#include "txn/grouping.h"
#include "txn/repair.h"

/* Groups sent and not answered at one time; the client queues beyond its own
 * limit of connections, this bounds the memory for their bodies. */
#define MAX_OPEN_GROUPS 16

/* The first wait for what others are at; the next are longer, up to the last. */
#define FIRST_PAUSE_MS 10
#define LAST_PAUSE_MS 200

/* What a request needs in memory while its batch is made up. */
#define OP_BYTES 400

typedef struct roundState
{
	flushSite  *site;
	tmodel_arena *arena;		/* of the machines: what is kept */
	tmodel_arena *scratch;		/* of the present window */
	roundGroups window;
	bool		started;		/* any request of the round */
	bool		stopped;		/* no more may be */
} roundState;

bool
itable_pause(int pause)
{
	long		ms = FIRST_PAUSE_MS;
	TimestampTz until;

	while (--pause > 0 && ms < LAST_PAUSE_MS)
		ms = Min(2 * ms, LAST_PAUSE_MS);
	until = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
	while (!itable_is_interrupted() &&
		   (ms = TimestampDifferenceMilliseconds(GetCurrentTimestamp(),
												 until)) > 0)
	{
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
	}
	return !itable_is_interrupted();
}

/* Lends a detached machine its change, made again in the arena. */
static void
attach(const flushItem *item, int slot, tmodel_arena *arena)
{
	tmodel_contents needs;

	if (item->header == NULL)
		return;
	needs = tmodel_machine_needs(item->machine, slot);
	if (needs != TMODEL_NEEDS_KEYS)
		tmodel_machine_attach(item->machine,
							  itable_net_change(item->net, item->row, 0, needs,
												arena));
}

static void
detach(const flushItem *item)
{
	if (item->header != NULL)
		tmodel_machine_attach(item->machine, item->header);
}

static tstore_operation
operation_of(const roundOp *op, tmodel_arena *arena)
{
	const tmodel_step_request *request = &op->request;
	tstore_operation operation = {0};

	attach(op->item, request->slot, arena);
	operation.entity = tmodel_machine_body(op->item->machine, request->slot,
										   arena);
	detach(op->item);
	itable_check_arena(arena);
	operation.if_match = request->if_match;
	switch (request->action)
	{
		case TMODEL_INSERT:
			operation.write = TSTORE_INSERT;
			break;
		case TMODEL_UPSERT:
			operation.write = TSTORE_UPSERT_REPLACE;
			break;
		case TMODEL_REPLACE:
			operation.write = TSTORE_REPLACE;
			break;
		case TMODEL_MERGE:
			operation.write = TSTORE_MERGE;
			break;
		case TMODEL_GET:
		case TMODEL_DELETE:
			operation.write = TSTORE_DELETE;
			break;
	}
	return operation;
}

/*
 * Leaves what is still wanted; false when that is nothing.  An answer of this
 * round may have ended a machine that had more to send, whose requests can no
 * longer be made.
 */
static bool
still_asked(roundGroup *group)
{
	int			n = 0;

	for (int i = 0; i < group->nops; i++)
		if (tmodel_machine_asks(group->ops[i]->item->machine,
								group->ops[i]->request.slot))
			group->ops[n++] = group->ops[i];
	group->nops = n;
	return n > 0;
}

static tstore_request *
start(roundState *state, roundGroup *group)
{
	tstore_client *client = state->site->client;
	const tmodel_step_request *first = &group->ops[0]->request;
	tstore_operation operations[TMODEL_BATCH_MAX_OPERATIONS];
	tstore_request *request;

	if (first->action == TMODEL_GET)
		request = tstore_start_get(client, first->table,
								   first->entity->partition_key,
								   first->entity->row_key, 0, NULL);
	else
	{
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
													  "itable_fdw bodies",
													  ALLOCSET_DEFAULT_SIZES);
		tmodel_arena *bodies = itable_arena(context);

		for (int i = 0; i < group->nops; i++)
			operations[i] = operation_of(group->ops[i], bodies);
		request = group->nops == 1 ?
			tstore_start_write(client, first->table, operations) :
			tstore_start_batch(client, first->table, group->nops, operations);
		MemoryContextDelete(context);
	}
	request = itable_call(state->site->calls, request);
	tstore_set_user(request, group);
	return request;
}

/* What a failed reply means for the operation it names. */
static tmodel_outcome
outcome_of(const tstore_error *error)
{
	if (error->maybe_applied)
		return TMODEL_UNKNOWN;
	if (error->status == TSTORE_ABORTED)
		return TMODEL_ROLLED_BACK;	/* too late to be sent */
	switch (error->status)
	{
		case TSTORE_EXISTS:
			return TMODEL_EXISTS;
		case TSTORE_NOT_FOUND:
			return TMODEL_ABSENT;
		case TSTORE_PRECONDITION:
			return TMODEL_MISMATCH;
		default:
			return TMODEL_REFUSED;
	}
}

/* Few items meet one, so that they do not all have room for it. */
static void
note_error(flushItem *item, const tstore_error *error, tmodel_arena *arena)
{
	if (item->error == NULL)
		item->error = tmodel_alloc(arena, sizeof(tstore_error));
	itable_check_arena(arena);
	*item->error = *error;
}

/* "entity": NULL when it is not there. */
static void
answer_read(roundState *state, const roundOp *op, const tmodel_entity *entity,
			int64 server_time)
{
	tmodel_answer answer = {.entity = entity};

	answer.outcome = entity != NULL ? TMODEL_APPLIED : TMODEL_ABSENT;
	answer.old = entity != NULL && itable_is_old(entity, server_time);
	attach(op->item, op->request.slot, state->scratch);
	tmodel_machine_answer(op->item->machine, op->request.slot, &answer);
	detach(op->item);
}

static void
answer(roundState *state, roundOp *op, tmodel_outcome outcome,
	   const tstore_reply *reply, int at)
{
	tmodel_answer answer = {0};

	answer.outcome = outcome;
	if (outcome == TMODEL_APPLIED)
	{
		if (op->request.action == TMODEL_GET)
		{
			answer_read(state, op, &reply->entities[0], reply->server_time);
			return;
		}
		if (at < reply->netags)
			answer.etag = reply->etags[at];
	}
	else if (outcome != TMODEL_ROLLED_BACK &&
			 !tmodel_machine_is_failing(op->item->machine) &&
			 (outcome == TMODEL_REFUSED || outcome == TMODEL_UNKNOWN ||
			  tmodel_machine_verdict(op->item->machine) == TMODEL_PENDING))
		note_error(op->item, &reply->error, state->arena);
	if (op->request.action == TMODEL_GET)
		attach(op->item, op->request.slot, state->scratch);
	tmodel_machine_answer(op->item->machine, op->request.slot, &answer);
	detach(op->item);
}

/* Do all operations belong to one commit point? */
static bool
is_one_unit(const roundGroup *group)
{
	for (int i = 1; i < group->nops; i++)
		if (!group->ops[i]->request.companion)
			return false;
	return true;
}

/*
 * A batch failed: one operation is to blame, or all, or nobody can tell.  Of a
 * commit point with its companions it is then the fact that is looked at.
 */
static void
answer_failed(roundState *state, roundGroup *group, const tstore_reply *reply)
{
	tmodel_outcome outcome = outcome_of(&reply->error);
	int			culprit = group->nops == 1 ? 0 : reply->error.operation;
	bool		condition = outcome != TMODEL_REFUSED &&
	outcome != TMODEL_UNKNOWN && outcome != TMODEL_ROLLED_BACK;

	for (int i = 0; i < group->nops; i++)
	{
		roundOp    *op = group->ops[i];

		if (culprit < 0 && condition && !is_one_unit(group))
		{
			op->item->single = true;
			answer(state, op, TMODEL_ROLLED_BACK, reply, i);
		}
		else if (culprit < 0 || culprit == i || outcome == TMODEL_UNKNOWN)
			answer(state, op, outcome, reply, i);
		else
			answer(state, op, TMODEL_ROLLED_BACK, reply, i);
	}
}

static void
finish_group(roundState *state, tstore_request *request)
{
	roundGroup *group = tstore_user(request);
	const tstore_reply *reply = tstore_reply_of(request);

	if (reply->error.status == TSTORE_OK)
		for (int i = 0; i < group->nops; i++)
			answer(state, group->ops[i], TMODEL_APPLIED, reply, i);
	else
		answer_failed(state, group, reply);
	itable_finish(state->site->calls, request);
}

static int64
throttles_of(const tstore_client *client)
{
	const tstore_counters *counters = tstore_statistics(client);
	int64		sum = 0;

	for (int i = 0; i < TSTORE_KINDS; i++)
		sum += counters[i].throttles;
	return sum;
}

/*
 * How many groups may be in flight: half as many when the store has said that it
 * is busy, one more with every answer else.  The client repeats what was refused
 * when the store told it to.
 */
static void
adapt(flushSite *site)
{
	int64		throttles = throttles_of(site->client);

	if (site->max_open == 0)
		site->max_open = MAX_OPEN_GROUPS;
	else if (throttles > site->throttles)
		site->max_open = Max(site->max_open / 2, 1);
	else
		site->max_open = Min(site->max_open + 1, MAX_OPEN_GROUPS);
	site->throttles = throttles;
}

/*
 * Reads and answers what stands dense; other operations of the round do not
 * depend on it.  Returns whether there was any.
 */
static bool
read_dense(roundState *state)
{
	roundGroups *window = &state->window;
	denseRead  *reads = palloc_extended((window->nops + 1) * sizeof(denseRead),
										MCXT_ALLOC_HUGE);
	int			n = 0;
	int			asked = window->nops;

	for (int i = 0; i < window->nops; i++)
		if (window->ops[i].request.action == TMODEL_GET)
			reads[n++] = (denseRead) {.table = window->ops[i].request.table,
				.keys = window->ops[i].request.entity,.owner = &window->ops[i]};
	itable_read_dense(state->site->client, state->site->calls, state->scratch,
					  n, reads);
	itable_check_arena(state->scratch);
	for (int i = 0; i < n; i++)
		if (reads[i].known)
		{
			answer_read(state, reads[i].owner, reads[i].found,
						reads[i].server_time);
			((roundOp *) reads[i].owner)->item = NULL;
		}
	pfree(reads);
	itable_round_drop(window);
	return window->nops < asked;
}

/* Keeps up to max_open groups in flight until all are answered. */
static roundResult
send_all(roundState *state, const roundScope *scope)
{
	itableCalls *calls = state->site->calls;
	int			n = state->window.ngroups;
	int			next = 0;

	adapt(state->site);
	while (next < n || itable_calls_open(calls) > 0)
	{
		tstore_request *done;

		while (next < n && itable_calls_open(calls) < state->site->max_open)
		{
			/* the first was allowed by the caller, so that every round helps */
			state->stopped = state->started && scope->may_start != NULL &&
				!scope->may_start(scope->ctx);
			if (state->stopped)
				n = next;
			else if (still_asked(&state->window.groups[next++]))
			{
				start(state, &state->window.groups[next - 1]);
				state->started = true;
			}
		}
		if (itable_calls_open(calls) == 0)
			break;
		done = itable_done_call(calls);
		if (done != NULL)
		{
			finish_group(state, done);
			adapt(state->site);
		}
		else if (!tstore_wait(state->site->client, NULL))
			return ROUND_INTERRUPTED;
		itable_trace_log();
	}
	return ROUND_DONE;
}

/* What was sent and has no answer may have been applied. */
static void
answer_interrupted(roundState *state)
{
	tstore_reply none = {0};

	none.error.status = TSTORE_ABORTED;
	none.error.operation = -1;
	none.error.maybe_applied = true;
	for (;;)
	{
		tstore_request *request = itable_first_call(state->site->calls);
		roundGroup *group;

		if (request == NULL)
			return;
		group = tstore_user(request);
		if (tstore_is_done(request))
		{
			finish_group(state, request);
			continue;
		}
		for (int i = 0; i < group->nops; i++)
			answer(state, group->ops[i], TMODEL_UNKNOWN, &none, i);
		itable_finish(state->site->calls, request);
	}
}

/* How many requests may be in memory. */
static int
window_size(void)
{
	return Min((int64) itable_write_buffer * 1024 / CONTENTS_PART / OP_BYTES,
			   PG_INT32_MAX);
}

/* One window after the other, until one that is sent is all there is to be. */
static roundResult
send_windows(roundState *state, const roundScope *scope, roundWants *wants)
{
	roundResult result = ROUND_NOTHING;
	int			from = 0;

	while (from < wants->n && !state->stopped)
	{
		int			to = itable_round_window(wants, from, window_size(),
											 state->site->batch_size);
		MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
													  "itable_fdw window",
													  ALLOCSET_DEFAULT_SIZES);
		MemoryContext old = MemoryContextSwitchTo(context);

		state->scratch = itable_arena(context);
		itable_round_make(wants, from, to, &state->window);
		if (read_dense(state))
			result = ROUND_DONE;
		itable_round_group(state->site, scope, &state->window);
		if (state->window.ngroups > 0)
			result = send_all(state, scope);
		if (result == ROUND_INTERRUPTED)
			answer_interrupted(state);
		MemoryContextSwitchTo(old);
		MemoryContextDelete(context);
		if (result == ROUND_INTERRUPTED ||
			(result == ROUND_DONE && scope->first_only))
			break;
		from = to;
	}
	return result;
}

roundResult
itable_round(flushSite *site, tmodel_phase phase, const roundScope *scope,
			 tmodel_arena *arena)
{
	roundState	state = {.site = site,.arena = arena};
	roundWants	wants = {0};
	roundResult result = ROUND_INTERRUPTED;
	int			pause;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "itable_fdw round",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);

	itable_round_collect(site, phase, scope, &wants);

	/* what is to wait goes when nothing else is to be sent */
	pause = itable_round_shortest(&wants);
	if (pause == 0 || itable_pause(pause))
	{
		tstore_limit_writes(site->client,
							scope->may_start != NULL ? scope->left_ms : -1);
		result = send_windows(&state, scope, &wants);
		tstore_limit_writes(site->client, -1);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return result;
}

tstore_status
itable_item_status(const flushItem *item)
{
	return item->error != NULL ? item->error->status : TSTORE_OK;
}

tmodel_phase
itable_lowest_phase(const flushSite *site)
{
	tmodel_phase lowest = TMODEL_FINISHED;

	for (int i = 0; i < site->nitems; i++)
		lowest = Min(lowest, tmodel_machine_phase(site->items[i].machine));
	return lowest;
}
