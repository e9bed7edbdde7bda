/*
 * section.h
 *	  Stretches of RowKeys in a fact table's partitions that hold no facts.
 *
 * What must change together with a fact lives in the fact's partition, under
 * RowKeys that no fact can have: the *section* of a colocated index holds its
 * entries, the *outbox* what is to be done for queued ones.  Every such RowKey
 * begins with TMODEL_RESERVED_KEY, and that alone tells that an entity is no
 * fact, also to those who know no index.
 *
 * Why no fact's RowKey begins so (key_encoding 'escaped'): a key begins with
 * its first component.  The forms of numbers, dates, uuids and booleans begin
 * with a digit, '-', or a letter.  In an escaped text '"' is an introducer and
 * followed by a hex digit (key.h); where the first component is empty, the key
 * is empty or goes on with the separator, '"' and ','.  '!' is neither.  A RAW
 * key may begin as it likes, so RAW tables have no sections and hide nothing.
 *
 * Why this prefix and no other: it must be plain ASCII to travel in URLs and
 * show in storage browsers; it sorts before letters and digits, so that ranges
 * and prefixes of usual keys do not meet it; of facts only those whose text
 * begins with a space or '!' (or is empty) sort before it.
 */
#ifndef TMODEL_SECTION_H
#define TMODEL_SECTION_H

#include "key.h"

#define TMODEL_RESERVED_KEY "\"!"
/* index entries go on with 'i', requests for queued maintenance with 'q' */
#define TMODEL_OUTBOX_KEY TMODEL_RESERVED_KEY "q"
#define TMODEL_OUTBOX_KEY_END TMODEL_RESERVED_KEY "r"
/* PartitionKey and RowKey of the baton of those who do it (txn/baton.h) */
#define TMODEL_BATON_KEY TMODEL_OUTBOX_KEY "!"
/* the least text above all that begin so */
#define TMODEL_RESERVED_KEY_END "\"\""

/* Is this RowKey of an escaped fact table not a fact's? */
extern bool tmodel_key_is_reserved(tmodel_span row_key);

/*
 * Writes what the RowKeys of an index's entries begin with and returns its
 * length.  The name is the index table's (3 to 63 letters and digits); upper and
 * lower case are the same.
 */
#define TMODEL_SECTION_ROOM(name) ((name).len + 4)
extern size_t tmodel_section_of_index(tmodel_span name, char *section);

/*
 * A key of the section: as tmodel_key_encode_index, and the section before it.
 * An empty section adds nothing.
 */
extern tmodel_key_status tmodel_section_key(tmodel_arena *arena,
											tmodel_span section, int n,
											const tmodel_key_type *types,
											const tmodel_value *values,
											tmodel_span *key,
											bool *shortened);

/* The key without the section it begins with, to be decoded. */
extern tmodel_span tmodel_section_strip(tmodel_span section, tmodel_span key);

/*
 * Moves a range of keys (as tmodel_key_narrow makes it) into the section; all
 * keys become all of the section.  Bounds are cut where keys of the section may
 * be shortened.  False: out of memory.
 */
extern bool tmodel_section_range(tmodel_arena *arena, tmodel_span section,
								 tmodel_key_range *range);

/*
 * The comparisons that leave out what is reserved; NULL where the range (of
 * facts' RowKeys) does not meet it.  "first" is the type of the key's first
 * component: only texts have keys on both sides.
 */
extern tmodel_filter *tmodel_section_hide(tmodel_arena *arena,
										  tmodel_key_type first,
										  const tmodel_key_range *range);

#endif							/* TMODEL_SECTION_H */
