#!/bin/bash
# Loads a file of movies in one transaction into a foreign table with an index
# on its actors, measures, and compares every actor's and genre's movies with a
# plain table of the same rows.
#
#   tools/bench-movies.sh [--mock|--azurite] FILE.csv[.gz]
#   make bench CSV=FILE STORE=mock
#
# The file: genre,name,title,year,genres,actors,href,plot with a header line,
# (genre, name) unique.  Settings:
#   BENCH_PARTITIONS=N  the index gathers its actors in N partitions (0)
#   BENCH_EVERY=N       look up every N-th actor only (1: all)
# Exit code 1 when an answer differs.
source "$(dirname "$0")/testbed.sh"

store=--mock
case ${1:-} in
	--mock | --azurite) store=$1; shift ;;
esac
[ -f "${1:-}" ] || die "usage: bench-movies.sh [--mock|--azurite] FILE.csv[.gz]"
file=$(realpath "$1")

if [ -z "${ITABLE_TEST_ENDPOINT:-}" ]; then
	make -s -C "$root" mock all
	exec "$root/tools/with-store.sh" "$store" -- "$0" "$file"
fi
[ -n "${ITABLE_TEST_PGPID:-}" ] || exec "$root/tools/with-cluster.sh" -- "$0" "$file"

clean_up_at_exit
make_workdir bench
case $file in
	*.gz) gzip -dc "$file" >"$workdir/movies.csv" ;;
	*) cp "$file" "$workdir/movies.csv" ;;
esac
export BENCH_CSV=$workdir/movies.csv

run_sql()
{
	psql -X -q -v ON_ERROR_STOP=1 -P pager=off \
		-v partitions="${BENCH_PARTITIONS:-0}" -v every="${BENCH_EVERY:-1}" "$@"
}

echo "## $(basename "$file"), $ITABLE_TEST_STORE, index partitions ${BENCH_PARTITIONS:-0}"
run_sql -f "$root/tools/demo/00_connect.sql" >/dev/null
run_sql <<'SQL'
CREATE FOREIGN TABLE movies (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  title  text,
  year   int,
  genres text[],
  actors text[],
  href   text,
  plot   text
) SERVER store;
CREATE TABLE plain (LIKE movies);
SELECT itable_create_table('movies') \g /dev/null
SELECT :partitions > 0 AS gathered \gset
\if :gathered
CALL itable_create_index('movies', 'movies_by_actor', key => '{actors}', include => '{actors}', partitions => :partitions);
\else
CALL itable_create_index('movies', 'movies_by_actor', key => '{actors}', include => '{actors}');
\endif
\copy plain FROM PROGRAM 'cat "$BENCH_CSV"' WITH (FORMAT csv, HEADER)
ANALYZE plain;
SQL

# One session: its memory is the load's.
run_sql <<'SQL'
SELECT pg_backend_pid() AS pid \gset
\setenv BENCH_PID :pid
SELECT 1 FROM movies WHERE genre = 'no such genre' AND name = 'none';
SELECT itable_stats_reset() \g /dev/null
\echo 'before the load:'
\! grep -E 'VmRSS|VmHWM' /proc/$BENCH_PID/status
SELECT clock_timestamp() AS started \gset
BEGIN;
\copy movies FROM PROGRAM 'cat "$BENCH_CSV"' WITH (FORMAT csv, HEADER)
SELECT clock_timestamp() AS copied \gset
COMMIT;
SELECT clock_timestamp() AS committed \gset
\echo 'after the load:'
\! grep -E 'VmRSS|VmHWM' /proc/$BENCH_PID/status
SELECT count(*) AS rows,
       round(extract(epoch FROM :'copied'::timestamptz - :'started'), 2) AS copy_s,
       round(extract(epoch FROM :'committed'::timestamptz - :'copied'), 2) AS commit_s,
       round(count(*) / extract(epoch FROM :'committed'::timestamptz - :'started')) AS rows_per_s,
       (SELECT sum(requests) FROM itable_stats()) AS requests,
       (SELECT sum(requests) FROM itable_stats() WHERE operation = 'batch') AS batches,
       (SELECT sum(entities) FROM itable_stats() WHERE operation IN ('batch', 'insert', 'update', 'delete')) AS entities_written
  FROM plain;
SELECT * FROM itable_stats() WHERE requests > 0 ORDER BY operation;
SQL

echo "looking up every actor and every genre"
export PGOPTIONS='-c client_min_messages=notice'
run_sql <<'SQL'
SELECT actors[1] AS actor FROM plain WHERE actors <> '{}' LIMIT 1 \gset
EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off)
SELECT * FROM movies WHERE :'actor' = ANY (actors);
CREATE TABLE different (kind text, value text, expected bigint, found bigint);

-- The value is a literal of each query, so that each is planned for itself.
-- Rows are compared as text, in the order of the keys.
CREATE PROCEDURE compare(kind text, condition text, value text)
LANGUAGE plpgsql AS $$
DECLARE
  question text := 'SELECT count(*), md5(string_agg(t::text, chr(10)'
    ' ORDER BY genre COLLATE "C", name COLLATE "C")) FROM %I t WHERE ' || condition;
  expected record;
  found record;
BEGIN
  EXECUTE format(question, 'plain', value) INTO expected;
  EXECUTE format(question, 'movies', value) INTO found;
  IF found IS DISTINCT FROM expected THEN
    INSERT INTO different VALUES (kind, value, expected.count, found.count);
  END IF;
END $$;

CREATE INDEX ON plain USING gin (actors);
SELECT itable_stats_reset() \g /dev/null
SELECT set_config('bench.every', :'every', false) \g /dev/null
\timing on
DO $$
DECLARE
  one record;
  done int := 0;
BEGIN
  FOR one IN
    SELECT a.actor
      FROM (SELECT actor, row_number() OVER (ORDER BY actor COLLATE "C") AS n
              FROM (SELECT DISTINCT unnest(actors) AS actor FROM plain) d) a
     WHERE a.n % current_setting('bench.every')::int = 0
     ORDER BY a.n
  LOOP
    CALL compare('actor', 'actors @> ARRAY[%L]', one.actor);
    done := done + 1;
    IF done % 2000 = 0 THEN
      RAISE NOTICE '% actors', done;
    END IF;
  END LOOP;
  RAISE NOTICE '% actors looked up', done;
END $$;
DO $$
DECLARE
  one record;
BEGIN
  FOR one IN SELECT DISTINCT genre FROM plain LOOP
    CALL compare('genre', 'genre = %L', one.genre);
  END LOOP;
END $$;
\timing off
SELECT count(DISTINCT genre) AS genres,
       (SELECT count(DISTINCT a) FROM plain, unnest(actors) a) AS actors,
       (SELECT sum(requests) FROM itable_stats()) AS requests,
       (SELECT count(*) FROM different) AS different
  FROM plain;
SELECT * FROM different ORDER BY kind, value LIMIT 20;
SQL
[ "$(run_sql -At -c 'SELECT count(*) FROM different')" = 0 ] || die "answers differ"
echo "all answers equal"
