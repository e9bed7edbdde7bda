#!/bin/bash
# Prints a linker version script that exports what PostgreSQL looks up by name
# and nothing else.  Modules are loaded with RTLD_GLOBAL, so any other symbol
# could collide with those of other extensions; -fvisibility=hidden alone would
# hide even Pg_magic_func on PostgreSQL 15.
#
# Exported are the functions of PG_FUNCTION_INFO_V1(name) and those that are
# marked PGDLLEXPORT (entry points of background workers).
set -euo pipefail

echo '{'
echo '  global:'
echo '    Pg_magic_func; _PG_init;'
{
	sed -nE 's/^[[:space:]]*PG_FUNCTION_INFO_V1\(([A-Za-z0-9_]+)\).*/\1 pg_finfo_\1/p' "$@" /dev/null
	sed -nE 's/^.*PGDLLEXPORT .*[[:space:]*]([A-Za-z0-9_]+)[[:space:]]*\(.*/\1/p' "$@" /dev/null
} | tr ' ' '\n' | LC_ALL=C sort -u | sed 's/.*/    &;/'
echo '  local: *;'
echo '};'
