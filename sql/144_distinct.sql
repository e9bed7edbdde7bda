-- DISTINCT on the PartitionKey skips from partition to partition.
CREATE FOREIGN TABLE skipped (
  p text OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '20');
SELECT itable_create_table('skipped');
CREATE TABLE skipped_plain (p text, r integer, v integer);
INSERT INTO skipped_plain
  SELECT (ARRAY['', 'a', 'a b', 'a/b', 'it''s', 'ü', 'zz'])[1 + i % 7], i, i % 2 FROM generate_series(1, 700) i;
INSERT INTO skipped SELECT * FROM skipped_plain;
ANALYZE skipped;

-- the same partitions as a plain table?
CREATE FUNCTION same_groups(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found text[];
  expected text[];
BEGIN
  EXECUTE format('SELECT array_agg(x::text ORDER BY x::text) FROM (%s) x', replace(query, '{}', 'skipped')) INTO found;
  EXECUTE format('SELECT array_agg(x::text ORDER BY x::text) FROM (%s) x', replace(query, '{}', 'skipped_plain')) INTO expected;
  RETURN found IS NOT DISTINCT FROM expected;
END $$;

EXPLAIN (COSTS OFF) SELECT DISTINCT p FROM skipped;
EXPLAIN (COSTS OFF) SELECT p FROM skipped GROUP BY p;
EXPLAIN (COSTS OFF) SELECT DISTINCT p FROM skipped WHERE p > 'a' ORDER BY p;
EXPLAIN (COSTS OFF) SELECT count(*) FROM (SELECT DISTINCT p FROM skipped) x;
-- not where a clause is about something else, or rows are counted
EXPLAIN (COSTS OFF) SELECT DISTINCT p FROM skipped WHERE v = 1;
EXPLAIN (COSTS OFF) SELECT p, count(*) FROM skipped GROUP BY p;
EXPLAIN (COSTS OFF) SELECT DISTINCT p, r FROM skipped;

SELECT line FROM explain_counts('SELECT DISTINCT p FROM skipped') line WHERE line LIKE '%Requests%';
SELECT line FROM explain_counts('SELECT DISTINCT p FROM skipped WHERE p IN (''a'', ''zz'', ''none'')') line WHERE line LIKE '%Requests%';
SELECT DISTINCT p FROM skipped ORDER BY p;
SELECT same_groups('SELECT DISTINCT p FROM {}');
SELECT same_groups('SELECT p FROM {} GROUP BY p');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE p > ''a'' AND p < ''it''');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE p LIKE ''a%''');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE length(p) = 3');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE p IN (''a'', ''zz'', ''none'')');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE p = ''none''');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE v = 1');

-- own writes: a partition of its own, one emptied, one whose first rows are gone
BEGIN;
INSERT INTO skipped VALUES ('own', 1, 1), ('zz', -1, 1);
INSERT INTO skipped_plain VALUES ('own', 1, 1), ('zz', -1, 1);
DELETE FROM skipped WHERE p = 'a';
DELETE FROM skipped_plain WHERE p = 'a';
DELETE FROM skipped WHERE p = 'ü' AND r < 300;
DELETE FROM skipped_plain WHERE p = 'ü' AND r < 300;
SELECT same_groups('SELECT DISTINCT p FROM {}');
SELECT same_groups('SELECT DISTINCT p FROM {} WHERE p >= ''o''');
SELECT count(*) FROM (SELECT DISTINCT p FROM skipped) x;
ROLLBACK;
SELECT count(*) FROM (SELECT DISTINCT p FROM skipped) x;

-- the guard against full scans has nothing to say
SET itable_fdw.full_scan = error;
SELECT count(*) FROM (SELECT DISTINCT p FROM skipped) x;
RESET itable_fdw.full_scan;

-- an index table's partitions are its key values; facts' stubs and rescans
CALL itable_create_index('skipped', 'skipped_v', key => '{v}');
ANALYZE skipped_v;
EXPLAIN (COSTS OFF) SELECT DISTINCT v FROM skipped_v;
SELECT DISTINCT v FROM skipped_v ORDER BY v;
BEGIN;
UPDATE skipped SET v = 7 WHERE p = 'a' AND r = 1;
SELECT DISTINCT v FROM skipped_v ORDER BY v;
ROLLBACK;
SELECT n, (SELECT count(*) FROM (SELECT DISTINCT p FROM skipped WHERE p > n) x) FROM (VALUES ('a'), ('b'), ('zz')) n(n);

PREPARE groups(text) AS SELECT DISTINCT p FROM skipped WHERE p >= $1 ORDER BY p;
SET plan_cache_mode = force_generic_plan;
EXECUTE groups('u');
EXECUTE groups('zz');
EXECUTE groups('it');
EXECUTE groups('a/c');
EXECUTE groups('zzz');
EXECUTE groups(NULL);
EXECUTE groups('b');
RESET plan_cache_mode;
DEALLOCATE groups;
