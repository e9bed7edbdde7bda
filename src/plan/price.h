/*
 * price.h
 *	  What reading costs, in PostgreSQL's units.
 *
 * A unit is a tenth of a millisecond: a round trip of 10 ms, as to the service
 * from a virtual machine in its region, is the 100 that fdw_startup_cost is by
 * default, and the microsecond in which an entity is decoded and made a row is
 * fdw_tuple_cost, 0.01, PostgreSQL's own cpu_tuple_cost.  bench/calibrate.py
 * measures the figures beside the constants; bench/RESULTS.md has them.
 */
#ifndef ITABLE_PRICE_H
#define ITABLE_PRICE_H

#include "postgres.h"
#include "nodes/nodes.h"

#include "table/table_def.h"

/*
 * A kilobyte received and read: 0.9 to 5 microseconds from the mock, 8 on a
 * line of 1 Gbit/s.
 */
#define ITABLE_KILOBYTE_COST 0.05

/* What an entity is in JSON besides its values. */
#define ITABLE_ENTITY_BYTES 70

/* An entry of a pointer index in JSON: keys, the fact's keys, write id, epoch. */
#define ITABLE_ENTRY_BYTES 300

/*
 * An entity that the store walks past for a filter: 0.1 microseconds in the mock
 * (0.001), while the service ends requests that walk for seconds and promises
 * 20,000 entities a second for an account (0.5).  Between the two.
 */
#define ITABLE_WALK_COST 0.05

/* Requests that can be in flight together. */
#define itable_width(table) Max((table)->max_connections, 1)

/*
 * The first request waits for its answer; those beside it take a share each: a
 * fact behind an entry is 0.135 of a request with eight connections.
 */
extern Cost itable_parallel_cost(const itableTable *table, double requests);

/*
 * The share of a table's rows at which a lookup through a pointer index costs as
 * much as a full scan, whose condition the store checks, too, if "filtered"; 0:
 * a lookup always costs more, 1: never.
 */
extern double itable_break_even(const itableTable *table, double rows,
								bool filtered);

#endif							/* ITABLE_PRICE_H */
