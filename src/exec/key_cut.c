/*
 * key_cut.c
 *	  Where a stretch of keys can be cut, from what keys look like.
 *
 * Keys lie close together in the space of texts: most begin alike, and at each
 * depth few characters occur.  Called by sample.c, which reads stretches side
 * by side, by cut.c, and by back.c, which looks for the last keys.  Easy to break: cuts
 * are ASCII behind a beginning of a key, so that every store orders them alike.
 */
#include "postgres.h"

#include "exec/key_cut.h"
#include "remote/memory.h"

void
itable_key_note(itableKeyShape *shape, tmodel_span key)
{
	for (size_t i = 0; i < key.len && i < ITABLE_KEY_DEPTH; i++)
		if ((signed char) key.data[i] > ' ' && key.data[i] != '%')
			shape->seen[i][(int) key.data[i]] = true;
}

/* The bound's byte at a depth: 256 where nothing bounds. */
static int
byte_of(tmodel_span bound, bool bounds, size_t depth)
{
	return bounds && depth < bound.len ? (unsigned char) bound.data[depth] :
		256;
}

/* Were so many characters of this kind seen? */
static bool
kind_seen(const bool seen[128], int c, int least)
{
	int			first = c >= '0' && c <= '9' ? '0' :
	c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : c;
	int			last = first == '0' ? '9' : first == 'a' ? 'z' :
	first == 'A' ? 'Z' : c;

	for (int i = first; i <= last; i++)
		if (seen[i] && --least == 0)
			return true;
	return false;
}

/* May it stand there?  One of a kind may be all there is. */
static bool
may_be(const bool seen[128], int c)
{
	return seen[c] || kind_seen(seen, c, 2);
}

/* step < 0: the middle of the characters seen, or of those there may be */
#define SEEN (-1)
#define GUESSED (-2)

static bool
cut(tmodel_arena *arena, const itableKeyShape *shape, tmodel_span from,
	tmodel_span to, int step, tmodel_span *key)
{
	bool		bounds = to.len > 0;

	for (size_t depth = 0;
		 depth <= from.len && depth < ITABLE_KEY_DEPTH; depth++)
	{
		int			low = depth < from.len ?
		(unsigned char) from.data[depth] : 0;
		int			high = byte_of(to, bounds, depth);
		char		between[128];
		int			n = 0;
		tmodel_buf	buf;

		/* half a character is none */
		for (int c = low + 1;
			 c < Min(high, 128) && (low & 0xC0) != 0x80; c++)
			if (step == SEEN ? shape->seen[depth][c] :
				step == GUESSED ? may_be(shape->seen[depth], c) :
				kind_seen(shape->seen[depth], c, 1))
				between[n++] = (char) c;
		if (n > 0)
		{
			int			at = step >= 0 && high == 256 ?
			Min((1 << Min(step, 7)) - 1, n - 1) : n / 2;

			tmodel_buf_init(&buf, arena);
			tmodel_buf_append(&buf, from.data, depth);
			tmodel_buf_putc(&buf, between[at]);
			itable_check_arena(arena);
			*key = tmodel_buf_text(&buf);
			return true;
		}
		bounds = bounds && depth < from.len && low == high;
	}
	return false;
}

bool
itable_key_cut(tmodel_arena *arena, const itableKeyShape *shape,
			   tmodel_span from, tmodel_span to, tmodel_span *key)
{
	return cut(arena, shape, from, to, SEEN, key);
}

bool
itable_key_guess(tmodel_arena *arena, const itableKeyShape *shape,
				 tmodel_span from, tmodel_span to, tmodel_span *key)
{
	return cut(arena, shape, from, to, GUESSED, key);
}

double
itable_key_place(const itableKeyShape *shape, tmodel_span key, double *unit)
{
	double		place = 0;

	*unit = 1;
	for (size_t depth = 0; depth < key.len && depth < ITABLE_KEY_DEPTH &&
		 *unit > 1e-9; depth++)
	{
		int			n = 0;
		int			below = 0;

		for (int c = 0; c < 128; c++)
			if (may_be(shape->seen[depth], c))
			{
				n++;
				below += c < (unsigned char) key.data[depth];
			}
		if (n == 0)
			break;
		*unit /= n;
		place += below * *unit;
	}
	return Min(place, 1);
}

bool
itable_key_climb(tmodel_arena *arena, const itableKeyShape *shape,
				 tmodel_span from, tmodel_span to, int step, tmodel_span *key)
{
	return cut(arena, shape, from, to, step, key);
}
