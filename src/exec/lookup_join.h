/*
 * lookup_join.h
 *	  The executor's side of the lookup join.
 */
#ifndef ITABLE_LOOKUP_JOIN_H
#define ITABLE_LOOKUP_JOIN_H

#include "postgres.h"
#include "nodes/extensible.h"

extern const CustomScanMethods itable_lookup_join_methods;

#endif							/* ITABLE_LOOKUP_JOIN_H */
