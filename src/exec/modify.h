/*
 * modify.h
 *	  The executor callbacks of INSERT, UPDATE, DELETE and COPY FROM.
 */
#ifndef ITABLE_MODIFY_H
#define ITABLE_MODIFY_H

#include "postgres.h"
#include "foreign/fdwapi.h"

/* Fills the modifying callbacks of the FDW routine. */
extern void itable_modify_routine(FdwRoutine *routine);

#endif							/* ITABLE_MODIFY_H */
