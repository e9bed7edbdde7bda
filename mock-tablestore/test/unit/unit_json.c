/*
 * unit_json.c
 *	  entity_json.c and json.c: what a body means, and how it is written.
 */
#include "entity.h"
#include "json.h"
#include "unit.h"

#include <math.h>

static Arena arena;

#define KEYS "\"PartitionKey\":\"p\",\"RowKey\":\"r\""

static ErrCode
parse(const char *body, Entity *e)
{
	const char *detail = NULL;

	return entity_from_json(&arena, span_of(body), e, &detail);
}

/* The one property of {"v":...} with that annotation. */
static const Value *
value(const char *json, const char *type)
{
	static Entity e;
	const char *body = arena_printf(&arena, type ?
									"{\"v\":%s,\"v@odata.type\":\"%s\"}" :
									"{\"v\":%s}", json, type);

	NUMBER(parse(body, &e), ERR_NONE);
	NUMBER(e.nprops, 1);
	return &e.props[0].value;
}

static void
test_types(void)
{
	NUMBER(value("5", NULL)->type, VT_INT32);
	NUMBER(value("2147483648", NULL)->type, VT_DOUBLE);
	NUMBER(value("3.0", NULL)->type, VT_DOUBLE);
	NUMBER(value("1e3", NULL)->type, VT_DOUBLE);
	NUMBER(value("true", NULL)->b, 1);
	NUMBER(value("\"x\"", NULL)->type, VT_STRING);
	NUMBER(value("\"2020-01-01T00:00:00Z\"", NULL)->type, VT_STRING);
	NUMBER(value("\"9223372036854775807\"", "Edm.Int64")->i64, INT64_MAX);
	NUMBER(value("-5", "Edm.Int64")->i64, -5);
	NUMBER(value("5", "Edm.Double")->type, VT_DOUBLE);
	CHECK(isnan(value("\"NaN\"", "Edm.Double")->f64));
	CHECK(value("\"-Infinity\"", "Edm.Double")->f64 == -INFINITY);
	NUMBER(value("\"2020-01-01T00:00:00Z\"", "Edm.DateTime")->i64,
		   INT64_C(637134336000000000));
	NUMBER(value("\"c9da6455-213d-42c9-9a79-3e9149a57833\"",
				 "Edm.Guid")->guid[0], 0xc9);
	TEXT(value("\"YQ==\"", "Edm.Binary")->bytes, "a");
	TEXT(value("\"\\u00e9\\ud83d\\ude00\\n\"", "Edm.String")->bytes,
		 "\xc3\xa9\xf0\x9f\x98\x80\n");
}

static void
test_shape(void)
{
	Entity		e;

	NUMBER(parse("{" KEYS ",\"n\":null,\"Timestamp\":\"x\",\"odata.etag\":"
				 "\"y\",\"a@odata.type@odata.type\":\"Edm.String\",\"a\":1}",
				 &e), ERR_NONE);
	CHECK(e.has_pk && e.has_rk);
	TEXT(e.pk, "p");
	NUMBER(e.nprops, 2);
	CHECK(e.props[0].is_null);
	TEXT(e.props[1].name, "a");
	NUMBER(parse("{\"v@odata.type\":\"Edm.Int64\",\"v\":\"1\"}", &e),
		   ERR_NONE);
	NUMBER(e.props[0].value.type, VT_INT64);
	NUMBER(parse("{}", &e), ERR_NONE);
	CHECK(!e.has_pk);
}

static void
test_refused(void)
{
	static const struct
	{
		const char *body;
		ErrCode		err;
	}			cases[] = {
		{"", ERR_INVALID_INPUT}, {"[]", ERR_INVALID_INPUT},
		{"{", ERR_INVALID_INPUT}, {"{\"a\":[1]}", ERR_INVALID_INPUT},
		{"{\"a\":{}}", ERR_INVALID_INPUT}, {"{} x", ERR_INVALID_INPUT},
		{"{\"a\":\"\xff\"}", ERR_INVALID_INPUT},
		{"{\"a\":1,\"a\":2}", ERR_DUPLICATE_PROPERTIES},
		{"{\"a-b\":1}", ERR_PROPERTY_NAME_INVALID},
		{"{\"1a\":1}", ERR_PROPERTY_NAME_INVALID},
		{"{\"a\":\"x\",\"a@odata.type\":\"Edm.Int32\"}", ERR_INVALID_INPUT},
		{"{\"a\":3000000000,\"a@odata.type\":\"Edm.Int32\"}",
		ERR_INVALID_INPUT},
		{"{\"a\":\"9223372036854775808\",\"a@odata.type\":\"Edm.Int64\"}",
		ERR_INVALID_INPUT},
		{"{\"a\":\"1500-01-01T00:00:00Z\",\"a@odata.type\":\"Edm.DateTime\"}",
		ERR_OUT_OF_RANGE},
		{"{\"a\":\"x\",\"a@odata.type\":\"Edm.Nope\"}",
		ERR_INVALID_VALUE_TYPE},
		{"{\"PartitionKey\":\"a/b\"}", ERR_OUT_OF_RANGE},
		{"{\"RowKey\":\"\\u0001\"}", ERR_OUT_OF_RANGE},
	};
	Entity		e;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		NUMBER(parse(cases[i].body, &e), cases[i].err);
}

static void
writes_double(double d, const char *wanted)
{
	Buf			out = {0};

	json_double(&out, d);
	TEXT(((Span) {out.p, out.n}), wanted);
	buf_free(&out);
}

static void
test_written(void)
{
	Buf			out = {0};

	json_string(&out, SPAN("a\"\\\n\x01\xc3\xa9/"));
	TEXT(((Span) {out.p, out.n}), "\"a\\\"\\\\\\n\\u0001\xc3\xa9/\"");
	out.n = 0;
	json_int(&out, INT64_MIN);
	TEXT(((Span) {out.p, out.n}), "-9223372036854775808");
	buf_free(&out);
	writes_double(3, "3.0");
	writes_double(0.1, "0.1");
	writes_double(-0.5, "-0.5");
	writes_double(1.0 / 3, "0.3333333333333333");
}

int
main(void)
{
	test_types();
	test_shape();
	test_refused();
	test_written();
	arena_free(&arena);
	return unit_end();
}
