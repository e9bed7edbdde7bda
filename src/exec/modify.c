/*
 * modify.c
 *	  INSERT, UPDATE, DELETE and COPY FROM: rows into the change buffer.
 *
 * Nothing is sent here; every row is checked and converted at once, so that
 * what the store cannot hold fails at its statement.  Rows to change are found
 * again by their ctid, which names the entity the scan read (txn/buffer).
 * Easy to break: properties that the foreign table does not declare must
 * survive an UPDATE.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "optimizer/appendinfo.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "compat.h"
#include "exec/conflict.h"
#include "exec/modify.h"
#include "remote/convert.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "txn/buffer.h"

typedef struct itableModify
{
	itableTarget *target;
	itableTable *table;
	AttrNumber	row_identity;	/* of the subplan's ctid; 0: INSERT */
	tmodel_arena *arena;		/* of the rows in hand */
	itableConflicts *conflicts; /* ON CONFLICT DO NOTHING; else NULL */
} itableModify;

static int
itableIsForeignRelUpdatable(Relation rel)
{
	itableTable *table = itable_table_def(RelationGetRelid(rel));

	/* index tables are written through their fact table only */
	if (!table->updatable || itable_is_index(table))
		return 0;
	return (1 << CMD_INSERT) | (1 << CMD_UPDATE) | (1 << CMD_DELETE);
}

static void
itableAddForeignUpdateTargets(PlannerInfo *root, Index rtindex,
							  RangeTblEntry *target_rte,
							  Relation target_relation)
{
	Var		   *var = makeVar(rtindex, SelfItemPointerAttributeNumber, TIDOID,
							  -1, InvalidOid, 0);

	add_row_identity_var(root, var, rtindex, "ctid");
}

static List *
itablePlanForeignModify(PlannerInfo *root, ModifyTable *plan,
						Index resultRelation, int subplan_index)
{
	if (plan->onConflictAction == ONCONFLICT_UPDATE)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("ON CONFLICT DO UPDATE is not supported by itable_fdw")));
	return NIL;
}

static void
begin_modify(ResultRelInfo *relation, EState *estate)
{
	itableModify *modify = palloc0(sizeof(itableModify));

	modify->table = itable_table_def(RelationGetRelid(relation->ri_RelationDesc));
	if (itableIsForeignRelUpdatable(relation->ri_RelationDesc) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("foreign table \"%s\" cannot be changed",
						modify->table->relname),
				 itable_is_index(modify->table) ?
				 errhint("It is an index table; change its fact table.") : 0));
	modify->arena = itable_arena(CurrentMemoryContext);
	modify->target = itable_target(modify->table,
								   itable_write_user(relation, estate));
	relation->ri_FdwState = modify;
}

/* COPY has no plan. */
static void
skip_conflicts(itableModify *modify, const ModifyTableState *mtstate)
{
	const ModifyTable *plan = (ModifyTable *) mtstate->ps.plan;

	if (plan != NULL && plan->onConflictAction == ONCONFLICT_NOTHING)
		modify->conflicts = itable_conflicts(modify->target, modify->table);
}

static void
itableBeginForeignModify(ModifyTableState *mtstate, ResultRelInfo *relation,
						 List *fdw_private, int subplan_index, int eflags)
{
	itableModify *modify;
	Plan	   *subplan = outerPlanState(mtstate)->plan;

	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	begin_modify(relation, mtstate->ps.state);
	modify = relation->ri_FdwState;
	skip_conflicts(modify, mtstate);
	if (mtstate->operation == CMD_INSERT)
		return;
	modify->row_identity = ExecFindJunkAttributeInTlist(subplan->targetlist,
														"ctid");
	if (!AttributeNumberIsValid(modify->row_identity))
		elog(ERROR, "could not find the row identity column");
}

/*
 * COPY, and rows routed to a partition.  An UPDATE that moves rows here may have
 * this partition among its own targets; its state, with the row identity, stays.
 * The rows moved in are of the present command, so its scans do not meet them.
 */
static void
itableBeginForeignInsert(ModifyTableState *mtstate, ResultRelInfo *relation)
{
	if (relation->ri_FdwState != NULL)
		return;
	begin_modify(relation, mtstate->ps.state);
	skip_conflicts(relation->ri_FdwState, mtstate);
}

static void
itableEndForeignInsert(EState *estate, ResultRelInfo *relation)
{
	relation->ri_FdwState = NULL;
}

/*
 * PostgreSQL does not move rows out of foreign partitions, nor check them: a row
 * of another partition's key would be stored here and never found again.
 */
static void
check_partition(EState *estate, ResultRelInfo *relation, TupleTableSlot *slot)
{
	if (relation->ri_RelationDesc->rd_rel->relispartition)
		(void) ExecPartitionCheck(relation, slot, estate, true);
}

static tmodel_entity *
entity_of_slot(const itableModify *modify, TupleTableSlot *slot)
{
	slot_getallattrs(slot);
	/* after an UPDATE of the hashed column the old bucket still stands there */
	itable_fill_buckets(modify->arena, modify->table,
						slot->tts_values, slot->tts_isnull,
						modify->row_identity == 0);
	return itable_row_to_entity(modify->arena, modify->table,
								slot->tts_values, slot->tts_isnull);
}

/*
 * The store fills these columns at commit: until then RETURNING and triggers
 * get NULL, neither what the statement said nor what the old row had.
 */
static void
clear_system_columns(const itableModify *modify, TupleTableSlot *slot)
{
	bool		any = false;

	for (int i = 0; i < modify->table->natts; i++)
	{
		const itableColumn *column = modify->table->columns[i];

		if (column == NULL || slot->tts_isnull[i] ||
			(column->kind != ITABLE_ETAG && column->kind != ITABLE_TIMESTAMP))
			continue;
		slot->tts_isnull[i] = true;
		any = true;
	}
	if (any)
		ExecForceStoreHeapTuple(heap_form_tuple(slot->tts_tupleDescriptor,
												slot->tts_values,
												slot->tts_isnull),
								slot, true);
}

/* Buffers the rows; returns how many, their slots moved to the front. */
static int
insert_rows(const itableModify *modify, EState *estate,
			ResultRelInfo *relation, int n, TupleTableSlot **slots)
{
	tmodel_entity **entities = palloc(sizeof(tmodel_entity *) * n);
	bool	   *exists = palloc0(sizeof(bool) * n);
	int			inserted = 0;

	tmodel_arena_rewind(modify->arena);
	for (int i = 0; i < n; i++)
	{
		check_partition(estate, relation, slots[i]);
		entities[i] = entity_of_slot(modify, slots[i]);
	}
	if (modify->conflicts != NULL)
		itable_conflicts_ask(modify->conflicts, n, entities, exists);
	for (int i = 0; i < n; i++)
	{
		if (modify->conflicts != NULL &&
			(exists[i] || itable_conflicts_own(modify->conflicts, entities[i])))
			continue;
		itable_buffer_insert(modify->target, entities[i]);
		if (modify->conflicts != NULL)
			itable_conflicts_note(modify->conflicts, entities[i]);
		clear_system_columns(modify, slots[i]);
		slots[inserted++] = slots[i];
	}
	pfree(entities);
	pfree(exists);
	return inserted;
}

static TupleTableSlot *
itableExecForeignInsert(EState *estate, ResultRelInfo *relation,
						TupleTableSlot *slot, TupleTableSlot *planSlot)
{
	return insert_rows(relation->ri_FdwState, estate, relation, 1,
					   &slot) == 1 ? slot : NULL;
}

static TupleTableSlot **
itableExecForeignBatchInsert(EState *estate, ResultRelInfo *relation,
							 TupleTableSlot **slots,
							 TupleTableSlot **planSlots, int *numSlots)
{
	TupleTableSlot **inserted = palloc(sizeof(TupleTableSlot *) * *numSlots);

	/* the caller uses its own array again */
	memcpy(inserted, slots, sizeof(TupleTableSlot *) * *numSlots);
	*numSlots = insert_rows(relation->ri_FdwState, estate, relation,
							*numSlots, inserted);
	return inserted;
}

/* Buffering rows is cheap either way; batches save executor calls. */
static int
itableGetForeignModifyBatchSize(ResultRelInfo *relation)
{
	TriggerDesc *triggers = relation->ri_TrigDesc;

	if (relation->ri_projectReturning != NULL ||
		relation->ri_WithCheckOptions != NIL ||
		(triggers != NULL && (triggers->trig_insert_before_row ||
							  triggers->trig_insert_after_row)))
		return 1;
	return 100;
}

static const itableRow *
row_read(const itableModify *modify, TupleTableSlot *planSlot)
{
	bool		isnull;
	Datum		tid = ExecGetJunkAttribute(planSlot, modify->row_identity,
										   &isnull);

	if (isnull)
		elog(ERROR, "row identity is NULL");
	return itable_remembered_row((ItemPointer) DatumGetPointer(tid));
}

/* Does one of the table's columns hold the property? */
static bool
is_declared(const itableTable *table, tmodel_span property)
{
	itableColumn *column = itable_column_of_property(table, property);

	return column != NULL && column->kind == ITABLE_PROPERTY;
}

/* What other programs keep in the entity, beyond our columns. */
static tmodel_entity *
with_undeclared(const itableModify *modify, tmodel_entity *entity,
				const tmodel_entity *read)
{
	tmodel_entity *result = tmodel_entity_extend(modify->arena, entity,
												 read->nproperties);

	itable_check_arena(modify->arena);
	for (int i = 0; i < read->nproperties; i++)
		if (!is_declared(modify->table, read->properties[i].name) &&
			!tmodel_is_reserved(read->properties[i].name))
			tmodel_entity_set(result, read->properties[i].name,
							  &read->properties[i].value);
	return result;
}

static TupleTableSlot *
itableExecForeignUpdate(EState *estate, ResultRelInfo *relation,
						TupleTableSlot *slot, TupleTableSlot *planSlot)
{
	itableModify *modify = relation->ri_FdwState;
	const itableRow *read = row_read(modify, planSlot);
	const tmodel_entity *old;
	tmodel_entity *entity;

	tmodel_arena_rewind(modify->arena);
	check_partition(estate, relation, slot);
	old = itable_row_load(read, modify->arena);
	entity = with_undeclared(modify, entity_of_slot(modify, slot), old);
	if (!itable_buffer_update(modify->target, read, old, entity))
		return NULL;
	clear_system_columns(modify, slot);
	return slot;
}

static TupleTableSlot *
itableExecForeignDelete(EState *estate, ResultRelInfo *relation,
						TupleTableSlot *slot, TupleTableSlot *planSlot)
{
	itableModify *modify = relation->ri_FdwState;
	const itableRow *read = row_read(modify, planSlot);

	if (!itable_buffer_delete(modify->target, read))
		return NULL;
	if (relation->ri_projectReturning != NULL)
	{
		ExecClearTuple(slot);
		tmodel_arena_rewind(modify->arena);
		itable_entity_to_row(modify->arena, modify->table,
							 itable_row_load(read, modify->arena), NULL,
							 slot->tts_values, slot->tts_isnull);
		ExecStoreVirtualTuple(slot);
	}
	return slot;
}

void
itable_modify_routine(FdwRoutine *routine)
{
	routine->IsForeignRelUpdatable = itableIsForeignRelUpdatable;
	routine->AddForeignUpdateTargets = itableAddForeignUpdateTargets;
	routine->PlanForeignModify = itablePlanForeignModify;
	routine->BeginForeignModify = itableBeginForeignModify;
	routine->BeginForeignInsert = itableBeginForeignInsert;
	routine->EndForeignInsert = itableEndForeignInsert;
	routine->ExecForeignInsert = itableExecForeignInsert;
	routine->ExecForeignBatchInsert = itableExecForeignBatchInsert;
	routine->GetForeignModifyBatchSize = itableGetForeignModifyBatchSize;
	routine->ExecForeignUpdate = itableExecForeignUpdate;
	routine->ExecForeignDelete = itableExecForeignDelete;
}
