-- A scan of everything is cut into pieces that are read side by side, and stays complete.
CREATE FOREIGN TABLE pie (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text) SERVER store OPTIONS (fetch_size '10');
CREATE FOREIGN TABLE pie_number (p bigint OPTIONS (key 'partition') NOT NULL, q date OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, t text) SERVER store OPTIONS (fetch_size '10');
CREATE TABLE pie_plain (p text, r int, t text);
CREATE TABLE pie_number_plain (p bigint, q date, r text, t text);
SELECT itable_create_table('pie'), itable_create_table('pie_number');
-- one partition holds half of the rows; some keys are not ASCII, some need escapes
INSERT INTO pie_plain SELECT CASE WHEN i % 2 = 0 THEN 'large' WHEN i % 3 = 0 THEN 'é' || i % 20 WHEN i % 5 = 0 THEN chr(57344) || i % 7 WHEN i % 7 = 0 THEN '/%' || i % 9 || '😀' ELSE 'p' || i % 40 END, i, 't' || i FROM generate_series(1, 600) i;
INSERT INTO pie_plain VALUES ('', 1, 'empty'), ('large', -5, 'below'), ('large', 2000000, 'above'), ('zz', 1, 'last');
INSERT INTO pie_number_plain SELECT (i - 300) * 100000000000, '2000-01-01'::date - i, 'r' || i, 't' FROM generate_series(1, 600) i;
INSERT INTO pie SELECT * FROM pie_plain;
INSERT INTO pie_number SELECT * FROM pie_number_plain;
SELECT count(*), count(DISTINCT (p, r)) FROM pie;
-- not analyzed: one piece
SELECT count(*) FROM (SELECT explain_counts('SELECT count(*) FROM pie') AS line) x WHERE line ~ 'Pieces';
ANALYZE pie;
ANALYZE pie_number;
EXPLAIN (COSTS OFF) SELECT count(*) FROM pie;
EXPLAIN (COSTS OFF) SELECT count(*) FROM pie WHERE p = 'large';
EXPLAIN (COSTS OFF) SELECT count(*) FROM pie_number;
CREATE FUNCTION pie_check(what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  condition text;
  wrong text := '';
  mine bigint;
  n bigint;
  plain bigint;
BEGIN
  FOREACH condition IN ARRAY ARRAY['true', 'p = ''large''', 't LIKE ''t1%''', 'r > 300', 'p > ''large''', 'r % 7 = 3', 'p = ''large'' AND r > 100', 'p IN (''large'', ''p1'')'] LOOP
    EXECUTE format('SELECT count(*), count(DISTINCT (p, r)) FROM pie WHERE %s', condition) INTO mine, n;
    EXECUTE format('SELECT count(*) FROM pie_plain WHERE %s', condition) INTO plain;
    wrong := wrong || CASE WHEN mine <> plain OR n <> plain THEN format(' %s: %s %s %s', condition, mine, n, plain) ELSE '' END;
  END LOOP;
  EXECUTE 'SELECT count(*) FROM ((TABLE pie EXCEPT TABLE pie_plain) UNION ALL (TABLE pie_plain EXCEPT TABLE pie)) x' INTO mine;
  EXECUTE 'SELECT count(*) FROM ((TABLE pie_number EXCEPT TABLE pie_number_plain) UNION ALL (TABLE pie_number_plain EXCEPT TABLE pie_number)) x' INTO n;
  RETURN what || CASE WHEN wrong = '' AND mine + n = 0 THEN ': same' ELSE ': DIFFERS' || wrong || ' ' || mine || ' ' || n END;
END $$;
SELECT pie_check('analyzed');
-- wrong statistics: of another time, of another table, of columns exchanged, of one value
BEGIN;
DELETE FROM pie_plain WHERE p < 'm' AND r % 3 > 0;
INSERT INTO pie_plain SELECT 'new' || i, -i, 'n' FROM generate_series(1, 60) i;
DELETE FROM pie WHERE p < 'm' AND r % 3 > 0;
INSERT INTO pie SELECT * FROM pie_plain WHERE t = 'n';
SELECT pie_check('own writes');
ROLLBACK;
CREATE TEMP TABLE wrong (p text, r int, t text);
CREATE FUNCTION pie_wrong(what text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  ANALYZE wrong;
  DELETE FROM pg_statistic WHERE starelid = 'pie'::regclass;
  UPDATE pg_statistic SET starelid = 'pie'::regclass WHERE starelid = 'wrong'::regclass;
  TRUNCATE wrong;
  RETURN pie_check(what) || ', in pieces: ' || (SELECT count(*) FROM explain_counts('SELECT count(*) FROM pie') AS line WHERE line ~ 'Pieces');
END $$;
INSERT INTO wrong SELECT 'zzz' || i, i * 1000, 't' FROM generate_series(1, 500) i;
SELECT pie_wrong('beyond everything');
INSERT INTO wrong SELECT 'p1', i % 3, 't' FROM generate_series(1, 500) i;
SELECT pie_wrong('a partition of few rows');
INSERT INTO wrong SELECT CASE WHEN i % 2 = 0 THEN 'large' ELSE 'p' || i % 3 END, 2000000000, 't' FROM generate_series(1, 500) i;
SELECT pie_wrong('one row key');
INSERT INTO wrong SELECT chr(57344) || 'x' || i || '%', i, 't' FROM generate_series(1, 500) i;
SELECT pie_wrong('no key in ASCII');
ANALYZE pie;
-- few rows are wanted: one piece, one request
SELECT requests_of('SELECT * FROM pie LIMIT 3'), requests_of('SELECT EXISTS (SELECT FROM pie)');
BEGIN;
DECLARE c CURSOR FOR SELECT p, r FROM pie;
SELECT requests_of('FETCH 5 FROM c');
ROLLBACK;
-- read again within a statement, and prepared
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT count(*) FROM generate_series(1, 3) s JOIN pie ON pie.r % 2 <> s % 2;
SELECT count(*) FROM generate_series(1, 3) s JOIN pie_plain pie ON pie.r % 2 <> s % 2;
RESET ALL;
SET plan_cache_mode = force_generic_plan;
PREPARE all_of (int) AS SELECT count(*), sum(r) FROM pie WHERE r <> $1;
EXECUTE all_of (1); EXECUTE all_of (600);
RESET ALL;
SELECT itable_drop_table('pie'), itable_drop_table('pie_number');
DROP FOREIGN TABLE pie, pie_number;
DROP TABLE pie_plain, pie_number_plain;
