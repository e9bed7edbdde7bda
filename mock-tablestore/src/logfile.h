/*
 * logfile.h
 *	  The file of --log: one line per request and per thing that went wrong.
 *
 * Before log_open, and without --log, only errors appear, on stderr.
 */
#ifndef MTS_LOGFILE_H
#define MTS_LOGFILE_H

#include <stdbool.h>

extern bool log_open(const char *path);
extern void log_close(void);
extern bool log_requests(void);
extern void log_line(const char *fmt,...)
			__attribute__((format(printf, 1, 2)));

#endif							/* MTS_LOGFILE_H */
