/*
 * sync.c
 *	  Replies wait until what they acknowledge is on the disk.
 *
 * Every write commits at once into SQLite's write-ahead log (which makes it
 * safe from kill -9), then its reply waits here.  One thread syncs the log;
 * all that committed while it was busy share the next sync.  So a power cut
 * loses nothing acknowledged, and nobody waits with the store's lock held.
 * Easy to break: who parks during a sync must wait for the next one, which is
 * why there are two points that take turns.
 */
#include "sync.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "logfile.h"
#include "park.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static const char *const points[] = {PARK_HIDDEN "0", PARK_HIDDEN "1"};
static int	turn;				/* where those park that come now */
static bool wanted;				/* somebody parked since the last turn */
static bool stopping;
static int	log_fd = -1;
static pthread_t thread;
static atomic_uint_fast64_t syncs;

/* A disk that cannot keep a promise must not be able to make one. */
static void
sync_log(void)
{
	if (fdatasync(log_fd) != 0)
	{
		log_line("cannot sync the data file: %s", strerror(errno));
		fputs("mock-tablestore: cannot sync the data file\n", stderr);
		_exit(1);
	}
	syncs++;
}

static void *
run(void *arg)
{
	int			done;

	pthread_mutex_lock(&lock);
	while (true)
	{
		while (!wanted && !stopping)
			pthread_cond_wait(&changed, &lock);
		if (!wanted)
			break;
		wanted = false;
		done = turn;
		turn = 1 - turn;
		pthread_mutex_unlock(&lock);
		sync_log();
		park_release(points[done]);
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* The directory too: it holds the names of the files. */
static bool
sync_directory(const char *path)
{
	char	   *copy = xstrdup(path);
	char	   *slash = strrchr(copy, '/');
	int			fd;
	bool		ok;

	if (slash)
		slash[slash == copy] = '\0';
	fd = open(slash ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ok = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	free(copy);
	return ok;
}

bool
sync_start(const char *path)
{
	size_t		n = strlen(path) + 8;
	char	   *log = xmalloc(n);

	snprintf(log, n, "%s-wal", path);
	log_fd = open(log, O_RDWR | O_CLOEXEC);
	free(log);
	if (log_fd < 0 || fdatasync(log_fd) != 0 || !sync_directory(path))
		return false;
	return pthread_create(&thread, NULL, run, NULL) == 0;
}

bool
sync_on(void)
{
	return log_fd >= 0;
}

void
sync_stop(void)
{
	if (log_fd < 0)
		return;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	close(log_fd);
	log_fd = -1;
}

bool
sync_wait(struct MHD_Connection *connection, int fd)
{
	bool		parked;

	pthread_mutex_lock(&lock);
	parked = park_at(connection, fd, points[turn]);
	if (parked)
	{
		wanted = true;
		pthread_cond_signal(&changed);
	}
	pthread_mutex_unlock(&lock);
	if (!parked)
		sync_log();
	return parked;
}

uint64_t
sync_count(void)
{
	return syncs;
}
