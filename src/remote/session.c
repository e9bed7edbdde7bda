/*
 * session.c
 *	  The backend's clients, and waiting for them without becoming deaf.
 *
 * Answers "which client serves this user on this server?".  One client per user
 * mapping OID (a public mapping is one client for all), closed at transaction
 * end when its mapping or server changed.  Does not know SQL values or tables.
 * Easy to break: an open request must always be in a tracked set, because
 * EndForeignScan is not called after an error.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_user_mapping.h"
#include "foreign/foreign.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "remote/memory.h"
#include "remote/report.h"
#include "remote/session.h"
#include "remote/trace.h"
#include "table/options.h"
#include "table/settings.h"

#define TRACE_MAX 200

/* Nobody waits long for a message that is only a hint. */
#define QUEUE_CONNECT_MS 2000
#define QUEUE_REQUEST_MS 5000

typedef struct sessionKey
{
	Oid			mapping;		/* user mapping OID */
	Oid			queue;			/* 1: its client of the Queue service; else 0 */
} sessionKey;

typedef struct sessionEntry
{
	sessionKey	key;			/* hash key */
	Oid			serverid;
	tstore_client *client;		/* NULL: none open */
	bool		stale;			/* close as soon as nobody holds it */
	int			holders;		/* sets of requests that need the client */
	MemoryContext context;		/* the client's memory */
	uint32		mapping_hash;
	uint32		server_hash;
} sessionEntry;

/* What closed clients of a server have counted before. */
typedef struct serverCounters
{
	Oid			serverid;
	tstore_counters counters[TSTORE_KINDS];
} serverCounters;

static HTAB *sessions = NULL;
static HTAB *past_counters = NULL;

bool
itable_is_interrupted(void)
{
	return InterruptPending && (QueryCancelPending || ProcDiePending) &&
		InterruptHoldoffCount == 0 && CritSectionCount == 0;
}

/* Called below libcurl: only reads flags. */
static bool
should_abort(void *ctx)
{
	return itable_is_interrupted();
}

static void
invalidate(Datum arg, int cacheid, uint32 hash)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;

	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (hash == 0 ||
			(cacheid == USERMAPPINGOID && entry->mapping_hash == hash) ||
			(cacheid == FOREIGNSERVEROID && entry->server_hash == hash))
			entry->stale = true;
}

void
itable_sessions_init(void)
{
	HASHCTL		ctl = {.keysize = sizeof(sessionKey)};

	ctl.entrysize = sizeof(sessionEntry);
	sessions = hash_create("itable_fdw sessions", 8, &ctl,
						   HASH_ELEM | HASH_BLOBS);
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(serverCounters);
	past_counters = hash_create("itable_fdw counters", 8, &ctl,
								HASH_ELEM | HASH_BLOBS);
	CacheRegisterSyscacheCallback(FOREIGNSERVEROID, invalidate, (Datum) 0);
	CacheRegisterSyscacheCallback(USERMAPPINGOID, invalidate, (Datum) 0);
}

static void
add_counters(tstore_counters *to, const tstore_counters *from)
{
	for (int i = 0; i < TSTORE_KINDS; i++)
	{
		to[i].requests += from[i].requests;
		to[i].entities += from[i].entities;
		to[i].bytes_sent += from[i].bytes_sent;
		to[i].bytes_received += from[i].bytes_received;
		to[i].retries += from[i].retries;
		to[i].throttles += from[i].throttles;
		to[i].connections += from[i].connections;
	}
}

static serverCounters *
counters_of(Oid serverid)
{
	bool		found;
	serverCounters *past = hash_search(past_counters, &serverid, HASH_ENTER,
									   &found);

	if (!found)
		memset(past->counters, 0, sizeof(past->counters));
	return past;
}

static void
close_client(sessionEntry *entry)
{
	if (entry->client == NULL || entry->holders > 0)
		return;
	add_counters(counters_of(entry->serverid)->counters,
				 tstore_statistics(entry->client));
	tstore_close(entry->client);
	entry->client = NULL;
	MemoryContextDelete(entry->context);
	entry->context = NULL;
}

/* The first line of the file the mapping names, for bearer tokens. */
static char *
read_token_file(const char *path)
{
	char		line[8192];
	FILE	   *file = AllocateFile(path, "r");

	if (file == NULL)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read the user mapping's bearer_token_file: %m")));
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	FreeFile(file);
	line[strcspn(line, "\r\n")] = '\0';
	return pstrdup(line);
}

/* The host of "scheme://host[:port]/...", "[::1]" with its brackets. */
static char *
host_of(const char *endpoint)
{
	const char *begin = strstr(endpoint, "://");
	size_t		len;

	begin = begin != NULL ? begin + 3 : endpoint;
	len = begin[0] == '[' && strchr(begin, ']') != NULL ?
		strchr(begin, ']') + 1 - begin : strcspn(begin, ":/");
	return pnstrdup(begin, len);
}

/* itable_fdw.allowed_hosts; asked at every use, for it may change any time. */
static bool
is_allowed(const char *endpoint)
{
	char	   *host;
	char	   *rest;

	if (itable_allowed_hosts == NULL || itable_allowed_hosts[0] == '\0' ||
		endpoint == NULL)
		return true;
	host = host_of(endpoint);
	rest = pstrdup(itable_allowed_hosts);
	for (char *word = strtok_r(rest, ", \t\n", &rest); word != NULL;
		 word = strtok_r(NULL, ", \t\n", &rest))
		if (pg_strcasecmp(word, host) == 0)
			return true;
	return false;
}

static void
check_host(const ForeignServer *server)
{
	const char *endpoint = itable_option(server->options, "endpoint");

	if (!is_allowed(endpoint))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("host \"%s\" of server \"%s\" is not allowed",
						host_of(endpoint), server->servername),
				 errhint("A superuser can add it to itable_fdw.allowed_hosts.")));
}

/* A user who is no superuser must bring credentials of their own. */
static void
check_credentials(const tstore_config *config, List *mapping, Oid userid,
				  const char *servername)
{
	if (config->account_key != NULL || config->sas_token != NULL ||
		config->bearer_token != NULL || superuser_arg(userid) ||
		!itable_option_bool(mapping, "credentials_required", true))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED),
			 errmsg("credentials are required for server \"%s\"", servername),
			 errhint("Set account_key or sas_token in the user mapping.")));
}

static tstore_config
read_config(const ForeignServer *server, const UserMapping *mapping)
{
	tstore_config config = {0};
	List	   *options = server->options;
	const char *token_file = itable_option(mapping->options,
										   "bearer_token_file");

	config.endpoint = itable_option(options, "endpoint");
	config.ca_file = itable_option(options, "ca_file");
	config.connect_timeout_ms = itable_option_int(options, "connect_timeout",
												  10) * 1000;
	config.request_timeout_ms = itable_option_int(options, "request_timeout",
												  60) * 1000;
	config.max_retries = itable_option_int(options, "max_retries", 3);
	config.max_connections = itable_option_int(options, "max_connections", 8);
	config.account = itable_option(mapping->options, "account");
	config.account_key = itable_option(mapping->options, "account_key");
	config.sas_token = itable_option(mapping->options, "sas_token");
	if (token_file != NULL)
		config.bearer_token = read_token_file(token_file);
	check_credentials(&config, mapping->options, mapping->userid,
					  server->servername);
	return config;
}

/* False, with the error, when the configuration cannot be used. */
static bool
open_client(sessionEntry *entry, Oid serverid, const tstore_config *config,
			tstore_error *error)
{
	tstore_hooks hooks = {0};

	entry->context = AllocSetContextCreate(TopMemoryContext,
										   "itable_fdw client",
										   ALLOCSET_DEFAULT_SIZES);
	hooks.allocator = *itable_allocator(entry->context);
	hooks.should_abort = should_abort;
	hooks.trace = itable_trace_keep;
	entry->client = tstore_open(config, &hooks, error);
	if (entry->client == NULL)
	{
		MemoryContextDelete(entry->context);
		entry->context = NULL;
		return false;
	}
	entry->serverid = serverid;
	entry->stale = false;
	return true;
}

/* The entry, without a client when there is none that may be used. */
static sessionEntry *
entry_of(const UserMapping *mapping, Oid serverid, bool queue)
{
	sessionKey	key = {mapping->umid, queue ? 1 : 0};
	sessionEntry *entry;
	bool		found;

	entry = hash_search(sessions, &key, HASH_ENTER, &found);
	if (!found)
	{
		entry->client = NULL;
		entry->context = NULL;
		entry->stale = false;
		entry->holders = 0;
		entry->serverid = serverid;
		entry->mapping_hash =
			GetSysCacheHashValue1(USERMAPPINGOID,
								  ObjectIdGetDatum(mapping->umid));
		entry->server_hash =
			GetSysCacheHashValue1(FOREIGNSERVEROID,
								  ObjectIdGetDatum(serverid));
	}
	if (entry->stale)
		close_client(entry);
	return entry;
}

tstore_client *
itable_session(Oid serverid, Oid userid)
{
	UserMapping *mapping = GetUserMapping(userid, serverid);
	ForeignServer *server = GetForeignServer(serverid);
	sessionEntry *entry;

	check_host(server);
	entry = entry_of(mapping, serverid, false);
	if (entry->client == NULL)
	{
		tstore_config config = read_config(server, mapping);
		tstore_error error;

		if (!open_client(entry, serverid, &config, &error))
			itable_report(&error, psprintf("use server \"%s\"",
										   server->servername), NULL);
	}
	return entry->client;
}

tstore_client *
itable_queue_session(Oid serverid, Oid userid)
{
	ForeignServer *server = GetForeignServer(serverid);
	const char *endpoint = itable_option(server->options, "queue_endpoint");
	UserMapping *mapping;
	sessionEntry *entry;

	if (endpoint == NULL || !is_allowed(endpoint))
		return NULL;
	mapping = GetUserMapping(userid, serverid);
	entry = entry_of(mapping, serverid, true);
	if (entry->client == NULL)
	{
		tstore_config config = read_config(server, mapping);
		tstore_error error;

		config.endpoint = endpoint;
		config.connect_timeout_ms = Min(config.connect_timeout_ms,
										QUEUE_CONNECT_MS);
		config.request_timeout_ms = Min(config.request_timeout_ms,
										QUEUE_REQUEST_MS);
		config.max_retries = 0;
		(void) open_client(entry, serverid, &config, &error);
	}
	return entry->client;
}

void
itable_session_hold(tstore_client *client, int change)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;

	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (entry->client == client)
			entry->holders += change;
}

void
itable_sessions_end_transaction(void)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;

	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (entry->stale)
			close_client(entry);
}

bool
itable_sessions_disconnect(Oid serverid)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;
	bool		found = false;

	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (entry->client != NULL &&
			(serverid == InvalidOid || entry->serverid == serverid))
		{
			/* requests of this transaction may still need the client */
			entry->stale = true;
			found = true;
		}
	return found;
}

void
itable_sessions_each(itableSessionCallback callback, void *ctx)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;

	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (entry->client != NULL && entry->key.queue == 0)
			callback(entry->serverid, !entry->stale, ctx);
}

void
itable_sessions_statistics(itableStatsCallback callback, void *ctx)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;
	serverCounters *past;

	/* make sure every server with a client has a row */
	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		counters_of(entry->serverid);

	hash_seq_init(&scan, past_counters);
	while ((past = hash_seq_search(&scan)) != NULL)
	{
		tstore_counters sum[TSTORE_KINDS];
		HASH_SEQ_STATUS inner;

		memcpy(sum, past->counters, sizeof(sum));
		hash_seq_init(&inner, sessions);
		while ((entry = hash_seq_search(&inner)) != NULL)
			if (entry->client != NULL && entry->serverid == past->serverid)
				add_counters(sum, tstore_statistics(entry->client));
		callback(past->serverid, sum, ctx);
	}
}

void
itable_sessions_reset_statistics(void)
{
	HASH_SEQ_STATUS scan;
	sessionEntry *entry;
	serverCounters *past;

	hash_seq_init(&scan, past_counters);
	while ((past = hash_seq_search(&scan)) != NULL)
		memset(past->counters, 0, sizeof(past->counters));
	hash_seq_init(&scan, sessions);
	while ((entry = hash_seq_search(&scan)) != NULL)
		if (entry->client != NULL)
			tstore_reset_statistics(entry->client);
}
