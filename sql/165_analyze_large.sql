-- ANALYZE counts keys, several stretches at a time, and reads some pages whole, where it may take any number of requests.
SET itable_fdw.analyze_requests = 0;
CREATE FOREIGN TABLE grand (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, kind text, n int, a text[], filler text) SERVER store OPTIONS (fetch_size '10');
SELECT itable_create_table('grand');
-- a partition of a third of the rows, many of one row; keys with escapes and beyond ASCII
INSERT INTO grand SELECT CASE i % 3 WHEN 0 THEN 'huge' WHEN 1 THEN 'Town/' || (i * 7919) % 400 ELSE 'é' || i % 20 END, 'r' || i || CASE WHEN i % 50 = 0 THEN '😀#' ELSE '' END,
  CASE WHEN i % 100 = 0 THEN 'rare ' || i ELSE 'common' END, i, ARRAY['Star', 'Actor ' || i % 500], repeat('x', 300) FROM generate_series(1, 3000) i;
SET client_min_messages = warning;
CALL itable_create_index('grand', 'grand_by_kind', key => '{kind}');
CALL itable_create_index('grand', 'grand_by_a', key => '{a}');
SELECT itable_stats_reset();
ANALYZE grand;
SELECT requests BETWEEN 300 AND 600 AS requests, bytes_received < 450 * 3000 AS fewer_bytes FROM itable_stats() WHERE operation = 'query' AND server = 'store';
SELECT reltuples FROM pg_class WHERE oid = 'grand'::regclass;
SELECT reltuples = 3000 AS again FROM (SELECT requests_of('ANALYZE grand')) x, pg_class WHERE oid = 'grand'::regclass;
-- values: of partitions, of a skewed column, of an array's elements
SELECT attname, (most_common_vals::text::text[])[1] AS first, most_common_freqs[1] BETWEEN 0.2 AND 0.5 AS third FROM pg_stats WHERE tablename = 'grand' AND attname = 'p';
SELECT attname, (most_common_vals::text::text[])[1] AS first, most_common_freqs[1] > 0.9 AS nearly_all FROM pg_stats WHERE tablename = 'grand' AND attname = 'kind';
SELECT (most_common_elems::text::text[])[1:1] <@ '{Star}' OR 'Star' = ANY (most_common_elems::text::text[]) AS star FROM pg_stats WHERE tablename = 'grand' AND attname = 'a';
SELECT access_of($$SELECT * FROM grand WHERE kind = 'common'$$), access_of($$SELECT * FROM grand WHERE 'Star' = ANY (a)$$);
SELECT count(*) AS in_pieces FROM explain_counts('SELECT count(*) FROM grand') AS line WHERE line ~ 'Pieces: \d+';
SELECT count(*), count(DISTINCT (p, r)) FROM grand;
-- index tables too; a transaction's own rows count; a table that has shrunk
ANALYZE grand_by_a;
SELECT reltuples FROM pg_class WHERE oid = 'grand_by_a'::regclass;
BEGIN;
INSERT INTO grand SELECT 'own', i::text, 'own' FROM generate_series(1, 100) i;
ANALYZE grand;
SELECT reltuples FROM pg_class WHERE oid = 'grand'::regclass;
ROLLBACK;
DELETE FROM grand WHERE p <> 'huge' AND n > 100;
ANALYZE grand;
SELECT reltuples = (SELECT count(*) FROM grand) AS exact FROM pg_class WHERE oid = 'grand'::regclass;
CALL itable_drop_index('grand_by_kind');
CALL itable_drop_index('grand_by_a');
SELECT itable_drop_table('grand');
DROP FOREIGN TABLE grand;
