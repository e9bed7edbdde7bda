/*
 * grouping.c
 *	  Which requests travel together, and how many are in memory at a time.
 *
 * Answers "what goes into one entity group transaction?" for the requests of one
 * phase; how batches are filled is model/batch's question.  Sends nothing; called
 * by round.c.  Easy to break: a commit point and its companions are never
 * separated, neither by a batch nor by a window.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "utils/memutils.h"

#include "model/batch.h"
#include "remote/memory.h"
#include "txn/grouping.h"

/* ---- what there is to send ---- */

static void
add_want(roundWants *wants, flushItem *item, int slot,
		 const tmodel_step_request *request)
{
	roundWant  *want;
	tmodel_span key = request->entity->partition_key;

	if (wants->n == wants->max)
	{
		wants->max = Max(256, 2 * wants->max);
		wants->wants = wants->wants == NULL ?
			palloc(wants->max * sizeof(roundWant)) :
			repalloc_huge(wants->wants, wants->max * sizeof(roundWant));
	}
	want = &wants->wants[wants->n++];
	want->item = item;
	want->slot = slot;
	want->pause = request->pause;
	want->hash = hash_combine(hash_bytes((const unsigned char *) key.data,
										 key.len),
							  hash_bytes((const unsigned char *) request->table.data,
										 request->table.len));
}

void
itable_round_collect(const flushSite *site, tmodel_phase phase,
					 const roundScope *scope, roundWants *wants)
{
	for (int i = 0; i < site->nitems; i++)
	{
		flushItem  *item = &site->items[i];
		tmodel_step_request request;
		tmodel_entity keys;
		int			slot = 0;

		if (tmodel_machine_phase(item->machine) != phase ||
			(scope->only != NULL && scope->only != item))
			continue;
		for (; tmodel_machine_next(item->machine, &slot, &request, &keys); slot++)
			if (!request.companion)
				add_want(wants, item, slot, &request);
	}
}

int
itable_round_shortest(roundWants *wants)
{
	int			shortest = wants->n > 0 ? wants->wants[0].pause : 0;
	int			n = 0;

	for (int i = 0; i < wants->n; i++)
		shortest = Min(shortest, wants->wants[i].pause);
	for (int i = 0; i < wants->n; i++)
		if (wants->wants[i].pause == shortest)
			wants->wants[n++] = wants->wants[i];
	wants->n = n;
	return shortest;
}

/* ---- windows ---- */

/* qsort: by partition, then in the order of the items. */
static int
compare_wants(const void *left, const void *right)
{
	const roundWant *a = left;
	const roundWant *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	if (a->item != b->item)
		return a->item < b->item ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

int
itable_round_window(roundWants *wants, int from, int most, int batch_size)
{
	int			to;

	most = Max(most / batch_size, 1) * batch_size;
	if (from == 0 && wants->n > most)
		qsort(wants->wants, wants->n, sizeof(roundWant), compare_wants);
	if (wants->n - from <= most)
		return wants->n;
	for (to = from + most; to > from; to--)
		if (wants->wants[to - 1].hash != wants->wants[to].hash)
			return to;
	return from + most;
}

/* An operation's keys move with it. */
static void
set_keys(roundGroups *groups)
{
	for (int i = 0; i < groups->nops; i++)
		groups->ops[i].request.entity = &groups->ops[i].keys;
}

/* Each request is followed by its companions. */
void
itable_round_make(const roundWants *wants, int from, int to,
				  roundGroups *result)
{
	int			max = to - from;

	memset(result, 0, sizeof(*result));
	result->ops = palloc_extended((Size) max * sizeof(roundOp), MCXT_ALLOC_HUGE);
	for (int i = from; i < to; i++)
	{
		const roundWant *want = &wants->wants[i];
		int			slot = want->slot;
		int			first = result->nops;

		for (;; slot++)
		{
			roundOp    *op;

			if (result->nops == max)
			{
				max *= 2;
				result->ops = repalloc_huge(result->ops,
											(Size) max * sizeof(roundOp));
			}
			op = &result->ops[result->nops];
			op->item = want->item;
			if (!tmodel_machine_next(want->item->machine, &slot, &op->request,
									 &op->keys) ||
				(result->nops == first ? slot != want->slot :
				 !op->request.companion))
				break;
			result->nops++;
		}
	}
	set_keys(result);
}

void
itable_round_drop(roundGroups *groups)
{
	int			left = 0;

	for (int i = 0; i < groups->nops; i++)
		if (groups->ops[i].item != NULL)
			groups->ops[left++] = groups->ops[i];
	groups->nops = left;
	set_keys(groups);
}

/* ---- groups ---- */

static void
add_group(roundGroups *groups, int nops, roundOp **ops)
{
	groups->groups[groups->ngroups].nops = nops;
	groups->groups[groups->ngroups++].ops = ops;
}

/* How many operations, from this one on, may not be separated. */
static int
unit_length(const roundGroups *groups, int first)
{
	int			n = 1;

	while (first + n < groups->nops && groups->ops[first + n].request.companion)
		n++;
	return n;
}

/* Puts a unit's operations in a row; returns how many. */
static int
put_unit(const roundGroups *groups, const roundOp *first, roundOp **ops)
{
	int			at = first - groups->ops;
	int			n = unit_length(groups, at);

	for (int i = 0; i < n; i++)
		ops[i] = &groups->ops[at + i];
	return n;
}

static void
add_single(roundGroups *groups, roundOp *op)
{
	roundOp   **ops = palloc(sizeof(roundOp *) *
							 unit_length(groups, op - groups->ops));

	add_group(groups, put_unit(groups, op, ops), ops);
}

/* May the operation share a batch with those of others? */
static bool
may_share(const flushSite *site, const roundOp *op)
{
	return op->request.action != TMODEL_GET && !op->item->single &&
		tstore_may_batch(site->client,
						 op->request.entity->partition_key,
						 op->request.entity->row_key);
}

/* A batch of the plan as a group: every item with its companions. */
static void
add_batch(roundGroups *groups, const tmodel_batch *batch, roundOp **firsts)
{
	roundOp   **ops;
	int			n = 0;

	for (int i = 0; i < batch->nitems; i++)
		n += unit_length(groups, firsts[batch->items[i]] - groups->ops);
	ops = palloc(sizeof(roundOp *) * n);
	n = 0;
	for (int i = 0; i < batch->nitems; i++)
		n += put_unit(groups, firsts[batch->items[i]], ops + n);
	add_group(groups, n, ops);
}

/*
 * Reads travel alone, writes in batches by partition.  A commit point and its
 * companions are one item to the plan, so that nothing can separate them.
 */
static void
group(const flushSite *site, roundGroups *groups)
{
	tmodel_arena *arena = itable_arena(CurrentMemoryContext);
	tmodel_batch_item *items = palloc_extended((groups->nops + 1) *
											   sizeof(tmodel_batch_item),
											   MCXT_ALLOC_HUGE);
	roundOp   **batched = palloc_extended((groups->nops + 1) * sizeof(roundOp *),
										  MCXT_ALLOC_HUGE);
	tmodel_batch_plan plan;
	int			n = 0;

	groups->groups = palloc_extended((groups->nops + 1) * sizeof(roundGroup),
									MCXT_ALLOC_HUGE);
	for (int i = 0; i < groups->nops; i += unit_length(groups, i))
	{
		roundOp    *op = &groups->ops[i];

		if (!may_share(site, op))
		{
			add_single(groups, op);
			continue;
		}
		items[n].table = op->request.table;
		items[n].partition_key = op->request.entity->partition_key;
		items[n].row_key = op->request.entity->row_key;
		items[n].companions = unit_length(groups, i) - 1;
		items[n].bytes = 0;
		for (int j = 0; j <= items[n].companions; j++)
			items[n].bytes += groups->ops[i + j].request.bytes;
		batched[n++] = op;
	}
	tmodel_batch_group(arena, n, items, site->batch_size, &plan);
	itable_check_arena(arena);
	for (int i = 0; i < plan.nbatches; i++)
		add_batch(groups, &plan.batches[i], batched);
}

static bool
deletes_anything(const roundGroup *group)
{
	for (int i = 0; i < group->nops; i++)
		if (group->ops[i]->request.action == TMODEL_DELETE &&
			!group->ops[i]->request.companion)
			return true;
	return false;
}

/* Leaves the groups that are to be sent. */
static void
restrict_groups(roundGroups *groups, const roundScope *scope)
{
	int			n = 0;

	for (int i = 0; i < groups->ngroups; i++)
		if (!scope->no_deletes || !deletes_anything(&groups->groups[i]))
			groups->groups[n++] = groups->groups[i];
	groups->ngroups = scope->first_only ? Min(n, 1) : n;
}

void
itable_round_group(const flushSite *site, const roundScope *scope,
				   roundGroups *groups)
{
	group(site, groups);
	restrict_groups(groups, scope);
}
