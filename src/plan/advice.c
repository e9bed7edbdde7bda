/*
 * advice.c
 *	  What would have saved a query its full scan: for itable_fdw.full_scan.
 *
 * Names the partition key, what stands in the way of each index table, and the
 * index that would serve the query's conditions, ready to be called.  Called by
 * create_plan.c for plans that read a whole table, whatever the setting is when
 * they are made: a cached plan may be executed under another one.  Says nothing
 * about what an index costs; that is itable_index_advice's question.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "plan/plan.h"
#include "remote/catalog.h"
#include "table/settings.h"

typedef struct adviser
{
	PlannerInfo *root;
	RelOptInfo *rel;
	const itableRelInfo *info;
	List	   *equal;			/* attnums that some condition fixes */
	List	   *bounded;		/* attnums that some condition bounds */
	AttrNumber	best;			/* the one an index should have; 0: none */
	Selectivity selectivity;	/* of its condition */
} adviser;

static const itableColumn *
column(const adviser *a, AttrNumber attnum)
{
	return a->info->table->columns[attnum - 1];
}

/* Notes a column; the most selective equality is what an index is wanted for. */
static void
note(adviser *a, AttrNumber attnum, bool equal, Selectivity selectivity)
{
	bool		better = a->best == 0 || selectivity < a->selectivity;

	if (equal != list_member_int(a->equal, a->best) && a->best != 0)
		better = equal;
	if (equal)
		a->equal = list_append_unique_int(a->equal, attnum);
	else
		a->bounded = list_append_unique_int(a->bounded, attnum);
	if (!better || column(a, attnum)->kind != ITABLE_PROPERTY)
		return;
	a->best = attnum;
	a->selectivity = selectivity;
}

static void
note_clause(adviser *a, const itableClause *clause)
{
	bool		equal = clause->match == ITABLE_ANY_OF ||
	clause->match == ITABLE_ALL_OF ||
	(clause->match == ITABLE_COMPARE && clause->op == TMODEL_EQ);
	bool		bounds = clause->match == ITABLE_BEGINS ||
	clause->match == ITABLE_LIKE ||
	(clause->match == ITABLE_COMPARE && clause->ordered &&
	 clause->op != TMODEL_NE);

	if (equal || bounds)
		note(a, clause->attnum, equal,
			 clause_selectivity(a->root, (Node *) clause->rinfo,
								a->rel->relid, JOIN_INNER, NULL));
}

/* Columns that joins set equal to others, and what else joins say. */
static void
note_joins(adviser *a)
{
	ListCell   *cell;
	ListCell   *member;

	foreach(cell, itable_classify(a->root, a->rel, a->info->table,
								  a->rel->joininfo))
		note_clause(a, lfirst(cell));
	foreach(cell, a->root->eq_classes)
	{
		EquivalenceClass *ec = lfirst_node(EquivalenceClass, cell);

		if (ec->ec_has_const || list_length(ec->ec_members) < 2)
			continue;
		foreach(member, itable_class_members(ec, a->rel->relids))
		{
			EquivalenceMember *em = lfirst_node(EquivalenceMember, member);
			AttrNumber	attnum = itable_column_of((Node *) em->em_expr,
												  a->rel->relid);

			if (attnum > 0)
				note(a, attnum, true, 1);
		}
	}
}

/* "town", "name" */
static char *
names_of(const adviser *a, List *attnums)
{
	StringInfoData text;
	ListCell   *cell;

	initStringInfo(&text);
	foreach(cell, attnums)
		appendStringInfo(&text, "%s\"%s\"", text.len > 0 ? ", " : "",
						 column(a, lfirst_int(cell))->attname);
	return text.data;
}

/* The columns that a query fixes the partition by; a bucket by what it is of. */
static List *
partition_attnums(const adviser *a)
{
	const itableTable *table = a->info->table;
	List	   *result = NIL;

	for (int i = 0; i < table->npartition; i++)
		result = list_append_unique_int(result,
										table->partition[i]->hashed != NULL ?
										table->partition[i]->hashed->attnum :
										table->partition[i]->attnum);
	return result;
}

/* Columns of the fact that are the index's own keys, the first first. */
static List *
index_attnums(const itableIndex *index)
{
	List	   *result = NIL;

	for (int i = 0; i < index->def.npartition + index->def.nrow; i++)
	{
		const tmodel_index_column *key = i < index->def.npartition ?
		&index->def.partition[i] :
		&index->def.row[i - index->def.npartition];

		if (key->source == TMODEL_FROM_PROPERTY ||
			key->source == TMODEL_FROM_ELEMENT)
			result = list_append_unique_int(result,
											itable_column_of_property(index->fact,
																	  key->property)->attnum);
	}
	return result;
}

static bool
is_named(const adviser *a, AttrNumber attnum)
{
	return list_member_int(a->equal, attnum) ||
		list_member_int(a->bounded, attnum);
}

/* Why an index table whose first key the query names does not serve it. */
static char *
why_unused(const adviser *a, const itableIndex *index, List *keys)
{
	const char *name = index->table->relname;
	ListCell   *cell;

	if (!itable_enable_index)
		return psprintf("Index table \"%s\" is not used, for itable_fdw.enable_index is off.",
						name);
	if (!itable_may_plan(index))
		return psprintf("Index table \"%s\" is not used, for it is not built (state \"%s\").",
						name, index->table->state != NULL ?
						index->table->state : "readable");
	if (index->table->queued && !itable_allow_queued)
		return psprintf("Index table \"%s\" is not used, for it is queued and itable_fdw.allow_queued is off.",
						name);
	foreach(cell, keys)
	{
		const itableColumn *key = column(a, lfirst_int(cell));

		if (key->not_null || OidIsValid(key->element_type) ||
			is_named(a, key->attnum))
			continue;
		return psprintf("Index table \"%s\" has no entries of rows where \"%s\" is null, which the query does not exclude.",
						name, key->attname);
	}
	return psprintf("Index table \"%s\" was not found to be cheaper, or not to serve the condition.",
					name);
}

/* What each index table lacks; columns they would serve go to *other. */
static void
add_indexes(adviser *a, StringInfo detail, StringInfo other)
{
	ListCell   *cell;

	foreach(cell, a->info->indexes)
	{
		const itableIndex *index = lfirst(cell);
		List	   *keys = index_attnums(index);

		if (keys == NIL)
			continue;
		if (is_named(a, linitial_int(keys)))
		{
			appendStringInfo(detail, " %s", why_unused(a, index, keys));
			if (a->best == linitial_int(keys))
				a->best = 0;	/* it has its index */
		}
		else
			appendStringInfo(other, ", or on \"%s\" (index table \"%s\")",
							 column(a, linitial_int(keys))->attname,
							 index->table->relname);
	}
}

/* 'name', or "name" within an array literal where it must be quoted */
static char *
array_literal(const char *name)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	if (strcmp(quote_identifier(name), name) == 0)
		appendStringInfoString(&text, name);
	else
	{
		appendStringInfoChar(&text, '"');
		for (const char *p = name; *p != '\0'; p++)
		{
			if (*p == '"' || *p == '\\')
				appendStringInfoChar(&text, '\\');
			appendStringInfoChar(&text, *p);
		}
		appendStringInfoChar(&text, '"');
	}
	appendStringInfoChar(&text, '}');
	return quote_literal_cstr(text.data);
}

/* CALL itable_create_index(...) for the best column. */
static char *
create_statement(const adviser *a)
{
	const itableTable *table = a->info->table;
	const itableColumn *key = column(a, a->best);
	const char *alias = OidIsValid(key->element_type) ?
	itable_element_name(key->attname) : key->attname;
	char	   *name = psprintf("%s_by_%s", table->relname, alias);
	const char *base = RelationIsVisible(table->relid) ?
	quote_identifier(table->relname) :
	quote_qualified_identifier(get_namespace_name(get_rel_namespace(table->relid)),
							   table->relname);

	return psprintf("CALL itable_create_index(%s, %s, key => %s);",
					quote_literal_cstr(base), quote_literal_cstr(name),
					array_literal(key->attname));
}

List *
itable_advice(PlannerInfo *root, RelOptInfo *rel, const itableRelInfo *info)
{
	adviser		a = {root, rel, info};
	char	   *partition = names_of(&a, partition_attnums(&a));
	StringInfoData detail;
	StringInfoData other;
	char	   *hint;
	ListCell   *cell;

	foreach(cell, info->clauses)
		note_clause(&a, lfirst(cell));
	note_joins(&a);
	initStringInfo(&detail);
	initStringInfo(&other);
	appendStringInfo(&detail, "No condition fixes or bounds the partition key (%s)",
					 partition);
	if (a.equal != NIL || a.bounded != NIL)
		appendStringInfo(&detail, ", and no index table is used for %s",
						 names_of(&a, list_concat_unique_int(list_copy(a.equal),
															 a.bounded)));
	appendStringInfoChar(&detail, '.');
	add_indexes(&a, &detail, &other);
	hint = psprintf("Add a condition on %s%s%s%s", partition, other.data,
					a.best != 0 && info->self_index == NULL ?
					", or create an index: " : ".",
					a.best != 0 && info->self_index == NULL ?
					create_statement(&a) : "");
	return list_make2(makeString(detail.data), makeString(hint));
}
