-- Joins that look up several outer rows' keys at a time: the same rows as a nested loop of plain tables.
-- with many connections lookups are cheap beside these few pages
ALTER SERVER store OPTIONS (ADD max_connections '32');
SET itable_fdw.scan_ranges = 8;
CREATE FOREIGN TABLE looked (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, n int, a text[]) SERVER store OPTIONS (fetch_size '7');
CREATE TABLE looked_plain (p text, r int, t text, n int, a text[]);
CREATE TABLE outers (id int, p text, r int, t text);
SELECT itable_create_table('looked');
INSERT INTO looked_plain SELECT 'p' || i % 7, i, 't' || i % 50, CASE WHEN i % 5 > 0 THEN i END, ARRAY['a' || i % 40, 'b' || i % 3] FROM generate_series(1, 300) i;
INSERT INTO looked SELECT * FROM looked_plain;
INSERT INTO outers SELECT i, CASE WHEN i % 11 > 0 THEN 'p' || i % 9 END, CASE WHEN i % 13 > 0 THEN i * 2 % 320 END, 'a' || i % 60 FROM generate_series(1, 100) i;
ANALYZE looked; ANALYZE looked_plain; ANALYZE outers;
SET client_min_messages = warning;
CALL itable_create_index('looked', 'looked_by_a', key => '{a}');
CALL itable_create_index('looked', 'looked_by_t', key => '{t}', include => '{n}');
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off;
EXPLAIN (COSTS OFF) SELECT o.id, l.t FROM outers o JOIN looked l USING (p, r);
EXPLAIN (COSTS OFF) SELECT o.id, l.t FROM outers o LEFT JOIN looked l ON l.p = o.p AND l.r = o.r AND l.n > 50 WHERE l.n IS NULL OR o.id < 50;
EXPLAIN (COSTS OFF) SELECT o.id, l.t FROM outers o JOIN looked l ON l.a @> ARRAY[o.t] WHERE o.id < 20;
EXPLAIN (COSTS OFF, VERBOSE) SELECT o.id FROM outers o WHERE NOT EXISTS (SELECT FROM looked l WHERE l.p = o.p AND l.r = o.r);
CREATE FUNCTION looked_check(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  join_used bool := false;
  mine text;
  plain text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    join_used := join_used OR line ~ 'itable Lookup Join';
  END LOOP;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', query) INTO mine;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', replace(query, 'looked', 'looked_plain')) INTO plain;
  RETURN CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same' ELSE 'DIFFERS' END || CASE WHEN join_used THEN ', lookup join' ELSE ', other' END || ': ' || query;
END $$;
CREATE TABLE queries (id serial, q text);
INSERT INTO queries (q) VALUES
 ('SELECT o.id, l.* FROM outers o JOIN looked l USING (p, r)'),
 ('SELECT o.id, l.* FROM outers o LEFT JOIN looked l USING (p, r)'),
 ('SELECT o.id, l.t, l.n FROM outers o LEFT JOIN looked l ON l.p = o.p AND l.r = o.r AND l.n > o.id'),
 ('SELECT o.id, l.t, l.n FROM outers o LEFT JOIN looked l ON l.p = o.p AND l.r = o.r AND l.n > o.id WHERE l.n IS NULL OR o.id % 2 = 0'),
 ('SELECT o.* FROM outers o WHERE EXISTS (SELECT FROM looked l WHERE l.p = o.p AND l.r = o.r AND l.n > 100)'),
 ('SELECT o.* FROM outers o WHERE NOT EXISTS (SELECT FROM looked l WHERE l.p = o.p AND l.r = o.r AND l.n > 100)'),
 ('SELECT o.id, l.r FROM outers o JOIN looked l ON l.p = o.p AND l.r > o.r'),
 ('SELECT o.id, l.r FROM outers o JOIN looked l ON l.p = o.p AND l.r BETWEEN o.r AND o.r + 20 WHERE l.t <> ''t3'''),
 ('SELECT o.id, l.r, l.a FROM outers o JOIN looked l ON l.a @> ARRAY[o.t]'),
 ('SELECT o.id, l.r, l.a FROM outers o LEFT JOIN looked l ON o.t = ANY (l.a)'),
 ('SELECT o.id, l.r FROM outers o JOIN looked l ON o.t = ANY (l.a) WHERE o.id < 9'),
 ('SELECT o.id, l.n FROM outers o JOIN looked l ON l.t = ''t'' || o.id'),
 ('SELECT o.id, l.r, m.t FROM outers o JOIN looked l USING (p, r) JOIN looked m ON m.p = l.p AND m.r = l.r - 7'),
 ('SELECT o.id, (SELECT sum(l.r) FROM outers i JOIN looked l USING (p, r) WHERE i.id < o.id) FROM outers o WHERE o.id < 12'),
 ('SELECT o.id, lower(l.t) || o.p, l.r + o.id FROM outers o JOIN looked l USING (p, r) WHERE random() < 2'),
 ('SELECT count(*), sum(l.n) FROM outers o, looked l WHERE l.p = o.p AND l.r = o.r GROUP BY o.id % 5');
SELECT looked_check(q) FROM queries ORDER BY id;
-- within a transaction that has written, ROLLBACK, prepared statements
BEGIN;
UPDATE looked SET t = 'new', n = 1000 WHERE p = 'p2'; DELETE FROM looked WHERE p = 'p3' AND r < 100; INSERT INTO looked VALUES ('p8', 16, 'ins', 5, '{a1}');
UPDATE looked_plain SET t = 'new', n = 1000 WHERE p = 'p2'; DELETE FROM looked_plain WHERE p = 'p3' AND r < 100; INSERT INTO looked_plain VALUES ('p8', 16, 'ins', 5, '{a1}');
SELECT count(*) FROM queries WHERE looked_check(q) LIKE 'same%';
ROLLBACK;
SET plan_cache_mode = force_generic_plan;
PREPARE by_id (int) AS SELECT count(*), sum(l.n) FROM outers o JOIN looked l USING (p, r) WHERE l.n > $1;
PREPARE by_id_plain (int) AS SELECT count(*), sum(l.n) FROM outers o JOIN looked_plain l USING (p, r) WHERE l.n > $1;
EXECUTE by_id (100); EXECUTE by_id_plain (100);
EXECUTE by_id (NULL);
RESET plan_cache_mode;
-- the outer side's order is kept; whoever wants one row does not look up all
SELECT array_agg(id) = array_agg(id ORDER BY id) AS ordered FROM (SELECT o.id, l.t FROM (SELECT * FROM outers ORDER BY id) o JOIN looked l USING (p, r)) x;
SELECT requests_of('SELECT o.id, l.t FROM outers o JOIN looked l ON l.p = ''p'' || o.id % 7 AND l.r = o.id LIMIT 1') AS two;
SELECT requests_of('SELECT count(l.t) FROM outers o JOIN looked l USING (p, r)') AS one_for_each_row_with_a_key;
-- errors come through, a cancel too, and nothing stays behind
SELECT error_of('SELECT 1 / (l.n - l.n) FROM outers o JOIN looked l USING (p, r)');
SELECT looked_check(q) FROM queries WHERE id = 1;
SET itable_fdw.enable_lookup_join = off;
SELECT looked_check(q) FROM queries WHERE id = 1;
RESET ALL;
SET client_min_messages = warning;
CALL itable_drop_index('looked_by_a');
CALL itable_drop_index('looked_by_t');
SELECT itable_drop_table('looked');
DROP FOREIGN TABLE looked;
DROP TABLE looked_plain, outers, queries;
ALTER SERVER store OPTIONS (DROP max_connections);
