-- Definitions are kept between statements and noticed when they change.
CREATE FOREIGN TABLE kept (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, a text, b text) SERVER store;
SELECT itable_create_table('kept');
INSERT INTO kept SELECT 'p', i, 'a' || i, 'b' || i FROM generate_series(1, 20) i;
SET plan_cache_mode = force_generic_plan;
PREPARE one (int) AS SELECT a, b FROM kept WHERE p = 'p' AND r = $1;
PREPARE by_a (text) AS SELECT r FROM kept WHERE a = $1;
EXECUTE one (1); EXECUTE one (2); EXECUTE by_a ('a3');
-- what is kept does not grow with use
CREATE FUNCTION definitions() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM pg_backend_memory_contexts WHERE name = ''itable_fdw definition''';
CREATE TEMP TABLE before AS SELECT definitions() AS n;
DO $$ BEGIN FOR i IN 1..50 LOOP EXECUTE 'SELECT a FROM kept WHERE p = ''p'' AND r = 3'; EXECUTE 'EXECUTE one (4)'; END LOOP; END $$;
SELECT definitions() = n AS same, n > 0 AS any FROM before;
-- a property, a column, a name, an option of the server: at once
ALTER FOREIGN TABLE kept ALTER b OPTIONS (ADD property 'a');
ALTER FOREIGN TABLE kept ALTER b OPTIONS (ADD property 'other');
EXECUTE one (1);
ALTER FOREIGN TABLE kept ALTER b OPTIONS (DROP property);
EXECUTE one (1);
ALTER FOREIGN TABLE kept DROP COLUMN b;
EXECUTE one (1);
DEALLOCATE one;
PREPARE one (int) AS SELECT a, r FROM kept WHERE p = 'p' AND r = $1;
ALTER FOREIGN TABLE kept ADD COLUMN b text;
EXECUTE one (1);
SELECT * FROM kept WHERE r = 5;
ALTER FOREIGN TABLE kept RENAME TO kept2;
EXECUTE one (1);
ALTER SERVER store OPTIONS (ADD fetch_size '7');
SELECT itable_stats_reset();
SELECT count(*) FROM kept2;
SELECT requests FROM itable_stats() WHERE operation = 'query' AND server = 'store';
ALTER SERVER store OPTIONS (DROP fetch_size);
SELECT itable_stats_reset();
SELECT count(*) FROM kept2;
SELECT requests FROM itable_stats() WHERE operation = 'query' AND server = 'store';
-- an index comes, is written by the next statement, goes
SET client_min_messages = warning;
CALL itable_create_index('kept2', 'kept_by_a', key => '{a}');
INSERT INTO kept2 VALUES ('p', 100, 'a100');
SELECT count(*) FROM kept_by_a WHERE a = 'a100';
DEALLOCATE by_a;
PREPARE by_a (text) AS SELECT r FROM kept2 WHERE a = $1;
EXPLAIN (COSTS OFF) EXECUTE by_a ('a100');
EXECUTE by_a ('a100');
ALTER FOREIGN TABLE kept_by_a OPTIONS (ADD state 'building');
EXPLAIN (COSTS OFF) EXECUTE by_a ('a100');
ALTER FOREIGN TABLE kept_by_a OPTIONS (DROP state);
EXPLAIN (COSTS OFF) EXECUTE by_a ('a100');
-- what was made in a transaction that rolled back is forgotten
BEGIN;
ALTER FOREIGN TABLE kept2 ALTER b OPTIONS (ADD property 'a');
ROLLBACK;
BEGIN;
ALTER FOREIGN TABLE kept2 DROP COLUMN b;
SELECT * FROM kept2 WHERE r = 6;
SAVEPOINT s;
ALTER FOREIGN TABLE kept2 ADD COLUMN d text OPTIONS (property 'a2');
SELECT * FROM kept2 WHERE r = 6;
ROLLBACK TO s;
SELECT * FROM kept2 WHERE r = 6;
ROLLBACK;
SELECT * FROM kept2 WHERE r = 6;
-- a running scan keeps the definition it began with
BEGIN;
DECLARE c CURSOR FOR SELECT r, a FROM kept2;
FETCH 2 FROM c;
ALTER SERVER store OPTIONS (ADD fetch_size '9');
SELECT count(*) FROM kept2;
MOVE 15 IN c;
FETCH 2 FROM c;
ROLLBACK;
-- a domain's CHECK may read the very table that is being converted
CREATE FOREIGN TABLE kept_domain (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, d text) SERVER store OPTIONS (table_name 'keptdomain');
SELECT itable_create_table('kept_domain');
INSERT INTO kept_domain VALUES ('p', 1, 'one'), ('p', 2, 'two');
CREATE FUNCTION known(text) RETURNS bool LANGUAGE plpgsql AS 'BEGIN RETURN length($1) > 3 OR (SELECT count(*) = 2 FROM kept_domain WHERE length(d) = 3); END';
CREATE DOMAIN checked AS text CHECK (known(VALUE));
CREATE FOREIGN TABLE kept_domain2 (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, d checked) SERVER store OPTIONS (table_name 'keptdomain');
SELECT * FROM kept_domain2 a JOIN kept_domain2 b USING (p, r, d) ORDER BY r;
-- afterwards nothing stale is kept
SELECT count(*) FROM kept2 WHERE p = 'p' AND r = 1;
SELECT definitions() < 20 AS few;
SELECT itable_drop_table('kept_domain');
CALL itable_drop_index('kept_by_a');
SELECT itable_drop_table('kept2');
DROP FOREIGN TABLE kept2, kept_domain, kept_domain2;
