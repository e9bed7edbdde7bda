/*
 * key_space.c
 *	  Where a key lies among the keys that a table may have.
 *
 * A key is read as a number whose digits have as many values as there are
 * characters expected at their depth.  Knows nothing about what is in the
 * table.  Called by census.c.  Easy to break: texts made here become constants
 * of filters, so that they are ASCII without '%', which services misread.
 */
#include "key_space.h"

#include <math.h>
#include <string.h>

/* Less than this part of a step is not told apart. */
#define FINE 0.05

/* So much of the room is shared evenly among what may stand at a depth. */
#define EVEN_PART 0.3

/* So many characters of a depth say what is frequent there. */
#define ENOUGH 1000

/* The commonest has so many times its even share. */
#define UNEVEN 2.5

/* A key's end takes this part of a character's room. */
#define END_PART 0.2

void
tmodel_space_note(tmodel_space *space, tmodel_span key, size_t free)
{
	for (size_t depth = 0;
		 depth <= key.len && depth < TMODEL_SPACE_DEPTH; depth++)
	{
		unsigned char c = depth < key.len ? (unsigned char) key.data[depth] : 0;

		if (c >= 128)
			continue;
		space->seen[depth][c] = true;
		if (depth >= free)
			space->often[depth][c] += 1;
	}
	space->stale = true;
}

/* How many characters of a range were seen at the depth. */
static int
count_seen(const bool *seen, char from, char to)
{
	int			n = 0;

	for (int c = from; c <= to; c++)
		n += seen[c];
	return n;
}

/* Characters of the range may all stand there. */
static void
allow(bool *may, char from, char to)
{
	for (int c = from; c <= to; c++)
		may[c] = true;
}

/* Which characters are expected at the depth. */
static void
expect(const bool *seen, bool *may)
{
	bool		digits = count_seen(seen, '0', '9') > 0;

	memcpy(may, seen, 128);
	if (digits)
		allow(may, '0', '9');
	for (int upper = 0; upper < 2; upper++)
	{
		char		a = upper ? 'A' : 'a';
		int			hex = count_seen(seen, a, (char) (a + 5));
		int			all = count_seen(seen, a, (char) (a + 25));

		if (all > hex && all > 1)
			allow(may, a, (char) (a + 25));
		else if (hex > 1 || (hex > 0 && digits))
			allow(may, a, (char) (a + 5));
	}
}

/* The room of each character of a depth. */
static void
share_room(const bool *may, const double *often, double *width)
{
	double		total = 0;
	double		most = 0;
	double		n = 0;

	for (int c = 0; c < 128; c++)
	{
		width[c] = !may[c] ? 0 : c == 0 ? END_PART : 1;
		n += width[c];
		total += often[c];
		most = fmax(most, often[c]);
	}
	for (int c = 0; c < 128; c++)
	{
		width[c] /= n;
		/* what looks even is even: counts are a small sample */
		if (total >= ENOUGH && most * n > UNEVEN * total)
			width[c] = EVEN_PART * width[c] +
				(1 - EVEN_PART) * often[c] / total;
	}
}

/*
 * Letters that stand beside digits at one depth may do so at every depth that
 * has digits: what no key was seen with is not looked for, and so never seen.
 */
static void
spread_letters(const tmodel_space *space, bool may[][128])
{
	bool		beside[128] = {false};

	for (int depth = 0; depth < TMODEL_SPACE_DEPTH; depth++)
		if (count_seen(space->seen[depth], '0', '9') > 1)
			for (int c = 'A'; c <= 'z'; c++)
				beside[c] |= may[depth][c];
	for (int depth = 0; depth < TMODEL_SPACE_DEPTH; depth++)
		if (count_seen(space->seen[depth], '0', '9') > 1)
			for (int c = 'A'; c <= 'z'; c++)
				may[depth][c] |= beside[c];
}

static void
refresh(tmodel_space *space)
{
	bool		all[TMODEL_SPACE_DEPTH][128];

	for (int depth = 0; depth < TMODEL_SPACE_DEPTH; depth++)
		expect(space->seen[depth], all[depth]);
	spread_letters(space, all);
	for (int depth = 0; depth < TMODEL_SPACE_DEPTH; depth++)
	{
		const bool *may = all[depth];
		double		at = 0;

		share_room(may, space->often[depth], space->width[depth]);
		for (int c = 0; c < 128; c++)
		{
			space->place[depth][c] = at;
			if (may[c])
				at += space->width[depth][c];
		}
	}
	space->stale = false;
}

size_t
tmodel_space_common(tmodel_span a, tmodel_span b)
{
	size_t		n = 0;

	while (n < a.len && n < b.len && a.data[n] == b.data[n])
		n++;
	/* half a character is none */
	while (n > 0 && n < a.len && ((unsigned char) a.data[n] & 0xC0) == 0x80)
		n--;
	while (n > 0 && n < b.len && ((unsigned char) b.data[n] & 0xC0) == 0x80)
		n--;
	return n;
}

double
tmodel_space_at(tmodel_space *space, size_t skip, tmodel_span key)
{
	double		at = 0;
	double		scale = 1;

	if (space->stale)
		refresh(space);
	for (size_t depth = skip;
		 depth < key.len && depth < TMODEL_SPACE_DEPTH; depth++)
	{
		unsigned char c = (unsigned char) key.data[depth];

		if (c >= 128)
			return at + scale;
		at += scale * space->place[depth][c];
		if (!(space->width[depth][c] > 0))
			break;
		scale *= space->width[depth][c];
	}
	return at;
}

/* The character at a place; 0: the key ends there. */
static char
character_at(const tmodel_space *space, size_t depth, double at)
{
	char		last = 0;

	for (int c = 0; c < 128; c++)
		if (space->width[depth][c] > 0)
		{
			if (space->place[depth][c] > at)
				break;
			last = (char) c;
		}
	return last;
}

/* Appends what lies at "at", told apart down to "fine". */
static void
append_at(const tmodel_space *space, tmodel_buf *buf, double at, double fine)
{
	double		scale = 1;

	for (size_t depth = buf->len;
		 depth < TMODEL_SPACE_DEPTH && scale > fine; depth++)
	{
		char		c = character_at(space, depth, at);

		/* nothing else may be in a filter's constant */
		if (c < ' ' || c == '%' || c == 127)
			return;
		tmodel_buf_putc(buf, c);
		at = (at - space->place[depth][(int) c]) / space->width[depth][(int) c];
		scale *= space->width[depth][(int) c];
	}
}

bool
tmodel_space_between(tmodel_space *space, tmodel_arena *arena,
					 tmodel_span from, tmodel_span to, double share,
					 tmodel_span *key)
{
	size_t		skip = to.len > 0 ? tmodel_space_common(from, to) : 0;
	double		low = tmodel_space_at(space, skip, from);
	double		high = to.len > 0 ? tmodel_space_at(space, skip, to) : 1;
	tmodel_buf	buf;

	if (!(high > low) || skip >= TMODEL_SPACE_DEPTH)
		return false;
	tmodel_buf_init(&buf, arena);
	tmodel_buf_append(&buf, from.data, skip);
	append_at(space, &buf, low + (high - low) * share, (high - low) * FINE *
			  (share < 0.5 ? share : 1 - share));
	*key = tmodel_buf_text(&buf);
	return !arena->failed && key->len > 0 &&
		tmodel_span_compare(*key, from) > 0 &&
		(to.len == 0 || tmodel_span_compare(*key, to) < 0);
}

bool
tmodel_space_end(tmodel_space *space, tmodel_arena *arena, tmodel_span from,
				 tmodel_span *key)
{
	if (space->stale)
		refresh(space);
	/* behind the last character of the first depth that has several */
	for (size_t depth = 0; depth < TMODEL_SPACE_DEPTH; depth++)
	{
		int			last = 127;
		tmodel_buf	buf;

		while (last > 0 && !(space->width[depth][last] > 0))
			last--;
		if (last == 0)
			return false;
		if (space->width[depth][last] > 0.999999 && depth < from.len &&
			from.data[depth] == last)
			continue;
		if (last + 1 >= 127 || last + 1 == '%')
			return false;
		tmodel_buf_init(&buf, arena);
		tmodel_buf_append(&buf, from.data,
						  depth < from.len ? depth : from.len);
		tmodel_buf_putc(&buf, (char) (last + 1));
		*key = tmodel_buf_text(&buf);
		return !arena->failed && tmodel_span_compare(*key, from) > 0;
	}
	return false;
}
