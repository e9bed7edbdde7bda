/*
 * mem.h
 *	  Spans, the per-request arena, and the growing output buffer.
 *
 * Everything a request allocates comes from its arena and goes away at once,
 * so no function below the HTTP layer frees anything.  Running out of memory
 * ends the process: a store that cannot allocate cannot promise anything.
 * Easy to break: a Span is not NUL-terminated unless it says so.
 */
#ifndef MTS_MEM_H
#define MTS_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A run of bytes that somebody else owns. */
typedef struct Span
{
	const char *p;				/* first byte, may be NULL when n is 0 */
	size_t		n;				/* number of bytes */
} Span;

#define SPAN(lit) ((Span) {(lit), sizeof(lit) - 1})

static inline Span
span_of(const char *s)
{
	return (Span) {s, s ? strlen(s) : 0};
}

static inline bool
span_eq(Span a, Span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* Byte order, the shorter first when one is a prefix of the other. */
static inline int
span_cmp(Span a, Span b)
{
	size_t		n = a.n < b.n ? a.n : b.n;
	int			c = n ? memcmp(a.p, b.p, n) : 0;

	if (c != 0)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

static inline bool
span_starts(Span s, Span prefix)
{
	return s.n >= prefix.n && memcmp(s.p, prefix.p, prefix.n) == 0;
}

static inline Span
span_skip(Span s, size_t n)
{
	return (Span) {s.p + n, s.n - n};
}

extern bool span_eq_nocase(Span a, Span b);
extern Span span_trim(Span s);

/* Arena: bump allocation, freed as a whole. */
typedef struct ArenaBlock ArenaBlock;
typedef struct Arena
{
	ArenaBlock *blocks;			/* newest first */
	char	   *next;			/* first free byte of the newest block */
	size_t		left;			/* bytes free there */
} Arena;

extern void *arena_alloc(Arena *a, size_t n);
extern void *arena_zalloc(Arena *a, size_t n);
extern char *arena_strdup(Arena *a, Span s);
extern Span arena_span(Arena *a, Span s);
extern char *arena_printf(Arena *a, const char *fmt,...)
			__attribute__((format(printf, 2, 3)));
extern void arena_free(Arena *a);

extern void *xmalloc(size_t n);
extern void *xrealloc(void *p, size_t n);
extern char *xstrdup(const char *s);

/* Buf: one malloc'ed block that doubles. */
typedef struct Buf
{
	char	   *p;				/* malloc'ed, NULL while empty */
	size_t		n;				/* bytes used */
	size_t		cap;			/* bytes there are */
} Buf;

extern void buf_grow(Buf *b, size_t more);
extern void buf_printf(Buf *b, const char *fmt,...)
			__attribute__((format(printf, 2, 3)));
extern void buf_free(Buf *b);

static inline void
buf_need(Buf *b, size_t more)
{
	if (b->cap - b->n < more)
		buf_grow(b, more);
}

static inline void
buf_put(Buf *b, const void *p, size_t n)
{
	if (n == 0)
		return;
	buf_need(b, n);
	memcpy(b->p + b->n, p, n);
	b->n += n;
}

static inline void
buf_putc(Buf *b, char c)
{
	buf_need(b, 1);
	b->p[b->n++] = c;
}

static inline void
buf_span(Buf *b, Span s)
{
	buf_put(b, s.p, s.n);
}

static inline void
buf_puts(Buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

#define BUF_LIT(b, lit) buf_put((b), (lit), sizeof(lit) - 1)

#endif							/* MTS_MEM_H */
