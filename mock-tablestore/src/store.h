/*
 * store.h
 *	  The entities and tables kept by SQLite, behind one lock.
 *
 * Every function but open/close needs the lock (store_lock).  Keys are in key
 * form, so SQLite's blob order is the service's order.  A lookup's blob is
 * valid until the next call.  Easy to break: writes outside of a
 * store_begin/store_commit pair are transactions of their own.
 */
#ifndef MTS_STORE_H
#define MTS_STORE_H

#include "mem.h"

typedef struct Store Store;

typedef enum StoreResult
{
	STORE_OK,
	STORE_NOT_FOUND,
	STORE_EXISTS,
	STORE_FAILED				/* SQLite's message went to the log */
} StoreResult;

typedef struct Table
{
	int64_t		id;
	char	   *sort;			/* "account\nlower-case name": the order */
	char	   *name;			/* as created */
} Table;

typedef struct Cursor
{
	Span		pk;				/* key form */
	Span		rk;
	Span		blob;
} Cursor;

/* path NULL: in memory.  NULL on failure, with the reason in *why. */
extern Store *store_open(const char *path, char **why);
extern void store_close(Store *s);
extern void store_lock(Store *s);
extern void store_unlock(Store *s);

/*
 * Let others have the lock for a moment if any of them waits for it.  True
 * when it did: tables may be gone and the walk must be started again.
 */
extern bool store_yield(Store *s);

extern StoreResult store_table_create(Store *s, const char *account, Span name);
extern StoreResult store_table_drop(Store *s, const char *account, Span name);
extern const Table *store_table_find(Store *s, const char *account, Span name);

/* The account's tables from lower-case name on; NULL at the end. */
extern const Table *store_table_at(Store *s, const char *account, Span from,
								   int offset);
extern StoreResult store_reset(Store *s);

/* For setting.c and queue_store.c, which keep their tables in it too. */
extern struct sqlite3 *store_db(Store *s);

/* Has this thread committed anything to a file since it last asked? */
extern bool store_take_commit(void);

extern StoreResult store_begin(Store *s);
extern StoreResult store_commit(Store *s);
extern void store_rollback(Store *s);

/* A tick for a write; in a file also promised across restarts. */
extern int64_t store_tick(Store *s);

extern StoreResult store_get(Store *s, int64_t table, Span pk, Span rk,
							 Span *blob);
extern StoreResult store_insert(Store *s, int64_t table, Span pk, Span rk,
								Span blob);
extern StoreResult store_put(Store *s, int64_t table, Span pk, Span rk,
							 Span blob);
extern StoreResult store_update(Store *s, int64_t table, Span pk, Span rk,
								Span blob);
extern StoreResult store_delete(Store *s, int64_t table, Span pk, Span rk);

/* Walk upwards from (pk, rk); call store_seek_end when done. */
extern StoreResult store_seek(Store *s, int64_t table, Span pk, Span rk);
extern StoreResult store_next(Store *s, Cursor *row);
extern void store_seek_end(Store *s);

#endif							/* MTS_STORE_H */
