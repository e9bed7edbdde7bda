-- Partitions in several accounts, each its own server, are read beside each other.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
\set ECHO none
CREATE SERVER shard0 FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint', async_capable 'true', fetch_size '7');
CREATE SERVER shard1 FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint', async_capable 'true', fetch_size '7');
CREATE SERVER shard2 FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint', fetch_size '7');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard0 OPTIONS (account :'account', account_key :'account_key');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard1 OPTIONS (account :'account', account_key :'account_key');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard2 OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE TABLE sharded (shard int, id int, t text, a text[]) PARTITION BY LIST (shard);
-- two partitions of one server, one of them without rows; one that waits alone; one here
SELECT format('CREATE FOREIGN TABLE sharded%s (shard int OPTIONS (key ''partition'') NOT NULL, id int OPTIONS (key ''row'') NOT NULL, t text, a text[]) SERVER shard%s', i, (ARRAY[0, 1, 1, 1, 2])[i + 1]),
  format('ALTER TABLE sharded ATTACH PARTITION sharded%s FOR VALUES IN (%s)', i, i) FROM generate_series(0, 4) i \gexec
CREATE TABLE sharded5 PARTITION OF sharded FOR VALUES IN (5);
SELECT count(itable_create_table(('sharded' || i)::regclass)) FROM generate_series(0, 4) i;
CREATE TABLE sharded_plain (shard int, id int, t text, a text[]);
INSERT INTO sharded_plain SELECT CASE i % 6 WHEN 3 THEN 0 ELSE i % 6 END, i, 't' || i % 10, ARRAY['a' || i % 4] FROM generate_series(1, 300) i;
INSERT INTO sharded SELECT * FROM sharded_plain;
EXPLAIN (COSTS OFF) SELECT * FROM sharded WHERE t = 't1';
CREATE FUNCTION sharded_check(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', query) INTO mine;
  EXECUTE format('SELECT string_agg(x::text, '';'' ORDER BY x::text COLLATE "C") FROM (%s) x', replace(query, 'sharded', 'sharded_plain')) INTO plain;
  RETURN CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same: ' ELSE 'DIFFERS: ' END || query;
END $$;
CREATE TABLE questions (id serial, q text);
INSERT INTO questions (q) VALUES ('SELECT * FROM sharded'), ('SELECT count(*), sum(id) FROM sharded WHERE t <> ''t3'''), ('SELECT * FROM sharded WHERE id < 0'), ('SELECT * FROM sharded WHERE length(t) > 5'),
  ('SELECT * FROM sharded WHERE shard IN (1, 2, 3) AND id > 100'), ('SELECT x.n, (SELECT count(*) FROM sharded WHERE id > x.n * 50) FROM generate_series(1, 5) x(n)'),
  ('SELECT a.id, b.id FROM sharded a JOIN sharded b ON a.id = b.id + 1'), ('SELECT t, count(*) FROM sharded GROUP BY t'), ('SELECT * FROM sharded WHERE a @> ARRAY[''a1''] OR id = 7');
SELECT sharded_check(q) FROM questions ORDER BY id;
SELECT count(*) FROM (SELECT * FROM sharded LIMIT 5) x;
-- index lookups, own writes, ROLLBACK
SET client_min_messages = warning;
CALL itable_create_index('sharded0', 'sharded0_by_a', key => '{a}');
CALL itable_create_index('sharded1', 'sharded1_by_t', key => '{t}', include => '{a}');
SELECT sharded_check(q) FROM questions WHERE q ~ 'a1|t3' ORDER BY id;
SELECT sharded_check('SELECT * FROM sharded WHERE t = ''t1''');
BEGIN;
UPDATE sharded SET t = 'mine' WHERE id % 7 = 0;
UPDATE sharded_plain SET t = 'mine' WHERE id % 7 = 0;
INSERT INTO sharded VALUES (1, 1000, 't1', '{a1}'), (3, 1001, 't1', '{a1}');
INSERT INTO sharded_plain VALUES (1, 1000, 't1', '{a1}'), (3, 1001, 't1', '{a1}');
SELECT count(*) FROM questions WHERE sharded_check(q) LIKE 'same%';
SELECT sharded_check('SELECT * FROM sharded WHERE t = ''t1''');
ROLLBACK;
SELECT sharded_check(q) FROM questions WHERE id = 1;
-- prepared, a cursor that stops early, an error in the middle
PREPARE by_t (text) AS SELECT count(*) FROM sharded WHERE t = $1;
EXECUTE by_t ('t1'); EXECUTE by_t ('t2'); EXECUTE by_t ('t3'); EXECUTE by_t ('t4'); EXECUTE by_t ('t5'); EXECUTE by_t ('t6'); EXECUTE by_t (NULL);
BEGIN;
DECLARE c CURSOR FOR SELECT 1 FROM sharded;
FETCH 2 FROM c;
MOVE 200 IN c;
COMMIT;
SELECT error_of('SELECT 1 / (id - 150) FROM sharded');
SELECT sharded_check(q) FROM questions WHERE id = 1;
-- UNION ALL over servers; without the option as before
EXPLAIN (COSTS OFF) SELECT id FROM sharded0 UNION ALL SELECT id FROM sharded1;
SELECT count(*) FROM (SELECT id FROM sharded0 UNION ALL SELECT id FROM sharded1) x;
SET enable_async_append = off;
SELECT sharded_check(q) FROM questions WHERE id = 1;
RESET ALL;
SET client_min_messages = warning;
CALL itable_drop_index('sharded0_by_a'); CALL itable_drop_index('sharded1_by_t');
SELECT count(itable_drop_table(('sharded' || i)::regclass)) FROM generate_series(0, 4) i;
DROP TABLE sharded, sharded_plain, questions;
DROP SERVER shard0 CASCADE; DROP SERVER shard1 CASCADE; DROP SERVER shard2 CASCADE;
