/*
 * protocol_int.h
 *	  What protocol.c (phases, answers, decisions), claim.c (unique indexes),
 *	  protocol_plan.c (what to send) and repair.c share; nobody else includes
 *	  this.
 *
 * Easy to break: entry_work.etag must have been observed before the commit
 * point that the machine makes afterwards (fence rule).  It is therefore
 * forgotten whenever the touches begin again.
 */
#ifndef TMODEL_PROTOCOL_INT_H
#define TMODEL_PROTOCOL_INT_H

#include "claim.h"
#include "repair.h"

/* How often one request whose outcome is unknown is sent again. */
#define MAX_UNKNOWN 3
/* How often the whole protocol begins again because the fact moved. */
#define MAX_REPEATS 16
/* How often a request of SETTLE is asked again after a rolled back batch. */
#define MAX_SETTLE_REPEATS 8
/* How often a claim is looked at anew because others changed it or its owner. */
#define MAX_CLAIM_REPEATS 16
/* How many write ids a fact keeps. */
#define MAX_WRITE_IDS 4

/* What the TOUCH phase does with an entry. */
typedef enum entry_plan
{
	ENTRY_LEAVE,				/* the change does not concern it */
	ENTRY_TOUCH,				/* unconditional unverified upsert */
	ENTRY_READ,					/* only its ETag is wanted, to delete it */
	ENTRY_CLAIM,				/* unique: to be had and touched */
	ENTRY_RELEASE				/* unique: its ETag, if it is ours */
} entry_plan;

typedef struct claim_work claim_work;

/* One index entry of F0, F1 or both. */
typedef struct entry_work
{
	int			index;			/* in the change's indexes */
	int			old_at;			/* among F0's entries, -1: F0 has it not */
	int			new_at;			/* among F1's */
	entry_plan	plan;
	tmodel_span partition_key;
	tmodel_span row_key;
	uint32_t	bytes;			/* of a touch in a batch, estimated upwards */
	tmodel_span etag;			/* seen in TOUCH or CLAIM; empty: none */
	claim_work *claim;			/* NULL: not of a unique index */
} entry_work;

/* What there is to know of a claim beyond that. */
struct claim_work
{
	bool		claimed;		/* CLAIM has done with it, since base was read */
	tmodel_machine *donor;		/* of the same transaction: its fact gives the
								 * key up, and commits first; else NULL */
	entry_work *donated;		/* the donor's; its ETag */
	bool		has_heir;		/* this is such a donor's */
	bool		written;		/* an insert or touch was sent */
	bool		made;			/* if its version is ours, it goes back to an
								 * insert or theft by this machine */
	const tmodel_entity *seen;	/* the claim as read last */
	bool		seen_old;
	const tmodel_entity *named; /* the keys of its owner */
	const tmodel_entity *owner; /* another fact, which is to be fenced */
	int			waits;
	int			unknowns;
	int			looks;			/* reads of it */
};

typedef enum task_kind
{
	TASK_RESERVE,				/* insert the stub */
	TASK_READ_FACT,				/* what is there now? then decide */
	TASK_CLAIM,					/* insert-if-absent */
	TASK_READ_CLAIM,
	TASK_READ_OWNER,
	TASK_FENCE_OWNER,
	TASK_TAKE_CLAIM,			/* touch the own, or take an orphan */
	TASK_DROP_CLAIM,			/* to take it again in order */
	TASK_TOUCH,
	TASK_READ_ENTRY,
	TASK_COMMIT,				/* the commit point; in repair: the fence */
	TASK_COMPANION,				/* what shares its transaction */
	TASK_UNDO,					/* delete the own stub */
	TASK_SETTLE					/* verify or delete an entry */
} task_kind;

/*
 * One request of the present phase; its slot is first_slot + its position.  What
 * is to be written is made when it is sent (tmodel_machine_body).
 */
typedef struct task
{
	task_kind	kind;
	tmodel_action action;
	entry_work *entry;			/* TOUCH, READ_ENTRY, SETTLE, claims, owners;
								 * else NULL */
	tmodel_span if_match;		/* REPLACE, MERGE, DELETE */
	int			companion;		/* COMPANION: which */
	int			pause;
	int			repeats;		/* answers that made it be sent again */
	bool		answered;
} task;

struct tmodel_machine
{
	tmodel_arena *arena;
	const tmodel_change *change;	/* NULL in a repair; without contents while
									 * it is detached */
	const tmodel_repair *repair;	/* NULL in a change */
	tmodel_phase phase;
	tmodel_verdict verdict;

	tmodel_entity fact;			/* its keys only */
	size_t		fact_bytes;		/* of F1 in a batch, estimated upwards */
	const tmodel_entity *base;	/* the version of the fact (or stub) that the
								 * commit point replaces; NULL: absence */
	bool		own_stub;		/* base is a stub this machine inserted */
	bool		undone;			/* the own stub was deleted again */
	const entry_work *refused;	/* the claim that was not to be had */
	tmodel_verdict failing;		/* what it ends with when the claims that are
								 * under way are answered; PENDING: nothing */
	bool		ordered;		/* claims are taken one after the other */
	bool		touched;		/* the touches are done, since base was read */
	bool		waiting;		/* in COMMIT, for a donor's commit */
	bool		unknown;		/* a commit was sent that may be applied */
	tmodel_span etag;			/* of the fact as the commit point left it */
	bool		unsettled;		/* a request of SETTLE was not applied */
	bool		late_touches;	/* the entries' ETags may be from after it */
	bool		independent;	/* of the change's contents: keys are copied */
	int			unknowns;		/* stub inserts and commits ended so */
	int			repeats;		/* decisions that led back */

	int			nentries;
	entry_work *entries;

	bool	   *gone;			/* per companion: a DELETE of what was not
								 * there; until the fact changes */

	int			ntasks;
	int			nopen;			/* of them not answered */
	int			first_slot;		/* slots are never reused: late answers of an
								 * earlier phase are recognized */
	task	   *tasks;			/* room for every entry, or commit and
								 * companions */
};

/* protocol.c */
extern tmodel_machine *tmodel_p_machine_new(tmodel_arena *arena, int ntasks);
extern bool tmodel_p_finish(tmodel_machine *machine, tmodel_verdict verdict);
extern bool tmodel_p_fail(tmodel_machine *machine, tmodel_verdict verdict);
extern bool tmodel_p_out_of_memory(tmodel_machine *machine);
extern bool tmodel_p_enter_touch(tmodel_machine *machine);
extern bool tmodel_p_enter_settle(tmodel_machine *machine);
extern bool tmodel_p_enter_commit(tmodel_machine *machine);
extern void tmodel_p_begin(tmodel_machine *machine, tmodel_phase phase);
extern task *tmodel_p_add(tmodel_machine *machine, task_kind kind,
						  tmodel_action action, entry_work *entry,
						  tmodel_span if_match);

/* claim.c */
extern bool tmodel_p_enter_claim(tmodel_machine *machine);
extern void tmodel_p_forget_claims(tmodel_machine *machine);
extern bool tmodel_p_waits_for_donor(const tmodel_machine *machine);
extern bool tmodel_p_answer_claim(tmodel_machine *machine, task *answered,
								  const tmodel_answer *answer);

/* protocol_plan.c */
extern bool tmodel_p_plan_entries(tmodel_arena *arena,
								  const tmodel_change *change,
								  int *nentries, entry_work **entries);
extern const tmodel_index_change *tmodel_p_index(const tmodel_machine *machine,
												 const entry_work *work);
extern tmodel_entity *tmodel_p_stub(const tmodel_machine *machine,
									tmodel_arena *arena);
extern void tmodel_p_request(const tmodel_machine *machine, const task *asked,
							 tmodel_step_request *request,
							 tmodel_entity *keys);
extern const tmodel_entity *tmodel_p_body(const tmodel_machine *machine,
										  const task *asked,
										  tmodel_arena *arena);
extern bool tmodel_p_names_fact(const tmodel_entity *entry,
								tmodel_entity *fact_keys);
extern bool tmodel_p_has_write_id(const tmodel_entity *fact, tmodel_span id);
extern int	tmodel_p_count_write_ids(const tmodel_entity *fact);
extern tmodel_span tmodel_p_newest_write_id(const tmodel_entity *fact);

/* repair.c */
extern void tmodel_p_repair_commit(tmodel_machine *machine);
extern void tmodel_p_repair_settle(tmodel_machine *machine);
extern const tmodel_entity *tmodel_p_repaired(const tmodel_machine *machine,
											  tmodel_arena *arena);

#endif							/* TMODEL_PROTOCOL_INT_H */
