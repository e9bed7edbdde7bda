/*
 * credential.c
 *	  Who asks: which kind of credential a request has, and whether it holds.
 *
 * Chooses between a key (auth.c), a bearer token (bearer.c) and a signature
 * in the URL (sas.c), and says what the service says to a request without
 * any.  Called by router.c for both services, after the URL was parsed.
 */
#include "credential.h"

#include "bearer.h"

bool
credential_error(ErrCode err)
{
	return err == ERR_AUTHENTICATION_FAILED || err == ERR_BEARER_CHALLENGE ||
		err == ERR_INVALID_AUTHENTICATION_INFO;
}

ErrCode
credential_check(Context *c, const Credential *who, Grant **grant,
				 const char **detail)
{
	const Signed *s = &who->request;
	const char *header = s->header(s->who, "Authorization");
	const char *version = s->header(s->who, "x-ms-version");

	*grant = NULL;
	if (header && bearer_is_there(header))
		return bearer_check(c->arena, header, who->service, s->account,
							who->origin, version, detail);
	if (header)
		return auth_check(s, who->text, detail);
	if (sas_is_there(s->cmd))
		return sas_check(c, s->account, who->service, who->resource, s->cmd,
						 who->origin, grant, detail);
	return version && strcmp(version, VERSION_CHALLENGE) >= 0 ?
		ERR_BEARER_CHALLENGE : ERR_AUTHENTICATION_FAILED;
}
