/*
 * report.h
 *	  Store failures as PostgreSQL errors: the one table of SQLSTATEs.
 */
#ifndef ITABLE_REPORT_H
#define ITABLE_REPORT_H

#include "postgres.h"

#include "compat.h"
#include "store/client.h"

/*
 * Throws.  "doing" completes "could not %s", as in "read table \"movies\"";
 * "table" is the store's table for hints, or NULL.
 */
pg_noreturn extern void itable_report(const tstore_error *error, const char *doing,
						  const char *table);

/* Throws 40001: the entity is not what the transaction read. */
pg_noreturn extern void itable_report_conflict(const char *relname,
								   const char *key);

/* Throws 40001: somebody else is at that key of a unique index. */
pg_noreturn extern void itable_report_claim(const char *relname,
											const char *key);
/* Throws 40001: the index is in another state than was known. */
pg_noreturn extern void itable_report_index_moved(const char *relname,
												  const char *index,
												  const char *state);

/* Throws 08007: "detail" says which keys are applied, not applied, unknown. */
pg_noreturn extern void itable_report_partial(const char *detail);

/* Throws for a read of the foreign table. */
pg_noreturn extern void itable_report_read(const tstore_error *error,
							   const char *relname);

/* The SQLSTATE a failure has; for callers that compose their own message. */
extern int	itable_sqlstate(const tstore_error *error);

/* "TableNotFound (HTTP 404), request id ...": for DETAIL; palloc'd */
extern char *itable_error_detail(const tstore_error *error);

#endif							/* ITABLE_REPORT_H */
