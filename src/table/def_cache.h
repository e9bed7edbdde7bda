/*
 * def_cache.h
 *	  What table/ keeps between statements, for its own files only.
 *
 * Everything kept is built from catalogs alone.  Whoever asks gets the kept
 * thing *pinned* to the memory context current at the call: it stays as it is
 * until that context is reset, whatever is invalidated meanwhile; the next one
 * to ask gets a new one.
 */
#ifndef ITABLE_DEF_CACHE_H
#define ITABLE_DEF_CACHE_H

#include "table/table_def.h"

typedef enum itableKept
{
	ITABLE_KEPT_TABLE,			/* by relation: itableTable */
	ITABLE_KEPT_INDEX,			/* by index relation: itableIndex */
	ITABLE_KEPT_FOR_READING,	/* by fact relation: List of itableIndex */
	ITABLE_KEPT_FOR_WRITING,	/* the same, for itable_indexes_of(.., false) */
	ITABLE_KEPT_SERVER			/* by server: List of itableBrief */
} itableKept;

/* What a foreign table's options say without building its definition. */
typedef struct itableBrief
{
	Oid			relid;
	const char *name;			/* the store's table */
	const char *index_of;		/* or NULL */
	bool		colocated;		/* its entities are among those of index_of */
	bool		queued;			/* what is to be done for it is there too */
} itableBrief;

/* The kept thing, built when there is none; never NULL. */
extern void *itable_kept(itableKept kind, Oid oid);

/* Is it what is kept for its relation at this moment? */
extern bool itable_is_kept(const itableTable *table);

/* Builders, in the current context; in table_def.c and index_def.c. */
extern itableTable *itable_form_table(Oid relid);
extern itableIndex *itable_form_index(itableTable *index, itableTable *fact);
extern List *itable_form_indexes(itableTable *fact, bool for_reading);
extern List *itable_form_briefs(Oid serverid);

#endif							/* ITABLE_DEF_CACHE_H */
