/*
 * response.h
 *	  How answers are read: bodies into entities, errors into statuses, and
 *	  what follows from a failure.
 *
 * Used inside store/ only.  Everything here is free of I/O, so that tests and
 * fuzzers can call it with any bytes.
 *
 * Easy to break: entities of a reply point into the exchange's body.
 */
#ifndef TSTORE_RESPONSE_H
#define TSTORE_RESPONSE_H

#include "store_int.h"

/* --- in response.c --- */

/* Equal but for the case of ASCII letters, whatever the locale. */
extern bool tstore_same_name(tmodel_span text, const char *name);

/*
 * Reads a whole answer into the reply: status, entities, ETags...  Everything
 * is in the arena or in the exchange's body.  A failed part of a batch leaves
 * its Retry-After in the exchange.
 */
extern void tstore_response_read(tmodel_arena *arena, const tstore_call *call,
								 tstore_exchange *exchange,
								 tstore_reply *reply);

/* Reads the entities of a page whose call is lazy. */
extern void tstore_response_decode(tmodel_arena *arena,
								   const tstore_exchange *exchange,
								   tstore_reply *reply);

/* One HTTP answer, the whole reply or a part of a batch's. */
typedef struct tstore_answer
{
	int			http_status;
	tmodel_span body;
	tstore_headers headers;
	int			content_id;		/* -1 when absent */
} tstore_answer;

/*
 * Fills in the error of an answer that is none of success: status, code,
 * message; "index" is the operation's number if the message begins with one
 * ("2:The specified..."), else -1.
 */
extern void tstore_response_error(tmodel_arena *arena, const tstore_call *call,
								  const tstore_answer *answer,
								  tstore_error *error, int *index);

/* Sets status and message of an error; the message is made one line. */
extern void tstore_error_set(tstore_error *error, tstore_status status,
							 tmodel_span message);

/* --- in multipart.c --- */

/*
 * Finds the answers in a batch's body, at any depth of nesting, whatever the
 * boundaries are called.  TSTORE_OK, TSTORE_PROTOCOL or TSTORE_NO_MEMORY.
 */
extern tstore_status tstore_multipart_read(tmodel_arena *arena,
										   tmodel_span content_type,
										   tmodel_span body, int max_answers,
										   int *nanswers,
										   tstore_answer *answers);

/* --- in entity_read.c --- */

/*
 * Reads one entity (a point read's body) or the "value" array of a page.
 * TSTORE_OK, TSTORE_PROTOCOL or TSTORE_NO_MEMORY.  Texts of the entities lie in
 * "json" or in the arena.
 */
extern tstore_status tstore_entity_read(tmodel_arena *arena, tmodel_span json,
										tmodel_entity *entity);
extern tstore_status tstore_page_read(tmodel_arena *arena, tmodel_span json,
									  int *nentities,
									  tmodel_entity **entities);

/* --- in retry.c --- */

typedef struct tstore_retry_case
{
	int			attempt;		/* attempts made, 1 or more */
	int			max_retries;	/* attempts after the first */
	tstore_status status;		/* how the last attempt ended */
	int			http_status;	/* 0: no answer */
	bool		read;
	bool		idempotent;
	int64_t		told_ms;		/* the store's own wish; -1: none */
	uint32_t	random;			/* any number, for the jitter */
} tstore_retry_case;

/* How long to wait before the next attempt; -1: there is none. */
extern int64_t tstore_retry_wait_ms(const tstore_retry_case *retry);

/* May the write have been applied although it ended with this status? */
extern bool tstore_retry_is_uncertain(tstore_status status);

/* The wait the headers ask for, or -1; now is in Unix seconds. */
extern int64_t tstore_retry_told_ms(const tstore_headers *headers,
									int64_t now);

#endif							/* TSTORE_RESPONSE_H */
