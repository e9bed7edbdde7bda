/*
 * bearer.c
 *	  Tokens of Microsoft Entra ID, judged by their claims.
 *
 * A JWT must be well formed, alive (nbf, exp), from an issuer of Entra's and
 * for this service and account (aud), as Azurite's --oauth basic has it.  The
 * signature is NOT checked, there are no roles: whoever can reach the server
 * can make a token.  Called by credential.c.  Easy to break: yajl's tree must
 * be freed on every path.
 */
#include "bearer.h"

#include <yajl/yajl_tree.h>

#include "clock.h"
#include "encode.h"

#define SCHEME "Bearer"
#define TENANT "00000000-0000-0000-0000-000000000000"
#define MAX_TOKEN (32 * 1024)
/* The first version that knows bearer tokens. */
#define VERSION_BEARER "2017-11-09"

#define REFUSED "Server failed to authenticate the request. "

static bool enabled;
static bool over_http;

static const char *const issuers[] = {"https://sts.windows.net/",
	"https://sts.microsoftonline.de/", "https://sts.chinacloudapi.cn/",
"https://sts.windows-ppe.net", NULL};

/* Of all storage accounts. */
static const char *const audiences[] = {"https://storage.azure.com",
"https://storage.azure.com/", "e406a681-f3d4-42a8-90b6-c2b029497af1", NULL};

/* Behind "https://ACCOUNT.table." or "https://ACCOUNT.queue.". */
static const char *const clouds[] = {"core.windows.net",
	"core.chinacloudapi.cn", "core.usgovcloudapi.net", "core.cloudapi.de",
NULL};

bool
bearer_set(const char *level)
{
	enabled = strcmp(level, "basic") == 0;
	return enabled || strcmp(level, "none") == 0;
}

void
bearer_allow_http(void)
{
	over_http = true;
}

bool
bearer_is_there(const char *authorization)
{
	size_t		n = sizeof(SCHEME) - 1;

	return strncasecmp(authorization, SCHEME, n) == 0 &&
		(authorization[n] == ' ' || authorization[n] == '\0');
}

const char *
bearer_challenge(void)
{
	return "Bearer authorization_uri=https://login.microsoftonline.com/"
		TENANT "/oauth2/authorize resource_id=https://storage.azure.com";
}

/* base64url without padding, as JSON text becomes a tree; NULL: it is none. */
static yajl_val
read_part(Arena *a, Span part)
{
	char	   *text = arena_alloc(a, part.n + 4);
	char		why[128];
	size_t		n = 0;
	Span		json;

	for (; n < part.n; n++)
		text[n] = part.p[n] == '-' ? '+' : part.p[n] == '_' ? '/' : part.p[n];
	while (n % 4)
		text[n++] = '=';
	if (!base64_decode(a, (Span) {text, n}, &json) ||
		memchr(json.p, '\0', json.n) != NULL)
		return NULL;
	return yajl_tree_parse(arena_strdup(a, json), why, sizeof(why));
}

static yajl_val
claim(yajl_val claims, const char *name, yajl_type type)
{
	const char *path[] = {name, NULL};

	return yajl_tree_get(claims, path, type);
}

static const char *
text_of(yajl_val claims, const char *name)
{
	yajl_val	v = claim(claims, name, yajl_t_string);

	return v ? YAJL_GET_STRING(v) : "";
}

static bool
starts_with_any(const char *text, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
	{
		if (strncmp(text, *prefixes, strlen(*prefixes)) == 0)
			return true;
	}
	return false;
}

static bool
is_for_us(Arena *a, const char *aud, char service, const Account *account)
{
	for (const char *const *p = audiences; *p; p++)
	{
		if (strcmp(aud, *p) == 0)
			return true;
	}
	for (const char *const *p = clouds; *p; p++)
	{
		const char *own = arena_printf(a, "https://%s.%s.%s",
									   account_name(account),
									   service == SERVICE_TABLE ? "table" :
									   "queue", *p);
		size_t		n = strlen(own);

		if (strncmp(aud, own, n) == 0 &&
			(aud[n] == '\0' || strcmp(aud + n, "/") == 0))
			return true;
	}
	return false;
}

/* What is wrong with the claims, or NULL. */
static const char *
judge(Arena *a, yajl_val claims, char service, const Account *account)
{
	yajl_val	nbf = claim(claims, "nbf", yajl_t_number);
	yajl_val	exp = claim(claims, "exp", yajl_t_number);
	double		now = (double) ((mock_clock_now() - TICKS_1970) / TICKS_PER_SECOND);

	if (nbf == NULL || exp == NULL ||
		claim(claims, "iat", yajl_t_number) == NULL)
		return "Lifetime validation failed. The token has not all of the "
			"numbers nbf, exp and iat.";
	if (now < YAJL_GET_DOUBLE(nbf))
		return "Lifetime validation failed. The token is not yet valid.";
	if (now >= YAJL_GET_DOUBLE(exp))
		return "Lifetime validation failed. The token is expired.";
	if (!starts_with_any(text_of(claims, "iss"), issuers))
		return "Issuer validation failed. Issuer did not match.";
	if (!is_for_us(a, text_of(claims, "aud"), service, account))
		return "Audience validation failed. Audience did not match.";
	return NULL;
}

/* Three parts between dots, of which two are JSON objects. */
static const char *
judge_token(Arena *a, Span token, char service, const Account *account)
{
	const char *wrong = "The token is no JWT.";
	const char *first = token.n ? memchr(token.p, '.', token.n) : NULL;
	const char *second = first ?
		memchr(first + 1, '.', token.n - (size_t) (first + 1 - token.p)) :
		NULL;
	yajl_val	head;
	yajl_val	claims;

	if (second == NULL || token.n > MAX_TOKEN)
		return wrong;
	head = read_part(a, (Span) {token.p, (size_t) (first - token.p)});
	claims = read_part(a, (Span) {first + 1,
								  (size_t) (second - first - 1)});
	if (YAJL_IS_OBJECT(head) && YAJL_IS_OBJECT(claims))
		wrong = judge(a, claims, service, account);
	yajl_tree_free(head);
	yajl_tree_free(claims);
	return wrong;
}

ErrCode
bearer_check(Arena *a, const char *authorization, char service,
			 const Account *account, const Origin *origin,
			 const char *version, const char **detail)
{
	Span		token = span_trim(span_of(authorization + sizeof(SCHEME) - 1));
	const char *wrong;

	if (version == NULL || strcmp(version, VERSION_BEARER) < 0)
	{
		*detail = REFUSED "Authentication scheme Bearer is not supported in "
			"this version.";
		return ERR_AUTHENTICATION_FAILED;
	}
	if (!origin->https && !over_http)
	{
		*detail = REFUSED "Authentication scheme Bearer is not allowed with "
			"HTTP.";
		return ERR_AUTHENTICATION_FAILED;
	}
	if (account == NULL)
		return ERR_AUTHENTICATION_FAILED;
	wrong = enabled ? judge_token(a, token, service, account) :
		"The server was started without --oauth basic.";
	if (wrong == NULL)
		return ERR_NONE;
	*detail = arena_printf(a, "%s %s",
						   error_info(ERR_BEARER_CHALLENGE)->message, wrong);
	return ERR_BEARER_CHALLENGE;
}
