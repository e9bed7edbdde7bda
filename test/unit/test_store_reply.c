/*
 * test_store_reply.c
 *		What the store client reads: entities, pages, errors, batch answers,
 *		and what it decides about another attempt.
 *
 * Golden vectors: store-entity.tsv, store-error.tsv.
 */
#include "unit.h"

#include "store/response.h"

#include <stdlib.h>

/* Appends a text with bytes below a space as \xNN. */
static void
reply_dump_text(tmodel_buf *buf, tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
	{
		unsigned char c = (unsigned char) text.data[i];

		if (c < ' ')
			tmodel_buf_printf(buf, "\\x%02x", c);
		else if (c == '\\')
			tmodel_buf_puts(buf, "\\\\");
		else
			tmodel_buf_putc(buf, (char) c);
	}
}

/* The entity as store-entity.tsv writes it. */
static void
reply_dump_entity(tmodel_buf *buf, const tmodel_entity *entity)
{
	reply_dump_text(buf, entity->partition_key);
	tmodel_buf_putc(buf, '|');
	reply_dump_text(buf, entity->row_key);
	tmodel_buf_putc(buf, '|');
	reply_dump_text(buf, entity->etag);
	if (entity->timestamp == -1)
		tmodel_buf_puts(buf, "|-");
	else
		tmodel_buf_printf(buf, "|%" PRId64, entity->timestamp);
	for (int i = 0; i < entity->nproperties; i++)
	{
		const tmodel_property *property = &entity->properties[i];
		tmodel_buf	text;

		tmodel_buf_init(&text, buf->arena);
		tmodel_value_print(&text, &property->value);
		tmodel_buf_putc(buf, '|');
		reply_dump_text(buf, property->name);
		tmodel_buf_printf(buf, " %s ", tmodel_type_name(property->value.type));
		reply_dump_text(buf, tmodel_buf_text(&text));
	}
}

/* Splits a line at its tabs; the number of fields. */
static int
reply_split(char *line, int max, char **fields)
{
	int			n = 0;

	line[strcspn(line, "\n")] = '\0';
	while (n < max)
	{
		fields[n++] = line;
		line = strchr(line, '\t');
		if (line == NULL)
			break;
		*line++ = '\0';
	}
	return n;
}

UNIT_TEST(store_entity_vectors)
{
	FILE	   *file = unit_open_vectors("store-entity.tsv");
	char		line[2048];
	char	   *v[2];
	int			n = 0;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		tmodel_entity entity;
		tmodel_arena arena;
		tmodel_buf	buf;

		if (line[0] == '#')
			continue;
		CHECK_INT(reply_split(line, 2, v), 2);
		tmodel_arena_init(&arena, &tmodel_malloc);
		tmodel_buf_init(&buf, &arena);
		tmodel_buf_puts(&buf, "");
		if (tstore_entity_read(&arena, tmodel_span_of(v[0]),
							   &entity) == TSTORE_OK)
			reply_dump_entity(&buf, &entity);
		else
			tmodel_buf_putc(&buf, '!');
		CHECK_STR(buf.data, v[1]);
		tmodel_arena_reset(&arena);
		n++;
	}
	fclose(file);
	CHECK(n >= 30);
}

UNIT_TEST(store_pages)
{
	static const struct
	{
		const char *json;
		int			nentities;	/* -1: not understood */
	}			pages[] = {
		{"{\"value\":[]}", 0},
		{"{\"odata.metadata\":\"x\",\"value\":[{\"a\":1},{\"a\":2}]}", 2},
		{"{\"value\":[{\"a\":1}],\"odata.nextLink\":\"x\"}", 1},
		{"{\"x\":{\"value\":[{\"a\":1}]},\"y\":[[1]],\"value\":[{}]}", 1},
		{"{}", -1}, {"{\"value\":{}}", -1}, {"{\"value\":[1]}", -1},
		{"{\"value\":[{\"a\":1},", -1}, {"{\"value\":[{\"a\":1}]", -1},
		{"[{\"a\":1}]", -1}, {"", -1}, {"null", -1},
	};

	for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
	{
		tmodel_arena arena;
		tmodel_entity *entities;
		int			n = -2;
		tstore_status status;

		tmodel_arena_init(&arena, &tmodel_malloc);
		status = tstore_page_read(&arena, tmodel_span_of(pages[i].json), &n,
								  &entities);
		CHECK_INT(status, pages[i].nentities < 0 ? TSTORE_PROTOCOL : TSTORE_OK);
		if (status == TSTORE_OK)
			CHECK_INT(n, pages[i].nentities);
		tmodel_arena_reset(&arena);
	}
}

/* An answer of the kind http.c hands over. */
static void
reply_exchange(tstore_exchange *exchange, tmodel_arena *arena,
			   int http_status, const char *body)
{
	memset(exchange, 0, sizeof(*exchange));
	exchange->arena = arena;
	exchange->http_status = http_status;
	exchange->data = (char *) body;
	exchange->len = strlen(body);
}

/* A call of the kind that a vector names. */
static tstore_call
reply_call(const char *kind)
{
	tstore_call call = {.shape = TSTORE_S_WRITE, .noperations = 1};

	if (strcmp(kind, "insert") == 0)
		call.inserts = true;
	else if (strcmp(kind, "get") == 0)
		call.shape = TSTORE_S_ENTITY;
	else if (strcmp(kind, "query") == 0)
		call.shape = TSTORE_S_PAGE;
	else if (strcmp(kind, "table") == 0)
		call.shape = TSTORE_S_TABLE;
	else if (strcmp(kind, "batch") == 0)
		call.shape = TSTORE_S_BATCH;
	return call;
}

/* Turns the two characters \n into a line end outside JSON. */
static void
reply_unescape(char *body)
{
	char	   *at;

	while (body[0] == '<' && (at = strstr(body, "\\n")) != NULL)
	{
		at[0] = '\r';
		at[1] = '\n';
	}
}

UNIT_TEST(store_error_vectors)
{
	FILE	   *file = unit_open_vectors("store-error.tsv");
	char		line[2048];
	char	   *v[8];
	int			n = 0;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		tmodel_arena arena;
		tstore_call call;
		tstore_error error = {.operation = -1};
		tstore_answer answer = {.content_id = -1};
		int			index;

		if (line[0] == '#')
			continue;
		CHECK_INT(reply_split(line, 8, v), 8);
		reply_unescape(v[3]);
		tmodel_arena_init(&arena, &tmodel_malloc);
		call = reply_call(v[0]);
		answer.http_status = atoi(v[1]);
		answer.headers.error_code = tmodel_span_of(v[2]);
		answer.body = tmodel_span_of(v[3]);
		tstore_response_error(&arena, &call, &answer, &error, &index);
		CHECK_STR(tstore_status_text(error.status), v[4]);
		CHECK_STR(error.code, v[5]);
		CHECK_STR(error.message, v[6]);
		CHECK_INT(index, atoi(v[7]));
		CHECK_INT(error.http_status, atoi(v[1]));
		tmodel_arena_reset(&arena);
		n++;
	}
	fclose(file);
	CHECK(n >= 30);
}

/* Continuations in every form they were seen in. */
UNIT_TEST(store_continuations)
{
	static const struct
	{
		const char *pk;
		const char *rk;
		const char *table;
		bool		more;
	}			cases[] = {
		{NULL, NULL, NULL, false}, {"", "", NULL, false},
		{"1!16!cGs4MDEwMTZlOA--", "1!4!cms-", NULL, true},
		{"1!16!cGs4MDEwMTZlOA--", NULL, NULL, true},
		{"", "cms=", NULL, true}, {NULL, NULL, "1!4!dGFi", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tstore_call call = reply_call("query");
		tstore_reply reply = {.server_time = -1};
		tstore_exchange exchange;
		tmodel_arena arena;

		tmodel_arena_init(&arena, &tmodel_malloc);
		reply_exchange(&exchange, &arena, 200, "{\"value\":[]}");
		exchange.answer.next_partition_key = tmodel_span_of(cases[i].pk);
		exchange.answer.next_row_key = tmodel_span_of(cases[i].rk);
		exchange.answer.next_table = tmodel_span_of(cases[i].table);
		tstore_response_read(&arena, &call, &exchange, &reply);
		CHECK_INT(reply.error.status, TSTORE_OK);
		CHECK_INT(reply.nentities, 0);
		CHECK_INT(reply.has_more, cases[i].more);
		tmodel_arena_reset(&arena);
	}
}

UNIT_TEST(store_headers)
{
	tmodel_arena arena;
	tstore_headers headers = {.etag = {NULL, 0}};
	tstore_call call = reply_call("insert");
	tstore_reply reply = {.server_time = -1};
	tstore_exchange exchange;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tstore_header_set(&arena, &headers, TMODEL_SPAN("eTaG"),
							TMODEL_SPAN("W/\"x\"")));
	CHECK(tstore_header_set(&arena, &headers, TMODEL_SPAN("DATE"),
							TMODEL_SPAN("Thu, 01 Jan 1970 00:00:01 GMT")));
	CHECK(tstore_header_set(&arena, &headers, TMODEL_SPAN("ETagX"),
							TMODEL_SPAN("no")));
	CHECK(tstore_header_set(&arena, &headers, TMODEL_SPAN("X-MS-Request-ID"),
							TMODEL_SPAN("an-id")));
	reply_exchange(&exchange, &arena, 204, "");
	exchange.answer = headers;
	tstore_response_read(&arena, &call, &exchange, &reply);
	CHECK_INT(reply.error.status, TSTORE_OK);
	CHECK_INT(reply.netags, 1);
	CHECK_STR(reply.etags[0].data, "W/\"x\"");
	CHECK_STR(reply.error.request_id, "an-id");
	CHECK_INT(reply.server_time, INT64_C(116444736010000000));
	tmodel_arena_reset(&arena);
}

/* Messages are cut between characters and stay on one line. */
UNIT_TEST(store_error_messages)
{
	tstore_error error;
	char		text[400];

	memset(text, 'x', sizeof(text));
	memcpy(text + 254, "\xe2\x82\xac", 3);
	text[3] = '\n';
	tstore_error_set(&error, TSTORE_INVALID,
					 (tmodel_span) {text, sizeof(text)});
	CHECK_INT(strlen(error.message), 254);
	CHECK_INT(error.message[3], ' ');
}

#define BATCH_OK(id, more) \
	"--cs\r\nContent-Type: application/http\r\n" \
	"Content-Transfer-Encoding: binary\r\n\r\n" \
	"HTTP/1.1 204 No Content\r\nContent-ID: " id "\r\n" more "\r\n\r\n"

#define BATCH_FAIL(status, header, message) \
	"--b\r\nContent-Type: multipart/mixed; boundary=\"cs\"\r\n\r\n" \
	"--cs\r\nContent-Type: application/http\r\n\r\n" \
	"HTTP/1.1 " status "\r\n" header \
	"Content-Type: application/json\r\n\r\n" \
	"{\"odata.error\":{\"code\":\"C\",\"message\":{\"value\":\"" message \
	"\"}}}\r\n--cs--\r\n--b--\r\n"

typedef struct batch_case
{
	const char *body;
	int			noperations;
	tstore_status status;
	int			operation;
} batch_case;

static const batch_case batch_cases[] = {
	{"--b\r\nContent-Type: multipart/mixed; boundary=cs\r\n\r\n"
		BATCH_OK("1", "ETag: e1\r\n") BATCH_OK("2", "ETag: e2\r\n")
	"--cs--\r\n--b--\r\n", 2, TSTORE_OK, -1},
	/* lines end in \n alone, boundary lines in spaces */
	{"preamble\n--b  \nContent-Type: Multipart/Mixed; boundary=cs; x=y\n\n"
		"--cs\nContent-Type: application/http\n\n"
		"HTTP/1.1 204 No Content\nETag: e1\n\n\n"
		"--cs\n\nContent-Type: application/http\n\n"
		"HTTP/1.1 204 No Content\netag:e2\n--cs--\n--b--\nepilogue", 2,
	TSTORE_OK, -1},
	{BATCH_FAIL("409 Conflict", "", "1:no"), 2, TSTORE_INVALID, 1},
	{BATCH_FAIL("412 Precondition Failed", "Content-ID: 2\r\n", "no"), 2,
	TSTORE_PRECONDITION, 1},
	{BATCH_FAIL("412 Precondition Failed", "Content-ID: 9\r\n", "no"), 2,
	TSTORE_PRECONDITION, -1},
	{BATCH_FAIL("412 Precondition Failed", "", "7:no"), 2,
	TSTORE_PRECONDITION, -1},
	{BATCH_FAIL("404 Not Found", "", "no"), 1, TSTORE_NOT_FOUND, 0},
	{BATCH_FAIL("503 Busy", "Retry-After: 7\r\n", "0:no"), 2,
	TSTORE_THROTTLED, 0},
	{BATCH_FAIL("500 No", "", ""), 2, TSTORE_SERVER, -1},
	{BATCH_FAIL("302 No", "", ""), 2, TSTORE_PROTOCOL, -1},
	/* one answer is missing, the end is, everything is */
	{"--b\r\nContent-Type: multipart/mixed; boundary=cs\r\n\r\n"
		BATCH_OK("1", "ETag: e1\r\n") "--cs--\r\n--b--\r\n", 2,
	TSTORE_PROTOCOL, -1},
	{"--b\r\nContent-Type: multipart/mixed; boundary=cs\r\n\r\n"
		BATCH_OK("1", "ETag: e1\r\n") BATCH_OK("2", "") "--cs--\r\n", 2,
	TSTORE_PROTOCOL, -1},
	{"--b\r\nContent-Type: application/http\r\n\r\nGET / HTTP/1.1\r\n\r\n"
	"--b--\r\n", 2, TSTORE_PROTOCOL, -1},
	{"--b\r\n--b\r\n--b--\r\n", 2, TSTORE_PROTOCOL, -1},
	{"hello", 2, TSTORE_PROTOCOL, -1}, {"", 2, TSTORE_PROTOCOL, -1},
	/* without a change set around them */
	{"--b\r\nContent-Type: application/http\r\nContent-ID: 2\r\n\r\n"
		"HTTP/1.1 412 No\r\n\r\n\r\n--b--\r\n", 2, TSTORE_PRECONDITION, 1},
};

UNIT_TEST(store_batch_answers)
{
	for (size_t i = 0; i < sizeof(batch_cases) / sizeof(batch_cases[0]); i++)
	{
		const batch_case *expected = &batch_cases[i];
		bool		deletes[2] = {false, false};
		tstore_call call = {
			.shape = TSTORE_S_BATCH, .noperations = expected->noperations,
			.deletes = deletes
		};
		tstore_reply reply = {.error.operation = -1};
		tstore_exchange exchange;
		tmodel_arena arena;

		tmodel_arena_init(&arena, &tmodel_malloc);
		reply_exchange(&exchange, &arena, 202, expected->body);
		exchange.answer.content_type =
			TMODEL_SPAN("multipart/mixed;boundary=b");
		tstore_response_read(&arena, &call, &exchange, &reply);
		if (reply.error.status != expected->status)
			UNIT_FAIL("case %zu", i);
		CHECK_INT(reply.error.status, expected->status);
		CHECK_INT(reply.error.operation, expected->operation);
		if (expected->status == TSTORE_OK)
		{
			CHECK_INT(reply.netags, 2);
			CHECK_STR(reply.etags[0].data, "e1");
			CHECK_STR(reply.etags[1].data, "e2");
		}
		if (expected->status == TSTORE_THROTTLED)
			CHECK_INT(tstore_retry_told_ms(&exchange.answer, 0), 7000);
		tmodel_arena_reset(&arena);
	}
}

/* Outside of 202 the whole batch failed. */
UNIT_TEST(store_batch_refused)
{
	tstore_call call = {.shape = TSTORE_S_BATCH, .noperations = 2};
	static const struct
	{
		int			http_status;
		tstore_status status;
	}			cases[] = {
		{413, TSTORE_TOO_LARGE}, {400, TSTORE_INVALID}, {403, TSTORE_AUTH},
		{503, TSTORE_THROTTLED}, {500, TSTORE_SERVER}, {200, TSTORE_PROTOCOL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tstore_reply reply = {.error.operation = -1};
		tstore_exchange exchange;
		tmodel_arena arena;

		tmodel_arena_init(&arena, &tmodel_malloc);
		reply_exchange(&exchange, &arena, cases[i].http_status, "");
		tstore_response_read(&arena, &call, &exchange, &reply);
		CHECK_INT(reply.error.status, cases[i].status);
		CHECK_INT(reply.error.operation, -1);
		tmodel_arena_reset(&arena);
	}
}

/* Whether each kind of request is repeated after each failure. */
UNIT_TEST(store_retry_table)
{
	static const struct
	{
		tstore_status status;
		int			http_status;
		bool		read;
		bool		upsert;
		bool		write;
	}			table[] = {
		{TSTORE_OK, 200, false, false, false},
		{TSTORE_THROTTLED, 503, true, true, true},
		{TSTORE_CONNECT, 0, true, true, true},
		{TSTORE_SERVER, 500, true, true, false},
		{TSTORE_SERVER, 501, false, false, false},
		{TSTORE_SERVER, 505, false, false, false},
		{TSTORE_TIMEOUT, 0, true, true, false},
		{TSTORE_LOST, 0, true, true, false},
		{TSTORE_TLS, 0, false, false, false},
		{TSTORE_PROTOCOL, 200, false, false, false},
		{TSTORE_PRECONDITION, 412, false, false, false},
		{TSTORE_AUTH, 403, false, false, false},
		{TSTORE_NO_MEMORY, 0, false, false, false},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
	{
		tstore_retry_case retry = {
			.attempt = 1, .max_retries = 1, .status = table[i].status,
			.http_status = table[i].http_status, .told_ms = -1
		};

		CHECK_INT(tstore_retry_wait_ms(&retry) >= 0, table[i].write);
		retry.idempotent = true;
		CHECK_INT(tstore_retry_wait_ms(&retry) >= 0, table[i].upsert);
		retry.idempotent = false;
		retry.read = true;
		CHECK_INT(tstore_retry_wait_ms(&retry) >= 0, table[i].read);
		retry.attempt = 2;
		CHECK_INT(tstore_retry_wait_ms(&retry), -1);
	}
}

UNIT_TEST(store_retry_waits)
{
	static const int64_t at_least[] = {100, 200, 400, 800, 1600, 3200, 6400,
	6666, 6666};
	tstore_retry_case retry = {
		.max_retries = 100, .status = TSTORE_THROTTLED, .told_ms = -1
	};

	for (int i = 0; i < 9; i++)
	{
		retry.attempt = i + 1;
		for (uint32_t random = 0; random < 20000; random += 7)
		{
			int64_t		wait_ms;

			retry.random = random;
			wait_ms = tstore_retry_wait_ms(&retry);
			CHECK(wait_ms >= at_least[i]);
			CHECK(wait_ms <= at_least[i] + at_least[i] / 2);
			CHECK(wait_ms <= 10000);
		}
	}
	retry.attempt = 90;
	CHECK(tstore_retry_wait_ms(&retry) <= 10000);
	retry.told_ms = 0;
	CHECK_INT(tstore_retry_wait_ms(&retry), 0);
	retry.told_ms = 1234;
	CHECK_INT(tstore_retry_wait_ms(&retry), 1234);
	retry.told_ms = INT64_MAX;
	CHECK_INT(tstore_retry_wait_ms(&retry), 60000);
}

UNIT_TEST(store_retry_told)
{
	tstore_headers headers = {.retry_after = TMODEL_SPAN("3")};

	CHECK_INT(tstore_retry_told_ms(&headers, 0), 3000);
	headers.retry_after_ms = TMODEL_SPAN("250");
	CHECK_INT(tstore_retry_told_ms(&headers, 0), 250);
	headers.retry_after_ms = TMODEL_SPAN("soon");
	headers.retry_after = TMODEL_SPAN("-3");
	CHECK_INT(tstore_retry_told_ms(&headers, 0), -1);
	headers.retry_after = TMODEL_SPAN("Thu, 01 Jan 1970 00:01:00 GMT");
	CHECK_INT(tstore_retry_told_ms(&headers, 50), 10000);
	CHECK_INT(tstore_retry_told_ms(&headers, 70), 0);
	headers.date = TMODEL_SPAN("Thu, 01 Jan 1970 00:00:58 GMT");
	CHECK_INT(tstore_retry_told_ms(&headers, 70), 2000);
}

/* An allocator whose n-th allocation fails. */
typedef struct reply_memory
{
	int			left;
	int			taken;
} reply_memory;

static void *
reply_alloc(void *ctx, size_t size)
{
	reply_memory *memory = ctx;

	if (memory->left-- == 0)
		return NULL;
	memory->taken++;
	return malloc(size);
}

static void
reply_release(void *ctx, void *ptr)
{
	reply_memory *memory = ctx;

	memory->taken--;
	free(ptr);
}

/* A page with escapes, annotations and enough entities to need many blocks. */
static char *
reply_large_page(void)
{
	size_t		size = 400000;
	char	   *json = malloc(size);
	size_t		len = (size_t) snprintf(json, size, "{\"value\":[");

	for (int i = 0; i < 1000; i++)
		len += (size_t) snprintf(json + len, size - len,
								 "%s{\"PartitionKey\":\"p\\u0041\","
								 "\"RowKey\":\"%d\",\"n@odata.type\":"
								 "\"Edm.Int64\",\"n\":\"%d\",\"s\":\"a\\"
								 "u00e4\",\"b@odata.type\":\"Edm.Binary\","
								 "\"b\":\"AAAA\"}", i > 0 ? "," : "", i, i);
	snprintf(json + len, size - len, "]}");
	return json;
}

/* Reads "body" as the answer with every allocation failing once. */
static void
reply_fail_each(const tstore_call *call, int http_status,
				const char *content_type, const char *body,
				tstore_status expected)
{
	for (int n = 0; n < 1000; n++)
	{
		reply_memory memory = {n, 0};
		tmodel_allocator allocator = {reply_alloc, reply_release, &memory};
		tstore_reply reply = {.error.operation = -1};
		tstore_exchange exchange;
		tmodel_arena arena;
		tstore_status status;

		tmodel_arena_init(&arena, &allocator);
		reply_exchange(&exchange, &arena, http_status, body);
		exchange.answer.content_type = tmodel_span_of(content_type);
		tstore_response_read(&arena, call, &exchange, &reply);
		status = reply.error.status;
		tmodel_arena_reset(&arena);
		CHECK_INT(memory.taken, 0);
		if (memory.left >= 0)
		{
			CHECK_INT(status, expected);
			return;
		}
		CHECK_INT(status, TSTORE_NO_MEMORY);
	}
	UNIT_FAIL("never succeeds");
}

UNIT_TEST(store_reply_no_memory)
{
	static const char error[] =
		"{\"odata.error\":{\"code\":\"Entity\\u0041lreadyExists\","
		"\"message\":{\"value\":\"x\"}}}";
	static const char xml[] =
		"<Error><Code>AuthenticationFailed</Code><Message>m</Message></Error>";
	bool		deletes[2] = {false, false};
	tstore_call get = reply_call("get");
	tstore_call query = reply_call("query");
	tstore_call insert = reply_call("insert");
	tstore_call batch = {
		.shape = TSTORE_S_BATCH, .noperations = 2, .deletes = deletes
	};
	char	   *page = reply_large_page();

	reply_fail_each(&query, 200, NULL, page, TSTORE_OK);
	free(page);
	reply_fail_each(&get, 200, NULL, "{\"a\":\"\\u00e4\"}", TSTORE_OK);
	reply_fail_each(&insert, 409, NULL, error, TSTORE_EXISTS);
	reply_fail_each(&insert, 403, NULL, xml, TSTORE_AUTH);
	reply_fail_each(&insert, 204, NULL, "", TSTORE_OK);
	reply_fail_each(&batch, 202, "multipart/mixed; boundary=b",
					batch_cases[0].body, TSTORE_OK);
	reply_fail_each(&batch, 202, "multipart/mixed; boundary=b",
					batch_cases[2].body, TSTORE_INVALID);
}

/* A page cut anywhere is never understood, and never read beyond its end. */
UNIT_TEST(store_page_cut)
{
	static const char page[] =
		"{\"odata.metadata\":\"m\",\"value\":[{\"odata.etag\":\"W/\\\"1\\\"\","
		"\"PartitionKey\":\"\\u0070\\ud83d\\ude00\",\"RowKey\":\"r\","
		"\"n@odata.type\":\"Edm.Int64\",\"n\":\"5\",\"d\":1.5e3,\"t\":true}]}";

	for (size_t len = 0; len < sizeof(page); len++)
	{
		char	   *copy = malloc(len + 1);	/* exactly, for the sanitizer */
		tmodel_arena arena;
		tmodel_entity *entities;
		int			n;
		tstore_status status;

		memcpy(copy, page, len);
		tmodel_arena_init(&arena, &tmodel_malloc);
		status = tstore_page_read(&arena, (tmodel_span) {copy, len}, &n,
								  &entities);
		CHECK_INT(status, len == sizeof(page) - 1 ? TSTORE_OK :
				  TSTORE_PROTOCOL);
		tmodel_arena_reset(&arena);
		free(copy);
	}
}
