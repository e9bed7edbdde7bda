/*
 * check_sort.h
 *	  All facts and all entries of an index side by side: where they differ.
 */
#ifndef ITABLE_CHECK_SORT_H
#define ITABLE_CHECK_SORT_H

#include "exec/reader.h"

/*
 * An entry's keys about which facts and index table did not agree, though not
 * read at one moment: somebody may have written in between.
 */
typedef struct itableSuspect
{
	tmodel_span partition_key;	/* of the entry */
	tmodel_span row_key;
	bool		has_fact;
	tmodel_span fact_partition_key; /* of the fact that justifies the entry; */
	tmodel_span fact_row_key;	/* where none does, that the entry names */
} itableSuspect;

typedef struct itableCheckSort itableCheckSort;

/*
 * Reads both tables whole, one request for a page of each, and sorts them
 * within maintenance_work_mem; the rest goes to temporary files.
 */
extern itableCheckSort *itable_check_sort(MemoryContext context,
										  const itableIndex *index,
										  tstore_client *client);

/* The next suspect, valid until the next call; false at the end. */
extern bool itable_check_sort_next(itableCheckSort *sort,
								   itableSuspect *suspect);
extern void itable_check_sort_end(itableCheckSort *sort);

#endif							/* ITABLE_CHECK_SORT_H */
