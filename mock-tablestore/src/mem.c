/*
 * mem.c
 *	  Spans, the per-request arena, and the growing output buffer.
 *
 * See mem.h.  Allocation failure ends the process with a message.
 */
#include "mem.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ARENA_BLOCK_BYTES 8192

struct ArenaBlock
{
	ArenaBlock *older;			/* the block before this one */
	_Alignas(16) char data[];	/* the bytes handed out */
};

static void
out_of_memory(void)
{
	fputs("mock-tablestore: out of memory\n", stderr);
	abort();
}

void *
xmalloc(size_t n)
{
	void	   *p = malloc(n ? n : 1);

	if (p == NULL)
		out_of_memory();
	return p;
}

void *
xrealloc(void *p, size_t n)
{
	p = realloc(p, n ? n : 1);
	if (p == NULL)
		out_of_memory();
	return p;
}

char *
xstrdup(const char *s)
{
	size_t		n = strlen(s) + 1;

	return memcpy(xmalloc(n), s, n);
}

bool
span_eq_nocase(Span a, Span b)
{
	if (a.n != b.n)
		return false;
	for (size_t i = 0; i < a.n; i++)
	{
		if (tolower((unsigned char) a.p[i]) != tolower((unsigned char) b.p[i]))
			return false;
	}
	return true;
}

/* The span without blanks, tabs and line ends at both sides. */
Span
span_trim(Span s)
{
	while (s.n > 0 && isspace((unsigned char) s.p[0]))
		s = span_skip(s, 1);
	while (s.n > 0 && isspace((unsigned char) s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Memory that lives as long as the arena, aligned to 16. */
void *
arena_alloc(Arena *a, size_t n)
{
	void	   *p;

	n = (n + 15) & ~(size_t) 15;
	if (n > a->left)
	{
		size_t		size = n > ARENA_BLOCK_BYTES ? n : ARENA_BLOCK_BYTES;
		ArenaBlock *block = xmalloc(sizeof(ArenaBlock) + size);

		block->older = a->blocks;
		a->blocks = block;
		a->next = block->data;
		a->left = size;
	}
	p = a->next;
	a->next += n;
	a->left -= n;
	return p;
}

void *
arena_zalloc(Arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

/* A NUL-terminated copy. */
char *
arena_strdup(Arena *a, Span s)
{
	char	   *p = arena_alloc(a, s.n + 1);

	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

Span
arena_span(Arena *a, Span s)
{
	return (Span) {arena_strdup(a, s), s.n};
}

char *
arena_printf(Arena *a, const char *fmt,...)
{
	va_list		ap;
	int			n;
	char	   *p;

	/* Mostly it fits into what is left of the block: format only once. */
	va_start(ap, fmt);
	n = vsnprintf(a->next, a->left, fmt, ap);
	va_end(ap);
	if ((size_t) n < a->left)
		return arena_alloc(a, (size_t) n + 1);
	p = arena_alloc(a, (size_t) n + 1);
	va_start(ap, fmt);
	vsnprintf(p, (size_t) n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void
arena_free(Arena *a)
{
	ArenaBlock *block = a->blocks;

	while (block != NULL)
	{
		ArenaBlock *older = block->older;

		free(block);
		block = older;
	}
	memset(a, 0, sizeof(*a));
}

/* Make room for more bytes; doubling keeps a page at O(n) copies. */
void
buf_grow(Buf *b, size_t more)
{
	size_t		cap = b->cap ? b->cap : 512;

	while (cap - b->n < more)
		cap *= 2;
	b->p = xrealloc(b->p, cap);
	b->cap = cap;
}

void
buf_printf(Buf *b, const char *fmt,...)
{
	va_list		ap;
	int			n;

	buf_need(b, 128);
	va_start(ap, fmt);
	n = vsnprintf(b->p + b->n, b->cap - b->n, fmt, ap);
	va_end(ap);
	if ((size_t) n >= b->cap - b->n)
	{
		buf_need(b, (size_t) n + 1);
		va_start(ap, fmt);
		vsnprintf(b->p + b->n, (size_t) n + 1, fmt, ap);
		va_end(ap);
	}
	b->n += (size_t) n;
}

void
buf_free(Buf *b)
{
	free(b->p);
	memset(b, 0, sizeof(*b));
}
