/*
 * text_range.h
 *	  Ranges on text properties, as filters that lose no text.
 *
 * SQL compares by code points (COLLATE "C"), the store by UTF-16 code units;
 * the two part only between characters beyond the BMP and U+E000 to U+FFFF.
 * A bound is therefore cut before its first character from U+E000 on, which
 * makes the range wider: the caller rechecks rows.
 */
#ifndef TMODEL_TEXT_RANGE_H
#define TMODEL_TEXT_RANGE_H

#include "filter.h"

/*
 * The property op text (LT, LE, GE, GT) as a filter.  NULL: it does not narrow,
 * or there is no memory.
 */
extern tmodel_filter *tmodel_text_filter(tmodel_arena *arena,
										 tmodel_span property,
										 tmodel_compare op, tmodel_span text);

/* The property begins with "prefix"; NULL as above. */
extern tmodel_filter *tmodel_text_begins(tmodel_arena *arena,
										 tmodel_span property,
										 tmodel_span prefix);

#endif							/* TMODEL_TEXT_RANGE_H */
