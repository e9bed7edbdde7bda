-- Paging by keys: (p, r) > (a, b) ORDER BY p, r asks for the rest of a, then for what is behind it.
CREATE FOREIGN TABLE keyset (
  p integer OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v integer
) SERVER store;
SELECT itable_create_table('keyset');
CREATE TABLE keyset_plain (p integer, r integer, v integer, PRIMARY KEY (p, r));
INSERT INTO keyset_plain SELECT i / 600 * 10, i % 600, i % 7 FROM generate_series(0, 2399) i;
INSERT INTO keyset SELECT * FROM keyset_plain;
ANALYZE keyset;

-- one request where the partition has enough, two where it ends
EXPLAIN (COSTS OFF, VERBOSE) SELECT * FROM keyset WHERE (p, r) > (10, 500) ORDER BY p, r LIMIT 10;
SELECT * FROM keyset WHERE (p, r) > (10, 597) ORDER BY p, r LIMIT 4;
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) > (10, 500) ORDER BY p, r LIMIT 10');
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) > (10, 595) ORDER BY p, r LIMIT 10');
SELECT sent_for('SELECT * FROM keyset WHERE p > 10 OR (p = 10 AND r > 500) ORDER BY p, r LIMIT 10');
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) >= (10, 500) ORDER BY p, r LIMIT 10 OFFSET 5');
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) < (20, 100) ORDER BY p, r LIMIT 10');
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) > (30, 599) ORDER BY p, r LIMIT 10');
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) > (NULL, 599) ORDER BY p, r LIMIT 10');
-- nothing is skipped on the way; in one range it would be
SELECT sent_for('SELECT * FROM keyset WHERE (p, r) > (0, 590) AND (p, r) < (10, 5) ORDER BY p, r');

-- every place, every comparison, with and without a filter
SELECT op, bool_and(same_rows(format('SELECT * FROM {} WHERE (p, r) %s (%s, %s) AND v <> %s ORDER BY p, r LIMIT %s OFFSET %s',
                                       op, p, r, v, 3 + r % 5, v), 'keyset'))
  FROM (VALUES ('>'), ('>='), ('<'), ('<=')) op(op), (VALUES (-1), (0), (9), (10), (30), (31)) p(p),
       (VALUES (-2147483648), (-1), (0), (598), (599), (2147483647)) r(r), (VALUES (0), (7)) v(v)
  GROUP BY op ORDER BY op;
-- values a key cannot have, and NULL
SELECT bool_and(same_rows(format('SELECT * FROM {} WHERE (p, r) %s (%s, %s) ORDER BY p, r LIMIT 5', op, p, r), 'keyset'))
  FROM (VALUES ('>'), ('<=')) op(op), (VALUES ('10'), ('99999999999'), ('-99999999999'), ('NULL')) p(p),
       (VALUES ('7'), ('99999999999'), ('-99999999999'), ('NULL')) r(r);

-- ranges of one key order, beside each other or not
SET enable_sort = off;
ALTER SERVER store OPTIONS (ADD fdw_tuple_cost '10');
EXPLAIN (COSTS OFF) SELECT * FROM keyset WHERE p = 10 AND (r < 3 OR r BETWEEN 300 AND 302 OR r = 500) ORDER BY r;
SELECT sent_for('SELECT * FROM keyset WHERE p = 10 AND (r < 3 OR r BETWEEN 300 AND 302 OR r = 500) ORDER BY r');
SELECT sent_for('SELECT * FROM keyset WHERE p = 10 AND (r < 3 OR r BETWEEN 300 AND 302 OR r = 500) ORDER BY r LIMIT 2');
SELECT sent_for('SELECT * FROM keyset WHERE (p = 20 AND r < 5) OR (p = 0 AND r > 590) ORDER BY p, r LIMIT 3');
SELECT bool_and(same_rows('SELECT * FROM {} WHERE ' || condition || ' ORDER BY ' || by || tail, 'keyset'))
  FROM (VALUES ('p = 10 AND (r < 3 OR r BETWEEN 300 AND 302 OR r = 500)', 'r'),
               ('p = 10 AND (r < 300 OR r BETWEEN 200 AND 302 OR r = 250)', 'r'),
               ('(p = 20 AND r < 5) OR (p = 0 AND r > 590)', 'p, r'),
               ('(p = 20 AND r < 5) OR (p = 0 AND r > 3 AND r < 9)', 'r, p'),
               ('(p = 20 AND r < 5) OR p > 25', 'p, r'),
               ('(p = 20 AND r = 5) OR (p = 10 AND r = 4) OR (p = 20 AND r < 2)', 'p, r'),
               ('p IN (10, 20) AND (r < 4 OR r > 598)', 'r, p'),
               ('(p, r) > (0, 597) AND (p, r) <= (20, 1)', 'p, r')) c(condition, by),
       (VALUES (''), (' LIMIT 3'), (' LIMIT 700 OFFSET 2')) t(tail);
RESET enable_sort;
ALTER SERVER store OPTIONS (DROP fdw_tuple_cost);

-- a generic plan
PREPARE after(integer, integer, bigint) AS SELECT p, r FROM keyset WHERE (p, r) > ($1, $2) ORDER BY p, r LIMIT $3;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE after(10, 500, 3);
EXECUTE after(10, 598, 3);
EXECUTE after(0, 3, 1);
EXECUTE after(NULL, 3, 1);
EXECUTE after(30, 597, 9);
EXECUTE after(40, 0, 9);
EXECUTE after(-5, 0, 1);
SELECT itable_stats_reset();
EXECUTE after(10, 300, 2);
SELECT sum(requests), sum(entities) FROM itable_stats();
RESET plan_cache_mode;

-- a cursor, a rescan, own writes and what is rolled back
BEGIN;
INSERT INTO keyset VALUES (10, 600, 1), (15, 1, 1), (5, 1, 1);
INSERT INTO keyset_plain VALUES (10, 600, 1), (15, 1, 1), (5, 1, 1);
DELETE FROM keyset WHERE p = 10 AND r = 598;
DELETE FROM keyset_plain WHERE p = 10 AND r = 598;
SELECT * FROM keyset WHERE (p, r) > (10, 597) ORDER BY p, r LIMIT 5;
SELECT same_rows('SELECT * FROM {} WHERE (p, r) > (10, 590) ORDER BY p, r LIMIT 30', 'keyset');
SELECT same_rows('SELECT * FROM {} WHERE (p, r) < (10, 1) AND (p, r) > (0, 590) ORDER BY p, r', 'keyset');
SAVEPOINT s;
DELETE FROM keyset WHERE p = 15;
EXECUTE after(10, 599, 2);
ROLLBACK TO s;
EXECUTE after(10, 599, 2);
DECLARE c SCROLL CURSOR FOR SELECT p, r FROM keyset WHERE (p, r) > (10, 598) ORDER BY p, r;
FETCH 3 FROM c;
FETCH BACKWARD 2 FROM c;
ROLLBACK;
SELECT a.p, b.* FROM (VALUES (10), (20), (30)) a(p),
  LATERAL (SELECT p, r FROM keyset k WHERE (k.p, k.r) > (a.p, 598) ORDER BY k.p, k.r LIMIT 2) b ORDER BY 1, 2, 3;
DEALLOCATE after;
