/*
 * sas.c
 *	  Shared access signatures, and what the bearer of one may do.
 *
 * Service SAS of a table or queue (its own fields, or a stored policy's) and
 * account SAS.  Knows the texts that are signed and the table of permissions
 * per operation; the HMAC is auth.c's.  Easy to break: the fields are signed
 * decoded, the table's name in lower case, and a field given by both the
 * policy and the query is refused.
 */
#include "sas.h"

#include <arpa/inet.h>
#include <ctype.h>

#include "acl.h"
#include "clock.h"
#include "encode.h"

/* Since this version an account SAS signs its encryption scope. */
#define VERSION_ENCRYPTION_SCOPE "2020-12-06"
/* Since this version sip and spr are signed, and the resource is prefixed. */
#define VERSION_IP_AND_PROTOCOL "2015-04-05"
#define VERSION_PREFIX "2015-02-21"
#define VERSION_FIRST "2012-02-12"

static Span
param(const Command *cmd, const char *name)
{
	const Span *p = command_param(cmd, name);

	return p ? *p : SPAN("");
}

bool
sas_is_there(const Command *cmd)
{
	return command_param(cmd, "sig") != NULL;
}

static void
put_field(Buf *text, const Command *cmd, const char *name)
{
	buf_span(text, param(cmd, name));
	buf_putc(text, '\n');
}

static bool
version_since(Span version, const char *since)
{
	return span_cmp(version, span_of(since)) >= 0;
}

static void
account_text(Buf *text, const Account *account, const Command *cmd)
{
	static const char *const fields[] = {"sp", "ss", "srt", "st", "se", "sip",
	"spr", "sv"};

	buf_printf(text, "%s\n", account_name(account));
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		put_field(text, cmd, fields[i]);
	if (version_since(param(cmd, "sv"), VERSION_ENCRYPTION_SCOPE))
		put_field(text, cmd, "ses");
}

static void
service_text(Buf *text, const Account *account, char service, Span resource,
			 const Command *cmd)
{
	static const char *const ends[] = {"spk", "srk", "epk", "erk"};
	Span		version = param(cmd, "sv");

	put_field(text, cmd, "sp");
	put_field(text, cmd, "st");
	put_field(text, cmd, "se");
	if (version_since(version, VERSION_PREFIX))
		buf_puts(text, service == SERVICE_TABLE ? "/table" : "/queue");
	buf_printf(text, "/%s/", account_name(account));
	for (size_t i = 0; i < resource.n; i++)
		buf_putc(text, (char) tolower((unsigned char) resource.p[i]));
	buf_putc(text, '\n');
	put_field(text, cmd, "si");
	if (version_since(version, VERSION_IP_AND_PROTOCOL))
	{
		put_field(text, cmd, "sip");
		put_field(text, cmd, "spr");
	}
	buf_span(text, version);
	for (int i = 0; i < 4 && service == SERVICE_TABLE; i++)
	{
		buf_putc(text, '\n');
		buf_span(text, param(cmd, ends[i]));
	}
}

/* As a number; false when the client did not come by IPv4. */
static bool
ipv4_of(const struct sockaddr *address, uint32_t *number)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *) address;
	in_addr_t	bytes;

	if (address && address->sa_family == AF_INET)
		bytes = ((const struct sockaddr_in *) address)->sin_addr.s_addr;
	else if (address && address->sa_family == AF_INET6 &&
			 IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		memcpy(&bytes, in6->sin6_addr.s6_addr + 12, 4);
	else
		return false;
	*number = ntohl(bytes);
	return true;
}

/* An IPv4 address, or two with a dash between. */
static bool
address_matches(Arena *a, Span allowed, const struct sockaddr *address)
{
	const char *dash = memchr(allowed.p, '-', allowed.n);
	size_t		n = dash ? (size_t) (dash - allowed.p) : allowed.n;
	struct in_addr low;
	struct in_addr high;
	uint32_t	at;

	if (inet_pton(AF_INET, arena_strdup(a, (Span) {allowed.p, n}), &low) != 1)
		return false;
	high = low;
	if (dash && inet_pton(AF_INET, arena_strdup(a, span_skip(allowed, n + 1)),
						  &high) != 1)
		return false;
	return ipv4_of(address, &at) && at >= ntohl(low.s_addr) &&
		at <= ntohl(high.s_addr);
}

/* What the token says after its policy, if any, was filled in. */
typedef struct Terms
{
	Span		start;
	Span		expiry;
	Span		permissions;
} Terms;

/* Each field comes from the query or from the policy, never from both. */
static bool
fill(Span *field, Span from_policy)
{
	if (field->n > 0 && from_policy.n > 0)
		return false;
	if (field->n == 0)
		*field = from_policy;
	return true;
}

static ErrCode
apply_policy(Context *c, char service, Span resource, Span id, Terms *terms,
			 const char **detail)
{
	Policy		policy;
	bool		found;

	if (id.n == 0)
		return ERR_NONE;
	store_lock(c->store);
	found = acl_find(c, service, resource, id, &policy);
	store_unlock(c->store);
	if (!found)
	{
		*detail = "Server failed to authenticate the request. The stored "
			"access policy (si) does not exist.";
		return ERR_AUTHENTICATION_FAILED;
	}
	if (fill(&terms->start, policy.start) &&
		fill(&terms->expiry, policy.expiry) &&
		fill(&terms->permissions, policy.permission))
		return ERR_NONE;
	*detail = "Server failed to authenticate the request. A field is given "
		"by the stored access policy and by the query.";
	return ERR_AUTHENTICATION_FAILED;
}

static ErrCode
check_terms(const Terms *terms, const char **detail)
{
	int64_t		now = mock_clock_now();
	int64_t		start = now;
	int64_t		expiry;

	if (terms->permissions.n == 0 || terms->expiry.n == 0)
	{
		*detail = "Server failed to authenticate the request. Permissions "
			"(sp) and expiry (se) are mandatory fields.";
		return ERR_AUTHENTICATION_FAILED;
	}
	if (!timestamp_parse(terms->expiry, &expiry) ||
		(terms->start.n > 0 && !timestamp_parse(terms->start, &start)))
	{
		*detail = "Server failed to authenticate the request. A time (st, se) "
			"is malformed.";
		return ERR_AUTHENTICATION_FAILED;
	}
	if (now >= start && now < expiry)
		return ERR_NONE;
	*detail = "Server failed to authenticate the request. Signature not "
		"valid in the specified time frame.";
	return ERR_AUTHENTICATION_FAILED;
}

static ErrCode
check_origin(Arena *a, const Command *cmd, const Origin *origin)
{
	Span		sip = param(cmd, "sip");
	Span		spr = param(cmd, "spr");

	if (spr.n > 0 && !span_eq(spr, SPAN("https")) &&
		!span_eq(spr, SPAN("https,http")) && !span_eq(spr, SPAN("http,https")))
		return ERR_AUTHENTICATION_FAILED;
	if (span_eq(spr, SPAN("https")) && !origin->https)
		return ERR_AUTHORIZATION_PROTOCOL;
	if (sip.n > 0 && !address_matches(a, sip, origin->address))
		return ERR_AUTHORIZATION_SOURCE_IP;
	return ERR_NONE;
}

/*
 * startpk alone is a lower bound of partitions, startpk and startrk one of
 * keys; the ends likewise, inclusive.  No key contains a NUL, so a key with
 * one appended is its successor.
 */
static void
read_range(Arena *a, const Command *cmd, KeyRange *range)
{
	const Span *epk = command_param(cmd, "epk");
	const Span *erk = command_param(cmd, "erk");

	range->lo_pk = key_form(a, param(cmd, "spk"));
	range->lo_rk = key_form(a, param(cmd, "srk"));
	range->hi_pk = range->hi_rk = SPAN("");
	range->no_hi = epk == NULL;
	if (epk == NULL)
		return;
	range->hi_pk = arena_span(a, key_form(a, *epk));
	if (erk)
	{
		range->hi_rk = arena_span(a, key_form(a, *erk));
		range->hi_rk.n++;
	}
	else
		range->hi_pk.n++;
}

static ErrCode
check_signature(const Account *account, char service, Span resource,
				const Command *cmd)
{
	Buf			text = {0};
	bool		ok;

	if (command_param(cmd, "ss"))
		account_text(&text, account, cmd);
	else
		service_text(&text, account, service, resource, cmd);
	ok = auth_verify(account, &text, param(cmd, "sig"));
	buf_free(&text);
	return ok ? ERR_NONE : ERR_AUTHENTICATION_FAILED;
}

static bool
keys_are_utf8(const Command *cmd)
{
	static const char *const ends[] = {"spk", "srk", "epk", "erk"};
	size_t		units;

	for (int i = 0; i < 4; i++)
	{
		if (!utf16_length(param(cmd, ends[i]), &units))
			return false;
	}
	return true;
}

ErrCode
sas_check(Context *c, const Account *account, char service, Span resource,
		  const Command *cmd, const Origin *origin, Grant **grant,
		  const char **detail)
{
	Grant	   *g = arena_zalloc(c->arena, sizeof(*g));
	Terms		terms = {param(cmd, "st"), param(cmd, "se"), param(cmd, "sp")};
	ErrCode		err;

	g->is_account = command_param(cmd, "ss") != NULL;
	g->resource = service == SERVICE_TABLE ? param(cmd, "tn") : resource;
	if (account == NULL || !keys_are_utf8(cmd) ||
		!version_since(param(cmd, "sv"), VERSION_FIRST))
		return ERR_AUTHENTICATION_FAILED;
	err = check_signature(account, service, g->resource, cmd);
	if (err == ERR_NONE && !g->is_account)
		err = apply_policy(c, service, g->resource, param(cmd, "si"), &terms,
						   detail);
	if (err == ERR_NONE)
		err = check_terms(&terms, detail);
	if (err == ERR_NONE)
		err = check_origin(c->arena, cmd, origin);
	if (err == ERR_NONE && g->is_account &&
		memchr(param(cmd, "ss").p, service, param(cmd, "ss").n) == NULL)
		err = ERR_AUTHORIZATION_SERVICE;
	g->permissions = terms.permissions;
	g->types = param(cmd, "srt");
	read_range(c->arena, cmd, &g->range);
	*grant = g;
	return err;
}

/*
 * A space in the list of letters separates alternatives: "c w" is either of
 * them, "au" both.  NULL: not with this kind of signature.
 */
static bool
has_permissions(Span granted, const char *wanted)
{
	bool		all = true;

	for (; *wanted; wanted++)
	{
		if (*wanted == ' ')
		{
			if (all)
				return true;
			all = true;
		}
		else if (memchr(granted.p, *wanted, granted.n) == NULL)
			all = false;
	}
	return all;
}

ErrCode
grant_check(const Grant *g, char type, const char *account_sp,
			const char *service_sp)
{
	const char *wanted = g->is_account ? account_sp : service_sp;

	if (wanted == NULL)
		return ERR_AUTHORIZATION_FAILURE;
	if (g->is_account &&
		(g->types.n == 0 || memchr(g->types.p, type, g->types.n) == NULL))
		return ERR_AUTHORIZATION_RESOURCE_TYPE;
	return has_permissions(g->permissions, wanted) ? ERR_NONE :
		ERR_AUTHORIZATION_PERMISSION;
}

static ErrCode
check_entity(const Grant *g, const Command *cmd, const char *wanted)
{
	if (!g->is_account && !span_eq_nocase(g->resource, cmd->table))
		return ERR_AUTHORIZATION_FAILURE;
	return grant_check(g, 'o', wanted, wanted);
}

ErrCode
grant_allows(const Grant *g, const Command *cmd)
{
	if (g == NULL)
		return ERR_NONE;
	switch (cmd->op)
	{
		case OP_QUERY:
		case OP_GET:
			return check_entity(g, cmd, "r");
		case OP_INSERT:
			return check_entity(g, cmd, "a");
		case OP_REPLACE:
		case OP_MERGE:
			return check_entity(g, cmd, cmd->if_match ? "u" : "au");
		case OP_DELETE:
			return check_entity(g, cmd, "d");
		case OP_TABLE_LIST:
		case OP_TABLE_GET:
			return grant_check(g, 'c', "l", NULL);
		case OP_TABLE_CREATE:
			return grant_check(g, 'c', "c w", NULL);
		case OP_TABLE_DELETE:
			return grant_check(g, 'c', "d", NULL);
		case OP_SERVICE_GET:
		case OP_SERVICE_STATS:
			return grant_check(g, 's', "r", NULL);
		case OP_SERVICE_SET:
			return grant_check(g, 's', "w", NULL);
		case OP_BATCH:			/* its operations are looked at one by one */
			return ERR_NONE;
		case OP_ACL_GET:
		case OP_ACL_SET:
		case OP_NONE:
			break;
	}
	return ERR_AUTHORIZATION_FAILURE;
}

static int
compare_keys(Span pk1, Span rk1, Span pk2, Span rk2)
{
	int			c = span_cmp(pk1, pk2);

	return c ? c : span_cmp(rk1, rk2);
}

bool
grant_covers(const Grant *g, Span pk, Span rk)
{
	const KeyRange *r = &g->range;

	if (g->is_account)
		return true;
	return compare_keys(pk, rk, r->lo_pk, r->lo_rk) >= 0 &&
		(r->no_hi || compare_keys(pk, rk, r->hi_pk, r->hi_rk) < 0);
}

int
grant_clip(const Grant *g, KeyRange *ranges, int n)
{
	const KeyRange *with = &g->range;
	int			kept = 0;

	for (int i = 0; i < n && !g->is_account; i++)
	{
		KeyRange	r = ranges[i];

		if (compare_keys(r.lo_pk, r.lo_rk, with->lo_pk, with->lo_rk) < 0)
		{
			r.lo_pk = with->lo_pk;
			r.lo_rk = with->lo_rk;
		}
		if (!with->no_hi && (r.no_hi || compare_keys(r.hi_pk, r.hi_rk,
													 with->hi_pk,
													 with->hi_rk) > 0))
		{
			r.hi_pk = with->hi_pk;
			r.hi_rk = with->hi_rk;
			r.no_hi = false;
		}
		if (r.no_hi || compare_keys(r.lo_pk, r.lo_rk, r.hi_pk, r.hi_rk) < 0)
			ranges[kept++] = r;
	}
	return g->is_account ? n : kept;
}
