/*
 * index_steps.h
 *	  Moving an index from state to state, with the waits between.
 *
 * Called by the procedures of index_ddl.c outside transaction blocks; all of
 * these commit, so nothing of the caller's memory contexts survives them.
 */
#ifndef ITABLE_INDEX_STEPS_H
#define ITABLE_INDEX_STEPS_H

#include "postgres.h"

/*
 * From wherever the index is to READABLE: lists it, waits, fills it from the
 * facts, switches.  Begins where an earlier call ended.
 */
extern void itable_steps_build(Oid base, Oid index);

/* Throws when the index is on its way down. */
extern void itable_steps_check_build(Oid base, Oid index);

/* From wherever it is to gone in the store; the foreign table stays. */
extern void itable_steps_drop(Oid base, Oid index);

/* Sets option "state" of the foreign table; NULL takes it out. */
extern void itable_set_state(Oid index, const char *state);

/* Plans, definitions and what is known of the store's catalog are made anew
 * for every foreign table over the fact's table. */
extern void itable_index_changed(Oid base);

extern void itable_run_statement(const char *statement);
extern char *itable_qualified_name(Oid relid);

#endif							/* ITABLE_INDEX_STEPS_H */
