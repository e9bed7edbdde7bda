-- Errors of the store at commit, several partitions, tables and servers.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
\set ECHO none
CREATE SERVER tgt_again FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER tgt_again OPTIONS (account :'account', account_key :'account_key');
CREATE SERVER tgt_wrong_key FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER tgt_wrong_key OPTIONS (account :'account', account_key 'd3Jvbmc=');
CREATE SERVER tgt_nobody FOREIGN DATA WRAPPER itable_fdw
  OPTIONS (endpoint 'http://127.0.0.1:1/devstoreaccount1', max_retries '0');
CREATE USER MAPPING FOR CURRENT_USER SERVER tgt_nobody OPTIONS (account :'account', account_key :'account_key');
CREATE SERVER tgt_no_mapping FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint');
\set ECHO all
CREATE FOREIGN TABLE tgt_one (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  note text
) SERVER store OPTIONS (table_name 'tgtone');
CREATE FOREIGN TABLE tgt_two (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  note text
) SERVER store OPTIONS (table_name 'tgttwo');
CREATE FOREIGN TABLE tgt_one_again (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  note text
) SERVER tgt_again OPTIONS (table_name 'tgtone');
CREATE FOREIGN TABLE tgt_missing (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'tgtmissing');
CREATE FOREIGN TABLE tgt_wrong_key_t (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL
) SERVER tgt_wrong_key OPTIONS (table_name 'tgtone');
CREATE FOREIGN TABLE tgt_nobody_t (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL
) SERVER tgt_nobody OPTIONS (table_name 'tgtone');
CREATE FOREIGN TABLE tgt_no_mapping_t (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL
) SERVER tgt_no_mapping OPTIONS (table_name 'tgtone');
SELECT itable_create_table('tgt_one'), itable_create_table('tgt_two');
INSERT INTO tgt_one VALUES ('A', 'there');

-- an unknown table, a wrong key, nobody there: reading, then writing
\set VERBOSITY terse
SELECT error_of('SELECT * FROM tgt_missing');
INSERT INTO tgt_missing VALUES ('A', 'x');
\echo :LAST_ERROR_SQLSTATE
SELECT error_of('SELECT * FROM tgt_wrong_key_t');
INSERT INTO tgt_wrong_key_t VALUES ('A', 'x');
\echo :LAST_ERROR_SQLSTATE
SELECT error_of('SELECT * FROM tgt_nobody_t');
INSERT INTO tgt_nobody_t VALUES ('A', 'x');
\echo :LAST_ERROR_SQLSTATE
SELECT error_of('SELECT * FROM tgt_no_mapping_t');
INSERT INTO tgt_no_mapping_t VALUES ('A', 'x');
\echo :LAST_ERROR_SQLSTATE
\set VERBOSITY default
-- with others in the transaction: the failure comes first, nothing is visible
BEGIN;
INSERT INTO tgt_missing VALUES ('A', 'x'), ('B', 'x');
\set VERBOSITY terse
COMMIT;
\set VERBOSITY default
SELECT count(*) FROM tgt_one;

-- several tables in one transaction, and tables of two servers
BEGIN;
INSERT INTO tgt_one VALUES ('A', 'both', 'one'), ('B', 'both', 'one');
INSERT INTO tgt_two VALUES ('A', 'both', 'two');
UPDATE tgt_one SET note = 'changed' WHERE name = 'there';
INSERT INTO tgt_one_again VALUES ('C', 'other server');
SELECT genre, name FROM tgt_one_again ORDER BY 1, 2;
COMMIT;
SELECT * FROM tgt_one ORDER BY 1, 2;
SELECT * FROM tgt_two;
-- two servers over one store: each sees what the other has committed
UPDATE tgt_one_again SET note = 'again' WHERE genre = 'C';
SELECT note FROM tgt_one WHERE genre = 'C';
-- the same row through both in one transaction: the second is a conflict
BEGIN;
UPDATE tgt_one SET note = 'first' WHERE genre = 'C';
UPDATE tgt_one_again SET note = 'second' WHERE genre = 'C';
\set VERBOSITY terse
COMMIT;
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE

-- rows that change their partition: what is taken away waits until what is new is there
INSERT INTO tgt_one VALUES ('X', 'moving', 'm'), ('Y', 'moving', 'in the way');
UPDATE tgt_one SET genre = 'Y' WHERE genre = 'X';
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM tgt_one WHERE genre IN ('X', 'Y') ORDER BY 1;
DELETE FROM tgt_one WHERE genre = 'Y';
UPDATE tgt_one SET genre = 'Y' WHERE genre = 'X';
SELECT * FROM tgt_one WHERE genre IN ('X', 'Y') ORDER BY 1;

-- multi_partition_commit = error
SET itable_fdw.multi_partition_commit = error;
SELECT FROM itable_stats_reset();
INSERT INTO tgt_one VALUES ('M', 'x'), ('N', 'x');
\echo :LAST_ERROR_SQLSTATE
BEGIN;
INSERT INTO tgt_one VALUES ('M', 'x');
INSERT INTO tgt_two VALUES ('M', 'x');
COMMIT;
SELECT sum(requests) AS sent FROM itable_stats();
INSERT INTO tgt_one VALUES ('M', 'x'), ('M', 'y');
UPDATE tgt_one SET note = 'm' WHERE genre = 'M';
UPDATE tgt_one SET genre = 'N' WHERE genre = 'M' AND name = 'x';
RESET itable_fdw.multi_partition_commit;
SELECT * FROM tgt_one WHERE genre IN ('M', 'N') ORDER BY 1, 2;
SET itable_fdw.multi_partition_commit = sometimes;

-- a table of the transaction is dropped or renamed before its commit
BEGIN;
INSERT INTO tgt_one VALUES ('R', 'renamed');
ALTER FOREIGN TABLE tgt_one RENAME TO tgt_uno;
INSERT INTO tgt_two VALUES ('R', 'dropped');
DROP FOREIGN TABLE tgt_two;
COMMIT;
SELECT * FROM tgt_uno WHERE genre = 'R';
CREATE FOREIGN TABLE tgt_two (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'tgttwo');
SELECT * FROM tgt_two;

SELECT itable_drop_table('tgt_uno'), itable_drop_table('tgt_two');
DROP FOREIGN TABLE tgt_uno, tgt_two, tgt_missing;
SET client_min_messages = warning;
DROP SERVER tgt_again, tgt_wrong_key, tgt_nobody, tgt_no_mapping CASCADE;
