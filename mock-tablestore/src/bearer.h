/*
 * bearer.h
 *	  Tokens of Microsoft Entra ID, judged by their claims.
 */
#ifndef MTS_BEARER_H
#define MTS_BEARER_H

#include "sas.h"

/* The first version that answers a request without credentials by 401. */
#define VERSION_CHALLENGE "2019-12-12"

/* --oauth LEVEL; false for a level that is not known. */
extern bool bearer_set(const char *level);

/* --oauth-http: over plain HTTP, too. */
extern void bearer_allow_http(void);

/* Is that Authorization header a bearer token? */
extern bool bearer_is_there(const char *authorization);

/* May the token be used here and now? */
extern ErrCode bearer_check(Arena *a, const char *authorization,
							char service, const Account *account,
							const Origin *origin, const char *version,
							const char **detail);

/* The value of WWW-Authenticate in a 401. */
extern const char *bearer_challenge(void);

#endif							/* MTS_BEARER_H */
