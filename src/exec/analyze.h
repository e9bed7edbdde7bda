/*
 * analyze.h
 *	  ANALYZE and TRUNCATE: whole tables at once.
 */
#ifndef ITABLE_ANALYZE_H
#define ITABLE_ANALYZE_H

#include "postgres.h"
#include "foreign/fdwapi.h"

extern bool itableAnalyzeForeignTable(Relation relation,
									  AcquireSampleRowsFunc *sample,
									  BlockNumber *pages);
extern void itableExecForeignTruncate(List *relations, DropBehavior behavior,
									  bool restart_identity);

#endif							/* ITABLE_ANALYZE_H */
