/*
 * json.c
 *	  JSON events by way of yajl; the only file that includes its headers.
 *
 * Called by entity_json.c and response.c, never from inside libcurl.
 *
 * yajl does not look at what its allocator returns.  So the allocator given to
 * it jumps back to tstore_json_parse() when memory is short; all memory yajl
 * has is in an arena of its own and goes with it.  Easy to break: the jump may
 * only cross frames of yajl, so no sink is running when yajl allocates.
 */
#include "json.h"

#include "model/utf8.h"

#include <setjmp.h>
#include <string.h>
#include <yajl/yajl_parse.h>

typedef struct json_parser
{
	tmodel_span text;			/* what is being parsed */
	tmodel_arena *arena;		/* for strings that had escapes */
	tstore_json_sink sink;
	void	   *ctx;			/* the sink's */
	bool		no_memory;		/* a string could not be copied */
	tmodel_arena scratch;		/* all of yajl's own memory */
	jmp_buf		out_of_memory;
} json_parser;

/* In front of every block, because realloc must know how much to copy. */
typedef union json_block
{
	size_t		size;
	max_align_t align;
} json_block;

static void *
json_alloc(void *ctx, size_t size)
{
	json_parser *parser = ctx;
	json_block *block = NULL;

	if (size <= SIZE_MAX - sizeof(json_block))
		block = tmodel_alloc(&parser->scratch, sizeof(json_block) + size);
	if (block == NULL)
		longjmp(parser->out_of_memory, 1);
	block->size = size;
	return block + 1;
}

static void *
json_realloc(void *ctx, void *old, size_t size)
{
	void	   *new = json_alloc(ctx, size);

	if (old != NULL)
	{
		size_t		old_size = ((json_block *) old - 1)->size;

		memcpy(new, old, old_size < size ? old_size : size);
	}
	return new;
}

/* Nothing: the scratch arena is dropped as a whole. */
static void
json_free(void *ctx, void *old)
{
	(void) ctx;
	(void) old;
}

/*
 * yajl writes the escape of a lone surrogate as three bytes that are not UTF-8
 * (ED A0..BF xx); U+FFFD takes their place.
 */
static void
json_replace_surrogates(char *data, size_t len)
{
	for (size_t i = 0; i + 2 < len; i++)
	{
		if ((unsigned char) data[i] == 0xED &&
			(unsigned char) data[i + 1] >= 0xA0)
			memcpy(data + i, "\xEF\xBF\xBD", 3);
	}
}

/* Hands on a text, copied when it lies in yajl's own memory. */
static int
json_emit_text(json_parser *parser, tstore_json_kind kind,
			   const unsigned char *data, size_t len)
{
	tmodel_span text = {(const char *) data, len};

	if (text.data < parser->text.data ||
		text.data > parser->text.data + parser->text.len)
	{
		text = tmodel_span_copy(parser->arena, text);
		if (text.data == NULL)
		{
			parser->no_memory = true;
			return 0;
		}
		json_replace_surrogates((char *) text.data, text.len);
	}
	return parser->sink(parser->ctx, kind, text);
}

static int
json_emit(json_parser *parser, tstore_json_kind kind)
{
	return parser->sink(parser->ctx, kind, (tmodel_span) {NULL, 0});
}

static int
json_on_null(void *ctx)
{
	return json_emit(ctx, TSTORE_JSON_NULL);
}

static int
json_on_boolean(void *ctx, int truth)
{
	return json_emit(ctx, truth ? TSTORE_JSON_TRUE : TSTORE_JSON_FALSE);
}

static int
json_on_number(void *ctx, const char *data, size_t len)
{
	return json_emit_text(ctx, TSTORE_JSON_NUMBER,
						  (const unsigned char *) data, len);
}

static int
json_on_string(void *ctx, const unsigned char *data, size_t len)
{
	return json_emit_text(ctx, TSTORE_JSON_STRING, data, len);
}

static int
json_on_key(void *ctx, const unsigned char *data, size_t len)
{
	return json_emit_text(ctx, TSTORE_JSON_KEY, data, len);
}

static int
json_on_begin_object(void *ctx)
{
	return json_emit(ctx, TSTORE_JSON_BEGIN_OBJECT);
}

static int
json_on_end_object(void *ctx)
{
	return json_emit(ctx, TSTORE_JSON_END_OBJECT);
}

static int
json_on_begin_array(void *ctx)
{
	return json_emit(ctx, TSTORE_JSON_BEGIN_ARRAY);
}

static int
json_on_end_array(void *ctx)
{
	return json_emit(ctx, TSTORE_JSON_END_ARRAY);
}

static const yajl_callbacks json_callbacks = {
	.yajl_null = json_on_null,
	.yajl_boolean = json_on_boolean,
	.yajl_number = json_on_number,
	.yajl_string = json_on_string,
	.yajl_start_map = json_on_begin_object,
	.yajl_map_key = json_on_key,
	.yajl_end_map = json_on_end_object,
	.yajl_start_array = json_on_begin_array,
	.yajl_end_array = json_on_end_array
};

/*
 * Runs yajl over the text.  The parser belongs to the caller's frame, so that
 * what changed in it before the jump is defined after it.
 */
static tstore_json_status
json_run(json_parser *parser)
{
	yajl_alloc_funcs memory = {json_alloc, json_realloc, json_free, parser};
	yajl_handle handle;
	yajl_status status;

	if (setjmp(parser->out_of_memory) != 0)
		return TSTORE_JSON_NO_MEMORY;
	handle = yajl_alloc(&json_callbacks, &memory, parser);
	status = yajl_parse(handle, (const unsigned char *) parser->text.data,
						parser->text.len);
	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	if (parser->no_memory)
		return TSTORE_JSON_NO_MEMORY;
	switch (status)
	{
		case yajl_status_ok:
			return TSTORE_JSON_OK;
		case yajl_status_client_canceled:
			return TSTORE_JSON_STOPPED;
		default:
			return TSTORE_JSON_MALFORMED;
	}
}

/* See json.h.  The arena keeps the strings that had escapes. */
tstore_json_status
tstore_json_parse(tmodel_arena *arena, tmodel_span text,
				  tstore_json_sink sink, void *ctx)
{
	json_parser parser = {
		.text = text, .arena = arena, .sink = sink, .ctx = ctx
	};
	tstore_json_status status;

	if (text.len == 0)
		return TSTORE_JSON_MALFORMED;
	tmodel_arena_init(&parser.scratch, arena->allocator);
	status = json_run(&parser);
	tmodel_arena_reset(&parser.scratch);
	if (status == TSTORE_JSON_NO_MEMORY)
		arena->failed = true;
	return status;
}

/*
 * Texts longer than this are written in ASCII: Azurite (3.35.0) damages a
 * character that a chunk border of the body cuts in two.
 */
#define JSON_ASCII_FROM 8192

/*
 * How many bytes from "from" on can be written as they are.  U+2028 and U+2029
 * cannot, see tstore_json_escape; in ASCII no byte above 0x7E can.
 */
static size_t
json_plain_run(tmodel_span text, size_t from, bool ascii)
{
	size_t		i = from;

	while (i < text.len)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F ||
			(ascii && c > 0x7F))
			break;
		if (c == 0xE2 && i + 2 < text.len &&
			(unsigned char) text.data[i + 1] == 0x80 &&
			((unsigned char) text.data[i + 2] & 0xFE) == 0xA8)
			break;
		i++;
	}
	return i - from;
}

/* Writes one character as \uXXXX, two of them beyond U+FFFF; its bytes. */
static size_t
json_escape_code(tmodel_buf *buf, tmodel_span text, size_t at)
{
	uint32_t	code;
	int			len = tmodel_utf8_decode(text.data + at, text.len - at, &code);

	if (len == 0)
	{
		/* not UTF-8: the service is to refuse it */
		tmodel_buf_putc(buf, text.data[at]);
		return 1;
	}
	if (code > 0xFFFF)
		tmodel_buf_printf(buf, "\\u%04x\\u%04x",
						  (unsigned) (0xD800 + ((code - 0x10000) >> 10)),
						  (unsigned) (0xDC00 + ((code - 0x10000) & 0x3FF)));
	else
		tmodel_buf_printf(buf, "\\u%04x", (unsigned) code);
	return (size_t) len;
}

/*
 * See json.h.  Line ends of every kind are escaped, because Azurite takes the
 * body of a batch part to be one line, and JavaScript's lines also end at
 * U+2028 and U+2029.
 */
bool
tstore_json_escape(tmodel_buf *buf, tmodel_span text)
{
	bool		ascii = text.len >= JSON_ASCII_FROM;
	size_t		at = 0;

	while (at < text.len)
	{
		size_t		run = json_plain_run(text, at, ascii);

		if (run > 0)
			tmodel_buf_append(buf, text.data + at, run);
		at += run;
		if (at == text.len)
			break;
		if (text.data[at] == '"' || text.data[at] == '\\')
		{
			tmodel_buf_putc(buf, '\\');
			tmodel_buf_putc(buf, text.data[at++]);
		}
		else
			at += json_escape_code(buf, text, at);
	}
	return !buf->arena->failed;
}

/* See json.h. */
bool
tstore_json_string(tmodel_buf *buf, tmodel_span text)
{
	tmodel_buf_putc(buf, '"');
	tstore_json_escape(buf, text);
	return tmodel_buf_putc(buf, '"');
}
