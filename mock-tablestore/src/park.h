/*
 * park.h
 *	  Requests that wait without holding a thread.
 */
#ifndef MTS_PARK_H
#define MTS_PARK_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;

extern bool park_start(void);

/* Resumes everything and ends the thread; park() then refuses. */
extern void park_stop(void);

/*
 * Suspend the connection until ms are over, or, with ms < 0, until the client
 * is gone or faults are cleared.  False: the server is stopping, nothing was
 * suspended.
 */
extern bool park(struct MHD_Connection *connection, int fd, int64_t ms);

extern void park_release_silent(void);

#endif							/* MTS_PARK_H */
