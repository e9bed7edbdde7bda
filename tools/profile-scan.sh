#!/bin/bash
# Where a scan's instructions go: a backend in single-user mode under callgrind
# reads 100,000 entities of bench/compare.py's table from the mock, twice, on one
# connection.  Counts of instructions do not depend on who else uses the machine.
#
#   tools/profile-scan.sh [OUTPUT]		(callgrind.out)
source "$(dirname "$0")/testbed.sh"

output=$(realpath "${1:-callgrind.out}")
command -v valgrind >/dev/null || die "no valgrind: apt-get install valgrind"
make -s -C "$root" mock all
# shellcheck disable=SC2016
"$root/tools/with-store.sh" --mock -- "$root/tools/with-cluster.sh" -- bash -c '
	set -euo pipefail
	become=()
	[ "$(id -u)" != 0 ] || become=(setpriv --reuid postgres --regid postgres --init-groups --)
	data=$ITABLE_TEST_PGDIR/single
	mkdir "$data"
	chmod 711 "$ITABLE_TEST_PGDIR"
	[ "$(id -u)" != 0 ] || chown postgres: "$data"
	cd "$data"
	columns="p text OPTIONS (key '\''partition'\'') NOT NULL, r text OPTIONS (key '\''row'\'') NOT NULL,
		number int, title text, actors text[], note text"
	psql -X -q -v ON_ERROR_STOP=1 -f "$1/tools/demo/00_connect.sql" >/dev/null
	psql -X -q -c "CREATE FOREIGN TABLE facts ($columns) SERVER store" -c "SELECT itable_create_table('\''facts'\'')" -c "
		INSERT INTO facts SELECT '\''p'\'' || i / 10000, '\''r'\'' || lpad((i % 10000)::text, 7, '\''0'\''), i, '\''Title '\'' || i,
			ARRAY['\''A'\'' || i % 499, '\''B'\'' || i % 499, '\''C'\'' || i % 499], repeat('\''x'\'', 150)
		FROM generate_series(0, 99999) i" >/dev/null
	"${become[@]}" initdb -D "$data" -U postgres -A trust -E UTF8 --no-locale --no-sync >/dev/null
	single() { "${become[@]}" "$@" --single -D "$data" -c jit=off postgres 2>&1; }
	printf "%s\n" "CREATE EXTENSION itable_fdw;" \
		"CREATE SERVER store FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint '\''$ITABLE_TEST_ENDPOINT'\'');" \
		"CREATE USER MAPPING FOR CURRENT_USER SERVER store OPTIONS (account '\''$ITABLE_TEST_ACCOUNT'\'', account_key '\''$ITABLE_TEST_KEY'\'');" \
		"CREATE FOREIGN TABLE facts ($(echo $columns)) SERVER store;" | single postgres >/dev/null
	scan="SELECT count(number), sum(octet_length(title)), sum(cardinality(actors)), sum(octet_length(note)) FROM facts;"
	printf "%s\n" "SET itable_fdw.scan_ranges = 1;" "$scan" "$scan" |
		single valgrind --tool=callgrind --callgrind-out-file="$data/out" postgres | grep -E "Collected|count = "
	cp "$data/out" "$2"
' profile "$root" "$output"
callgrind_annotate --inclusive=yes "$output" | grep -vF '=>' |
	grep -E ':(ExecutorRun|itableIterateForeignScan|tstore_page_read|itable_entity_to_row|client_step|PROGRAM TOTALS) ' |
	sed -E 's/\[.*//' | sort -u -k3
