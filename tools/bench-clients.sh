#!/bin/bash
# Scans, joins, bulk writes and lookups beside a bare libcurl loop and the
# official JavaScript client, on the mock, as ratios of one run.
#
#   tools/bench-clients.sh [LATENCY_MS...]        (0 10)
#   make bench
#
# Settings: BENCH_ENTITIES (100000), BENCH_SIZES ("10000 100000 1000000"), BENCH_TSV=FILE.
source "$(dirname "$0")/testbed.sh"

[ $# -gt 0 ] || set -- 0 10
make -s -C "$root" mock all
pages=$root/build/bench-pages
modules=$root/mock-tablestore/test/js
mkdir -p "$root/build"
${CC:-gcc} -O2 -Wall -o "$pages" "$root/bench/clients/pages.c" -lcurl -lcrypto
[ -d "$modules/node_modules/@azure/data-tables" ] ||
	(cd "$modules" && npm ci --no-audit --no-fund >/dev/null) || die "npm ci failed in $modules"
for latency in "$@"; do
	ITABLE_MOCK_OPTIONS="--latency $latency" "$root/tools/with-store.sh" --mock -- \
		"$root/tools/with-cluster.sh" -- bash -c '
			psql -X -q -v ON_ERROR_STOP=1 -f "$1/tools/demo/00_connect.sql" >/dev/null
			exec python3 "$1/bench/compare.py" --pages "$2" --modules "$3" --latency "$4" \
				--entities "$5" --sizes "$6" --tsv "$7"
		' bench "$root" "$pages" "$modules" "$latency" "${BENCH_ENTITIES:-100000}" \
		"${BENCH_SIZES-10000 100000 1000000}" "${BENCH_TSV:-}"
	echo
done
