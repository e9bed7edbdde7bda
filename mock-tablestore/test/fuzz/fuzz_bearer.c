/*
 * fuzz_bearer.c
 *	  Fuzz target: a bearer token, and the same bytes as a token's claims.
 *
 * Besides memory errors it checks that no token passes that is not for us.
 */
#include <stdlib.h>

#include "bearer.h"
#include "encode.h"

int			LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const Account *account;

static ErrCode
judge(Arena *a, const char *authorization)
{
	Origin		origin = {.https = true};
	const char *detail = NULL;
	ErrCode		err = bearer_check(a, authorization, SERVICE_TABLE, account,
								   &origin, "2020-12-06", &detail);

	if (err != ERR_NONE && detail == NULL)
		abort();
	return err;
}

/* "Bearer {}.CLAIMS.", with the signs of base64url. */
static const char *
wrap(Arena *a, Span claims)
{
	Buf			text = {0};
	const char *copy;

	BUF_LIT(&text, "Bearer e30.");
	base64_put(&text, claims);
	for (size_t i = 0; i < text.n; i++)
		text.p[i] = text.p[i] == '+' ? '-' : text.p[i] == '/' ? '_' :
			text.p[i] == '=' ? '.' : text.p[i];
	buf_putc(&text, '.');
	copy = arena_strdup(a, (Span) {text.p, text.n});
	buf_free(&text);
	return copy;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Arena		a = {0};
	Span		text = {(const char *) data, size};

	if (account == NULL)
	{
		account_add("devstoreaccount1", "a2V5");
		account = account_find(SPAN("devstoreaccount1"));
		bearer_set("basic");
	}
	judge(&a, arena_printf(&a, "Bearer %s", arena_strdup(&a, text)));
	if (judge(&a, wrap(&a, text)) == ERR_NONE &&
		memmem(text.p, text.n, "sts", 3) == NULL &&
		memchr(text.p, '\\', text.n) == NULL)
		abort();
	arena_free(&a);
	return 0;
}
