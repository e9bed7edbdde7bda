/*
 * zombie.c
 *	  Requests that are applied (once more) when nobody expects it.
 *
 * In a real network a request may be delivered late, or twice; a client that
 * retried long ago must live with it.  One thread of ours applies those that
 * have a time; those with a point wait for its release.  Easy to break: the
 * list's lock is not held while a request is applied.
 */
#include "zombie.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct Zombie
{
	Request    *request;
	struct timespec due;		/* monotonic */
	struct Zombie *next;
} Zombie;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static Zombie *zombies;			/* oldest first */
static bool stopping;
static pthread_t thread;

static bool
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec :
		a->tv_nsec > b->tv_nsec;
}

static bool
has_point(const Zombie *z)
{
	return z->request->fault.point[0] != '\0';
}

/* Unlinks the first one to be applied; under the lock. */
static Zombie *
take(bool (*wants) (const Zombie *z, const void *arg), const void *arg)
{
	for (Zombie **at = &zombies; *at; at = &(*at)->next)
	{
		Zombie	   *z = *at;

		if (!wants(z, arg))
			continue;
		*at = z->next;
		return z;
	}
	return NULL;
}

static bool
is_due(const Zombie *z, const void *now)
{
	return !has_point(z) && !is_later(&z->due, now);
}

static bool
is_at(const Zombie *z, const void *point)
{
	return point == NULL || strcmp(z->request->fault.point, point) == 0;
}

static void
apply(Zombie *z)
{
	router_repeat(z->request);
	router_discard(z->request);
	free(z);
}

/* Waits for a change or the next due time; under the lock. */
static void
wait_for_work(void)
{
	const struct timespec *next = NULL;

	for (const Zombie *z = zombies; z; z = z->next)
	{
		if (!has_point(z) && (next == NULL || is_later(next, &z->due)))
			next = &z->due;
	}
	if (next)
	{
		struct timespec until = *next;

		pthread_cond_timedwait(&changed, &lock, &until);
	}
	else
		pthread_cond_wait(&changed, &lock);
}

static void *
run(void *arg)
{
	struct timespec now;
	Zombie	   *z;

	pthread_mutex_lock(&lock);
	while (!stopping)
	{
		clock_gettime(CLOCK_MONOTONIC, &now);
		z = take(is_due, &now);
		if (z == NULL)
		{
			wait_for_work();
			continue;
		}
		pthread_mutex_unlock(&lock);
		apply(z);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

bool
zombie_start(void)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	pthread_condattr_destroy(&attr);
	return pthread_create(&thread, NULL, run, NULL) == 0;
}

void
zombie_stop(void)
{
	Zombie	   *z;

	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	while ((z = take(is_at, NULL)) != NULL)
	{
		router_discard(z->request);
		free(z);
	}
}

void
zombie_add(Request *r)
{
	Zombie	   *z = xmalloc(sizeof(*z));
	Zombie	  **at = &zombies;
	int			ms = r->fault.delay_ms;

	*z = (Zombie) {.request = r};
	clock_gettime(CLOCK_MONOTONIC, &z->due);
	z->due.tv_sec += ms / 1000;
	z->due.tv_nsec += ms % 1000 * 1000000L;
	if (z->due.tv_nsec >= 1000000000L)
	{
		z->due.tv_sec++;
		z->due.tv_nsec -= 1000000000L;
	}
	pthread_mutex_lock(&lock);
	while (*at)
		at = &(*at)->next;
	*at = z;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

int
zombie_release(const char *point)
{
	Zombie	   *z;
	int			n = 0;

	while (true)
	{
		pthread_mutex_lock(&lock);
		z = take(is_at, point);
		pthread_mutex_unlock(&lock);
		if (z == NULL)
			return n;
		apply(z);
		n++;
	}
}
