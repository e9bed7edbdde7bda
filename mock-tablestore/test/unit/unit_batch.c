/*
 * unit_batch.c
 *	  batch_parse.c: a multipart body taken apart, in all its spellings.
 */
#include "batch.h"
#include "unit.h"

static Arena arena;

#define INSERT(url) \
	"Content-Type: application/http\r\n" \
	"Content-Transfer-Encoding: binary\r\n\r\n" \
	"POST " url " HTTP/1.1\r\nContent-Type: application/json\r\n" \
	"Content-ID: 7\r\nPrefer: return-no-content\r\n\r\n{\"a\":1}\r\n"
#define OPEN(outer, inner) \
	"--" outer "\r\nContent-Type: multipart/mixed; boundary=" inner \
	"\r\n\r\n"
#define CLOSE(outer, inner) "--" inner "--\r\n--" outer "--\r\n"

static ErrCode
parse(const char *type, const char *body, Batch *b)
{
	return batch_parse(&arena, type, span_of(body), "acct", LEVEL_MINIMAL, b);
}

static void
inserts_one(const char *type, const char *body)
{
	Batch		b;

	NUMBER(parse(type, body, &b), ERR_NONE);
	NUMBER(b.err, ERR_NONE);
	CHECK(b.has_changeset);
	NUMBER(b.ncommands, 1);
	NUMBER(b.commands[0].op, OP_INSERT);
	TEXT(b.commands[0].table, "tab");
	TEXT(b.commands[0].body, "{\"a\":1}");
	TEXT(span_of(b.commands[0].content_id), "7");
	CHECK(b.commands[0].no_content);
}

static void
test_spellings(void)
{
	const char *plain = OPEN("b", "c") "--c\r\n" INSERT("/acct/tab")
		CLOSE("b", "c");
	Buf			lf = {0};

	inserts_one("multipart/mixed; boundary=b", plain);
	inserts_one("Multipart/Mixed;charset=utf-8;boundary=\"b\"", plain);
	inserts_one("multipart/mixed; boundary=b", OPEN("b", "c") "--c\r\n"
				INSERT("http://h:1/acct/tab") CLOSE("b", "c"));
	inserts_one("multipart/mixed; boundary=b", OPEN("b", "c") "--c\r\n"
				INSERT("https://acct.table.core.windows.net/tab")
				CLOSE("b", "c"));
	inserts_one("multipart/mixed; boundary=b", OPEN("b", "c") "--c\r\n"
				INSERT("tab()") CLOSE("b", "c"));
	inserts_one("multipart/mixed; boundary=a b", OPEN("a", "--") "----\r\n"
				INSERT("tab") CLOSE("a", "--"));
	inserts_one("multipart/mixed; boundary=b", "preamble\r\n"
				OPEN("b", "\"c d\"") "--c d\r\n" INSERT("tab")
				"--c d--\r\n--b--\r\nepilogue");
	for (const char *p = plain; *p; p++)
	{
		if (*p != '\r')
			buf_putc(&lf, *p);
	}
	buf_putc(&lf, '\0');
	inserts_one("multipart/mixed; boundary=b", lf.p);
	buf_free(&lf);
}

static void
test_content_id(void)
{
	Batch		b;

	NUMBER(parse("multipart/mixed; boundary=b", OPEN("b", "c")
				 "--c\r\nContent-Type: application/http\r\nContent-ID: 3\r\n"
				 "\r\nDELETE x(PartitionKey='p',RowKey='r') HTTP/1.1\r\n"
				 "If-Match: *\r\n\r\n\r\n" CLOSE("b", "c"), &b), ERR_NONE);
	NUMBER(b.ncommands, 1);
	NUMBER(b.commands[0].op, OP_DELETE);
	CHECK(b.commands[0].content_id == NULL);
}

static void
test_lone_query(void)
{
	Batch		b;

	NUMBER(parse("multipart/mixed; boundary=b",
				 "--b\r\nContent-Type: application/http\r\n\r\n"
				 "GET /acct/tab?$top=1 HTTP/1.1\r\n\r\n\r\n--b--\r\n", &b),
		   ERR_NONE);
	CHECK(!b.has_changeset);
	NUMBER(b.commands[0].op, OP_QUERY);
	NUMBER(parse("multipart/mixed; boundary=b",
				 "--b\r\nContent-Type: application/http\r\n\r\n"
				 "GET /acct/tab HTTP/1.1\r\n\r\n\r\n--b\r\n"
				 "Content-Type: application/http\r\n\r\n"
				 "GET /acct/tab HTTP/1.1\r\n\r\n\r\n--b--\r\n", &b),
		   ERR_INVALID_INPUT);
}

static void
test_broken(void)
{
	static const char *const bodies[] = {"", "--b", "--b--\r\n",
		OPEN("b", "c"), OPEN("b", "c") "--c\r\n" INSERT("tab"),
		OPEN("b", "c") "--c\r\n" INSERT("tab") "--c--\r\n",
		OPEN("x", "c") "--c\r\n" INSERT("tab") CLOSE("x", "c"),
		OPEN("b", "c") CLOSE("b", "c"),
	};
	Batch		b;

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		NUMBER(parse("multipart/mixed; boundary=b", bodies[i], &b),
			   ERR_INVALID_INPUT);
	NUMBER(parse(NULL, "", &b), ERR_INVALID_INPUT);
	NUMBER(parse("application/json", "", &b), ERR_INVALID_INPUT);
	NUMBER(parse("multipart/mixed", "", &b), ERR_INVALID_INPUT);
	/* One part is broken: that is the part's error. */
	NUMBER(parse("multipart/mixed; boundary=b", OPEN("b", "c") "--c\r\n"
				 INSERT("tab") "--c\r\n\r\nBREW tab HTTP/1.1\r\n\r\n\r\n"
				 CLOSE("b", "c"), &b), ERR_NONE);
	NUMBER(b.ncommands, 1);
	NUMBER(b.err, ERR_METHOD_NOT_ALLOWED);
	NUMBER(parse("multipart/mixed; boundary=b", OPEN("b", "c") "--c\r\n\r\n"
				 "GET tab HTTP/1.1\r\n\r\n\r\n" CLOSE("b", "c"), &b),
		   ERR_NONE);
	NUMBER(b.err, ERR_INVALID_INPUT);
}

static void
test_number(void)
{
	Buf			body = {0};
	Batch		b;

	BUF_LIT(&body, OPEN("b", "c"));
	for (int i = 0; i < 101; i++)
		BUF_LIT(&body, "--c\r\n" INSERT("tab"));
	BUF_LIT(&body, CLOSE("b", "c"));
	buf_putc(&body, '\0');
	NUMBER(parse("multipart/mixed; boundary=b", body.p, &b), ERR_NONE);
	NUMBER(b.err, ERR_INVALID_INPUT);
	NUMBER(b.ncommands, 99);
	buf_free(&body);
}

int
main(void)
{
	test_spellings();
	test_content_id();
	test_lone_query();
	test_broken();
	test_number();
	arena_free(&arena);
	return unit_end();
}
