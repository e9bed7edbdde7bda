/*
 * credential.h
 *	  Who asks: which kind of credential a request has, and whether it holds.
 */
#ifndef MTS_CREDENTIAL_H
#define MTS_CREDENTIAL_H

#include "sas.h"

typedef struct Credential
{
	Signed		request;
	SignedText	text;			/* of SharedKey, by service */
	char		service;
	Span		resource;		/* the queue in the path; empty for tables */
	const Origin *origin;
} Credential;

/*
 * A header counts more than a signature in the URL.  *grant stays NULL when
 * everything is allowed.  Errors that credential_error knows say nothing of
 * the request itself.
 */
extern ErrCode credential_check(Context *c, const Credential *who,
								Grant **grant, const char **detail);
extern bool credential_error(ErrCode err);

#endif							/* MTS_CREDENTIAL_H */
