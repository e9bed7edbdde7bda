/*
 * clock.c
 *	  The clock of messages and signatures, which tests may stop and move.
 *
 * One lock, because a reader must not see a frozen time with the offset of
 * the running one.
 */
#include "clock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool frozen;
static int64_t at;				/* the time while frozen */
static int64_t ahead;			/* of the machine's clock while running */

int64_t
mock_clock_now(void)
{
	int64_t		now;

	pthread_mutex_lock(&lock);
	now = frozen ? at : timestamp_now() + ahead;
	pthread_mutex_unlock(&lock);
	return now;
}

void
mock_clock_freeze(int64_t ticks)
{
	pthread_mutex_lock(&lock);
	frozen = true;
	at = ticks;
	pthread_mutex_unlock(&lock);
}

void
mock_clock_advance(int64_t ticks)
{
	pthread_mutex_lock(&lock);
	if (frozen)
		at += ticks;
	else
		ahead += ticks;
	pthread_mutex_unlock(&lock);
}

void
mock_clock_reset(void)
{
	pthread_mutex_lock(&lock);
	frozen = false;
	ahead = 0;
	pthread_mutex_unlock(&lock);
}

bool
mock_clock_is_frozen(void)
{
	bool		is;

	pthread_mutex_lock(&lock);
	is = frozen;
	pthread_mutex_unlock(&lock);
	return is;
}
