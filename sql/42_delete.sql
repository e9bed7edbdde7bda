-- DELETE: RETURNING, USING, all rows, and the same key written again.
CREATE FOREIGN TABLE del_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'delmovies');
CREATE FOREIGN TABLE del_others (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL,
  studio text
) SERVER store OPTIONS (table_name 'delmovies');
SELECT itable_create_table('del_movies');
INSERT INTO del_movies SELECT 'Genre ' || i % 3, 'Movie ' || i, ARRAY['A' || i % 2, 'B'], 1990 + i
  FROM generate_series(1, 12) i;
CREATE FUNCTION sent() RETURNS TABLE (operation text, requests bigint)
  LANGUAGE sql AS $$
  SELECT operation, sum(requests)::bigint FROM itable_stats()
  WHERE requests > 0 GROUP BY operation ORDER BY operation COLLATE "C" $$;

DELETE FROM del_movies WHERE genre = 'Genre 0' AND name = 'Movie 3' RETURNING *;
DELETE FROM del_movies WHERE year > 2000 RETURNING name, year - 1990 AS number, tableoid::regclass;
DELETE FROM del_movies WHERE genre = 'Nothing' RETURNING *;
SELECT genre, name FROM del_movies ORDER BY year;

-- with conditions that only PostgreSQL knows, and joins; a row met twice is one
CREATE TABLE del_list (number integer);
INSERT INTO del_list VALUES (1), (1), (2), (99);
DELETE FROM del_movies m USING del_list l WHERE m.name = 'Movie ' || l.number RETURNING m.name;
DELETE FROM del_movies a USING del_movies b
  WHERE a.genre = 'Genre 1' AND b.genre = 'Genre 2' AND a.year < b.year;
DELETE FROM del_movies WHERE length(genre || name) > 14 AND random() < 2 RETURNING name;
SELECT name FROM del_movies ORDER BY year;

-- requests: a page read, a batch per partition
SELECT FROM itable_stats_reset();
DELETE FROM del_movies WHERE genre = 'Genre 0';
SELECT * FROM sent();

-- delete and insert the same key: one replace, and nothing of the old row stays
UPDATE del_others SET studio = 'MGM';
BEGIN;
DELETE FROM del_movies WHERE name = 'Movie 8';
SELECT count(*) FROM del_movies WHERE genre = 'Genre 2' AND name = 'Movie 8';
INSERT INTO del_movies (genre, name) VALUES ('Genre 2', 'Movie 8');
SELECT * FROM del_movies WHERE genre = 'Genre 2' AND name = 'Movie 8';
SELECT FROM itable_stats_reset();
COMMIT;
SELECT * FROM sent();
SELECT * FROM del_movies WHERE genre = 'Genre 2' AND name = 'Movie 8';
SELECT pk, rk, studio FROM del_others ORDER BY rk;

-- insert and delete in one transaction: nothing is sent
BEGIN;
INSERT INTO del_movies (genre, name) VALUES ('Genre 9', 'Short'), ('Genre 9', 'Shorter');
DELETE FROM del_movies WHERE genre = 'Genre 9' RETURNING *;
SELECT FROM itable_stats_reset();
COMMIT;
SELECT * FROM sent();
-- delete, insert, delete
BEGIN;
DELETE FROM del_movies WHERE name = 'Movie 8';
INSERT INTO del_movies (genre, name, year) VALUES ('Genre 2', 'Movie 8', 1);
DELETE FROM del_movies WHERE name = 'Movie 8' RETURNING year;
DELETE FROM del_movies WHERE name = 'Movie 8' RETURNING year;
COMMIT;
SELECT count(*) FROM del_movies WHERE name = 'Movie 8';

-- all rows, more than a page and a batch
INSERT INTO del_movies SELECT 'Many', 'M' || i FROM generate_series(1, 1234) i;
SELECT FROM itable_stats_reset();
DELETE FROM del_movies;
SELECT operation, requests FROM sent() WHERE operation <> 'query';
SELECT count(*) FROM del_movies;
SELECT count(*) FROM del_others;

-- through an index: entries go too
CALL itable_create_index('del_movies', 'del_by_actor', '{actors}', include => '{year}');
INSERT INTO del_movies SELECT 'G', 'M' || i, ARRAY['A' || i % 2, 'B'], i FROM generate_series(1, 6) i;
DELETE FROM del_movies WHERE 'A1' = ANY (actors) RETURNING name;
SELECT actor, name, year FROM del_by_actor ORDER BY actor, name;
DELETE FROM del_movies;
SELECT count(*) FROM del_by_actor;
CREATE FOREIGN TABLE del_raw_entries (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'delbyactor', key_encoding 'raw');
SELECT count(*) AS entries_left FROM del_raw_entries;

CALL itable_drop_index('del_by_actor');
SELECT itable_drop_table('del_movies');
DROP FOREIGN TABLE del_movies, del_others, del_raw_entries;
DROP TABLE del_list;
DROP FUNCTION sent();
