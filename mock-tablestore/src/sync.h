/*
 * sync.h
 *	  Replies wait until what they acknowledge is on the disk.
 */
#ifndef MTS_SYNC_H
#define MTS_SYNC_H

#include "mem.h"

struct MHD_Connection;

/* For the SQLite database at path; false with errno set. */
extern bool sync_start(const char *path);
extern void sync_stop(void);
extern bool sync_on(void);

/*
 * Suspend the connection until everything committed so far is on the disk.
 * False: that is already so, nothing was suspended.
 */
extern bool sync_wait(struct MHD_Connection *connection, int fd);

/* How often the disk was told to, for the counters. */
extern uint64_t sync_count(void);

#endif							/* MTS_SYNC_H */
