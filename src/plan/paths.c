/*
 * paths.c
 *	  The ways to read a relation: which keys of which table its clauses fix.
 *
 * Answers "what can be asked for?" by matching clauses to the key components
 * of the relation's own table and of each index table.  What a way costs is
 * cost.c's question, whether a clause may be pushed shippable.c's.  Called by
 * relinfo.c.  Easy to break: a RowKey component may be used only when all
 * components before it are fixed to one value each.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "plan/plan.h"
#include "remote/catalog.h"
#include "table/settings.h"

/* The scanned relation's column behind a key component; 0: none. */
typedef struct keyPart
{
	AttrNumber	attnum;
	bool		element;
	tmodel_key_type type;
	int			buckets;		/* > 0: a bucket */
	int			hashed;			/* of this row key component; -1: of the fact */
} keyPart;

/* Own keys: the relation's columns themselves. */
static keyPart *
own_parts(const itableTable *table, bool partition, int *n)
{
	itableColumn **columns = partition ? table->partition : table->row;
	keyPart    *parts;
	int			ncolumns = partition ? table->npartition : table->nrow;

	*n = partition ? table->npartition_parts : table->nrow;
	parts = palloc0(sizeof(keyPart) * *n);
	for (int i = 0; i < ncolumns; i++)
	{
		parts[i].attnum = columns[i]->attnum;
		parts[i].type = columns[i]->key_type;
		if (columns[i]->hashed != NULL)
		{
			parts[i].buckets = columns[i]->buckets;
			parts[i].hashed = columns[i]->hashed->component;
		}
	}
	if (ncolumns < *n)
	{
		parts[ncolumns].buckets = table->spread;
		parts[ncolumns].hashed = -1;
	}
	return parts;
}

/* An index table's keys, as columns of the fact relation. */
static keyPart *
index_parts(const itableIndex *index, bool partition, int *n)
{
	const tmodel_index_column *columns = partition ? index->def.partition :
	index->def.row;
	keyPart    *parts;

	*n = partition ? index->def.npartition : index->def.nrow;
	parts = palloc0(sizeof(keyPart) * *n);
	for (int i = 0; i < *n; i++)
	{
		parts[i].type = columns[i].type;
		if (columns[i].source == TMODEL_FROM_HASH ||
			columns[i].source == TMODEL_FROM_FACT_HASH)
		{
			parts[i].buckets = columns[i].buckets;
			parts[i].hashed = columns[i].source == TMODEL_FROM_FACT_HASH ?
				-1 : columns[i].component - index->def.npartition;
			continue;
		}
		parts[i].attnum = itable_column_of_property(index->fact,
													columns[i].property)->attnum;
		parts[i].element = columns[i].source == TMODEL_FROM_ELEMENT;
	}
	return parts;
}

/* Is the array known to have an element that is looked up? */
static bool
has_element(const itableClause *clause)
{
	return IsA(clause->value, Const) && !((Const *) clause->value)->constisnull &&
		itable_array_length(clause->value) > 0;
}

static void
add_cond(itableChoice *choice, const itableClause *clause, bool partition,
		 int component)
{
	itableCond *cond = palloc0(sizeof(itableCond));

	cond->partition = partition;
	cond->component = component;
	cond->match = clause->match;
	cond->op = clause->op;
	choice->conds = lappend(choice->conds, cond);
	choice->values = lappend(choice->values, clause->value);
	choice->rinfos = list_append_unique_ptr(choice->rinfos, clause->rinfo);
	if (clause->origin != NULL)
		choice->origins = list_append_unique_ptr(choice->origins,
												 clause->origin);
	if (clause->match == ITABLE_ANY_OF)
		choice->probes *= itable_array_length(clause->value);
	/* "contains the empty array" is true of every row */
	if (clause->match == ITABLE_ALL_OF && !has_element(clause))
		choice->conditional = true;
}

/*
 * A clause that fixes the part to one value, or to one of a list.  One whose
 * array may turn out empty comes last.
 */
static const itableClause *
find_fixing(const List *clauses, const keyPart *part)
{
	const itableClause *best = NULL;
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const itableClause *clause = lfirst(cell);

		if (clause->attnum != part->attnum || clause->element != part->element)
			continue;
		if (clause->match == ITABLE_COMPARE && clause->op == TMODEL_EQ)
			return clause;
		if (clause->match == ITABLE_ANY_OF ||
			(clause->match == ITABLE_ALL_OF &&
			 (has_element(clause) ||
			  (best == NULL && !IsA(clause->value, Const)))))
			best = clause;
	}
	return best;
}

/* Adds the clauses that bound the part; true when there was one. */
static bool
add_bounds(itableChoice *choice, const List *clauses, const keyPart *part,
		   bool partition, int component)
{
	bool		any = false;
	ListCell   *cell;

	if (part->element)
		return false;
	foreach(cell, clauses)
	{
		const itableClause *clause = lfirst(cell);
		bool		begins = clause->match == ITABLE_BEGINS ||
		clause->match == ITABLE_LIKE;
		bool		bounds = begins ||
		(clause->match == ITABLE_COMPARE && clause->ordered &&
		 clause->op != TMODEL_NE && clause->op != TMODEL_EQ);

		if (clause->attnum != part->attnum || clause->element || !bounds)
			continue;
		if (begins && part->type != TMODEL_KEY_TEXT)
			continue;
		add_cond(choice, clause, partition, component);
		any = true;
	}
	return any;
}

/*
 * A bucket is known when the row key component it is of is; otherwise every
 * bucket is asked, provided the row key narrows at all.
 */
static bool
add_bucket(itableChoice *choice, const keyPart *part, int component,
		   int row_fixed, bool row_narrows)
{
	itableCond *cond = palloc0(sizeof(itableCond));
	bool		known = part->hashed >= 0 && part->hashed < row_fixed;

	if (!known && part->hashed >= 0 && !row_narrows)
		return false;
	cond->partition = true;
	cond->component = component;
	cond->match = known ? ITABLE_HASHED : ITABLE_EVERY_BUCKET;
	cond->expr = part->hashed;
	cond->buckets = part->buckets;
	choice->conds = lappend(choice->conds, cond);
	choice->values = lappend(choice->values, NULL);
	if (!known)
		choice->probes *= part->buckets;
	return true;
}

/*
 * Matches one key; returns how many of its components are fixed.  The row key
 * comes first: buckets in the partition key depend on it.
 */
static int
match_key(itableChoice *choice, const List *clauses, int n,
		  const keyPart *parts, bool partition, int row_fixed,
		  bool row_narrows, bool *bounded)
{
	int			fixed;

	*bounded = false;
	for (fixed = 0; fixed < n; fixed++)
	{
		const keyPart *part = &parts[fixed];
		const itableClause *clause = part->attnum == 0 ? NULL :
		find_fixing(clauses, part);

		if (clause != NULL)
			add_cond(choice, clause, partition, fixed);
		else if (part->buckets == 0 ||
				 !add_bucket(choice, part, fixed, row_fixed, row_narrows))
			break;
	}
	if (fixed < n && parts[fixed].attnum != 0)
		*bounded = add_bounds(choice, clauses, &parts[fixed], partition,
							  fixed);
	return fixed;
}

static itableChoice *
match_table(const List *clauses, int npartition, const keyPart *partition,
			int nrow, const keyPart *row)
{
	itableChoice *choice = palloc0(sizeof(itableChoice));
	bool		partition_bounded;
	bool		row_bounded;
	int			partition_fixed;
	int			row_fixed;

	choice->probes = 1;
	row_fixed = match_key(choice, clauses, nrow, row, false, 0, false,
						  &row_bounded);
	partition_fixed = match_key(choice, clauses, npartition, partition, true,
								row_fixed, row_fixed > 0 || row_bounded,
								&partition_bounded);
	if (partition_fixed < npartition)
		choice->access = partition_fixed > 0 || partition_bounded ?
			ITABLE_RANGE : ITABLE_FULL;
	else if (row_fixed == nrow)
		choice->access = ITABLE_POINT;
	else if (row_fixed > 0 || row_bounded)
		choice->access = ITABLE_RANGE;
	else
		choice->access = ITABLE_PARTITION;
	return choice;
}

/* Can the entries alone answer the query? */
static bool
covers(const itableIndex *index, const itableRelInfo *info)
{
	int			member = -1;

	/* what a queued index finds is always rechecked at the fact */
	if (!index->covering || info->all_columns || info->for_update ||
		index->table->queued)
		return false;
	while ((member = bms_next_member(info->needed, member)) >= 0)
	{
		AttrNumber	attnum = member + FirstLowInvalidHeapAttributeNumber;
		bool		found = false;

		if (attnum <= 0)
			continue;
		for (int i = 0; i < index->table->natts && !found; i++)
			found = index->fact_attnum[i] == attnum;
		/* an entry always says which fact it is of */
		if (!found &&
			index->fact->columns[attnum - 1]->kind != ITABLE_PARTITION_KEY &&
			index->fact->columns[attnum - 1]->kind != ITABLE_ROW_KEY)
			return false;
	}
	return true;
}

/* Does some clause reject rows where the column is NULL?  All of ours do. */
static bool
rejects_null(const List *clauses, AttrNumber attnum)
{
	ListCell   *cell;

	foreach(cell, clauses)
	{
		const itableClause *clause = lfirst(cell);

		if (clause->attnum == attnum && !clause->element)
			return true;
	}
	return false;
}

/*
 * Has every row the query wants an entry?  A fact with NULL in an index key
 * column, or without elements, has none: the query must reject such rows.
 */
static bool
has_all_entries(const itableIndex *index, const List *clauses, int n,
				const keyPart *parts)
{
	for (int i = 0; i < n; i++)
	{
		const itableColumn *column;

		if (parts[i].attnum == 0)
			continue;			/* a bucket */
		column = index->fact->columns[parts[i].attnum - 1];
		if (parts[i].element ? find_fixing(clauses, &parts[i]) == NULL :
			column->kind == ITABLE_PROPERTY && !column->not_null &&
			!rejects_null(clauses, parts[i].attnum))
			return false;
	}
	return true;
}

/* Is the partition known, or one of a list?  All components are bounded to =. */
static bool
fixes_partition(const itableChoice *choice, int npartition)
{
	int			fixed = 0;
	ListCell   *cell;

	foreach(cell, choice->conds)
	{
		const itableCond *cond = lfirst(cell);

		if (cond->partition &&
			(cond->match != ITABLE_COMPARE || cond->op == TMODEL_EQ) &&
			cond->match != ITABLE_BEGINS && cond->match != ITABLE_LIKE)
			fixed++;
	}
	return fixed >= npartition;
}

/*
 * An index that is maintained later may not know a row yet.  It answers only
 * where the user has allowed that, and never for UPDATE or DELETE.
 */
static bool
may_answer(const itableIndex *index, const itableRelInfo *info)
{
	return !index->table->queued || (itable_allow_queued && !info->for_update);
}

static itableChoice *
index_choice(const itableIndex *index, const itableRelInfo *info,
			 List *clauses)
{
	int			npartition;
	int			nrow;
	keyPart    *partition = index_parts(index, true, &npartition);
	keyPart    *row = index_parts(index, false, &nrow);
	itableChoice *choice = match_table(clauses, npartition, partition, nrow,
									   row);

	if (!has_all_entries(index, clauses, npartition, partition) ||
		!has_all_entries(index, clauses, nrow, row) ||
		(index->table->colocated && !fixes_partition(choice, npartition)))
		choice->access = ITABLE_FULL;	/* of no use */
	choice->index = (itableIndex *) index;
	choice->covering = covers(index, info);
	return choice;
}

/*
 * A way that some values make unusable: the relation's own way without it
 * stands by.
 */
static itableChoice *
with_fallback(itableChoice *choice, const itableChoice *own)
{
	itableChoice *result = memcpy(palloc(sizeof(itableChoice)), own,
								  sizeof(itableChoice));

	result->arms = list_make1(choice);
	result->rinfos = choice->rinfos;
	return result;
}

/* Every way; the relation itself is always one. */
List *
itable_choices(const itableRelInfo *info, List *clauses)
{
	int			npartition;
	int			nrow;
	keyPart    *partition = own_parts(info->table, true, &npartition);
	keyPart    *row = own_parts(info->table, false, &nrow);
	List	   *result = list_make1(match_table(clauses, npartition, partition,
												nrow, row));
	ListCell   *cell;

	foreach(cell, info->indexes)
	{
		itableIndex *index = lfirst(cell);
		itableChoice *choice;

		if (!itable_enable_index || !itable_may_plan(index) ||
			!may_answer(index, info))
			continue;
		choice = index_choice(index, info, clauses);
		if (choice->access == ITABLE_FULL)
			continue;
		if (choice->conditional)
			choice = with_fallback(choice, linitial(result));
		result = lappend(result, choice);
	}
	return result;
}

AttrNumber *
itable_key_columns(const itableRelInfo *info, const itableIndex *index, int *n)
{
	int			npartition;
	int			nrow;
	keyPart    *partition = index != NULL ?
	index_parts(index, true, &npartition) :
	own_parts(info->table, true, &npartition);
	keyPart    *row = index != NULL ? index_parts(index, false, &nrow) :
	own_parts(info->table, false, &nrow);
	AttrNumber *result;

	*n = npartition + nrow;
	result = palloc(sizeof(AttrNumber) * *n);
	for (int i = 0; i < *n; i++)
	{
		const keyPart *part = i < npartition ? &partition[i] :
		&row[i - npartition];

		result[i] = part->element ? 0 : part->attnum;
	}
	return result;
}

/* Every partition of an index; those of a gathered one are its buckets. */
static itableChoice *
whole_index(const itableIndex *index, const itableRelInfo *info, List *clauses)
{
	int			npartition;
	int			nrow;
	keyPart    *partition = index_parts(index, true, &npartition);
	keyPart    *row = index_parts(index, false, &nrow);
	itableChoice *choice = palloc0(sizeof(itableChoice));

	if (!has_all_entries(index, clauses, npartition, partition) ||
		!has_all_entries(index, clauses, nrow, row))
		return NULL;
	choice->access = ITABLE_FULL;
	choice->probes = 1;
	choice->index = (itableIndex *) index;
	choice->covering = covers(index, info);
	choice->only_ordered = true;
	if (npartition == 1 && partition[0].buckets > 0 && partition[0].hashed >= 0)
	{
		(void) add_bucket(choice, &partition[0], 0, 0, true);
		choice->access = ITABLE_PARTITION;
	}
	return choice;
}

List *
itable_whole_indexes(const itableRelInfo *info, List *clauses)
{
	List	   *result = NIL;
	ListCell   *cell;

	foreach(cell, info->indexes)
	{
		itableIndex *index = lfirst(cell);
		itableChoice *choice;

		if (!itable_enable_index || !index->table->readable)
			continue;
		choice = whole_index(index, info, clauses);
		if (choice != NULL)
			result = lappend(result, choice);
	}
	return result;
}

const char *
itable_access_name(itableAccess access)
{
	static const char *const names[] = {"point", "range", "partition", "full"};

	return names[access];
}
