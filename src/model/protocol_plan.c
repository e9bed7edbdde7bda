/*
 * protocol_plan.c
 *	  What a change sends: which entries it touches, reads or leaves alone, and
 *	  how stub, entries and fact look when written.
 *
 * Called by protocol.c and repair.c only; knows nothing of phases or answers.
 *
 * Easy to break: a fact's write ids must never name a transaction that did not
 * write this incarnation of the fact, else its writer takes another's success
 * for its own.
 */
#include "protocol_int.h"

#include "batch.h"

#include <stdlib.h>
#include <string.h>

const tmodel_index_change *
tmodel_p_index(const tmodel_machine *machine, const entry_work *work)
{
	return &machine->change->indexes[work->index];
}

static const tmodel_entity *
entry_at(const tmodel_entries *entries, int at)
{
	return at < 0 ? NULL : &entries->entries[at];
}

/* The store's order does not matter here, only that it is one. */
static int
compare_entries(const void *a, const void *b)
{
	const tmodel_entity *left = *(const tmodel_entity *const *) a;
	const tmodel_entity *right = *(const tmodel_entity *const *) b;
	int			cmp = tmodel_span_compare(left->partition_key,
										  right->partition_key);

	return cmp != 0 ? cmp : tmodel_span_compare(left->row_key, right->row_key);
}

/* Pointers to the entries, sorted by key, each once; NULL: out of memory. */
static const tmodel_entity **
sorted_entries(tmodel_arena *arena, const tmodel_entries *entries, int *n)
{
	const tmodel_entity **sorted = tmodel_alloc(arena,
												((size_t) entries->n + 1) *
												sizeof(*sorted));

	if (sorted == NULL)
		return NULL;
	for (int i = 0; i < entries->n; i++)
		sorted[i] = &entries->entries[i];
	qsort(sorted, (size_t) entries->n, sizeof(*sorted), compare_entries);
	*n = 0;
	for (int i = 0; i < entries->n; i++)
		if (i == 0 || compare_entries(&sorted[i], &sorted[*n - 1]) != 0)
			sorted[(*n)++] = sorted[i];
	return sorted;
}

/*
 * The touch rule, per entry.  An entry that F0 and F1 justify alike is left
 * alone: whoever may verify or delete it now may do so after the commit too.
 * An old entry of a pointer index needs no touch because it answers nothing by
 * itself; its ETag is read so that it can be deleted.  A touch gives the ETag
 * as well, and many touches travel in one request.
 */
static entry_plan
plan_entry(tmodel_change_kind kind, const tmodel_index_change *index,
		   const entry_work *work)
{
	bool		covering = index->covering;
	entry_plan	touch = index->unique != NULL ? ENTRY_CLAIM : ENTRY_TOUCH;

	if (kind == TMODEL_CHANGE_REFRESH)
		return touch;
	if (work->old_at < 0 ||
		(kind == TMODEL_CHANGE_CONVERGE && work->new_at >= 0))
		return touch;
	if (work->new_at < 0 && index->unique != NULL)
		return ENTRY_RELEASE;
	if (work->new_at < 0)
	{
#ifdef TMODEL_BREAK_NOTOUCHOLD
		covering = false;
#endif
		return covering || index->touch_old ? ENTRY_TOUCH : ENTRY_READ;
	}
	if (covering &&
		!tmodel_entity_same_content(entry_at(&index->old_entries, work->old_at),
									entry_at(&index->new_entries, work->new_at)))
		return touch;
	return ENTRY_LEAVE;
}

/* A property that is added when an entry or stub is written. */
#define ADDED_BYTES 256

/* The entry as a touch writes it, but for what every touch adds. */
static const tmodel_entity *
touched_entry(const tmodel_index_change *index, const entry_work *work)
{
	return work->new_at >= 0 ? entry_at(&index->new_entries, work->new_at) :
		entry_at(&index->old_entries, work->old_at);
}

/* Merges one index's old and new entries into the list. */
static bool
plan_index(tmodel_arena *arena, const tmodel_change *change, int at,
		   int *nentries, entry_work *entries)
{
	static const tmodel_entries none;
	const tmodel_index_change *index = &change->indexes[at];
	const tmodel_entries *old_entries = &index->old_entries;
	const tmodel_entity **olds;
	const tmodel_entity **news;
	int			nolds;
	int			nnews;
	int			o = 0;
	int			n = 0;

	/* A REFRESH writes what F0 justifies; there is nothing old about it. */
	if (change->kind == TMODEL_CHANGE_REFRESH)
		old_entries = &none;
	olds = sorted_entries(arena, old_entries, &nolds);
	news = sorted_entries(arena, &index->new_entries, &nnews);
	if (olds == NULL || news == NULL)
		return false;

	while (o < nolds || n < nnews)
	{
		entry_work *work = &entries[*nentries];
		int			cmp;

		if (o == nolds)
			cmp = 1;
		else if (n == nnews)
			cmp = -1;
		else
			cmp = compare_entries(&olds[o], &news[n]);
		work->index = at;
		work->old_at = cmp <= 0 ?
			(int) (olds[o++] - index->old_entries.entries) : -1;
		work->new_at = cmp >= 0 ?
			(int) (news[n++] - index->new_entries.entries) : -1;
		work->plan = plan_entry(change->kind, index, work);
		*nentries += work->plan != ENTRY_LEAVE;
	}
	return true;
}

/* The chosen ones, in memory of their size, with their keys. */
static entry_work *
keep_entries(tmodel_arena *arena, const tmodel_change *change, int n,
			 const entry_work *planned)
{
	entry_work *entries = tmodel_alloc(arena, (size_t) n * sizeof(*entries));

	for (int i = 0; i < n && entries != NULL; i++)
	{
		const tmodel_index_change *index = &change->indexes[planned[i].index];
		const tmodel_entity *entry = touched_entry(index, &planned[i]);

		entries[i] = planned[i];
		entries[i].partition_key = entry->partition_key;
		entries[i].row_key = entry->row_key;
		entries[i].bytes = (uint32_t) tmodel_batch_bytes(entry) + ADDED_BYTES;
		if (index->unique == NULL)
			continue;
		entries[i].claim = tmodel_alloc(arena, sizeof(claim_work));
		if (entries[i].claim == NULL)
			return NULL;
	}
	return entries;
}

/* The entries that the change concerns; false: out of memory. */
bool
tmodel_p_plan_entries(tmodel_arena *arena, const tmodel_change *change,
					  int *nentries, entry_work **entries)
{
	size_t		room = 1;
	tmodel_arena scratch;
	entry_work *planned;

	for (int i = 0; i < change->nindexes; i++)
		room += (size_t) change->indexes[i].old_entries.n +
			(size_t) change->indexes[i].new_entries.n;
	*nentries = 0;
	tmodel_arena_init(&scratch, arena->allocator);
	planned = tmodel_alloc(&scratch, room * sizeof(entry_work));
	for (int i = 0; i < change->nindexes && planned != NULL; i++)
		if (!plan_index(&scratch, change, i, nentries, planned))
			planned = NULL;
	*entries = planned != NULL ?
		keep_entries(arena, change, *nentries, planned) : NULL;
	tmodel_arena_reset(&scratch);
	arena->failed |= *entries == NULL;
	return *entries != NULL;
}

/* The bare keys of an entity, with room for "extra" properties. */
static tmodel_entity *
bare_entity(tmodel_arena *arena, const tmodel_entity *like, int extra)
{
	tmodel_entity keys = *like;

	keys.nproperties = 0;
	keys.properties = NULL;
	keys.etag = (tmodel_span) {NULL, 0};
	keys.timestamp = -1;
	return tmodel_entity_extend(arena, &keys, extra);
}

static void
set_string(tmodel_entity *entity, tmodel_span name, tmodel_span text)
{
	tmodel_value value = tmodel_string(text);

	tmodel_entity_set(entity, name, &value);
}

static void
set_true(tmodel_entity *entity, tmodel_span name)
{
	tmodel_value value = tmodel_boolean(true);

	tmodel_entity_set(entity, name, &value);
}

/* The stub that reserves the place of new_fact. */
tmodel_entity *
tmodel_p_stub(const tmodel_machine *machine, tmodel_arena *arena)
{
	tmodel_entity *stub = bare_entity(arena, &machine->fact, 2);

	if (stub == NULL)
		return NULL;
	set_true(stub, TMODEL_SPAN(TMODEL_P_STUB));
	set_string(stub, TMODEL_SPAN(TMODEL_P_WRITES), machine->change->write_id);
	return stub;
}

/*
 * An entry as a touch writes it: never verified, and with the write id, so that
 * two touches with the same contents can be told apart by people.
 */
static const tmodel_entity *
touched(const tmodel_machine *machine, const entry_work *work,
		tmodel_arena *arena)
{
	tmodel_value none = {.type = TMODEL_NULL};
	tmodel_entity *entry = tmodel_entity_extend(arena,
												touched_entry(tmodel_p_index(machine, work),
													work),
												1);

	if (entry == NULL)
		return NULL;
	tmodel_entity_set(entry, TMODEL_SPAN(TMODEL_P_VERIFIED), &none);
	set_string(entry, TMODEL_SPAN(TMODEL_P_WRITE), machine->change->write_id);
	return entry;
}

/* The keys of the fact an entry belongs to; false when it does not say. */
bool
tmodel_p_names_fact(const tmodel_entity *entry, tmodel_entity *fact_keys)
{
	const tmodel_value *partition = tmodel_entity_get(entry,
													  TMODEL_SPAN(TMODEL_P_FACT_PK));
	const tmodel_value *row = tmodel_entity_get(entry,
												TMODEL_SPAN(TMODEL_P_FACT_RK));

	if (partition == NULL || partition->type != TMODEL_STRING ||
		row == NULL || row->type != TMODEL_STRING)
		return false;
	memset(fact_keys, 0, sizeof(*fact_keys));
	fact_keys->partition_key = partition->u.bytes;
	fact_keys->row_key = row->u.bytes;
	fact_keys->timestamp = -1;
	return true;
}

/* The fact's list of write ids; empty when it has none. */
static tmodel_span
write_ids(const tmodel_entity *fact)
{
	const tmodel_value *ids = NULL;

	if (fact != NULL)
		ids = tmodel_entity_get(fact, TMODEL_SPAN(TMODEL_P_WRITES));
	if (ids == NULL || ids->type != TMODEL_STRING)
		return (tmodel_span) {NULL, 0};
	return ids->u.bytes;
}

/* Cuts the first id off *list; empty at its end. */
static tmodel_span
next_id(tmodel_span *list)
{
	tmodel_span id = *list;
	const char *comma = NULL;

	if (list->len > 0)
		comma = memchr(list->data, ',', list->len);
	if (comma == NULL)
		*list = (tmodel_span) {NULL, 0};
	else
	{
		id.len = (size_t) (comma - list->data);
		list->data += id.len + 1;
		list->len -= id.len + 1;
	}
	return id;
}

tmodel_span
tmodel_p_newest_write_id(const tmodel_entity *fact)
{
	tmodel_span list = write_ids(fact);

	return next_id(&list);
}

/* Less than MAX_WRITE_IDS: nobody's id was dropped from the list yet. */
int
tmodel_p_count_write_ids(const tmodel_entity *fact)
{
	tmodel_span list = write_ids(fact);
	int			n = 0;

	while (list.len > 0)
	{
		next_id(&list);
		n++;
	}
	return n;
}

bool
tmodel_p_has_write_id(const tmodel_entity *fact, tmodel_span id)
{
	tmodel_span list = write_ids(fact);

	if (id.len == 0)
		return false;
	while (list.len > 0)
		if (tmodel_span_equal(next_id(&list), id))
			return true;
	return false;
}

/* The own write id in front of those of the fact that is replaced. */
static tmodel_span
joined_ids(const tmodel_machine *machine, tmodel_span list,
		   tmodel_arena *arena)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	tmodel_buf_span(&buf, machine->change->write_id);
	for (int i = 1; i < MAX_WRITE_IDS && list.len > 0; i++)
	{
		tmodel_buf_putc(&buf, ',');
		tmodel_buf_span(&buf, next_id(&list));
	}
	return tmodel_buf_text(&buf);
}

/*
 * The fact as the commit point writes it: new_fact and the reserved properties
 * of the version it replaces.  A stub's write id is not carried over: its owner
 * would take this success for its own.  NULL: out of memory.
 */
static const tmodel_entity *
new_fact(const tmodel_machine *machine, tmodel_arena *arena)
{
	const tmodel_change *change = machine->change;
	const tmodel_entity *base = machine->base;
	bool		live = base != NULL && !tmodel_entity_is_stub(base);
	tmodel_entity *fact;

	fact = tmodel_entity_extend(arena, change->new_fact,
								1 + (base != NULL ? base->nproperties : 0));
	if (fact == NULL)
		return NULL;
	fact->etag = (tmodel_span) {NULL, 0};
	for (int i = 0; base != NULL && i < base->nproperties; i++)
	{
		const tmodel_property *property = &base->properties[i];

		if (!tmodel_is_reserved(property->name) ||
			tmodel_span_equal(property->name, TMODEL_SPAN(TMODEL_P_STUB)) ||
			(!live && tmodel_span_equal(property->name,
										TMODEL_SPAN(TMODEL_P_WRITES))))
			continue;
		tmodel_entity_set(fact, property->name, &property->value);
	}
	if (change->indexed)
	{
		tmodel_span list = {NULL, 0};

		if (live)
			list = write_ids(base);
		set_string(fact, TMODEL_SPAN(TMODEL_P_WRITES),
				   joined_ids(machine, list, arena));
	}
	return arena->failed ? NULL : fact;
}

/* What a fence merges into the fact: only its ETag matters afterwards. */
static const tmodel_entity *
fenced(const tmodel_entity *fact, tmodel_arena *arena)
{
	const tmodel_value *fence = tmodel_entity_get(fact,
												  TMODEL_SPAN(TMODEL_P_FENCE));
	tmodel_entity *merge = bare_entity(arena, fact, 1);
	tmodel_value next = tmodel_int32(1);

	if (merge == NULL)
		return NULL;
	if (fence != NULL && fence->type == TMODEL_INT32 &&
		fence->u.int32 >= 0 && fence->u.int32 < INT32_MAX)
		next = tmodel_int32(fence->u.int32 + 1);
	tmodel_entity_set(merge, TMODEL_SPAN(TMODEL_P_FENCE), &next);
	return merge;
}

/* What verifying an own touch merges into the entry. */
static const tmodel_entity *
verified(const entry_work *work, tmodel_arena *arena)
{
	tmodel_entity keys = {.partition_key = work->partition_key,
	.row_key = work->row_key};
	tmodel_entity *merge = bare_entity(arena, &keys, 1);

	if (merge != NULL)
		set_true(merge, TMODEL_SPAN(TMODEL_P_VERIFIED));
	return merge;
}

/* ---- requests ------------------------------------------------------------ */

/* The entity that a request is about, and its table. */
static const tmodel_entity *
subject(const tmodel_machine *machine, const task *asked, tmodel_span *table)
{
	const tmodel_repair *repair = machine->repair;

	if (repair != NULL)
	{
		bool		fact = asked->kind == TASK_COMMIT;

		*table = fact ? repair->fact_table : repair->index_table;
		return fact ? repair->fact : repair->entry;
	}
	*table = machine->change->table;
	switch (asked->kind)
	{
		case TASK_COMPANION:
			return machine->change->companions[asked->companion].entity;
		case TASK_READ_OWNER:
			return asked->entry->claim->named;
		case TASK_FENCE_OWNER:
			return asked->entry->claim->owner;
		default:
			return &machine->fact;
	}
}

/* An upper estimate of what the request takes in a batch. */
static size_t
request_bytes(const tmodel_machine *machine, const task *asked,
			  const tmodel_entity *keys)
{
	const tmodel_entity *base = machine->base;
	size_t		bytes;

	switch (asked->kind)
	{
		case TASK_TOUCH:
		case TASK_CLAIM:
		case TASK_TAKE_CLAIM:
			return asked->entry->bytes;
		case TASK_COMPANION:
			return tmodel_batch_bytes(machine->change->companions[asked->companion].entity);
		case TASK_SETTLE:
			if (machine->repair != NULL && asked->action == TMODEL_REPLACE)
				return tmodel_batch_bytes(machine->repair->justified) +
					ADDED_BYTES;
			break;
		case TASK_COMMIT:
			bytes = machine->fact_bytes + ADDED_BYTES;
			if (machine->fact_bytes == 0 || asked->action == TMODEL_DELETE)
				break;
			for (int i = 0; base != NULL && i < base->nproperties; i++)
				if (tmodel_is_reserved(base->properties[i].name))
					bytes += tmodel_batch_property_bytes(&base->properties[i]);
			return bytes;
		default:
			break;
	}
	return tmodel_batch_bytes(keys) + 2 * ADDED_BYTES;
}

/* All of a request but its slot; *keys becomes its entity. */
void
tmodel_p_request(const tmodel_machine *machine, const task *asked,
				 tmodel_step_request *request, tmodel_entity *keys)
{
	memset(keys, 0, sizeof(*keys));
	keys->timestamp = -1;
	request->action = asked->action;
	request->companion = asked->kind == TASK_COMPANION;
	request->if_match = asked->if_match;
	request->pause = asked->pause;
	request->entity = keys;
	if (asked->entry != NULL && asked->kind != TASK_READ_OWNER &&
		asked->kind != TASK_FENCE_OWNER)
	{
		request->table = tmodel_p_index(machine, asked->entry)->table;
		keys->partition_key = asked->entry->partition_key;
		keys->row_key = asked->entry->row_key;
	}
	else
	{
		const tmodel_entity *about = subject(machine, asked, &request->table);

		keys->partition_key = about->partition_key;
		keys->row_key = about->row_key;
	}
	request->bytes = request_bytes(machine, asked, keys);
}

/* The keys alone, for requests that write nothing. */
static const tmodel_entity *
keys_only(const tmodel_machine *machine, const task *asked,
		  tmodel_arena *arena)
{
	tmodel_entity *keys = tmodel_alloc(arena, sizeof(tmodel_entity));
	tmodel_step_request request;

	if (keys != NULL)
		tmodel_p_request(machine, asked, &request, keys);
	return keys;
}

/* What the commit point writes. */
static const tmodel_entity *
commit_body(const tmodel_machine *machine, tmodel_arena *arena)
{
	if (machine->repair != NULL)
		return fenced(machine->repair->fact, arena);
	if (machine->change->kind == TMODEL_CHANGE_REFRESH ||
		machine->change->kind == TMODEL_CHANGE_CONVERGE)
		return fenced(machine->base, arena);
	return new_fact(machine, arena);
}

const tmodel_entity *
tmodel_p_body(const tmodel_machine *machine, const task *asked,
			  tmodel_arena *arena)
{
	if (asked->action == TMODEL_GET || asked->action == TMODEL_DELETE)
		return keys_only(machine, asked, arena);
	switch (asked->kind)
	{
		case TASK_RESERVE:
			return tmodel_p_stub(machine, arena);
		case TASK_CLAIM:
		case TASK_TAKE_CLAIM:
		case TASK_TOUCH:
			return touched(machine, asked->entry, arena);
		case TASK_FENCE_OWNER:
			return fenced(asked->entry->claim->owner, arena);
		case TASK_COMMIT:
			return commit_body(machine, arena);
		case TASK_COMPANION:
			return machine->change->companions[asked->companion].entity;
		case TASK_SETTLE:
			return machine->repair != NULL ? tmodel_p_repaired(machine, arena) :
				verified(asked->entry, arena);
		case TASK_READ_FACT:
		case TASK_READ_CLAIM:
		case TASK_READ_OWNER:
		case TASK_READ_ENTRY:
		case TASK_DROP_CLAIM:
		case TASK_UNDO:
			break;
	}
	return keys_only(machine, asked, arena);
}
