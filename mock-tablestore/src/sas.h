/*
 * sas.h
 *	  Shared access signatures, and what the bearer of one may do.
 */
#ifndef MTS_SAS_H
#define MTS_SAS_H

#include <sys/socket.h>

#include "auth.h"
#include "filter.h"

/* Which service a request came to; the letter of ss= in an account SAS. */
#define SERVICE_TABLE 't'
#define SERVICE_QUEUE 'q'

/* What a signature grants; a request signed with the key has none. */
typedef struct Grant
{
	bool		is_account;		/* account SAS; else of one table or queue */
	Span		permissions;	/* letters */
	Span		types;			/* srt= of an account SAS */
	Span		resource;		/* the table or queue of a service SAS */
	KeyRange	range;			/* of a service SAS of a table */
} Grant;

/* Where a request came from, as far as a signature may restrict it. */
typedef struct Origin
{
	bool		https;
	const struct sockaddr *address; /* of the client; NULL: not known */
} Origin;

/* Has the query a signature? */
extern bool sas_is_there(const Command *cmd);

/*
 * Verify the signature in the query.  resource: the queue in the path; a
 * table's is in tn=.  On success *grant says what it allows.
 */
extern ErrCode sas_check(Context *c, const Account *account, char service,
						 Span resource, const Command *cmd,
						 const Origin *origin, Grant **grant,
						 const char **detail);

/* Is one of the resource types and all of the permissions granted? */
extern ErrCode grant_check(const Grant *g, char type, const char *account_sp,
						   const char *service_sp);

/* May the bearer do this on a table?  Keys are not looked at. */
extern ErrCode grant_allows(const Grant *g, const Command *cmd);

/* Does the grant's range hold this key (in key form)? */
extern bool grant_covers(const Grant *g, Span pk, Span rk);

/* Cut the ranges to those granted; returns how many are left. */
extern int	grant_clip(const Grant *g, KeyRange *ranges, int n);

#endif							/* MTS_SAS_H */
