-- The planner takes the index below the share of rows that itable_index_advice names, and a scan above it.
CREATE FOREIGN TABLE flips (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, k text, t text) SERVER store OPTIONS (fetch_size '50');
SELECT itable_create_table('flips');
INSERT INTO flips SELECT 'p' || i % 3, i, 'k' || ceil(sqrt(i * 0.5)), repeat('x', 20) FROM generate_series(1, 9000) i;
SET client_min_messages = warning;
CALL itable_create_index('flips', 'flips_by_k', key => '{k}');
ANALYZE flips;
CREATE TABLE sizes AS SELECT k, count(*) AS n FROM flips GROUP BY k;
CREATE FUNCTION even() RETURNS float8 LANGUAGE sql AS $$SELECT break_even * 9000 FROM itable_index_advice('flips') WHERE column_name = 'k'$$;
SELECT even() BETWEEN 10 AND 60 AS fewer_than_pages, itable_break_even('flips', 9000, false) * 9000 BETWEEN 100 AND 250 AS without_filter;
-- lists of one to twelve values
CREATE FUNCTION way(keys text[]) RETURNS text LANGUAGE sql AS $$SELECT CASE WHEN access_of(format('SELECT * FROM flips WHERE k = ANY (%L)', keys)) ~ 'index' THEN 'index' ELSE 'scan' END$$;
CREATE TABLE lists AS
SELECT n AS size, (SELECT array_agg(k) FROM (SELECT k FROM sizes ORDER BY n, k LIMIT l) x) AS keys
  FROM (SELECT l, (SELECT sum(n) FROM (SELECT n FROM sizes ORDER BY n, k LIMIT l) y) AS n FROM generate_series(1, 12) l) z;
SELECT count(*) > 0 AS some_below, bool_and(way(keys) = 'index') AS take_the_index FROM lists WHERE size < even() * 0.6;
SELECT count(*) > 0 AS some_above FROM lists WHERE size > even() * 1.6;
SELECT size < even() * 1.6 AS near FROM lists WHERE way(keys) = 'index' ORDER BY size DESC LIMIT 1;
-- the numbers are the server's: with one connection facts come one by one, and dear requests are saved
ALTER SERVER store OPTIONS (ADD max_connections '1');
SELECT even() < 12 AS one_by_one;
ALTER SERVER store OPTIONS (DROP max_connections, ADD fdw_startup_cost '10');
SELECT even() > 150 AS entities_count;
ALTER SERVER store OPTIONS (DROP fdw_startup_cost);
-- a table of a page needs no index; a covering one always pays
SELECT itable_break_even('flips', 40, true) AS one_page, itable_break_even('flips', 0, true) AS empty;
SELECT itable_drop_table('flips_by_k'), itable_drop_table('flips');
DROP FOREIGN TABLE flips CASCADE;
DROP TABLE sizes, lists;
DROP FUNCTION even, way;
