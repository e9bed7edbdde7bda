-- EXISTS wants one row of each lookup: pages begin with as many as the first match is likely to take.
-- with many connections lookups are cheap beside these few pages
ALTER SERVER store OPTIONS (ADD max_connections '32');
SET itable_fdw.scan_ranges = 1;
CREATE FOREIGN TABLE deep (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, n int) SERVER store OPTIONS (fetch_size '20');
CREATE TABLE deep_plain (p text, r int, t text, n int);
CREATE TABLE deep_outer (id int, p text, n int);
SELECT itable_create_table('deep');
INSERT INTO deep_plain SELECT 'p' || i % 8, i, 't' || i % 40, NULLIF(i / 8, 3) FROM generate_series(1, 1200) i;
INSERT INTO deep SELECT * FROM deep_plain;
INSERT INTO deep_outer SELECT i, CASE WHEN i % 7 > 0 THEN 'p' || i % 10 END, i FROM generate_series(1, 30) i;
CALL itable_create_index('deep', 'deep_by_t', key => '{t}');
ANALYZE deep; ANALYZE deep_plain; ANALYZE deep_outer;
CREATE FUNCTION deep_check(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', query) INTO mine;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', replace(query, 'deep ', 'deep_plain ')) INTO plain;
  RETURN NEXT CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same: ' ELSE 'DIFFERS: ' END || query;
  -- a scan of everything is cut while it is read, where depends on which page comes first
  RETURN QUERY SELECT '  ' || regexp_replace(trim(l), 'Requests: \d+  Pages: \d+  Entities: 1[2-5]\d\d', 'Requests: N  Pages: N  Entities: 1200 or more') FROM explain_counts(query) l WHERE l ~ '(Join Type|Requests):';
END $$;
CREATE TABLE deep_queries (id serial, q text);
INSERT INTO deep_queries (q) VALUES
 ('SELECT o.id FROM deep_outer o WHERE EXISTS (SELECT FROM deep d WHERE d.p = o.p)'),
 ('SELECT o.id FROM deep_outer o WHERE NOT EXISTS (SELECT FROM deep d WHERE d.p = o.p)'),
 -- of which the store does not narrow by n: more rows at first, then double
 ('SELECT o.id FROM deep_outer o WHERE EXISTS (SELECT FROM deep d WHERE d.p = o.p AND d.n % 10 = 5)'),
 ('SELECT o.id FROM deep_outer o WHERE EXISTS (SELECT FROM deep d WHERE d.p = o.p AND d.n = o.n)'),
 -- through an index table
 ('SELECT o.id FROM deep_outer o WHERE EXISTS (SELECT FROM deep d WHERE d.t = ''t'' || o.n)'),
 -- all rows
 ('SELECT o.id, count(*) FROM deep_outer o JOIN deep d ON d.p = o.p WHERE o.id < 4 GROUP BY o.id'),
 -- a subquery that stays one
 ('SELECT o.id, EXISTS (SELECT FROM deep d WHERE d.p = o.p) FROM deep_outer o'),
 ('SELECT o.id, x.r FROM deep_outer o, LATERAL (SELECT d.r FROM deep d WHERE d.p = o.p AND d.r > 100 ORDER BY d.r LIMIT 1) x');
SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_memoize = off; SET enable_hashagg = off; SET enable_sort = off;
SELECT deep_check(q) FROM deep_queries ORDER BY id;
SET itable_fdw.enable_lookup_join = off;
SELECT count(*) FROM deep_queries, deep_check(q) c WHERE c LIKE 'same%';
-- own rows: the first of the store's may be gone, the only one may be new
BEGIN;
DELETE FROM deep WHERE p = 'p1' AND r < 500; DELETE FROM deep WHERE p = 'p2'; INSERT INTO deep VALUES ('p9', 1, 't11', 15); UPDATE deep SET n = 5 WHERE p = 'p4' AND r > 790;
DELETE FROM deep_plain WHERE p = 'p1' AND r < 500; DELETE FROM deep_plain WHERE p = 'p2'; INSERT INTO deep_plain VALUES ('p9', 1, 't11', 15); UPDATE deep_plain SET n = 5 WHERE p = 'p4' AND r > 790;
SELECT count(*) FROM deep_queries, deep_check(q) c WHERE c LIKE 'same%';
SET itable_fdw.enable_lookup_join = on;
SELECT count(*) FROM deep_queries, deep_check(q) c WHERE c LIKE 'same%';
ROLLBACK;
SET plan_cache_mode = force_generic_plan;
PREPARE deep_p (int) AS SELECT count(*) FROM deep_outer o WHERE o.id < $1 AND EXISTS (SELECT FROM deep d WHERE d.p = o.p AND d.r > $1);
EXECUTE deep_p (10); EXECUTE deep_p (790); EXECUTE deep_p (NULL);
SELECT count(*) FROM deep_outer o WHERE o.id < 10 AND EXISTS (SELECT FROM deep_plain d WHERE d.p = o.p AND d.r > 10);
SELECT count(*) FROM deep_outer o WHERE o.id < 790 AND EXISTS (SELECT FROM deep_plain d WHERE d.p = o.p AND d.r > 790);
RESET ALL;
CALL itable_drop_index('deep_by_t');
SELECT itable_drop_table('deep');
DROP FOREIGN TABLE deep;
DROP TABLE deep_plain, deep_outer, deep_queries;
ALTER SERVER store OPTIONS (DROP max_connections);
