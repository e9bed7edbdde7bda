/*
 * zombie.h
 *	  Requests that are applied (once more) when nobody expects it.
 */
#ifndef MTS_ZOMBIE_H
#define MTS_ZOMBIE_H

#include "router.h"

extern bool zombie_start(void);

/* Ends the thread; what still waits is forgotten. */
extern void zombie_stop(void);

/*
 * Takes over a request that router_detach() returned and applies it when the
 * fault's ms are over or its point is released.
 */
extern void zombie_add(Request *r);

/* Apply those that wait at the point (NULL: all); how many. */
extern int	zombie_release(const char *point);

#endif							/* MTS_ZOMBIE_H */
