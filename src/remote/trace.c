/*
 * trace.c
 *	  Carries trace lines out of the store client into PostgreSQL's log.
 *
 * Lines come while libcurl is on the stack, where nothing may throw; they wait
 * here until the backend is back in its own code (remote/calls.c, txn/round.c).
 * Lines hold what is in a request's target, keys and filters, but no
 * credential: store/ leaves these out.  When memory is short or nobody takes
 * the lines, the newest are dropped.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "remote/trace.h"
#include "table/settings.h"

/* More than the requests of one wait, however many are in flight. */
#define MAX_KEPT 1024

/* The lines kept, oldest first; palloc'd in TopMemoryContext. */
static char *kept[MAX_KEPT];
static int	nkept = 0;

void
itable_trace_keep(void *ctx, const char *component, const char *line)
{
	size_t		size = strlen(component) + strlen(line) + 3;
	char	   *text;

	if (!itable_traces(component) || nkept == MAX_KEPT)
		return;
	text = MemoryContextAllocExtended(TopMemoryContext, size,
									  MCXT_ALLOC_NO_OOM);
	if (text == NULL)
		return;
	snprintf(text, size, "%s: %s", component, line);
	kept[nkept++] = text;
}

void
itable_trace_log(void)
{
	if (nkept == 0)
		return;
	for (int i = 0; i < nkept; i++)
	{
		ereport(LOG,
				(errmsg_internal("itable_fdw %s", kept[i]),
				 errhidestmt(true)));
		pfree(kept[i]);
	}
	nkept = 0;
}
