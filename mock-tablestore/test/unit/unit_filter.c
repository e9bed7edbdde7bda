/*
 * unit_filter.c
 *	  filter_parse.c, filter_range.c, filter_eval.c: tree, ranges, decision.
 */
#include "encode.h"
#include "filter.h"
#include "unit.h"

static Arena arena;

static ErrCode
parse(const char *text, Filter *f)
{
	const char *detail = NULL;

	return filter_parse(&arena, span_of(text), f, &detail);
}

static void
put_key(Buf *out, Span pk, Span rk)
{
	buf_span(out, pk);
	buf_putc(out, ',');
	buf_span(out, rk);
}

/* The ranges as text: "[pk,rk;pk,rk)", a dash for no upper end. */
static void
ranges(const char *text, const char *wanted)
{
	Filter		f;
	Buf			out = {0};
	KeyRange   *r;
	int			n;

	NUMBER(parse(text, &f), ERR_NONE);
	r = filter_ranges(&arena, &f, &n);
	for (int i = 0; i < n; i++)
	{
		buf_putc(&out, '[');
		put_key(&out, r[i].lo_pk, r[i].lo_rk);
		buf_putc(&out, ';');
		if (r[i].no_hi)
			buf_putc(&out, '-');
		else
			put_key(&out, r[i].hi_pk, r[i].hi_rk);
		buf_putc(&out, ')');
	}
	/* The successor of a key has a NUL behind it; shown as a plus. */
	for (size_t i = 0; i < out.n; i++)
		out.p[i] = out.p[i] ? out.p[i] : '+';
	TEXT(((Span) {out.p, out.n}), wanted);
	buf_free(&out);
}

static bool
matches(const char *text, const char *body)
{
	Filter		f;
	Entity		e;
	FilterRow	row = {.pk = SPAN("p"),.rk = SPAN("r")};
	const char *detail = NULL;

	NUMBER(parse(text, &f), ERR_NONE);
	NUMBER(entity_from_json(&arena, span_of(body), &e, &detail), ERR_NONE);
	entity_encode(&arena, &e, 2, 1, &row.blob);
	row.values = arena_alloc(&arena, sizeof(Value) * (size_t) (f.nslots + 1));
	row.present = arena_alloc(&arena, sizeof(bool) * (size_t) (f.nslots + 1));
	return filter_match(&f, &row);
}

static void
test_tree(void)
{
	Filter		f;

	NUMBER(parse("a eq 1 or b lt 2 and not (c ne 3)", &f), ERR_NONE);
	NUMBER(f.root->kind, FILTER_OR);
	NUMBER(f.root->right->kind, FILTER_AND);
	NUMBER(f.root->right->right->kind, FILTER_NOT);
	NUMBER(f.nslots, 3);
	NUMBER(parse("5 lt a", &f), ERR_NONE);
	NUMBER(f.root->op, CMP_GT);
	NUMBER(parse("PartitionKey eq 'it''s'", &f), ERR_NONE);
	NUMBER(f.root->slot, SLOT_PK);
	TEXT(f.root->literal.bytes, "it's");
	NUMBER(parse("  ", &f), ERR_NONE);
	CHECK(f.root == NULL);
}

static void
test_literals(void)
{
	static const struct
	{
		const char *text;
		ValueType	type;
	}			cases[] = {
		{"a eq 5", VT_INT32}, {"a eq -2147483648", VT_INT32},
		{"a eq 5L", VT_INT64}, {"a eq 5.0", VT_DOUBLE}, {"a eq 1e3", VT_DOUBLE},
		{"a eq 'x'", VT_STRING}, {"a eq true", VT_BOOL},
		{"a eq datetime'2020-01-01T00:00:00Z'", VT_DATETIME},
		{"a eq guid'00000000-0000-0000-0000-00000000000a'", VT_GUID},
		{"a eq X'00ff'", VT_BINARY}, {"a eq binary'00ff'", VT_BINARY},
		{"a eq NaN", VT_DOUBLE}, {"a eq -INF", VT_DOUBLE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		Filter		f;

		NUMBER(parse(cases[i].text, &f), ERR_NONE);
		NUMBER(f.root->literal.type, cases[i].type);
	}
}

static void
test_refused(void)
{
	static const char *const wrong[] = {"a", "a eq", "a eq b", "a eq null",
		"a eq 2147483648", "(a eq 1", "a eq 1)", "a eq 'x", "a = 1",
		"a eq X'0'", "a EQ 1", "\xff eq 1", "a eq 1 and"
	};
	Filter		f;
	Buf			deep = {0};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		NUMBER(parse(wrong[i], &f), ERR_INVALID_INPUT);
	NUMBER(parse("startswith(a,'x')", &f), ERR_NOT_IMPLEMENTED);
	NUMBER(parse("a add 1 eq 2", &f), ERR_NOT_IMPLEMENTED);
	for (int i = 0; i < 100000; i++)
		buf_putc(&deep, '(');
	buf_putc(&deep, '\0');
	NUMBER(parse(deep.p, &f), ERR_INVALID_INPUT);
	buf_free(&deep);
}

static void
test_ranges(void)
{
	ranges("", "[,;-)");
	ranges("a eq 1", "[,;-)");
	ranges("PartitionKey eq 'p'", "[p,;p+,)");
	ranges("PartitionKey eq 'p' and RowKey eq 'r'", "[p,r;p,r+)");
	ranges("PartitionKey eq 'p' and RowKey ge 'a' and RowKey lt 'b'",
		   "[p,a;p,b)");
	ranges("PartitionKey eq 'q' or PartitionKey eq 'p'",
		   "[p,;p+,)[q,;q+,)");
	ranges("PartitionKey eq 'p' and PartitionKey eq 'q'", "");
	ranges("PartitionKey gt 'p'", "[p+,;-)");
	ranges("PartitionKey eq 'p' and a eq 1", "[p,;p+,)");
	ranges("PartitionKey eq 'p' or a eq 1", "[,;-)");
}

static void
test_decision(void)
{
	const char *body = "{\"i\":5,\"l\":\"5\",\"l@odata.type\":\"Edm.Int64\","
		"\"d\":5.0,\"s\":\"5\",\"b\":true,\"g\":\"0000000A-0000-0000-0000-"
		"000000000000\",\"g@odata.type\":\"Edm.Guid\",\"n\":\"NaN\","
		"\"n@odata.type\":\"Edm.Double\"}";

	CHECK(matches("i eq 5 and l eq 5 and d eq 5", body));
	CHECK(matches("l eq 5L", body));
	CHECK(!matches("i eq 5L", body));
	CHECK(!matches("s eq 5", body));
	CHECK(matches("s eq '5'", body));
	CHECK(matches("g eq guid'0000000a-0000-0000-0000-000000000000'", body));
	CHECK(!matches("none ne 5", body));
	CHECK(matches("not (none eq 5)", body));
	CHECK(!matches("n eq NaN or n lt 1.0 or n gt 1.0", body));
	CHECK(matches("b ne false", body));
	CHECK(matches("PartitionKey eq 'p' and RowKey lt 's'", body));
}

int
main(void)
{
	test_tree();
	test_literals();
	test_refused();
	test_ranges();
	test_decision();
	arena_free(&arena);
	return unit_end();
}
