/*
 * latency.h
 *	  How long a request waits before it is served.
 */
#ifndef MTS_LATENCY_H
#define MTS_LATENCY_H

#include "mem.h"

/* From MS[:JITTER]; false when the text is something else. */
extern bool latency_set(const char *text);
extern void latency_seed(uint64_t seed);

/* Of the next request, in ms. */
extern int64_t latency_next(void);

#endif							/* MTS_LATENCY_H */
