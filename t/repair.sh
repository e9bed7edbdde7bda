#!/bin/bash
# Entries that a crash leaves unverified or dangling are answered rightly and
# mended by the reader, after its scan, once they are old enough.  The crash is
# the store refusing what settles a commit.
set -euo pipefail

source "$(dirname "$0")/lib/tap.sh"

# refuse OPERATION [N]: on the index table, from the N-th on.  Two touches come
# before what settles the commits below.
refuse()
{
	curl -s -f -X POST "$ITABLE_TEST_CONTROL/faults" -d "{\"operation\": \"$1\",
		\"table\": \"repairbyactor\", \"nth\": ${2:-1}, \"times\": 1000, \"action\": \"status\",
		\"status\": 400, \"code\": \"InvalidInput\"}" >/dev/null
}

allow_all()
{
	curl -s -f -X DELETE "$ITABLE_TEST_CONTROL/faults" >/dev/null
}

# What a lookup sends, and what it returns.
lookup="SELECT name FROM repair WHERE 'Fred' = ANY (actors) ORDER BY name"
requests()
{
	sql -c "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $lookup" |
		sed -nE 's/.*Requests: ([0-9]+).*/\1/p'
}

sql -f tools/demo/00_connect.sql >/dev/null
sql <<'SQL' >/dev/null
CREATE FOREIGN TABLE repair (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  actors text[]
) SERVER store;
SELECT itable_create_table('repair');
CALL itable_create_index('repair', 'repair_by_actor', key => '{actors}', include => '{actors}');
CREATE FOREIGN TABLE repair_raw (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'repairbyactor', key_encoding 'raw');
SQL

refuse update 3
sql -c "INSERT INTO repair VALUES ('Action', 'One', '{Fred,Bert}')"
allow_all
is "the row is found although its entry is not verified" "$(sql -c "$lookup")" One
is "at the price of reading the fact" "$(requests)" 2
is "a young entry is left to its writer" "$(requests)" 2
sql -c "SET itable_fdw.repair_age = 0" -c "$lookup" >/dev/null
is "an old one is verified: the entry answers alone" "$(requests)" 1
is "the other actor's entry is not" "$(sql -c "SELECT name FROM repair WHERE 'Bert' = ANY (actors)")" One

refuse delete
sql -c "DELETE FROM repair WHERE genre = 'Action' AND name = 'One'"
allow_all
is "two entries dangle" "$(sql -c "SELECT count(*) FROM repair_raw")" 2
is "they show nothing" "$(sql -c "$lookup")" ""
sql -c "SET itable_fdw.repair_age = 0" -c "$lookup" >/dev/null
is "the one that was met is deleted" "$(sql -c "SELECT pk FROM repair_raw")" Bert

sql -c "SET itable_fdw.repair_age = 0" -c "SELECT * FROM repair_by_actor" >/dev/null
is "reading the index table mends too" "$(sql -c "SELECT count(*) FROM repair_raw")" 0

sql -c "INSERT INTO repair VALUES ('Action', 'Two', '{Fred}')"
refuse update 3
refuse delete
sql -c "UPDATE repair SET actors = '{Ted}' WHERE genre = 'Action' AND name = 'Two'"
allow_all
is "an entry of the old value shows nothing" "$(sql -c "$lookup")" ""
is "nor does the index table" "$(sql -c "SELECT actor FROM repair_by_actor")" Ted
sql -c "SET itable_fdw.repair_age = 0" -c "SELECT * FROM repair_by_actor" >/dev/null
is "and it is deleted" "$(sql -c "SELECT pk FROM repair_raw")" Ted

finish
