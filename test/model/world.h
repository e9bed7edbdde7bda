/*
 * world.h
 *	  A store in memory, two facts, and actors that drive real machines on it.
 *
 * The explorer and modes.c ask for the steps that are possible, take one, and
 * look at world.violation.  A step is one request and what becomes of it.
 *
 * Easy to break: the whole state is in "world" and "world_heap", so that a
 * memcpy of both goes back in time.  Nothing may keep state elsewhere.
 */
#ifndef WORLD_H
#define WORLD_H

#include "model/protocol_int.h"

#define MAX_INDEXES 2
#define NKEYS 2					/* index keys "a" and "b" */
#define MAX_FACTS 2

/* Where an entity of the store is: facts, then entries by index, key, fact. */
#define FIRST_ENTRY MAX_FACTS
#define ENTRY_SLOT(index, key, fact) \
	(FIRST_ENTRY + ((index) * NKEYS + (key)) * MAX_FACTS + (fact))
#define INDEX_OF_SLOT(slot) (((slot) - FIRST_ENTRY) / (NKEYS * MAX_FACTS))
#define NSLOTS ENTRY_SLOT(MAX_INDEXES, 0, 0)
#define NCONTENTS 8				/* set of keys (2 bits), data (1 bit) */
#define MAX_ACTORS 6
#define MAX_OPS 4
#define MAX_LIMBO 6
#define MAX_BOUNDS 3
#define MAX_CHOICES 256
#define UNBOUNDED 15			/* preemptions */
#define HEAP_BYTES (512 * 1024)

#define CONTENT(keys, data) ((keys) * 2 + (data))
#define CONTENT_KEYS(content) ((content) >> 1)

typedef struct scenario
{
	const char *name;
	bool		indexed;
	bool		direct;			/* insert_mode 'direct' */
	int			nindexes;
	bool		covering[MAX_INDEXES];
	bool		unique[MAX_INDEXES];
	bool		touch_old;		/* as in bulk changes */
	bool		moves;			/* what the first writer gives up is taken over */
	bool		young;			/* claims never are old: they are waited for */
	int			nfacts;			/* 0: one */
	unsigned	contents;		/* bit set: what writers write */
	unsigned	starts;			/* bit set of world_start */
	int			nwriters;
	int			nops;			/* per writer */
	int			nrepairers;
	int			nrepairs;		/* per repairer */
	int			nbackfills;		/* actors that REFRESH */
	int			nzombies;		/* touches and stubs of the dead, to come */
	bool		no_deletes;
	bool		no_inserts;
	bool		building;		/* complete only after the backfill */
	struct
	{
		int			faults;
		int			preemptions;
	}			bounds[MAX_BOUNDS]; /* of the short form; unused ones: 0, 0 */
} scenario;

typedef enum world_start
{
	START_ABSENT,
	START_LIVE,					/* with verified entries */
	START_CRASHED,				/* live, all unverified, one too many */
	START_STUB,					/* a dead writer's stub and its touch */
	START_BARE,					/* live, written before there was an index */
	NSTARTS
} world_start;

typedef enum actor_kind
{
	ACTOR_WRITER, ACTOR_REPAIRER, ACTOR_BACKFILL
} actor_kind;

typedef struct actor
{
	actor_kind	kind;
	bool		dead;
	int			op;				/* the operation it does, or does next */
	int			nops;
	int			fact;			/* whose it changes */
	bool		has_entry;		/* repairer: the entry is read */
	int			slot;			/* repairer: of which slot */
	const tmodel_entity *entry;
	tmodel_machine *machine;	/* NULL between operations */
	tmodel_change change;
	tmodel_index_change parts[MAX_INDEXES];
	tmodel_repair repair;
	int			content;		/* INSERT, UPDATE: what it writes */
	bool		disturbed;		/* a fault was injected into the operation */
	bool		seen_unknown;
	bool		checked;		/* the verdict was checked */
	tmodel_verdict verdicts[MAX_OPS];
	int			applied[MAX_OPS];	/* commits the store carried out */
	char		ids[MAX_OPS][24];	/* write ids */
} actor;

/* A request that may still arrive. */
typedef struct limbo
{
	bool		used;
	int			actor;			/* -1: a zombie's */
	int			op;
	bool		commit;
	tmodel_step_request request;
} limbo;

typedef struct world
{
	const scenario *scenario;
	tmodel_arena arena;
	size_t		heap_used;
	const tmodel_entity *slots[NSLOTS]; /* the store; NULL: absent */
	int			next_etag;
	int			nactors;
	actor		actors[MAX_ACTORS];
	limbo		limbos[MAX_LIMBO];
	bool		built;			/* G1 must hold */
	int			current;		/* the actor that made the last step */
	int			faults;			/* injected so far */
	int			preemptions;
	const char *violation;
} world;

typedef enum effect
{
	EFFECT_BEGIN,				/* read the fact, start an operation */
	EFFECT_NORMAL,				/* a request: applied, answered */
	EFFECT_REFUSED,
	EFFECT_LOST,				/* applied, the answer is lost */
	EFFECT_DELAYED,				/* no answer; may be applied later, or never */
	EFFECT_DUPLICATED,			/* applied, answered, and applied again later */
	EFFECT_UNKNOWN,				/* GET without an answer */
	EFFECT_DEATH,
	EFFECT_ABANDON,
	EFFECT_ARRIVAL				/* of a request in limbo */
} effect;

typedef struct choice
{
	effect		effect;
	int			actor;			/* ARRIVAL: the limbo */
	int			argument;		/* BEGIN: kind * NCONTENTS + content, or slot;
								 * else the request's position */
	int			faults;			/* what it costs */
	int			preemptions;
} choice;

extern world the_world;
extern char world_heap[HEAP_BYTES];

extern void world_reset(const scenario *scenario, world_start start);
extern int	world_choices(choice *choices);
extern void world_take(const choice *taken);
extern void world_describe(const choice *taken, char *line, size_t size);
extern void world_settle(void);
extern void world_fail(const char *violation);

/* judge.c: what must hold, and which worlds are the same. */
extern void judge_state(void);
extern void judge_commit(actor *by, int op, const tmodel_entity *before);
extern void judge_verdict(actor *by);
extern void judge_rest(void);
extern uint64_t world_hash(void);

/* facts.c: the facts, their possible contents, and the entries of each. */
extern void facts_init(const scenario *scenario);
extern int	count_facts(const scenario *scenario);
extern const tmodel_entity *fact_of(int fact, int content);
extern int	content_of(const tmodel_entity *fact);
extern const tmodel_entries *entries_of(int index, int fact, int content);
extern int	fact_named_by(const tmodel_entity *entry);
extern void fill_index_change(int index, tmodel_index_change *change);
extern tmodel_span table_of(int slot);
extern int	slot_of(tmodel_span table, const tmodel_entity *entity);
extern const char *slot_name(int slot);

/* modelstore.c */
extern tmodel_answer store_apply(const tmodel_step_request *request);
extern void store_put(int slot, const tmodel_entity *entity);

/* scenarios.c */
extern const scenario scenarios[];
extern const int nscenarios;

/* explore.c, modes.c: false when a violation was found (and printed). */
extern bool explore(const scenario *scenario, int faults, int preemptions,
					double seconds);
extern bool crash_mode(const scenario *scenario);
extern bool random_mode(uint64_t seed, long runs);

#endif							/* WORLD_H */
