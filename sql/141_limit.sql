-- LIMIT, EXISTS and cursors read what they need: pages begin small and double.
CREATE FOREIGN TABLE limited (
  p integer OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v text
) SERVER store;
SELECT itable_create_table('limited');
INSERT INTO limited SELECT i % 3 / 2, i, repeat('v', i % 7) FROM generate_series(1, 2400) i;

CREATE FUNCTION counts_of(query text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(trim(line), '  Bytes.*', '') FROM explain_counts($1) line WHERE line LIKE '%Requests:%'
$$;

SELECT counts_of('SELECT * FROM limited WHERE p = 0');
SELECT counts_of('SELECT * FROM limited WHERE p = 0 LIMIT 1');
SELECT counts_of('SELECT * FROM limited LIMIT 3');
SELECT counts_of('SELECT * FROM limited WHERE p = 0 ORDER BY r LIMIT 5');
SELECT counts_of('SELECT * FROM limited ORDER BY p, r LIMIT 5 OFFSET 10');
SELECT counts_of('SELECT * FROM limited WHERE p IN (0, 1) ORDER BY r LIMIT 3');
SELECT counts_of('SELECT * FROM limited WHERE p IN (0, 1) ORDER BY p, r LIMIT 3');
SELECT counts_of('SELECT * FROM limited WHERE p IN (0, 1) LIMIT 2');
SELECT counts_of('SELECT * FROM limited WHERE p = 0 AND r IN (1, 3, 4, 6, 7, 9, 10, 12, 13, 15) LIMIT 2');
SELECT counts_of('SELECT min(r) FROM limited WHERE p = 0');
SELECT counts_of('SELECT min(p) FROM limited');
SELECT counts_of('SELECT EXISTS (SELECT 1 FROM limited WHERE p = 1)');
SELECT counts_of('SELECT 1 WHERE EXISTS (SELECT 1 FROM limited WHERE p = 7)');
-- a row may be rejected here: pages double until there are enough
SELECT counts_of('SELECT * FROM limited WHERE p = 0 AND length(v) = 3 LIMIT 4');
-- the end of a partition is the end
SELECT counts_of('SELECT * FROM limited WHERE p = 1 AND r > 2390 ORDER BY r LIMIT 100');
-- all rows are needed before the first: no hint
SELECT counts_of('SELECT * FROM limited WHERE p = 0 ORDER BY v, r LIMIT 5');
SELECT counts_of('SELECT count(*) FROM limited WHERE p = 0 LIMIT 1');
SELECT counts_of('SELECT max(r) FROM limited WHERE p = 0');
SELECT counts_of('SELECT DISTINCT v FROM limited WHERE p = 0 LIMIT 1');
SELECT counts_of('SELECT * FROM limited WHERE p = 0 LIMIT NULL');

-- the plan says so, and sends nothing
SELECT itable_stats_reset();
EXPLAIN (COSTS OFF) SELECT * FROM limited WHERE p = 0 ORDER BY r LIMIT 5 OFFSET 2;
EXPLAIN (COSTS OFF) SELECT * FROM limited WHERE p = 0 LIMIT 5;
EXPLAIN (COSTS OFF) SELECT min(r) FROM limited WHERE p = 0;
SELECT coalesce(sum(requests), 0) FROM itable_stats();

-- a parameter is known when the scan starts
PREPARE few(integer, bigint) AS SELECT r FROM limited WHERE p = $1 ORDER BY r LIMIT $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE few(0, 2);
EXECUTE few(0, 2);
EXECUTE few(1, 1);
EXECUTE few(0, 1);
EXECUTE few(2, 1);
EXECUTE few(0, 0);
EXECUTE few(1, 2);
SELECT itable_stats_reset();
EXECUTE few(0, 3);
SELECT sum(requests), sum(entities) FROM itable_stats();
RESET plan_cache_mode;
DEALLOCATE few;

-- a cursor: a hundred first
BEGIN;
SELECT itable_stats_reset();
DECLARE c CURSOR FOR SELECT r FROM limited WHERE p = 0;
FETCH 2 FROM c;
SELECT sum(requests), sum(entities) FROM itable_stats();
MOVE 100 FROM c;
SELECT sum(requests), sum(entities) FROM itable_stats();
MOVE ALL FROM c;
SELECT sum(requests), sum(entities) FROM itable_stats();
COMMIT;

-- own writes count, deleted rows do not
BEGIN;
DELETE FROM limited WHERE p = 0 AND r IN (1, 3, 4);
INSERT INTO limited VALUES (0, -5, 'own'), (0, 5, 'own');
SELECT r, v FROM limited WHERE p = 0 ORDER BY r LIMIT 4;
SELECT min(r) FROM limited WHERE p = 0 AND r > 0;
SELECT r FROM limited WHERE p = 0 AND r < 3 LIMIT 1;
ROLLBACK;
