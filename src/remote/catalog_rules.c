/*
 * catalog_rules.c
 *	  What the catalog means for who writes, plans, or scans.
 *
 * A writer touches every index from REGISTERED to DEPRECATED and verifies from
 * BUILDING on, for before that a writer that does not know the index may change
 * a fact behind a verified entry.  An index that the catalog does not list was
 * declared by hand and is maintained as its foreign table says.  Easy to break:
 * a transaction may commit only if it touched *every* index that is listed at
 * that moment, whatever else moved.
 */
#include "postgres.h"

#include "remote/catalog.h"
#include "remote/report.h"

/* Writers maintain it. */
static bool
is_maintained(itableIndexState state)
{
	return state >= ITABLE_REGISTERED && state <= ITABLE_DEPRECATED;
}

static itableIndex *
find_local(List *indexes, const char *name)
{
	ListCell   *cell;

	foreach(cell, indexes)
	{
		itableIndex *index = lfirst(cell);

		if (itable_same_table(index->table->name, tmodel_span_of(name)))
			return index;
	}
	return NULL;
}

static void
check_all_declared(const itableCatalog *catalog, const itableTable *fact,
				   List *indexes)
{
	ListCell   *cell;

	foreach(cell, catalog->indexes)
	{
		const itableListed *listed = lfirst(cell);

		if (is_maintained(listed->state) &&
			find_local(indexes, listed->name) == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("index table \"%s\" of foreign table \"%s\" is not declared in this database",
							listed->name, fact->relname),
					 errdetail("The store's catalog lists it, so every writer must maintain it."),
					 errhint("SELECT itable_import_indexes('%s'); declares it.  CALL itable_drop_index(...) then drops it everywhere, if it is not wanted.",
							 fact->relname)));
	}
}

static void
check_same_layout(const itableListed *listed, const itableIndex *index)
{
	char	   *layout = itable_index_layout(index);

	if (strcmp(listed->layout, layout) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index table \"%s\" is declared otherwise here than in the store's catalog",
						index->table->relname),
				 errdetail("Here: %s\nIn the catalog: %s", layout,
						   listed->layout),
				 errhint("DROP FOREIGN TABLE %s; SELECT itable_import_indexes('%s'); declares it as the catalog does.",
						 index->table->relname, index->fact->relname)));
	pfree(layout);
}

/* Declared by hand, or about to be listed or gone. */
static itableMaintained *
unlisted(itableIndex *index)
{
	itableMaintained *result;

	if (strcmp(index->table->state, "dropping") == 0)
		return NULL;
	result = palloc0(sizeof(itableMaintained));
	result->index = index;
	result->name = itable_cstring(index->table->name);
	result->may_verify = strcmp(index->table->state, "building") != 0;
	return result;
}

List *
itable_to_maintain(const itableCatalog *catalog, itableTable *fact)
{
	List	   *indexes = itable_indexes_of(fact, false);
	List	   *result = NIL;
	ListCell   *cell;

	check_all_declared(catalog, fact, indexes);
	foreach(cell, indexes)
	{
		itableIndex *index = lfirst(cell);
		itableListed *listed = itable_find_listed(catalog, index->table->name);
		itableMaintained *one = NULL;

		if (listed == NULL)
			one = unlisted(index);
		else if (is_maintained(listed->state))
		{
			check_same_layout(listed, index);
			one = palloc0(sizeof(itableMaintained));
			one->index = index;
			one->name = pstrdup(listed->name);
			one->may_verify = listed->state >= ITABLE_BUILDING;
			one->state = listed->state;
			one->incarnation = pstrdup(listed->incarnation);
		}
		if (one != NULL)
			result = lappend(result, one);
	}
	return result;
}

static itableMaintained *
find_maintained(List *maintained, const char *name)
{
	ListCell   *cell;

	foreach(cell, maintained)
	{
		itableMaintained *one = lfirst(cell);

		if (itable_same_table(tmodel_span_of(one->name), tmodel_span_of(name)))
			return one;
	}
	return NULL;
}

/*
 * An index that was not touched must not be there to touch; one that was may
 * have moved by a step, but must be the same one.
 */
const char *
itable_moved_index(const itableCatalog *catalog, List *maintained)
{
	ListCell   *cell;

	foreach(cell, catalog->indexes)
	{
		const itableListed *listed = lfirst(cell);
		itableMaintained *one = find_maintained(maintained, listed->name);

		if (one == NULL ? is_maintained(listed->state) :
			one->incarnation == NULL ? listed->state > ITABLE_REGISTERED :
			strcmp(one->incarnation, listed->incarnation) != 0 ||
			(int) listed->state - (int) one->state > 1)
			return listed->name;
	}
	return NULL;
}

bool
itable_may_plan(const itableIndex *index)
{
	const itableCatalog *catalog = itable_catalog_known(index->fact);
	const itableListed *listed = catalog == NULL ? NULL :
		itable_find_listed(catalog, index->table->name);

	if (listed == NULL)
		return index->table->readable;
	/* "registered": imported before it was readable; the catalog knows more */
	return listed->state == ITABLE_READABLE &&
		(index->table->readable ||
		 strcmp(index->table->state, "registered") == 0);
}

void
itable_notice_readable(tstore_client *client, itableTable *fact)
{
	ListCell   *cell;

	foreach(cell, itable_indexes_of(fact, true))
		if (strcmp(((itableIndex *) lfirst(cell))->table->state,
				   "registered") == 0)
		{
			(void) itable_catalog(client, fact, false);
			return;
		}
}

void
itable_check_readable(tstore_client *client, const itableIndex *index)
{
	const itableCatalog *catalog = itable_catalog(client, index->fact, false);
	const itableListed *listed = itable_find_listed(catalog,
													index->table->name);

	/* what is DEPRECATED may be dropped at any moment: no belief in it */
	if (listed != NULL && listed->state == ITABLE_DEPRECATED)
		listed = itable_find_listed(itable_catalog_fresh(client, index->fact),
									index->table->name);
	if (listed == NULL || listed->state == ITABLE_READABLE ||
		listed->state == ITABLE_DEPRECATED)
		return;
	itable_report_index_moved(index->fact->relname, index->table->relname,
							  itable_state_name(listed->state));
}
