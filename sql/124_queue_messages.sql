-- Messages of the Queue service tell where queued work has come up.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv queue_endpoint ITABLE_TEST_QUEUE_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
\set ECHO none
CREATE SERVER quem FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint :'endpoint', queue_endpoint :'queue_endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER quem OPTIONS (account :'account', account_key :'account_key');
\set ECHO all
CREATE FOREIGN TABLE quem_movies (
  genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, year integer
) SERVER quem OPTIONS (table_name 'quemmovies');
SELECT itable_create_table('quem_movies');
CALL itable_create_index('quem_movies', 'quem_year', '{year}', maintenance => 'queued');
CREATE FUNCTION quem_requests() RETURNS TABLE (operation text, requests bigint) LANGUAGE sql AS
  $$SELECT operation, requests FROM itable_stats() WHERE server = 'quem' AND requests > 0 AND operation <> 'table' ORDER BY 1$$;

-- the first message makes the queue; then one a transaction and table
INSERT INTO quem_movies VALUES ('first', 'm', 1);
SELECT itable_process_queue('quem', 100);
SELECT itable_stats_reset();
INSERT INTO quem_movies SELECT 'G' || i % 3, 'm' || i, i FROM generate_series(1, 9) i;
SELECT * FROM quem_requests();
-- nothing concerns the index: no message
UPDATE quem_movies SET year = year WHERE name = 'm1';
SELECT itable_stats_reset();
UPDATE quem_movies SET year = year WHERE genre = 'G1';
SELECT * FROM quem_requests();

-- messages lead to the partitions; the scan finds the rest, here nothing
SELECT itable_stats_reset();
SELECT itable_process_queue('quem', 100);
SELECT operation, requests FROM quem_requests() WHERE operation IN ('queue', 'query');
SELECT name, year FROM quem_year ORDER BY year;
SELECT itable_stats_reset();
SELECT itable_process_queue('quem', 100);
SELECT * FROM quem_requests();

-- keys of any kind; nobody to answer the message; a lost message loses nothing
INSERT INTO quem_movies VALUES (E'a\nb', 'line', 100), ('', 'empty', 101), ('é/?', 'odd', 102);
SELECT itable_process_queue('quem', 100);
SELECT name, year FROM quem_year WHERE year >= 100 ORDER BY year;
ALTER SERVER quem OPTIONS (SET queue_endpoint 'http://127.0.0.1:1/nobody');
INSERT INTO quem_movies VALUES ('G0', 'unheard', 200);
SELECT itable_process_queue('quem', 100);
SELECT name, year FROM quem_year WHERE year >= 200;
-- what stands there need not be ours
\set ECHO none
ALTER SERVER quem OPTIONS (SET queue_endpoint :'endpoint');
\set ECHO all
INSERT INTO quem_movies VALUES ('G0', 'wrong service', 201);
SELECT itable_process_queue('quem', 100);
SET itable_fdw.allowed_hosts = '127.0.0.1';
ALTER SERVER quem OPTIONS (SET queue_endpoint 'http://elsewhere.invalid/x');
INSERT INTO quem_movies VALUES ('G0', 'not allowed', 202);
SELECT itable_process_queue('quem', 100);
RESET itable_fdw.allowed_hosts;
SELECT name, year FROM quem_year WHERE year >= 200 ORDER BY year;
DROP FUNCTION quem_requests();
CALL itable_drop_index('quem_year');
SELECT itable_drop_table('quem_movies');
DROP SERVER quem CASCADE;
