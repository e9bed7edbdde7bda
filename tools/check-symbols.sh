#!/bin/bash
# The symbols of what was built: run it after `make` (without objects there is
# nothing to check).
source "$(dirname "$0")/lint-frame.sh"

# Prints the objects of src/$1 whose source still exists.
objects()
{
	local source

	for source in src/"$1"/*.c; do
		[ ! -f "${source%.c}.o" ] || printf '%s\n' "${source%.c}.o"
	done
}

undefined()
{
	objects "$1" | xargs -r nm -u -A | sed -E 's/:[[:space:]]+[UwVv] /: /'
}

begin 'model/ and store/ link without PostgreSQL' \
	'they are tested, fuzzed and sanitized without a server' \
	'use the arena, the hooks and return values'
violates < <(
	{ undefined model; undefined store; } |
		grep -aE ': (palloc|pfree|repalloc|errstart|errfinish|errmsg|elog|MemoryContext|CurrentMemoryContext|TopMemoryContext|InterruptPending|ProcessInterrupts|pg_)' || true
)

begin 'only store/http.c calls libcurl' \
	'one file knows the transport, so that it can be replaced and tested apart' \
	'go through store/http.h'
violates < <(
	{ undefined model; undefined store | grep -av '^src/store/http\.o'; } | grep -aE ': curl_' || true
)

begin 'global names begin with tmodel_ (model), tstore_ (store), itable_ (the rest)' \
	'PostgreSQL loads modules into one namespace' \
	'rename it, or make it static'
violates < <(
	for folder in . model store table remote plan txn exec; do
		case $folder in
			model) prefix=tmodel_ ;;
			store) prefix=tstore_ ;;
			*) prefix='itable_|itable[A-Z]|pg_finfo_itable_|Pg_magic_func$|_PG_init$' ;;
		esac
		objects "$folder" | xargs -r nm -g --defined-only -A | grep -avE " [A-Za-z] ($prefix)" || true
	done
)

begin 'the module exports only what PostgreSQL looks up' \
	'any other symbol can collide with another module' \
	'see tools/make-exports.sh'
if [ -f itable_fdw.so ]; then
	violates < <(
		nm -D --defined-only itable_fdw.so |
			grep -avE ' (Pg_magic_func|_PG_init|pg_finfo_itable_[a-z0-9_]+|itable_[a-z0-9_]+)$' || true
		exported=$(nm -D --defined-only itable_fdw.so | wc -l)
		listed=$(grep -cE '^    (pg_finfo_)?itable_' build/exports.map 2>/dev/null || true)
		[ "$exported" -le "$((listed + 2))" ] || echo "itable_fdw.so exports $exported symbols, build/exports.map lists $listed"
	)
fi
finish
