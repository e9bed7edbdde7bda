-- Duplicate keys: 23505, and nothing of the transaction is visible afterwards.
CREATE FOREIGN TABLE dup_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'dupmovies');
CREATE FOREIGN TABLE dup_indexed (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'dupindexed');
SELECT itable_create_table('dup_movies'), itable_create_table('dup_indexed');
CALL itable_create_index('dup_indexed', 'dup_by_actor', '{actors}', include => '{year}');
CALL itable_create_index('dup_indexed', 'dup_by_year', '{year}');
-- every entity of an index table
CREATE FOREIGN TABLE dup_raw (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'dupbyactor', key_encoding 'raw');
INSERT INTO dup_movies VALUES ('A', 'there', '{x}', 1), ('B', 'there', '{x}', 1);
INSERT INTO dup_indexed SELECT * FROM dup_movies;

-- in one command, and in one transaction: at once
INSERT INTO dup_movies VALUES ('A', 'new'), ('A', 'newer'), ('A', 'new');
BEGIN;
INSERT INTO dup_movies VALUES ('A', 'new');
INSERT INTO dup_movies VALUES ('A', 'new');
ROLLBACK;
-- of a row the transaction has read to change it
BEGIN;
UPDATE dup_movies SET year = 2 WHERE genre = 'A' AND name = 'there';
INSERT INTO dup_movies VALUES ('A', 'there');
ROLLBACK;
-- a savepoint makes it harmless
BEGIN;
INSERT INTO dup_movies VALUES ('A', 'new');
SAVEPOINT a;
INSERT INTO dup_movies VALUES ('A', 'new');
ROLLBACK TO a;
INSERT INTO dup_movies VALUES ('A', 'newer');
ROLLBACK;
SELECT genre, name, year FROM dup_movies ORDER BY 1, 2;

-- against stored rows: at commit
SELECT error_of($$INSERT INTO dup_movies VALUES ('A', 'there')$$) AS not_yet;
INSERT INTO dup_movies VALUES ('A', 'there');
\echo :LAST_ERROR_SQLSTATE
BEGIN;
INSERT INTO dup_movies VALUES ('A', 'new');
INSERT INTO dup_movies VALUES ('A', 'there');
INSERT INTO dup_movies VALUES ('A', 'newer');
COMMIT;
\echo :LAST_ERROR_SQLSTATE
SELECT genre, name, year FROM dup_movies ORDER BY 1, 2;
-- several partitions, the first of them refused: still clean
BEGIN;
INSERT INTO dup_movies VALUES ('A', 'there'), ('B', 'new'), ('C', 'new');
COMMIT;
\echo :LAST_ERROR_SQLSTATE
SELECT genre, name, year FROM dup_movies ORDER BY 1, 2;
-- in a hundred rows, in the middle of a second batch
INSERT INTO dup_movies SELECT 'A', CASE i WHEN 50 THEN 'there' ELSE 'n' || i END FROM generate_series(1, 100) i;
SELECT genre, name, year FROM dup_movies ORDER BY 1, 2;
-- an UPDATE of a key
UPDATE dup_movies SET genre = 'A' WHERE genre = 'B';
SELECT genre, name, year FROM dup_movies ORDER BY 1, 2;

-- with indexes: any duplicate is found before anything is visible
CREATE VIEW dup_rows AS
  SELECT (SELECT string_agg(genre || '/' || name || '=' || year, ' ' ORDER BY genre, name) FROM dup_indexed) AS rows,
    (SELECT string_agg(actor || '/' || genre || name || '=' || year, ' ' ORDER BY actor, genre, name) FROM dup_by_actor) AS by_actor,
    (SELECT string_agg(year || '/' || genre || name, ' ' ORDER BY year, genre, name) FROM dup_by_year) AS by_year,
    (SELECT count(*) FROM dup_raw) AS entries;
INSERT INTO dup_indexed VALUES ('B', 'there', '{x,y}', 9);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM dup_rows;
BEGIN;
INSERT INTO dup_indexed VALUES ('A', 'new', '{x,y}', 3), ('B', 'new', '{y}', 4), ('C', 'new', '{z}', 5);
UPDATE dup_indexed SET year = 7, actors = '{y}' WHERE genre = 'A' AND name = 'there';
INSERT INTO dup_indexed VALUES ('B', 'there', '{z}', 6);
COMMIT;
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM dup_rows;
INSERT INTO dup_indexed SELECT 'A', CASE i WHEN 150 THEN 'there' ELSE 'n' || i END, ARRAY['x', 'n' || i % 7], i
  FROM generate_series(1, 200) i;
SELECT * FROM dup_rows;
-- and afterwards the keys can be used
INSERT INTO dup_indexed VALUES ('A', 'new', '{y}', 3), ('B', 'new', '{y}', 4);
DELETE FROM dup_indexed WHERE name = 'there';
INSERT INTO dup_indexed VALUES ('B', 'there', '{z}', 6);
SELECT * FROM dup_rows;
-- a key given free and taken in one transaction
BEGIN;
DELETE FROM dup_indexed WHERE name = 'there';
UPDATE dup_indexed SET name = 'there' WHERE genre = 'B' AND name = 'new';
COMMIT;
SELECT * FROM dup_rows;

DROP VIEW dup_rows;
CALL itable_drop_index('dup_by_actor');
CALL itable_drop_index('dup_by_year');
SELECT itable_drop_table('dup_movies'), itable_drop_table('dup_indexed');
DROP FOREIGN TABLE dup_movies, dup_indexed, dup_raw;
