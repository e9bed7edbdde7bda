/*
 * cors.h
 *	  Cross-origin requests: the rules, the preflight, the reply's headers.
 */
#ifndef MTS_CORS_H
#define MTS_CORS_H

#include "command.h"
#include "xml.h"

/* Is the <Cors> of a PUT as the service wants it? */
extern ErrCode cors_check(const XmlNode *section);

/* The same in the service's own spelling. */
extern void cors_print(Arena *a, Buf *out, const XmlNode *section);

/* Tell that rules may have changed; needs the store's lock. */
extern void cors_changed(Store *store);

/* OPTIONS: allowed by a rule, or not. */
extern ErrCode cors_preflight(Context *c, char service, HeaderLookup header,
							  void *who, Reply *reply);

/* Adds what a browser wants to see in the reply to an actual request. */
extern void cors_answer(Context *c, char service, const char *method,
						HeaderLookup header, void *who, Reply *reply);

/* May a script see that header?  exposed: a rule's list. */
extern bool cors_exposes(Span exposed, const char *header);

#endif							/* MTS_CORS_H */
