/*
 * check_confirm.h
 *	  Whether a suspect index entry is wrong at one moment, in spite of others
 *	  who write meanwhile.
 */
#ifndef ITABLE_CHECK_CONFIRM_H
#define ITABLE_CHECK_CONFIRM_H

#include "exec/check_sort.h"

typedef enum checkProblem
{
	CHECK_OPEN,					/* not known yet */
	CHECK_NONE,
	CHECK_MISSING,				/* the fact justifies it, it is not there */
	CHECK_DANGLING,				/* it is there, no fact justifies it */
	CHECK_CONTRADICTING,		/* it says what the fact does not */
	CHECK_UNVERIFIED,			/* it says nothing by itself */
	CHECK_DUPLICATE				/* unique: it is another fact's, which has the
								 * key as well */
} checkProblem;

typedef struct checkCase
{
	itableSuspect suspect;
	checkProblem problem;
	const char *detail;			/* of a problem */
	const tmodel_entity *entry; /* as it was before and after "fact" was read;
								 * NULL: not there */
	const tmodel_entity *fact;	/* perhaps a stub; NULL: not there */
	const tmodel_entity *entry_before;
	const tmodel_entity *fact_after;	/* read where there is no entry */
} checkCase;

typedef struct checkReads
{
	const itableIndex *index;
	tstore_client *client;
	itableCalls *calls;			/* in the context of the arena */
	tmodel_arena *arena;		/* everything read lives here */
	bool		any_age;		/* also what a writer may be about to settle */
} checkReads;

/*
 * Reads entries and facts of the cases again and fills in problem, detail,
 * entry and fact; everything about one case is true of one moment.  Cases that
 * others change all the while are CHECK_NONE.
 */
extern void itable_check_confirm(checkReads *reads, int n, checkCase *cases);

#endif							/* ITABLE_CHECK_CONFIRM_H */
