/*
 * settings.c
 *	  Declares the configuration parameters; their meaning is where they are
 *	  read.
 */
#include "postgres.h"

#include <limits.h>

#include "nodes/pg_list.h"
#include "utils/guc.h"
#include "utils/plancache.h"
#include "utils/varlena.h"

#include "compat.h"
#include "table/settings.h"

int			itable_full_scan = ITABLE_FULL_SCAN_ALLOW;
bool		itable_enable_index = true;
bool		itable_enable_lookup_join = true;
int			itable_scan_ranges = 0;
int			itable_analyze_requests = 300;
bool		itable_allow_queued = false;
bool		itable_one_partition = false;
int			itable_write_buffer = 65536;
char	   *itable_allowed_hosts = "";
int			itable_catalog_lease = 10000;
int			itable_repair_age = 30000;
char	   *itable_queue_database = "";
int			itable_queue_interval = 10000;
int			itable_queue_scan = 300000;

static int	multi_partition_commit = 0;
static char *trace_components = "";
static int	traced_components = 0;	/* bits of known_components */

/* What store/ traces. */
static const char *const known_components[] = {"http", "retry", "batch"};

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

bool
itable_traces(const char *component)
{
	for (int i = 0; i < lengthof(known_components); i++)
		if (strcmp(component, known_components[i]) == 0)
			return (traced_components & (1 << i)) != 0;
	return false;
}

/* The components that the list names, as bits; false when one is unknown. */
static bool
check_trace(char **value, void **extra, GucSource source)
{
	char	   *copy = pstrdup(*value);
	List	   *words;
	ListCell   *cell;
	int			bits = 0;

	if (!SplitIdentifierString(copy, ',', &words))
	{
		GUC_check_errdetail("List syntax is invalid.");
		return false;
	}
	foreach(cell, words)
	{
		const char *word = lfirst(cell);
		int			i = 0;

		while (i < lengthof(known_components) &&
			   strcmp(word, known_components[i]) != 0)
			i++;
		if (strcmp(word, "all") == 0)
			bits = ~0;
		else if (i < lengthof(known_components))
			bits |= 1 << i;
		else
		{
			GUC_check_errdetail("There is no component \"%s\".", word);
			GUC_check_errhint("Components are \"http\", \"retry\", \"batch\" and \"all\".");
			return false;
		}
	}
	*extra = guc_malloc(LOG, sizeof(int));
	if (*extra == NULL)
		return false;
	*(int *) *extra = bits;
	return true;
}

static void
assign_trace(const char *value, void *extra)
{
	traced_components = extra != NULL ? *(int *) extra : 0;
}

/* A plan that was made when it was allowed must not outlive that. */
static void
assign_allow_queued(bool value, void *extra)
{
	if (value != itable_allow_queued)
		ResetPlanCache();
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
	DefineCustomIntVariable("itable_fdw.scan_ranges",
							"The most pieces that a scan reads at a time; 0: as many as the server's max_connections.",
							NULL, &itable_scan_ranges, 0, 0, 1000,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.analyze_requests",
							"How many requests ANALYZE sends before it estimates what it has not read; 0: it counts every row.",
							"Where the estimate is poor it counts rows, with up to ten times as many.",
							&itable_analyze_requests, 300, 0, 1000000,
							PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("itable_fdw.enable_lookup_join",
							 "Lets the planner use lookup joins.",
							 NULL, &itable_enable_lookup_join, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("itable_fdw.allow_queued",
							 "Lets the planner answer SELECT through queued index tables.",
							 "They are maintained later: rows changed lately may be missing.",
							 &itable_allow_queued, false,
							 PGC_USERSET, 0, NULL, assign_allow_queued, NULL);
	DefineCustomEnumVariable("itable_fdw.multi_partition_commit",
							 "Whether a transaction may commit to several partitions.",
							 "Only a commit to one partition is atomic in the store.",
							 &multi_partition_commit, 0, commit_words,
							 PGC_USERSET, 0, NULL, assign_commit, NULL);
	DefineCustomIntVariable("itable_fdw.write_buffer",
							"Memory for the rows a transaction writes; what is more goes to a temporary file.",
							"Their keys stay in memory until the transaction ends.",
							&itable_write_buffer, 65536, 0, MAX_KILOBYTES,
							PGC_USERSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomStringVariable("itable_fdw.allowed_hosts",
							   "Hosts that servers may name, separated by commas; empty allows all.",
							   NULL, &itable_allowed_hosts, "",
							   PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.catalog_lease",
							"How long the catalog of indexes in the store is believed before it is read again.",
							"-1 never reads it: right only where one database writes the tables.",
							&itable_catalog_lease, 10000, -1, 3600000,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.repair_age",
							"Age from which readers mend index entries that a crash left unverified.",
							"Measured by the store's clock.",
							&itable_repair_age, 30000, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomStringVariable("itable_fdw.trace",
							   "Parts of the store client whose doings are logged.",
							   "A list of \"http\", \"retry\", \"batch\", or \"all\".",
							   &trace_components, "",
							   PGC_USERSET, GUC_LIST_INPUT, check_trace,
							   assign_trace, NULL);
	DefineCustomStringVariable("itable_fdw.queue_database",
							   "Database whose queued index tables a background worker maintains.",
							   "Read when the server starts, if the library is in shared_preload_libraries.",
							   &itable_queue_database, "",
							   PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.queue_interval",
							"How long the background worker rests between two turns.",
							NULL, &itable_queue_interval, 10000, 10, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomIntVariable("itable_fdw.queue_scan",
							"How often the background worker scans fact tables although messages tell it where to look.",
							NULL, &itable_queue_scan, 300000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("itable_fdw");
}
