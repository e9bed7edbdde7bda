-- Errors that only an unusual call or caller meets.
CREATE FOREIGN TABLE rare (
  p text OPTIONS (key 'partition') NOT NULL,
  k int OPTIONS (key 'row') NOT NULL,
  tags text[],
  note text,
  etag text OPTIONS (system 'etag')
) SERVER store;
SELECT itable_create_table('rare');

-- what cannot be in an index
CALL itable_create_index('rare', 'rare_i', key => '{tags,NULL}');
CALL itable_create_index('rare', 'rare_i', key => '{tags}', include => '{NULL}');
CALL itable_create_index('rare', 'rare_i', key => '{etag}');
CALL itable_create_index('rare', 'rare_i', key => '{tags}', include => '{etag}');
SELECT count(*) FROM itable_indexes WHERE base = 'rare'::regclass;

-- entries of colocated indexes that do not fit with their row: neither is there
CALL itable_create_index('rare', 'rare_tags', key => '{tags}', include => '{note}', colocated => true);
INSERT INTO rare SELECT 'p', 1, array_agg('t' || i), 'many' FROM generate_series(1, 120) i;
INSERT INTO rare SELECT 'p', 2, array_agg('t' || i), repeat('x', 30000) FROM generate_series(1, 90) i;
INSERT INTO rare SELECT 'p', 3, array_agg('t' || i), repeat(chr(8364), 30000) FROM generate_series(1, 90) i;
SELECT k, cardinality(tags), length(note) FROM rare ORDER BY k;
SELECT count(*) FROM rare WHERE 't90' = ANY (tags);
SELECT * FROM itable_check_index('rare_tags');

-- one transaction writes a table as one user of the store
CREATE ROLE rare_writer;
GRANT USAGE ON FOREIGN SERVER store TO rare_writer;
GRANT ALL ON rare TO rare_writer;
\getenv account ITABLE_TEST_ACCOUNT
\getenv key ITABLE_TEST_KEY
CREATE USER MAPPING FOR rare_writer SERVER store OPTIONS (account :'account', account_key :'key');
BEGIN;
INSERT INTO rare VALUES ('q', 1);
SET LOCAL ROLE rare_writer;
INSERT INTO rare VALUES ('q', 2);
ROLLBACK;
BEGIN;
SET LOCAL ROLE rare_writer;
INSERT INTO rare VALUES ('q', 3);
COMMIT;
SELECT p, k FROM rare WHERE p = 'q';

-- a token's file that is not there is an error when it is needed, and names no path
CREATE SERVER rare_tokens FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'https://127.0.0.1:9');
CREATE USER MAPPING FOR CURRENT_USER SERVER rare_tokens OPTIONS (account 'a', bearer_token_file '/nowhere/token');
CREATE FOREIGN TABLE rare_token (p text OPTIONS (key 'partition'), k text OPTIONS (key 'row')) SERVER rare_tokens;
SELECT * FROM rare_token;

DROP SERVER rare_tokens CASCADE;
DROP USER MAPPING FOR rare_writer SERVER store;
REVOKE ALL ON rare FROM rare_writer;
REVOKE ALL ON FOREIGN SERVER store FROM rare_writer;
DROP ROLE rare_writer;
DROP FOREIGN TABLE rare CASCADE;
