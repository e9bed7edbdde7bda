-- Entries among facts are rows of nobody, also where no index is known; what
-- other programs do to them is found and mended, and stops no writer.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE FOREIGN TABLE colh (
  town text OPTIONS (key 'partition') NOT NULL, id text OPTIONS (key 'row') NOT NULL,
  name text, tags text[], age integer
) SERVER store OPTIONS (table_name 'colh');
SELECT itable_create_table('colh');
CALL itable_create_index('colh', 'colh_tags', '{tags}', colocated => true);
CALL itable_create_index('colh', 'colh_name', '{name}', include => '{age}', colocated => true);
CALL itable_create_index('colh', 'colh_plain', '{name}', include => '{age}');
INSERT INTO colh VALUES ('T', 'a', 'Ann', '{x,y}', 1), ('T', 'b', 'Bob', '{x}', 2), ('T', ' c', 'Cid', NULL, 3), ('U', '!d', NULL, '{y}', 4);

-- another cluster that knows no index of this table; and one that reads it raw
\set ECHO none
CREATE SERVER colh_behind FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER colh_behind OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE FOREIGN TABLE colh_unaware (town text OPTIONS (key 'partition') NOT NULL, id text OPTIONS (key 'row') NOT NULL,
  name text, age integer) SERVER colh_behind OPTIONS (table_name 'colh');
CREATE FOREIGN TABLE colh_raw (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL,
  name text, age integer) SERVER colh_behind OPTIONS (table_name 'colh', key_encoding 'raw');
SELECT * FROM colh_unaware ORDER BY age;
SELECT count(*) FROM colh_unaware WHERE town = 'T';
SELECT count(*) FROM colh_unaware WHERE id < 'b';
SELECT explain_counts('SELECT * FROM colh_unaware WHERE age > 0');
ANALYZE colh_unaware;
SELECT reltuples FROM pg_class WHERE oid = 'colh_unaware'::regclass;
SELECT pk, rk, name, age FROM colh_raw ORDER BY pk, rk COLLATE "C";
-- the entries are no business of other indexes
CALL itable_build_index('colh_plain');
SELECT count(*) FROM colh_plain;
SELECT * FROM itable_check_index('colh_plain');
-- a table without the index's columns, or with other keys, still reads
CREATE FOREIGN TABLE colh_less (town text OPTIONS (key 'partition') NOT NULL, id text OPTIONS (key 'row') NOT NULL,
  name text) SERVER store OPTIONS (table_name 'colh');
SELECT * FROM colh_less ORDER BY id COLLATE "C";
SELECT error_of($$DELETE FROM colh_less WHERE id = 'a'$$);
CREATE FOREIGN TABLE colh_raw2 (town text OPTIONS (key 'partition') NOT NULL, id text OPTIONS (key 'row') NOT NULL,
  name text, tags text, age integer) SERVER store OPTIONS (table_name 'colh', key_encoding 'raw');
SELECT count(*) FROM colh_raw2 WHERE town = 'T';
DROP FOREIGN TABLE colh_less, colh_raw2;

-- missing: an entry removed by hand stops neither UPDATE nor DELETE
SET itable_fdw.catalog_lease = -1;
DELETE FROM colh_raw WHERE rk LIKE '"!icolhtags!x%';
SELECT * FROM itable_check_index('colh_tags') ORDER BY 1, 2, 3;
UPDATE colh SET tags = '{z}' WHERE id = 'a';
SELECT * FROM itable_check_index('colh_tags') ORDER BY 1, 2, 3;
CALL itable_repair_index('colh_tags');
SELECT * FROM itable_check_index('colh_tags');
DELETE FROM colh_raw WHERE rk LIKE '"!icolh%b';
DELETE FROM colh WHERE id = 'b';
SELECT pk, rk FROM colh_raw WHERE pk = 'T' ORDER BY rk COLLATE "C";

-- contradicting: an entry, or a fact, was changed alone
UPDATE colh_raw SET age = 100 WHERE rk LIKE '"!icolhname!Ann%';
UPDATE colh_raw SET age = 300 WHERE rk = ' c';
SELECT * FROM itable_check_index('colh_name') ORDER BY 1, 2, 3;
CALL itable_repair_index('colh_name');
SELECT * FROM itable_check_index('colh_name');
SELECT name, age FROM colh_name ORDER BY name;

-- dangling: the fact went alone, or never was
DELETE FROM colh_raw WHERE rk = ' c';
INSERT INTO colh_raw VALUES ('T', '"!icolhname!Eve","e', NULL, 9);
UPDATE colh_raw SET name = 'Dan' WHERE rk = '!d';
SET itable_fdw.repair_age = 0;
SELECT * FROM itable_check_index('colh_name') ORDER BY 1, 2, 3;
SELECT * FROM itable_check_index('colh_tags') ORDER BY 1, 2, 3;
CALL itable_repair_index('colh_name');
CALL itable_repair_index('colh_tags');
CALL itable_repair_index('colh_plain');
SELECT * FROM itable_check_index('colh_name') UNION ALL SELECT * FROM itable_check_index('colh_tags') UNION ALL SELECT * FROM itable_check_index('colh_plain');
RESET itable_fdw.repair_age;
SELECT pk, rk FROM colh_raw ORDER BY pk, rk COLLATE "C";

INSERT INTO colh VALUES ('T', 'a', 'Ann', NULL, 1);

RESET itable_fdw.catalog_lease;
DROP SERVER colh_behind CASCADE;
CALL itable_drop_index('colh_tags'); CALL itable_drop_index('colh_name'); CALL itable_drop_index('colh_plain');
SELECT itable_drop_table('colh');
DROP FOREIGN TABLE colh;
