/*
 * claims.h
 *	  Keys of unique indexes within one transaction: who wants which, and what
 *	  is told when one is not to be had.
 */
#ifndef ITABLE_CLAIMS_H
#define ITABLE_CLAIMS_H

#include "txn/round.h"

/*
 * Throws 23505 when two facts of the flush are to have one key of a unique
 * index.  Where one fact's key goes to another, tells the machines.  Nothing is
 * sent.
 */
extern void itable_claims_prepare(flushSite *sites, tmodel_arena *arena);

/*
 * The phase CLAIM: once a machine waits for another's claim, all machines take
 * theirs in order, and the result is the one whose turn it is.  NULL: all may
 * go on.
 */
extern const flushItem *itable_claims_turn(flushSite *sites);

/* Throws 23505 or 40001 if the item's machine failed because of a claim. */
extern void itable_claims_report(const flushItem *item, tmodel_arena *arena);

/* "(email)=(a@b.c)": the key that was refused, as its index has it. */
extern char *itable_refused_text(const flushItem *item, tmodel_arena *arena);

#endif							/* ITABLE_CLAIMS_H */
