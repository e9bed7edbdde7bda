/*
 * fault.h
 *	  Rules that make chosen requests fail in a chosen way.
 */
#ifndef MTS_FAULT_H
#define MTS_FAULT_H

#include "journal.h"

typedef enum FaultAction
{
	FAULT_NONE,
	FAULT_STATUS,				/* answer with status and code, apply nothing */
	FAULT_DELAY,				/* wait, then go on as usual */
	FAULT_DROP_BEFORE,			/* close the connection, apply nothing */
	FAULT_DROP_REPLY,			/* apply, then close the connection */
	FAULT_SILENT,				/* apply nothing, answer never */
	FAULT_ZOMBIE,				/* go on as usual, and apply it again later */
	FAULT_LATE,					/* close the connection, apply it later */
	FAULT_TRUNCATE,				/* apply, close amid the reply's body */
	FAULT_GARBAGE,				/* apply, bytes that are no JSON as body */
	FAULT_REDIRECT,				/* apply nothing, send the client elsewhere */
	FAULT_SLOW_BODY,			/* apply, the reply's body trickles */
	FAULT_OVERSIZED,			/* apply, blanks behind the reply's body */
	FAULT_PAGE,					/* a query's page is short, its token odd */
	FAULT_PAUSE,				/* wait until the point is released */
	FAULT_COUNT
} FaultAction;

#define MAX_POINT 64

typedef struct Fault
{
	FaultAction action;
	int			status;
	char		code[64];
	int			retry_after;	/* seconds, negative: no header */
	int			delay_ms;		/* delay, zombie, late; per step of a trickle */
	int64_t		bytes;			/* of the body or a step; negative: default */
	char		location[256];	/* empty: the request's own URL */
	char		point[MAX_POINT];	/* of pause, zombie and late; may be empty */
	bool		after;			/* pause when applied, not before */
	int			page_size;		/* negative: as usual; 0: an empty page */
	bool		no_row_key;		/* end pages between partitions, no NextRowKey */
	bool		odd_token;		/* tokens that need percent-encoding */
} Fault;

/* A fault and the requests it is for. */
typedef struct Rule
{
	int			class;			/* CounterClass, or -1 for any */
	char		table[64];		/* empty: any */
	char	   *partition;		/* malloc'ed UTF-8; NULL: any */
	int64_t		nth;			/* first match that fires, from 1 */
	int64_t		times;			/* how many fire; 0: all from nth on */
	int64_t		matched;
	int64_t		fired;
	Fault		fault;
} Rule;

/* Adds a rule from JSON; NULL or what is wrong with it. */
extern const char *fault_add(Arena *a, Span json);
extern void fault_print(Buf *out);
extern void fault_clear(void);

/* Is there a rule for a partition, so that fault_match wants to know it? */
extern bool fault_wants_partition(void);

/*
 * The fault this request meets, after counting it in every matching rule.
 * partition: NULL when the request is not confined to one.
 */
extern Fault fault_match(CounterClass class, Span table,
						 const Span *partition);
extern const char *fault_name(FaultAction action);

/* fault_json.c: fills *rule; NULL or what is wrong with the JSON. */
extern const char *rule_from_json(Arena *a, Span json, Rule *rule);

#endif							/* MTS_FAULT_H */
