/*
 * own_rows.c
 *	  Rows waiting for their turn in an ordered scan.
 *
 * This transaction's own rows are known at the start of a scan, and a fact that
 * another writer has moved within an index turns up while it runs; both wait
 * here.  Called by source.c.
 */
#include "postgres.h"

#include "lib/pairingheap.h"

#include "exec/own_rows.h"

typedef struct ownRow
{
	pairingheap_node node;
	const tmodel_entity *entity;	/* NULL: the row's */
	const itableRow *row;
	tmodel_span image;
} ownRow;

struct itableOwnRows
{
	MemoryContext context;
	pairingheap *heap;
};

/* The heap's first is its greatest: the least image. */
static int
compare_rows(const pairingheap_node *a, const pairingheap_node *b, void *arg)
{
	return tmodel_span_compare(pairingheap_const_container(ownRow, node, b)->image,
							   pairingheap_const_container(ownRow, node, a)->image);
}

itableOwnRows *
itable_own_rows(MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	itableOwnRows *rows = palloc(sizeof(itableOwnRows));

	rows->context = context;
	rows->heap = pairingheap_allocate(compare_rows, NULL);
	MemoryContextSwitchTo(old);
	return rows;
}

void
itable_own_rows_add(itableOwnRows *rows, const tmodel_entity *entity,
					const itableRow *kept, tmodel_span image)
{
	ownRow	   *row = MemoryContextAlloc(rows->context, sizeof(ownRow));
	char	   *copy = MemoryContextAlloc(rows->context, image.len + 1);

	if (image.len > 0)
		memcpy(copy, image.data, image.len);
	row->entity = entity;
	row->row = kept;
	row->image = (tmodel_span) {copy, image.len};
	pairingheap_add(rows->heap, &row->node);
}

bool
itable_own_rows_first(const itableOwnRows *rows, tmodel_span *image)
{
	if (pairingheap_is_empty(rows->heap))
		return false;
	*image = pairingheap_container(ownRow, node,
								   pairingheap_first(rows->heap))->image;
	return true;
}

const tmodel_entity *
itable_own_rows_take(itableOwnRows *rows, tmodel_arena *arena)
{
	const ownRow *row =
		pairingheap_container(ownRow, node,
							  pairingheap_remove_first(rows->heap));

	return row->entity != NULL ? row->entity : itable_row_load(row->row, arena);
}
