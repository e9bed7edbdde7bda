/*
 * epoll.c
 *	  The epoll_wait that libmicrohttpd calls.
 *
 * The library (0.9.75 and before) asks for 128 events and, when it gets
 * exactly as many, asks again without end before it looks at them: 128 busy
 * connections on one thread then wait for each other.  This definition comes
 * before the C library's and never hands out a full set; what is left over
 * is told next time.  epoll_pwait is the same call, and known to sanitizers.
 */
#include <stddef.h>
#include <sys/epoll.h>

#define FULL_SET 128

int
epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	if (max >= FULL_SET)
		max = FULL_SET - 1;
	return epoll_pwait(fd, events, max, timeout, NULL);
}
