-- How near ANALYZE comes, with how many requests, for keys of different kinds:
--   tools/with-store.sh --mock -- tools/with-cluster.sh -- psql -X -q -f bench/analyze.sql
-- Pages of 100 entities, so that a table of 200,000 is one of 2,000 pages.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
\set ON_ERROR_STOP on
CREATE EXTENSION itable_fdw;
CREATE SERVER store FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint', insert_mode 'direct');
CREATE USER MAPPING FOR CURRENT_USER SERVER store OPTIONS (account :'account', account_key :'account_key');
CREATE TABLE result (n serial, layout text, rows bigint, requests bigint, estimate float8, kinds float8, top float8, top_true float8, partitions float8, partitions_true bigint);
SET client_min_messages = error;

CREATE PROCEDURE measure(layout text, keys text) LANGUAGE plpgsql AS $$
DECLARE
  m result;
  t text;
BEGIN
  CREATE FOREIGN TABLE grand (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, kind int, a text[]) SERVER store OPTIONS (fetch_size '100');
  PERFORM itable_create_table('grand');
  EXECUTE format('CREATE TEMP TABLE keys AS SELECT p, r, least(floor(-ln(random()) * 10), 50)::int AS kind FROM (%s) k', keys);
  INSERT INTO grand SELECT p, r, kind, ARRAY['k' || kind, 'x' || kind % 3] FROM keys;
  COMMIT;
  m.layout := layout;
  SELECT count(*), count(DISTINCT p), avg((kind = 0)::int) INTO m.rows, m.partitions_true, m.top_true FROM keys;
  PERFORM itable_stats_reset();
  ANALYZE grand;
  SELECT requests INTO m.requests FROM itable_stats() WHERE operation = 'query';
  SELECT reltuples INTO m.estimate FROM pg_class WHERE oid = 'grand'::regclass;
  SELECT most_common_freqs[array_position(most_common_vals::text::int[], 0)] INTO m.top FROM pg_stats WHERE tablename = 'grand' AND attname = 'kind';
  SELECT CASE WHEN n_distinct < 0 THEN -n_distinct * m.estimate ELSE n_distinct END INTO m.partitions FROM pg_stats WHERE tablename = 'grand' AND attname = 'p';
  INSERT INTO result (layout, rows, requests, estimate, top, top_true, partitions, partitions_true)
  VALUES (m.layout, m.rows, m.requests, m.estimate, m.top, m.top_true, m.partitions, m.partitions_true);
  PERFORM itable_drop_table('grand');
  DROP FOREIGN TABLE grand;
  DROP TABLE keys;
  COMMIT;
END $$;

CALL measure('one partition, numbered', $$SELECT 'p' AS p, to_char(i, 'FM00000000') AS r FROM generate_series(1, 200000) i$$);
CALL measure('one partition, hashed', $$SELECT 'p' AS p, md5(i::text) AS r FROM generate_series(1, 200000) i$$);
CALL measure('a partition for each row, numbered', $$SELECT to_char(i, 'FM00000000') AS p, 'r' AS r FROM generate_series(1, 50000) i$$);
CALL measure('a partition for each row, hashed', $$SELECT md5(i::text) AS p, 'r' AS r FROM generate_series(1, 50000) i$$);
CALL measure('2,000 partitions of 100', $$SELECT md5((i % 2000)::text) AS p, to_char(i, 'FM00000000') AS r FROM generate_series(1, 200000) i$$);
CALL measure('zipf, 1,000 partitions', $$SELECT md5(p::text) AS p, to_char(r, 'FM00000000') AS r FROM generate_series(1, 1000) p, generate_series(1, 26000 / p) r$$);
CALL measure('a row in three in one partition, 2,000 of others', $$SELECT CASE WHEN i % 3 = 0 THEN 'huge' ELSE 'Town ' || i % 2000 END AS p, i::text AS r FROM generate_series(1, 200000) i$$);
CALL measure('names', $$SELECT (ARRAY['Smith','Miller','Jones','Brown','Garcia','Davis','Lopez','Moore'])[1 + (i * 7919) % 8] || ', ' || (ARRAY['Anna','Ben','Carl','Dora','Emil','Fay','Gus'])[1 + (i * 13) % 7] || ' ' || substr(md5(i::text), 1, 2) AS p, i::text AS r FROM generate_series(1, 200000) i$$);
\pset format unaligned
\pset fieldsep ' | '
SELECT layout, rows, requests, round(estimate) AS reltuples, round((estimate / rows)::numeric, 2) AS ratio, partitions_true AS partitions, round(partitions) AS n_distinct, round(top_true::numeric, 3) AS top, round(top::numeric, 3) AS top_found FROM result ORDER BY n;
