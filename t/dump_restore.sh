#!/bin/bash
# pg_dump of one database restored into a second one: the definitions work
# there, on the same tables of the store.
set -euo pipefail

source "$(dirname "$0")/lib/tap.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

sql -f tools/demo/00_connect.sql >/dev/null
sql <<'SQL' >/dev/null
CREATE FOREIGN TABLE movies_to_dump (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  title  text OPTIONS (property 'full_title'),
  actors text[]
) SERVER store;
SELECT itable_create_table('movies_to_dump');
CREATE FOREIGN TABLE shards_to_dump (
  shard int OPTIONS (key 'partition', hash_of 'id', buckets '4'),
  id    int OPTIONS (key 'row') NOT NULL
) SERVER store;
SELECT itable_create_table('shards_to_dump');
CALL itable_create_index('movies_to_dump', 'a_by_actor', key => '{actors}', include => '{title,actors}', partitions => 4);
CALL itable_create_index('movies_to_dump', 'z_by_title', key => '{title}', buckets => 2);
INSERT INTO movies_to_dump VALUES ('A', '1', 'One', '{Fred}');
INSERT INTO shards_to_dump (id) VALUES (1);
SQL

createdb restored
pg_dump >"$scratch/dump.sql"
if sql -d restored -f "$scratch/dump.sql" >/dev/null 2>"$scratch/errors"; then
	is "the dump restores" yes yes
else
	is "the dump restores" "$(cat "$scratch/errors")" yes
fi
export PGDATABASE=restored
is "rows are seen" "$(sql -c "SELECT genre, name, title, actors FROM movies_to_dump")" "A|1|One|{Fred}"
is "indexes are known" "$(sql -c "SELECT index, strategy, buckets, state FROM itable_indexes ORDER BY 1" | tr '\n' ' ')" \
	"a_by_actor|full|1|readable z_by_title|pointer|2|readable "
sql -c "INSERT INTO movies_to_dump VALUES ('A', '2', 'Two', '{Fred,Bert}')"
is "and maintained" "$(sql -c "SELECT actor, name FROM a_by_actor ORDER BY 1, 2" | tr '\n' ' ')" "Bert|2 Fred|1 Fred|2 "
is "and used" "$(sql -c "EXPLAIN (COSTS OFF) SELECT title FROM movies_to_dump WHERE 'Fred' = ANY (actors)" | grep -c 'index a_by_actor (covering)')" 1
is "the other index too" "$(sql -c "SELECT name FROM movies_to_dump WHERE title = 'Two'")" 2
is "shards are computed alike" "$(sql -c "SELECT id FROM shards_to_dump WHERE id = 1")" 1
is "definitions are checked again" "$(psql -X -q -A -t -c "CREATE FOREIGN TABLE bad_keys (a text) SERVER store" 2>&1 | head -1)" \
	'ERROR:  foreign table "bad_keys": no column is the partition key'

finish
