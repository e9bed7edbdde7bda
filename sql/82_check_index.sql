-- What is wrong with an index table is found, named and mended.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE FOREIGN TABLE chk_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer,
  released date
) SERVER store OPTIONS (table_name 'chkmovies');
SELECT itable_create_table('chk_movies');
CALL itable_create_index('chk_movies', 'chk_pointer', '{actors}');
CALL itable_create_index('chk_movies', 'chk_covering', '{actors}', include => '{year}');
CALL itable_create_index('chk_movies', 'chk_released', '{released}', include => '{year}', buckets => 2);
INSERT INTO chk_movies VALUES
  ('Action', 'One', '{Al,Bob}', 1, '2001-01-01'), ('Action', 'Two/2', '{Al,Cid}', 2, '2002-02-02'),
  ('Drama', 'Three', '{Dee}', 3, NULL), ('Drama', 'Four', NULL, 4, '2004-04-04'), ('Drama', 'Five', '{}', 5, '2005-05-05');
-- all that is wrong, in all three
CREATE VIEW chk AS
  SELECT 'pointer' AS index, * FROM itable_check_index('chk_pointer')
  UNION ALL SELECT 'covering', * FROM itable_check_index('chk_covering')
  UNION ALL SELECT 'released', * FROM itable_check_index('chk_released')
  ORDER BY 1, 2, 3, 4;
CREATE PROCEDURE chk_repair() LANGUAGE plpgsql AS $$
BEGIN
  CALL itable_repair_index('chk_pointer');
  CALL itable_repair_index('chk_covering');
  CALL itable_repair_index('chk_released');
END $$;
SELECT * FROM chk;

-- the same tables behind the indexes' back: another server knows no index
\set ECHO none
CREATE SERVER chk_behind FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER chk_behind OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE FOREIGN TABLE chk_facts (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL,
  actors text, year integer) SERVER chk_behind OPTIONS (table_name 'chkmovies', key_encoding 'raw');
CREATE FOREIGN TABLE chk_p (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, other text)
  SERVER chk_behind OPTIONS (table_name 'chkpointer', key_encoding 'raw');
CREATE FOREIGN TABLE chk_c (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, year integer)
  SERVER chk_behind OPTIONS (table_name 'chkcovering', key_encoding 'raw');
CREATE FOREIGN TABLE chk_r (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, year integer)
  SERVER chk_behind OPTIONS (table_name 'chkreleased', key_encoding 'raw');

-- missing
DELETE FROM chk_p WHERE pk = 'Al';
DELETE FROM chk_c WHERE pk = 'Cid';
DELETE FROM chk_r WHERE rk LIKE '%Four%';
SELECT * FROM chk;
SELECT genre, name FROM chk_pointer WHERE actor = 'Al' ORDER BY name;
CALL chk_repair();
SELECT * FROM chk;
SELECT genre, name FROM chk_pointer WHERE actor = 'Al' ORDER BY name;

-- contradicting: an entry's contents, or the fact's, are others
UPDATE chk_c SET year = 1000 WHERE pk = 'Bob';
SET itable_fdw.catalog_lease = -1; UPDATE chk_facts SET year = 3000 WHERE rk = 'Three';
UPDATE chk_facts SET year = NULL WHERE rk = 'Four'; RESET itable_fdw.catalog_lease;
SELECT * FROM chk;
SELECT year FROM chk_covering WHERE actor = 'Bob';
CALL chk_repair();
SELECT * FROM chk;
SELECT year FROM chk_covering WHERE actor = 'Bob';

-- contradicting: an entry that names no fact, so that its fact is not found
DELETE FROM chk_p WHERE pk = 'Cid' RETURNING rk \gset
INSERT INTO chk_p VALUES ('Cid', :'rk', 'by hand');
SELECT * FROM chk;
SELECT genre, name FROM chk_pointer WHERE actor = 'Cid';
CALL itable_repair_index('chk_pointer');
SELECT * FROM chk;
SELECT genre, name FROM chk_pointer WHERE actor = 'Cid';

-- dangling: verified entries without their fact are wrong at once; of others a
-- writer may be about to delete them, so only unchanged ones are shown
SET itable_fdw.catalog_lease = -1; DELETE FROM chk_facts WHERE rk = 'One';
UPDATE chk_facts SET actors = '["Eve"]' WHERE rk = 'Three'; RESET itable_fdw.catalog_lease;
INSERT INTO chk_p VALUES ('no', 'body', 'by hand');
SET itable_fdw.repair_age = '1s';
SELECT pg_sleep(2.1);
SELECT * FROM chk;
RESET itable_fdw.repair_age;
SELECT index, problem, count(*) FROM chk WHERE index <> 'pointer' GROUP BY 1, 2 ORDER BY 1, 2;
CALL chk_repair();
SELECT count(*) FROM chk_p WHERE pk = 'no';
SET itable_fdw.repair_age = 0;
CALL chk_repair();
SELECT * FROM chk;
SELECT pk FROM chk_p ORDER BY pk;
RESET itable_fdw.repair_age;

-- unverified: a server to which the index is a pointer index does not verify
DROP FOREIGN TABLE chk_facts;
CREATE FOREIGN TABLE chk_unaware (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL,
  actors text[], year integer) SERVER chk_behind OPTIONS (table_name 'chkmovies');
CREATE FOREIGN TABLE chk_as_pointer (actor text OPTIONS (key 'partition', element_of 'actors') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL, genre text OPTIONS (key 'row') NOT NULL)
  SERVER chk_behind OPTIONS (table_name 'chkcovering', index_of 'chkmovies');
SET itable_fdw.catalog_lease = -1; INSERT INTO chk_unaware VALUES ('Comedy', 'Six', '{Al,Fay}', 6); RESET itable_fdw.catalog_lease;
SELECT * FROM chk;
SET itable_fdw.repair_age = 0;
SELECT * FROM chk;
CALL chk_repair();
SELECT * FROM chk;
SELECT actor, year FROM chk_covering WHERE name = 'Six' ORDER BY actor;
RESET itable_fdw.repair_age;

-- any number of problems, also in the transaction that has made some; what is
-- sent grows with the pages and the problems
INSERT INTO chk_movies SELECT 'Many', 'm' || i, ARRAY['a' || i % 7], i, NULL FROM generate_series(1, 300) i;
SELECT requests_of('SELECT * FROM itable_check_index(''chk_covering'')');
DELETE FROM chk_c WHERE pk = 'a0' AND rk LIKE 'm7"%';
SELECT requests_of('SELECT * FROM itable_check_index(''chk_covering'')');
SELECT requests_of('CALL itable_repair_index(''chk_covering'')');
DELETE FROM chk_c WHERE pk LIKE 'a%';
SELECT problem, index_partition_key, count(*) FROM itable_check_index('chk_covering') GROUP BY 1, 2 ORDER BY 1, 2;
DROP FOREIGN TABLE chk_as_pointer;
SET itable_fdw.catalog_lease = -1; DELETE FROM chk_unaware WHERE genre = 'Many' AND name > 'm2';
UPDATE chk_unaware SET actors = '{x,y}' WHERE genre = 'Many' AND name = 'm10'; RESET itable_fdw.catalog_lease;
SET itable_fdw.repair_age = 0;
BEGIN;
UPDATE chk_movies SET year = -year WHERE genre = 'Many';
CALL chk_repair();
COMMIT;
SELECT * FROM chk;
SELECT count(*), count(*) FILTER (WHERE year < 0) AS negative FROM chk_covering WHERE genre = 'Many';
RESET itable_fdw.repair_age;

-- who may, and of what
SELECT error_of('SELECT itable_check_index(''chk_movies'')'), error_of('CALL itable_repair_index(''chk_p'')');
SELECT error_of('SELECT itable_check_index(''pg_class'')'), error_of('CALL itable_repair_index(NULL)');
CREATE ROLE chk_other;
SET ROLE chk_other;
SELECT error_of('SELECT itable_check_index(''chk_pointer'')'), error_of('CALL itable_repair_index(''chk_pointer'')');
RESET ROLE;
DROP ROLE chk_other;

DROP VIEW chk;
DROP PROCEDURE chk_repair();
DROP SERVER chk_behind CASCADE;
CALL itable_drop_index('chk_pointer');
CALL itable_drop_index('chk_covering');
CALL itable_drop_index('chk_released');
SELECT itable_drop_table('chk_movies');
DROP FOREIGN TABLE chk_movies;
