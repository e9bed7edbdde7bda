-- Lookup joins whose outer rows repeat their values: one lookup for all of them, the rows of a plain table.
CREATE FOREIGN TABLE once (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, n int, a text[]) SERVER store OPTIONS (fetch_size '7');
CREATE TABLE once_plain (p text, r int, t text, n int, a text[]);
CREATE TABLE once_outer (id int, p text, r int, t text);
SELECT itable_create_table('once');
INSERT INTO once_plain SELECT 'p' || i % 12, i, 't' || i % 30, NULLIF(i % 50, 9), ARRAY['a' || i % 20, 'b"' || i % 3] FROM generate_series(1, 360) i;
INSERT INTO once SELECT * FROM once_plain;
INSERT INTO once_outer SELECT i, CASE WHEN i % 17 > 0 THEN 'p' || i % 6 END, 12 * (i % 4) + i % 6, 'a' || i % 25 FROM generate_series(1, 300) i;
CALL itable_create_index('once', 'once_by_a', key => '{a}');
CALL itable_create_index('once', 'once_by_t', key => '{t}', include => '{n}');
ANALYZE once; ANALYZE once_plain; ANALYZE once_outer;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET enable_material = off; SET enable_nestloop = on;
CREATE FUNCTION once_check(query text, counts bool DEFAULT true) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', query) INTO mine;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', replace(query, 'once ', 'once_plain ')) INTO plain;
  RETURN NEXT CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same: ' ELSE 'DIFFERS: ' END || query;
  IF counts THEN
    RETURN QUERY SELECT '  ' || regexp_replace(trim(l), 'Requests: [67]\d  Pages: \d+  Entities: 3[6-9]\d', 'Requests: N  Pages: N  Entities: 360 or more') FROM explain_counts(query) l WHERE l ~ '(Join Type|Repeated Lookups|Requests):';
  END IF;
END $$;
CREATE TABLE once_queries (id serial, q text);
INSERT INTO once_queries (q) VALUES
 ('SELECT o.id, l.* FROM once_outer o JOIN once l USING (p, r)'),
 ('SELECT o.id, l.n FROM once_outer o LEFT JOIN once l USING (p, r)'),
 ('SELECT o.id, l.t FROM once_outer o LEFT JOIN once l ON l.p = o.p AND l.r = o.r AND l.n > o.id % 40 WHERE l.n IS NULL OR o.id % 2 = 0'),
 ('SELECT o.id, l.r FROM once_outer o JOIN once l ON l.p = o.p AND l.r < 40'),
 -- a match is enough: what was left before its end is begun anew
 ('SELECT o.id FROM once_outer o WHERE EXISTS (SELECT FROM once l WHERE l.p = o.p AND l.n > o.id % 60)'),
 ('SELECT o.id FROM once_outer o WHERE NOT EXISTS (SELECT FROM once l WHERE l.p = o.p AND l.n > o.id % 60)'),
 ('SELECT o.id FROM once_outer o WHERE o.p IS NULL OR NOT EXISTS (SELECT FROM once l WHERE l.p = o.p AND l.r = o.r)'),
 -- index tables
 ('SELECT o.id, l.r, l.a FROM once_outer o JOIN once l ON o.t = ANY (l.a)'),
 ('SELECT o.id, l.n FROM once_outer o LEFT JOIN once l ON l.t = ''t'' || o.id % 35'),
 -- joins above and below, started anew
 ('SELECT o.id, l.r, m.t FROM once_outer o JOIN once l USING (p, r) JOIN once m ON m.p = l.p AND m.r = l.r + 12'),
 ('SELECT o.id, (SELECT sum(l.r) FROM once_outer i JOIN once l USING (p, r) WHERE i.id < o.id) FROM once_outer o WHERE o.id < 9');
SELECT once_check(q) FROM once_queries ORDER BY id;
-- little memory: some are looked up again
SET work_mem = '64kB';
SELECT count(*) FROM once_queries, once_check(q, false) c WHERE c LIKE 'same%';
INSERT INTO once_plain SELECT 'big', i, repeat('x', 9000) FROM generate_series(1, 30) i;
INSERT INTO once SELECT * FROM once_plain WHERE p = 'big';
SELECT once_check('SELECT o.id, l.r, length(l.t) FROM once_outer o JOIN once l ON l.p = CASE WHEN o.id % 2 = 0 THEN ''big'' ELSE o.p END WHERE o.id < 12', false);
RESET work_mem;
-- own rows; LIMIT; cursors
BEGIN;
UPDATE once SET t = 'new', n = 70 WHERE p = 'p2'; DELETE FROM once WHERE p = 'p3' AND r < 100; INSERT INTO once VALUES ('p4', 1, 't1', 5, '{a1}');
UPDATE once_plain SET t = 'new', n = 70 WHERE p = 'p2'; DELETE FROM once_plain WHERE p = 'p3' AND r < 100; INSERT INTO once_plain VALUES ('p4', 1, 't1', 5, '{a1}');
SELECT count(*) FROM once_queries, once_check(q, false) c WHERE c LIKE 'same%';
DECLARE c CURSOR FOR SELECT o.id, l.n FROM once_outer o JOIN once l USING (p, r) WHERE o.id < 200;
MOVE 60 FROM c;
DELETE FROM once; DELETE FROM once_plain;
FETCH 2 FROM c;
SELECT count(*) FROM once_queries, once_check(q, false) c WHERE c LIKE 'same%';
ROLLBACK;
SELECT count(*) FROM (SELECT l.n FROM once_outer o JOIN once l USING (p, r) LIMIT 30) x;
SET plan_cache_mode = force_generic_plan;
PREPARE once_p (int) AS SELECT count(*), sum(l.n) FROM once_outer o JOIN once l ON l.p = o.p AND l.r = o.r + $1;
PREPARE once_q (int) AS SELECT count(*), sum(l.n) FROM once_outer o JOIN once_plain l ON l.p = o.p AND l.r = o.r + $1;
EXECUTE once_p (12); EXECUTE once_q (12); EXECUTE once_p (0); EXECUTE once_q (0); EXECUTE once_p (NULL);
RESET ALL;
-- values that come again late
CREATE TABLE once_many AS SELECT 'p' || i % 12 AS p, i AS r FROM generate_series(1, 1300) i;
ANALYZE once_many;
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET enable_material = off;
SELECT once_check('SELECT o.r, l.t FROM (SELECT * FROM once_many UNION ALL SELECT * FROM once_many) o JOIN once l USING (p, r)');
RESET ALL;
CALL itable_drop_index('once_by_a');
CALL itable_drop_index('once_by_t');
SELECT itable_drop_table('once');
DROP FOREIGN TABLE once;
DROP TABLE once_plain, once_outer, once_queries, once_many;
