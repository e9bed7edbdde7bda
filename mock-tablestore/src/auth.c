/*
 * auth.c
 *	  Accounts, and whether a request is signed by one of them.
 *
 * SharedKey and SharedKeyLite, whose check is the same for every service up
 * to the text that is signed.  That of tables: no canonicalized headers, no
 * query but comp=, the path as it was sent.  The key's two SHA-256 states
 * are computed once per account, which halves the work of a signature.
 * Accounts are added before the server starts and never change after that.
 */
#define OPENSSL_API_COMPAT 0x10100000L
#define OPENSSL_SUPPRESS_DEPRECATED

#include "auth.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <stdlib.h>

#include "encode.h"
#include "timestamp.h"

#define MAX_SKEW_TICKS (15 * 60 * TICKS_PER_SECOND)
#define HMAC_BLOCK 64

struct Account
{
	char	   *name;
	SHA256_CTX	inner;			/* after key xor ipad */
	SHA256_CTX	outer;			/* after key xor opad */
	Account    *next;
};

static Account *accounts;

static void
start_state(SHA256_CTX *state, const uint8_t key[HMAC_BLOCK], uint8_t pad)
{
	uint8_t		block[HMAC_BLOCK];

	for (int i = 0; i < HMAC_BLOCK; i++)
		block[i] = key[i] ^ pad;
	SHA256_Init(state);
	SHA256_Update(state, block, HMAC_BLOCK);
}

bool
account_add(const char *name, const char *key_base64)
{
	uint8_t		key[HMAC_BLOCK] = {0};
	Arena		a = {0};
	Span		bytes;
	bool		ok = base64_decode(&a, span_of(key_base64), &bytes);
	Account    *account;

	if (ok && bytes.n > 0)
	{
		if (bytes.n > HMAC_BLOCK)
			SHA256((const uint8_t *) bytes.p, bytes.n, key);
		else
			memcpy(key, bytes.p, bytes.n);
		account = xmalloc(sizeof(*account));
		account->name = xstrdup(name);
		start_state(&account->inner, key, 0x36);
		start_state(&account->outer, key, 0x5c);
		account->next = accounts;
		accounts = account;
	}
	ok = ok && bytes.n > 0;
	arena_free(&a);
	return ok;
}

int
account_count(void)
{
	int			n = 0;

	for (const Account *a = accounts; a; a = a->next)
		n++;
	return n;
}

const Account *
account_find(Span name)
{
	Span		suffix = SPAN("-secondary");

	for (int i = 0; i < 2; i++)
	{
		for (const Account *a = accounts; a; a = a->next)
		{
			if (span_eq(span_of(a->name), name))
				return a;
		}
		if (name.n <= suffix.n ||
			memcmp(name.p + name.n - suffix.n, suffix.p, suffix.n) != 0)
			break;
		name.n -= suffix.n;
	}
	return NULL;
}

const char *
account_name(const Account *account)
{
	return account->name;
}

void
account_free_all(void)
{
	while (accounts)
	{
		Account    *next = accounts->next;

		free(accounts->name);
		free(accounts);
		accounts = next;
	}
}

bool
auth_verify(const Account *account, const Buf *text, Span signature)
{
	SHA256_CTX	state = account->inner;
	uint8_t		hash[SHA256_DIGEST_LENGTH];
	char		room[BASE64_LEN(SHA256_DIGEST_LENGTH)];
	Buf			expected = {room, 0, sizeof(room)};

	SHA256_Update(&state, text->p, text->n);
	SHA256_Final(hash, &state);
	state = account->outer;
	SHA256_Update(&state, hash, sizeof(hash));
	SHA256_Final(hash, &state);
	base64_put(&expected, (Span) {(const char *) hash, sizeof(hash)});
	return expected.n == signature.n &&
		CRYPTO_memcmp(expected.p, signature.p, signature.n) == 0;
}

/* "/account", the path, and ?comp= if the query has one. */
static void
put_resource(Buf *out, const Signed *s)
{
	Span		query = s->query;

	buf_putc(out, '/');
	buf_puts(out, s->account->name);
	buf_span(out, s->raw_path);
	while (query.n > 0)
	{
		const char *amp = memchr(query.p, '&', query.n);
		Span		item = {query.p, amp ? (size_t) (amp - query.p) : query.n};

		if (span_starts(item, SPAN("comp=")))
		{
			buf_putc(out, '?');
			buf_span(out, item);
		}
		query = span_skip(query, item.n + (amp ? 1 : 0));
	}
}

static void
put_header(Buf *out, const Signed *s, const char *name)
{
	const char *value = s->header(s->who, name);

	if (value)
		buf_puts(out, value);
	buf_putc(out, '\n');
}

void
table_signed_text(Buf *out, const Signed *s, bool lite, const char *date)
{
	if (!lite)
	{
		buf_puts(out, s->method);
		buf_putc(out, '\n');
		put_header(out, s, "Content-MD5");
		put_header(out, s, "Content-Type");
	}
	buf_puts(out, date);
	buf_putc(out, '\n');
	put_resource(out, s);
}

static bool
date_is_near(const char *date)
{
	int64_t		ticks;
	int64_t		away;

	if (date == NULL || !http_date_parse(span_of(date), &ticks))
		return false;
	away = timestamp_now() - ticks;
	return away <= MAX_SKEW_TICKS && away >= -MAX_SKEW_TICKS;
}

/* "Scheme name:signature"; lite says which scheme it is. */
static bool
split(Span value, bool *lite, Span *name, Span *signature)
{
	const char *colon;

	if (span_starts(value, SPAN("SharedKeyLite ")))
	{
		*lite = true;
		value = span_skip(value, 14);
	}
	else if (span_starts(value, SPAN("SharedKey ")))
	{
		*lite = false;
		value = span_skip(value, 10);
	}
	else
		return false;
	value = span_trim(value);
	colon = value.n ? memchr(value.p, ':', value.n) : NULL;
	if (colon == NULL)
		return false;
	*name = (Span) {value.p, (size_t) (colon - value.p)};
	*signature = span_skip(value, name->n + 1);
	return true;
}

ErrCode
auth_check(const Signed *s, SignedText text, const char **detail)
{
	const char *value = s->header(s->who, "Authorization");
	const char *date = s->header(s->who, "x-ms-date");
	Buf			signed_text = {0};
	bool		lite;
	bool		ok;
	Span		name;
	Span		signature;

	if (value == NULL || !split(span_of(value), &lite, &name, &signature))
		return ERR_INVALID_AUTHENTICATION_INFO;
	if (s->account == NULL || account_find(name) != s->account)
		return ERR_AUTHENTICATION_FAILED;
	if (date == NULL)
		date = s->header(s->who, "Date");
	if (!date_is_near(date))
	{
		*detail = "Server failed to authenticate the request. The date "
			"header (x-ms-date or Date) is missing, malformed or more than "
			"15 minutes away from the server's time.";
		return ERR_AUTHENTICATION_FAILED;
	}
	text(&signed_text, s, lite, date);
	ok = auth_verify(s->account, &signed_text, signature);
	buf_free(&signed_text);
	return ok ? ERR_NONE : ERR_AUTHENTICATION_FAILED;
}
