/*
 * park.c
 *	  Requests that wait without holding a thread.
 *
 * libmicrohttpd does not watch suspended connections, so one thread of our
 * own does: it resumes a connection when its time has come, or, if it waits
 * without end, when its client has hung up.  Easy to break: a connection must
 * be suspended before it is in the list, and resumed exactly once.
 */
#include "park.h"

#include <microhttpd.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "json.h"

typedef struct Parked
{
	struct MHD_Connection *connection;
	int			fd;
	int64_t		due_ms;			/* monotonic; negative: no time set */
	const char *point;			/* waits for its release; NULL: for no point */
	struct Parked *next;
} Parked;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Parked *parked;
static int	nparked;
static bool stopping;
static int	wake_fd = -1;
static pthread_t thread;

static int64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

static void
wake(void)
{
	uint64_t	one = 1;

	if (write(wake_fd, &one, sizeof(one)) < 0)
		return;					/* the counter is full: it wakes anyway */
}

/* Resume all that wants says and count them; under the lock. */
static int
release(bool (*wants) (const Parked *p, void *arg), void *arg)
{
	Parked	  **at = &parked;
	int			n = 0;

	while (*at)
	{
		Parked	   *p = *at;

		if (!wants(p, arg))
		{
			at = &p->next;
			continue;
		}
		*at = p->next;
		nparked--;
		MHD_resume_connection(p->connection);
		free(p);
		n++;
	}
	return n;
}

static bool
is_due(const Parked *p, void *arg)
{
	return p->due_ms >= 0 && p->due_ms <= *(int64_t *) arg;
}

static bool
has_fd(const Parked *p, void *arg)
{
	return p->fd == *(int *) arg;
}

static bool
is_silent(const Parked *p, void *arg)
{
	return p->due_ms < 0 && p->point == NULL;
}

static bool
is_at(const Parked *p, void *arg)
{
	return p->point && strcmp(p->point, arg) == 0;
}

static bool
is_at_any(const Parked *p, void *arg)
{
	return p->point != NULL && p->point[0] != PARK_HIDDEN[0];
}

static bool
any(const Parked *p, void *arg)
{
	return true;
}

/* What to poll for; returns the timeout.  Under the lock. */
static int
fill_poll(struct pollfd *fds)
{
	int64_t		now = now_ms();
	int64_t		timeout = -1;
	int			n = 1;

	fds[0] = (struct pollfd) {.fd = wake_fd,.events = POLLIN};
	for (const Parked *p = parked; p; p = p->next)
	{
		/* A delayed request is served in its time, client or not. */
		fds[n++] = (struct pollfd) {.fd = is_silent(p, NULL) ? p->fd : -1,
		.events = POLLRDHUP};
		if (p->due_ms >= 0 && (timeout < 0 || p->due_ms - now < timeout))
			timeout = p->due_ms > now ? p->due_ms - now : 0;
	}
	return (int) timeout;
}

static void *
run(void *arg)
{
	struct pollfd *fds = NULL;
	uint64_t	count;
	int64_t		now;
	int			timeout;
	int			n;

	pthread_mutex_lock(&lock);
	while (!stopping)
	{
		n = nparked + 1;
		fds = xrealloc(fds, sizeof(*fds) * (size_t) n);
		timeout = fill_poll(fds);
		pthread_mutex_unlock(&lock);
		poll(fds, (nfds_t) n, timeout);
		pthread_mutex_lock(&lock);
		if (fds[0].revents && read(wake_fd, &count, sizeof(count)) < 0)
			continue;
		for (int i = 1; i < n; i++)
		{
			if (fds[i].revents)
				release(has_fd, &fds[i].fd);
		}
		now = now_ms();
		release(is_due, &now);
	}
	release(any, NULL);
	pthread_mutex_unlock(&lock);
	free(fds);
	return NULL;
}

bool
park_start(void)
{
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return wake_fd >= 0 && pthread_create(&thread, NULL, run, NULL) == 0;
}

void
park_stop(void)
{
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_mutex_unlock(&lock);
	wake();
	pthread_join(thread, NULL);
	close(wake_fd);
}

static bool
add(Parked what)
{
	struct MHD_Connection *connection = what.connection;
	Parked	   *p = xmalloc(sizeof(*p));

	*p = what;
	pthread_mutex_lock(&lock);
	if (stopping)
	{
		pthread_mutex_unlock(&lock);
		free(p);
		return false;
	}
	MHD_suspend_connection(connection);
	p->next = parked;
	parked = p;
	nparked++;
	pthread_mutex_unlock(&lock);
	wake();
	return true;
}

bool
park(struct MHD_Connection *connection, int fd, int64_t ms)
{
	return add((Parked) {.connection = connection,.fd = fd,
			   .due_ms = ms < 0 ? -1 : now_ms() + ms});
}

bool
park_at(struct MHD_Connection *connection, int fd, const char *point)
{
	return add((Parked) {.connection = connection,.fd = fd,.due_ms = -1,
			   .point = point});
}

int
park_release(const char *point)
{
	int			n;

	pthread_mutex_lock(&lock);
	n = point ? release(is_at, (void *) (uintptr_t) point) :
		release(is_at_any, NULL);
	pthread_mutex_unlock(&lock);
	return n;
}

void
park_print(Buf *out)
{
	const char *separator = "";

	BUF_LIT(out, "[");
	pthread_mutex_lock(&lock);
	for (const Parked *p = parked; p; p = p->next)
	{
		if (!is_at_any(p, NULL))
			continue;
		buf_puts(out, separator);
		json_string(out, span_of(p->point));
		separator = ",";
	}
	pthread_mutex_unlock(&lock);
	BUF_LIT(out, "]\n");
}

void
park_release_silent(void)
{
	pthread_mutex_lock(&lock);
	release(is_silent, NULL);
	pthread_mutex_unlock(&lock);
}
