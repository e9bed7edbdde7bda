/*
 * test_model_filter.c
 *	  How filters read (golden vectors) and what they match.
 */
#include "unit.h"

#include "model/filter.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static tmodel_arena arena;

/* A named value of the vectors and of the evaluation tests. */
typedef struct sample
{
	const char *name;			/* the vector's description */
	tmodel_value value;
} sample;

#define STRING(text) {.type = TMODEL_STRING, .u.bytes = {text, sizeof(text) - 1}}
#define BINARY(text) {.type = TMODEL_BINARY, .u.bytes = {text, sizeof(text) - 1}}
#define NUMBER(n) {.type = TMODEL_DOUBLE, .u.number = (n)}

static const sample samples[] = {
	{"string", STRING("abc")},
	{"string empty", STRING("")},
	{"string quotes", STRING("O'Neil's ''x'")},
	{"string lone quote", STRING("'")},
	{"string unicode", STRING("Am\xC3\xA9lie \xF0\x9F\x98\x80")},
	{"int32", {.type = TMODEL_INT32, .u.int32 = 5}},
	{"int32 least", {.type = TMODEL_INT32, .u.int32 = INT32_MIN}},
	{"int64", {.type = TMODEL_INT64, .u.int64 = 5}},
	{"int64 least", {.type = TMODEL_INT64, .u.int64 = INT64_MIN}},
	{"double whole", NUMBER(3)},
	{"double", NUMBER(0.1)},
	{"double negative", NUMBER(-123.456)},
	{"double zero", NUMBER(0)},
	{"double negative zero", NUMBER(-0.0)},
	{"double 1e3", NUMBER(1e3)},
	{"double 1e22", NUMBER(1e22)},
	{"double 1e-7", NUMBER(1e-7)},
	{"double 17 digits", NUMBER(0.30000000000000004)},
	{"double 123456789.5", NUMBER(123456789.5)},
	{"true", {.type = TMODEL_BOOLEAN, .u.boolean = true}},
	{"false", {.type = TMODEL_BOOLEAN, .u.boolean = false}},
	{"datetime", {.type = TMODEL_DATETIME, .u.ticks = INT64_C(133511328000000000)}},
	{"datetime first", {.type = TMODEL_DATETIME, .u.ticks = 0}},
	{"datetime last", {.type = TMODEL_DATETIME, .u.ticks = TMODEL_TICKS_MAX}},
	{"guid", {.type = TMODEL_GUID, .u.guid = {0xA0, 0xEE, 0xBC, 0x99, 0x9C,
	0x0B, 0x4E, 0xF8, 0xBB, 0x6D, 0x6B, 0xB9, 0xBD, 0x38, 0x0A, 0x11}}},
	{"binary", BINARY("\x00\xff\x10")},
	{"binary empty", BINARY("")},
};

/* name op value as a tree. */
static tmodel_filter *
leaf(const char *name, tmodel_compare op, int32_t number)
{
	tmodel_value value = tmodel_int32(number);

	return tmodel_filter_compare(&arena, tmodel_span_of(name), op, &value);
}

#define AND(a, b) tmodel_filter_and(&arena, a, b)
#define OR(a, b) tmodel_filter_or(&arena, a, b)
#define A() leaf("a", TMODEL_EQ, 1)
#define B() leaf("b", TMODEL_NE, 2)
#define C() leaf("c", TMODEL_LT, 3)
#define D() leaf("d", TMODEL_LE, 4)

/* The tree a vector describes; NULL when the description is not known. */
static tmodel_filter *
tree_of(const char *name)
{
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
	{
		if (strcmp(samples[i].name, name) == 0)
			return tmodel_filter_compare(&arena, TMODEL_SPAN("p"), TMODEL_EQ,
										 &samples[i].value);
	}
	if (strcmp(name, "tree and") == 0)
		return AND(AND(A(), B()), AND(C(), D()));
	if (strcmp(name, "tree or") == 0)
		return OR(A(), OR(B(), OR(C(), D())));
	if (strcmp(name, "tree or in and") == 0)
		return AND(OR(A(), B()), C());
	if (strcmp(name, "tree and in or") == 0)
		return OR(AND(A(), B()), AND(C(), D()));
	if (strcmp(name, "tree deep") == 0)
		return AND(A(), OR(B(), AND(C(), OR(D(), A()))));
	if (strcmp(name, "tree gt ge") == 0)
		return AND(leaf("RowKey", TMODEL_GT, 1), leaf("x", TMODEL_GE, -2));
	if (strcmp(name, "tree nulls") == 0)
		return AND(NULL, OR(OR(NULL, NULL), A()));
	return NULL;
}

UNIT_TEST(filter_golden_vectors)
{
	FILE	   *file = unit_open_vectors("filter.tsv");
	char		line[1024];
	size_t		count = 0;

	if (file == NULL)
		return;
	tmodel_arena_init(&arena, &tmodel_malloc);
	while (!unit_failed() && fgets(line, sizeof(line), file) != NULL)
	{
		char	   *tab = strchr(line, '\t');
		tmodel_filter *tree;
		tmodel_buf	buf;

		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#' || tab == NULL)
			continue;
		*tab = '\0';
		tree = tree_of(line);
		tmodel_buf_init(&buf, &arena);
		if (tree == NULL || !tmodel_filter_print(&buf, tree))
			UNIT_FAIL("vector \"%s\" does not print", line);
		else
			unit_check_str(__FILE__, __LINE__, line, buf.data, tab + 1);
		count++;
	}
	fclose(file);
	tmodel_arena_reset(&arena);
	CHECK(unit_failed() || count >= sizeof(samples) / sizeof(samples[0]));
}

/* Any double's literal is positional, has a point, and reads back equal. */
UNIT_TEST(filter_doubles_read_back)
{
	static const double special[] = {
		1e300, 1e-300, DBL_MAX, DBL_MIN, 4.9406564584124654e-324,
		9007199254740993.0, 1.0 / 3, 123456789012345680.0, 5e-324 * 3
	};
	uint64_t	state = 88172645463325252u;

	for (int i = 0; i < 20000 && !unit_failed(); i++)
	{
		tmodel_value value = tmodel_double(0);
		tmodel_buf	buf;
		tmodel_filter *filter;

		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		if (i < (int) (sizeof(special) / sizeof(special[0])))
			value.u.number = special[i];
		else
			memcpy(&value.u.number, &state, sizeof(double));
		tmodel_arena_init(&arena, &tmodel_malloc);
		tmodel_buf_init(&buf, &arena);
		filter = tmodel_filter_compare(&arena, TMODEL_SPAN("p"), TMODEL_EQ,
									   &value);
		if (!isfinite(value.u.number))
			CHECK(!tmodel_filter_print(&buf, filter));
		else
		{
			CHECK(tmodel_filter_print(&buf, filter));
			CHECK(strtod(buf.data + 5, NULL) == value.u.number);
			CHECK(strpbrk(buf.data + 5, "eE") == NULL);
			CHECK(strchr(buf.data, '.') != NULL);
		}
		tmodel_arena_reset(&arena);
	}
}

UNIT_TEST(filter_size)
{
	tmodel_filter *many = NULL;

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK_INT(tmodel_filter_size(NULL), 0);
	CHECK_INT(tmodel_filter_size(AND(OR(A(), B()), C())), 3);
	for (int i = 0; i < 2000; i++)
		many = OR(many, A());
	CHECK_INT(tmodel_filter_size(many), 2000);
	tmodel_arena_reset(&arena);
}

/* One comparison against one property. */
static bool
matches(const tmodel_value *found, tmodel_compare op,
		const tmodel_value *constant)
{
	tmodel_property property = {TMODEL_SPAN("p"), *found};
	tmodel_entity entity = {.timestamp = -1, .nproperties = 1,
	.properties = &property};
	tmodel_filter filter = {.kind = TMODEL_FILTER_COMPARE, .op = op,
	.property = TMODEL_SPAN("p"), .value = *constant};

	return tmodel_filter_matches(&filter, &entity);
}

/* EQ, NE, LT, LE, GT, GE as bits. */
static int
matching_ops(tmodel_value found, tmodel_value constant)
{
	int			bits = 0;

	for (int op = TMODEL_EQ; op <= TMODEL_GE; op++)
		bits |= matches(&found, (tmodel_compare) op, &constant) << op;
	return bits;
}

enum
{
	NOTHING = 0,
	EQUAL = 1 << TMODEL_EQ | 1 << TMODEL_LE | 1 << TMODEL_GE,
	LESS = 1 << TMODEL_NE | 1 << TMODEL_LT | 1 << TMODEL_LE,
	GREATER = 1 << TMODEL_NE | 1 << TMODEL_GT | 1 << TMODEL_GE,
	UNORDERED = 1 << TMODEL_NE
};

UNIT_TEST(filter_matches_by_type)
{
	tmodel_value supplementary = tmodel_string(TMODEL_SPAN("\xF0\x9F\x98\x80"));
	tmodel_value private_use = tmodel_string(TMODEL_SPAN("\xEE\x80\x80"));
	tmodel_value null = {.type = TMODEL_NULL};
	tmodel_value low = {.type = TMODEL_GUID, .u.guid = {1}};
	tmodel_value high = {.type = TMODEL_GUID, .u.guid = {0xF0}};

	CHECK_INT(matching_ops(tmodel_int32(4), tmodel_int32(5)), LESS);
	CHECK_INT(matching_ops(tmodel_int64(5), tmodel_int32(5)), EQUAL);
	CHECK_INT(matching_ops(tmodel_double(5.5), tmodel_int32(5)), GREATER);
	CHECK_INT(matching_ops(tmodel_int32(5), tmodel_int64(5)), NOTHING);
	CHECK_INT(matching_ops(tmodel_int32(5), tmodel_double(5)), NOTHING);
	CHECK_INT(matching_ops(tmodel_int64(5), tmodel_double(5)), NOTHING);
	CHECK_INT(matching_ops(tmodel_int64(INT64_MAX), tmodel_int64(INT64_MIN)),
			  GREATER);
	CHECK_INT(matching_ops(tmodel_double(NAN), tmodel_double(NAN)), UNORDERED);
	CHECK_INT(matching_ops(tmodel_double(NAN), tmodel_int32(1)), UNORDERED);
	CHECK_INT(matching_ops(tmodel_double(-0.0), tmodel_double(0)), EQUAL);
	CHECK_INT(matching_ops(tmodel_boolean(false), tmodel_boolean(true)), LESS);
	CHECK_INT(matching_ops(supplementary, private_use), LESS);
	CHECK_INT(matching_ops(tmodel_string(TMODEL_SPAN("")),
						   tmodel_string(TMODEL_SPAN(""))), EQUAL);
	CHECK_INT(matching_ops(tmodel_string(TMODEL_SPAN("5")), tmodel_int32(5)),
			  NOTHING);
	CHECK_INT(matching_ops(tmodel_datetime(7), tmodel_datetime(6)), GREATER);
	CHECK_INT(matching_ops(low, high), LESS);
	CHECK_INT(matching_ops(null, tmodel_int32(5)), NOTHING);
}

UNIT_TEST(filter_matches_entities)
{
	tmodel_property property = {TMODEL_SPAN("a"), tmodel_int32(1)};
	tmodel_entity entity = {.partition_key = TMODEL_SPAN("p"),
	.row_key = TMODEL_SPAN("r"), .timestamp = -1,
	.nproperties = 1, .properties = &property};
	tmodel_value key = tmodel_string(TMODEL_SPAN("r"));
	tmodel_value time = tmodel_datetime(5);

	tmodel_arena_init(&arena, &tmodel_malloc);
	CHECK(tmodel_filter_matches(NULL, &entity));
	CHECK(tmodel_filter_matches(A(), &entity));
	CHECK(!tmodel_filter_matches(B(), &entity));	/* missing, although ne */
	CHECK(!tmodel_filter_matches(AND(A(), B()), &entity));
	CHECK(tmodel_filter_matches(OR(B(), A()), &entity));
	CHECK(tmodel_filter_matches(AND(A(), OR(C(), A())), &entity));
	CHECK(tmodel_filter_matches(tmodel_filter_compare(&arena,
					TMODEL_SPAN("RowKey"), TMODEL_GE, &key), &entity));
	CHECK(tmodel_filter_matches(tmodel_filter_compare(&arena,
					TMODEL_SPAN("PartitionKey"), TMODEL_LT, &key), &entity));
	CHECK(!tmodel_filter_matches(tmodel_filter_compare(&arena,
					TMODEL_SPAN("Timestamp"), TMODEL_NE, &time), &entity));
	entity.timestamp = 5;
	CHECK(tmodel_filter_matches(tmodel_filter_compare(&arena,
					TMODEL_SPAN("Timestamp"), TMODEL_EQ, &time), &entity));
	tmodel_arena_reset(&arena);
}

/* UTF-16 order, checked against code units for a set of characters. */
UNIT_TEST(filter_utf16_order)
{
	/* in the store's order */
	static const char *const ordered[] = {
		"", "A", "a", "aa", "a\xC3\xA9", "\x7F", "\xC2\x80", "\xC3\xA9",
		"\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80",
		"\xF0\x90\x80\x80z", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF",
		"\xEE\x80\x80", "\xEF\xBF\xBD"
	};
	int			n = (int) (sizeof(ordered) / sizeof(ordered[0]));

	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			int			cmp = tmodel_utf16_compare(tmodel_span_of(ordered[i]),
												   tmodel_span_of(ordered[j]));

			CHECK_INT(cmp, (i > j) - (i < j));
		}
	}
}
