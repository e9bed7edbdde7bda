/*
 * protocol.h
 *	  The write protocol of index tables as a resumable state machine without
 *	  I/O (2-protocol sections 2.3 and 2.4; Promela models idx.pml, uniq.pml).
 *
 * One machine carries one fact's net change through its phases.  The conductor
 * (txn/flush.c; in tests a model store) asks every machine for the requests of
 * the lowest phase any machine is in, sends them (grouped into entity group
 * transactions as it likes) and hands each answer back.
 *
 * The two rules everything rests on:
 *	 Touch rule: a fact F0 is replaced by F1 only after, having read F0, every
 *	   entry F1 newly references and (covering) every entry of F0 or F1 whose
 *	   contents change got an unconditional, unverified upsert.
 *	 Fence rule: an entry is verified, deleted or given to another fact only
 *	   If-Match an ETag observed before an ETag change of the fact that the same
 *	   machine made.
 *
 * An entry of a unique index is a *claim*: one for each key value, its owner the
 * fact it names.  Its touch is conditional: insert-if-absent, or If-Match where
 * it is the own; another's is taken only after fencing that owner (claim.c).
 * What a machine has claimed itself and never committed, it may give up with
 * the very ETag its write gave: nobody else can rest on that version.
 */
#ifndef TMODEL_PROTOCOL_H
#define TMODEL_PROTOCOL_H

#include "index.h"

typedef enum tmodel_phase
{
	TMODEL_RESERVE,				/* stub inserts */
	TMODEL_CLAIM,				/* entries of unique indexes */
	TMODEL_TOUCH,				/* touches, reads of old entries */
	TMODEL_COMMIT,				/* the fact itself: the commit point */
	TMODEL_SETTLE,				/* verify, delete: best effort */
	TMODEL_FINISHED
} tmodel_phase;

typedef enum tmodel_action
{
	TMODEL_GET,					/* read one entity */
	TMODEL_INSERT,				/* refused when it exists */
	TMODEL_UPSERT,				/* insert or replace, unconditional */
	TMODEL_REPLACE,				/* If-Match */
	TMODEL_MERGE,				/* If-Match */
	TMODEL_DELETE				/* If-Match */
} tmodel_action;

typedef struct tmodel_step_request
{
	tmodel_action action;
	bool		companion;		/* travels with the request before it */
	tmodel_span table;
	const tmodel_entity *entity;	/* its keys only; _body() makes the rest */
	size_t		bytes;			/* of that in a batch, estimated upwards */
	tmodel_span if_match;		/* REPLACE, MERGE, DELETE */
	int			slot;			/* names the request in _answer() */
	int			pause;			/* > 0: another's claim is waited for; the
								 * greater, the longer */
} tmodel_step_request;

typedef enum tmodel_outcome
{
	TMODEL_APPLIED,				/* GET: found */
	TMODEL_EXISTS,				/* 409 */
	TMODEL_ABSENT,				/* 404 */
	TMODEL_MISMATCH,			/* 412 */
	TMODEL_REFUSED,				/* any other failure, certainly not applied */
	TMODEL_UNKNOWN,				/* perhaps applied */
	TMODEL_ROLLED_BACK			/* not applied because of another operation of
								 * its batch, or not sent: asked for again */
} tmodel_outcome;

typedef struct tmodel_answer
{
	tmodel_outcome outcome;
	tmodel_span etag;			/* of a write that was applied */
	const tmodel_entity *entity;	/* GET, APPLIED: with its ETag */
	bool		old;			/* GET, APPLIED: not changed for so long that
								 * no writer is at it; a guess is enough */
} tmodel_answer;

typedef enum tmodel_verdict
{
	TMODEL_PENDING,				/* the commit point is not passed */
	TMODEL_COMMITTED,
	TMODEL_DUPLICATE,			/* INSERT: a live fact is there; or another
								 * fact has the key of a unique index */
	TMODEL_LOST_RACE,			/* the fact is not what was read */
	TMODEL_FAILED,				/* a request was refused; nothing visible */
	TMODEL_DOUBTFUL,			/* the commit point's outcome is not known */
	TMODEL_ABANDONED
} tmodel_verdict;

typedef enum tmodel_change_kind
{
	TMODEL_CHANGE_INSERT,
	TMODEL_CHANGE_UPDATE,
	TMODEL_CHANGE_DELETE,
	TMODEL_CHANGE_REFRESH,		/* same fact: touch entries, fence, verify */
	TMODEL_CHANGE_CONVERGE		/* a REFRESH that deletes old_entries which the
								 * fact lacks; its ETag empty: none is live */
} tmodel_change_kind;

/* One index table's part of a change. */
typedef struct tmodel_index_change
{
	tmodel_span table;
	bool		covering;
	const tmodel_index_def *unique; /* NULL: entries of different facts differ */
	const tmodel_fact_def *fact_def;	/* unique */
	bool		unverified;		/* touched as ever, verified by nobody */
	bool		touch_old;		/* pointer: old ones too; touches share batches */
	tmodel_entries old_entries; /* of F0; CONVERGE: of several, perhaps twice */
	tmodel_entries new_entries; /* of F1; n = 0 for DELETE */
} tmodel_index_change;

/*
 * A further operation of the commit point's entity group transaction, done if
 * and only if the commit is.  Unconditional: the fact's condition guards it.
 */
typedef struct tmodel_companion
{
	tmodel_action action;		/* UPSERT or DELETE */
	const tmodel_entity *entity;	/* of the fact's partition and table */
} tmodel_companion;

typedef struct tmodel_change
{
	tmodel_change_kind kind;
	tmodel_span table;			/* the fact table */
	const tmodel_entity *old_fact;	/* F0 with the ETag read; NULL: INSERT */
	const tmodel_entity *new_fact;	/* F1 without reserved properties; NULL:
									 * DELETE, REFRESH */
	bool		indexed;		/* the table has sync indexes: facts carry
								 * _itFence and _itWrites, INSERT reserves */
	bool		direct;			/* insert_mode 'direct': no stub; never with a
								 * unique index */
	bool		keeps_etag;		/* tmodel_machine_etag() will be asked for */
	int			patience;		/* how often a claim that others are at is
								 * read before LOST_RACE */
	int			nindexes;
	const tmodel_index_change *indexes;
	int			ncompanions;
	const tmodel_companion *companions; /* no entity twice */
	tmodel_span write_id;		/* unique to the transaction; no comma */
} tmodel_change;

typedef struct tmodel_machine tmodel_machine;

/*
 * Starts a machine in its first phase.  Everything in *change must live as long
 * as the arena; so does the machine.  NULL: out of memory.
 */
extern tmodel_machine *tmodel_machine_start(tmodel_arena *arena,
											const tmodel_change *change);

extern tmodel_phase tmodel_machine_phase(const tmodel_machine *machine);
extern tmodel_verdict tmodel_machine_verdict(const tmodel_machine *machine);

/*
 * The requests of the present phase that have no answer yet, in the arena.
 * Returns how many; 0 only when FINISHED, waiting for another machine
 * (tmodel_machine_inherit), or out of memory (the arena says so).
 * Requests of one machine and phase are independent of each other: they may be
 * sent together, in any order; a commit point and its companions in one entity
 * group transaction.  A request is repeated by the next call until answered.
 */
extern int	tmodel_machine_requests(const tmodel_machine *machine,
									tmodel_arena *arena,
									const tmodel_step_request **requests);

/* Is the answer still wanted?  A failed machine forgets what it had asked for. */
extern bool tmodel_machine_asks(const tmodel_machine *machine, int slot);
/* What such a request writes, in the arena; of a read the keys.  NULL: no memory. */
extern const tmodel_entity *tmodel_machine_body(const tmodel_machine *machine,
												int slot,
												tmodel_arena *arena);

/*
 * Takes the answer to the request of that slot; the machine moves on when the
 * phase's requests are all answered.  False: out of memory (the verdict is then
 * FAILED or DOUBTFUL).
 */
extern bool tmodel_machine_answer(tmodel_machine *machine, int slot,
								  const tmodel_answer *answer);

/*
 * Gives up before the commit point: the machine turns to SETTLE with what
 * undoes its reservation (delete the own stub If-Match, then the entries it
 * touched), verdict ABANDONED unless a failure verdict is already there.
 * After the commit point (COMMITTED, DOUBTFUL) it does nothing.
 */
extern void tmodel_machine_abandon(tmodel_machine *machine);

/* Ends SETTLE at once; the work is left to readers' repair. */
extern void tmodel_machine_stop(tmodel_machine *machine);

#endif							/* TMODEL_PROTOCOL_H */
