/*
 * park.h
 *	  Requests that wait without holding a thread.
 */
#ifndef MTS_PARK_H
#define MTS_PARK_H

#include "mem.h"

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

/* Suspend it until the point, which must stay valid, is released. */
extern bool park_at(struct MHD_Connection *connection, int fd,
					const char *point);

/* What a point begins with that is not a test's. */
#define PARK_HIDDEN "\001"

/* How many went on; NULL: those of all points tests made. */
extern int	park_release(const char *point);

/* The point of each that waits at one, as a JSON array. */
extern void park_print(Buf *out);

#endif							/* MTS_PARK_H */
