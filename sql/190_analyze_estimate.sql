-- ANALYZE of a large table reads pages from all over it and estimates what is between; where that is no good it counts.
CREATE FUNCTION rows_of(name text, most int) RETURNS TABLE (requests text, rows text) LANGUAGE plpgsql AS $$
DECLARE
  n bigint := requests_of('ANALYZE ' || name);
  ratio float8 := (SELECT reltuples / 6000 FROM pg_class WHERE oid = name::regclass);
BEGIN
  RETURN QUERY SELECT CASE WHEN n <= most THEN 'at most ' || most ELSE 'more: ' || n END,
    CASE WHEN ratio = 1 THEN 'all' WHEN ratio BETWEEN 0.7 AND 1.4 THEN 'about all' ELSE ratio::text END;
END $$;
CREATE FOREIGN TABLE numbered (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, kind text, a text[]) SERVER store OPTIONS (fetch_size '20');
CREATE FOREIGN TABLE hashed (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store OPTIONS (fetch_size '20');
CREATE FOREIGN TABLE worded (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store OPTIONS (fetch_size '20');
SELECT itable_create_table('numbered'), itable_create_table('hashed'), itable_create_table('worded');
INSERT INTO numbered SELECT 'p' || i % 2, i, CASE WHEN i % 5 = 0 THEN 'rare ' || i ELSE 'common' END, ARRAY['Star', 'Actor ' || i % 40] FROM generate_series(1, 6000) i;
INSERT INTO hashed SELECT md5((i / 3)::text), i::text, i FROM generate_series(1, 6000) i;
INSERT INTO worded SELECT 'ä' || repeat(chr(97 + i % 3), i % 40) || chr(97 + i % 7), repeat('z', i % 60) || i, i FROM generate_series(1, 6000) i;
SET itable_fdw.analyze_requests = 100;
SHOW itable_fdw.analyze_requests;
-- 300 pages
SELECT * FROM rows_of('numbered', 101);
SELECT * FROM rows_of('hashed', 101);
-- what the sample says
SELECT attname, n_distinct, most_common_freqs[1] BETWEEN 0.3 AND 0.7 AS half FROM pg_stats WHERE tablename = 'numbered' AND attname = 'p';
SELECT (most_common_vals::text::text[])[1] AS first, most_common_freqs[1] BETWEEN 0.75 AND 0.85 AS most FROM pg_stats WHERE tablename = 'numbered' AND attname = 'kind';
SELECT count(*) FILTER (WHERE e = 'Star'), count(*) FILTER (WHERE e LIKE 'Actor%') BETWEEN 30 AND 40 AS actors FROM pg_stats, unnest(most_common_elems::text::text[]) e WHERE tablename = 'numbered' AND attname = 'a';
SELECT count(*) AS in_pieces FROM explain_counts('SELECT count(*) FROM numbered') AS line WHERE line ~ 'Pieces: \d+';
SELECT count(*), count(DISTINCT (p, r)) FROM numbered;
-- keys that tell nothing: all are counted
SELECT * FROM rows_of('worded', 450);
SELECT reltuples FROM pg_class WHERE oid = 'worded'::regclass;
-- ... unless there are too many of them
SET itable_fdw.analyze_requests = 8;
\set VERBOSITY terse
SELECT * FROM rows_of('worded', 100) \gset
\set VERBOSITY default
SELECT :'requests' AS requests, reltuples BETWEEN 600 AND 60000 AS plausible FROM pg_class WHERE oid = 'worded'::regclass;
-- without an estimate
SET itable_fdw.analyze_requests = 0;
SELECT * FROM rows_of('hashed', 400);
SELECT reltuples FROM pg_class WHERE oid = 'hashed'::regclass;
-- a transaction's own rows, and a table of few pages: everything is read
RESET itable_fdw.analyze_requests;
BEGIN;
DELETE FROM hashed WHERE n > 10;
ANALYZE hashed;
SELECT reltuples FROM pg_class WHERE oid = 'hashed'::regclass;
COMMIT;
ANALYZE hashed;
SELECT reltuples FROM pg_class WHERE oid = 'hashed'::regclass;
SET itable_fdw.analyze_requests = -1;
SELECT itable_drop_table('numbered'), itable_drop_table('hashed'), itable_drop_table('worded');
DROP FOREIGN TABLE numbered, hashed, worded;
DROP FUNCTION rows_of;
