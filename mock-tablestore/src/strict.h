/*
 * strict.h
 *	  --strict: what the service tolerates but documents as wrong.
 */
#ifndef MTS_STRICT_H
#define MTS_STRICT_H

#include "router.h"

/* Seconds a timeout= may have. */
#define STRICT_MAX_TIMEOUT 30

extern void strict_enable(void);
extern bool strict_on(void);

/*
 * Of a request that is right otherwise; the detail of its reply names the
 * rule that was broken.
 */
extern ErrCode strict_check(Request *r);

/* strict_queue.c: of a request to the queue service. */
extern ErrCode strict_check_queue(Request *r);

/* Pieces both services use; names ends with NULL and may be NULL itself. */
extern const char *const strict_signature_options[];
extern bool strict_known(const char *const *names, const char *name,
						 bool fold);
extern ErrCode strict_refuse(Request *r, ErrCode err, const char *rule,
							 const char *fmt,...)
			__attribute__((format(printf, 4, 5)));

/* A decimal number from 1 to max, if it is there at all. */
extern ErrCode strict_number(Request *r, const Command *cmd,
							 const char *name, const char *rule, long max);

/* The first header that is neither known nor starts with prefix. */
extern const char *strict_unknown_header(const Request *r,
										 const char *const *known,
										 const char *prefix);

#endif							/* MTS_STRICT_H */
