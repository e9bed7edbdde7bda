/*
 * lookup_join.c
 *	  Joins outer rows with what our table has under their values, several outer
 *	  rows' lookups in flight.
 *
 * A ring of outer rows, each with a source of its own that has sent its first
 * requests when the row came in; rows are answered in the order they came.  The
 * ring starts small where few rows may be wanted.  Planned by plan/join_path.c,
 * which is where the clauses come from.  Easy to break: a row of the ring lives
 * in its slot, for the outer node's own slot is used again; what is built from
 * its values is freed when the next row takes its place.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

#include "compat.h"
#include "exec/explain.h"
#include "exec/lookup_cache.h"
#include "exec/lookup_join.h"
#include "exec/source.h"
#include "plan/join.h"
#include "remote/convert.h"
#include "remote/memory.h"

#define FIRST_WINDOW 2
#define MAX_WINDOW 32

/* An outer row and its lookup. */
typedef struct ringRow
{
	TupleTableSlot *outer;
	MemoryContext context;		/* of this row's values and probes */
	tmodel_arena *arena;
	itableProbes probes;
	itableSource *source;
	itableFound *found;			/* under its values; NULL: no room to keep it */
	bool		leads;			/* reads from its source, and fills "found" */
	int			at;				/* else: the next of those found */
	bool		matched;
} ringRow;

typedef struct joinState
{
	CustomScanState css;		/* first: this is the node */
	PlanState  *outer;
	itableJoin *join;
	itableTable *table;
	itableIndex *index;			/* asked; NULL: the table itself */
	itableTable *asked;			/* whose keys the conditions name */
	List	   *exprs;			/* ExprState: values of the conditions */
	Oid		   *types;			/* of exprs */
	ExprState  *matching;
	ExprContext *keys;			/* evaluates exprs */
	TupleTableSlot *key_slot;	/* an outer row as exprs see it */
	MemoryContext context;
	tmodel_arena *row_arena;
	bool	   *wanted;			/* inner columns, by attnum - 1 */
	Datum	   *values;			/* of one inner row */
	bool	   *nulls;
	int			size;			/* of the ring */
	ringRow    *ring;
	int			window;			/* rows looked up ahead at present */
	int			first;
	int			n;				/* rows in the ring */
	bool		outer_done;
	itableLookupCache *cache;
	TupleTableSlot *found_slot; /* a row of it */
	int64		repeated;		/* rows that others' lookups served */
	itableCounts counts;
} joinState;

static void
open_inner(joinState *state)
{
	const itablePlan *plan = state->join->plan;
	ListCell   *cell;

	state->table = itable_table_def(state->join->relid);
	state->asked = state->table;
	if (itable_is_index(state->table))
		state->index = itable_index_def(state->table,
										itable_fact_of(state->table));
	else if (OidIsValid(plan->index))
	{
		state->index = itable_index_def(itable_table_def(plan->index),
										state->table);
		state->asked = state->index->table;
	}
	state->wanted = palloc0(sizeof(bool) * (state->table->natts + 1));
	foreach(cell, state->join->attnums)
		state->wanted[lfirst_int(cell) - 1] = true;
	state->values = palloc(sizeof(Datum) * (state->table->natts + 1));
	state->nulls = palloc(sizeof(bool) * (state->table->natts + 1));
}

static itableSource *
make_source(joinState *state)
{
	itableSourceSpec spec = {0};
	Oid			userid = OidIsValid(state->join->userid) ?
	state->join->userid : GetUserId();

	spec.kind = itable_is_index(state->table) ? ITABLE_SOURCE_ENTRIES :
		state->index != NULL ? ITABLE_SOURCE_INDEX : ITABLE_SOURCE_TABLE;
	spec.client = itable_session(state->table->serverid, userid);
	spec.userid = userid;
	spec.relation = state->table;
	spec.index = state->index;
	spec.covering = state->join->plan->covering;
	spec.wanted = state->wanted;
	spec.cid = state->css.ss.ps.state->es_snapshot->curcid;
	return itable_source(state->context, &spec, &state->counts);
}

static void
make_ring(joinState *state)
{
	state->size = Min(Max(state->table->max_connections, 1) * 2, MAX_WINDOW);
	state->ring = palloc0(sizeof(ringRow) * state->size);
	for (int i = 0; i < state->size; i++)
	{
		ringRow    *row = &state->ring[i];

		row->outer =
			MakeSingleTupleTableSlot(ExecGetResultType(state->outer),
									 &TTSOpsMinimalTuple);
		row->context = AllocSetContextCreate(state->context,
											 "itable_fdw lookup",
											 ALLOCSET_SMALL_SIZES);
		row->arena = itable_arena(state->context);
		row->source = make_source(state);
	}
	state->window = state->join->eager ? state->size :
		Min(FIRST_WINDOW, state->size);
}

/* Of the inner columns, as they stand behind the outer ones. */
static void
make_cache(joinState *state)
{
	TupleDesc	whole = state->css.ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	int			natts = whole->natts - state->join->nouter;
	MemoryContext old = MemoryContextSwitchTo(state->context);
	TupleDesc	desc = CreateTemplateTupleDesc(natts);

	for (int i = 1; i <= natts; i++)
		TupleDescCopyEntry(desc, i, whole, state->join->nouter + i);
	state->cache = itable_lookup_cache(state->context, desc);
	state->found_slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	MemoryContextSwitchTo(old);
}

static void
begin_join(CustomScanState *node, EState *estate, int eflags)
{
	joinState  *state = (joinState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	List	   *exprs = linitial(plan->custom_exprs);
	ListCell   *cell;
	int			i = 0;

	state->outer = ExecInitNode(linitial(plan->custom_plans), estate, eflags);
	node->custom_ps = list_make1(state->outer);
	state->join = itable_join_from_list(plan->custom_private);
	state->exprs = ExecInitExprList(exprs, &node->ss.ps);
	state->matching = ExecInitQual(lsecond(plan->custom_exprs), &node->ss.ps);
	state->types = palloc(sizeof(Oid) * (list_length(exprs) + 1));
	foreach(cell, exprs)
		state->types[i++] = exprType(lfirst(cell));
	open_inner(state);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	state->context = AllocSetContextCreate(estate->es_query_cxt,
										   "itable_fdw lookup join",
										   ALLOCSET_DEFAULT_SIZES);
	state->keys = CreateExprContext(estate);
	state->key_slot =
		MakeSingleTupleTableSlot(node->ss.ss_ScanTupleSlot->tts_tupleDescriptor,
								 &TTSOpsVirtual);
	state->row_arena = itable_arena(state->context);
	make_cache(state);
	make_ring(state);
}

/* The outer row's columns at the front of a joined row; the rest is NULL. */
static void
put_outer(joinState *state, TupleTableSlot *outer, TupleTableSlot *slot)
{
	int			natts = slot->tts_tupleDescriptor->natts;
	int			nouter = state->join->nouter;

	ExecClearTuple(slot);
	slot_getallattrs(outer);
	memcpy(slot->tts_values, outer->tts_values, sizeof(Datum) * nouter);
	memcpy(slot->tts_isnull, outer->tts_isnull, sizeof(bool) * nouter);
	for (int i = nouter; i < natts; i++)
		slot->tts_isnull[i] = true;
	ExecStoreVirtualTuple(slot);
}

/* The values of the row's expressions, in its context. */
static itableValues
evaluate(joinState *state, ringRow *row)
{
	itableValues values = {.n = list_length(state->exprs)};
	MemoryContext old;
	ListCell   *cell;
	int			i = 0;

	MemoryContextReset(row->context);
	tmodel_arena_reset(row->arena);
	put_outer(state, row->outer, state->key_slot);
	ResetExprContext(state->keys);
	state->keys->ecxt_scantuple = state->key_slot;
	old = MemoryContextSwitchTo(row->context);
	values.types = state->types;
	values.datums = palloc(sizeof(Datum) * (values.n + 1));
	values.nulls = palloc(sizeof(bool) * (values.n + 1));
	foreach(cell, state->exprs)
	{
		values.datums[i] = ExecEvalExpr((ExprState *) lfirst(cell),
										state->keys, &values.nulls[i]);
		i++;
	}
	MemoryContextSwitchTo(old);
	return values;
}

/* Sends the first requests for the values. */
static void
lead(joinState *state, ringRow *row, const itableValues *values)
{
	MemoryContext old = MemoryContextSwitchTo(row->context);

	itable_build_probes(row->arena, state->join->plan, state->table,
						state->asked, values, &row->probes);
	row->probes.first_page = state->join->plan->fetch.rows;
	MemoryContextSwitchTo(old);
	itable_source_start(row->source, &row->probes);
	itable_source_prefetch(row->source);
	row->leads = true;
	if (row->found != NULL)
		row->found->led = true;
}

/* Looks the row up, unless a row before it does or has done so. */
static void
look_up(joinState *state, ringRow *row)
{
	itableValues values = evaluate(state, row);

	row->matched = false;
	row->at = 0;
	row->leads = false;
	row->found = itable_cache_use(state->cache, &values);
	if (row->found->n == 0 && !row->found->whole && !row->found->led)
		lead(state, row, &values);
	else
		state->repeated++;
}

/* What the others found was not all: the row begins anew, by itself. */
static void
take_the_lead(joinState *state, ringRow *row)
{
	itableValues values = evaluate(state, row);

	itable_cache_forget(state->cache, row->found);
	state->repeated--;
	lead(state, row, &values);
}

/* The row has no more to do with what was found under its values. */
static void
leave_found(joinState *state, ringRow *row)
{
	if (row->found == NULL)
		return;
	if (row->leads)
		row->found->led = false;
	itable_cache_release(state->cache, row->found);
	row->found = NULL;
}

/* Takes outer rows in until the window is full. */
static void
fill_ring(joinState *state)
{
	while (!state->outer_done && state->n < state->window)
	{
		ringRow    *row = &state->ring[(state->first + state->n) %
									   state->size];
		TupleTableSlot *outer = ExecProcNode(state->outer);

		if (TupIsNull(outer))
		{
			state->outer_done = true;
			break;
		}
		ExecCopySlot(row->outer, outer);
		look_up(state, row);
		state->n++;
	}
}

/* The first row is answered: the next one's turn, and room for another. */
static void
drop_first(joinState *state)
{
	ringRow    *row = &state->ring[state->first];

	leave_found(state, row);
	itable_source_stop(row->source);
	ExecClearTuple(row->outer);
	state->first = (state->first + 1) % state->size;
	state->n--;
	state->window = Min(state->window * 2, state->size);
}

/* While the first row's answer is on its way, the others' answers lead on. */
static void
wait_for_first(joinState *state)
{
	itableSource *first = state->ring[state->first].source;

	while (!itable_source_is_ready(first))
	{
		for (int i = 1; i < state->n; i++)
		{
			ringRow    *row = &state->ring[(state->first + i) % state->size];

			if (row->leads)
				itable_source_prefetch(row->source);
		}
		/* sending may have brought the answer */
		if (!itable_source_is_ready(first))
			itable_wait_any(itable_source_client(first));
	}
}

/* The next row of the store behind the outer columns; false: no more. */
static bool
read_inner(joinState *state, ringRow *row, TupleTableSlot *slot)
{
	int			i = state->join->nouter;
	const tmodel_entity *entity;
	MemoryContext old;
	ListCell   *cell;

	wait_for_first(state);
	entity = itable_source_next(row->source);
	if (entity == NULL)
	{
		if (row->found != NULL)
			row->found->whole = true;
		return false;
	}
	old = MemoryContextSwitchTo(state->css.ss.ps.ps_ExprContext->ecxt_per_tuple_memory);
	tmodel_arena_rewind(state->row_arena);
	itable_entity_to_row(state->row_arena, state->table, entity,
						 state->wanted, state->values, state->nulls);
	MemoryContextSwitchTo(old);
	put_outer(state, row->outer, slot);
	foreach(cell, state->join->attnums)
	{
		slot->tts_values[i] = state->values[lfirst_int(cell) - 1];
		slot->tts_isnull[i++] = state->nulls[lfirst_int(cell) - 1];
	}
	i = state->join->nouter;
	if (row->found != NULL &&
		!itable_cache_add(state->cache, row->found, slot->tts_values + i,
						  slot->tts_isnull + i))
		leave_found(state, row);
	return true;
}

/* The next of the rows that were found before; false: no more. */
static bool
next_found(joinState *state, ringRow *row, TupleTableSlot *slot)
{
	TupleTableSlot *found = state->found_slot;
	int			nouter = state->join->nouter;
	int			n = found->tts_tupleDescriptor->natts;

	if (row->at >= row->found->n)
		return false;
	ExecStoreMinimalTuple(row->found->rows[row->at++], found, false);
	slot_getallattrs(found);
	put_outer(state, row->outer, slot);
	memcpy(slot->tts_values + nouter, found->tts_values, sizeof(Datum) * n);
	memcpy(slot->tts_isnull + nouter, found->tts_isnull, sizeof(bool) * n);
	return true;
}

/* The next inner row of the ring's first outer row, joined; false: no more. */
static bool
next_inner(joinState *state, ringRow *row, TupleTableSlot *slot)
{
	ExprContext *econtext = state->css.ss.ps.ps_ExprContext;

	for (;;)
	{
		ResetExprContext(econtext);
		if (!row->leads && !next_found(state, row, slot))
		{
			if (row->found->whole)
				return false;
			take_the_lead(state, row);
		}
		if (row->leads && !read_inner(state, row, slot))
			return false;
		econtext->ecxt_scantuple = slot;
		if (ExecQual(state->matching, econtext))
			return true;
		InstrCountFiltered1(&state->css.ss.ps, 1);
	}
}

/* The next row of the join, before "later" clauses and projection. */
static TupleTableSlot *
next_joined(ScanState *node)
{
	joinState  *state = (joinState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	JoinType	jointype = state->join->jointype;

	for (;;)
	{
		ringRow    *row;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		fill_ring(state);
		if (state->n == 0)
			return ExecClearTuple(slot);
		row = &state->ring[state->first];
		found = !(row->matched && state->join->single) &&
			next_inner(state, row, slot);
		if (found)
		{
			row->matched = true;
			if (jointype != JOIN_ANTI)
				return slot;
			continue;
		}
		if (row->matched || (jointype != JOIN_LEFT && jointype != JOIN_ANTI))
		{
			drop_first(state);
			continue;
		}
		/* the slot needs what the ring's row is about to lose */
		put_outer(state, row->outer, slot);
		ExecMaterializeSlot(slot);
		drop_first(state);
		return slot;
	}
}

static bool
recheck(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
exec_join(CustomScanState *node)
{
	return ExecScan(&node->ss, next_joined, recheck);
}

static void
empty_ring(joinState *state)
{
	while (state->n > 0)
		drop_first(state);
	state->first = 0;
	state->outer_done = false;
	state->window = state->join->eager ? state->size :
		Min(FIRST_WINDOW, state->size);
}

static void
rescan_join(CustomScanState *node)
{
	joinState  *state = (joinState *) node;

	empty_ring(state);
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(state->outer, node->ss.ps.chgParam);
	if (state->outer->chgParam == NULL)
		ExecReScan(state->outer);
}

static void
end_join(CustomScanState *node)
{
	joinState  *state = (joinState *) node;

	for (int i = 0; i < state->size; i++)
		ExecDropSingleTupleTableSlot(state->ring[i].outer);
	if (state->key_slot != NULL)
		ExecDropSingleTupleTableSlot(state->key_slot);
	if (state->found_slot != NULL)
		ExecDropSingleTupleTableSlot(state->found_slot);
	if (state->context != NULL)
		MemoryContextDelete(state->context);
	ExecEndNode(state->outer);
}

static void
explain_join(CustomScanState *node, List *ancestors, ExplainState *es)
{
	joinState  *state = (joinState *) node;
	CustomScan *plan = (CustomScan *) node->ss.ps.plan;
	static const char *const types[] = {
		[JOIN_INNER] = "Inner", [JOIN_LEFT] = "Left", [JOIN_SEMI] = "Semi",
		[JOIN_ANTI] = "Anti"
	};
	List	   *context = set_deparse_context_plan(es->deparse_cxt, &plan->scan.plan,
												   ancestors);
	Node	   *matching = (Node *) make_ands_explicit(lsecond(plan->custom_exprs));

	ExplainPropertyText("Join Type", types[state->join->jointype], es);
	ExplainPropertyText("Lookup", state->table->relname, es);
	ExplainPropertyText("Access",
						itable_access_text(state->join->plan, state->asked),
						es);
	if (es->verbose)
		ExplainPropertyText("Store Filter",
							itable_conditions_text(state->join->plan,
												   state->table,
												   linitial(plan->custom_exprs),
												   context, true), es);
	ExplainPropertyText("Join Filter",
						deparse_expression(matching, context,
										   es->verbose ||
										   list_length(es->rtable) > 1, false),
						es);
	if (es->analyze && state->repeated > 0)
		ExplainPropertyInteger("Repeated Lookups", NULL, state->repeated, es);
	if (es->analyze)
		itable_explain_counts(&state->counts, es);
}

static Node *
create_state(CustomScan *scan)
{
	static const CustomExecMethods methods = {
		.CustomName = ITABLE_LOOKUP_JOIN,
		.BeginCustomScan = begin_join,
		.ExecCustomScan = exec_join,
		.EndCustomScan = end_join,
		.ReScanCustomScan = rescan_join,
		.ExplainCustomScan = explain_join
	};
	joinState  *state = palloc0(sizeof(joinState));

	NodeSetTag(state, T_CustomScanState);
	state->css.methods = &methods;
	return (Node *) state;
}

const CustomScanMethods itable_lookup_join_methods = {
	.CustomName = ITABLE_LOOKUP_JOIN,
	.CreateCustomScanState = create_state
};
