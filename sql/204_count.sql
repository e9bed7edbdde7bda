-- count(*): the keys that are needed, no more; several pages in flight after ANALYZE.
CREATE FOREIGN TABLE counted (
  p text OPTIONS (key 'partition') COLLATE "C" NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '100');
SELECT itable_create_table('counted');
CREATE TABLE counted_plain (p text COLLATE "C", r integer, v integer, PRIMARY KEY (p, r));
INSERT INTO counted_plain SELECT 'a long partition key ' || i / 400, i, nullif(i % 7, 0) FROM generate_series(0, 1199) i;
INSERT INTO counted SELECT * FROM counted_plain;
CREATE FUNCTION bytes_of(query text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  line text;
  bytes integer := 0;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' || query LOOP
    bytes := bytes + coalesce(substring(line FROM 'Bytes: (\d+)')::integer, 0);
  END LOOP;
  RETURN bytes;
END $$;

-- row keys alone are much less than both keys
SELECT sent_for('SELECT count(*) FROM counted');
SELECT bytes_of('SELECT count(*) FROM counted') * 3 < 2 * bytes_of('SELECT p, r FROM counted') AS less;
-- (a scan that may be cut while it is read goes by the keys)
SET itable_fdw.scan_ranges = 1;
SELECT bytes_of('SELECT sum(v) FROM counted') < bytes_of('SELECT p, v FROM counted') AS less;
RESET itable_fdw.scan_ranges;
ANALYZE counted;
SELECT bool_and(same_rows(query, 'counted'))
  FROM (VALUES ('SELECT count(*) FROM {}'), ('SELECT count(1), count(p), count(r), count(v) FROM {}'), ('SELECT count(*) FROM {} WHERE v = 3'),
               ('SELECT count(*) FROM {} WHERE v % 2 = 0'), ('SELECT p, count(*) FROM {} GROUP BY p ORDER BY p'), ('SELECT count(*) FROM {} WHERE r < 500'),
               ('SELECT count(*) FROM {} WHERE p > ''a long partition key 0'''), ('SELECT count(DISTINCT p) FROM {}'), ('SELECT v, count(*) FROM {} GROUP BY v ORDER BY v'),
               ('SELECT count(*) FROM {} WHERE p = ''a long partition key 1'' AND r > 600'), ('SELECT count(*) FROM {} WHERE v IS NULL'),
               ('SELECT count(*) FROM {} WHERE r = 5 OR (p, r) > (''a long partition key 1'', 7)'), ('SELECT v FROM {} ORDER BY p, r LIMIT 7'),
               ('SELECT (SELECT count(*) FROM {} b WHERE b.v = a.v) FROM {} a WHERE r < 9 ORDER BY p, r')) q(query);

-- own rows are known by both keys; a cursor opened before them does not see them
BEGIN;
DECLARE c CURSOR FOR SELECT v FROM counted WHERE v < 2;
FETCH 1 FROM c;
DELETE FROM counted WHERE r BETWEEN 10 AND 1000;
DELETE FROM counted_plain WHERE r BETWEEN 10 AND 1000;
INSERT INTO counted VALUES ('new', 5, 5), ('a long partition key 0', 2000, 1);
INSERT INTO counted_plain VALUES ('new', 5, 5), ('a long partition key 0', 2000, 1);
UPDATE counted SET v = 100 WHERE r = 5;
UPDATE counted_plain SET v = 100 WHERE r = 5;
SELECT count(*), sum(v) FROM counted;
SELECT count(*), sum(v) FROM counted_plain;
MOVE FORWARD ALL FROM c;
SAVEPOINT s;
DELETE FROM counted;
SELECT count(*) FROM counted;
ROLLBACK TO s;
SELECT count(*) FROM counted;
SELECT same_rows('SELECT p, count(*) FROM {} GROUP BY p ORDER BY p', 'counted');
ROLLBACK;
SELECT count(*) FROM counted;
