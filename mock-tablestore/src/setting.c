/*
 * setting.c
 *	  Named texts of an account: service properties and access policies.
 *
 * Rarely read or written, so statements are prepared where they are used.
 */
#include "setting.h"

#include <sqlite3.h>

#include "logfile.h"

static sqlite3_stmt *
prepare(Store *s, const char *sql, const char *account, const char *name)
{
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(store_db(s), sql, -1, &stmt, NULL) != SQLITE_OK)
	{
		log_line("sqlite: %s: %s", sql, sqlite3_errmsg(store_db(s)));
		return NULL;
	}
	sqlite3_bind_text(stmt, 1, account, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, name, -1, SQLITE_STATIC);
	return stmt;
}

StoreResult
setting_get(Store *s, Arena *a, const char *account, const char *name,
			Span *value)
{
	sqlite3_stmt *stmt = prepare(s, "SELECT value FROM setting WHERE "
								 "account=?1 AND name=?2", account, name);
	StoreResult result = STORE_FAILED;
	int			rc;

	*value = SPAN("");
	if (stmt == NULL)
		return STORE_FAILED;
	rc = sqlite3_step(stmt);
	if (rc == SQLITE_ROW)
	{
		Span		v = {sqlite3_column_blob(stmt, 0),
			(size_t) sqlite3_column_bytes(stmt, 0)};

		*value = (Span) {arena_strdup(a, v), v.n};
		result = STORE_OK;
	}
	else if (rc == SQLITE_DONE)
		result = STORE_NOT_FOUND;
	sqlite3_finalize(stmt);
	return result;
}

bool
setting_is_any(Store *s, const char *name, const char *value)
{
	sqlite3_stmt *stmt = prepare(s, "SELECT 1 FROM setting WHERE name LIKE "
								 "?1 AND CAST(value AS TEXT) LIKE ?2", name,
								 value);
	bool		found = stmt && sqlite3_step(stmt) == SQLITE_ROW;

	sqlite3_finalize(stmt);
	return found;
}

StoreResult
setting_put(Store *s, const char *account, const char *name,
			const Span *value)
{
	sqlite3_stmt *stmt = prepare(s, value ?
								 "REPLACE INTO setting(account,name,value) "
								 "VALUES(?1,?2,?3)" :
								 "DELETE FROM setting WHERE account=?1 AND "
								 "name=?2", account, name);
	int			rc;

	if (stmt == NULL)
		return STORE_FAILED;
	if (value)
		sqlite3_bind_blob(stmt, 3, value->n ? value->p : "", (int) value->n,
						  SQLITE_STATIC);
	rc = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? STORE_OK : STORE_FAILED;
}
