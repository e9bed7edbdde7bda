/*
 * status.c
 *	  The names of statuses and kinds, how an error is filled in, and the clock.
 *
 * Called by all of store/ and by whoever prints a status.  Easy to break: the
 * phrases are shown to users; docs/ERRORS.md quotes them.
 */
#include "response.h"

#include <time.h>

const char *const tstore_kind_names[TSTORE_KINDS] = {
	"get", "query", "batch", "insert", "update", "delete", "table", "queue"
};

/* See status.h. */
const char *
tstore_status_text(tstore_status status)
{
	switch (status)
	{
		case TSTORE_OK:
			return "ok";
		case TSTORE_NOT_FOUND:
			return "entity not found";
		case TSTORE_TABLE_NOT_FOUND:
			return "table not found";
		case TSTORE_EXISTS:
			return "entity already exists";
		case TSTORE_TABLE_EXISTS:
			return "table already exists";
		case TSTORE_TABLE_BEING_DELETED:
			return "table is being deleted";
		case TSTORE_PRECONDITION:
			return "entity was changed";
		case TSTORE_AUTH:
			return "not authorized";
		case TSTORE_TOO_LARGE:
			return "too large";
		case TSTORE_INVALID:
			return "request not valid";
		case TSTORE_THROTTLED:
			return "store is busy";
		case TSTORE_SERVER:
			return "store failed";
		case TSTORE_CONNECT:
			return "could not connect";
		case TSTORE_TIMEOUT:
			return "no answer in time";
		case TSTORE_LOST:
			return "connection lost";
		case TSTORE_TLS:
			return "secure connection failed";
		case TSTORE_PROTOCOL:
			return "answer not understood";
		case TSTORE_ABORTED:
			return "aborted";
		case TSTORE_BAD_CONFIG:
			return "configuration not valid";
		case TSTORE_NO_MEMORY:
			return "out of memory";
	}
	return "unknown status";
}

/* See status.h. */
int64_t
tstore_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t) now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
