/*
 * journal.c
 *	  What was asked: one line per request, and counters.
 *
 * Lines are kept in a ring, the oldest go first.  A request is entered when
 * its answer is handed to the HTTP library, so whoever has the answer finds
 * the line.  Requests under /__mock/ are not entered.
 */
#include "journal.h"

#include <pthread.h>
#include <stdlib.h>

#include "sync.h"

#define MAX_LINES 200000

typedef struct Counters
{
	uint64_t	requests[CLASS_COUNT];
	uint64_t	entities_in;
	uint64_t	entities_out;
	uint64_t	bytes_in;
	uint64_t	bytes_out;
	uint64_t	connections;
} Counters;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Counters counters;
static char *lines[MAX_LINES];
static uint64_t first;			/* sequence number of the oldest line */
static uint64_t next;			/* of the next one */

const char *
class_name(CounterClass class)
{
	static const char *const names[CLASS_COUNT] = {"other", "table", "get",
	"query", "batch", "insert", "update", "delete", "queue"};

	return names[class];
}

/* A tab and the digits of n. */
static char *
put_number(char *to, uint64_t n)
{
	char		digits[20];
	size_t		left = sizeof(digits);

	do
		digits[--left] = (char) ('0' + n % 10);
	while (n /= 10);
	*to++ = '\t';
	return mempcpy(to, digits + left, sizeof(digits) - left);
}

/* All but the number, with a newline; exactly as long as it must be. */
static char *
make_line(const JournalEntry *e)
{
	size_t		method = strlen(e->method);
	size_t		uri = strlen(e->uri);
	size_t		fault = e->fault ? strlen(e->fault) : 0;
	char		numbers[4 * 21];
	char	   *end = put_number(numbers, (uint64_t) e->status);
	char	   *line;
	char	   *to;

	end = put_number(end, e->bytes_in);
	end = put_number(end, e->bytes_out);
	end = put_number(end, e->connection);
	line = xmalloc(method + uri + (size_t) (end - numbers) + fault + 4);
	to = mempcpy(line, e->method, method);
	*to++ = '\t';
	to = mempcpy(to, e->uri, uri);
	to = mempcpy(to, numbers, (size_t) (end - numbers));
	if (fault > 0)
	{
		*to++ = '\t';
		to = mempcpy(to, e->fault, fault);
	}
	memcpy(to, "\n", 2);
	return line;
}

void
journal_add(const JournalEntry *e)
{
	char	   *line = make_line(e);
	char	   *old = NULL;

	pthread_mutex_lock(&lock);
	if (!e->again)
	{
		counters.requests[e->class]++;
		counters.entities_in += (uint64_t) e->entities_in;
		counters.entities_out += (uint64_t) e->entities_out;
		counters.bytes_in += e->bytes_in;
		counters.bytes_out += e->bytes_out;
	}
	if (next - first == MAX_LINES)
		old = lines[first++ % MAX_LINES];
	lines[next++ % MAX_LINES] = line;
	pthread_mutex_unlock(&lock);
	free(old);
}

void
journal_connection(void)
{
	pthread_mutex_lock(&lock);
	counters.connections++;
	pthread_mutex_unlock(&lock);
}

void
journal_print(Buf *out)
{
	pthread_mutex_lock(&lock);
	for (uint64_t i = first; i < next; i++)
		buf_printf(out, "%llu\t%s", (unsigned long long) (i + 1),
				   lines[i % MAX_LINES]);
	pthread_mutex_unlock(&lock);
}

/* Forgets the lines and counts from 1 again. */
void
journal_reset(void)
{
	pthread_mutex_lock(&lock);
	for (; first < next; first++)
		free(lines[first % MAX_LINES]);
	first = next = 0;
	pthread_mutex_unlock(&lock);
}

void
counters_print(Buf *out)
{
	Counters	c;
	uint64_t	total = 0;

	pthread_mutex_lock(&lock);
	c = counters;
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < CLASS_COUNT; i++)
		total += c.requests[i];
	buf_printf(out, "{\"requests\":%llu", (unsigned long long) total);
	for (int i = 0; i < CLASS_COUNT; i++)
		buf_printf(out, ",\"%s\":%llu", class_name((CounterClass) i),
				   (unsigned long long) c.requests[i]);
	buf_printf(out, ",\"entities_in\":%llu,\"entities_out\":%llu,"
			   "\"bytes_in\":%llu,\"bytes_out\":%llu,\"connections\":%llu,"
			   "\"syncs\":%llu}\n",
			   (unsigned long long) c.entities_in,
			   (unsigned long long) c.entities_out,
			   (unsigned long long) c.bytes_in,
			   (unsigned long long) c.bytes_out,
			   (unsigned long long) c.connections,
			   (unsigned long long) sync_count());
}

void
counters_reset(void)
{
	pthread_mutex_lock(&lock);
	memset(&counters, 0, sizeof(counters));
	pthread_mutex_unlock(&lock);
}
