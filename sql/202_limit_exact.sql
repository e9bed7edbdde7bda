-- LIMIT as a part of the scan: no more is asked for than is wanted, where nothing is left to check here.
CREATE FOREIGN TABLE exact (
  p integer OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v integer,
  t text COLLATE "C"
) SERVER store;
SELECT itable_create_table('exact');
CREATE TABLE exact_plain (p integer, r integer, v integer, t text COLLATE "C", PRIMARY KEY (p, r));
INSERT INTO exact_plain SELECT i / 3500, i, i % 7, nullif(repeat('t', i % 4), '') FROM generate_series(0, 4999) i;
INSERT INTO exact SELECT * FROM exact_plain;
ANALYZE exact;

-- pages of 1,000 and what is left; one page after the other
SELECT sent_for('SELECT * FROM exact WHERE p = 0 ORDER BY r LIMIT 1500');
SELECT sent_for('SELECT * FROM exact LIMIT 3000');
SELECT sent_for('SELECT * FROM exact ORDER BY p, r LIMIT 10 OFFSET 1200');
SELECT sent_for('SELECT * FROM exact WHERE p = 0 AND v = 3 LIMIT 2');
SELECT sent_for('SELECT * FROM exact WHERE p IN (0, 1) ORDER BY p, r LIMIT 5 OFFSET 3498');
SELECT sent_for('SELECT * FROM exact WHERE (p, r) > (0, 3000) ORDER BY p, r LIMIT 1400');
SELECT sent_for('SELECT * FROM exact LIMIT 0');
SELECT itable_stats_reset();
SELECT count(*) FROM (SELECT * FROM exact WHERE p = 0 ORDER BY r LIMIT 3000) x;
SELECT sum(requests), sum(entities) FROM itable_stats();

EXPLAIN (COSTS OFF) SELECT r + 1 FROM exact WHERE p = 0 ORDER BY r LIMIT 1500 OFFSET 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact WHERE v = 3 LIMIT 2;
-- PostgreSQL's node where something is left to check or to do
EXPLAIN (COSTS OFF) SELECT * FROM exact WHERE v % 2 = 0 LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact WHERE t LIKE '%t' LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact WHERE p = 0 ORDER BY r FETCH FIRST 2 ROWS WITH TIES;
EXPLAIN (COSTS OFF) SELECT * FROM exact WHERE p = 0 ORDER BY r DESC LIMIT 2;
EXPLAIN (COSTS OFF) SELECT p, generate_series(1, 2) FROM exact LIMIT 2;
EXPLAIN (COSTS OFF) SELECT p, random() FROM exact LIMIT 2;
EXPLAIN (COSTS OFF) SELECT tableoid, p FROM exact LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact FOR UPDATE LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact OFFSET 2;
EXPLAIN (COSTS OFF) SELECT v FROM exact GROUP BY v LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM exact LIMIT (SELECT 2);

SELECT bool_and(same_rows('SELECT ' || what || ' FROM {} ' || condition || ' ORDER BY p, r' || tail, 'exact'))
  FROM (VALUES ('*'), ('r + 1, v')) w(what),
       (VALUES (''), ('WHERE p = 1'), ('WHERE v = 2'), ('WHERE v < 3 AND p = 0'), ('WHERE t = ''tt'''), ('WHERE p = NULL'),
               ('WHERE (p, r) > (0, 3490)'), ('WHERE r > 3495'), ('WHERE t IS NOT NULL'), ('WHERE v IN (1, NULL, 5)')) c(condition),
       (VALUES (' LIMIT 0'), (' LIMIT 1'), (' LIMIT 7 OFFSET 3'), (' LIMIT 1200 OFFSET 5'), (' LIMIT 6000'), (' LIMIT NULL OFFSET 4998'),
               (' LIMIT 2 OFFSET NULL'), (' LIMIT 9223372036854775807 OFFSET 9223372036854775807')) t(tail);

-- parameters, in a generic plan
PREPARE few(integer, bigint, bigint) AS SELECT r FROM exact WHERE p = $1 ORDER BY r LIMIT $2 OFFSET $3;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE few(0, 2, 1);
EXECUTE few(0, 2, 1);
EXECUTE few(1, 1, 1499);
EXECUTE few(1, 2, 1499);
EXECUTE few(1, NULL, 1498);
EXECUTE few(0, 1, NULL);
EXECUTE few(0, 0, 0);
EXECUTE few(7, 1, 0);
EXECUTE few(0, -1, 0);
EXECUTE few(0, 1, -1);
RESET plan_cache_mode;
EXPLAIN (COSTS OFF) SELECT * FROM exact LIMIT -1;
SELECT * FROM exact LIMIT -1;

-- own rows: new ones count, deleted ones do not, and those that do not match neither
BEGIN;
INSERT INTO exact VALUES (0, -5, 3, 'own'), (0, 10000, 2, 'own'), (2, 0, 3, 'own');
INSERT INTO exact_plain VALUES (0, -5, 3, 'own'), (0, 10000, 2, 'own'), (2, 0, 3, 'own');
DELETE FROM exact WHERE p = 0 AND r BETWEEN 2 AND 40;
DELETE FROM exact_plain WHERE p = 0 AND r BETWEEN 2 AND 40;
UPDATE exact SET v = 100 WHERE p = 0 AND r = 50;
UPDATE exact_plain SET v = 100 WHERE p = 0 AND r = 50;
EXECUTE few(0, 4, 1);
EXECUTE few(2, 4, 0);
SELECT bool_and(same_rows(format('SELECT * FROM {} WHERE %s ORDER BY p, r LIMIT %s OFFSET %s', c, n, o), 'exact'))
  FROM (VALUES ('p = 0'), ('v = 1'), ('p = 0 AND v = 3'), ('p > 0'), ('t = ''own'''), ('(p, r) >= (0, 1)')) c(c),
       (VALUES (1), (3), (20), (1500), (4990)) n(n), (VALUES (0), (2), (1600)) o(o);
SELECT count(*) FROM (SELECT * FROM exact WHERE v = 3 LIMIT 700) x;
SAVEPOINT s;
DELETE FROM exact WHERE p = 0 AND r < 1;
EXECUTE few(0, 1, 0);
ROLLBACK TO s;
EXECUTE few(0, 1, 0);
-- a cursor and a rescan
DECLARE c SCROLL CURSOR FOR SELECT r FROM exact WHERE p = 0 ORDER BY r LIMIT 3;
FETCH 2 FROM c;
FETCH 2 FROM c;
FETCH BACKWARD 2 FROM c;
SELECT a.n, b.r FROM generate_series(0, 3) a(n), LATERAL (SELECT r FROM exact WHERE p = a.n ORDER BY r LIMIT a.n + 1 OFFSET a.n) b;
ROLLBACK;
DEALLOCATE few;
