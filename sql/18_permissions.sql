-- Who may do what: credentials, ownership, views, hosts.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE ROLE itable_per_user;
CREATE ROLE itable_per_reader;
GRANT CREATE, USAGE ON SCHEMA public TO itable_per_user, itable_per_reader;
GRANT USAGE ON FOREIGN SERVER store TO itable_per_user;
CREATE FOREIGN TABLE per (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store;
SELECT itable_create_table('per');
INSERT INTO per VALUES ('a', 'b', 1);
GRANT SELECT ON per TO itable_per_user;

-- a user without a mapping, without credentials, with them
SET ROLE itable_per_user;
SELECT * FROM per;
CREATE USER MAPPING FOR CURRENT_USER SERVER store OPTIONS (account 'someone');
SELECT * FROM per;
INSERT INTO per VALUES ('a', 'c', 1);
\set ECHO none
ALTER USER MAPPING FOR CURRENT_USER SERVER store OPTIONS (SET account :'account', ADD account_key :'account_key');
\set ECHO all
SELECT * FROM per;
RESET ROLE;
ALTER USER MAPPING FOR itable_per_user SERVER store OPTIONS (DROP account_key);
SET ROLE itable_per_user;
SELECT * FROM per;
RESET ROLE;
ALTER USER MAPPING FOR itable_per_user SERVER store OPTIONS (ADD credentials_required 'false');
SET ROLE itable_per_user;
SELECT left(error_of('SELECT * FROM per'), 5);

-- what needs the table's owner
SELECT itable_create_table('per');
SELECT itable_drop_table('per');
CALL itable_create_index('per', 'per_by_n', key => '{n}');
INSERT INTO per VALUES ('x', 'y', 1);
SELECT itable_create_table('pg_class');
RESET ROLE;

-- a view is read with its owner's mapping
CREATE VIEW per_view AS SELECT * FROM per;
CREATE VIEW per_invoker WITH (security_invoker) AS SELECT * FROM per;
GRANT SELECT ON per_view, per_invoker TO itable_per_reader;
SET ROLE itable_per_reader;
SELECT * FROM per_view;
SELECT * FROM per_invoker;
SELECT * FROM per;
RESET ROLE;

-- passwords are seen by their owner only
SELECT count(*) FILTER (WHERE umoptions IS NOT NULL) FROM pg_user_mappings WHERE srvname = 'store' AND usename = 'itable_per_user';
SET ROLE itable_per_reader;
SELECT count(*) FILTER (WHERE umoptions IS NOT NULL) FROM pg_user_mappings WHERE srvname = 'store' AND usename <> 'itable_per_reader';
SET itable_fdw.allowed_hosts = 'x';
RESET ROLE;

-- allowed hosts: compared without case, whatever the port
SET itable_fdw.allowed_hosts = 'other.example, LOCALHOST, 127.0.0.1,[::1]';
SELECT n FROM per;
SET itable_fdw.allowed_hosts = 'other.example,127.0.0.11,127.0.0';
\set VERBOSITY sqlstate
SELECT n FROM per;
INSERT INTO per VALUES ('a', 'z', 1);
SELECT itable_create_table('per');
\set VERBOSITY default
CREATE SERVER per_srv FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://Forbidden.Example:10/x');
CREATE USER MAPPING FOR CURRENT_USER SERVER per_srv OPTIONS (account 'x');
CREATE FOREIGN TABLE per_far (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL) SERVER per_srv;
SELECT * FROM per_far;
EXPLAIN (COSTS OFF) SELECT * FROM per_far;
RESET itable_fdw.allowed_hosts;
SELECT n FROM per;
DROP SERVER per_srv CASCADE;
DROP USER MAPPING FOR itable_per_user SERVER store;
SELECT itable_drop_table('per');
DROP FOREIGN TABLE per CASCADE;
REVOKE ALL ON FOREIGN SERVER store FROM itable_per_user;
REVOKE ALL ON SCHEMA public FROM itable_per_user, itable_per_reader;
DROP ROLE itable_per_user, itable_per_reader;
