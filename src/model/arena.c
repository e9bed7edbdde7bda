/*
 * arena.c
 *	  Chunked memory that is freed all at once, and text that grows in it.
 *
 * Chunks grow from 4 KiB to 256 KiB; an allocation that would waste much of a
 * chunk gets one of its own, linked behind the newest so that the newest keeps
 * filling up.  Does not free single allocations.  Used by all of model/ and
 * store/.
 *
 * Easy to break: a buffer at the end of the newest chunk grows in place, so a
 * chunk's "used" must be exactly the end of its last allocation, not rounded.
 */
#include "arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 16
#define FIRST_CHUNK_BYTES ((size_t) 4 * 1024)
#define LAST_CHUNK_BYTES ((size_t) 256 * 1024)
#define FIRST_BUF_BYTES 64

struct tmodel_chunk
{
	tmodel_chunk *next;			/* older, or set aside for one allocation */
	size_t		size;			/* bytes, this header included */
	size_t		used;			/* bytes, this header included */
};

/* Adapts malloc() to the hook's shape. */
static void *
malloc_alloc(void *ctx, size_t size)
{
	(void) ctx;
	return malloc(size);
}

/* Adapts free() to the hook's shape. */
static void
malloc_release(void *ctx, void *ptr)
{
	(void) ctx;
	free(ptr);
}

const tmodel_allocator tmodel_malloc = {malloc_alloc, malloc_release, NULL};

/* The text without its zero byte. */
tmodel_span
tmodel_span_of(const char *cstring)
{
	tmodel_span span = {cstring, cstring != NULL ? strlen(cstring) : 0};

	return span;
}

tmodel_span
tmodel_span_take(tmodel_span *list, char separator)
{
	tmodel_span item = *list;
	const char *end = list->len > 0 ?
		memchr(list->data, separator, list->len) : NULL;

	if (end == NULL)
		*list = (tmodel_span) {NULL, 0};
	else
	{
		item.len = (size_t) (end - item.data);
		list->data = end + 1;
		list->len -= item.len + 1;
	}
	return item;
}

/* Bytewise, a prefix before what it is a prefix of. */
int
tmodel_span_compare(tmodel_span a, tmodel_span b)
{
	size_t		common = a.len < b.len ? a.len : b.len;
	int			cmp = common > 0 ? memcmp(a.data, b.data, common) : 0;

	if (cmp != 0)
		return cmp < 0 ? -1 : 1;
	return (a.len > b.len) - (a.len < b.len);
}

/* Makes an empty arena. */
void
tmodel_arena_init(tmodel_arena *arena, const tmodel_allocator *allocator)
{
	arena->allocator = allocator;
	arena->chunks = NULL;
	arena->allocated = 0;
	arena->failed = false;
}

/* Gives every chunk back. */
void
tmodel_arena_reset(tmodel_arena *arena)
{
	while (arena->chunks != NULL)
	{
		tmodel_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		arena->allocator->release(arena->allocator->ctx, chunk);
	}
	arena->allocated = 0;
	arena->failed = false;
}

/* Keeps one chunk of the usual sizes. */
void
tmodel_arena_rewind(tmodel_arena *arena)
{
	tmodel_chunk *kept = arena->chunks;

	if (kept == NULL)
	{
		arena->failed = false;
		return;
	}
	arena->chunks = kept->next;
	if (kept->size > LAST_CHUNK_BYTES)
	{
		kept->next = arena->chunks;
		arena->chunks = kept;
		kept = NULL;
	}
	if (kept == NULL || arena->chunks != NULL)
		tmodel_arena_reset(arena);
	arena->failed = false;
	if (kept == NULL)
		return;
	kept->next = NULL;
	kept->used = sizeof(tmodel_chunk);
	arena->chunks = kept;
	arena->allocated = kept->size;
}

/*
 * Where the next aligned allocation in the chunk would start.  Computed from
 * the address: the allocator need not align as strictly as we promise.
 */
static size_t
aligned_offset(const tmodel_chunk *chunk)
{
	uintptr_t	address = (uintptr_t) chunk + chunk->used;

	return chunk->used + (-address & (ALIGNMENT - 1));
}

/* Takes a chunk of "size" bytes from the allocator; NULL raises "failed". */
static tmodel_chunk *
chunk_new(tmodel_arena *arena, size_t size)
{
	tmodel_chunk *chunk = arena->allocator->alloc(arena->allocator->ctx, size);

	if (chunk == NULL)
	{
		arena->failed = true;
		return NULL;
	}
	chunk->next = NULL;
	chunk->size = size;
	chunk->used = sizeof(tmodel_chunk);
	arena->allocated += size;
	return chunk;
}

/* The usual size of the chunk after the newest one. */
static size_t
next_chunk_bytes(const tmodel_arena *arena)
{
	size_t		size = FIRST_CHUNK_BYTES;

	/* all chunks together say how far the arena has grown */
	while (size < LAST_CHUNK_BYTES && size <= arena->allocated)
		size *= 2;
	return size;
}

/*
 * Finds room for "size" bytes in the newest chunk or a new one; not zeroed.
 */
static void *
take(tmodel_arena *arena, size_t size)
{
	tmodel_chunk *chunk = arena->chunks;
	size_t		usual;
	size_t		start;

	if (chunk != NULL)
	{
		start = aligned_offset(chunk);
		if (start <= chunk->size && size <= chunk->size - start)
		{
			chunk->used = start + size;
			return (char *) chunk + start;
		}
	}
	if (size > SIZE_MAX / 2)
	{
		arena->failed = true;
		return NULL;
	}
	usual = next_chunk_bytes(arena);
	if (size > usual / 4 && chunk != NULL)
	{
		/* set aside: the newest chunk stays in front */
		chunk = chunk_new(arena, sizeof(tmodel_chunk) + ALIGNMENT + size);
		if (chunk == NULL)
			return NULL;
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
	}
	else
	{
		if (size > usual - sizeof(tmodel_chunk) - ALIGNMENT)
			usual = sizeof(tmodel_chunk) + ALIGNMENT + size;
		chunk = chunk_new(arena, usual);
		if (chunk == NULL)
			return NULL;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
	}
	start = aligned_offset(chunk);
	chunk->used = start + size;
	return (char *) chunk + start;
}

/* Zeroed memory.  Size 0 is allowed and gives a pointer not to be read. */
void *
tmodel_alloc(tmodel_arena *arena, size_t size)
{
	void	   *result = take(arena, size);

	if (result != NULL)
		memset(result, 0, size);
	return result;
}

void *
tmodel_alloc_raw(tmodel_arena *arena, size_t size)
{
	return take(arena, size);
}

/* A copy with a zero byte behind it; empty with NULL data on failure. */
tmodel_span
tmodel_span_copy(tmodel_arena *arena, tmodel_span span)
{
	tmodel_span copy = {NULL, 0};
	char	   *data;

	if (span.len == SIZE_MAX)
	{
		arena->failed = true;
		return copy;
	}
	data = take(arena, span.len + 1);
	if (data == NULL)
		return copy;
	if (span.len > 0)
		memcpy(data, span.data, span.len);
	data[span.len] = '\0';
	copy.data = data;
	copy.len = span.len;
	return copy;
}

/* An empty buffer; takes no memory yet. */
void
tmodel_buf_init(tmodel_buf *buf, tmodel_arena *arena)
{
	buf->arena = arena;
	buf->data = NULL;
	buf->len = 0;
	buf->capacity = 0;
}

/*
 * Extends the buffer's block to at least "need" bytes where it is.  Possible
 * when it is the last allocation of the newest chunk and the chunk has room.
 */
static bool
buf_extend(tmodel_buf *buf, size_t need, size_t wanted)
{
	tmodel_chunk *chunk = buf->arena->chunks;
	size_t		room;

	if (chunk == NULL || buf->data == NULL ||
		buf->data + buf->capacity != (char *) chunk + chunk->used)
		return false;
	room = chunk->size - chunk->used + buf->capacity;
	if (room < need)
		return false;
	if (wanted > room)
		wanted = room;
	chunk->used += wanted - buf->capacity;
	buf->capacity = wanted;
	return true;
}

/* Makes room for "more" bytes and the zero byte behind them. */
static bool
buf_reserve(tmodel_buf *buf, size_t more)
{
	size_t		need;
	size_t		wanted;
	char	   *data;

	if (more >= SIZE_MAX / 2 - buf->len)
	{
		buf->arena->failed = true;
		return false;
	}
	need = buf->len + more + 1;
	if (need <= buf->capacity)
		return true;
	wanted = buf->capacity > 0 ? buf->capacity : FIRST_BUF_BYTES / 2;
	while (wanted < need || wanted == buf->capacity)
		wanted *= 2;
	if (buf_extend(buf, need, wanted))
		return true;
	data = take(buf->arena, wanted);
	if (data == NULL)
		return false;
	if (buf->len > 0)
		memcpy(data, buf->data, buf->len);
	data[buf->len] = '\0';
	buf->data = data;
	buf->capacity = wanted;
	return true;
}

/* Appends bytes, zero bytes included. */
bool
tmodel_buf_append(tmodel_buf *buf, const char *data, size_t len)
{
	if (!buf_reserve(buf, len))
		return false;
	if (len > 0)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
	return true;
}

/* Appends a zero-terminated text. */
bool
tmodel_buf_puts(tmodel_buf *buf, const char *cstring)
{
	return tmodel_buf_append(buf, cstring, strlen(cstring));
}

/* Appends a span. */
bool
tmodel_buf_span(tmodel_buf *buf, tmodel_span span)
{
	return tmodel_buf_append(buf, span.data, span.len);
}

/* Appends one byte. */
bool
tmodel_buf_putc(tmodel_buf *buf, char c)
{
	return tmodel_buf_append(buf, &c, 1);
}

/* Appends formatted text; an encoding error of printf counts as no memory. */
bool
tmodel_buf_printf(tmodel_buf *buf, const char *format,...)
{
	va_list		args;
	int			len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
	{
		buf->arena->failed = true;
		return false;
	}
	if (!buf_reserve(buf, (size_t) len))
		return false;
	va_start(args, format);
	vsnprintf(buf->data + buf->len, (size_t) len + 1, format, args);
	va_end(args);
	buf->len += (size_t) len;
	return true;
}

/* What has been written so far; valid until the buffer grows. */
tmodel_span
tmodel_buf_text(const tmodel_buf *buf)
{
	tmodel_span text = {buf->data, buf->len};

	return text;
}
