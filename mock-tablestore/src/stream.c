/*
 * stream.c
 *	  Reply bodies that arrive broken, slowly, or far too long.
 *
 * The library asks for the body piece by piece.  A truncated one announces
 * its full length and breaks off, a slow one lets the connection rest between
 * its pieces, an oversized one has blanks behind it (so it stays JSON) that
 * never exist in memory.
 */
#include "stream.h"

#include <microhttpd.h>
#include <stdlib.h>

#include "park.h"

/* 64 MiB: sixteen times what a page may have. */
#define OVERSIZED_BYTES (INT64_C(64) * 1024 * 1024)
#define SLOW_STEP_BYTES 16
#define GARBAGE_BYTES 64

typedef struct Stream
{
	FaultAction action;
	Buf			body;
	uint64_t	total;			/* length announced */
	uint64_t	stop;			/* break off here */
	uint64_t	step;			/* bytes between two rests; 0: no rests */
	uint64_t	sent_since_rest;
	int			rest_ms;
	struct MHD_Connection *connection;
	int			fd;
} Stream;

bool
stream_is_for(const Fault *fault)
{
	return fault->action == FAULT_TRUNCATE ||
		fault->action == FAULT_SLOW_BODY ||
		fault->action == FAULT_OVERSIZED;
}

void
stream_garbage(Buf *body, int64_t bytes)
{
	uint64_t	x = UINT64_C(0x9e3779b97f4a7c15);
	size_t		n = bytes >= 0 ? (size_t) bytes :
		body->n > 0 ? body->n : GARBAGE_BYTES;

	body->n = 0;
	for (size_t i = 0; i < n; i++)
	{
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		buf_putc(body, (char) (x >> 32));
	}
}

static ssize_t
read_some(void *cls, uint64_t pos, char *out, size_t max)
{
	Stream	   *s = cls;
	uint64_t	end = s->stop;
	size_t		n = 0;

	if (pos >= s->total)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (pos >= end)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (s->step > 0)
	{
		if (s->sent_since_rest >= s->step)
		{
			s->sent_since_rest = 0;
			if (park(s->connection, s->fd, s->rest_ms))
				return 0;
		}
		if (end - pos > s->step - s->sent_since_rest)
			end = pos + s->step - s->sent_since_rest;
	}
	if (end - pos < max)
		max = (size_t) (end - pos);
	if (pos < s->body.n)
	{
		n = s->body.n - pos < max ? (size_t) (s->body.n - pos) : max;
		memcpy(out, s->body.p + pos, n);
	}
	memset(out + n, ' ', max - n);
	s->sent_since_rest += max;
	return (ssize_t) max;
}

static void
stream_free(void *cls)
{
	Stream	   *s = cls;

	buf_free(&s->body);
	free(s);
}

struct MHD_Response *
stream_open(const Fault *fault, Buf body, struct MHD_Connection *connection,
			int fd)
{
	Stream	   *s = xmalloc(sizeof(*s));
	uint64_t	bytes = fault->bytes < 0 ? UINT64_MAX : (uint64_t) fault->bytes;

	*s = (Stream) {.action = fault->action,.body = body,.total = body.n,
		.stop = UINT64_MAX,.rest_ms = fault->delay_ms,
	.connection = connection,.fd = fd};
	switch (fault->action)
	{
		case FAULT_TRUNCATE:
			s->stop = bytes < body.n ? bytes : body.n / 2;
			break;
		case FAULT_SLOW_BODY:
			s->step = bytes == UINT64_MAX ? SLOW_STEP_BYTES : bytes;
			break;
		case FAULT_OVERSIZED:
			s->total = bytes == UINT64_MAX ? OVERSIZED_BYTES : bytes;
			if (s->total < body.n)
				s->total = body.n;
			break;
		default:
			break;
	}
	if (s->stop > s->total)
		s->stop = s->total;
	return MHD_create_response_from_callback(s->total, 4096, read_some, s,
											 stream_free);
}
