/*
 * limits.h
 *	  --limits azure: the scalability targets of the service, simulated.
 */
#ifndef MTS_LIMITS_H
#define MTS_LIMITS_H

#include "mem.h"

/* Rows a page may look at: 5 s of a service that scans 10,000 a second. */
#define LIMITS_PAGE_ROWS 50000

/* False when there are no limits of that name. */
extern bool limits_set(const char *name);
extern bool limits_on(void);

/*
 * May a request of that many entities go on?  partition is NULL when it is
 * not confined to one.  Takes the tokens if so; else *which says whose bucket
 * was empty.
 */
extern bool limits_admit(const char *account, Span table,
						 const Span *partition, int entities,
						 const char **which);

/* What only became known afterwards; may leave a bucket in debt. */
extern void limits_charge(const char *account, Span table, Span partition,
						  int entities);

#endif							/* MTS_LIMITS_H */
