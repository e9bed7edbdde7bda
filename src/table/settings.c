/*
 * settings.c
 *	  Declares the configuration parameters; their meaning is where they are
 *	  read.
 */
#include "postgres.h"

#include <limits.h>

#include "utils/guc.h"

#include "table/settings.h"

int			itable_full_scan = ITABLE_FULL_SCAN_ALLOW;
bool		itable_enable_index = true;
bool		itable_one_partition = false;
char	   *itable_allowed_hosts = "";
int			itable_repair_age = 30000;

static int	multi_partition_commit = 0;

static const struct config_enum_entry full_scan_words[] = {
	{"allow", ITABLE_FULL_SCAN_ALLOW, false},
	{"warn", ITABLE_FULL_SCAN_WARN, false},
	{"error", ITABLE_FULL_SCAN_ERROR, false},
	{NULL, 0, false}
};

static const struct config_enum_entry commit_words[] = {
	{"allow", 0, false},
	{"error", 1, false},
	{NULL, 0, false}
};

static void
assign_commit(int value, void *extra)
{
	itable_one_partition = value != 0;
}

void
itable_settings_init(void)
{
	DefineCustomEnumVariable("itable_fdw.full_scan",
							 "What a scan of a whole table in the store does.",
							 NULL, &itable_full_scan, ITABLE_FULL_SCAN_ALLOW,
							 full_scan_words, PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("itable_fdw.enable_index",
							 "Lets the planner use index tables.",
							 NULL, &itable_enable_index, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("itable_fdw.multi_partition_commit",
							 "Whether a transaction may commit to several partitions.",
							 "Only a commit to one partition is atomic in the store.",
							 &multi_partition_commit, 0, commit_words,
							 PGC_USERSET, 0, NULL, assign_commit, NULL);
	DefineCustomStringVariable("itable_fdw.allowed_hosts",
							   "Hosts that servers may name, separated by commas; empty allows all.",
							   NULL, &itable_allowed_hosts, "",
							   PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.repair_age",
							"Age from which readers mend index entries that a crash left unverified.",
							"Measured by the store's clock.",
							&itable_repair_age, 30000, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("itable_fdw");
}
