/*
 * test_store_format.c
 *		What the store client sends: signatures, paths, headers, bodies.
 *
 * Golden vectors: sign.tsv, store-path.tsv.
 */
#include "unit.h"

#include "store/response.h"

#include <stdlib.h>

/* The arena, and an endpoint of path style with the well-known key. */
typedef struct format
{
	tmodel_arena arena;
	tstore_endpoint endpoint;
} format;

static bool
format_open(format *f, const char *endpoint, const char *key,
			const char *sas, const char *bearer, tstore_error *error)
{
	tstore_config config = {
		.endpoint = endpoint, .account_key = key, .sas_token = sas,
		.bearer_token = bearer
	};

	memset(error, 0, sizeof(*error));
	tmodel_arena_init(&f->arena, &tmodel_malloc);
	return tstore_endpoint_read(&f->arena, &config, &f->endpoint, error);
}

static void
format_close(format *f)
{
	tstore_endpoint_forget(&f->endpoint);
	tmodel_arena_reset(&f->arena);
}

/* Splits a line at its tabs; the number of fields. */
static int
format_split(char *line, int max, char **fields)
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

UNIT_TEST(store_sign_vectors)
{
	FILE	   *file = unit_open_vectors("sign.tsv");
	char		line[1024];
	char	   *v[7];
	int			n = 0;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		tmodel_arena arena;
		tmodel_span key;

		if (line[0] == '#')
			continue;
		CHECK_INT(format_split(line, 7, v), 7);
		tmodel_arena_init(&arena, &tmodel_malloc);
		CHECK(tstore_base64_decode(&arena, tmodel_span_of(v[4]), &key));
		CHECK_STR(tstore_sign(&arena, tmodel_span_of(v[3]), key, v[0], v[1],
							  v[2], tmodel_span_of(v[5])).data, v[6]);
		tmodel_arena_reset(&arena);
		n++;
	}
	fclose(file);
	CHECK(n >= 7);
}

UNIT_TEST(store_base64)
{
	static const char *const bad[] = {"a", "ab", "abc", "====", "a===", "ab=c",
	"ab!=", "abcd\n"};
	tmodel_arena arena;
	tmodel_span bytes;

	tmodel_arena_init(&arena, &tmodel_malloc);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!tstore_base64_decode(&arena, tmodel_span_of(bad[i]), &bytes));
	CHECK(tstore_base64_decode(&arena, TMODEL_SPAN("YQ=="), &bytes));
	CHECK(bytes.len == 1 && bytes.data[0] == 'a');
	CHECK(tstore_base64_decode(&arena, TMODEL_SPAN("YWI="), &bytes));
	CHECK_INT(bytes.len, 2);
	CHECK(tstore_base64_decode(&arena, TMODEL_SPAN("YWJj"), &bytes));
	CHECK_INT(bytes.len, 3);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(store_dates)
{
	static const struct
	{
		int64_t		seconds;
		const char *text;
	}			dates[] = {
		{0, "Thu, 01 Jan 1970 00:00:00 GMT"},
		{784887151, "Tue, 15 Nov 1994 08:12:31 GMT"},
		{951782400, "Tue, 29 Feb 2000 00:00:00 GMT"},
		{1709251199, "Thu, 29 Feb 2024 23:59:59 GMT"},
		{4102444800, "Fri, 01 Jan 2100 00:00:00 GMT"},
	};
	static const char *const bad[] = {
		"", "now", "Tue, 15 Nov 1994 08:12:31 UTC",
		"Tue, 15 Nov 1994 08:12:31 GMTx", "Tue, 15 Noo 1994 08:12:31 GMT",
		"Tue, 15 Nov 1994 25:12:31 GMT", "Tue, 99 Nov 1994 08:12:31 GMT"
	};

	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++)
	{
		char		text[TSTORE_HTTP_DATE_SIZE];
		int64_t		seconds = -1;

		tstore_http_date(dates[i].seconds, text);
		CHECK_STR(text, dates[i].text);
		CHECK(tstore_http_date_read(tmodel_span_of(text), &seconds));
		CHECK_INT(seconds, dates[i].seconds);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		int64_t		seconds;

		CHECK(!tstore_http_date_read(tmodel_span_of(bad[i]), &seconds));
	}
}

UNIT_TEST(store_path_vectors)
{
	FILE	   *file = unit_open_vectors("store-path.tsv");
	char		line[1024];
	char	   *v[4];
	int			n = 0;

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
	{
		tstore_error error;
		tstore_call call;
		format		f;

		if (line[0] == '#')
			continue;
		CHECK_INT(format_split(line, 4, v), 4);
		CHECK(format_open(&f, "https://acct.table.core.windows.net/", "YQ==",
						  NULL, NULL, &error));
		CHECK(tstore_call_get(&f.arena, &f.endpoint, tmodel_span_of(v[0]),
							  tmodel_span_of(v[1]), tmodel_span_of(v[2]), 0,
							  NULL, &call));
		CHECK_STR(call.target.data, v[3]);
		CHECK_INT(call.path_len, strlen(v[3]));
		format_close(&f);
		n++;
	}
	fclose(file);
	CHECK(n >= 8);
}

/* Everything a query can carry; '+' and '=' of tokens must not be read as
 * blanks or separators. */
UNIT_TEST(store_query_targets)
{
	tmodel_span select[] = {TMODEL_SPAN("a"), TMODEL_SPAN("b c")};
	tstore_query query = {
		.filter = TMODEL_SPAN("x eq 'a+b'"), .nselect = 2, .select = select,
		.top = 10, .next_partition_key = TMODEL_SPAN("1!8!a+b/c="),
		.next_row_key = TMODEL_SPAN("=&?")
	};
	tstore_error error;
	tstore_call call;
	format		f;

	CHECK(format_open(&f, "http://127.0.0.1:10002/acct", NULL, NULL, NULL,
					  &error));
	CHECK(tstore_call_query(&f.arena, &f.endpoint, TMODEL_SPAN("t"), &query,
							&call));
	CHECK_STR(call.target.data, "/acct/t()?$filter=x%20eq%20%27a%2Bb%27"
			  "&$top=10&$select=a%2Cb%20c"
			  "&NextPartitionKey=1%218%21a%2Bb%2Fc%3D&NextRowKey=%3D%26%3F");
	CHECK_INT(call.path_len, 9);
	query = (tstore_query) {.next_partition_key = TMODEL_SPAN("x")};
	CHECK(tstore_call_query(&f.arena, &f.endpoint, TMODEL_SPAN("t"), &query,
							&call));
	CHECK_STR(call.target.data, "/acct/t()?NextPartitionKey=x");
	query = (tstore_query) {.next_row_key = TMODEL_SPAN("x")};
	CHECK(tstore_call_query(&f.arena, &f.endpoint, TMODEL_SPAN("t"), &query,
							&call));
	CHECK_STR(call.target.data, "/acct/t()?NextPartitionKey=&NextRowKey=x");
	query = (tstore_query) {.next_table = TMODEL_SPAN("x"), .top = 3};
	CHECK(tstore_call_list_tables(&f.arena, &f.endpoint, &query, &call));
	CHECK_STR(call.target.data, "/acct/Tables?$top=3&NextTableName=x");
	CHECK(tstore_call_delete_table(&f.arena, &f.endpoint, TMODEL_SPAN("t'"),
								   &call));
	CHECK_STR(call.target.data, "/acct/Tables('t%27%27')");
	format_close(&f);
}

/* Which configurations are taken, and what is read out of them. */
UNIT_TEST(store_endpoints)
{
	static const struct
	{
		const char *url;
		const char *base;
		const char *prefix;
		const char *account;
		bool		loopback;
	}			good[] = {
		{"http://127.0.0.1:10002/devstoreaccount1", "http://127.0.0.1:10002",
			"/devstoreaccount1", "devstoreaccount1", true},
		{"HTTPS://Acct.table.core.windows.net//",
			"HTTPS://Acct.table.core.windows.net", "", "Acct", false},
		{"https://acct-secondary.table.core.windows.net",
			"https://acct-secondary.table.core.windows.net", "", "acct", false},
		{"http://[::1]:1/a/", "http://[::1]:1", "/a", "a", true},
		{"http://localhost/a-secondary", "http://localhost", "/a-secondary",
			"a", true},
		{"http://127.evil.example/a", "http://127.evil.example", "/a", "a",
			false},
		{"https://acct.table.cosmos.azure.com:443",
			"https://acct.table.cosmos.azure.com:443", "", "acct", false},
	};
	static const char *const bad[] = {
		"", "acct.table.core.windows.net", "ftp://x.y/", "https://",
		"http://:80/", "http://u:p@h.x/", "http://h.x/?a", "http://h.x/#a",
		"http://h x/", "http://h.x/\r\nX: y", "http://10.0.0.1",
		"http://localhost:1"
	};
	tstore_error error;
	format		f;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
	{
		CHECK(format_open(&f, good[i].url, "YQ==", NULL, NULL, &error));
		CHECK_STR(f.endpoint.base.data, good[i].base);
		CHECK_STR(f.endpoint.prefix.data, good[i].prefix);
		CHECK_STR(f.endpoint.account.data, good[i].account);
		CHECK_INT(f.endpoint.loopback, good[i].loopback);
		format_close(&f);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		CHECK(!format_open(&f, bad[i], "YQ==", NULL, NULL, &error));
		CHECK_INT(error.status, TSTORE_BAD_CONFIG);
		CHECK(error.message[0] != '\0');
		format_close(&f);
	}
}

UNIT_TEST(store_credentials)
{
	static const struct
	{
		const char *url;
		const char *key;
		const char *sas;
		const char *bearer;
		bool		ok;
	}			cases[] = {
		{"https://a.example.com", NULL, "sig=x", NULL, true},
		{"https://a.example.com", NULL, "?sig=x", NULL, true},
		{"https://a.example.com", NULL, "?", NULL, false},
		{"https://a.example.com", NULL, "sig=x y", NULL, false},
		{"https://a.example.com", NULL, "sig=x#", NULL, false},
		{"https://a.example.com", NULL, NULL, "t", true},
		{"http://a.example.com", NULL, NULL, "t", false},
		{"http://127.0.0.1/a", NULL, NULL, "t", true},
		{"https://a.example.com", NULL, NULL, "t\r\nX: y", false},
		{"https://a.example.com", "not base64", NULL, NULL, false},
		{"https://a.example.com", "YQ==", "sig=x", NULL, false},
		{"https://a.example.com", NULL, NULL, NULL, true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tstore_error error;
		format		f;

		CHECK_INT(format_open(&f, cases[i].url, cases[i].key, cases[i].sas,
							  cases[i].bearer, &error), cases[i].ok);
		CHECK_INT(error.status, cases[i].ok ? TSTORE_OK : TSTORE_BAD_CONFIG);
		CHECK(strstr(error.message, "not base64") == NULL ||
			  cases[i].key != NULL);
		format_close(&f);
	}
}

/* The headers of one attempt, one per line. */
UNIT_TEST(store_attempt_headers)
{
	tstore_exchange exchange = {.user = NULL};
	tmodel_entity entity = {
		.partition_key = TMODEL_SPAN("p"), .row_key = TMODEL_SPAN("r")
	};
	tstore_operation operation = {TSTORE_REPLACE, &entity,
	TMODEL_SPAN("W/\"1\"")};
	static const char *const expected[] = {
		"x-ms-date: Tue, 15 Nov 1994 08:12:31 GMT",
		"x-ms-version: 2019-02-02",
		"DataServiceVersion: 3.0",
		"MaxDataServiceVersion: 3.0;NetFx",
		"Accept: application/json;odata=minimalmetadata",
		"User-Agent: itable_fdw",
		"Expect:",
		"Content-Type: application/json",
		"If-Match: W/\"1\"",
	};
	char		authorization[200];
	tmodel_span signature;
	tstore_error error;
	tstore_call call;
	format		f;

	CHECK(format_open(&f, "http://127.0.0.1:1/acct", "YQ==", NULL, NULL,
					  &error));
	CHECK(tstore_call_write(&f.arena, &f.endpoint, TMODEL_SPAN("t"),
							&operation, &call));
	CHECK(tstore_attempt_prepare(&f.arena, &f.endpoint, &call, 784887151,
								 &exchange, &signature));
	CHECK_STR(exchange.method, "PUT");
	CHECK_STR(exchange.url,
			  "http://127.0.0.1:1/acct/t(PartitionKey='p',RowKey='r')");
	for (int i = 0; i < 9; i++)
		CHECK_STR(exchange.headers[i], expected[i]);
	snprintf(authorization, sizeof(authorization),
			 "Authorization: SharedKey acct:%s", signature.data);
	CHECK_STR(exchange.headers[9], authorization);
	CHECK(exchange.headers[10] == NULL);
	CHECK_STR(exchange.body.data, "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}");
	format_close(&f);
}

static tmodel_property
format_property(const char *name, tmodel_value value)
{
	return (tmodel_property) {tmodel_span_of(name), value};
}

UNIT_TEST(store_entity_bodies)
{
	tmodel_property properties[] = {
		format_property("s", tmodel_string(
			TMODEL_SPAN("\"\\\n\0\x1f\x7f\xe2\x80\xa9\xe2\x82\xac/"))),
		format_property("none", (tmodel_value) {.type = TMODEL_NULL}),
		format_property("i", tmodel_int32(-5)),
		format_property("l", tmodel_int64(INT64_MAX)),
		format_property("d", tmodel_double(3)),
		format_property("e", tmodel_double(0.1)),
		format_property("n", tmodel_double(__builtin_nan(""))),
		format_property("m", tmodel_double(-__builtin_inf())),
		format_property("b", tmodel_boolean(true)),
		format_property("t", tmodel_datetime(1)),
		format_property("o", (tmodel_value) {
			.type = TMODEL_BINARY, .u.bytes = TMODEL_SPAN("abc")
		}),
		format_property("g", (tmodel_value) {.type = TMODEL_GUID}),
	};
	tmodel_entity entity = {
		.partition_key = TMODEL_SPAN("p\""), .row_key = TMODEL_SPAN(""),
		.nproperties = sizeof(properties) / sizeof(properties[0]),
		.properties = properties
	};
	tmodel_arena arena;
	tmodel_buf	buf;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&buf, &arena);
	CHECK(tstore_entity_print(&buf, &entity));
	CHECK_STR(buf.data, "{\"PartitionKey\":\"p\\\"\",\"RowKey\":\"\","
			  "\"s\":\"\\\"\\\\\\u000a\\u0000\\u001f\\u007f\\u2029"
			  "\xe2\x82\xac/\","
			  "\"i\":-5,\"l@odata.type\":\"Edm.Int64\","
			  "\"l\":\"9223372036854775807\","
			  "\"d@odata.type\":\"Edm.Double\",\"d\":3.0,"
			  "\"e@odata.type\":\"Edm.Double\",\"e\":0.1,"
			  "\"n@odata.type\":\"Edm.Double\",\"n\":\"NaN\","
			  "\"m@odata.type\":\"Edm.Double\",\"m\":\"-Infinity\","
			  "\"b\":true,\"t@odata.type\":\"Edm.DateTime\","
			  "\"t\":\"1601-01-01T00:00:00.0000001Z\","
			  "\"o@odata.type\":\"Edm.Binary\",\"o\":\"YWJj\","
			  "\"g@odata.type\":\"Edm.Guid\","
			  "\"g\":\"00000000-0000-0000-0000-000000000000\"}");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(store_batch_body)
{
	tmodel_entity entity = {
		.partition_key = TMODEL_SPAN("p"), .row_key = TMODEL_SPAN("r")
	};
	tstore_operation operations[] = {
		{TSTORE_INSERT, &entity, {NULL, 0}},
		{TSTORE_DELETE, &entity, {"*", 1}},
	};
	tstore_error error;
	tstore_call call;
	format		f;

	CHECK(format_open(&f, "http://127.0.0.1:1/acct", "YQ==", NULL, NULL,
					  &error));
	CHECK(tstore_call_batch(&f.arena, &f.endpoint, TMODEL_SPAN("t"), 2,
							operations, &call));
	CHECK_STR(call.target.data, "/acct/$batch");
	CHECK_STR(call.content_type,
			  "multipart/mixed; boundary=batch_itable_fdw");
	CHECK(!call.idempotent);
	CHECK(!call.deletes[0] && call.deletes[1]);
	CHECK_STR(call.body.data,
			  "--batch_itable_fdw\r\n"
			  "Content-Type: multipart/mixed; boundary=changeset_itable_fdw"
			  "\r\n\r\n"
			  "--changeset_itable_fdw\r\n"
			  "Content-Type: application/http\r\n"
			  "Content-Transfer-Encoding: binary\r\n\r\n"
			  "POST http://127.0.0.1:1/acct/t HTTP/1.1\r\n"
			  "Content-ID: 1\r\n"
			  "Accept: application/json;odata=minimalmetadata\r\n"
			  "Content-Type: application/json\r\n"
			  "Prefer: return-no-content\r\n"
			  "DataServiceVersion: 3.0\r\n"
			  "MaxDataServiceVersion: 3.0;NetFx\r\n\r\n"
			  "{\"PartitionKey\":\"p\",\"RowKey\":\"r\"}\r\n"
			  "--changeset_itable_fdw\r\n"
			  "Content-Type: application/http\r\n"
			  "Content-Transfer-Encoding: binary\r\n\r\n"
			  "DELETE http://127.0.0.1:1/acct/t(PartitionKey='p',RowKey='r')"
			  " HTTP/1.1\r\n"
			  "Content-ID: 2\r\n"
			  "Accept: application/json;odata=minimalmetadata\r\n"
			  "DataServiceVersion: 3.0\r\n"
			  "MaxDataServiceVersion: 3.0;NetFx\r\n"
			  "If-Match: *\r\n\r\n\r\n"
			  "--changeset_itable_fdw--\r\n"
			  "--batch_itable_fdw--\r\n");
	operations[0].write = operations[1].write = TSTORE_UPSERT_MERGE;
	CHECK(tstore_call_batch(&f.arena, &f.endpoint, TMODEL_SPAN("t"), 2,
							operations, &call));
	CHECK(call.idempotent);
	CHECK(tstore_call_batch(&f.arena, &f.endpoint, TMODEL_SPAN("t"), 1,
							operations, &call));
	CHECK_STR(call.method, "MERGE");
	CHECK(call.lone_batch);
	format_close(&f);
}
