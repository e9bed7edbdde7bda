-- A scan that nobody has statistics for is cut while it is read, wherever its keys lie, and stays complete.
CREATE FOREIGN TABLE slice (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int, t text) SERVER store OPTIONS (fetch_size '10');
CREATE TABLE slice_plain (p text, r text, n int, t text);
SELECT itable_create_table('slice');
-- Fills the table and compares: the same rows, each once, and how many requests more than one stretch takes.
CREATE FUNCTION slice_check(what text, most float DEFAULT 1.5) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  condition text;
  wrong text := '';
  mine bigint; n bigint; plain bigint; one int; several int;
BEGIN
  DELETE FROM slice;
  INSERT INTO slice SELECT * FROM slice_plain;
  FOREACH condition IN ARRAY ARRAY['true', 'n % 7 = 3', 'n > 100', 't LIKE ''t1%''', 'p = ''p1''', 'p = ''p1'' AND n < 300', 'p = ''p1'' AND r > ''r2''', 'p >= ''p3''', 'p IN (''p1'', ''p2'')', 'n < 5 OR t = ''t7''', 'NOT (n < 50 AND t > ''t3'')'] LOOP
    EXECUTE format('SELECT count(*), count(DISTINCT (p, r)) FROM slice WHERE %s', condition) INTO mine, n;
    EXECUTE format('SELECT count(*) FROM slice_plain WHERE %s', condition) INTO plain;
    wrong := wrong || CASE WHEN mine <> plain OR n <> plain THEN format(' %s: %s %s %s', condition, mine, n, plain) ELSE '' END;
  END LOOP;
  SELECT count(*) INTO mine FROM ((TABLE slice EXCEPT ALL TABLE slice_plain) UNION ALL (TABLE slice_plain EXCEPT ALL TABLE slice)) x;
  SET LOCAL itable_fdw.scan_ranges = 1;
  one := requests_of('SELECT count(n) FROM slice');
  SET LOCAL itable_fdw.scan_ranges = 8;
  several := requests_of('SELECT count(n) FROM slice');
  RETURN what || CASE WHEN wrong = '' AND mine = 0 THEN ': same' ELSE ': DIFFERS' || wrong || ' ' || mine END ||
    CASE WHEN several <= one * most THEN ', few requests more' ELSE format(', %s requests for %s', several, one) END;
END $$;
INSERT INTO slice_plain SELECT 'p' || i / 100, 'r' || lpad((i % 100)::text, 7, '0'), i, 't' || i FROM generate_series(0, 899) i;
SELECT slice_check('equal partitions');
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT 'p1', 'r' || lpad(i::text, 9, '0'), i, 't' || i FROM generate_series(0, 799) i;
SELECT slice_check('one partition');
-- that it was cut shows in the order of rows
SELECT count(*) > 0 AS cut FROM (SELECT n < lag(n) OVER () AS back FROM slice) x WHERE back;
SET itable_fdw.scan_ranges = 1;
SELECT count(*) > 0 AS cut FROM (SELECT n < lag(n) OVER () AS back FROM slice) x WHERE back;
RESET itable_fdw.scan_ranges;
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT md5(i::text), '', i, 't' || i FROM generate_series(1, 800) i;
SELECT slice_check('a partition for each row');
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT 'p1', md5(i::text), i, 't' || i FROM generate_series(1, 800) i;
SELECT slice_check('one partition of random keys');
-- a giant among dwarfs, first, last and in the middle
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT CASE WHEN i % 10 = 0 THEN 'p' || i ELSE 'p1' END, 'r' || i, i, 't' || i FROM generate_series(1, 800) i;
SELECT slice_check('giant in the middle');
UPDATE slice_plain SET p = CASE p WHEN 'p1' THEN 'a' ELSE p END;
SELECT slice_check('giant first');
UPDATE slice_plain SET p = CASE p WHEN 'a' THEN 'z' ELSE p END;
SELECT slice_check('giant last');
-- keys that cannot be cut at: beyond ASCII, escapes, %, quotes, the empty partition, half a character in common
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT (ARRAY['', 'é', 'é😀', chr(57344), '%', '100%', '''', '/a', 'p1', 'p1''', '😀', '!', ' '])[1 + i % 13], (ARRAY['é', '%', '''', '/', '😀' || chr(57344), 'r', '', chr(65535)])[1 + i % 8] || lpad(i::text, 4, '0'), i, 't' || i FROM generate_series(1, 900) i;
SELECT slice_check('hostile keys', 2);
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT '%', '😀' || lpad(i::text, 4, '0'), i, 't' || i FROM generate_series(1, 400) i;
INSERT INTO slice_plain SELECT chr(57344), chr(57344 + i % 300) || i, i, 't' || i FROM generate_series(1, 400) i;
SELECT slice_check('nothing to cut at', 2);
-- few pages are read as they are; so is what stops early or keeps an order
TRUNCATE slice_plain;
INSERT INTO slice_plain SELECT 'p' || i % 4, 'r' || i, i, 't' || i FROM generate_series(1, 75) i;
SELECT slice_check('eight pages');
SELECT requests_of('SELECT count(n) FROM slice');
INSERT INTO slice_plain SELECT 'p' || i % 4, 'r' || i, i, 't' || i FROM generate_series(76, 600) i;
SELECT slice_check('sixty pages');
SELECT requests_of('SELECT * FROM slice LIMIT 30'), requests_of('SELECT EXISTS (SELECT FROM slice)');
SET enable_sort = off;
SELECT requests_of('SELECT p, r FROM slice ORDER BY p COLLATE "C", r COLLATE "C"');
RESET enable_sort;
-- own writes, in every part; savepoints; rescans; prepared
BEGIN;
DELETE FROM slice WHERE n % 3 = 0; DELETE FROM slice_plain WHERE n % 3 = 0;
SAVEPOINT s;
INSERT INTO slice SELECT 'p' || i % 4, 'own' || i, i, 'own' FROM generate_series(1000, 1100) i;
SELECT count(*), count(DISTINCT (p, r)), (SELECT count(*) FROM slice_plain) FROM slice;
ROLLBACK TO s;
UPDATE slice SET t = 'u' WHERE n % 5 = 0; UPDATE slice_plain SET t = 'u' WHERE n % 5 = 0;
SELECT count(*) FROM ((TABLE slice EXCEPT ALL TABLE slice_plain) UNION ALL (TABLE slice_plain EXCEPT ALL TABLE slice)) x;
COMMIT;
SELECT count(*) FROM ((TABLE slice EXCEPT ALL TABLE slice_plain) UNION ALL (TABLE slice_plain EXCEPT ALL TABLE slice)) x;
SELECT s, (SELECT count(*) FROM slice WHERE n % 4 <> s) = (SELECT count(*) FROM slice_plain WHERE n % 4 <> s) AS same FROM generate_series(1, 3) s;
PREPARE slices (int) AS SELECT count(*), sum(n) FROM slice WHERE n <> $1;
EXECUTE slices (1); EXECUTE slices (2); EXECUTE slices (4); EXECUTE slices (5); EXECUTE slices (7); EXECUTE slices (8); EXECUTE slices (10);
DEALLOCATE slices;
DROP FUNCTION slice_check;
SELECT itable_drop_table('slice');
DROP FOREIGN TABLE slice;
DROP TABLE slice_plain;
