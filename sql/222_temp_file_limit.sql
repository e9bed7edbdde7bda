-- A temporary file that may not grow is a clean error: nothing was sent, and a
-- savepoint brings the transaction back.
CREATE FOREIGN TABLE tf_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  note text
) SERVER store OPTIONS (table_name 'tfmovies');
SELECT itable_create_table('tf_movies');
CREATE VIEW tf_sent AS SELECT coalesce(sum(requests), 0) AS sent FROM itable_stats()
  WHERE operation IN ('batch', 'insert', 'update', 'merge', 'delete');
SET itable_fdw.write_buffer = '64kB';
SET temp_file_limit = '256kB';
SELECT itable_stats_reset();
\set VERBOSITY sqlstate
INSERT INTO tf_movies SELECT 'G', 'M' || i, repeat('x', 10000) FROM generate_series(1, 100) i;
SELECT * FROM tf_sent;
BEGIN;
INSERT INTO tf_movies SELECT 'G', 'A' || i, repeat('a', 5000) FROM generate_series(1, 20) i;
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
SAVEPOINT a;
INSERT INTO tf_movies SELECT 'G', 'M' || i, repeat('x', 10000) FROM generate_series(1, 100) i;
ROLLBACK TO a;
SELECT count(*), min(length(note)), max(length(note)) FROM tf_movies;
-- what was rolled back keeps its room until the transaction ends
SET temp_file_limit = -1;
UPDATE tf_movies SET note = note || 'b' WHERE name = 'A1';
INSERT INTO tf_movies SELECT 'G', 'M' || i, repeat('y', 10000) FROM generate_series(1, 100) i;
SELECT left(name, 1) AS name, count(*), min(length(note)), max(length(note)), count(DISTINCT note) FROM tf_movies
  GROUP BY 1 ORDER BY 1;
SELECT * FROM tf_sent;
COMMIT;
SELECT left(name, 1) AS name, count(*), min(length(note)), max(length(note)), count(DISTINCT note) FROM tf_movies
  GROUP BY 1 ORDER BY 1;
SELECT sent > 0 AS sent FROM tf_sent;
-- a scan for UPDATE keeps what it reads
SET temp_file_limit = '256kB';
UPDATE tf_movies SET note = 'short';
SELECT count(*) FROM tf_movies WHERE note = 'short';
RESET temp_file_limit;
UPDATE tf_movies SET note = 'short';
SELECT count(*) FROM tf_movies WHERE note = 'short';
