#!/bin/bash
# itable_fdw.trace: each answer, retry and batch is a line of the log, and no
# credential is in any of them.
set -euo pipefail

source "$(dirname "$0")/lib/tap.sh"

# The trace lines that a statement makes, component by component.
components()
{
	PGOPTIONS="-c client_min_messages=log -c itable_fdw.trace=$1" sql -c "$2" 2>&1 |
		sed -nE 's/^LOG:  itable_fdw ([a-z]+):.*/\1/p' | xargs
}

sql -f tools/demo/00_connect.sql >/dev/null
sql <<'SQL' >/dev/null
CREATE FOREIGN TABLE traced (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store;
SELECT itable_create_table('traced');
SQL

is "nothing is logged without it" "$(components '' "SELECT * FROM traced WHERE p = 'a'")" ''
is "an answer is a line" "$(components http "SELECT * FROM traced WHERE p = 'a'")" 'http'
is "a commit's batch is a line, once sent" \
	"$(components batch "INSERT INTO traced SELECT 'a', i::text, i FROM generate_series(1, 3) i")" 'batch'
# what is read, the catalog of indexes, what is written
is "all is all" "$(components all "UPDATE traced SET n = n + 1")" 'http http batch http'
curl -s -f -X POST "$ITABLE_TEST_CONTROL/faults" -d '{"operation": "query", "table": "traced", "nth": 1, "times": 1,
	"action": "status", "status": 503, "code": "ServerBusy"}' >/dev/null
is "a retry is a line" "$(components http,retry "SELECT * FROM traced WHERE p = 'a'")" 'http retry http'
is "a wrong component is refused" \
	"$( (sql -c 'SELECT itable_stats_reset()' -c "SET itable_fdw.trace = 'htpp'" 2>&1 || true) | grep -c 'There is no component')" 1

lines=$(PGOPTIONS='-c client_min_messages=log -c itable_fdw.trace=all' sql -c "SELECT * FROM traced" 2>&1 | grep itable_fdw)
is "a line names method, target, status and time" \
	"$(grep -cE 'http: GET /[^ ]+/traced\(\)\S* 200 [0-9]+ ms$' <<<"$lines")" 1
is "no credential is in a line" "$(grep -ciE "$ITABLE_TEST_KEY|sharedkey|signature|sig=" <<<"$lines" || true)" 0
finish
