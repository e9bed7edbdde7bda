/*
 * test_model_entity.c
 *	  Properties of entities, copies, comparison of content, limits.
 */
#include "unit.h"

#include "model/entity.h"

#include <stdlib.h>

static tmodel_arena arena;

/* An entity with the given properties, shared. */
static tmodel_entity
entity_of(tmodel_property *properties, int n)
{
	tmodel_entity entity = {.partition_key = TMODEL_SPAN("p"),
		.row_key = TMODEL_SPAN("r"), .etag = TMODEL_SPAN("e"),
	.timestamp = -1, .nproperties = n, .properties = properties};

	return entity;
}

UNIT_TEST(entity_get_set_extend)
{
	tmodel_property properties[2] = {
		{TMODEL_SPAN("a"), tmodel_int32(1)},
		{TMODEL_SPAN("b"), {.type = TMODEL_NULL}}
	};
	tmodel_entity entity = entity_of(properties, 2);
	tmodel_entity *wide;
	tmodel_value two = tmodel_int32(2);
	tmodel_value none = {.type = TMODEL_NULL};

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tmodel_entity_get(&entity, TMODEL_SPAN("a"))->u.int32, 1);
	CHECK(tmodel_entity_get(&entity, TMODEL_SPAN("b")) == NULL);
	CHECK(tmodel_entity_get(&entity, TMODEL_SPAN("A")) == NULL);
	wide = tmodel_entity_extend(&arena, &entity, 1);
	CHECK(wide != NULL);
	tmodel_entity_set(wide, TMODEL_SPAN("c"), &two);
	tmodel_entity_set(wide, TMODEL_SPAN("a"), &two);
	CHECK_INT(wide->nproperties, 3);
	CHECK_INT(tmodel_entity_get(wide, TMODEL_SPAN("a"))->u.int32, 2);
	CHECK_INT(tmodel_entity_get(&entity, TMODEL_SPAN("a"))->u.int32, 1);
	tmodel_entity_set(wide, TMODEL_SPAN("a"), &none);
	tmodel_entity_set(wide, TMODEL_SPAN("x"), &none);
	CHECK_INT(wide->nproperties, 2);
	CHECK(tmodel_entity_get(wide, TMODEL_SPAN("a")) == NULL);
	CHECK_INT(tmodel_entity_get(wide, TMODEL_SPAN("c"))->u.int32, 2);
	tmodel_arena_reset(&arena);
}

UNIT_TEST(entity_copy_is_deep)
{
	char		name[] = "name";
	char		text[] = "text";
	tmodel_property property = {{name, 4}, tmodel_string((tmodel_span) {text, 4})};
	tmodel_entity entity = entity_of(&property, 1);
	tmodel_entity *copy;

	tmodel_arena_init(&arena, &tmodel_malloc);
	copy = tmodel_entity_copy(&arena, &entity);
	CHECK(copy != NULL);
	CHECK(tmodel_entity_same_content(&entity, copy));
	memset(name, 'x', 4);
	memset(text, 'x', 4);
	CHECK_STR(copy->properties[0].name.data, "name");
	CHECK_STR(copy->properties[0].value.u.bytes.data, "text");
	CHECK_STR(copy->etag.data, "e");
	tmodel_arena_reset(&arena);
}

UNIT_TEST(entity_reserved_properties)
{
	tmodel_property properties[3] = {
		{TMODEL_SPAN("a"), tmodel_int32(1)},
		{TMODEL_SPAN(TMODEL_P_STUB), tmodel_boolean(true)},
		{TMODEL_SPAN(TMODEL_P_VERIFIED), tmodel_int32(1)}
	};
	tmodel_property plain[2] = {
		{TMODEL_SPAN("n"), {.type = TMODEL_NULL}},
		{TMODEL_SPAN("a"), tmodel_int32(1)}
	};
	tmodel_entity a = entity_of(properties, 3);
	tmodel_entity b = entity_of(plain, 2);

	CHECK(tmodel_is_reserved(TMODEL_SPAN("_itAnything")));
	CHECK(!tmodel_is_reserved(TMODEL_SPAN("_i")));
	CHECK(!tmodel_is_reserved(TMODEL_SPAN("it")));
	CHECK(tmodel_entity_is_stub(&a) && !tmodel_entity_is_stub(&b));
	CHECK(!tmodel_entity_is_verified(&a));	/* not a Boolean */
	CHECK(tmodel_entity_same_content(&a, &b));
	b.etag = TMODEL_SPAN("other");
	b.timestamp = 5;
	CHECK(tmodel_entity_same_content(&a, &b));
	plain[1].value = tmodel_int64(1);
	CHECK(!tmodel_entity_same_content(&a, &b));
	plain[1].value = tmodel_int32(1);
	plain[0].value = tmodel_int32(0);
	CHECK(!tmodel_entity_same_content(&a, &b));
	CHECK(!tmodel_entity_same_content(&b, &a));
	plain[0].value.type = TMODEL_NULL;
	b.row_key = TMODEL_SPAN("s");
	CHECK(!tmodel_entity_same_content(&a, &b));
}

UNIT_TEST(entity_property_names)
{
	static const char *const good[] = {"a", "_a", "A9", "_", "\xC3\xA9t\xC3\xA9",
	"\xE5\x90\x8D", "_itStub"};
	static const char *const bad[] = {"", "9a", "a-b", "a b", "a.b", "$a", "a\xFF",
		"a\xC2\xA0", "PartitionKey", "RowKey", "Timestamp",
	"\xF0\x9F\x98\x80"};
	char		longest[257];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		CHECK(tmodel_property_name_ok(tmodel_span_of(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK(!tmodel_property_name_ok(tmodel_span_of(bad[i])));
	memset(longest, 'a', sizeof(longest));
	CHECK(tmodel_property_name_ok((tmodel_span) {longest, 255}));
	CHECK(!tmodel_property_name_ok((tmodel_span) {longest, 256}));
}

/* The documented formula, by hand. */
UNIT_TEST(entity_size)
{
	tmodel_property properties[3] = {
		{TMODEL_SPAN("ab"), tmodel_string(TMODEL_SPAN("\xF0\x9F\x98\x80"))},
		{TMODEL_SPAN("c"), tmodel_boolean(true)},
		{TMODEL_SPAN("d"), {.type = TMODEL_NULL}}
	};
	tmodel_entity entity = entity_of(properties, 3);

	CHECK_INT(tmodel_entity_size(&entity),
			  4 + 2 * 2 + (8 + 4 + (4 + 4)) + (8 + 2 + 1));
}

/* Each limit: just within, just beyond. */
UNIT_TEST(entity_fit)
{
	static char big[1024 * 1024];
	static char names[300][16];
	static tmodel_property properties[300];
	tmodel_entity entity = entity_of(properties, 253);
	int			at;

	memset(big, 'a', sizeof(big));
	for (int i = 0; i < 300; i++)
	{
		snprintf(names[i], sizeof(names[i]), "p%d", i);
		properties[i].name = tmodel_span_of(names[i]);
		properties[i].value = tmodel_int32(i);
	}
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_TOO_MANY_PROPERTIES);
	CHECK_INT(at, -1);
	properties[7].value.type = TMODEL_NULL;
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_OK);
	properties[9].name = TMODEL_SPAN("a-b");
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_NAME);
	CHECK_INT(at, 9);
	properties[9].name = TMODEL_SPAN("ab");
	properties[8].value = tmodel_string((tmodel_span) {big, 32769});
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_VALUE_TOO_LARGE);
	CHECK_INT(at, 8);
	properties[8].value.u.bytes.len = 32768;
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_OK);
	properties[8].value.type = TMODEL_BINARY;
	properties[8].value.u.bytes.len = 65536;
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_OK);
	properties[8].value.u.bytes.len = 65537;
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_VALUE_TOO_LARGE);
	for (int i = 0; i < 16; i++)
		properties[20 + i].value = tmodel_string((tmodel_span) {big, 32768});
	properties[8].value.u.bytes.len = 1;
	CHECK_INT(tmodel_entity_fit(&entity, &at), TMODEL_FIT_ENTITY_TOO_LARGE);
	CHECK_INT(at, -1);
}
