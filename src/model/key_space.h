/*
 * key_space.h
 *	  Where a key lies among the keys that a table may have.
 *
 * Keys become numbers from 0 to 1 by the characters seen at each depth of them:
 * a digit means that all digits may stand there, two letters that all may, and
 * what is the same in all keys counts nothing; what is frequent takes more room.
 * So "row0500" lies halfway between "row0000" and "row1000".  It is a guess
 * that decides where to look, never what is there.
 */
#ifndef TMODEL_KEY_SPACE_H
#define TMODEL_KEY_SPACE_H

#include "arena.h"

/* So much of a key's beginning says where it lies. */
#define TMODEL_SPACE_DEPTH 48

/* All zero: no key was seen.  Character 0 stands for a key's end. */
typedef struct tmodel_space
{
	bool		seen[TMODEL_SPACE_DEPTH][128];	/* characters at each depth */
	double		often[TMODEL_SPACE_DEPTH][128]; /* how often, where counted */
	bool		stale;			/* what follows is to be made anew */
	double		place[TMODEL_SPACE_DEPTH][128]; /* where a character begins */
	double		width[TMODEL_SPACE_DEPTH][128]; /* 0: it is not expected */
} tmodel_space;

/*
 * A key of the table was seen.  Its characters from the depth "free" on count:
 * those before are what was asked for, or what the key before it had, too.
 */
extern void tmodel_space_note(tmodel_space *space, tmodel_span key,
							  size_t free);

/* Bytes that both begin with, whole characters only. */
extern size_t tmodel_space_common(tmodel_span a, tmodel_span b);

/* Where the key lies among those that begin with the same "skip" bytes. */
extern double tmodel_space_at(tmodel_space *space, size_t skip,
							  tmodel_span key);

/*
 * A text of plain ASCII between the two, about at this share of the way; to
 * empty: no end.  False: there is none, or no memory.
 */
extern bool tmodel_space_between(tmodel_space *space, tmodel_arena *arena,
								 tmodel_span from, tmodel_span to,
								 double share, tmodel_span *key);

/* A text behind every key that is expected; false: there is none. */
extern bool tmodel_space_end(tmodel_space *space, tmodel_arena *arena,
							 tmodel_span from, tmodel_span *key);

#endif							/* TMODEL_KEY_SPACE_H */
