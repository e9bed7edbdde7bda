-- A transaction sees its own writes in every kind of scan (G4).
CREATE FOREIGN TABLE own_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  director text,
  year integer
) SERVER store OPTIONS (table_name 'ownmovies');
SELECT itable_create_table('own_movies');
CALL itable_create_index('own_movies', 'own_by_actor', '{actors}');
CALL itable_create_index('own_movies', 'own_by_director', '{director}', include => '{year}');
INSERT INTO own_movies
  SELECT 'G' || i % 3, 'M' || i, ARRAY['A' || i % 4, 'All'], 'D' || i % 5, 1990 + i
  FROM generate_series(0, 19) i;
-- the same rows in a plain table; every difference is printed
CREATE TABLE own_plain AS SELECT * FROM own_movies;
CREATE FUNCTION own_differences(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  columns text;
BEGIN
  FOREACH columns IN ARRAY ARRAY['genre, name', 'actors, director, name', 'name, year'] LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %L || row_to_json(x) FROM ((SELECT ''extra'' AS what, %2$s FROM own_movies WHERE %3$s
         EXCEPT ALL SELECT ''extra'', %2$s FROM own_plain WHERE %3$s)
       UNION ALL (SELECT ''missing'' AS what, %2$s FROM own_plain WHERE %3$s
         EXCEPT ALL SELECT ''missing'', %2$s FROM own_movies WHERE %3$s)) x',
      condition || ': ', columns, condition);
  END LOOP;
END $$;
CREATE VIEW own_check AS
  SELECT c AS condition, d AS difference
  FROM unnest(ARRAY[$$genre = 'G1' AND name = 'M1'$$, $$genre = 'G1' AND name = 'N1'$$,
    $$genre = 'G1'$$, $$genre = 'G1' AND name > 'M13'$$, $$name = 'M2'$$, $$year > 2000$$,
    $$genre IN ('G0', 'G9')$$, $$genre BETWEEN 'G1' AND 'G9'$$, $$'A1' = ANY (actors)$$,
    $$'New' = ANY (actors)$$, $$actors @> '{All,A2}'$$, $$actors && '{A3,New}'$$,
    $$director = 'D1'$$, $$director = 'D9'$$, $$director = 'D1' AND year > 2000$$, 'true']) c,
    own_differences(c) d;
SELECT * FROM own_check;
SELECT c, substring(e from 'Access.*') AS access
  FROM unnest(ARRAY[$$'A1' = ANY (actors)$$, $$director = 'D1'$$, $$genre = 'G1'$$]) c,
    explain_counts('SELECT name, year FROM own_movies WHERE ' || c) e WHERE e LIKE '%Access%';

-- inserts, updates of indexed and other columns, keys, deletes, one after the other
BEGIN;
INSERT INTO own_movies VALUES ('G1', 'N1', '{A1,New}', 'D9', 2020), ('G9', 'N2', '{All}', 'D1', 2021);
INSERT INTO own_plain VALUES ('G1', 'N1', '{A1,New}', 'D9', 2020), ('G9', 'N2', '{All}', 'D1', 2021);
SELECT * FROM own_check;
UPDATE own_movies SET year = year + 100 WHERE genre = 'G1';
UPDATE own_plain SET year = year + 100 WHERE genre = 'G1';
SELECT * FROM own_check;
UPDATE own_movies SET actors = array_append(actors, 'New'), director = 'D9' WHERE name LIKE 'M1%';
UPDATE own_plain SET actors = array_append(actors, 'New'), director = 'D9' WHERE name LIKE 'M1%';
SELECT * FROM own_check;
UPDATE own_movies SET genre = 'G9', actors = NULL WHERE 'A1' = ANY (actors);
UPDATE own_plain SET genre = 'G9', actors = NULL WHERE 'A1' = ANY (actors);
SELECT * FROM own_check;
DELETE FROM own_movies WHERE director = 'D1' OR name = 'N1';
DELETE FROM own_plain WHERE director = 'D1' OR name = 'N1';
SELECT * FROM own_check;
INSERT INTO own_movies VALUES ('G1', 'N1', '{A2}', 'D1', 1);
INSERT INTO own_plain VALUES ('G1', 'N1', '{A2}', 'D1', 1);
SELECT * FROM own_check;

-- the index tables themselves
SELECT actor, genre, name FROM own_by_actor WHERE actor = 'A2' ORDER BY name;
SELECT count(*) = (SELECT sum(cardinality(actors)) FROM own_plain) AS same FROM own_by_actor;
SELECT director, name, year FROM own_by_director WHERE director = 'D1';
SELECT count(*) = (SELECT count(*) FROM own_plain) AS same FROM own_by_director;

-- joins, aggregates, LIMIT, subqueries, set operations
SELECT a.name, b.name FROM own_movies a JOIN own_movies b ON a.director = b.director AND a.name < b.name
  WHERE a.genre = 'G1' ORDER BY 1, 2;
SELECT p.name FROM own_plain p JOIN own_movies m USING (genre, name) WHERE m.year <> p.year;
SELECT genre, count(*), sum(year) FROM own_movies GROUP BY genre
  EXCEPT SELECT genre, count(*), sum(year) FROM own_plain GROUP BY genre;
SELECT count(*) FROM (SELECT * FROM own_movies LIMIT 5) x;
SELECT name FROM own_movies ORDER BY year LIMIT 2;
SELECT name FROM own_movies WHERE genre = 'G1' AND year = 1 LIMIT 1;
SELECT count(*) FROM own_movies WHERE name IN (SELECT name FROM own_movies WHERE director = 'D9');
COMMIT;
SELECT * FROM own_check;

-- a cursor opened before a write does not see it
BEGIN;
DECLARE before CURSOR FOR SELECT name, year FROM own_movies WHERE genre = 'G1' ORDER BY name;
DECLARE indexed CURSOR FOR SELECT name FROM own_movies WHERE 'A2' = ANY (actors);
UPDATE own_movies SET year = -1, actors = '{}' WHERE genre = 'G1';
INSERT INTO own_movies VALUES ('G1', 'A new one', '{A2}');
DECLARE after CURSOR FOR SELECT name, year FROM own_movies WHERE genre = 'G1' ORDER BY name;
DELETE FROM own_movies WHERE genre = 'G1';
FETCH ALL FROM before;
FETCH ALL FROM indexed;
FETCH ALL FROM after;
SELECT count(*) FROM own_movies WHERE genre = 'G1';
ROLLBACK;

-- functions that read, and one that writes and reads while the statement runs
CREATE FUNCTION own_count() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT count(*) FROM own_movies';
CREATE FUNCTION own_count_stable() RETURNS bigint LANGUAGE plpgsql STABLE AS
  'BEGIN RETURN (SELECT count(*) FROM own_movies); END';
CREATE FUNCTION own_write(label text) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO own_movies VALUES ('G7', label);
  RETURN (SELECT count(*) FROM own_movies WHERE genre = 'G7');
END $$;
BEGIN;
SELECT own_write('f' || i) FROM generate_series(1, 3) i;
SELECT own_count() - count(*) AS volatile, own_count_stable() - count(*) AS stable FROM own_movies;
WITH ins AS (INSERT INTO own_movies VALUES ('G8', 'cte') RETURNING *)
  SELECT ins.name, (SELECT count(*) FROM own_movies WHERE genre = 'G8') AS not_yet FROM ins;
SELECT count(*) FROM own_movies WHERE genre = 'G8';
-- prepared statements
PREPARE own_point(text, text) AS SELECT year FROM own_movies WHERE genre = $1 AND name = $2;
EXECUTE own_point('G8', 'cte');
UPDATE own_movies SET year = 5 WHERE genre = 'G8';
EXECUTE own_point('G8', 'cte');
ROLLBACK;
EXECUTE own_point('G8', 'cte');
DEALLOCATE own_point;

CALL itable_drop_index('own_by_actor');
CALL itable_drop_index('own_by_director');
SELECT itable_drop_table('own_movies');
DROP VIEW own_check;
DROP FUNCTION own_count(), own_count_stable(), own_write(text), own_differences(text);
DROP FOREIGN TABLE own_movies;
DROP TABLE own_plain;
