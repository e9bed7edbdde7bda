-- max(key), and ORDER BY key DESC for a few rows: the last keys are searched for.
CREATE FOREIGN TABLE ends (
  p integer OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '100');
SELECT itable_create_table('ends');
CREATE TABLE ends_plain (p integer, r integer, v integer, PRIMARY KEY (p, r));
INSERT INTO ends_plain SELECT i / 1000 * 7, i * 3, i % 7 FROM generate_series(0, 2399) i;
INSERT INTO ends SELECT * FROM ends_plain;

-- one page after the other
SET itable_fdw.scan_ranges = 1;
-- without statistics a table is taken to be small; with them the last keys are almost known
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 7');
ANALYZE ends;
EXPLAIN (COSTS OFF) SELECT max(r) FROM ends WHERE p = 7;
EXPLAIN (COSTS OFF) SELECT * FROM ends WHERE p = 7 ORDER BY r DESC LIMIT 2;
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 14');
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 0');
SELECT sent_for('SELECT max(p) FROM ends');
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 0 AND r < 600');
SELECT sent_for('SELECT * FROM ends WHERE p = 0 ORDER BY r DESC LIMIT 3');
SELECT sent_for('SELECT * FROM ends ORDER BY p DESC LIMIT 3');
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 1');
-- nothing to be gained
EXPLAIN (COSTS OFF) SELECT max(v) FROM ends WHERE p = 7;
EXPLAIN (COSTS OFF) SELECT max(r) FROM ends;
EXPLAIN (COSTS OFF) SELECT max(r) FROM ends WHERE p = 7 AND r % 2 = 0;
EXPLAIN (COSTS OFF) SELECT * FROM ends WHERE p = 7 ORDER BY r DESC;
EXPLAIN (COSTS OFF) SELECT * FROM ends ORDER BY p DESC, r LIMIT 1;

-- a table that has grown since
INSERT INTO ends_plain SELECT 21, 40000 + i, 1 FROM generate_series(0, 999) i;
INSERT INTO ends SELECT * FROM ends_plain WHERE p = 21;
INSERT INTO ends_plain SELECT 0, 100000 + i * i, 2 FROM generate_series(0, 599) i;
INSERT INTO ends SELECT * FROM ends_plain WHERE p = 0 AND r >= 100000;
SELECT max(p), (SELECT max(r) FROM ends WHERE p = 21), (SELECT max(r) FROM ends WHERE p = 0) FROM ends;
SELECT sent_for('SELECT max(p) FROM ends');
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 21 AND r < 1000000');
SELECT sent_for('SELECT max(r) FROM ends WHERE p = 0');
SELECT bool_and(same_rows(format('SELECT %s FROM {} %s', what, w), 'ends'))
  FROM (VALUES ('max(r)'), ('max(p)'), ('max(r), min(r), max(p), count(*)')) x(what),
       (VALUES (''), ('WHERE p = 0'), ('WHERE p = 7'), ('WHERE p = 21'), ('WHERE p = 5'), ('WHERE p < 21'), ('WHERE p < -3'), ('WHERE p = 0 AND r < 100000'),
               ('WHERE p = 0 AND r BETWEEN 50 AND 52'), ('WHERE p = 7 AND r > 5000'), ('WHERE p = 7 AND v = 3'), ('WHERE p = NULL'),
               ('WHERE p > 7 AND r < 0'), ('WHERE v = 6')) y(w);
SELECT bool_and(same_rows(format('SELECT %s FROM {} WHERE p = %s AND r < %s ORDER BY r DESC LIMIT %s OFFSET %s', what, p, r, n, o), 'ends'))
  FROM (VALUES ('*'), ('r')) w(what), (VALUES (0), (7), (21), (3)) p(p), (VALUES (5), (30000), (2147483647)) r(r),
       (VALUES (1), (5), (90)) n(n), (VALUES (0), (9), (250)) o(o);
SELECT bool_and(same_rows(format('SELECT p FROM {} WHERE p < %s ORDER BY p DESC LIMIT %s OFFSET %s', p, n, o), 'ends'))
  FROM (VALUES (0), (1), (14), (21), (22)) p(p), (VALUES (1), (5)) n(n), (VALUES (0), (90), (1000)) o(o);

-- texts, whose last one in the store's order need not be SQL's
CREATE FOREIGN TABLE endtext (
  p text OPTIONS (key 'partition') COLLATE "C" NOT NULL,
  r text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '3');
SELECT itable_create_table('endtext');
CREATE TABLE endtext_plain (p text COLLATE "C", r text COLLATE "C", v integer, PRIMARY KEY (p, r));
INSERT INTO endtext_plain
  SELECT p, a || b, row_number() OVER ()
  FROM (VALUES ('x'), ('y/z'), ('y-'), (E'y\tq'), (U&'\+01F600'), (U&'\E000')) p(p), (VALUES (''), ('a'), ('A '), (U&'\E000')) a(a),
       (VALUES (''), (' '), ('/'), ('.'), (E'\t'), ('"'), ('9'), (U&'\+01F600'), (U&'\E000')) b(b)
  ON CONFLICT DO NOTHING;
INSERT INTO endtext SELECT * FROM endtext_plain;
ANALYZE endtext;
ALTER SERVER store OPTIONS (ADD fdw_startup_cost '0.001');
EXPLAIN (COSTS OFF) SELECT max(p) FROM endtext;
EXPLAIN (COSTS OFF) SELECT * FROM endtext WHERE p = 'x' ORDER BY r DESC LIMIT 3;
SELECT same_rows('SELECT max(p) FROM {}', 'endtext');
SELECT count(*), bool_and(same_rows(format('SELECT * FROM {} WHERE p = %L AND r < %L ORDER BY r DESC LIMIT %s', p, r, 1 + v % 9), 'endtext'))
  FROM endtext_plain WHERE v % 3 = 0;
SELECT count(*), bool_and(same_rows(format('SELECT p FROM {} WHERE p <= %L ORDER BY p DESC LIMIT 5 OFFSET 7', p), 'endtext'))
  FROM (SELECT DISTINCT p FROM endtext_plain) x;
BEGIN;
DELETE FROM endtext WHERE p = U&'\+01F600' OR r > 'b';
DELETE FROM endtext_plain WHERE p = U&'\+01F600' OR r > 'b';
INSERT INTO endtext VALUES ('x', E'a\t\t', 1), (E'y\n', '', 1);
INSERT INTO endtext_plain VALUES ('x', E'a\t\t', 1), (E'y\n', '', 1);
SELECT same_rows('SELECT max(p) FROM {}', 'endtext'), same_rows('SELECT p FROM {} ORDER BY p DESC LIMIT 40', 'endtext');
SELECT count(*), bool_and(same_rows(format('SELECT * FROM {} WHERE p = %L AND r < %L ORDER BY r DESC LIMIT 4', p, r), 'endtext'))
  FROM endtext_plain WHERE v % 5 = 0;
ROLLBACK;
ALTER SERVER store OPTIONS (DROP fdw_startup_cost);

-- a generic plan
ANALYZE ends;
PREPARE last(integer) AS SELECT max(p) FROM ends WHERE p <= $1;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE last(0);
EXECUTE last(0);
EXECUTE last(-1);
EXECUTE last(NULL);
EXECUTE last(20);
EXECUTE last(2147483647);
RESET plan_cache_mode;

-- own rows, and what this transaction took away
BEGIN;
DELETE FROM ends WHERE p = 0 AND r > 1000;
DELETE FROM ends_plain WHERE p = 0 AND r > 1000;
INSERT INTO ends VALUES (7, 999999999, 1), (7, -5, 1), (100, 1, 1), (-1, 2147483647, 1);
INSERT INTO ends_plain VALUES (7, 999999999, 1), (7, -5, 1), (100, 1, 1), (-1, 2147483647, 1);
SELECT max(p), (SELECT max(r) FROM ends WHERE p = 0), (SELECT max(r) FROM ends WHERE p = 7), (SELECT max(r) FROM ends WHERE p = 100) FROM ends;
SELECT bool_and(same_rows(format('SELECT r FROM {} WHERE p = %s AND r < %s ORDER BY r DESC LIMIT 5', p, r), 'ends'))
  FROM (VALUES (0), (7), (21), (-1), (100)) p(p), (VALUES (0), (5), (2000), (2147483647)) r(r);
SELECT same_rows('SELECT p FROM {} ORDER BY p DESC LIMIT 4', 'ends');
SAVEPOINT s;
DELETE FROM ends WHERE p >= 21;
SELECT max(p) FROM ends;
ROLLBACK TO s;
SELECT max(p) FROM ends;
DECLARE c CURSOR FOR SELECT r FROM ends WHERE p = 7 ORDER BY r DESC LIMIT 4;
FETCH 2 FROM c;
FETCH 4 FROM c;
SELECT a.p, (SELECT max(r) FROM ends WHERE p = a.p) FROM (VALUES (0), (7), (8), (7)) a(p);
ROLLBACK;
DEALLOCATE last;
