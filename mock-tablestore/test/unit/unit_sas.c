/*
 * unit_sas.c
 *	  sas.c, auth.c, queue_auth.c: the texts that are signed.
 *
 * Every signature here was made by "openssl dgst -sha256 -mac HMAC" over the
 * text beside it, so that a wrong canonicalization cannot agree with itself.
 */
#include <netinet/in.h>

#include "queue.h"
#include "store.h"
#include "unit.h"

static Arena arena;
static const Account *account;
static Context context = {.arena = &arena,.account = "acct"};

static ErrCode
check(char service, const char *resource, const char *query)
{
	Command		cmd = {0};
	struct sockaddr_in client = {.sin_family = AF_INET,
	.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	Origin		origin = {true, (struct sockaddr *) &client};
	Grant	   *grant;
	const char *detail = NULL;

	NUMBER(command_query(&arena, span_of(query), &cmd), ERR_NONE);
	return sas_check(&context, account, service, span_of(resource), &cmd,
					 &origin, &grant, &detail);
}

static void
test_table(void)
{
	/* raud\n\n2999-01-01T00:00:00Z\n/table/acct/tab\n\n\n\n2019-02-02\n
	   a\n1\nb\n2 */
	const char *query = "sv=2019-02-02&tn=Tab&sp=raud&"
		"se=2999-01-01T00%3A00%3A00Z&spk=a&srk=1&epk=b&erk=2&sig="
		"Oh97YRGBxtiVejvZKUVKDo6OdoeNZJmv0xArmxGNHkQ%3D";

	NUMBER(check(SERVICE_TABLE, "", query), ERR_NONE);
	/* A field more, a field less, a field changed. */
	NUMBER(check(SERVICE_TABLE, "", arena_printf(&arena, "%s&sip=127.0.0.1",
												 query)),
		   ERR_AUTHENTICATION_FAILED);
	NUMBER(check(SERVICE_TABLE, "", query + sizeof("sv=2019-02-02&") - 1),
		   ERR_AUTHENTICATION_FAILED);
}

static void
test_old_table(void)
{
	/* r\n\n2999-01-01\n/acct/tab\n\n2014-02-14\n\n\n\n */
	NUMBER(check(SERVICE_TABLE, "", "sv=2014-02-14&tn=tab&sp=r&se=2999-01-01"
				 "&sig=cVcZod5QWFrULDT6AmjleF2zVHIakzDezR0jkOEYyE4%3D"), ERR_NONE);
}

static void
test_queue(void)
{
	/* raup\n2020-01-01\n2999-01-01\n/queue/acct/jobs\n\n127.0.0.1\n
	   https,http\n2019-02-02 */
	NUMBER(check(SERVICE_QUEUE, "jobs", "sv=2019-02-02&sp=raup&st=2020-01-01"
				 "&se=2999-01-01&sip=127.0.0.1&spr=https,http&sig=ztqhmk2%2F3Lnz6kNmOr%2F%2FRKsLCsRhzANIl5O1ewV0Pzs%3D"),
		   ERR_NONE);
	NUMBER(check(SERVICE_QUEUE, "other", "sv=2019-02-02&sp=raup&st=2020-01-01"
				 "&se=2999-01-01&sip=127.0.0.1&spr=https,http&sig=ztqhmk2%2F3Lnz6kNmOr%2F%2FRKsLCsRhzANIl5O1ewV0Pzs%3D"),
		   ERR_AUTHENTICATION_FAILED);
}

static void
test_account(void)
{
	/* acct\nrwdlau\nqt\nsco\n\n2999-01-01\n\n\n2019-02-02\n */
	const char *old = "sv=2019-02-02&ss=qt&srt=sco&sp=rwdlau&se=2999-01-01"
		"&sig=nm7b0p%2BDPiUsVrAMXAy2AmmbMO9IYv2B1nTz0a5Q4VM%3D";

	/* acct\nrwdlau\nt\no\n\n2999-01-01\n\n\n2020-12-06\n\n */
	NUMBER(check(SERVICE_TABLE, "", old), ERR_NONE);
	NUMBER(check(SERVICE_QUEUE, "q", old), ERR_NONE);
	NUMBER(check(SERVICE_TABLE, "", "sv=2020-12-06&ss=t&srt=o&sp=rwdlau&"
				 "se=2999-01-01&sig=XJT%2FW4Ix7d2OE6XeotTN3NBkNrMPXSqkebj5yUqykng%3D"), ERR_NONE);
	NUMBER(check(SERVICE_QUEUE, "q", "sv=2020-12-06&ss=t&srt=o&sp=rwdlau&"
				 "se=2999-01-01&sig=XJT%2FW4Ix7d2OE6XeotTN3NBkNrMPXSqkebj5yUqykng%3D"), ERR_AUTHORIZATION_SERVICE);
}

static const char *const request_headers[] = {"Content-MD5", "bWQ1",
	"Content-Type", "application/json", "x-ms-version", " 2019-02-02 ",
	"X-MS-Date", "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length", "0",
	"x-ms-meta-b", "1", "x-ms-meta-a", "2", NULL};

static const char *
lookup(void *who, const char *name)
{
	for (const char *const *h = request_headers; *h; h += 2)
	{
		if (strcasecmp(*h, name) == 0)
			return h[1];
	}
	return NULL;
}

static void
each(void *who, HeaderSink sink, void *closure)
{
	for (const char *const *h = request_headers; *h; h += 2)
		sink(closure, h[0], h[1]);
}

static void
signed_text(SignedText text, const char *query, bool lite,
			const char *wanted)
{
	Command		cmd = {0};
	Signed		s = {&arena, account, "PUT", SPAN("/acct/x%2Fy"),
	span_of(query), &cmd, lookup, each, NULL};
	Buf			out = {0};

	NUMBER(command_query(&arena, s.query, &cmd), ERR_NONE);
	text(&out, &s, lite, lookup(NULL, "x-ms-date"));
	TEXT(((Span) {out.p, out.n}), wanted);
	buf_free(&out);
}

static void
test_keys(void)
{
	signed_text(table_signed_text, "$top=1&comp=acl&x=y", false,
				"PUT\nbWQ1\napplication/json\n"
				"Sun, 06 Nov 1994 08:49:37 GMT\n/acct/acct/x%2Fy?comp=acl");
	signed_text(table_signed_text, "$top=1", true,
				"Sun, 06 Nov 1994 08:49:37 GMT\n/acct/acct/x%2Fy");
	signed_text(queue_signed_text, "b=2%202&A=1&comp=metadata", false,
				"PUT\n\n\n\nbWQ1\napplication/json\n\n\n\n\n\n\n"
				"x-ms-date:Sun, 06 Nov 1994 08:49:37 GMT\nx-ms-meta-a:2\n"
				"x-ms-meta-b:1\nx-ms-version:2019-02-02\n"
				"/acct/acct/x%2Fy\na:1\nb:2 2\ncomp:metadata");
	signed_text(queue_signed_text, "b=2&comp=metadata", true,
				"PUT\nbWQ1\napplication/json\n\n"
				"x-ms-date:Sun, 06 Nov 1994 08:49:37 GMT\nx-ms-meta-a:2\n"
				"x-ms-meta-b:1\nx-ms-version:2019-02-02\n"
				"/acct/acct/x%2Fy?comp=metadata");
}

int
main(void)
{
	CHECK(account_add("acct", "a2V5a2V5a2V5a2V5"));
	account = account_find(SPAN("acct"));
	test_table();
	test_old_table();
	test_queue();
	test_account();
	test_keys();
	account_free_all();
	arena_free(&arena);
	return unit_end();
}
