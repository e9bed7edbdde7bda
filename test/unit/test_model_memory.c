/*
 * test_model_memory.c
 *	  Memory runs out at every possible point: no crash, and "failed" is up.
 *
 * Two ways, because an arena asks its allocator rarely: the allocator refuses
 * its n-th call, for every n; and the first chunk is used up to every possible
 * byte while a second one is refused.
 */
#include "unit.h"

#include "model/batch.h"
#include "model/key.h"
#include "model/list.h"

#include <stdlib.h>

/* An allocator that refuses after some calls. */
typedef struct script
{
	int			left;			/* calls that still succeed */
	int			calls;
} script;

static void *
script_alloc(void *ctx, size_t size)
{
	script	   *state = ctx;

	state->calls++;
	if (state->left-- <= 0)
		return NULL;
	return malloc(size);
}

static void
script_release(void *ctx, void *ptr)
{
	(void) ctx;
	free(ptr);
}

/* Something that takes memory; true when it had enough. */
typedef bool (*scenario) (tmodel_arena *arena);

/* A filter of all types, printed. */
static bool
filter_scenario(tmodel_arena *arena)
{
	tmodel_value values[] = {
		tmodel_string(TMODEL_SPAN("it's")), tmodel_int32(-7), tmodel_int64(7),
		tmodel_double(1.5e200), tmodel_boolean(true), tmodel_datetime(12345),
		{.type = TMODEL_GUID},
		{.type = TMODEL_BINARY, .u.bytes = {"\x00\x01", 2}}
	};
	tmodel_filter *filter = NULL;
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	for (int i = 0; i < 8; i++)
	{
		tmodel_filter *leaf = tmodel_filter_compare(arena, TMODEL_SPAN("p"),
													TMODEL_NE, &values[i]);

		filter = i % 3 == 0 ? tmodel_filter_and(arena, filter, leaf) :
			tmodel_filter_or(arena, filter, leaf);
	}
	if (!tmodel_filter_print(&buf, filter))
		return false;
	return !arena->failed;
}

/* Keys there and back, whole and shortened. */
static bool
key_scenario(tmodel_arena *arena)
{
	static const tmodel_key_type types[4] = {
		TMODEL_KEY_TEXT, TMODEL_KEY_INT64, TMODEL_KEY_TIMESTAMPTZ,
		TMODEL_KEY_UUID
	};
	static char text[600];
	tmodel_value values[4] = {
		tmodel_string(TMODEL_SPAN("a/b \"c\"")), tmodel_int64(INT64_MIN),
		tmodel_datetime(123456789010), {.type = TMODEL_GUID}
	};
	tmodel_value back[4];
	tmodel_span key;
	bool		shortened;

	if (tmodel_key_encode(arena, TMODEL_KEY_ESCAPED, 4, types, values,
						  &key) != TMODEL_KEY_OK ||
		tmodel_key_decode(arena, TMODEL_KEY_ESCAPED, 4, types, key,
						  back) != TMODEL_KEY_OK)
		return false;
	memset(text, '/', sizeof(text));
	values[0] = tmodel_string((tmodel_span) {text, sizeof(text)});
	return tmodel_key_encode_index(arena, 4, types, values, &key,
								   &shortened) == TMODEL_KEY_OK &&
		shortened;
}

/* Ranges by every operator; the range of a failure must stay usable. */
static bool
range_scenario(tmodel_arena *arena)
{
	static const tmodel_key_type types[3] = {
		TMODEL_KEY_INT32, TMODEL_KEY_TEXT, TMODEL_KEY_TEXT
	};
	tmodel_value prefix = tmodel_int32(5);
	tmodel_value constant = tmodel_string(TMODEL_SPAN("ab\xF0\x9F\x98\x80"));
	tmodel_key_range range;
	bool		done = true;

	tmodel_key_range_all(&range);
	for (int op = TMODEL_LE; op <= TMODEL_GE; op += TMODEL_GE - TMODEL_LE)
		done = tmodel_key_narrow(arena, &range, TMODEL_KEY_ESCAPED, 3, types,
								 1, &prefix, (tmodel_compare) op,
								 &constant) == TMODEL_KEY_OK && done;
	done = tmodel_key_narrow_begins(arena, &range, TMODEL_KEY_ESCAPED, 3,
									types, 1, &prefix,
									TMODEL_SPAN("ab")) == TMODEL_KEY_OK && done;
	/* whatever failed, the key that satisfies everything must be left */
	if (!tmodel_key_in_range(TMODEL_SPAN("0000000005\",ab\xF0\x9F\x98\x80\",x"),
							 &range))
		UNIT_FAIL("a range that could not be narrowed has lost a key");
	/* a filter that could only be made in part is wider, and fails too */
	return tmodel_key_range_filter(arena, TMODEL_SPAN("RowKey"),
								   &range) != NULL && done && !arena->failed;
}

/* Copies of an entity. */
static bool
entity_scenario(tmodel_arena *arena)
{
	tmodel_property properties[2] = {
		{TMODEL_SPAN("a"), tmodel_string(TMODEL_SPAN("text"))},
		{TMODEL_SPAN("b"), tmodel_int32(1)}
	};
	tmodel_entity entity = {.partition_key = TMODEL_SPAN("p"),
		.row_key = TMODEL_SPAN("r"), .nproperties = 2,
	.properties = properties};
	tmodel_entity *copy = tmodel_entity_copy(arena, &entity);
	tmodel_entity *wide = tmodel_entity_extend(arena, &entity, 5);

	return copy != NULL && wide != NULL;
}

/* Text forms and lists. */
static bool
value_scenario(tmodel_arena *arena)
{
	tmodel_value value;
	tmodel_list list;
	tmodel_buf	buf;

	tmodel_buf_init(&buf, arena);
	return tmodel_value_parse(arena, TMODEL_BINARY, TMODEL_SPAN("AP8Q"),
							  &value) &&
		tmodel_value_print(&buf, &value) &&
		tmodel_value_parse(arena, TMODEL_STRING, TMODEL_SPAN("x"), &value) &&
		tmodel_list_parse(arena, TMODEL_SPAN("[1,\"a\\n\",null,4,5,6,7,8,9]"),
						  &list) &&
		tmodel_list_print(&buf, &list, NULL);
}

/* A plan of batches. */
static bool
batch_scenario(tmodel_arena *arena)
{
	tmodel_batch_item items[20];
	tmodel_batch_plan plan;

	for (int i = 0; i < 20; i++)
		items[i] = (tmodel_batch_item) {TMODEL_SPAN("t"), TMODEL_SPAN("p"),
			i % 2 ? TMODEL_SPAN("r") : TMODEL_SPAN("s"), 10};
	return tmodel_batch_group(arena, 20, items, 100, &plan);
}

static const struct
{
	const char *name;
	scenario	run;
}			scenarios[] = {
	{"filter", filter_scenario}, {"key", key_scenario},
	{"range", range_scenario}, {"entity", entity_scenario},
	{"value", value_scenario}, {"batch", batch_scenario}
};

/* Runs a scenario with that much memory; true when it had enough. */
static bool
run_with(size_t which, int calls, size_t used_up)
{
	script		state = {calls, 0};
	tmodel_allocator allocator = {script_alloc, script_release, &state};
	tmodel_arena arena;
	bool		done;

	tmodel_arena_init(&arena, &allocator);
	if (used_up > 0)
		tmodel_alloc(&arena, used_up);
	done = scenarios[which].run(&arena);
	if (!done && !arena.failed)
		UNIT_FAIL("%s: no result, but not failed (%d calls, %d bytes gone)",
				  scenarios[which].name, calls, (int) used_up);
	if (done && arena.failed)
		UNIT_FAIL("%s: a result although failed (%d calls, %d bytes gone)",
				  scenarios[which].name, calls, (int) used_up);
	tmodel_arena_reset(&arena);
	return done;
}

UNIT_TEST(memory_fails_at_every_call)
{
	for (size_t which = 0; which < 6; which++)
	{
		int			calls = 0;

		while (!run_with(which, calls, 0) && !unit_failed())
			calls++;
		CHECK(!unit_failed());
		CHECK(calls > 0);
	}
}

UNIT_TEST(memory_ends_at_every_byte)
{
	for (size_t which = 0; which < 6; which++)
	{
		int			enough = 0;
		int			short_of = 0;

		for (size_t used = 1; used <= 4032 && !unit_failed(); used++)
		{
			if (run_with(which, 1, used))
				enough++;
			else
				short_of++;
		}
		CHECK(!unit_failed());
		/* both sides were seen, or the scenario is larger than a chunk */
		CHECK(short_of > 0);
		CHECK(enough > 0 || which == 1 || which == 2);
	}
}
