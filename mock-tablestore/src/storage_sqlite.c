/*
 * storage_sqlite.c
 *	  The entities and tables kept by SQLite, behind one lock.
 *
 * One WITHOUT ROWID table (table, pk, rk) -> blob holds every entity, so a
 * range of keys is one walk of one B-tree.  Table names are cached in a
 * sorted array.  A file is in WAL mode: a commit has been handed to the
 * operating system at once (kill -9 loses nothing, nor any part of a batch);
 * sync.c then holds its reply until the disk has it, too.
 */
#include "store.h"

#include <ctype.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "logfile.h"
#include "timestamp.h"

#define STORE_VERSION 1
/* "mock" as PRAGMA application_id: a file of ours. */
#define STORE_FILE_ID 0x6d6f636b

enum
{
	STMT_GET,
	STMT_INSERT,
	STMT_PUT,
	STMT_UPDATE,
	STMT_DELETE,
	STMT_SEEK,
	STMT_BEGIN,
	STMT_COMMIT,
	STMT_ROLLBACK,
	STMT_PROMISE,
	STMT_COUNT
};

static const char *const stmt_text[STMT_COUNT] = {
	[STMT_GET] = "SELECT v FROM entity WHERE t=?1 AND pk=?2 AND rk=?3",
	[STMT_INSERT] = "INSERT INTO entity(t,pk,rk,v) VALUES(?1,?2,?3,?4)",
	[STMT_PUT] = "REPLACE INTO entity(t,pk,rk,v) VALUES(?1,?2,?3,?4)",
	[STMT_UPDATE] = "UPDATE entity SET v=?4 WHERE t=?1 AND pk=?2 AND rk=?3",
	[STMT_DELETE] = "DELETE FROM entity WHERE t=?1 AND pk=?2 AND rk=?3",
	[STMT_SEEK] = "SELECT pk,rk,v FROM entity WHERE t=?1 AND "
	"(pk,rk)>=(?2,?3) ORDER BY pk,rk",
	[STMT_BEGIN] = "BEGIN IMMEDIATE",
	[STMT_COMMIT] = "COMMIT",
	[STMT_ROLLBACK] = "ROLLBACK",
	[STMT_PROMISE] = "UPDATE promise SET ticks=?1",
};

/* 1836016491 is STORE_FILE_ID. */
static const char schema[] =
"BEGIN IMMEDIATE;"
"CREATE TABLE IF NOT EXISTS tables(id INTEGER PRIMARY KEY AUTOINCREMENT, "
"account TEXT NOT NULL, name TEXT NOT NULL);"
"CREATE TABLE IF NOT EXISTS entity(t INTEGER NOT NULL, pk BLOB NOT NULL, "
"rk BLOB NOT NULL, v BLOB NOT NULL, PRIMARY KEY(t,pk,rk)) WITHOUT ROWID;"
"CREATE TABLE IF NOT EXISTS setting(account TEXT, name TEXT, "
"value BLOB, PRIMARY KEY(account,name)) WITHOUT ROWID;"
"CREATE TABLE IF NOT EXISTS promise(ticks INTEGER);"
"INSERT INTO promise SELECT 0 WHERE NOT EXISTS(SELECT 1 FROM promise);"
"PRAGMA user_version=1; PRAGMA application_id=1836016491; COMMIT";

static _Thread_local bool committed;

struct Store
{
	sqlite3    *db;
	sqlite3_stmt *stmt[STMT_COUNT];
	pthread_mutex_t lock;
	atomic_int	waiting;		/* threads at or before the lock */
	bool		on_disk;
	int64_t		promised;		/* restart continues after this tick */
	Table	  **tables;			/* sorted by Table.sort */
	int			ntables;
	int			tables_cap;
};

static StoreResult
failed(Store *s, const char *what)
{
	log_line("sqlite: %s: %s", what, sqlite3_errmsg(s->db));
	return STORE_FAILED;
}

void
store_lock(Store *s)
{
	s->waiting++;
	pthread_mutex_lock(&s->lock);
	s->waiting--;
}

void
store_unlock(Store *s)
{
	/* A lookup left open would keep its snapshot and stop checkpoints. */
	sqlite3_reset(s->stmt[STMT_GET]);
	pthread_mutex_unlock(&s->lock);
}

static StoreResult
run_sql(Store *s, const char *sql)
{
	if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(s, sql);
	return STORE_OK;
}

bool
store_yield(Store *s)
{
	/* Mutexes are not fair: without a pause we would win it right back. */
	struct timespec pause = {.tv_nsec = 50000};

	if (s->waiting == 0)
		return false;
	store_seek_end(s);
	store_unlock(s);
	nanosleep(&pause, NULL);
	store_lock(s);
	return true;
}

/* Account and lower-case name; the name follows the account's ordering. */
static char *
sort_key(const char *account, Span name)
{
	size_t		n = strlen(account);
	char	   *key = xmalloc(n + name.n + 2);

	memcpy(key, account, n);
	key[n] = '\n';
	for (size_t i = 0; i < name.n; i++)
		key[n + 1 + i] = (char) tolower((unsigned char) name.p[i]);
	key[n + 1 + name.n] = '\0';
	return key;
}

sqlite3 *
store_db(Store *s)
{
	return s->db;
}

/* Index of the first table whose sort key is >= key. */
static int
table_position(const Store *s, const char *key)
{
	int			low = 0;
	int			high = s->ntables;

	while (low < high)
	{
		int			middle = (low + high) / 2;

		if (strcmp(s->tables[middle]->sort, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
cache_table(Store *s, int64_t id, char *sort, const char *name)
{
	int			at = table_position(s, sort);
	Table	   *table = xmalloc(sizeof(*table));

	table->id = id;
	table->sort = sort;
	table->name = xstrdup(name);
	if (s->ntables == s->tables_cap)
	{
		s->tables_cap = s->tables_cap ? s->tables_cap * 2 : 64;
		s->tables = xrealloc(s->tables, sizeof(Table *) *
							 (size_t) s->tables_cap);
	}
	memmove(s->tables + at + 1, s->tables + at,
			sizeof(Table *) * (size_t) (s->ntables - at));
	s->tables[at] = table;
	s->ntables++;
}

static void
free_table(Table *table)
{
	free(table->sort);
	free(table->name);
	free(table);
}

static StoreResult
load_tables(Store *s)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(s->db, "SELECT id,account,name FROM tables", -1,
						   &stmt, NULL) != SQLITE_OK)
		return failed(s, "load tables");
	while (sqlite3_step(stmt) == SQLITE_ROW)
	{
		const char *account = (const char *) sqlite3_column_text(stmt, 1);
		const char *name = (const char *) sqlite3_column_text(stmt, 2);

		cache_table(s, sqlite3_column_int64(stmt, 0),
					sort_key(account, span_of(name)), name);
	}
	sqlite3_finalize(stmt);
	return STORE_OK;
}

/* One integer out of a query without parameters; 0 when there is no row. */
static int64_t
read_int(Store *s, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t		v = 0;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return -1;
	if (sqlite3_step(stmt) == SQLITE_ROW)
		v = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return v;
}

static int
on_commit(void *arg)
{
	committed = true;
	return 0;
}

/* What the library's short texts leave out. */
static char *
reason(Store *s)
{
	const char *text = sqlite3_errmsg(s->db);
	int			code = sqlite3_errcode(s->db);
	size_t		n = strlen(text) + 128;
	char	   *why = xmalloc(n);

	if (code == SQLITE_BUSY)
		snprintf(why, n, "another server has it open (%s)", text);
	else if (code == SQLITE_READONLY)
		snprintf(why, n, "%s (its directory must be writable, too)", text);
	else if (code == SQLITE_CANTOPEN)
		snprintf(why, n, "%s: %s", text,
				 strerror(sqlite3_system_errno(s->db)));
	else
		snprintf(why, n, "%s", text);
	return why;
}

/* Is it a file that may be ours?  The reason why not, or NULL. */
static char *
check_file(Store *s)
{
	int64_t		version = read_int(s, "PRAGMA user_version");
	int64_t		id = read_int(s, "PRAGMA application_id");
	char	   *why;

	if (version < 0 || id < 0)
		return reason(s);
	/* Files of the first days have a version and no id. */
	if ((id != 0 && id != STORE_FILE_ID) ||
		(version == 0 && read_int(s, "SELECT count(*) FROM sqlite_schema") > 0))
		return xstrdup("a database of another program");
	if (version == 0 || version == STORE_VERSION)
		return NULL;
	why = xmalloc(128);
	snprintf(why, 128, "its format is %d, this program knows %d: it was written "
			"by %s version", (int) version, STORE_VERSION,
			version > STORE_VERSION ? "a newer" : "another");
	return why;
}

/* NULL when it can be used, else why not. */
static char *
open_file(Store *s, const char *path)
{
	if (sqlite3_open_v2(path ? path : ":memory:", &s->db,
						SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
						SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
		return s->db ? reason(s) : xstrdup("out of memory");
	if (sqlite3_db_readonly(s->db, "main") == 1)
		return xstrdup("the file may only be read");
	return check_file(s);
}

static StoreResult
set_up(Store *s)
{
	const char *pragmas = s->on_disk ?
		"PRAGMA page_size=8192; PRAGMA locking_mode=EXCLUSIVE;"
		"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
		"PRAGMA cache_size=-131072; PRAGMA wal_autocheckpoint=4000;" :
		"PRAGMA page_size=8192; PRAGMA journal_mode=MEMORY;"
		"PRAGMA synchronous=OFF; PRAGMA cache_size=-1048576;"
		"PRAGMA locking_mode=EXCLUSIVE;";

	if (sqlite3_exec(s->db, pragmas, NULL, NULL, NULL) != SQLITE_OK ||
		sqlite3_exec(s->db, schema, NULL, NULL, NULL) != SQLITE_OK)
		return STORE_FAILED;
	for (int i = 0; i < STMT_COUNT; i++)
	{
		if (sqlite3_prepare_v3(s->db, stmt_text[i], -1,
							   SQLITE_PREPARE_PERSISTENT, &s->stmt[i],
							   NULL) != SQLITE_OK)
			return failed(s, stmt_text[i]);
	}
	if (s->on_disk)
		sqlite3_commit_hook(s->db, on_commit, NULL);
	s->promised = read_int(s, "SELECT ticks FROM promise");
	timestamp_not_before(s->promised);
	return load_tables(s);
}

Store *
store_open(const char *path, char **why)
{
	Store	   *s = xmalloc(sizeof(*s));
	pthread_mutexattr_t attr;

	memset(s, 0, sizeof(*s));
	/* Held for microseconds mostly: worth a spin before sleeping. */
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
	pthread_mutex_init(&s->lock, &attr);
	pthread_mutexattr_destroy(&attr);
	s->on_disk = path != NULL;
	*why = open_file(s, path);
	if (*why == NULL && set_up(s) != STORE_OK)
		*why = reason(s);
	if (*why != NULL)
	{
		store_close(s);
		return NULL;
	}
	return s;
}

void
store_close(Store *s)
{
	for (int i = 0; i < STMT_COUNT; i++)
		sqlite3_finalize(s->stmt[i]);
	sqlite3_close(s->db);
	for (int i = 0; i < s->ntables; i++)
		free_table(s->tables[i]);
	free(s->tables);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const Table *
store_table_find(Store *s, const char *account, Span name)
{
	const Table *table = store_table_at(s, account, name, 0);

	if (table && span_eq_nocase(span_of(table->name), name))
		return table;
	return NULL;
}

const Table *
store_table_at(Store *s, const char *account, Span from, int offset)
{
	char	   *key = sort_key(account, from);
	int			at = table_position(s, key) + offset;
	size_t		prefix = strlen(account) + 1;
	const Table *table = at < s->ntables ? s->tables[at] : NULL;

	if (table && strncmp(table->sort, key, prefix) != 0)
		table = NULL;
	free(key);
	return table;
}

StoreResult
store_table_create(Store *s, const char *account, Span name)
{
	sqlite3_stmt *stmt;
	char	   *copy;
	int			rc;

	if (store_table_find(s, account, name))
		return STORE_EXISTS;
	if (sqlite3_prepare_v2(s->db, "INSERT INTO tables(account,name) "
						   "VALUES(?1,?2)", -1, &stmt, NULL) != SQLITE_OK)
		return failed(s, "create table");
	sqlite3_bind_text(stmt, 1, account, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, name.p, (int) name.n, SQLITE_STATIC);
	rc = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	if (rc != SQLITE_DONE)
		return failed(s, "create table");
	copy = xmalloc(name.n + 1);
	memcpy(copy, name.p, name.n);
	copy[name.n] = '\0';
	cache_table(s, sqlite3_last_insert_rowid(s->db), sort_key(account, name),
				copy);
	free(copy);
	return STORE_OK;
}

StoreResult
store_table_drop(Store *s, const char *account, Span name)
{
	const Table *table = store_table_find(s, account, name);
	char		sql[160];
	int			at;

	if (table == NULL)
		return STORE_NOT_FOUND;
	snprintf(sql, sizeof(sql), "BEGIN IMMEDIATE; DELETE FROM entity WHERE "
			 "t=%lld; DELETE FROM tables WHERE id=%lld; COMMIT",
			 (long long) table->id, (long long) table->id);
	if (run_sql(s, sql) != STORE_OK)
	{
		store_rollback(s);
		return STORE_FAILED;
	}
	at = table_position(s, table->sort);
	free_table(s->tables[at]);
	s->ntables--;
	memmove(s->tables + at, s->tables + at + 1,
			sizeof(Table *) * (size_t) (s->ntables - at));
	return STORE_OK;
}

StoreResult
store_reset(Store *s)
{
	if (run_sql(s, "BEGIN IMMEDIATE; DELETE FROM entity; DELETE FROM tables; "
				"DELETE FROM setting; COMMIT") != STORE_OK)
	{
		store_rollback(s);
		return STORE_FAILED;
	}
	while (s->ntables > 0)
		free_table(s->tables[--s->ntables]);
	return STORE_OK;
}

/* Steps a statement that returns no rows. */
static StoreResult
step_write(Store *s, int which)
{
	sqlite3_stmt *stmt = s->stmt[which];
	int			rc = sqlite3_step(stmt);

	sqlite3_reset(stmt);
	if (rc == SQLITE_DONE)
		return STORE_OK;
	if (rc == SQLITE_CONSTRAINT)
		return STORE_EXISTS;
	return failed(s, stmt_text[which]);
}

bool
store_take_commit(void)
{
	bool		was = committed;

	committed = false;
	return was;
}

StoreResult
store_begin(Store *s)
{
	return step_write(s, STMT_BEGIN);
}

StoreResult
store_commit(Store *s)
{
	return step_write(s, STMT_COMMIT);
}

void
store_rollback(Store *s)
{
	if (!sqlite3_get_autocommit(s->db))
		step_write(s, STMT_ROLLBACK);
	s->promised = 0;
}

int64_t
store_tick(Store *s)
{
	int64_t		ticks = timestamp_next();

	if (s->on_disk && ticks > s->promised)
	{
		/* One write a second: a restart may run a second ahead, no more. */
		s->promised = ticks + TICKS_PER_SECOND;
		sqlite3_bind_int64(s->stmt[STMT_PROMISE], 1, s->promised);
		if (step_write(s, STMT_PROMISE) != STORE_OK)
			s->promised = 0;
	}
	return ticks;
}

static void
bind_span(sqlite3_stmt *stmt, int i, Span s)
{
	sqlite3_bind_blob(stmt, i, s.n ? s.p : "", (int) s.n, SQLITE_STATIC);
}

static sqlite3_stmt *
bind_key(Store *s, int which, int64_t table, Span pk, Span rk)
{
	sqlite3_stmt *stmt = s->stmt[which];

	sqlite3_reset(stmt);
	sqlite3_bind_int64(stmt, 1, table);
	bind_span(stmt, 2, pk);
	bind_span(stmt, 3, rk);
	return stmt;
}

static Span
column_span(sqlite3_stmt *stmt, int i)
{
	const void *p = sqlite3_column_blob(stmt, i);

	return (Span) {p ? p : "", (size_t) sqlite3_column_bytes(stmt, i)};
}

StoreResult
store_get(Store *s, int64_t table, Span pk, Span rk, Span *blob)
{
	sqlite3_stmt *stmt = bind_key(s, STMT_GET, table, pk, rk);
	int			rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
	{
		*blob = column_span(stmt, 0);
		return STORE_OK;
	}
	sqlite3_reset(stmt);
	return rc == SQLITE_DONE ? STORE_NOT_FOUND : failed(s, "get");
}

static StoreResult
write_row(Store *s, int which, int64_t table, Span pk, Span rk, Span blob)
{
	sqlite3_reset(s->stmt[STMT_GET]);	/* an open read blocks a commit */
	bind_span(bind_key(s, which, table, pk, rk), 4, blob);
	return step_write(s, which);
}

StoreResult
store_insert(Store *s, int64_t table, Span pk, Span rk, Span blob)
{
	return write_row(s, STMT_INSERT, table, pk, rk, blob);
}

StoreResult
store_put(Store *s, int64_t table, Span pk, Span rk, Span blob)
{
	return write_row(s, STMT_PUT, table, pk, rk, blob);
}

StoreResult
store_update(Store *s, int64_t table, Span pk, Span rk, Span blob)
{
	StoreResult r = write_row(s, STMT_UPDATE, table, pk, rk, blob);

	if (r == STORE_OK && sqlite3_changes(s->db) == 0)
		return STORE_NOT_FOUND;
	return r;
}

StoreResult
store_delete(Store *s, int64_t table, Span pk, Span rk)
{
	StoreResult r;

	sqlite3_reset(s->stmt[STMT_GET]);
	bind_key(s, STMT_DELETE, table, pk, rk);
	r = step_write(s, STMT_DELETE);
	if (r == STORE_OK && sqlite3_changes(s->db) == 0)
		return STORE_NOT_FOUND;
	return r;
}

StoreResult
store_seek(Store *s, int64_t table, Span pk, Span rk)
{
	bind_key(s, STMT_SEEK, table, pk, rk);
	return STORE_OK;
}

StoreResult
store_next(Store *s, Cursor *row)
{
	sqlite3_stmt *stmt = s->stmt[STMT_SEEK];
	int			rc = sqlite3_step(stmt);

	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? STORE_NOT_FOUND : failed(s, "next");
	row->pk = column_span(stmt, 0);
	row->rk = column_span(stmt, 1);
	row->blob = column_span(stmt, 2);
	return STORE_OK;
}

void
store_seek_end(Store *s)
{
	sqlite3_reset(s->stmt[STMT_SEEK]);
}
