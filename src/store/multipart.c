/*
 * multipart.c
 *	  The bodies of batches: written for a request, found in an answer.
 *
 * A batch holds one change set, which holds one part per operation; each part
 * is an HTTP request with an absolute URL (Azurite takes no other) and a
 * Content-ID, 1 for the first.  The fixed boundaries are safe: line ends in
 * entities are escaped and those in keys percent-encoded, so no line of a part
 * can begin with a boundary.
 *
 * Called by request.c and response.c.  Easy to break: Azurite finds the parts
 * by patterns, so order of headers and the names of boundaries matter.
 */
#include "response.h"

#include <string.h>

/* Nesting deeper than batch and change set is nobody's protocol. */
#define MULTIPART_MAX_DEPTH 4

static const char multipart_version[] =
	"DataServiceVersion: 3.0\r\n"
	"MaxDataServiceVersion: 3.0;NetFx\r\n";

/* Appends one operation with the boundary before it. */
static void
multipart_print_part(tmodel_buf *buf, const tstore_endpoint *endpoint,
					 tmodel_span table, int number,
					 const tstore_operation *operation)
{
	tmodel_buf_puts(buf, "--" TSTORE_CHANGESET_BOUNDARY "\r\n"
					"Content-Type: application/http\r\n"
					"Content-Transfer-Encoding: binary\r\n");
	tmodel_buf_printf(buf, "\r\n%s ", tstore_write_method(operation->write));
	tmodel_buf_span(buf, endpoint->base);
	tstore_write_path(buf, endpoint, table, operation);
	tmodel_buf_printf(buf, " HTTP/1.1\r\nContent-ID: %d\r\n", number);
	tmodel_buf_puts(buf, "Accept: application/json;odata=minimalmetadata\r\n");
	if (operation->write != TSTORE_DELETE)
		tmodel_buf_puts(buf, "Content-Type: application/json\r\n");
	if (operation->write == TSTORE_INSERT)
		tmodel_buf_puts(buf, "Prefer: return-no-content\r\n");
	tmodel_buf_puts(buf, multipart_version);
	if (tstore_write_is_conditional(operation->write))
	{
		tmodel_buf_puts(buf, "If-Match: ");
		tmodel_buf_span(buf, operation->if_match);
		tmodel_buf_puts(buf, "\r\n");
	}
	tmodel_buf_puts(buf, "\r\n");
	if (operation->write != TSTORE_DELETE)
		tstore_entity_print(buf, operation->entity);
	tmodel_buf_puts(buf, "\r\n");
}

/* See store_int.h. */
bool
tstore_multipart_print(tmodel_buf *buf, const tstore_endpoint *endpoint,
					   tmodel_span table, int noperations,
					   const tstore_operation *operations)
{
	tmodel_buf_puts(buf, "--" TSTORE_BATCH_BOUNDARY "\r\n"
					"Content-Type: multipart/mixed; boundary="
					TSTORE_CHANGESET_BOUNDARY "\r\n\r\n");
	for (int i = 0; i < noperations; i++)
		multipart_print_part(buf, endpoint, table, i + 1, &operations[i]);
	tmodel_buf_puts(buf, "--" TSTORE_CHANGESET_BOUNDARY "--\r\n"
					"--" TSTORE_BATCH_BOUNDARY "--\r\n");
	return !buf->arena->failed;
}

/* What is being read; the answers are collected in order. */
typedef struct multipart_reader
{
	tmodel_arena *arena;
	int			max_answers;
	int			nanswers;
	tstore_answer *answers;
} multipart_reader;

/* Takes a line off the text, without its end; false at the text's end. */
static bool
multipart_line(tmodel_span *text, tmodel_span *line)
{
	const char *newline;

	if (text->len == 0)
		return false;
	newline = memchr(text->data, '\n', text->len);
	line->data = text->data;
	line->len = newline != NULL ? (size_t) (newline - text->data) : text->len;
	text->data += newline != NULL ? line->len + 1 : line->len;
	text->len -= newline != NULL ? line->len + 1 : line->len;
	if (line->len > 0 && line->data[line->len - 1] == '\r')
		line->len--;
	return true;
}

static tmodel_span
multipart_trim(tmodel_span text)
{
	while (text.len > 0 && (text.data[0] == ' ' || text.data[0] == '\t'))
	{
		text.data++;
		text.len--;
	}
	while (text.len > 0 && (text.data[text.len - 1] == ' ' ||
							text.data[text.len - 1] == '\t'))
		text.len--;
	return text;
}

/* Reads the number of a Content-ID; -1 when it is none. */
static int
multipart_number(tmodel_span text)
{
	int			number = 0;

	if (text.len == 0 || text.len > 6)
		return -1;
	for (size_t i = 0; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return -1;
		number = number * 10 + (text.data[i] - '0');
	}
	return number;
}

/* Takes the headers and the empty line after them off the text. */
static bool
multipart_headers(multipart_reader *reader, tmodel_span *text,
				  tstore_answer *answer)
{
	tmodel_span line;

	while (multipart_line(text, &line) && line.len > 0)
	{
		const char *colon = memchr(line.data, ':', line.len);
		tmodel_span name;
		tmodel_span value;

		if (colon == NULL)
			continue;
		name = (tmodel_span) {line.data, (size_t) (colon - line.data)};
		value.data = colon + 1;
		value.len = line.len - name.len - 1;
		value = multipart_trim(value);
		if (tstore_same_name(name, "Content-ID"))
			answer->content_id = multipart_number(value);
		else if (!tstore_header_set(reader->arena, &answer->headers, name,
									value))
			return false;
	}
	return true;
}

/* The boundary in a Content-Type, quoted or not; empty when there is none. */
static tmodel_span
multipart_boundary(tmodel_span content_type)
{
	tmodel_span boundary = {NULL, 0};
	const char *stops = "; \t";

	if (content_type.len < 10 ||
		!tstore_same_name((tmodel_span) {content_type.data, 10},
						  "multipart/"))
		return boundary;
	for (size_t i = 10; i + 9 < content_type.len; i++)
	{
		if (!tstore_same_name((tmodel_span) {content_type.data + i, 9},
							  "boundary="))
			continue;
		boundary.data = content_type.data + i + 9;
		boundary.len = content_type.len - i - 9;
		break;
	}
	if (boundary.len > 0 && boundary.data[0] == '"')
	{
		boundary.data++;
		boundary.len--;
		stops = "\"";
	}
	for (size_t i = 0; i < boundary.len; i++)
	{
		if (strchr(stops, boundary.data[i]) != NULL)
			boundary.len = i;
	}
	return boundary;
}

/*
 * Is the line the boundary?  *last tells whether it is the closing one.  Spaces
 * may follow (RFC 2046).
 */
static bool
multipart_is_boundary(tmodel_span line, tmodel_span boundary, bool *last)
{
	if (line.len < boundary.len + 2 || memcmp(line.data, "--", 2) != 0 ||
		memcmp(line.data + 2, boundary.data, boundary.len) != 0)
		return false;
	line.data += boundary.len + 2;
	line.len -= boundary.len + 2;
	line = multipart_trim(line);
	*last = tmodel_span_equal(line, TMODEL_SPAN("--"));
	return line.len == 0 || *last;
}

/* Reads a part that is an HTTP answer: "HTTP/1.1 204 No Content"... */
static tstore_status
multipart_read_answer(multipart_reader *reader, tmodel_span text,
					  int content_id)
{
	tstore_answer *answer;
	tmodel_span line = {NULL, 0};
	tmodel_span code;

	while (multipart_line(&text, &line) && line.len == 0)
		continue;
	if (line.len < 12 || memcmp(line.data, "HTTP/", 5) != 0 ||
		reader->nanswers == reader->max_answers)
		return TSTORE_PROTOCOL;
	code.data = memchr(line.data, ' ', line.len);
	if (code.data == NULL || line.data + line.len - code.data < 4)
		return TSTORE_PROTOCOL;
	code.data++;
	code.len = 3;
	answer = &reader->answers[reader->nanswers++];
	memset(answer, 0, sizeof(*answer));
	answer->content_id = content_id;
	answer->http_status = multipart_number(code);
	if (answer->http_status < 100)
		return TSTORE_PROTOCOL;
	if (!multipart_headers(reader, &text, answer))
		return TSTORE_NO_MEMORY;
	answer->body = text;
	return TSTORE_OK;
}

static tstore_status multipart_read_parts(multipart_reader *reader,
										  tmodel_span boundary,
										  tmodel_span body, int depth);

/* Reads what lies between two boundaries. */
static tstore_status
multipart_read_part(multipart_reader *reader, tmodel_span part, int depth)
{
	tstore_answer envelope = {.content_id = -1};
	tmodel_span boundary;
	tmodel_span rest;
	tmodel_span line;

	/* Azurite sends an empty line before the headers */
	for (rest = part; multipart_line(&rest, &line) && line.len == 0;)
		part = rest;
	if (!multipart_headers(reader, &part, &envelope))
		return TSTORE_NO_MEMORY;
	boundary = multipart_boundary(envelope.headers.content_type);
	if (boundary.len > 0)
		return depth < MULTIPART_MAX_DEPTH ?
			multipart_read_parts(reader, boundary, part, depth + 1) :
			TSTORE_PROTOCOL;
	return multipart_read_answer(reader, part, envelope.content_id);
}

/* Reads the parts between the boundaries of one level. */
static tstore_status
multipart_read_parts(multipart_reader *reader, tmodel_span boundary,
					 tmodel_span body, int depth)
{
	tmodel_span part = {NULL, 0};
	bool		inside = false;
	bool		last = false;
	tmodel_span line;

	while (!last && multipart_line(&body, &line))
	{
		tstore_status status;

		if (!multipart_is_boundary(line, boundary, &last))
			continue;
		if (inside)
		{
			part.len = (size_t) (line.data - part.data);
			status = multipart_read_part(reader, part, depth);
			if (status != TSTORE_OK)
				return status;
		}
		inside = true;
		part.data = body.data;
	}
	return last ? TSTORE_OK : TSTORE_PROTOCOL;
}

/* See response.h. */
tstore_status
tstore_multipart_read(tmodel_arena *arena, tmodel_span content_type,
					  tmodel_span body, int max_answers, int *nanswers,
					  tstore_answer *answers)
{
	multipart_reader reader = {
		.arena = arena, .max_answers = max_answers, .answers = answers
	};
	tmodel_span boundary = multipart_boundary(content_type);
	tstore_status status = TSTORE_PROTOCOL;

	if (boundary.len > 0)
		status = multipart_read_parts(&reader, boundary, body, 1);
	*nanswers = reader.nanswers;
	return status;
}
