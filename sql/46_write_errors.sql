-- What cannot be written: SQLSTATE, message, and that nothing was half-sent.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE FOREIGN TABLE err_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row'),
  a text, b text, c bytea, tags text[], released date, seen timestamptz, r real
) SERVER store OPTIONS (table_name 'errmovies');
CREATE FOREIGN TABLE err_raw (
  genre text OPTIONS (key 'partition'),
  name text OPTIONS (key 'row'),
  a text
) SERVER store OPTIONS (table_name 'errmovies', key_encoding 'raw');
SELECT itable_create_table('err_movies');
INSERT INTO err_movies VALUES ('A', 'there');
SELECT FROM itable_stats_reset();

-- refused by the statement, before anything is sent
SELECT error_of($$INSERT INTO err_movies VALUES ('A', NULL)$$);
SELECT error_of($$INSERT INTO err_movies VALUES (NULL, 'x')$$);
SELECT error_of($$INSERT INTO err_movies VALUES ('A', repeat('x', 513))$$);
SELECT error_of($$INSERT INTO err_movies VALUES ('A', repeat('/', 200))$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, a) VALUES ('A', 'x', repeat('x', 32769))$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, a) VALUES ('A', 'x', repeat('€', 32769))$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, c) VALUES ('A', 'x', decode(repeat('00', 65537), 'hex'))$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, tags) VALUES ('A', 'x', array_fill('tag'::text, ARRAY[11000]))$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, tags) VALUES ('A', 'x', '{{a},{b}}')$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, released) VALUES ('A', 'x', 'infinity')$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, released) VALUES ('A', 'x', '1600-12-31')$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, seen) VALUES ('A', 'x', '-infinity')$$);
SELECT error_of($$INSERT INTO err_movies (genre, name, seen) VALUES ('A', 'x', '10000-01-02 00:00:00Z')$$);
SELECT error_of($$INSERT INTO err_raw VALUES ('A', 'Face/Off')$$);
SELECT error_of($$INSERT INTO err_raw VALUES ('#1', 'x')$$);
SELECT error_of($$INSERT INTO err_raw VALUES (E'a\tb', 'x')$$);
SELECT error_of($$UPDATE err_movies SET tags = '{{a}}'$$);
SELECT error_of($$UPDATE err_raw SET name = 'a?b'$$);
-- 17 properties of 64 KiB are more than an entity holds
CREATE FOREIGN TABLE err_wide (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  p1 text, p2 text, p3 text, p4 text, p5 text, p6 text, p7 text, p8 text, p9 text,
  p10 text, p11 text, p12 text, p13 text, p14 text, p15 text, p16 text, p17 text
) SERVER store OPTIONS (table_name 'errmovies');
PREPARE wide(int) AS INSERT INTO err_wide SELECT 'W', 'wide', x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x
  FROM repeat('x', $1) x;
SELECT error_of('EXECUTE wide(32768)');
SELECT operation, requests FROM itable_stats() WHERE requests > 0 AND operation <> 'query';

-- what is just small enough arrives, in batches of no more than 4 MiB
INSERT INTO err_movies (genre, name, a, b) VALUES
  ('A', repeat('x', 512), repeat('x', 32768), repeat('€', 10));
SELECT length(name), length(a), length(b) FROM err_movies WHERE genre = 'A' AND name = repeat('x', 512);
EXECUTE wide(30000);
SELECT FROM itable_stats_reset();
INSERT INTO err_movies (genre, name, a, b)
  SELECT 'L', 'large ' || i, repeat('x', 32000), repeat('y', 32000) FROM generate_series(1, 80) i;
SELECT operation, requests BETWEEN 2 AND 5 AS split FROM itable_stats() WHERE requests > 0;
SELECT count(*), sum(length(a) + length(b)) FROM err_movies WHERE genre = 'L';
DELETE FROM err_movies WHERE genre <> 'A' OR length(name) > 10;
DEALLOCATE wide;

-- statements that are refused whatever they write
SELECT error_of($$INSERT INTO err_movies VALUES ('A', 'x') ON CONFLICT (genre, name) DO NOTHING$$);
SELECT error_of($$INSERT INTO err_movies VALUES ('A', 'x') ON CONFLICT (genre, name) DO UPDATE SET a = 'y'$$);
BEGIN;
INSERT INTO err_movies VALUES ('A', 'prepared');
PREPARE TRANSACTION 'err';
BEGIN;
SELECT count(*) FROM err_movies;
PREPARE TRANSACTION 'err';
COMMIT PREPARED 'err';
ALTER FOREIGN TABLE err_wide OPTIONS (ADD updatable 'false');
SELECT error_of($$INSERT INTO err_wide VALUES ('A', 'x')$$), error_of($$UPDATE err_wide SET p1 = 'x'$$),
  error_of($$DELETE FROM err_wide$$);
COPY err_wide (genre, name) FROM stdin;
A	x
\.
CALL itable_create_index('err_movies', 'err_by_a', '{a}');
INSERT INTO err_by_a VALUES ('a', 'b', 'c');
SELECT error_of($$UPDATE err_by_a SET a = 'x'$$), error_of($$DELETE FROM err_by_a$$);
CALL itable_drop_index('err_by_a');
SELECT is_insertable_into FROM information_schema.tables WHERE table_name IN ('err_movies', 'err_wide') ORDER BY table_name;
SELECT genre, name FROM err_movies;

SELECT itable_drop_table('err_movies');
DROP FOREIGN TABLE err_movies, err_raw, err_wide;
