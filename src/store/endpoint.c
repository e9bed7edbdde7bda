/*
 * endpoint.c
 *	  From a configuration to where requests go and which secret they carry.
 *
 * Takes endpoints of path style (http://127.0.0.1:10002/devstoreaccount1) and
 * of host style (https://ACCOUNT.table.core.windows.net), and decides whether a
 * bearer token may travel there.  Sends nothing, looks nothing up.
 *
 * Called by client.c.  Easy to break: messages name what is wrong and never
 * repeat a secret, not even a malformed one.
 */
#include "response.h"

#include <openssl/crypto.h>
#include <string.h>

/* Shorter secrets are not looked for in messages: everything contains them. */
#define ENDPOINT_MIN_SECRET 8

/* Sets BAD_CONFIG, or NO_MEMORY when that is the reason; returns false. */
static bool
endpoint_refuse(const tmodel_arena *arena, tstore_error *error,
				const char *message)
{
	if (arena->failed)
		tstore_error_set(error, TSTORE_NO_MEMORY,
						 TMODEL_SPAN("out of memory"));
	else
		tstore_error_set(error, TSTORE_BAD_CONFIG, tmodel_span_of(message));
	return false;
}

/* Only printable ASCII without '"', '<', '>' and space: what a URL or a header
 * can carry as it is. */
static bool
endpoint_is_printable(tmodel_span text)
{
	for (size_t i = 0; i < text.len; i++)
	{
		if (text.data[i] <= ' ' || text.data[i] > '~' ||
			strchr("\"<>", text.data[i]) != NULL)
			return false;
	}
	return true;
}

/* Takes a scheme off the text, in any case. */
static bool
endpoint_take_scheme(tmodel_span *text, const char *scheme)
{
	size_t		len = strlen(scheme);

	if (text->len < len)
		return false;
	for (size_t i = 0; i < len; i++)
	{
		char		c = text->data[i];

		if (c >= 'A' && c <= 'Z')
			c = (char) (c - 'A' + 'a');
		if (c != scheme[i])
			return false;
	}
	text->data += len;
	text->len -= len;
	return true;
}

/* The text up to the first of "stops", or all of it. */
static tmodel_span
endpoint_up_to(tmodel_span text, const char *stops)
{
	for (size_t i = 0; i < text.len; i++)
	{
		if (strchr(stops, text.data[i]) != NULL)
		{
			text.len = i;
			break;
		}
	}
	return text;
}

/* Consists only of digits and dots, as an IPv4 address does. */
static bool
endpoint_is_ipv4(tmodel_span host)
{
	for (size_t i = 0; i < host.len; i++)
	{
		if (host.data[i] != '.' && (host.data[i] < '0' || host.data[i] > '9'))
			return false;
	}
	return host.len > 0;
}

static bool
endpoint_is_loopback(tmodel_span host)
{
	return tmodel_span_equal(host, TMODEL_SPAN("localhost")) ||
		tmodel_span_equal(host, TMODEL_SPAN("[::1]")) ||
		(host.len > 4 && memcmp(host.data, "127.", 4) == 0 &&
		 endpoint_is_ipv4(host));
}

/*
 * The account's name: as configured, else the first segment of the path, else
 * the first label of the host's name.  Empty when there is none.
 */
static tmodel_span
endpoint_account(tmodel_span configured, tmodel_span host, tmodel_span path)
{
	static const tmodel_span secondary = {"-secondary", 10};
	tmodel_span account = {NULL, 0};

	if (configured.len > 0)
		account = configured;
	else if (path.len > 1)
		account = endpoint_up_to((tmodel_span) {path.data + 1, path.len - 1},
								 "/");
	else if (host.data[0] != '[' && !endpoint_is_ipv4(host) &&
			 memchr(host.data, '.', host.len) != NULL)
		account = endpoint_up_to(host, ".");
	if (account.len > secondary.len &&
		memcmp(account.data + account.len - secondary.len, secondary.data,
			   secondary.len) == 0)
		account.len -= secondary.len;
	return account;
}

/* The host with its port taken off; IPv6 addresses keep their brackets. */
static tmodel_span
endpoint_host(tmodel_span authority)
{
	if (authority.len > 0 && authority.data[0] == '[')
	{
		tmodel_span host = endpoint_up_to(authority, "]");

		if (host.len < authority.len)
			host.len++;
		return host;
	}
	return endpoint_up_to(authority, ":");
}

/* Takes the URL apart. */
static bool
endpoint_read_url(tmodel_arena *arena, const tstore_config *config,
				  tstore_endpoint *endpoint, tstore_error *error)
{
	tmodel_span url = tmodel_span_of(config->endpoint);
	tmodel_span rest = url;
	tmodel_span authority;
	tmodel_span host;

	if (!endpoint_is_printable(url))
		return endpoint_refuse(arena, error,
							   "endpoint contains an illegal character");
	endpoint->https = endpoint_take_scheme(&rest, "https://");
	if (!endpoint->https && !endpoint_take_scheme(&rest, "http://"))
		return endpoint_refuse(arena, error,
							   "endpoint must begin with http:// or https://");
	if (endpoint_up_to(rest, "?#@").len != rest.len)
		return endpoint_refuse(arena, error,
							   "endpoint must not have a query, a fragment or "
							   "a user name");
	while (rest.len > 0 && rest.data[rest.len - 1] == '/')
		rest.len--;
	authority = endpoint_up_to(rest, "/");
	host = endpoint_host(authority);
	if (host.len == 0)
		return endpoint_refuse(arena, error, "endpoint has no host");
	url.len = (size_t) (authority.data - url.data) + authority.len;
	rest.data += authority.len;
	rest.len -= authority.len;
	endpoint->loopback = endpoint_is_loopback(host);
	endpoint->base = tmodel_span_copy(arena, url);
	endpoint->prefix = tmodel_span_copy(arena, rest);
	endpoint->account =
		tmodel_span_copy(arena,
						 endpoint_account(tmodel_span_of(config->account),
										  host, rest));
	if (arena->failed)
		return endpoint_refuse(arena, error, "");
	return true;
}

/* Reads the account key. */
static bool
endpoint_read_key(tmodel_arena *arena, const tstore_config *config,
				  tstore_endpoint *endpoint, tstore_error *error)
{
	if (!tstore_base64_decode(arena, tmodel_span_of(config->account_key),
							  &endpoint->key))
		return endpoint_refuse(arena, error, "account key is not base64");
	if (endpoint->account.len == 0)
		return endpoint_refuse(arena, error,
							   "endpoint does not show the account's name");
	if (!endpoint_is_printable(endpoint->account))
		return endpoint_refuse(arena, error,
							   "account contains an illegal character");
	return true;
}

/* Reads the SAS token. */
static bool
endpoint_read_sas(tmodel_arena *arena, const tstore_config *config,
				  tstore_endpoint *endpoint, tstore_error *error)
{
	tmodel_span sas = tmodel_span_of(config->sas_token);

	while (sas.len > 0 && (sas.data[0] == '?' || sas.data[0] == '&'))
	{
		sas.data++;
		sas.len--;
	}
	if (sas.len == 0 || !endpoint_is_printable(sas) ||
		memchr(sas.data, '#', sas.len) != NULL)
		return endpoint_refuse(arena, error,
							   "SAS token is empty or contains an illegal "
							   "character");
	endpoint->sas = tmodel_span_copy(arena, sas);
	if (arena->failed)
		return endpoint_refuse(arena, error, "");
	return true;
}

/* Reads the bearer token, which must not travel unencrypted. */
static bool
endpoint_read_bearer(tmodel_arena *arena, const tstore_config *config,
					 tstore_endpoint *endpoint, tstore_error *error)
{
	tmodel_span bearer = tmodel_span_of(config->bearer_token);

	if (!endpoint->https && !endpoint->loopback)
		return endpoint_refuse(arena, error,
							   "a bearer token is sent over https only");
	if (bearer.len == 0 || !endpoint_is_printable(bearer))
		return endpoint_refuse(arena, error,
							   "bearer token is empty or contains an illegal "
							   "character");
	endpoint->bearer = tmodel_span_copy(arena, bearer);
	if (arena->failed)
		return endpoint_refuse(arena, error, "");
	return true;
}

/* See store_int.h. */
bool
tstore_endpoint_read(tmodel_arena *arena, const tstore_config *config,
					 tstore_endpoint *endpoint, tstore_error *error)
{
	int			ncredentials = (config->account_key != NULL) +
		(config->sas_token != NULL) + (config->bearer_token != NULL);

	memset(endpoint, 0, sizeof(*endpoint));
	if (config->endpoint == NULL || config->endpoint[0] == '\0')
		return endpoint_refuse(arena, error, "endpoint is missing");
	if (ncredentials > 1)
		return endpoint_refuse(arena, error,
							   "only one of account key, SAS token and bearer "
							   "token can be used");
	if (!endpoint_read_url(arena, config, endpoint, error))
		return false;
	if (config->account_key != NULL)
		return endpoint_read_key(arena, config, endpoint, error);
	if (config->sas_token != NULL)
		return endpoint_read_sas(arena, config, endpoint, error);
	if (config->bearer_token != NULL)
		return endpoint_read_bearer(arena, config, endpoint, error);
	return true;				/* a proxy may authorize in our place */
}

static void
endpoint_cleanse(tmodel_span *secret)
{
	if (secret->len > 0)
		OPENSSL_cleanse((void *) secret->data, secret->len);
	*secret = (tmodel_span) {NULL, 0};
}

/* See store_int.h. */
void
tstore_endpoint_forget(tstore_endpoint *endpoint)
{
	endpoint_cleanse(&endpoint->key);
	endpoint_cleanse(&endpoint->sas);
	endpoint_cleanse(&endpoint->bearer);
}

/* Replaces every occurrence of the secret; the text only gets shorter. */
static void
endpoint_scrub_one(tmodel_span secret, char *text)
{
	if (secret.len < ENDPOINT_MIN_SECRET)
		return;
	for (char *at = text; *at != '\0'; at++)
	{
		if (strncmp(at, secret.data, secret.len) != 0)
			continue;
		memcpy(at, "***", 3);
		memmove(at + 3, at + secret.len, strlen(at + secret.len) + 1);
		at += 2;
	}
}

/* The value of the SAS's "sig", as it stands in the token. */
static tmodel_span
endpoint_sas_signature(tmodel_span sas)
{
	for (size_t i = 0; i + 4 <= sas.len; i++)
	{
		if (memcmp(sas.data + i, "sig=", 4) == 0 &&
			(i == 0 || sas.data[i - 1] == '&'))
			return endpoint_up_to((tmodel_span)
								  {sas.data + i + 4, sas.len - i - 4}, "&");
	}
	return (tmodel_span) {NULL, 0};
}

/* See store_int.h. */
void
tstore_endpoint_scrub(const tstore_endpoint *endpoint, tmodel_span also,
					  char *text)
{
	endpoint_scrub_one(endpoint->sas, text);
	endpoint_scrub_one(endpoint_sas_signature(endpoint->sas), text);
	endpoint_scrub_one(endpoint->bearer, text);
	endpoint_scrub_one(also, text);
}
