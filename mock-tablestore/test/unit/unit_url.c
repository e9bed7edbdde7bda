/*
 * unit_url.c
 *	  command.c and encode.c: URLs, keys in them, headers, codings, tokens.
 */
#include "command.h"
#include "encode.h"
#include "operation.h"
#include "unit.h"

static Arena arena;

/* Headers of the request being parsed: name, value, ..., NULL. */
static const char *const *headers;

static const char *
lookup(void *who, const char *name)
{
	for (const char *const *h = headers; h && *h; h += 2)
	{
		if (strcasecmp(*h, name) == 0)
			return h[1];
	}
	return NULL;
}

static ErrCode
parse(const char *method, const char *url, Command *cmd)
{
	const char *mark = strchr(url, '?');
	Span		path = {url, mark ? (size_t) (mark - url) : strlen(url)};
	const char *detail = NULL;

	memset(cmd, 0, sizeof(*cmd));
	return command_parse(&arena, method, path,
						 mark ? span_of(mark + 1) : SPAN(""), lookup, NULL,
						 cmd, &detail);
}

static void
is(const char *method, const char *url, Operation op)
{
	Command		cmd;

	NUMBER(parse(method, url, &cmd), ERR_NONE);
	NUMBER(cmd.op, op);
}

static void
refused(const char *method, const char *url, ErrCode err)
{
	Command		cmd;

	NUMBER(parse(method, url, &cmd), err);
}

static void
keys(const char *url, const char *pk, const char *rk)
{
	Command		cmd;

	NUMBER(parse("GET", url, &cmd), ERR_NONE);
	NUMBER(cmd.op, OP_GET);
	TEXT(cmd.pk, pk);
	TEXT(cmd.rk, rk);
}

static void
test_shapes(void)
{
	is("GET", "Tables", OP_TABLE_LIST);
	is("GET", "Tables()", OP_TABLE_LIST);
	is("GET", "Tables('x')", OP_TABLE_GET);
	is("POST", "Tables", OP_TABLE_CREATE);
	is("DELETE", "Tables('x')", OP_TABLE_DELETE);
	is("GET", "x", OP_QUERY);
	is("GET", "x()", OP_QUERY);
	is("HEAD", "x%28%29", OP_QUERY);
	is("POST", "x", OP_INSERT);
	is("PUT", "x(PartitionKey='p',RowKey='r')", OP_REPLACE);
	is("MERGE", "x(PartitionKey='p',RowKey='r')", OP_MERGE);
	is("PATCH", "x(PartitionKey='p',RowKey='r')", OP_MERGE);
	is("DELETE", "x(PartitionKey='p',RowKey='r')", OP_DELETE);
	is("POST", "$batch", OP_BATCH);
	is("GET", "?restype=service&comp=properties", OP_SERVICE_GET);
	is("PUT", "?comp=properties&restype=service", OP_SERVICE_SET);
	is("GET", "?restype=service&comp=stats", OP_SERVICE_STATS);
	is("GET", "x?comp=acl", OP_ACL_GET);
	is("PUT", "x?comp=acl", OP_ACL_SET);
	refused("GET", "", ERR_INVALID_URI);
	refused("GET", "a/b", ERR_INVALID_URI);
	refused("PUT", "Tables", ERR_METHOD_NOT_ALLOWED);
	refused("DELETE", "x", ERR_METHOD_NOT_ALLOWED);
	refused("GET", "x?$orderby=a", ERR_NOT_IMPLEMENTED);
	refused("GET", "x?$top=1&$top=2", ERR_INVALID_INPUT);
	refused("GET", "x?comp=nope", ERR_QUERY_PARAMETER);
}

static void
test_keys(void)
{
	keys("x(PartitionKey='p',RowKey='r')", "p", "r");
	keys("x(RowKey='r',PartitionKey='p')", "p", "r");
	keys("x(PartitionKey='',RowKey='')", "", "");
	keys("x(PartitionKey='it''s',RowKey='%27%27')", "it's", "'");
	keys("x(PartitionKey=%27a%2Fb%27,RowKey='a%20%2B+%25')", "a/b", "a ++%");
	keys("x(PartitionKey='\xc3\xa9%C3%A9',RowKey=',)(')",
		 "\xc3\xa9\xc3\xa9", ",)(");
	refused("GET", "x(PartitionKey='p')", ERR_INVALID_INPUT);
	refused("GET", "x('p','r')", ERR_INVALID_INPUT);
	refused("GET", "x(PartitionKey='p',RowKey='r'", ERR_INVALID_INPUT);
	refused("GET", "x(PartitionKey='p',RowKey='r')y", ERR_INVALID_INPUT);
	refused("GET", "x(PartitionKey='p',PartitionKey='q')", ERR_INVALID_INPUT);
	refused("GET", "x(PartitionKey='%ff',RowKey='r')", ERR_INVALID_INPUT);
	refused("GET", "x%2", ERR_INVALID_INPUT);
	refused("GET", "x%zz", ERR_INVALID_INPUT);
}

static void
test_headers(void)
{
	static const char *const accept[] = {"Accept",
		"application/atom+xml, application/json;odata=fullmetadata",
	"Prefer", "return-no-content", "If-Match", "*", NULL};
	static const char *const merge[] = {"X-HTTP-Method", "merge", NULL};
	static const char *const brew[] = {"X-HTTP-Method", "BREW", NULL};
	Command		cmd;

	headers = accept;
	parse("PUT", "x(PartitionKey='p',RowKey='r')", &cmd);
	NUMBER(cmd.level, LEVEL_FULL);
	CHECK(cmd.no_content && cmd.has_prefer);
	TEXT(span_of(cmd.if_match), "*");
	parse("GET", "x?$format=application/json;odata=nometadata", &cmd);
	NUMBER(cmd.level, LEVEL_NONE);
	headers = merge;
	is("POST", "x(PartitionKey='p',RowKey='r')", OP_MERGE);
	refused("PUT", "x(PartitionKey='p',RowKey='r')",
			ERR_XMETHOD_NOT_USING_POST);
	headers = brew;
	refused("POST", "x", ERR_XMETHOD_INCORRECT_VALUE);
	headers = NULL;
	parse("GET", "x", &cmd);
	NUMBER(cmd.level, LEVEL_UNSUPPORTED);
}

static void
test_codings(void)
{
	Buf			out = {0};
	Span		text;
	uint8_t		guid[16];
	char		again[37];
	size_t		units;

	base64_put(&out, SPAN("any carnal pleas"));
	TEXT(((Span) {out.p, out.n}), "YW55IGNhcm5hbCBwbGVhcw==");
	CHECK(base64_decode(&arena, (Span) {out.p, out.n}, &text));
	TEXT(text, "any carnal pleas");
	CHECK(!base64_decode(&arena, SPAN("YW5"), &text));
	CHECK(!base64_decode(&arena, SPAN("Y=5="), &text));
	buf_free(&out);
	CHECK(hex_decode(&arena, SPAN("41fF"), &text));
	TEXT(text, "A\xff");
	CHECK(!hex_decode(&arena, SPAN("4"), &text));
	CHECK(guid_parse(SPAN("C9DA6455-213D-42c9-9a79-3e9149a57833"), guid));
	guid_format(again, guid);
	TEXT(span_of(again), "c9da6455-213d-42c9-9a79-3e9149a57833");
	CHECK(!guid_parse(SPAN("c9da6455213d42c99a793e9149a57833x"), guid));
	CHECK(utf16_length(SPAN("a\xf0\x9f\x98\x80"), &units));
	NUMBER(units, 3);
	CHECK(!utf16_length(SPAN("\xed\xa0\x80"), &units));
	CHECK(!utf16_length(SPAN("\xc0\x80"), &units));
	/* U+1F600 is D83D DE00, which is before U+E000. */
	CHECK(utf16_cmp(SPAN("\xf0\x9f\x98\x80"), SPAN("\xee\x80\x80")) < 0);
	CHECK(span_cmp(key_form(&arena, SPAN("\xf0\x9f\x98\x80")),
				   key_form(&arena, SPAN("\xee\x80\x80"))) < 0);
	TEXT(key_utf8(&arena, key_form(&arena, SPAN("a\xf0\x9f\x98\x80"))),
		 "a\xf0\x9f\x98\x80");
}

static void
test_tokens(void)
{
	Span		sent = span_of(token_make(&arena, SPAN("p")));
	Span		text = SPAN("old");

	TEXT(sent, "1!4!cA--");
	CHECK(token_read(&arena, &sent, &text));
	TEXT(text, "p");
	CHECK(token_read(&arena, NULL, &text));
	TEXT(text, "p");
	for (const char *const *wrong = (const char *const[])
		 {"", "p", "1!5!cA--", "2!4!cA--", "1!!cA--", "1!4!c*--", NULL};
		 *wrong; wrong++)
	{
		sent = span_of(*wrong);
		CHECK(!token_read(&arena, &sent, &text));
	}
}

int
main(void)
{
	test_shapes();
	test_keys();
	test_headers();
	test_codings();
	test_tokens();
	arena_free(&arena);
	return unit_end();
}
