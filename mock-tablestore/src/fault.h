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
	FAULT_SILENT				/* apply nothing, answer never */
} FaultAction;

typedef struct Fault
{
	FaultAction action;
	int			status;
	char		code[64];
	int			retry_after;	/* seconds, negative: no header */
	int			delay_ms;
} Fault;

/* Adds a rule from JSON; NULL or what is wrong with it. */
extern const char *fault_add(Arena *a, Span json);
extern void fault_print(Buf *out);
extern void fault_clear(void);

/* The fault this request meets, after counting it in every matching rule. */
extern Fault fault_match(CounterClass class, Span table);

#endif							/* MTS_FAULT_H */
