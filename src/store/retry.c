/*
 * retry.c
 *	  After a failed attempt: is there another one, and when?
 *
 * Nothing here waits or looks at a clock; the rules are those of client.h,
 * "Retries".  Called by client.c after every attempt.
 *
 * Easy to break: a write that may have been applied is repeated only when
 * doing it twice is the same as doing it once.
 */
#include "response.h"

#define RETRY_FIRST_MS 100
/* with half of it as jitter on top, never above 10 s */
#define RETRY_LAST_MS 6666
/* a store that asks for more is asked again after so long all the same */
#define RETRY_TOLD_MAX_MS 60000

/* See response.h. */
bool
tstore_retry_is_uncertain(tstore_status status)
{
	switch (status)
	{
		case TSTORE_SERVER:
		case TSTORE_TIMEOUT:
		case TSTORE_LOST:
			return true;
		default:
			return false;
	}
}

static bool
retry_is_wanted(const tstore_retry_case *retry)
{
	switch (retry->status)
	{
		case TSTORE_THROTTLED:
		case TSTORE_CONNECT:
			return true;
		case TSTORE_SERVER:
			if (retry->http_status == 501 || retry->http_status == 505)
				return false;
			return retry->read || retry->idempotent;
		case TSTORE_TIMEOUT:
		case TSTORE_LOST:
			return retry->read || retry->idempotent;
		default:
			return false;
	}
}

/* See response.h. */
int64_t
tstore_retry_wait_ms(const tstore_retry_case *retry)
{
	int64_t		wait_ms = RETRY_FIRST_MS;

	if (retry->attempt > retry->max_retries || !retry_is_wanted(retry))
		return -1;
	if (retry->told_ms >= 0)
		return retry->told_ms < RETRY_TOLD_MAX_MS ? retry->told_ms :
			RETRY_TOLD_MAX_MS;
	for (int i = 1; i < retry->attempt && wait_ms < RETRY_LAST_MS; i++)
		wait_ms *= 2;
	if (wait_ms > RETRY_LAST_MS)
		wait_ms = RETRY_LAST_MS;
	return wait_ms + retry->random % (wait_ms / 2 + 1);
}

/* Reads a plain decimal number; false when it is none or absurd. */
static bool
retry_read_number(tmodel_span text, int64_t *number)
{
	int64_t		sum = 0;

	if (text.len == 0 || text.len > 12)
		return false;
	for (size_t i = 0; i < text.len; i++)
	{
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		sum = sum * 10 + (text.data[i] - '0');
	}
	*number = sum;
	return true;
}

/* See response.h. */
int64_t
tstore_retry_told_ms(const tstore_headers *headers, int64_t now)
{
	int64_t		number;

	if (retry_read_number(headers->retry_after_ms, &number))
		return number;
	if (retry_read_number(headers->retry_after, &number))
		return number * 1000;
	if (tstore_http_date_read(headers->retry_after, &number))
	{
		int64_t		server_now;

		/* against the store's own clock, when it tells it */
		if (tstore_http_date_read(headers->date, &server_now))
			now = server_now;
		return number > now ? (number - now) * 1000 : 0;
	}
	return -1;
}
