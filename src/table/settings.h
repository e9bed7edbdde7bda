/*
 * settings.h
 *	  The configuration parameters of itable_fdw (GUCs).
 */
#ifndef ITABLE_SETTINGS_H
#define ITABLE_SETTINGS_H

#include "postgres.h"

typedef enum itableFullScan
{
	ITABLE_FULL_SCAN_ALLOW, ITABLE_FULL_SCAN_WARN, ITABLE_FULL_SCAN_ERROR
} itableFullScan;

extern int	itable_full_scan;	/* itableFullScan: what a full scan may do */
extern bool itable_enable_index;	/* may the planner use index tables? */
extern bool itable_enable_lookup_join;	/* may it use lookup joins? */
extern int	itable_scan_ranges; /* pieces read at a time; 0: server's */
extern int	itable_analyze_requests;	/* before an estimate; 0: no limit */
extern bool itable_allow_queued;	/* also those that may be behind? */
extern bool itable_one_partition;	/* multi_partition_commit = error */
extern int	itable_write_buffer;	/* kB of a transaction's rows that stay in
									 * memory */
extern char *itable_allowed_hosts;	/* empty: all */
extern int	itable_catalog_lease;	/* ms the store's catalog is believed; -1:
									 * it is not asked */
extern int	itable_repair_age;	/* ms: younger entries are left alone */
extern char *itable_queue_database; /* the worker's; empty: there is none */
extern int	itable_queue_interval;	/* ms between its turns */
extern int	itable_queue_scan;	/* ms between scans, where there are messages */

/* Is the component of the store client traced? */
extern bool itable_traces(const char *component);

/* Once, when the library is loaded. */
extern void itable_settings_init(void);

#endif							/* ITABLE_SETTINGS_H */
