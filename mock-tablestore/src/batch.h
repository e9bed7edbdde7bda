/*
 * batch.h
 *	  A multipart/mixed body, taken apart into Commands.
 */
#ifndef MTS_BATCH_H
#define MTS_BATCH_H

#include "command.h"

#define MAX_BATCH_COMMANDS 100

typedef struct Batch
{
	Command    *commands;
	int			ncommands;
	bool		has_changeset;
	int			nrefused;		/* change sets behind the first one */
	ErrCode		err;			/* of commands[ncommands], which is broken */
	const char *detail;
} Batch;

/*
 * Whole-batch errors are returned; an error in one part is left in b->err and
 * belongs to the part that follows the last good one.
 */
extern ErrCode batch_parse(Arena *a, const char *content_type, Span body,
						   const char *account, Level outer_level, Batch *b);

#endif							/* MTS_BATCH_H */
