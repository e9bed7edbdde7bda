/*
 * key_order.h
 *	  Where the store's order of keys and SQL's order part, and how to mend it.
 *
 * The store orders keys by the UTF-16 units of their encoding, SQL (COLLATE
 * "C") by code points of what is encoded.  Keys of numbers, dates and uuids
 * have one order in both; texts almost.  Reading in the store's order, some
 * keys come too late: "A<tab>" stands behind "A b", since the escape of a tab
 * cannot sort before a space.  Which keys those are follows from the last key
 * read, so that they can be asked for before it is handed out.
 *
 * Called by exec/merge.  Easy to break: the stretches of late keys must hold
 * every key that is late (test/unit/test_model_key_order.c tries all pairs).
 */
#ifndef TMODEL_KEY_ORDER_H
#define TMODEL_KEY_ORDER_H

#include "key.h"

/*
 * Appends the image of values first..last-1: bytes that compare (memcmp) as SQL
 * compares the values, component by component.
 */
extern tmodel_key_status tmodel_key_image(tmodel_buf *out, int n,
										  const tmodel_key_type *types,
										  const tmodel_value *values);

/* Is the store's order of components of this type SQL's? */
extern bool tmodel_key_is_ordered(tmodel_key_encoding encoding,
								  tmodel_key_type type);

/* Keys the store hands out after a key though SQL has them before it. */
typedef struct tmodel_key_late
{
	tmodel_key_range range;
	tmodel_span floor;			/* no image of a key in range is below it */
} tmodel_key_late;

/*
 * The stretches of keys that come later than "key" in the store, and before it
 * in SQL's order of components first..last-1 (of n); the components before
 * "first" are the same in all keys asked about.  "before" is -1 for keys that
 * are never shortened, else the units that stand before them in what is (a
 * section's): from the place where keys are cut, a stretch holds whatever
 * follows.  Shallowest stretch first, at most "max".
 *
 * Returns how many there are, which may be more than max (out is then not
 * complete); -1: the key does not read, or no memory.
 */
extern int	tmodel_key_late_keys(tmodel_arena *arena,
								 tmodel_key_encoding encoding, int n,
								 const tmodel_key_type *types, int first,
								 int last, int before, tmodel_span key,
								 int max, tmodel_key_late *out);

#endif							/* TMODEL_KEY_ORDER_H */
