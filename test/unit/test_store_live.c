/*
 * test_store_live.c
 *		The store client against a server that speaks the table service.
 *
 * Runs when TSTORE_TEST_ENDPOINT names one with the emulator's account, such
 * as http://127.0.0.1:10002/devstoreaccount1; TSTORE_TEST_KEY overrides its
 * well-known key.  Every test makes a table of its own and drops it.
 */
#include "unit.h"

#include "store/client.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char live_key[] =
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
	"K1SZFPTOtr/KBHBeksoGMGw==";

/* A client and a table of its own. */
typedef struct live
{
	tstore_client *client;
	char		name[40];
	tmodel_span table;
} live;

static const char *
live_endpoint(void)
{
	const char *endpoint = getenv("TSTORE_TEST_ENDPOINT");

	return endpoint != NULL && endpoint[0] != '\0' ? endpoint : NULL;
}

static const char *
live_account_key(void)
{
	const char *key = getenv("TSTORE_TEST_KEY");

	return key != NULL && key[0] != '\0' ? key : live_key;
}

/* Waits for the request; its status, -1 when there is none. */
static int
live_status(live *l, tstore_request *request)
{
	if (request == NULL || !tstore_wait(l->client, request))
		return -1;
	return (int) tstore_reply_of(request)->error.status;
}

/* Opens the client and creates the table; false when the test is skipped. */
static bool
live_open(live *l)
{
	static int	serial = 0;
	tstore_config config = {.max_retries = -1};
	tstore_error error;
	tstore_request *request;
	int			status;

	if (live_endpoint() == NULL)
		return false;
	config.endpoint = live_endpoint();
	config.account_key = live_account_key();
	l->client = tstore_open(&config, &tstore_default_hooks, &error);
	if (l->client == NULL)
	{
		UNIT_FAIL("open: %s", error.message);
		return false;
	}
	snprintf(l->name, sizeof(l->name), "t%ldx%dx%d", (long) time(NULL),
			 (int) getpid(), serial++);
	l->table = tmodel_span_of(l->name);
	request = tstore_start_create_table(l->client, l->table);
	status = live_status(l, request);
	if (status != TSTORE_OK)
		UNIT_FAIL("create table: %d %s", status,
				  tstore_reply_of(request)->error.message);
	tstore_finish(request);
	return status == TSTORE_OK;
}

static void
live_close(live *l)
{
	tstore_request *request = tstore_start_delete_table(l->client, l->table);

	if (live_status(l, request) != TSTORE_OK)
		UNIT_FAIL("delete table: %s", tstore_reply_of(request)->error.message);
	tstore_finish(request);
	tstore_close(l->client);
}

/* One write; etag is if_match. The request is left to the caller. */
static tstore_request *
live_write(live *l, tstore_write write, const tmodel_entity *entity,
		   const char *if_match)
{
	tstore_operation operation = {
		.write = write, .entity = entity, .if_match = tmodel_span_of(if_match)
	};

	return tstore_start_write(l->client, l->table, &operation);
}

static tmodel_property
live_property(const char *name, tmodel_value value)
{
	return (tmodel_property) {tmodel_span_of(name), value};
}

/* Every type, with values that are easily spoilt. */
static int
live_fill(tmodel_property *p)
{
	tmodel_value guid = {.type = TMODEL_GUID};
	tmodel_value binary = {.type = TMODEL_BINARY};
	int			n = 0;

	for (int i = 0; i < 16; i++)
		guid.u.guid[i] = (uint8_t) (i * 17);
	binary.u.bytes = TMODEL_SPAN("\0\1\xff bytes");
	p[n++] = live_property("text", tmodel_string(
		TMODEL_SPAN("a\"b\\c\n\t\x7f \xe2\x80\xa8 \xf0\x9f\x98\x80 {x} '")));
	p[n++] = live_property("empty", tmodel_string(TMODEL_SPAN("")));
	p[n++] = live_property("small", tmodel_int32(INT32_MIN));
	p[n++] = live_property("big", tmodel_int64(INT64_MIN));
	p[n++] = live_property("whole", tmodel_double(3.0));
	p[n++] = live_property("third", tmodel_double(1.0 / 3.0));
	p[n++] = live_property("huge", tmodel_double(1e300));
	p[n++] = live_property("nan", tmodel_double(__builtin_nan("")));
	p[n++] = live_property("inf", tmodel_double(-__builtin_inf()));
	p[n++] = live_property("yes", tmodel_boolean(true));
	p[n++] = live_property("no", tmodel_boolean(false));
	p[n++] = live_property("at", tmodel_datetime(INT64_C(133500000001234567)));
	p[n++] = live_property("id", guid);
	p[n++] = live_property("bytes", binary);
	return n;
}

/* The entity comes back as it was sent, whatever is in its keys. */
UNIT_TEST(store_live_round_trip)
{
	static const char *const keys[] = {
		"plain", "", "it's ''", "a b+c%41&=@!$(),;:*", "\xf0\x9f\x98\x80 {}",
		"..", "\"x\"", "[~]^|<>"
	};
	live		l;

	if (!live_open(&l))
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
	{
		tmodel_property properties[20];
		tmodel_entity entity = {
			.partition_key = tmodel_span_of(keys[i]),
			.row_key = tmodel_span_of(keys[i]), .properties = properties
		};
		tstore_request *request;
		const tstore_reply *reply;

		entity.nproperties = live_fill(properties);
		request = live_write(&l, TSTORE_INSERT, &entity, NULL);
		CHECK_INT(live_status(&l, request), TSTORE_OK);
		CHECK(tstore_reply_of(request)->netags == 1);
		CHECK(tstore_reply_of(request)->etags[0].len > 0);
		tstore_finish(request);
		request = tstore_start_get(l.client, l.table, entity.partition_key,
								   entity.row_key, 0, NULL);
		CHECK_INT(live_status(&l, request), TSTORE_OK);
		reply = tstore_reply_of(request);
		CHECK_INT(reply->nentities, 1);
		CHECK_INT(reply->entities[0].nproperties, entity.nproperties);
		CHECK(tmodel_entity_same_content(&reply->entities[0], &entity));
		CHECK(reply->entities[0].etag.len > 0);
		CHECK(reply->entities[0].timestamp > 0);
		CHECK(reply->server_time > 0);
		CHECK(reply->error.request_id[0] != '\0');
		tstore_finish(request);
		request = live_write(&l, TSTORE_UPSERT_REPLACE, &entity, NULL);
		CHECK_INT(live_status(&l, request), TSTORE_OK);
		tstore_finish(request);
		request = live_write(&l, TSTORE_DELETE, &entity, "*");
		CHECK_INT(live_status(&l, request), TSTORE_OK);
		CHECK_INT(tstore_reply_of(request)->etags[0].len, 0);
		tstore_finish(request);
	}
	live_close(&l);
}

/* Each write's success and its own failure. */
UNIT_TEST(store_live_conditions)
{
	tmodel_property property = {TMODEL_SPAN("n"), tmodel_int32(1)};
	tmodel_entity entity = {
		.partition_key = TMODEL_SPAN("p"), .row_key = TMODEL_SPAN("r"),
		.nproperties = 1, .properties = &property
	};
	tmodel_entity absent = {
		.partition_key = TMODEL_SPAN("p"), .row_key = TMODEL_SPAN("absent")
	};
	live		l;
	tstore_request *request;
	char		etag[200];

	if (!live_open(&l))
		return;
	request = live_write(&l, TSTORE_INSERT, &entity, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_OK);
	snprintf(etag, sizeof(etag), "%.*s",
			 (int) tstore_reply_of(request)->etags[0].len,
			 tstore_reply_of(request)->etags[0].data);
	tstore_finish(request);
	request = live_write(&l, TSTORE_INSERT, &entity, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_EXISTS);
	CHECK_STR(tstore_reply_of(request)->error.code, "EntityAlreadyExists");
	CHECK_INT(tstore_reply_of(request)->error.operation, -1);
	CHECK(!tstore_reply_of(request)->error.maybe_applied);
	tstore_finish(request);
	property.value = tmodel_int32(2);
	request = live_write(&l, TSTORE_MERGE, &entity, etag);
	CHECK_INT(live_status(&l, request), TSTORE_OK);
	tstore_finish(request);
	request = live_write(&l, TSTORE_REPLACE, &entity, etag);
	CHECK_INT(live_status(&l, request), TSTORE_PRECONDITION);
	CHECK_INT(tstore_reply_of(request)->error.http_status, 412);
	tstore_finish(request);
	request = live_write(&l, TSTORE_DELETE, &entity, etag);
	CHECK_INT(live_status(&l, request), TSTORE_PRECONDITION);
	tstore_finish(request);
	request = live_write(&l, TSTORE_REPLACE, &absent, "*");
	CHECK_INT(live_status(&l, request), TSTORE_NOT_FOUND);
	tstore_finish(request);
	request = live_write(&l, TSTORE_UPSERT_MERGE, &absent, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_OK);
	CHECK(tstore_reply_of(request)->etags[0].len > 0);
	tstore_finish(request);
	request = tstore_start_get(l.client, l.table, TMODEL_SPAN("p"),
							   TMODEL_SPAN("nobody"), 0, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_NOT_FOUND);
	tstore_finish(request);
	request = tstore_start_create_table(l.client, l.table);
	CHECK_INT(live_status(&l, request), TSTORE_TABLE_EXISTS);
	tstore_finish(request);
	request = live_write(&l, TSTORE_REPLACE, &entity, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_INVALID);
	CHECK_INT(tstore_reply_of(request)->attempts, 0);
	tstore_finish(request);
	live_close(&l);
}

/* Tables that are not there. */
UNIT_TEST(store_live_missing_table)
{
	tmodel_entity entity = {
		.partition_key = TMODEL_SPAN("p"), .row_key = TMODEL_SPAN("r")
	};
	tstore_operation operation = {.write = TSTORE_INSERT, .entity = &entity};
	tstore_query query = {.top = 0};
	tmodel_span nowhere = TMODEL_SPAN("nowhereatall");
	live		l;
	tstore_request *request;

	if (!live_open(&l))
		return;
	request = tstore_start_write(l.client, nowhere, &operation);
	CHECK_INT(live_status(&l, request), TSTORE_TABLE_NOT_FOUND);
	tstore_finish(request);
	request = tstore_start_query(l.client, nowhere, &query);
	CHECK_INT(live_status(&l, request), TSTORE_TABLE_NOT_FOUND);
	tstore_finish(request);
	request = tstore_start_delete_table(l.client, nowhere);
	CHECK_INT(live_status(&l, request), TSTORE_TABLE_NOT_FOUND);
	tstore_finish(request);
	live_close(&l);
}

#define LIVE_MANY 2500

/* Fills the table by batches of 100, all in flight at once. */
static void
live_insert_many(live *l)
{
	static char keys[LIVE_MANY][16];
	static tmodel_property properties[LIVE_MANY];
	static tmodel_entity entities[LIVE_MANY];
	static tstore_operation operations[LIVE_MANY];
	tstore_request *requests[LIVE_MANY / 100];

	for (int i = 0; i < LIVE_MANY; i++)
	{
		snprintf(keys[i], sizeof(keys[i]), "%06d", i);
		properties[i] = live_property("n", tmodel_int64(i));
		entities[i] = (tmodel_entity) {
			.partition_key = TMODEL_SPAN("part"),
			.row_key = tmodel_span_of(keys[i]),
			.nproperties = 1, .properties = &properties[i]
		};
		operations[i] = (tstore_operation) {TSTORE_INSERT, &entities[i],
		{NULL, 0}};
	}
	for (int i = 0; i < LIVE_MANY / 100; i++)
		requests[i] = tstore_start_batch(l->client, l->table, 100,
										 operations + i * 100);
	for (int i = 0; i < LIVE_MANY / 100; i++)
	{
		const tstore_reply *reply;

		CHECK_INT(live_status(l, requests[i]), TSTORE_OK);
		reply = tstore_reply_of(requests[i]);
		CHECK_INT(reply->netags, 100);
		for (int j = 0; j < 100; j++)
			CHECK(reply->etags[j].len > 0);
		tstore_finish(requests[i]);
	}
}

/* Follows a query to its end; the number of entities, in order. */
static int
live_count(live *l, tstore_query *query, int *pages)
{
	tstore_request *previous = NULL;
	int			n = 0;

	*pages = 0;
	for (;;)
	{
		tstore_request *request = tstore_start_query(l->client, l->table,
													 query);
		const tstore_reply *reply;

		tstore_finish(previous);
		previous = request;
		if (live_status(l, request) != TSTORE_OK)
		{
			UNIT_FAIL("query: %s", tstore_reply_of(request)->error.message);
			break;
		}
		reply = tstore_reply_of(request);
		(*pages)++;
		for (int i = 0; i < reply->nentities; i++)
		{
			const tmodel_value *value =
				tmodel_entity_get(&reply->entities[i], TMODEL_SPAN("n"));

			if (value == NULL || value->type != TMODEL_INT64 ||
				(query->filter.len == 0 && value->u.int64 != n + i))
				UNIT_FAIL("entity %d is not the expected one", n + i);
		}
		n += reply->nentities;
		if (!reply->has_more)
			break;
		query->next_partition_key = reply->next_partition_key;
		query->next_row_key = reply->next_row_key;
	}
	tstore_finish(previous);
	return n;
}

UNIT_TEST(store_live_pages)
{
	tmodel_span select[] = {
		{"n", 1}, {"absent", 6}, {"PartitionKey", 12}
	};
	tstore_query query = {.top = 0};
	tstore_query filtered = {
		.filter = TMODEL_SPAN("PartitionKey eq 'part' and RowKey ge '002000' "
							  "and n ge 2400L"),
		.nselect = 3, .select = select, .top = 7
	};
	const tstore_counters *counters;
	live		l;
	int			pages;
	int			n;

	if (!live_open(&l))
		return;
	live_insert_many(&l);
	n = live_count(&l, &query, &pages);
	CHECK_INT(n, LIVE_MANY);
	CHECK(pages >= 3);
	n = live_count(&l, &filtered, &pages);
	CHECK_INT(n, 100);
	counters = tstore_statistics(l.client);
	CHECK_INT(counters[TSTORE_K_QUERY].entities, LIVE_MANY + 100);
	CHECK_INT(counters[TSTORE_K_BATCH].entities, LIVE_MANY);
	CHECK_INT(counters[TSTORE_K_BATCH].requests, LIVE_MANY / 100);
	CHECK(counters[TSTORE_K_BATCH].connections +
		  counters[TSTORE_K_TABLE].connections <= 8);
	live_close(&l);
}

/* All or none, and which operation it was. */
UNIT_TEST(store_live_failing_batch)
{
	tmodel_entity entities[5];
	tstore_operation operations[5];
	static const char *const keys[] = {"a", "b", "c", "d", "e"};
	live		l;
	tstore_request *request;
	const tstore_reply *reply;

	if (!live_open(&l))
		return;
	for (int i = 0; i < 5; i++)
	{
		entities[i] = (tmodel_entity) {
			.partition_key = TMODEL_SPAN("p"),
			.row_key = tmodel_span_of(keys[i])
		};
		operations[i] = (tstore_operation) {TSTORE_INSERT, &entities[i],
		{NULL, 0}};
	}
	request = tstore_start_batch(l.client, l.table, 1, operations + 3);
	CHECK_INT(live_status(&l, request), TSTORE_OK);
	CHECK_INT(tstore_reply_of(request)->netags, 1);
	tstore_finish(request);
	request = tstore_start_batch(l.client, l.table, 5, operations);
	CHECK_INT(live_status(&l, request), TSTORE_EXISTS);
	reply = tstore_reply_of(request);
	CHECK_INT(reply->error.operation, 3);
	CHECK_INT(reply->error.http_status, 409);
	CHECK_STR(reply->error.code, "EntityAlreadyExists");
	CHECK_STR(reply->error.message, "The specified entity already exists.");
	tstore_finish(request);
	request = tstore_start_get(l.client, l.table, TMODEL_SPAN("p"),
							   TMODEL_SPAN("a"), 0, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_NOT_FOUND);
	tstore_finish(request);
	request = tstore_start_batch(l.client, l.table, 1, operations + 3);
	CHECK_INT(live_status(&l, request), TSTORE_EXISTS);
	CHECK_INT(tstore_reply_of(request)->error.operation, 0);
	tstore_finish(request);
	/* every kind of write in one change set */
	operations[0].write = TSTORE_UPSERT_REPLACE;
	operations[1].write = TSTORE_UPSERT_MERGE;
	operations[3].write = TSTORE_REPLACE;
	operations[3].if_match = TMODEL_SPAN("*");
	request = tstore_start_batch(l.client, l.table, 5, operations);
	CHECK_INT(live_status(&l, request), TSTORE_OK);
	for (int i = 0; i < 5; i++)
		CHECK(tstore_reply_of(request)->etags[i].len > 0);
	operations[0].write = TSTORE_MERGE;
	operations[0].if_match = tstore_reply_of(request)->etags[0];
	operations[1].write = TSTORE_DELETE;
	operations[1].if_match = tstore_reply_of(request)->etags[1];
	operations[2].write = TSTORE_DELETE;
	operations[2].if_match =
		TMODEL_SPAN("W/\"datetime'2001-01-01T00%3A00%3A00.0000000Z'\"");
	{
		tstore_request *next = tstore_start_batch(l.client, l.table, 3,
												  operations);

		tstore_finish(request);
		CHECK_INT(live_status(&l, next), TSTORE_PRECONDITION);
		CHECK_INT(tstore_reply_of(next)->error.operation, 2);
		tstore_finish(next);
	}
	live_close(&l);
}

/* Table names come in pages, too. */
UNIT_TEST(store_live_list_tables)
{
	live		l;
	tstore_query query = {.top = 1};
	tstore_request *previous = NULL;
	bool		found = false;

	if (!live_open(&l))
		return;
	for (;;)
	{
		tstore_request *request = tstore_start_list_tables(l.client, &query);
		const tstore_reply *reply;

		tstore_finish(previous);
		previous = request;
		CHECK_INT(live_status(&l, request), TSTORE_OK);
		reply = tstore_reply_of(request);
		for (int i = 0; i < reply->ntables; i++)
		{
			if (tmodel_span_equal(reply->tables[i], l.table))
				found = true;
		}
		if (!reply->has_more)
			break;
		query.next_table = reply->next_table;
	}
	tstore_finish(previous);
	CHECK(found);
	live_close(&l);
}

/* A wrong key is AUTH. */
UNIT_TEST(store_live_wrong_key)
{
	tstore_config config = {
		.endpoint = live_endpoint(), .account_key = "d3Jvbmcga2V5"
	};
	tstore_error error;
	live		l;
	tstore_request *request;

	if (config.endpoint == NULL)
		return;
	l.client = tstore_open(&config, &tstore_default_hooks, &error);
	CHECK(l.client != NULL);
	request = tstore_start_list_tables(l.client, NULL);
	CHECK_INT(live_status(&l, request), TSTORE_AUTH);
	CHECK_INT(tstore_reply_of(request)->attempts, 1);
	tstore_finish(request);
	tstore_close(l.client);
}

/* Keys that are hard to write in URLs, as parts of batches, page by page. */
UNIT_TEST(store_live_odd_keys)
{
	static const char *const keys[] = {
		"", "a'b", "''", "a b+c%41&=@!$(),;:*", "\xf0\x9f\x98\x80 {}", "..",
		"\"x\"", "http:x PUT", "--changeset_itable_fdw", "plain"
	};
	enum {NKEYS = sizeof(keys) / sizeof(keys[0])};
	static const tstore_write writes[] = {
		TSTORE_INSERT, TSTORE_REPLACE, TSTORE_MERGE, TSTORE_UPSERT_REPLACE,
		TSTORE_UPSERT_MERGE, TSTORE_DELETE
	};
	tmodel_property property = {TMODEL_SPAN("n"), tmodel_int64(0)};
	tmodel_entity entities[NKEYS];
	tstore_operation operations[NKEYS];
	live		l;

	if (!live_open(&l))
		return;
	for (size_t p = 0; p < NKEYS; p++)
	{
		for (size_t w = 0; w < sizeof(writes) / sizeof(writes[0]); w++)
		{
			tstore_query query = {.top = 3, .filter = TMODEL_SPAN("n ge 0L")};
			tstore_request *request;
			int			pages;

			for (size_t r = 0; r < NKEYS; r++)
			{
				entities[r] = (tmodel_entity) {
					.partition_key = tmodel_span_of(keys[p]),
					.row_key = tmodel_span_of(keys[r]),
					.nproperties = 1, .properties = &property
				};
				operations[r] = (tstore_operation) {writes[w], &entities[r],
				{"*", 1}};
			}
			request = tstore_start_batch(l.client, l.table, NKEYS, operations);
			if (live_status(&l, request) != TSTORE_OK)
				UNIT_FAIL("key \"%s\", write %zu: operation %d: %s", keys[p], w,
						  tstore_reply_of(request)->error.operation,
						  tstore_reply_of(request)->error.message);
			tstore_finish(request);
			CHECK_INT(live_count(&l, &query, &pages),
					  writes[w] == TSTORE_DELETE ? 0 : NKEYS);
			CHECK(!unit_failed());
		}
	}
	live_close(&l);
}
