/*
 * key_cut.h
 *	  Where a stretch of keys can be cut, from what keys look like.
 */
#ifndef ITABLE_KEY_CUT_H
#define ITABLE_KEY_CUT_H

#include "postgres.h"

#include "model/arena.h"

/* So much of a key's beginning says where it lies. */
#define ITABLE_KEY_DEPTH 40

/* The ASCII characters seen at each depth. */
typedef struct itableKeyShape
{
	bool		seen[ITABLE_KEY_DEPTH][128];
} itableKeyShape;

extern void itable_key_note(itableKeyShape *shape, tmodel_span key);

/*
 * A key between the ends ("to" empty: no end): their common beginning and then
 * one of the characters seen, the middle one of those that lie between.  False:
 * none does.
 */
extern bool itable_key_cut(tmodel_arena *arena, const itableKeyShape *shape,
						   tmodel_span from, tmodel_span to, tmodel_span *key);

/*
 * The same for keys still to come: where two digits were seen, all of them may
 * be, and letters likewise.
 */
extern bool itable_key_guess(tmodel_arena *arena, const itableKeyShape *shape,
							 tmodel_span from, tmodel_span to,
							 tmodel_span *key);

/*
 * Where a key lies among those that may be, 0 to 1; *unit: how much of that it
 * has for itself.  For comparing distances, not for what comes first.
 */
extern double itable_key_place(const itableKeyShape *shape, tmodel_span key,
							   double *unit);

/*
 * The same to look for the last key: where a digit was seen, all of them may
 * be, and letters likewise; where nothing bounds the characters the first, third,
 * seventh ... above is taken (step 0, 1, 2 ...).
 */
extern bool itable_key_climb(tmodel_arena *arena, const itableKeyShape *shape,
							 tmodel_span from, tmodel_span to, int step,
							 tmodel_span *key);

#endif							/* ITABLE_KEY_CUT_H */
