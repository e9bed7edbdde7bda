/*
 * list.h
 *	  One-dimensional arrays inside an Edm.String: a JSON array of scalars.
 *
 * 1-interface: "one-dimensional arrays -> an Edm.String that holds a JSON
 * array".  Elements are text (JSON strings) or null; numbers and booleans that
 * other programs wrote are handed out as their text.  Nested arrays and
 * objects are refused.  Written by remote/convert.c, read there and by index.c.
 */
#ifndef TMODEL_LIST_H
#define TMODEL_LIST_H

#include "arena.h"

typedef struct tmodel_element
{
	bool		is_null;
	tmodel_span text;			/* unescaped UTF-8 */
} tmodel_element;

typedef struct tmodel_list
{
	int			nelements;
	tmodel_element *elements;
} tmodel_list;

/*
 * False when the text is not a JSON array of scalars (or memory is short).  Texts
 * of elements lie in "json" or in the arena, and hold no zero byte.
 */
extern bool tmodel_list_parse(tmodel_arena *arena, tmodel_span json,
							  tmodel_list *list);

/*
 * Writes the canonical form: no spaces, only '"', '\\' and control characters
 * escaped.  quoted[i] false writes element i bare (a number or boolean); quoted
 * may be NULL, then every element is a string.
 */
extern bool tmodel_list_print(tmodel_buf *buf, const tmodel_list *list,
							  const bool *quoted);

#endif							/* TMODEL_LIST_H */
