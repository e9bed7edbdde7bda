-- What is wrong with a unique index is found, named and mended, except that two
-- rows have one key.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE FOREIGN TABLE uqc (
  p text OPTIONS (key 'partition') NOT NULL,
  k int OPTIONS (key 'row') NOT NULL,
  code text,
  tags text[],
  note text
) SERVER store;
SELECT itable_create_table('uqc');
INSERT INTO uqc VALUES ('a', 1, 'x', '{t1,t2}', 'n1'), ('a', 2, 'y', '{t3}', 'n2'), ('b', 1, 'x', '{t3}', 'n3'), ('b', 2, 'x', NULL, 'n4'),
  ('b', 3, NULL, '{}', 'n5');

-- duplicates that were there before the index block it
CALL itable_create_index('uqc', 'uqc_code', key => '{code}', is_unique => true);
SELECT state FROM itable_indexes WHERE index = 'uqc_code'::regclass;
SELECT access_of('SELECT note FROM uqc WHERE code = ''y''');
SET itable_fdw.repair_age = 0;
SELECT problem, index_partition_key, count(*) FROM itable_check_index('uqc_code') GROUP BY 1, 2;
CALL itable_repair_index('uqc_code');
DELETE FROM uqc WHERE code = 'x' AND p = 'b' AND k = 2;
UPDATE uqc SET code = 'z' WHERE code = 'x' AND p = 'b';
CALL itable_build_index('uqc_code');
SELECT state FROM itable_indexes WHERE index = 'uqc_code'::regclass;
SELECT * FROM itable_check_index('uqc_code');
SELECT p, k, note FROM uqc WHERE code IN ('x', 'z') ORDER BY 1, 2;
CALL itable_create_index('uqc', 'uqc_tag', key => '{tags}', include => '{p,k,note}', is_unique => true);
DELETE FROM uqc WHERE note = 'n3';
CALL itable_build_index('uqc_tag');
SELECT * FROM uqc_tag ORDER BY tag;
SELECT * FROM itable_check_index('uqc_tag');

-- the same tables behind the indexes' back
\set ECHO none
CREATE SERVER uqc_behind FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER uqc_behind OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE FOREIGN TABLE uqc_facts (p text OPTIONS (key 'partition') NOT NULL, k int OPTIONS (key 'row') NOT NULL,
  code text, tags text, note text) SERVER uqc_behind OPTIONS (table_name 'uqc');
CREATE FOREIGN TABLE uqc_c (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, own text OPTIONS (property 'code'))
  SERVER uqc_behind OPTIONS (table_name 'uqccode', key_encoding 'raw');
CREATE FOREIGN TABLE uqc_t (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, note text)
  SERVER uqc_behind OPTIONS (table_name 'uqctag', key_encoding 'raw');
CREATE VIEW uqc_all AS
  SELECT 'code' AS index, * FROM itable_check_index('uqc_code')
  UNION ALL SELECT 'tag', * FROM itable_check_index('uqc_tag')
  ORDER BY 1, 2, 3, 5, 6;
CREATE PROCEDURE uqc_repair() LANGUAGE plpgsql AS $$
BEGIN
  CALL itable_repair_index('uqc_code');
  CALL itable_repair_index('uqc_tag');
END $$;

-- missing; a row that another program wrote; a second row with its key
SET itable_fdw.catalog_lease = -1;
DELETE FROM uqc_c WHERE pk = 'y';
INSERT INTO uqc_facts VALUES ('c', 1, 'x', '["t1","t9"]', 'n6'), ('c', 2, 'w', NULL, 'n7');
SELECT * FROM uqc_all;
CALL uqc_repair();
SELECT * FROM uqc_all;
SELECT p, k FROM uqc WHERE code IN ('y', 'w') ORDER BY 1;
SELECT p, k FROM uqc WHERE 't9' = ANY (tags);
INSERT INTO uqc VALUES ('d', 1, 'w');
DELETE FROM uqc_facts WHERE p = 'a' AND k = 1;
SELECT * FROM uqc_all;
CALL uqc_repair();
SELECT * FROM uqc_all;
SELECT p, k FROM uqc WHERE code = 'x';
SELECT * FROM uqc_tag ORDER BY tag;

-- an entry that is nobody's, one of a row that is gone, contents of another row
DELETE FROM uqc_c WHERE pk = 'w';
INSERT INTO uqc_c VALUES ('w', '-'), ('nobody', '-'), ('strange', 'key');
UPDATE uqc_t SET note = 'wrong' WHERE pk = 't3';
UPDATE uqc_facts SET tags = '["t8"]' WHERE p = 'c' AND k = 1;
SELECT * FROM uqc_all;
INSERT INTO uqc VALUES ('e', 1, 'nobody', '{t1}', 'n8');
CALL uqc_repair();
SELECT * FROM uqc_all;
SELECT * FROM uqc_tag ORDER BY tag;
SELECT pk, rk FROM uqc_c ORDER BY 1;
RESET itable_fdw.repair_age;

RESET itable_fdw.catalog_lease;
DROP VIEW uqc_all;
DROP PROCEDURE uqc_repair();
DROP SERVER uqc_behind CASCADE;
CALL itable_drop_index('uqc_code');
CALL itable_drop_index('uqc_tag');
SELECT itable_drop_table('uqc');
DROP FOREIGN TABLE uqc;
