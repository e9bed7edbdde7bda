/*
 * queue_store.c
 *	  Queues and messages, kept in the store's database.
 *
 * Messages are found through an index of queue, time of visibility and
 * sequence, so a get costs what it returns and not what is invisible.  Easy
 * to break: an expired message stays until a get meets it, so whatever
 * counts or finds messages must compare the expiry itself.
 */
#include "queue_store.h"

#include <sqlite3.h>

#include "logfile.h"

enum
{
	STMT_FIND,
	STMT_NEXT,
	STMT_AFTER,
	STMT_CREATE,
	STMT_DROP,
	STMT_METADATA,
	STMT_COUNT,
	STMT_ADD,
	STMT_VISIBLE,
	STMT_MESSAGE,
	STMT_SAVE,
	STMT_REMOVE,
	STMT_CLEAR,
	STMT_TOTAL
};

#define MESSAGE_COLUMNS "seq,inserted,expires,visible,receipt,dequeued,body"

static const char *const stmt_text[STMT_TOTAL] = {
	[STMT_FIND] = "SELECT id,name,metadata FROM queue WHERE account=?1 AND "
	"name=?2",
	[STMT_NEXT] = "SELECT id,name,metadata FROM queue WHERE account=?1 AND "
	"name>=?2 ORDER BY name LIMIT 1",
	[STMT_AFTER] = "SELECT id,name,metadata FROM queue WHERE account=?1 AND "
	"name>?2 ORDER BY name LIMIT 1",
	[STMT_CREATE] = "INSERT INTO queue(account,name,metadata) "
	"VALUES(?1,?2,?3)",
	[STMT_DROP] = "DELETE FROM queue WHERE id=?1",
	[STMT_METADATA] = "UPDATE queue SET metadata=?2 WHERE id=?1",
	[STMT_COUNT] = "SELECT count(*) FROM message WHERE q=?1 AND expires>?2",
	[STMT_ADD] = "INSERT INTO message(q,inserted,expires,visible,receipt,"
	"dequeued,body) VALUES(?1,?2,?3,?4,?5,?6,?7)",
	[STMT_VISIBLE] = "SELECT " MESSAGE_COLUMNS " FROM message WHERE q=?1 AND "
	"visible<=?2 ORDER BY visible,seq",
	[STMT_MESSAGE] = "SELECT " MESSAGE_COLUMNS " FROM message WHERE q=?1 AND "
	"seq=?2",
	[STMT_SAVE] = "UPDATE message SET visible=?2,receipt=?3,dequeued=?4,"
	"body=?5 WHERE seq=?1",
	[STMT_REMOVE] = "DELETE FROM message WHERE seq=?1",
	[STMT_CLEAR] = "DELETE FROM message WHERE q=?1",
};

static sqlite3_stmt *stmts[STMT_TOTAL];

static StoreResult
failed(Store *s, const char *what)
{
	log_line("sqlite: %s: %s", what, sqlite3_errmsg(store_db(s)));
	return STORE_FAILED;
}

StoreResult
queue_store_open(Store *s)
{
	const char *sql =
		"CREATE TABLE IF NOT EXISTS queue(id INTEGER PRIMARY KEY "
		"AUTOINCREMENT, account TEXT NOT NULL, name TEXT NOT NULL, "
		"metadata BLOB, UNIQUE(account,name));"
		"CREATE TABLE IF NOT EXISTS message(seq INTEGER PRIMARY KEY "
		"AUTOINCREMENT, q INTEGER NOT NULL, inserted INTEGER, "
		"expires INTEGER, visible INTEGER, receipt INTEGER, "
		"dequeued INTEGER, body BLOB);"
		"CREATE INDEX IF NOT EXISTS message_visible ON "
		"message(q,visible,seq);";

	if (sqlite3_exec(store_db(s), sql, NULL, NULL, NULL) != SQLITE_OK)
		return failed(s, "create queue tables");
	for (int i = 0; i < STMT_TOTAL; i++)
	{
		if (sqlite3_prepare_v3(store_db(s), stmt_text[i], -1,
							   SQLITE_PREPARE_PERSISTENT, &stmts[i],
							   NULL) != SQLITE_OK)
			return failed(s, stmt_text[i]);
	}
	return STORE_OK;
}

void
queue_store_close(void)
{
	for (int i = 0; i < STMT_TOTAL; i++)
	{
		sqlite3_finalize(stmts[i]);
		stmts[i] = NULL;
	}
}

StoreResult
queue_store_reset(Store *s)
{
	if (sqlite3_exec(store_db(s), "DELETE FROM message; DELETE FROM queue",
					 NULL, NULL, NULL) != SQLITE_OK)
		return failed(s, "reset queues");
	return STORE_OK;
}

static void
bind(int which, int i, int64_t value)
{
	sqlite3_bind_int64(stmts[which], i, value);
}

static void
bind_text(int which, int i, Span text)
{
	sqlite3_bind_text(stmts[which], i, text.n ? text.p : "", (int) text.n,
					  SQLITE_STATIC);
}

/* Steps a statement that returns no rows. */
static StoreResult
run(Store *s, int which)
{
	int			rc = sqlite3_step(stmts[which]);

	sqlite3_reset(stmts[which]);
	if (rc == SQLITE_DONE)
		return STORE_OK;
	return rc == SQLITE_CONSTRAINT ? STORE_EXISTS :
		failed(s, stmt_text[which]);
}

static Span
column(Arena *a, sqlite3_stmt *stmt, int i)
{
	const void *p = sqlite3_column_blob(stmt, i);

	return arena_span(a, (Span) {p, (size_t) sqlite3_column_bytes(stmt, i)});
}

/* The one row of a statement that selects a queue. */
static StoreResult
read_queue(Store *s, Arena *a, int which, Queue *q)
{
	sqlite3_stmt *stmt = stmts[which];
	int			rc = sqlite3_step(stmt);

	if (rc == SQLITE_ROW)
	{
		q->id = sqlite3_column_int64(stmt, 0);
		q->name = column(a, stmt, 1);
		q->metadata = column(a, stmt, 2);
	}
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW ? STORE_OK :
		rc == SQLITE_DONE ? STORE_NOT_FOUND : failed(s, stmt_text[which]);
}

StoreResult
queue_find(Store *s, Arena *a, const char *account, Span name, Queue *q)
{
	bind_text(STMT_FIND, 1, span_of(account));
	bind_text(STMT_FIND, 2, name);
	return read_queue(s, a, STMT_FIND, q);
}

StoreResult
queue_next(Store *s, Arena *a, const char *account, Span from, bool after,
		   Queue *q)
{
	int			which = after ? STMT_AFTER : STMT_NEXT;

	bind_text(which, 1, span_of(account));
	bind_text(which, 2, from);
	return read_queue(s, a, which, q);
}

StoreResult
queue_create(Store *s, const char *account, Span name, Span metadata)
{
	bind_text(STMT_CREATE, 1, span_of(account));
	bind_text(STMT_CREATE, 2, name);
	bind_text(STMT_CREATE, 3, metadata);
	return run(s, STMT_CREATE);
}

StoreResult
queue_drop(Store *s, int64_t id)
{
	StoreResult result = message_clear(s, id);

	bind(STMT_DROP, 1, id);
	return result == STORE_OK ? run(s, STMT_DROP) : result;
}

StoreResult
queue_set_metadata(Store *s, int64_t id, Span metadata)
{
	bind(STMT_METADATA, 1, id);
	bind_text(STMT_METADATA, 2, metadata);
	return run(s, STMT_METADATA);
}

StoreResult
queue_count(Store *s, int64_t id, int64_t now, int64_t *count)
{
	int			rc;

	bind(STMT_COUNT, 1, id);
	bind(STMT_COUNT, 2, now);
	rc = sqlite3_step(stmts[STMT_COUNT]);
	*count = rc == SQLITE_ROW ? sqlite3_column_int64(stmts[STMT_COUNT], 0) : 0;
	sqlite3_reset(stmts[STMT_COUNT]);
	return rc == SQLITE_ROW ? STORE_OK : failed(s, "count messages");
}

StoreResult
message_add(Store *s, int64_t queue, Message *m)
{
	StoreResult result;

	bind(STMT_ADD, 1, queue);
	bind(STMT_ADD, 2, m->inserted);
	bind(STMT_ADD, 3, m->expires);
	bind(STMT_ADD, 4, m->visible);
	bind(STMT_ADD, 5, m->receipt);
	bind(STMT_ADD, 6, m->dequeued);
	bind_text(STMT_ADD, 7, m->text);
	result = run(s, STMT_ADD);
	m->seq = sqlite3_last_insert_rowid(store_db(s));
	return result;
}

static void
read_message(Arena *a, sqlite3_stmt *stmt, Message *m)
{
	m->seq = sqlite3_column_int64(stmt, 0);
	m->inserted = sqlite3_column_int64(stmt, 1);
	m->expires = sqlite3_column_int64(stmt, 2);
	m->visible = sqlite3_column_int64(stmt, 3);
	m->receipt = sqlite3_column_int64(stmt, 4);
	m->dequeued = sqlite3_column_int64(stmt, 5);
	m->text = column(a, stmt, 6);
}

StoreResult
message_visible(Store *s, Arena *a, int64_t queue, int64_t now, int max,
				Message *found, int *n)
{
	sqlite3_stmt *stmt = stmts[STMT_VISIBLE];
	Buf			expired = {0};
	int			rc = SQLITE_DONE;
	StoreResult result = STORE_OK;

	bind(STMT_VISIBLE, 1, queue);
	bind(STMT_VISIBLE, 2, now);
	*n = 0;
	while (*n < max && (rc = sqlite3_step(stmt)) == SQLITE_ROW)
	{
		int64_t		seq = sqlite3_column_int64(stmt, 0);

		if (sqlite3_column_int64(stmt, 2) > now)
			read_message(a, stmt, &found[(*n)++]);
		else
			buf_put(&expired, &seq, sizeof(seq));
	}
	sqlite3_reset(stmt);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		result = failed(s, "get messages");
	for (size_t i = 0; i < expired.n && result == STORE_OK;
		 i += sizeof(int64_t))
	{
		int64_t		seq;

		memcpy(&seq, expired.p + i, sizeof(seq));
		result = message_remove(s, seq);
	}
	buf_free(&expired);
	return result;
}

StoreResult
message_find(Store *s, Arena *a, int64_t queue, int64_t seq, Message *m)
{
	sqlite3_stmt *stmt = stmts[STMT_MESSAGE];
	int			rc;

	bind(STMT_MESSAGE, 1, queue);
	bind(STMT_MESSAGE, 2, seq);
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
		read_message(a, stmt, m);
	sqlite3_reset(stmt);
	return rc == SQLITE_ROW ? STORE_OK :
		rc == SQLITE_DONE ? STORE_NOT_FOUND : failed(s, "find message");
}

StoreResult
message_save(Store *s, const Message *m)
{
	bind(STMT_SAVE, 1, m->seq);
	bind(STMT_SAVE, 2, m->visible);
	bind(STMT_SAVE, 3, m->receipt);
	bind(STMT_SAVE, 4, m->dequeued);
	bind_text(STMT_SAVE, 5, m->text);
	return run(s, STMT_SAVE);
}

StoreResult
message_remove(Store *s, int64_t seq)
{
	bind(STMT_REMOVE, 1, seq);
	return run(s, STMT_REMOVE);
}

StoreResult
message_clear(Store *s, int64_t queue)
{
	bind(STMT_CLEAR, 1, queue);
	return run(s, STMT_CLEAR);
}
