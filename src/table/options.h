/*
 * options.h
 *	  Every option of servers, user mappings, tables and columns, in one table.
 *
 * The validator, the nearest-name hint and the readers below all come from the
 * array in options.c; nothing else knows an option's name, type or bounds.
 */
#ifndef ITABLE_OPTIONS_H
#define ITABLE_OPTIONS_H

#include "postgres.h"
#include "nodes/pg_list.h"

/* The option's text in a list of DefElem, or NULL. */
extern const char *itable_option(List *options, const char *name);

/* Typed readers; the validator has already refused what does not parse. */
extern int	itable_option_int(List *options, const char *name, int fallback);
extern double itable_option_real(List *options, const char *name,
								 double fallback);
extern bool itable_option_bool(List *options, const char *name,
							   bool fallback);

#endif							/* ITABLE_OPTIONS_H */
