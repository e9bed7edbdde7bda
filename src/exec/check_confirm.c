/*
 * check_confirm.c
 *	  Confirms suspicions about index entries by reading twice.
 *
 * Reads the entry, its fact, and the entry again: with the same ETag both
 * times, entry and fact are what they were at one moment.  Absence has no ETag,
 * so where the entry is not there the fact is read again instead.  What the
 * protocol never allows at any moment (missing, contradicting, verified without
 * a fact) is then a problem; what a writer leaves for a moment (an entry not
 * yet verified or deleted) only when neither has changed for
 * itable_fdw.repair_age.  Called by check.c.
 */
#include "postgres.h"

#include "exec/check_confirm.h"
#include "exec/lookup.h"
#include "remote/memory.h"
#include "remote/report.h"
#include "txn/repair.h"

/* How often a case is read that others change meanwhile. */
#define MAX_ATTEMPTS 5

/* One entity to be read. */
typedef struct checkRead
{
	tmodel_span partition_key;
	tmodel_span row_key;
	const tmodel_entity **to;	/* NULL when it is not there */
	tstore_request *request;
} checkRead;

/* All of the list at the same time; returns the server's clock. */
static int64
read_all(checkReads *reads, const itableTable *table, int n, checkRead *list)
{
	int64		server_time = -1;

	for (int i = 0; i < n; i++)
		list[i].request = itable_call(reads->calls,
									  tstore_start_get(reads->client,
													   table->stored_in,
													   list[i].partition_key,
													   list[i].row_key,
													   0, NULL));
	for (int i = 0; i < n; i++)
	{
		const tstore_reply *reply;

		itable_wait(reads->calls, list[i].request);
		reply = tstore_reply_of(list[i].request);
		if (reply->error.status != TSTORE_OK &&
			reply->error.status != TSTORE_NOT_FOUND)
			itable_report_read(&reply->error, table->relname);
		*list[i].to = reply->nentities == 0 ? NULL :
			tmodel_entity_copy(reads->arena, &reply->entities[0]);
		itable_check_arena(reads->arena);
		server_time = Max(server_time, reply->server_time);
		itable_finish(reads->calls, list[i].request);
	}
	return server_time;
}

static void
read_entries(checkReads *reads, int n, checkCase **cases, bool before)
{
	checkRead  *list = palloc(sizeof(checkRead) * n);

	for (int i = 0; i < n; i++)
	{
		list[i].partition_key = cases[i]->suspect.partition_key;
		list[i].row_key = cases[i]->suspect.row_key;
		list[i].to = before ? &cases[i]->entry_before : &cases[i]->entry;
	}
	(void) read_all(reads, reads->index->table, n, list);
	pfree(list);
}

/* The second time only facts whose entries are not there. */
static int64
read_facts(checkReads *reads, int n, checkCase **cases, bool after)
{
	checkRead  *list = palloc(sizeof(checkRead) * n);
	int			nreads = 0;
	int64		server_time;

	for (int i = 0; i < n; i++)
	{
		const tmodel_entity **to = after ? &cases[i]->fact_after :
		&cases[i]->fact;

		*to = NULL;
		if (!cases[i]->suspect.has_fact ||
			(after && (cases[i]->entry != NULL || cases[i]->fact == NULL)))
			continue;
		list[nreads].partition_key = cases[i]->suspect.fact_partition_key;
		list[nreads].row_key = cases[i]->suspect.fact_row_key;
		list[nreads++].to = to;
	}
	server_time = read_all(reads, reads->index->fact, nreads, list);
	pfree(list);
	return server_time;
}

/* The entry that the fact justifies under the case's keys, or NULL. */
static const tmodel_entity *
justified_entry(const checkReads *reads, const checkCase *it)
{
	const itableIndex *index = reads->index;
	tmodel_entries entries;

	if (it->fact == NULL || tmodel_entity_is_stub(it->fact) ||
		!tmodel_index_entries(reads->arena, &index->fact_def, &index->def,
							  it->fact, &entries))
	{
		itable_check_arena(reads->arena);
		return NULL;
	}
	return tmodel_entries_find(&entries, it->suspect.partition_key,
							   it->suspect.row_key);
}

static bool
same_version(const tmodel_entity *a, const tmodel_entity *b)
{
	return a != NULL && b != NULL && tmodel_span_equal(a->etag, b->etag);
}

/* The first property in which the contents differ. */
static const char *
difference(const tmodel_entity *entry, const tmodel_entity *justified)
{
	const tmodel_entity *sides[] = {justified, entry};

	for (int side = 0; side < 2; side++)
		for (int i = 0; i < sides[side]->nproperties; i++)
		{
			const tmodel_property *property = &sides[side]->properties[i];
			const tmodel_value *other = tmodel_entity_get(sides[1 - side],
														  property->name);

			if (property->value.type != TMODEL_NULL &&
				!tmodel_is_reserved(property->name) &&
				(other == NULL ||
				 !tmodel_value_equal(&property->value, other)))
				return psprintf("property \"%s\" differs from the fact's",
								itable_cstring(property->name));
		}
	return "the contents differ from the fact's";
}

static void
found(checkCase *it, checkProblem problem, const char *detail)
{
	it->problem = problem;
	it->detail = detail;
}

/* Has nobody changed entry or fact for a while? */
static bool
is_settled(const checkReads *reads, const checkCase *it, int64 server_time)
{
	return reads->any_age ||
		(itable_is_old(it->entry, server_time) &&
		 (it->fact == NULL || itable_is_old(it->fact, server_time)));
}

/* Does the entry name a fact, and which one: that of the suspicion? */
static bool
names_fact(const checkCase *it, tmodel_span *partition_key,
		   tmodel_span *row_key, bool *same)
{
	if (!itable_entry_fact(it->entry, partition_key, row_key))
		return false;
	*same = it->suspect.has_fact &&
		tmodel_span_equal(*partition_key, it->suspect.fact_partition_key) &&
		tmodel_span_equal(*row_key, it->suspect.fact_row_key);
	return true;
}

/* An entry that is there, and that the fact justifies. */
static void
judge_justified(const checkReads *reads, checkCase *it,
				const tmodel_entity *justified, int64 server_time)
{
	tmodel_span partition_key;
	tmodel_span row_key;
	bool		same = false;

	if (!names_fact(it, &partition_key, &row_key, &same))
		found(it, CHECK_CONTRADICTING, "the entry names no fact");
	else if (!same)
		found(it, CHECK_CONTRADICTING, "the entry names another fact");
	else if (tmodel_entity_is_verified(it->entry) &&
			 !tmodel_entity_same_content(it->entry, justified))
		found(it, CHECK_CONTRADICTING, difference(it->entry, justified));
	else if (reads->index->covering &&
			 !tmodel_entity_is_verified(it->entry) &&
			 is_settled(reads, it, server_time))
		found(it, CHECK_UNVERIFIED, "lookups read the fact behind it");
	else
		found(it, CHECK_NONE, NULL);
}

/* An entry that is there, and that the fact (if any) does not justify. */
static void
judge_unjustified(const checkReads *reads, checkCase *it, int64 server_time)
{
	tmodel_span partition_key;
	tmodel_span row_key;
	bool		same = false;
	bool		names = names_fact(it, &partition_key, &row_key, &same);
	bool		verified = tmodel_entity_is_verified(it->entry);
	const char *why;

	if (names && !same)
	{
		/* the fact of the suspicion is gone: what about the one it names? */
		it->suspect.has_fact = true;
		it->suspect.fact_partition_key = partition_key;
		it->suspect.fact_row_key = row_key;
		return;
	}
	if (!verified && !is_settled(reads, it, server_time))
	{
		found(it, CHECK_NONE, NULL);
		return;
	}
	it->suspect.has_fact = names;
	why = !names ? "the entry names no fact" :
		it->fact == NULL ? "there is no such fact" :
		tmodel_entity_is_stub(it->fact) ? "the fact is only reserved" :
		"the fact has no such entry";
	found(it, CHECK_DANGLING,
		  verified ? psprintf("%s, yet the entry is verified", why) : why);
}

/* Leaves the case open when somebody wrote between the reads. */
static void
judge(const checkReads *reads, checkCase *it, int64 server_time)
{
	const tmodel_entity *justified = justified_entry(reads, it);

	if (it->entry == NULL && justified == NULL)
		found(it, CHECK_NONE, NULL);
	else if (it->entry == NULL)
	{
		if (same_version(it->fact, it->fact_after))
			found(it, CHECK_MISSING, "the fact has no entry here");
	}
	else if (!same_version(it->entry_before, it->entry))
		return;
	else if (justified != NULL)
		judge_justified(reads, it, justified, server_time);
	else
		judge_unjustified(reads, it, server_time);
}

/*
 * Entries of a unique index that name another fact than the live one that has
 * the key: does that one have it as well?
 */
static void
find_duplicates(checkReads *reads, int n, checkCase *cases)
{
	checkRead  *list = palloc(sizeof(checkRead) * (n + 1));
	const tmodel_entity **owners = palloc0(sizeof(tmodel_entity *) * (n + 1));
	checkCase **asked = palloc(sizeof(checkCase *) * (n + 1));
	int			nasked = 0;

	for (int i = 0; i < n && reads->index->table->unique; i++)
	{
		checkRead  *one = &list[nasked];
		bool		same = false;

		if (cases[i].problem != CHECK_CONTRADICTING ||
			!names_fact(&cases[i], &one->partition_key, &one->row_key,
						&same) || same)
			continue;
		one->to = &owners[nasked];
		asked[nasked++] = &cases[i];
	}
	(void) read_all(reads, reads->index->fact, nasked, list);
	for (int i = 0; i < nasked; i++)
	{
		checkCase	owner = *asked[i];

		owner.fact = owners[i];
		if (justified_entry(reads, &owner) != NULL)
			found(asked[i], CHECK_DUPLICATE,
				  psprintf("the entry is that of \"%s\", \"%s\", which has this key as well",
						   itable_cstring(list[i].partition_key),
						   itable_cstring(list[i].row_key)));
	}
}

void
itable_check_confirm(checkReads *reads, int n, checkCase *cases)
{
	checkCase **open = palloc(sizeof(checkCase *) * (n + 1));

	for (int i = 0; i < n; i++)
		cases[i].problem = CHECK_OPEN;
	for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++)
	{
		int			nopen = 0;
		int64		server_time;

		for (int i = 0; i < n; i++)
			if (cases[i].problem == CHECK_OPEN)
				open[nopen++] = &cases[i];
		if (nopen == 0)
			break;
		read_entries(reads, nopen, open, true);
		server_time = read_facts(reads, nopen, open, false);
		read_entries(reads, nopen, open, false);
		(void) read_facts(reads, nopen, open, true);
		for (int i = 0; i < nopen; i++)
			judge(reads, open[i], server_time);
	}
	for (int i = 0; i < n; i++)
		if (cases[i].problem == CHECK_OPEN)
			cases[i].problem = CHECK_NONE;
	find_duplicates(reads, n, cases);
	pfree(open);
}
