/*
 * scan.c
 *	  The executor's side of a foreign scan: values in, tuples out.
 *
 * Evaluates the plan's expressions, starts the source, forms tuples.  Nothing
 * is sent before the first row is wanted.  Easy to break: EndForeignScan is not
 * called after an error, so whatever must end hangs on the memory context.
 */
#include "postgres.h"

#include "access/sysattr.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/scan.h"
#include "remote/catalog.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "table/settings.h"
#include "txn/buffer.h"

static void
mark_wanted(itableScan *scan)
{
	ListCell   *cell;

	scan->wanted = palloc0(sizeof(bool) * (scan->table->natts + 1));
	for (int i = 0; i < scan->table->natts; i++)
		scan->wanted[i] = scan->plan->all_columns;
	foreach(cell, scan->plan->attnums)
		scan->wanted[lfirst_int(cell) - 1] = true;
}

/* The tables behind the plan: relation, index, whose keys are asked. */
static void
open_tables(itableScan *scan, Oid relid)
{
	scan->table = itable_table_def(relid);
	scan->asked = scan->table;
	if (itable_is_index(scan->table))
		scan->index = itable_index_def(scan->table,
									   itable_fact_of(scan->table));
	else if (OidIsValid(scan->plan->index))
	{
		scan->index = itable_index_def(itable_table_def(scan->plan->index),
									   scan->table);
		scan->asked = scan->index->table;
	}
}

static void
open_source(itableScan *scan, ForeignScanState *node, Oid userid)
{
	itableSourceSpec spec = {0};

	spec.kind = itable_is_index(scan->table) ? ITABLE_SOURCE_ENTRIES :
		scan->index != NULL ? ITABLE_SOURCE_INDEX : ITABLE_SOURCE_TABLE;
	spec.client = itable_session(scan->table->serverid, userid);
	spec.userid = userid;
	spec.relation = scan->table;
	spec.index = scan->index;
	spec.covering = scan->plan->covering;
	spec.wanted = scan->plan->for_update ? NULL : scan->wanted;
	spec.to_the_end = scan->plan->to_the_end;
	spec.any_order = spec.cut = scan->plan->cut && !scan->plan->order.on;
	spec.order = scan->plan->order.on && !scan->plan->order.back ?
		&scan->plan->order : NULL;
	spec.cid = node->ss.ps.state->es_snapshot->curcid;
	spec.only_rows = spec.kind == ITABLE_SOURCE_TABLE &&
		scan->arms == NULL && !scan->plan->skip && !scan->plan->order.on;
	scan->source = itable_source(scan->context, &spec, &scan->counts);
	spec.only_rows = false;
	if (scan->plan->skip)
		scan->skip = itable_skip(scan->context, scan->source);
	if (scan->plan->order.back)
	{
		spec.order = &scan->plan->order;
		scan->back = itable_back(scan->context, &spec, scan->source,
								 scan->plan->order.hints, &scan->counts);
	}
	if (scan->arms != NULL)
		itable_arms_connect(scan->arms, &spec, &scan->counts);
}

/*
 * Refuses or reports a full scan.  "how" is why it is one though the plan is
 * none: the values of this execution; NULL: it is planned.
 */
static void
report_full_scan(const itableScan *scan, const char *how)
{
	bool		error = itable_full_scan == ITABLE_FULL_SCAN_ERROR;
	List	   *advice = scan->plan->advice;

	if (itable_full_scan == ITABLE_FULL_SCAN_ALLOW)
		return;
	ereport(error ? ERROR : WARNING,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("full scan of foreign table \"%s\"",
					scan->table->relname),
			 errdetail("%s itable_fdw.full_scan is \"%s\".",
					   how != NULL ? how : strVal(linitial(advice)),
					   error ? "error" : "warn"),
			 how != NULL ? 0 : errhint("%s", strVal(lsecond(advice)))));
}

static void
prepare_values(itableScan *scan, List *exprs)
{
	int			n = list_length(exprs);
	ListCell   *cell;
	int			i = 0;

	scan->values.n = n;
	scan->values.types = palloc0(sizeof(Oid) * (n + 1));
	scan->values.datums = palloc0(sizeof(Datum) * (n + 1));
	scan->values.nulls = palloc0(sizeof(bool) * (n + 1));
	foreach(cell, exprs)
		scan->values.types[i++] = exprType(lfirst(cell));
}

void
itableBeginForeignScan(ForeignScanState *node, int eflags)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	EState	   *estate = node->ss.ps.state;
	itableScan *scan = palloc0(sizeof(itableScan));

	node->fdw_state = scan;
	scan->plan = itable_plan_from_list(plan->fdw_private);
	scan->context = AllocSetContextCreate(estate->es_query_cxt,
										  "itable_fdw scan",
										  ALLOCSET_DEFAULT_SIZES);
	scan->start_context = AllocSetContextCreate(scan->context,
												"itable_fdw scan start",
												ALLOCSET_DEFAULT_SIZES);
	scan->start_arena = itable_arena(scan->context);
	scan->row_arena = itable_arena(scan->context);
	open_tables(scan, RelationGetRelid(node->ss.ss_currentRelation));
	if (scan->plan->arms != NIL)
		scan->arms = itable_arms(scan->context, scan->plan, scan->table);
	mark_wanted(scan);
	prepare_values(scan, plan->fdw_exprs);
	scan->exprs = ExecInitExprList(plan->fdw_exprs, (PlanState *) node);
	scan->waitable = -1;
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	scan->async = node->ss.ps.async_capable;
	if (scan->arms == NULL && scan->plan->access == ITABLE_FULL &&
		!scan->plan->skip && !scan->plan->order.back)
		report_full_scan(scan, NULL);
	open_source(scan, node, itable_scan_user(node));
	scan->replay = itable_replay(scan->context,
								 node->ss.ss_ScanTupleSlot->tts_tupleDescriptor,
								 scan->plan->for_update,
								 (eflags & EXEC_FLAG_REWIND) != 0,
								 !bms_is_empty(plan->scan.plan.extParam));
}

/* The value of LIMIT or OFFSET; "otherwise" where there is none. */
static int64
limit_value(const itableScan *scan, int expr, int64 otherwise)
{
	return expr < 0 || scan->values.nulls[expr] ? otherwise :
		DatumGetInt64(scan->values.datums[expr]);
}

/* How many entities are wanted first; 0: all. */
int
itable_scan_first_page(const itableScan *scan)
{
	const itableFetch *fetch = &scan->plan->fetch;
	int64		count = limit_value(scan, fetch->count_expr, -1);
	int64		offset = limit_value(scan, fetch->offset_expr, 0);

	if (fetch->count_expr < 0)
		return fetch->rows;
	if (count < 0 || count > 1000 || offset < 0 || offset > 1000)
		return 0;
	return (int) Max(count + offset, 1);
}

/* Those of a plan that ends at its LIMIT. */
static void
set_limit(itableScan *scan)
{
	const itableFetch *fetch = &scan->plan->fetch;

	scan->limit.on = fetch->exact;
	if (!scan->limit.on)
		return;
	scan->limit.skip = limit_value(scan, fetch->offset_expr, 0);
	scan->limit.left = limit_value(scan, fetch->count_expr, PG_INT64_MAX);
}

/* As PostgreSQL checks them. */
static void
check_limit(const itableScan *scan)
{
	if (!scan->limit.on)
		return;
	if (scan->limit.skip < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_ROW_COUNT_IN_RESULT_OFFSET_CLAUSE),
				 errmsg("OFFSET must not be negative")));
	if (scan->limit.left < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_ROW_COUNT_IN_LIMIT_CLAUSE),
				 errmsg("LIMIT must not be negative")));
}

/* How many rows a plan that ends at its LIMIT will read; 0: not known. */
static int64
rows_wanted(const itableScan *scan)
{
	const itableLimit *limit = &scan->limit;

	return !limit->on || limit->left > PG_INT64_MAX - limit->skip ? 0 :
		limit->skip + limit->left;
}

/* The values of the expressions, in the current context. */
static itableValues
evaluate(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	itableValues values = scan->values;
	ListCell   *cell;
	int			i = 0;

	values.datums = palloc(sizeof(Datum) * (values.n + 1));
	values.nulls = palloc(sizeof(bool) * (values.n + 1));
	foreach(cell, scan->exprs)
	{
		values.datums[i] = ExecEvalExpr((ExprState *) lfirst(cell), econtext,
										&values.nulls[i]);
		i++;
	}
	return values;
}

/* Probes of the values; in memory that the next start frees. */
static void
build_probes(itableScan *scan, const itableValues *values)
{
	MemoryContext old;

	MemoryContextReset(scan->start_context);
	tmodel_arena_reset(scan->start_arena);
	old = MemoryContextSwitchTo(scan->start_context);
	for (int i = 0; i < values->n; i++)
	{
		int16		len;
		bool		byval;

		get_typlenbyval(values->types[i], &len, &byval);
		scan->values.nulls[i] = values->nulls[i];
		scan->values.datums[i] = values->nulls[i] ? (Datum) 0 :
			datumCopy(values->datums[i], byval, len);
	}
	set_limit(scan);
	scan->through_arms = scan->arms != NULL &&
		itable_arms_build(scan->arms, scan->start_arena, &scan->values,
						  itable_scan_first_page(scan), rows_wanted(scan));
	if (!scan->through_arms)
		itable_build_probes(scan->start_arena, scan->plan, scan->table,
							scan->asked, &scan->values, &scan->probes);
	scan->probes.first_page = itable_scan_first_page(scan);
	scan->probes.wanted = rows_wanted(scan);
	MemoryContextSwitchTo(old);
}

/* Do these values bound no partition, though the plan counts on bounds? */
static bool
asks_everything(const itableScan *scan)
{
	if (!scan->through_arms)
		return scan->plan->access != ITABLE_FULL && scan->probes.everything;
	for (int i = 0; i < itable_arms_ngroups(scan->arms); i++)
		if (itable_arms_group(scan->arms, i).probes->everything)
			return true;
	return false;
}

/* Breaks off what the last start has under way. */
static void
stop(itableScan *scan)
{
	if (!scan->under_way)
		return;
	if (scan->through_arms)
		itable_arms_stop(scan->arms);
	else if (scan->skip != NULL)
		itable_skip_stop(scan->skip);
	else if (scan->back != NULL)
		itable_back_stop(scan->back);
	else
		itable_source_stop(scan->source);
	scan->under_way = false;
}

/* Asks the store; by the plan's own access where arms fail. */
static void
ask(itableScan *scan, const itableValues *values)
{
	if (!itable_is_index(scan->table))
		itable_notice_readable(itable_source_client(scan->source),
							   scan->table);
	build_probes(scan, values);
	check_limit(scan);
	scan->under_way = true;
	if (asks_everything(scan) && scan->skip == NULL && scan->back == NULL)
		report_full_scan(scan, "With the values of this execution, the conditions bound no partition.");
	if (scan->through_arms)
	{
		itable_arms_start(scan->arms);
		return;
	}
	if (scan->arms != NULL)
	{
		scan->fallbacks++;
		if (scan->plan->access == ITABLE_FULL)
			report_full_scan(scan, "With the values of this execution every row may match, so that no key is left to ask for.");
	}
	if (scan->skip != NULL)
		itable_skip_start(scan->skip, &scan->probes);
	else if (scan->back != NULL)
		itable_back_start(scan->back, &scan->probes);
	else
		itable_source_start(scan->source, &scan->probes);
}

/* A start: the rows of the one before, where the values are the same. */
static void
start(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;
	MemoryContext old = MemoryContextSwitchTo(econtext->ecxt_per_tuple_memory);
	itableValues values = evaluate(node);

	MemoryContextSwitchTo(old);
	scan->started = true;
	if (itable_replay_start(scan->replay, &values, &scan->values))
	{
		set_limit(scan);
		return;
	}
	stop(scan);
	ask(scan, &values);
}

bool
itable_scan_constant_probes(ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
	itableScan *scan = node->fdw_state;
	itableValues values;
	ListCell   *cell;

	foreach(cell, plan->fdw_exprs)
		if (!IsA(lfirst(cell), Const))
			return false;
	values = evaluate(node);
	build_probes(scan, &values);
	return true;
}

/* The row's identity for UPDATE and DELETE. */
static void
remember(const ForeignScanState *node, TupleTableSlot *slot,
		 const tmodel_entity *entity)
{
	const itableScan *scan = node->fdw_state;

	itable_remember_row(itable_buffer_row(scan->table->serverid,
										  scan->table->name, entity,
										  node->ss.ps.state->es_snapshot->curcid),
						&slot->tts_tid);
}

bool
itable_scan_is_ready(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;

	if (!scan->started)
		start(node);
	return scan->at_end || itable_replay_is_ready(scan->replay) ||
		scan->through_arms || scan->skip != NULL || scan->back != NULL ||
		itable_source_is_ready(scan->source);
}

/* The next row from the store, into the slot; false at the end. */
static bool
next_read(const ForeignScanState *node, TupleTableSlot *slot)
{
	itableScan *scan = node->fdw_state;
	const tmodel_entity *entity;

	if (itable_replay_is_whole(scan->replay))
		return false;
	entity = scan->through_arms ? itable_arms_next(scan->arms) :
		scan->skip != NULL ? itable_skip_next(scan->skip) :
		scan->back != NULL ? itable_back_next(scan->back) :
		itable_source_next(scan->source);
	if (entity == NULL)
	{
		itable_replay_add(scan->replay, NULL);
		return false;
	}
	tmodel_arena_rewind(scan->row_arena);
	itable_entity_to_row(scan->row_arena, scan->table, entity, scan->wanted,
						 slot->tts_values, slot->tts_isnull);
	ExecStoreVirtualTuple(slot);
	if (scan->plan->for_update)
		remember(node, slot, entity);
	itable_replay_add(scan->replay, slot);
	return true;
}

/* The next row, kept or from the store, in the scan's slot; empty at the end. */
static void
next_row(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	ExecClearTuple(slot);
	scan->at_end = !itable_replay_next(scan->replay, slot) &&
		!next_read(node, slot);
}

/* The next row that counts: it passes the clauses, and OFFSET is behind. */
static void
next_limited_row(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;
	ExprContext *econtext = node->ss.ps.ps_ExprContext;

	econtext->ecxt_scantuple = node->ss.ss_ScanTupleSlot;
	while (scan->limit.left > 0)
	{
		next_row(node);
		if (TupIsNull(node->ss.ss_ScanTupleSlot))
			return;
		if (!ExecQual(node->ss.ps.qual, econtext))
		{
			ResetExprContext(econtext);
			continue;
		}
		if (scan->limit.skip-- <= 0)
		{
			scan->limit.left--;
			return;
		}
	}
	scan->at_end = true;
	ExecClearTuple(node->ss.ss_ScanTupleSlot);
}

TupleTableSlot *
itableIterateForeignScan(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;

	if (!scan->started)
		start(node);
	/* async.c tells an empty slot from the end */
	if (scan->async && !itable_scan_is_ready(node))
		return ExecClearTuple(slot);
	if (scan->limit.on)
		next_limited_row(node);
	else
		next_row(node);
	return slot;
}

void
itableReScanForeignScan(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;

	/* what is under way may yet go on behind the rows kept */
	if (scan->replay != NULL && !itable_replay_is_keeping(scan->replay))
		stop(scan);
	scan->started = false;
	scan->at_end = false;
}

void
itableEndForeignScan(ForeignScanState *node)
{
	itableScan *scan = node->fdw_state;

	if (scan != NULL && scan->replay != NULL)
		itable_replay_close(scan->replay);
	if (scan != NULL)
		MemoryContextDelete(scan->context);
	node->fdw_state = NULL;
}
