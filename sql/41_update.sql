-- UPDATE: what changes, what stays, and how rows move to another key.
CREATE FOREIGN TABLE upd_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer,
  note text
) SERVER store OPTIONS (table_name 'updmovies');
-- another program's view of the same table in the store
CREATE FOREIGN TABLE upd_others (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL,
  studio text,
  budget bigint,
  note text
) SERVER store OPTIONS (table_name 'updmovies');
SELECT itable_create_table('upd_movies');
INSERT INTO upd_movies VALUES
  ('Action', 'Heat', '{Al,Bob}', 1995, 'long'),
  ('Action', 'Ronin', '{Bob}', 1998, NULL),
  ('Drama', 'Fargo', NULL, 1996, 'snow'),
  ('Drama', 'Se7en', '{}', 1995, '');

-- properties, NULL removes, arrays
UPDATE upd_movies SET year = 2000 WHERE genre = 'Action' AND name = 'Heat';
UPDATE upd_movies SET note = NULL WHERE genre = 'Action' AND name = 'Heat' RETURNING *;
UPDATE upd_movies SET actors = array_append(actors, 'New'), year = year + 1 WHERE year = 1995
  RETURNING name, actors, year;
UPDATE upd_movies SET actors = NULL WHERE name = 'Ronin';
SELECT * FROM upd_movies ORDER BY genre, name;
SELECT rk, note FROM upd_others WHERE note IS NULL ORDER BY rk;

-- requests: one to read the partition, one batch to write it; nothing found, nothing written
CREATE FUNCTION sent() RETURNS TABLE (operation text, requests bigint)
  LANGUAGE sql AS $$
  SELECT operation, sum(requests)::bigint FROM itable_stats()
  WHERE requests > 0 GROUP BY operation ORDER BY operation COLLATE "C" $$;
SELECT FROM itable_stats_reset();
UPDATE upd_movies SET year = year WHERE genre = 'Action';
SELECT * FROM sent();
SELECT FROM itable_stats_reset();
UPDATE upd_movies SET year = 0 WHERE genre = 'Nothing';
SELECT * FROM sent();

-- undeclared properties survive, also a change of the key
UPDATE upd_others SET studio = 'Regency', budget = 60000000000 WHERE rk = 'Heat';
UPDATE upd_movies SET note = 'seen' WHERE name = 'Heat';
SELECT * FROM upd_others WHERE rk = 'Heat';
UPDATE upd_movies SET genre = 'Crime', name = 'HEAT' WHERE name = 'Heat' RETURNING genre, name, note;
SELECT * FROM upd_others WHERE rk ILIKE 'heat';
SELECT genre, name, actors, year, note FROM upd_movies ORDER BY genre, name;
SELECT * FROM upd_movies WHERE genre = 'Action' AND name = 'Heat';
-- key there and back in one transaction; a key taken over from another row
BEGIN;
UPDATE upd_movies SET genre = 'X' WHERE genre = 'Crime';
UPDATE upd_movies SET genre = 'Crime' WHERE genre = 'X';
COMMIT;
SELECT * FROM upd_others WHERE rk = 'HEAT';
BEGIN;
UPDATE upd_movies SET name = 'Old Fargo' WHERE name = 'Fargo';
UPDATE upd_movies SET name = 'Fargo' WHERE name = 'Se7en';
COMMIT;
SELECT name, actors, note FROM upd_movies WHERE genre = 'Drama' ORDER BY name;
-- to a key that is there: in the transaction, and in the store
UPDATE upd_movies SET name = 'Fargo' WHERE genre = 'Drama';
BEGIN;
UPDATE upd_movies SET name = 'Fargo' WHERE name = 'Old Fargo';
COMMIT;
SELECT name, actors, note FROM upd_movies WHERE genre = 'Drama' ORDER BY name;

-- joins
CREATE TABLE upd_years (name text, year integer);
INSERT INTO upd_years VALUES ('Fargo', 11), ('Fargo', 12), ('Ronin', 13), ('Unknown', 14);
UPDATE upd_movies m SET year = y.year FROM upd_years y WHERE m.name = y.name AND m.genre = 'Action'
  RETURNING m.name, m.year, y.*;
-- the same row twice in one command: the first change counts, as in a plain table
WITH u AS (UPDATE upd_movies m SET year = m.year + 1 FROM upd_years y WHERE m.name = y.name
  RETURNING m.name) SELECT name, count(*) FROM u GROUP BY name ORDER BY name;
UPDATE upd_movies a SET note = b.name FROM upd_movies b
  WHERE a.genre = 'Drama' AND b.genre = 'Action';
SELECT name, year - 1996 AS grown, note FROM upd_movies ORDER BY name;

-- several updates of one row in a transaction are one write
BEGIN;
UPDATE upd_movies SET year = 1 WHERE name = 'Ronin';
UPDATE upd_movies SET year = year + 1 WHERE name = 'Ronin';
UPDATE upd_movies SET year = year * 10 WHERE name = 'Ronin' RETURNING year;
SELECT FROM itable_stats_reset();
COMMIT;
SELECT * FROM sent();
SELECT year FROM upd_movies WHERE genre = 'Action' AND name = 'Ronin';

-- keys cannot become NULL
UPDATE upd_movies SET name = NULL WHERE name = 'Ronin';
-- WHERE CURRENT OF is refused
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM upd_movies FOR UPDATE;
FETCH 1 FROM c \g /dev/null
UPDATE upd_movies SET year = 0 WHERE CURRENT OF c;
ROLLBACK;

SELECT itable_drop_table('upd_movies');
DROP FOREIGN TABLE upd_movies, upd_others;
DROP TABLE upd_years;
DROP FUNCTION sent();
