/*
 * batch.c
 *	  Which writes travel in one entity group transaction.
 *
 * Does not write bodies (store/multipart) nor decide when to send (txn/flush,
 * the caller).
 *
 * Easy to break: within a partition, batches one after the other hold the
 * items in input order; so an entity's later write is never in an earlier
 * batch, and never in the same one as its earlier write.
 */
#include "batch.h"

#include <stdlib.h>
#include <string.h>

/* Headers, boundaries and the URL without keys, of one part. */
#define PART_BYTES 1024
/* A key in a URL: three bytes for each, and quotes doubled. */
#define URL_BYTES_PER_KEY_BYTE 6
/* The longest number, date, guid or literal with its type annotation. */
#define SCALAR_BYTES 64

/* Orders by table, then PartitionKey. */
static int
compare_partitions(const tmodel_batch_item *a, const tmodel_batch_item *b)
{
	int			cmp = tmodel_span_compare(a->table, b->table);

	return cmp != 0 ? cmp :
		tmodel_span_compare(a->partition_key, b->partition_key);
}

/* qsort: by partition, then input order (the items are one array). */
static int
by_partition(const void *left, const void *right)
{
	const tmodel_batch_item *a = *(const tmodel_batch_item *const *) left;
	const tmodel_batch_item *b = *(const tmodel_batch_item *const *) right;
	int			cmp = compare_partitions(a, b);

	return cmp != 0 ? cmp : (a > b) - (a < b);
}

/* qsort: by entity, then input order. */
static int
by_entity(const void *left, const void *right)
{
	const tmodel_batch_item *a = *(const tmodel_batch_item *const *) left;
	const tmodel_batch_item *b = *(const tmodel_batch_item *const *) right;
	int			cmp = compare_partitions(a, b);

	if (cmp == 0)
		cmp = tmodel_span_compare(a->row_key, b->row_key);
	return cmp != 0 ? cmp : (a > b) - (a < b);
}

/* Pointers to all items, sorted; NULL when memory is short. */
static const tmodel_batch_item **
sorted(tmodel_arena *arena, int nitems, const tmodel_batch_item *items,
	   int (*compare) (const void *, const void *))
{
	const tmodel_batch_item **order;

	order = tmodel_alloc(arena, (size_t) nitems * sizeof(*order));
	if (order == NULL)
		return NULL;
	for (int i = 0; i < nitems; i++)
		order[i] = &items[i];
	qsort(order, (size_t) nitems, sizeof(*order), compare);
	return order;
}

/*
 * For each item the index of the same entity's previous occurrence, or -1;
 * NULL when memory is short.
 */
static int *
previous_occurrences(tmodel_arena *arena, int nitems,
					 const tmodel_batch_item *items)
{
	const tmodel_batch_item **order = sorted(arena, nitems, items, by_entity);
	int		   *previous = tmodel_alloc(arena,
										(size_t) nitems * sizeof(*previous));

	if (order == NULL || previous == NULL)
		return NULL;
	for (int i = 0; i < nitems; i++)
	{
		bool		again = i > 0 &&
			compare_partitions(order[i - 1], order[i]) == 0 &&
			tmodel_span_equal(order[i - 1]->row_key, order[i]->row_key);

		previous[order[i] - items] = again ? (int) (order[i - 1] - items) : -1;
	}
	return previous;
}

/*
 * Fills the batches along the order by partition.  *indexes takes the items'
 * indexes; a batch's items are a stretch of it.
 */
static void
fill(const tmodel_batch_item **order, const int *previous, int nitems,
	 const tmodel_batch_item *items, int max_operations, int *batch_of,
	 int *indexes, tmodel_batch_plan *plan)
{
	tmodel_batch *batch = NULL;
	int			operations = 0;
	size_t		bytes = 0;

	for (int i = 0; i < nitems; i++)
	{
		int			index = (int) (order[i] - items);
		int			before = previous[index];

		if (batch == NULL ||
			operations + 1 + order[i]->companions > max_operations ||
			bytes + order[i]->bytes > TMODEL_BATCH_MAX_BYTES ||
			compare_partitions(order[i - 1], order[i]) != 0 ||
			(before >= 0 && batch_of[before] == plan->nbatches - 1))
		{
			batch = &plan->batches[plan->nbatches++];
			batch->nitems = 0;
			batch->items = &indexes[i];
			operations = 0;
			bytes = 0;
		}
		batch->items[batch->nitems++] = index;
		batch_of[index] = plan->nbatches - 1;
		operations += 1 + order[i]->companions;
		bytes += order[i]->bytes;
	}
}

/* Groups the items; the plan's arrays are in the arena. */
bool
tmodel_batch_group(tmodel_arena *arena, int nitems,
				   const tmodel_batch_item *items, int max_operations,
				   tmodel_batch_plan *plan)
{
	const tmodel_batch_item **order;
	int		   *previous;
	int		   *batch_of;
	int		   *indexes;

	plan->nbatches = 0;
	plan->batches = NULL;
	if (nitems == 0)
		return true;
	if (max_operations < 1 || max_operations > TMODEL_BATCH_MAX_OPERATIONS)
		max_operations = TMODEL_BATCH_MAX_OPERATIONS;
	order = sorted(arena, nitems, items, by_partition);
	previous = previous_occurrences(arena, nitems, items);
	batch_of = tmodel_alloc(arena, (size_t) nitems * sizeof(*batch_of));
	indexes = tmodel_alloc(arena, (size_t) nitems * sizeof(*indexes));
	plan->batches = tmodel_alloc(arena,
								 (size_t) nitems * sizeof(*plan->batches));
	if (order == NULL || previous == NULL || batch_of == NULL ||
		indexes == NULL || plan->batches == NULL)
		return false;
	fill(order, previous, nitems, items, max_operations, batch_of, indexes,
		 plan);
	return true;
}

/* Bytes of text inside JSON at most: \uXXXX for whatever may be escaped. */
static size_t
json_bytes(tmodel_span text)
{
	size_t		bytes = 2;

	for (size_t i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (c >= 0x80)
			bytes += 3;			/* six for each unit of at least two bytes */
		else
			bytes += c < 0x20 || c == '"' || c == '\\' || c == '/' ||
				c == 0x7F ? 6 : 1;
	}
	return bytes;
}

/* The value's bytes in JSON, its type annotation counted by the caller. */
static size_t
value_bytes(const tmodel_value *value)
{
	if (value->type == TMODEL_STRING)
		return json_bytes(value->u.bytes);
	if (value->type == TMODEL_BINARY)
		return (value->u.bytes.len + 2) / 3 * 4 + 2;
	return SCALAR_BYTES;
}

/* "name":value, and "name@odata.type":"Edm.DateTime", */
size_t
tmodel_batch_property_bytes(const tmodel_property *property)
{
	if (property->value.type == TMODEL_NULL)
		return 0;
	return 2 * json_bytes(property->name) + 40 +
		value_bytes(&property->value);
}

/* Counts the keys twice, in the URL and in the body. */
size_t
tmodel_batch_bytes(const tmodel_entity *entity)
{
	size_t		bytes = PART_BYTES + entity->etag.len +
		URL_BYTES_PER_KEY_BYTE * (entity->partition_key.len +
								  entity->row_key.len) +
		json_bytes(entity->partition_key) + json_bytes(entity->row_key);

	for (int i = 0; i < entity->nproperties; i++)
		bytes += tmodel_batch_property_bytes(&entity->properties[i]);
	return bytes;
}
