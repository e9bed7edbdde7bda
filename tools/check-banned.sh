#!/bin/bash
# What our code must not use, and where.
source "$(dirname "$0")/lint-frame.sh"

# Complains about lines of code in files $1 that match $2 (but not $3).
banned()
{
	violates < <(
		c_code "$1" | grep -aE -- "^[^:]*:[0-9]+:.*($2)" |
			{ if [ -n "${3:-}" ]; then grep -avE -- "$3"; else cat; fi; } || true
	)
}

begin 'no strcpy, strcat, sprintf, strtok, gets' \
	'they overrun their target or keep hidden state' \
	'snprintf, memcpy with a length, a tmodel_buf'
banned "$c_files" '(^|[^A-Za-z0-9_])(strcpy|strcat|sprintf|vsprintf|strtok|gets)[[:space:]]*\('

begin 'no atoi, atol, atof' \
	'they take anything for a number; only tests know what they read' \
	'strtol or strtod with a check of what is left'
banned '^(src|mock-tablestore/src)/' '(^|[^A-Za-z0-9_])(atoi|atol|atoll|atof)[[:space:]]*\('

begin 'model/ and store/ call nothing of PostgreSQL' \
	'they are tested, fuzzed and sanitized without a server' \
	'take memory from the arena or the hooks, and return errors'
banned '^src/(model|store)/' '(^|[^A-Za-z0-9_])(palloc0?|pfree|repalloc|ereport|elog|errmsg|errcode|MemoryContext[A-Za-z]*|CHECK_FOR_INTERRUPTS)[[:space:]]*\('

begin 'PG_VERSION_NUM occurs only in src/compat.h' \
	'a version test in the logic hides what the code does, and is tested on one version only' \
	'give the difference a name in src/compat.h'
banned '^src/' 'PG_VERSION_NUM' '^src/compat\.h:'

# A relation's and a path's fdw_private never leave plan/; a plan's may be
# handed over whole, to plan/private.c's reader.
begin 'only plan/private.c knows what the fdw_private of a plan holds' \
	'its layout is an agreement between the writer and the reader; they stand side by side there' \
	'add a field to both functions of plan/private.c; read by itable_..._from_list(plan->fdw_private)'
banned '^src/' '(->|\.)fdw_private' '^src/plan/private\.[ch]:|^src/plan/[^:]*:.*([Rr]el|[Rr]elinfo|[Pp]ath)->fdw_private|itable_[a-z_]*from_list\([A-Za-z_>-]*->fdw_private\)'

begin 'only remote/report.c names the SQLSTATE of a store failure' \
	'one table says which failure has which code; docs/ERRORS.md is written from it' \
	'return the store'"'"'s error to the caller and let remote/report.c throw it'
banned '^src/' 'ERRCODE_(CONNECTION_[A-Z_]+|FDW_UNABLE_TO_[A-Z_]+|FDW_REPLY_HANDLE|T_R_SERIALIZATION_FAILURE|TRANSACTION_RESOLUTION_UNKNOWN|INVALID_AUTHORIZATION_SPECIFICATION)' '^src/remote/report\.[ch]:'

# remote/catalog_change.c writes the catalog of indexes, which is no data.
# txn/round.c is the conductor's hand: it sends what flush.c has ordered, and
# nobody but flush.c includes its header.
begin 'only txn/flush.c and its hand, txn/round.c, change data in the store' \
	'the order of writes keeps the index right after a crash; one conductor can keep it' \
	'hand the change to txn/buffer; table creation (remote/catalog) is not data'
banned '^src/(table|plan|txn|exec|remote)/' '(^|[^A-Za-z0-9_])tstore_start_(write|batch)[[:space:]]*\(' '^src/txn/(flush|round)\.c:|^src/remote/catalog_change\.c:'

begin 'no marker for work left undone' \
	'nobody finds it again' \
	'do it, or write an issue'
violates < <(
	list_files '\.(c|h|sh|py|pl|sql|spec|md|js)$|(^|/)Makefile$' | grep -av '^tools/check-banned\.sh$' |
		xargs -r grep -anHE '\b(TODO|FIXME|XXX)\b' || true
)
finish
