/*
 * powercut.c
 *	  What a disk holds that forgets everything not synced (LD_PRELOAD).
 *
 * Whenever the program syncs a file, the file's content is copied into the
 * directory POWERCUT_DIR: that directory is what would be left after a power
 * cut.  With POWERCUT_DELAY_MS a sync takes that much longer.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern int	fsync(int fd);
extern int	fdatasync(int fd);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void
copy_file(const char *path, const char *to)
{
	static char buffer[1 << 20];
	char		beside[4200];
	int			in = open(path, O_RDONLY | O_CLOEXEC);
	int			out;
	ssize_t		n;

	snprintf(beside, sizeof(beside), "%s.new", to);
	out = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (in >= 0 && out >= 0 && (n = read(in, buffer, sizeof(buffer))) > 0)
	{
		if (write(out, buffer, (size_t) n) != n)
			abort();
	}
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	rename(beside, to);
}

/* A synced directory has forgotten the names of what was deleted. */
static void
copy_deletions(const char *path, const char *dir)
{
	DIR		   *d = opendir(dir);
	struct dirent *entry;
	char		there[4096];

	while (d && (entry = readdir(d)) != NULL)
	{
		snprintf(there, sizeof(there), "%s/%s", path, entry->d_name);
		if (entry->d_name[0] == '.' || access(there, F_OK) == 0)
			continue;
		snprintf(there, sizeof(there), "%s/%s", dir, entry->d_name);
		unlink(there);
	}
	if (d)
		closedir(d);
}

static void
after_sync(int fd)
{
	const char *dir = getenv("POWERCUT_DIR");
	const char *delay = getenv("POWERCUT_DELAY_MS");
	struct timespec pause = {.tv_nsec = (delay ? atol(delay) : 0) * 1000000};
	char		link[64];
	char		path[2048];
	char		to[4096];
	struct stat st;
	ssize_t		n;

	nanosleep(&pause, NULL);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (dir == NULL || n <= 0 || fstat(fd, &st) != 0)
		return;
	path[n] = '\0';
	snprintf(to, sizeof(to), "%s%s", dir, strrchr(path, '/'));
	pthread_mutex_lock(&lock);
	if (S_ISDIR(st.st_mode))
		copy_deletions(path, dir);
	else if (S_ISREG(st.st_mode))
		copy_file(path, to);
	pthread_mutex_unlock(&lock);
}

int
fsync(int fd)
{
	after_sync(fd);
	return 0;
}

int
fdatasync(int fd)
{
	after_sync(fd);
	return 0;
}
