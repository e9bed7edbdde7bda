/*
 * clock.h
 *	  The clock of messages and signatures, which tests may stop and move.
 *
 * Visibility, expiry, shared access signatures and --limits go by it; Timestamps, ETags
 * and the 15-minute rule of x-ms-date go by the machine's clock.
 */
#ifndef MTS_CLOCK_H
#define MTS_CLOCK_H

#include "timestamp.h"

extern int64_t mock_clock_now(void);

/* Stand still at that time. */
extern void mock_clock_freeze(int64_t ticks);

/* Move it, whether it stands or runs. */
extern void mock_clock_advance(int64_t ticks);

/* Back to the machine's clock. */
extern void mock_clock_reset(void);
extern bool mock_clock_is_frozen(void);

#endif							/* MTS_CLOCK_H */
