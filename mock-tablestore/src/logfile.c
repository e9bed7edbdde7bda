/*
 * logfile.c
 *	  The file of --log: one line per request and per thing that went wrong.
 *
 * Lines are written whole under a lock and flushed, so that a test that reads
 * the file after a reply sees the request's line.
 */
#include "logfile.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "timestamp.h"

static FILE *log_file;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* Appends; "-" is stderr. */
bool
log_open(const char *path)
{
	log_file = strcmp(path, "-") == 0 ? stderr : fopen(path, "ae");
	return log_file != NULL;
}

void
log_close(void)
{
	if (log_file != NULL && log_file != stderr)
		fclose(log_file);
	log_file = NULL;
}

bool
log_requests(void)
{
	return log_file != NULL;
}

void
log_line(const char *fmt,...)
{
	char		now[TIMESTAMP_MAX];
	FILE	   *to = log_file ? log_file : stderr;
	va_list		ap;

	timestamp_format7(now, timestamp_now());
	pthread_mutex_lock(&log_lock);
	fprintf(to, "%s ", now);
	va_start(ap, fmt);
	vfprintf(to, fmt, ap);
	va_end(ap);
	fputc('\n', to);
	fflush(to);
	pthread_mutex_unlock(&log_lock);
}
