/*
 * test_index_entries.c
 *	  Which entries a fact has: keys, arrays, types, covered properties.
 *
 * The fact table is movies(genre partition, name row); see 1-interface.
 */
#include "unit.h"
#include "model/index.h"

#include <stdlib.h>

static const tmodel_key_type text_type = TMODEL_KEY_TEXT;
static const tmodel_fact_def movies = {
	.table = {"movies", 6}, .encoding = TMODEL_KEY_ESCAPED,
	.npartition = 1, .partition_types = &text_type,
	.nrow = 1, .row_types = &text_type
};

/* name and genre, as every non-unique index ends */
static const tmodel_index_column name_and_genre[] = {
	{.name = {"name", 4}, .type = TMODEL_KEY_TEXT, .source = TMODEL_FROM_ROW},
	{.name = {"genre", 5}, .type = TMODEL_KEY_TEXT,
	.source = TMODEL_FROM_PARTITION}
};
static const tmodel_span covered[] = {{"actors", 6}, {"director", 8}};

static tmodel_arena arena;

/* An index on one column. */
static tmodel_index_def
index_on(const tmodel_index_column *column, int ncovered)
{
	tmodel_index_def def = {.table = TMODEL_SPAN("ix"), .epoch = 3,
		.npartition = 1, .partition = column,
		.nrow = 2, .row = name_and_genre,
		.ncovered = ncovered, .covered = covered};

	return def;
}

static tmodel_entity *
movie(const char *property, tmodel_value value)
{
	tmodel_entity bare = {.partition_key = TMODEL_SPAN("Action"),
		.row_key = TMODEL_SPAN("Face*2FOff"), .timestamp = 7,
		.etag = TMODEL_SPAN("e")};
	tmodel_entity *fact = tmodel_entity_extend(&arena, &bare, 5);
	tmodel_value fence = tmodel_int32(5);

	tmodel_entity_set(fact, tmodel_span_of(property), &value);
	tmodel_entity_set(fact, TMODEL_SPAN(TMODEL_P_FENCE), &fence);
	return fact;
}

static tmodel_value
text(const char *bytes)
{
	return tmodel_string(tmodel_span_of(bytes));
}

/* "pk|rk pk|rk ..." */
static const char *
keys_of(const tmodel_entries *entries)
{
	tmodel_buf	buf;

	tmodel_buf_init(&buf, &arena);
	for (int i = 0; i < entries->n; i++)
		tmodel_buf_printf(&buf, "%s%.*s|%.*s", i > 0 ? " " : "",
						  (int) entries->entries[i].partition_key.len,
						  entries->entries[i].partition_key.data,
						  (int) entries->entries[i].row_key.len,
						  entries->entries[i].row_key.data);
	return entries->n > 0 ? buf.data : "";
}

static const char *
property_of(const tmodel_entity *entity, const char *name)
{
	const tmodel_value *value = tmodel_entity_get(entity, tmodel_span_of(name));
	tmodel_buf	buf;

	if (value == NULL)
		return NULL;
	tmodel_buf_init(&buf, &arena);
	tmodel_value_print(&buf, value);
	return buf.data;
}

static void
check_keys(const tmodel_index_column *column, const tmodel_entity *fact,
		   const char *want)
{
	tmodel_index_def def = index_on(column, 0);
	tmodel_entries entries;

	CHECK(tmodel_index_entries(&arena, &movies, &def, fact, &entries));
	CHECK_STR(keys_of(&entries), want);
}

static const tmodel_index_column by_director = {
	.name = {"director", 8}, .type = TMODEL_KEY_TEXT,
	.source = TMODEL_FROM_PROPERTY, .property = {"director", 8}
};
static const tmodel_index_column by_actor = {
	.name = {"actor", 5}, .type = TMODEL_KEY_TEXT,
	.source = TMODEL_FROM_ELEMENT, .property = {"actors", 6}
};

UNIT_TEST(index_pointer_entry)
{
	tmodel_index_def def = index_on(&by_director, 0);
	tmodel_entries entries;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(!tmodel_index_is_covering(&def));
	CHECK(tmodel_index_entries(&arena, &movies, &def,
							   movie("director", text("Woo")), &entries));
	CHECK_STR(keys_of(&entries), "Woo|Face*2FOff\",Action");
	CHECK_INT(entries.entries[0].nproperties, 3);
	CHECK_STR(property_of(&entries.entries[0], TMODEL_P_FACT_PK), "Action");
	CHECK_STR(property_of(&entries.entries[0], TMODEL_P_FACT_RK), "Face*2FOff");
	CHECK_STR(property_of(&entries.entries[0], TMODEL_P_EPOCH), "3");
	CHECK_INT(entries.entries[0].etag.len, 0);
	CHECK_INT(entries.entries[0].timestamp, -1);
	CHECK(!tmodel_entity_is_verified(&entries.entries[0]));
	tmodel_arena_reset(&arena);
}

UNIT_TEST(index_covering_entry)
{
	tmodel_index_def def = index_on(&by_director, 2);
	tmodel_entries entries;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_index_is_covering(&def));
	CHECK(tmodel_index_entries(&arena, &movies, &def,
							   movie("director", text("Woo")), &entries));
	CHECK_INT(entries.n, 1);
	/* actors is NULL, so it is not there */
	CHECK_INT(entries.entries[0].nproperties, 4);
	CHECK_STR(property_of(&entries.entries[0], "director"), "Woo");
	CHECK(tmodel_entries_find(&entries, entries.entries[0].partition_key,
							  entries.entries[0].row_key) ==
		  &entries.entries[0]);
	CHECK(tmodel_entries_find(&entries, TMODEL_SPAN("Wu"),
							  entries.entries[0].row_key) == NULL);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(index_null_has_no_entry)
{
	tmodel_arena_init(&arena, &tmodel_malloc);
	check_keys(&by_director, movie("other", text("x")), "");
	check_keys(&by_actor, movie("other", text("x")), "");
	check_keys(&by_director, movie("director",
								   (tmodel_value) {.type = TMODEL_NULL}), "");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(index_elements)
{
	tmodel_arena_init(&arena, &tmodel_malloc);
	check_keys(&by_actor, movie("actors", text("[]")), "");
	check_keys(&by_actor, movie("actors", text("[null]")), "");
	check_keys(&by_actor, movie("actors", text("[\"b\",\"a\",null,\"b\"]")),
			   "b|Face*2FOff\",Action a|Face*2FOff\",Action");
	/* an empty text is a value */
	check_keys(&by_actor, movie("actors", text("[\"\"]")),
			   "|Face*2FOff\",Action");
	/* what is not an array has no elements */
	check_keys(&by_actor, movie("actors", text("Fred")), "");
	check_keys(&by_actor, movie("actors", tmodel_int32(5)), "");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(index_many_elements)
{
	tmodel_index_def def = index_on(&by_actor, 0);
	tmodel_entries entries;
	tmodel_buf	json;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&json, &arena);
	for (int i = 0; i < 3000; i++)
		tmodel_buf_printf(&json, "%c\"%d\"", i == 0 ? '[' : ',', i % 2000);
	tmodel_buf_putc(&json, ']');
	CHECK(tmodel_index_entries(&arena, &movies, &def,
							   movie("actors",
									 tmodel_string(tmodel_buf_text(&json))),
							   &entries));
	CHECK_INT(entries.n, 2000);
	tmodel_arena_reset(&arena);
}

/* The column's type decides, not the property's. */
UNIT_TEST(index_types)
{
	tmodel_index_column column = {.name = TMODEL_SPAN("v"),
		.source = TMODEL_FROM_PROPERTY, .property = TMODEL_SPAN("v")};
	tmodel_value day = tmodel_datetime(0);

	tmodel_arena_init(&arena, &tmodel_malloc);
	column.type = TMODEL_KEY_INT32;
	check_keys(&column, movie("v", tmodel_int32(42)),
			   "0000000042|Face*2FOff\",Action");
	check_keys(&column, movie("v", tmodel_int64(42)),
			   "0000000042|Face*2FOff\",Action");
	check_keys(&column, movie("v", text("42")),
			   "0000000042|Face*2FOff\",Action");
	check_keys(&column, movie("v", tmodel_int64(INT64_C(1) << 40)), "");
	check_keys(&column, movie("v", text("many")), "");
	check_keys(&column, movie("v", tmodel_double(1.5)), "");
	column.type = TMODEL_KEY_INT16;
	check_keys(&column, movie("v", tmodel_int32(32767)),
			   "32767|Face*2FOff\",Action");
	check_keys(&column, movie("v", tmodel_int32(32768)), "");
	column.type = TMODEL_KEY_TEXT;
	check_keys(&column, movie("v", tmodel_int32(42)),
			   "42|Face*2FOff\",Action");
	column.type = TMODEL_KEY_BOOL;
	check_keys(&column, movie("v", tmodel_boolean(true)),
			   "t|Face*2FOff\",Action");
	check_keys(&column, movie("v", text("f")), "f|Face*2FOff\",Action");
	check_keys(&column, movie("v", text("perhaps")), "");
	/* a time of day does not make another date */
	column.type = TMODEL_KEY_DATE;
	day.u.ticks += INT64_C(864000000000) * 31 + 12345;
	check_keys(&column, movie("v", day), "1601-02-01|Face*2FOff\",Action");
	tmodel_arena_reset(&arena);
}

/* Elements of date and time arrays are SQL's text. */
UNIT_TEST(index_element_types)
{
	tmodel_index_column column = by_actor;

	tmodel_arena_init(&arena, &tmodel_malloc);
	column.type = TMODEL_KEY_DATE;
	check_keys(&column, movie("actors", text("[\"2024-01-31\",\"tomorrow\"]")),
			   "2024-01-31|Face*2FOff\",Action");
	check_keys(&column, movie("actors", text("[\"2024-01-31T00:00:00Z\"]")),
			   "2024-01-31|Face*2FOff\",Action");
	column.type = TMODEL_KEY_TIMESTAMP;
	check_keys(&column, movie("actors", text("[\"2024-01-31 12:30:00.5\"]")),
			   "2024-01-31T12:30:00.500000|Face*2FOff\",Action");
	column.type = TMODEL_KEY_TIMESTAMPTZ;
	check_keys(&column, movie("actors", text("[\"2024-01-31 12:30:00+00\"]")),
			   "2024-01-31T12:30:00.000000Z|Face*2FOff\",Action");
	column.type = TMODEL_KEY_INT64;
	check_keys(&column, movie("actors", text("[7,\"7\",8]")),
			   "0000000000000000007|Face*2FOff\",Action"
			   " 0000000000000000008|Face*2FOff\",Action");
	tmodel_arena_reset(&arena);
}

/* A shortened key carries the values, so that they are not lost. */
UNIT_TEST(index_shortened_key)
{
	tmodel_index_def def = index_on(&by_director, 0);
	tmodel_entries entries;
	char		name[600];

	tmodel_arena_init(&arena, &tmodel_malloc);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	CHECK(tmodel_index_entries(&arena, &movies, &def,
							   movie("director", text(name)), &entries));
	CHECK_INT(entries.n, 1);
	CHECK(tmodel_key_is_shortened(entries.entries[0].partition_key));
	CHECK_STR(property_of(&entries.entries[0], "director"), name);
	CHECK_STR(property_of(&entries.entries[0], "name"), "Face/Off");
	CHECK_STR(property_of(&entries.entries[0], "genre"), "Action");
	CHECK_INT(entries.entries[0].nproperties, 6);
	tmodel_arena_reset(&arena);
}

/* A fact that another program wrote under keys we would not have written. */
UNIT_TEST(index_undecodable_fact_key)
{
	tmodel_index_def def = index_on(&by_director, 0);
	tmodel_entries entries;
	tmodel_entity *fact;

	tmodel_arena_init(&arena, &tmodel_malloc);
	fact = movie("director", text("Woo"));
	fact->row_key = TMODEL_SPAN("100*");
	CHECK(!tmodel_index_entries(&arena, &movies, &def, fact, &entries));
	tmodel_arena_reset(&arena);
}

/* ---- memory -------------------------------------------------------------- */

static int	allocations_left;

static void *
poor_alloc(void *ctx, size_t size)
{
	(void) ctx;
	return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void
poor_release(void *ctx, void *ptr)
{
	(void) ctx;
	free(ptr);
}

static const tmodel_allocator poor = {poor_alloc, poor_release, NULL};

/* Lack of memory never looks like a fact with fewer entries. */
UNIT_TEST(index_out_of_memory)
{
	tmodel_index_def def = index_on(&by_actor, 2);
	tmodel_entity *fact;
	tmodel_buf	json;
	bool		ok = false;

	tmodel_arena_init(&arena, &tmodel_malloc);
	tmodel_buf_init(&json, &arena);
	for (int i = 0; i < 500; i++)
		tmodel_buf_printf(&json, "%c\"%d\"", i == 0 ? '[' : ',', i);
	tmodel_buf_putc(&json, ']');
	fact = movie("actors", tmodel_string(tmodel_buf_text(&json)));
	for (int n = 0; n < 200 && !ok; n++)
	{
		tmodel_arena short_arena;
		tmodel_entries entries;

		tmodel_arena_init(&short_arena, &poor);
		allocations_left = n;
		ok = tmodel_index_entries(&short_arena, &movies, &def, fact, &entries);
		CHECK(!ok || entries.n == 500);
		tmodel_arena_reset(&short_arena);
	}
	CHECK(ok);
	tmodel_arena_reset(&arena);
}
