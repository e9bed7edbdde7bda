/*
 * render.h
 *	  A stored entity as JSON, at one of three metadata levels.
 */
#ifndef MTS_RENDER_H
#define MTS_RENDER_H

#include "command.h"

/* $select: NULL names is everything. */
typedef struct Select
{
	Span	   *names;
	int			n;
	Span		text;			/* as sent, for odata.metadata */
	bool		given;			/* also when it selects everything */
} Select;

typedef struct Renderer
{
	const Context *context;
	Level		level;
	Span		table;			/* name as it was created */
	Select		select;
} Renderer;

extern void select_parse(Arena *a, const Span *text, Select *select);

/* single: the object is the whole answer, so it carries odata.metadata. */
extern void render_entity(const Renderer *r, Buf *out, const Cursor *row,
						  bool single);

/* odata.metadata member (and comma) of a page or a single entity. */
extern void render_metadata(const Renderer *r, Buf *out, bool single);

/* table(PartitionKey='..',RowKey='..'), percent-encoded. */
extern void render_path(Buf *out, Arena *a, Span table, Span pk, Span rk);

#endif							/* MTS_RENDER_H */
