-- A scan that is started again with the values it had before returns the rows it kept and asks the store nothing.
CREATE FOREIGN TABLE again (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, n int, a text[]) SERVER store OPTIONS (fetch_size '50');
CREATE TABLE again_plain (p text, r int, t text, n int, a text[]);
CREATE TABLE again_outer (id int, p text, r int);
SELECT itable_create_table('again');
INSERT INTO again_plain SELECT 'p' || i % 3, i, CASE WHEN i % 4 > 0 THEN 't"' || i % 5 || E'\t' END, NULLIF(i, 7), ARRAY['a' || i % 6] FROM generate_series(1, 60) i;
INSERT INTO again SELECT * FROM again_plain;
INSERT INTO again_outer SELECT i, CASE WHEN i < 20 THEN 'p' || i / 5 END, i FROM generate_series(1, 24) i;
CALL itable_create_index('again', 'again_by_a', key => '{a}');
ANALYZE again; ANALYZE again_plain; ANALYZE again_outer;
SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET itable_fdw.enable_lookup_join = off;
CREATE FUNCTION again_check(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', query) INTO mine;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', replace(query, 'again ', 'again_plain ')) INTO plain;
  RETURN NEXT CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same: ' ELSE 'DIFFERS: ' END || query;
  RETURN QUERY SELECT '  ' || trim(l) FROM explain_counts(query) l WHERE l ~ '(Replays|Requests):';
END $$;
CREATE TABLE again_queries (id serial, q text);
INSERT INTO again_queries (q) VALUES
 -- one partition, asked once for 24 outer rows
 ('SELECT o.id, g.r, g.t FROM again_outer o LEFT JOIN again g ON g.r % 99 > o.r * 3 AND g.p = ''p1'''),
 ('SELECT o.id, g.* FROM again_outer o LEFT JOIN again g ON g.n = o.id AND g.p IN (''p1'', ''p2'')'),
 -- as the inner side of a join that is itself an inner side
 ('SELECT o.id, (SELECT count(*) FROM again_outer i JOIN again g ON g.r % 7 = i.id % 7 AND g.p = ''p0'' WHERE i.id < o.id) FROM again_outer o WHERE o.id < 9'),
 -- values that come several times in a row; NULL among them
 ('SELECT o.id, (SELECT sum(g.n) FROM again g WHERE g.p = o.p) FROM again_outer o'),
 ('SELECT o.id, (SELECT max(g.t) FROM again g WHERE g.a @> ARRAY[''a'' || o.id / 8]) FROM again_outer o'),
 ('SELECT o.id, x.r FROM again_outer o, LATERAL (SELECT g.r FROM again g WHERE g.p = o.p AND g.r > 30 ORDER BY g.r LIMIT 2) x'),
 -- different each time
 ('SELECT o.id, (SELECT g.t FROM again g WHERE g.p = ''p'' || o.id % 3 AND g.r = o.r) FROM again_outer o'),
 -- broken off at the first match, another row each time
 ('SELECT o.id FROM again_outer o WHERE EXISTS (SELECT FROM again g WHERE g.p = ''p1'' AND g.n * 2 = o.id * 4 OFFSET 0)'),
 ('SELECT o.id FROM again_outer o WHERE NOT EXISTS (SELECT FROM again g WHERE g.p = ''p1'' AND g.n % 12 = o.id % 12)'),
 ('WITH RECURSIVE w(r) AS (SELECT 1 UNION SELECT g.r FROM w JOIN again g ON g.r = w.r + 3 AND g.p = ''p1'') SELECT * FROM w');
SELECT again_check(q) FROM again_queries ORDER BY id;
-- own rows: as of the statement; what it writes itself is not seen
BEGIN;
UPDATE again SET t = 'new', n = 1000 WHERE p = 'p1' AND r < 20; DELETE FROM again WHERE p = 'p2' AND r < 30; INSERT INTO again VALUES ('p1', 99, NULL, 40, '{a1}'), ('p4', 1, '', 3, '{}');
UPDATE again_plain SET t = 'new', n = 1000 WHERE p = 'p1' AND r < 20; DELETE FROM again_plain WHERE p = 'p2' AND r < 30; INSERT INTO again_plain VALUES ('p1', 99, NULL, 40, '{a1}'), ('p4', 1, '', 3, '{}');
SELECT count(*) FROM again_queries, again_check(q) c WHERE c LIKE 'same%';
SAVEPOINT s;
DELETE FROM again WHERE p = 'p1' AND r > 40; DELETE FROM again_plain WHERE p = 'p1' AND r > 40;
SELECT count(*) FROM again_queries, again_check(q) c WHERE c LIKE 'same%';
ROLLBACK TO s;
SELECT count(*) FROM again_queries, again_check(q) c WHERE c LIKE 'same%';
CREATE FUNCTION again_write(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO again VALUES ('p1', 1000 + i, 'by function', 1);
  RETURN i;
END $$;
SELECT count(*) FROM again_outer o JOIN again g ON g.r > o.r * 3 AND g.p = 'p1' WHERE again_write(o.id * 100 + g.r) > 0;
SELECT count(*) FROM again_outer o JOIN again_plain g ON g.r > o.r * 3 AND g.p = 'p1';
SELECT count(*) FROM again WHERE t = 'by function';
ROLLBACK;
-- rows to be updated: each once, whatever finds it
UPDATE again g SET n = o.id FROM again_outer o LEFT JOIN again_outer x ON x.id = o.id + 20 WHERE o.id * 3 = g.r % 50 + 2 AND g.p = 'p1' AND g.r > 3;
UPDATE again_plain g SET n = o.id FROM again_outer o LEFT JOIN again_outer x ON x.id = o.id + 20 WHERE o.id * 3 = g.r % 50 + 2 AND g.p = 'p1' AND g.r > 3;
UPDATE again g SET t = o.p FROM (SELECT id, p FROM again_outer OFFSET 0) o LEFT JOIN again m ON m.p = 'p1' AND m.r % 5 = o.id % 5 WHERE g.p = 'p1' AND m.r = g.r AND o.id < 6;
UPDATE again_plain g SET t = o.p FROM (SELECT id, p FROM again_outer OFFSET 0) o LEFT JOIN again_plain m ON m.p = 'p1' AND m.r % 5 = o.id % 5 WHERE g.p = 'p1' AND m.r = g.r AND o.id < 6;
SELECT again_check('SELECT * FROM again g WHERE p = ''p1''');
-- a cursor that goes on while the transaction writes
BEGIN;
DECLARE c CURSOR FOR SELECT o.id, count(g.n) FROM again_outer o LEFT JOIN again g ON g.p = 'p2' AND g.r > o.id * 5 GROUP BY o.id, o.p ORDER BY o.id;
DECLARE d CURSOR FOR SELECT o.id, g.r FROM again_outer o LEFT JOIN again g ON g.p = 'p2' AND g.r > 55 WHERE o.id < 5;
FETCH 3 FROM d;
DELETE FROM again WHERE p = 'p2';
FETCH ALL FROM d;
FETCH 3 FROM c;
ROLLBACK;
-- more than work_mem: to a file where the plan says that it will start again, otherwise asked again
INSERT INTO again SELECT 'big', i, repeat('x', 1000) FROM generate_series(1, 150) i;
INSERT INTO again_plain SELECT 'big', i, repeat('x', 1000) FROM generate_series(1, 150) i;
SET work_mem = '64kB';
SELECT again_check('SELECT o.id, count(*), sum(length(g.t)) FROM again_outer o LEFT JOIN again g ON g.p = ''big'' AND g.r % 200 > o.r GROUP BY o.id');
SELECT again_check('SELECT o.id, (SELECT count(*) || max(g.t) FROM again g WHERE g.p = ''big'' AND o.id > 0) FROM again_outer o WHERE o.id < 4');
RESET work_mem;
SET plan_cache_mode = force_generic_plan;
PREPARE again_p (text, int) AS SELECT count(*), sum(g.n) FROM again_outer o LEFT JOIN again g ON g.p = $1 AND g.r % 99 > o.r + $2;
PREPARE again_q (text, int) AS SELECT count(*), sum(g.n) FROM again_outer o LEFT JOIN again_plain g ON g.p = $1 AND g.r % 99 > o.r + $2;
EXECUTE again_p ('p0', 3); EXECUTE again_q ('p0', 3);
EXECUTE again_p ('p1', 30); EXECUTE again_q ('p1', 30);
EXECUTE again_p (NULL, 3);
EXPLAIN (COSTS OFF) EXECUTE again_p ('p0', 3);
RESET ALL;
CALL itable_drop_index('again_by_a');
SELECT itable_drop_table('again');
DROP FOREIGN TABLE again;
DROP TABLE again_plain, again_outer, again_queries;
