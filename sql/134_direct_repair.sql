-- A lookup mends an old entry whose fact is gone; but with insert_mode 'direct' an
-- INSERT that is under way looks just so, and its entry must stay.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
\set ECHO none
CREATE SERVER dir_behind FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER dir_behind OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE FOREIGN TABLE dir_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[]
) SERVER store OPTIONS (table_name 'dirmovies');
SELECT itable_create_table('dir_movies');
CALL itable_create_index('dir_movies', 'dir_actors', key => '{actors}');
CREATE FOREIGN TABLE dir_facts (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL)
  SERVER dir_behind OPTIONS (table_name 'dirmovies', key_encoding 'raw');
CREATE FOREIGN TABLE dir_entries (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL)
  SERVER dir_behind OPTIONS (table_name 'diractors', key_encoding 'raw');
SET itable_fdw.repair_age = 0;
-- the entry without its fact: what a direct INSERT has sent before its commit point
ALTER FOREIGN TABLE dir_movies OPTIONS (ADD insert_mode 'direct');
INSERT INTO dir_movies VALUES ('G', 'one', '{A}');
SET itable_fdw.catalog_lease = -1; DELETE FROM dir_facts WHERE rk = 'one'; RESET itable_fdw.catalog_lease;
SELECT genre, name FROM dir_actors WHERE actor = 'A';
SELECT name FROM dir_movies WHERE 'A' = ANY (actors);
SELECT pk FROM dir_entries;
-- the same where INSERTs reserve
ALTER FOREIGN TABLE dir_movies OPTIONS (SET insert_mode 'reserve');
SELECT genre, name FROM dir_actors WHERE actor = 'A';
SELECT pk FROM dir_entries;
RESET itable_fdw.repair_age;
DROP SERVER dir_behind CASCADE;
CALL itable_drop_index('dir_actors');
SELECT itable_drop_table('dir_movies');
DROP FOREIGN TABLE dir_movies;
