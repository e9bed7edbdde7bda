/*
 * rows.h
 *	  The rows a transaction keeps until its end: what it wrote, and what it
 *	  read to change.
 *
 * Keys and ETag stay in memory; the properties are packed, and go to a temporary
 * file when those of all rows exceed itable_fdw.write_buffer.  Private to
 * txn/buffer.c and what reads the buffer.
 */
#ifndef ITABLE_ROWS_H
#define ITABLE_ROWS_H

#include "postgres.h"

#include "model/entity.h"

typedef struct itableRow itableRow;

struct itableRow
{
	tmodel_span partition_key;
	tmodel_span row_key;
	tmodel_span etag;			/* empty: written here */
	const itableRow *like;		/* has the properties that are not repeated */
	const char *contents;		/* packed; NULL: they are in the file */
	union
	{
		itableRow  *next;		/* another that is in memory */
		int64		offset;		/* in the file */
	}			u;
	uint32		len;			/* of the contents */
};

/*
 * Keeps a copy.  "like" (NULL: none) is a row whose properties it shares where
 * they are equal, and like_entity what that row has.  May write the file.
 */
extern itableRow *itable_row_keep(const tmodel_entity *entity,
								  const itableRow *like,
								  const tmodel_entity *like_entity);

/* The whole entity, made in the arena; its keys and ETag are the row's. */
extern const tmodel_entity *itable_row_load(const itableRow *row,
											tmodel_arena *arena);

/* The start and the end of keeping rows; never throws at the end. */
extern void itable_rows_begin(MemoryContext context);
extern void itable_rows_end(void);

#endif							/* ITABLE_ROWS_H */
