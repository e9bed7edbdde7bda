/*
 * test_protocol_script.h
 *	  Fixtures and words for the protocol tests: entities made of a few
 *	  letters, a machine's requests as one line of text, answers in a word.
 *
 * Facts have the property d; entries have the PartitionKey they are named by,
 * the RowKey "p,r", and d when the index is covering.
 */
#ifndef TEST_PROTOCOL_SCRIPT_H
#define TEST_PROTOCOL_SCRIPT_H

#include "unit.h"
#include "model/protocol.h"

#include <stdlib.h>

#define MINE "me"				/* the machine's write id */

/* Everything a test needs; made by script_begin(). */
typedef struct script
{
	tmodel_arena arena;
	tmodel_change change;
	tmodel_index_change parts[2];
	tmodel_machine *machine;
	int			nsent;			/* requests answered so far */
	char		text[4096];		/* script_asks() */
} script;

extern void script_set(tmodel_entity *entity, const char *name,
					   tmodel_value value);

extern tmodel_entity *script_entity(script *s, const char *pk,
									const char *rk, const char *etag);

/* A live fact; writes NULL: without write ids. */
extern tmodel_entity *script_fact(script *s, const char *d, const char *etag,
								  const char *writes);

extern tmodel_entity *script_stub(script *s, const char *etag,
								  const char *writes);

/* One entry per letter of keys; d NULL: of a pointer index. */
extern tmodel_entries script_entries(script *s, const char *keys,
									 const char *d);

/* A change without indexes; the fact is "old" at etag e0, written by w0. */
extern void script_begin(script *s, tmodel_change_kind kind, bool indexed);

/* Adds an index; keys are letters.  Covering entries copy d. */
extern void script_index(script *s, bool covering, const char *old_keys,
						 const char *new_keys);

extern void script_start(script *s);

extern void script_end(script *s);

extern const char *script_phase(const script *s);

extern const char *script_verdict(const script *s);

/*
 * "PHASE: ACTION table/pk [if-match etag] [properties]; ..." of all the
 * requests that are open, or "FINISHED VERDICT".
 */
extern const char *script_asks(script *s);

/* Answers the first open request.  etag: of a write that was applied. */
extern void script_answer(script *s, tmodel_outcome outcome,
						  const char *etag);

/* Answers the first open request, a GET, with what was found; NULL: 404. */
extern void script_found(script *s, const tmodel_entity *entity);

/* Answers everything with success until the phase is reached. */
extern void script_until(script *s, tmodel_phase phase);

#endif							/* TEST_PROTOCOL_SCRIPT_H */
