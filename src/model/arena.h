/*
 * arena.h
 *	  Memory and growing text for code that must not know PostgreSQL.
 *
 * An arena hands out memory that is freed all at once.  Nothing here throws:
 * when the allocator has no more memory a function returns NULL (or false) and
 * the arena's "failed" flag stays up, so that a long construction may be
 * checked once, at its end.
 *
 * Used by everything in model/ and store/.  Easy to break: a span never owns
 * its bytes; it lives as long as the arena (or literal) it points into.
 */
#ifndef TMODEL_ARENA_H
#define TMODEL_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Where memory comes from.  alloc may return NULL and must not longjmp. */
typedef struct tmodel_allocator
{
	void	   *(*alloc) (void *ctx, size_t size);
	void		(*release) (void *ctx, void *ptr);
	void	   *ctx;			/* handed to both, never looked at */
} tmodel_allocator;

/* malloc() and free() */
extern const tmodel_allocator tmodel_malloc;

/* Bytes owned by somebody else; not zero-terminated. */
typedef struct tmodel_span
{
	const char *data;			/* may be NULL when len is 0 */
	size_t		len;			/* bytes */
} tmodel_span;

#define TMODEL_SPAN(literal) ((tmodel_span) {(literal), sizeof(literal) - 1})

extern tmodel_span tmodel_span_of(const char *cstring);	/* NULL -> empty */
extern int	tmodel_span_compare(tmodel_span a, tmodel_span b);	/* memcmp order */

/* Equal bytes; an empty span may have no data, which memcmp must not see. */
static inline bool
tmodel_span_equal(tmodel_span a, tmodel_span b)
{
	return a.len == b.len &&
		(a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* Takes the first item off a list; the list's data is NULL behind the last. */
extern tmodel_span tmodel_span_take(tmodel_span *list, char separator);

typedef struct tmodel_chunk tmodel_chunk;

typedef struct tmodel_arena
{
	const tmodel_allocator *allocator;
	tmodel_chunk *chunks;		/* newest first */
	size_t		allocated;		/* bytes taken from the allocator */
	bool		failed;			/* an allocation returned NULL */
} tmodel_arena;

/* Makes an empty arena; takes no memory yet.  allocator must outlive it. */
extern void tmodel_arena_init(tmodel_arena *arena,
							  const tmodel_allocator *allocator);

/* Frees everything handed out and lowers "failed"; the arena stays usable. */
extern void tmodel_arena_reset(tmodel_arena *arena);

/* The same, but some memory is kept for what comes next: for each row anew. */
extern void tmodel_arena_rewind(tmodel_arena *arena);

/* Zeroed memory, aligned for any type; NULL when there is none. */
extern void *tmodel_alloc(tmodel_arena *arena, size_t size);

/* The same with whatever was there before. */
extern void *tmodel_alloc_raw(tmodel_arena *arena, size_t size);

/* Copies bytes into the arena and appends a zero byte that len does not count. */
extern tmodel_span tmodel_span_copy(tmodel_arena *arena, tmodel_span span);

/* Growing text in an arena.  Old blocks stay in the arena until its reset. */
typedef struct tmodel_buf
{
	tmodel_arena *arena;
	char	   *data;			/* always zero-terminated once not NULL */
	size_t		len;
	size_t		capacity;
} tmodel_buf;

extern void tmodel_buf_init(tmodel_buf *buf, tmodel_arena *arena);
extern bool tmodel_buf_append(tmodel_buf *buf, const char *data, size_t len);
extern bool tmodel_buf_puts(tmodel_buf *buf, const char *cstring);
extern bool tmodel_buf_span(tmodel_buf *buf, tmodel_span span);
extern bool tmodel_buf_putc(tmodel_buf *buf, char c);
extern bool tmodel_buf_printf(tmodel_buf *buf, const char *format,...)
			__attribute__((format(printf, 2, 3)));
extern tmodel_span tmodel_buf_text(const tmodel_buf *buf);

#endif							/* TMODEL_ARENA_H */
