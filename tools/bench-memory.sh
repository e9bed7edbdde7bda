#!/bin/bash
# Does a scan's memory grow with the table?  See bench/memory.py.
#
#   tools/bench-memory.sh [ROWS...]        (1000000 10000000)
#   make bench-memory
source "$(dirname "$0")/testbed.sh"

[ $# -gt 0 ] || set -- 1000000 10000000
make -s -C "$root" mock all
# shellcheck disable=SC2016
"$root/tools/with-store.sh" --mock -- "$root/tools/with-cluster.sh" -- bash -c '
	psql -X -q -v ON_ERROR_STOP=1 -f "$1/tools/demo/00_connect.sql" >/dev/null
	exec python3 "$1/bench/memory.py" "${@:2}"
' bench "$root" "$@"
