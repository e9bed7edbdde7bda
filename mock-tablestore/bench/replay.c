/*
 * replay.c
 *	  Sends prepared HTTP requests as fast as the server answers.
 *
 *	  replay PORT CONNECTIONS SECONDS FILE
 *
 * FILE holds requests, each as "LENGTH\n" and that many bytes.  Every
 * connection sends the next one when it has its reply; with SECONDS 0 each
 * request is sent once, else they go round.  One thread and epoll, so that
 * the client takes as little of the machine as it can.  Prints: requests,
 * seconds, replies that were not 2xx, bytes received, and the median and the
 * 99th percentile of the time to a reply in microseconds.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_CONNECTIONS 256
#define MAX_HEAD 8192
#define MAX_SAMPLES 2000000

typedef struct Text
{
	const char *p;
	size_t		n;
} Text;

typedef struct Connection
{
	int			fd;
	Text		request;		/* the one under way */
	size_t		sent;
	char		head[MAX_HEAD];	/* the reply's head, as far as it is here */
	size_t		head_n;
	bool		in_body;
	bool		chunked;
	size_t		left;			/* of a body with a length */
	char		tail[8];		/* last bytes of a chunked body */
	double		began;
} Connection;

static Text *requests;
static size_t nrequests;
static size_t next_request;
static bool once;
static double end_time;
static uint64_t done;
static uint64_t bad;
static uint64_t received;
static float *samples;
static size_t nsamples;
static int	active;
static int	epoll_fd;

static void
die(const char *what)
{
	fprintf(stderr, "replay: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double) ts.tv_sec + (double) ts.tv_nsec / 1e9;
}

static char *
read_file(const char *path, size_t *n)
{
	FILE	   *f = fopen(path, "rb");
	char	   *data;

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		die(path);
	*n = (size_t) ftell(f);
	rewind(f);
	data = malloc(*n + 1);
	if (data == NULL || fread(data, 1, *n, f) != *n)
		die(path);
	data[*n] = '\0';
	fclose(f);
	return data;
}

static void
load_requests(char *data, size_t n)
{
	char	   *end = data + n;

	while (data < end)
	{
		size_t		length = strtoul(data, &data, 10);

		data++;
		requests = realloc(requests, (nrequests + 1) * sizeof(Text));
		requests[nrequests++] = (Text) {data, length};
		data += length;
	}
}

/* Wants to be told about writing only while a request is half sent. */
static void
push(Connection *c)
{
	struct epoll_event event = {.events = EPOLLIN,.data.ptr = c};
	ssize_t		n;

	while (c->sent < c->request.n)
	{
		n = send(c->fd, c->request.p + c->sent, c->request.n - c->sent,
				 MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno == EAGAIN)
		{
			event.events = EPOLLIN | EPOLLOUT;
			break;
		}
		if (n < 0)
			die("send");
		c->sent += (size_t) n;
	}
	epoll_ctl(epoll_fd, EPOLL_CTL_MOD, c->fd, &event);
}

static void
start_request(Connection *c)
{
	if ((once && next_request == nrequests) || (!once && now() > end_time))
	{
		active--;
		return;
	}
	c->request = requests[next_request++ % nrequests];
	c->sent = 0;
	c->head_n = 0;
	c->in_body = false;
	c->began = now();
	push(c);
}

static void
finish_reply(Connection *c)
{
	done++;
	if (c->head[9] != '2')
	{
		if (bad++ == 0)
			fprintf(stderr, "replay: %.*s\n", (int) c->head_n, c->head);
	}
	if (nsamples < MAX_SAMPLES)
		samples[nsamples++] = (float) ((now() - c->began) * 1e6);
	start_request(c);
}

/* A chunked body ends with an empty chunk; no body here looks like one. */
static bool
take_body(Connection *c, const char *p, size_t n)
{
	if (!c->chunked)
	{
		c->left = n > c->left ? 0 : c->left - n;
		return c->left == 0;
	}
	if (n >= sizeof(c->tail))
		memcpy(c->tail, p + n - sizeof(c->tail), sizeof(c->tail));
	else
	{
		memmove(c->tail, c->tail + n, sizeof(c->tail) - n);
		memcpy(c->tail + sizeof(c->tail) - n, p, n);
	}
	return memcmp(c->tail + 1, "\r\n0\r\n\r\n", 7) == 0;
}

/* True when the head is complete; *rest is where the body begins. */
static bool
take_head(Connection *c, const char **p, size_t *n)
{
	size_t		old = c->head_n;
	size_t		more = *n < MAX_HEAD - 1 - old ? *n : MAX_HEAD - 1 - old;
	const char *end;
	const char *length;

	memcpy(c->head + old, *p, more);
	c->head_n += more;
	c->head[c->head_n] = '\0';
	end = strstr(c->head, "\r\n\r\n");
	if (end == NULL)
		return false;
	end += 4;
	*p += (size_t) (end - c->head) - old;
	*n -= (size_t) (end - c->head) - old;
	c->head_n = (size_t) (end - c->head);
	c->head[c->head_n] = '\0';
	length = strcasestr(c->head, "\r\ncontent-length:");
	c->chunked = strcasestr(c->head, "\r\ntransfer-encoding: chunked") != NULL;
	c->left = length ? strtoul(length + 17, NULL, 10) : 0;
	memset(c->tail, 0, sizeof(c->tail));
	c->in_body = true;
	return true;
}

static void
on_readable(Connection *c)
{
	static char buffer[1 << 18];
	ssize_t		got = recv(c->fd, buffer, sizeof(buffer), MSG_DONTWAIT);
	const char *p = buffer;
	size_t		n = (size_t) got;

	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0)
		die("the server closed the connection");
	received += n;
	if (!c->in_body && !take_head(c, &p, &n))
		return;
	if (take_body(c, p, n))
		finish_reply(c);
}

static void
open_connection(Connection *c, int port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t) port),
	.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct epoll_event event = {.events = EPOLLIN,.data.ptr = c};
	int			one = 1;

	c->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (c->fd < 0 || connect(c->fd, (struct sockaddr *) &to, sizeof(to)) != 0)
		die("connect");
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, c->fd, &event);
}

static int
compare(const void *a, const void *b)
{
	float		x = *(const float *) a;
	float		y = *(const float *) b;

	return x < y ? -1 : x > y;
}

static void
run(Connection *connections, int n, double seconds)
{
	struct epoll_event events[64];
	double		began = now();
	int			ready;

	end_time = began + seconds;
	active = n;
	for (int i = 0; i < n; i++)
		start_request(&connections[i]);
	while (active > 0)
	{
		ready = epoll_wait(epoll_fd, events, 64, -1);
		for (int i = 0; i < ready; i++)
		{
			Connection *c = events[i].data.ptr;

			if (events[i].events & EPOLLOUT)
				push(c);
			if (events[i].events & ~(uint32_t) EPOLLOUT)
				on_readable(c);
		}
	}
	qsort(samples, nsamples, sizeof(float), compare);
	printf("%llu %.4f %llu %llu %.0f %.0f\n", (unsigned long long) done,
		   now() - began, (unsigned long long) bad,
		   (unsigned long long) received,
		   nsamples ? samples[nsamples / 2] : 0,
		   nsamples ? samples[nsamples * 99 / 100] : 0);
}

int
main(int argc, char **argv)
{
	static Connection connections[MAX_CONNECTIONS];
	size_t		n;
	char	   *data;
	int			count = argc == 5 ? atoi(argv[2]) : 0;

	if (count < 1 || count > MAX_CONNECTIONS)
	{
		fputs("usage: replay PORT CONNECTIONS SECONDS FILE\n", stderr);
		return 2;
	}
	data = read_file(argv[4], &n);
	load_requests(data, n);
	samples = malloc(sizeof(float) * MAX_SAMPLES);
	once = atof(argv[3]) == 0;
	epoll_fd = epoll_create1(0);
	for (int i = 0; i < count; i++)
		open_connection(&connections[i], atoi(argv[1]));
	run(connections, count, atof(argv[3]));
	return 0;
}
