-- Index lookups: answers are those of a plain table, requests those of the strategy.
CREATE FOREIGN TABLE idx_movies (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL,
  actors text[], town text, last_name text, year int) SERVER store;
CREATE TABLE idx_plain (genre text, name text, actors text[], town text, last_name text, year int);
SELECT itable_create_table('idx_movies');
INSERT INTO idx_plain SELECT 'g' || i % 4, 'm' || i, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN '{Fred,Fred}' WHEN 3 THEN '{NULL,Bert}'
  WHEN 4 THEN '{Fred,Bert}' WHEN 5 THEN ARRAY['a/b', '', 'Ümit', repeat('long', 200)] ELSE ARRAY['solo' || i] END,
  CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'town' || i % 5 END, CASE WHEN i % 3 > 0 THEN 'name' || i % 6 END, 1990 + i % 10 FROM generate_series(1, 70) i;
INSERT INTO idx_movies SELECT * FROM idx_plain;
SET client_min_messages = warning;
CALL itable_create_index('idx_movies', 'idx_pointer', key => '{actors}');
CALL itable_create_index('idx_movies', 'idx_town', key => '{town}', include => '{year}');
CALL itable_create_index('idx_movies', 'idx_town_name', key => '{town,last_name}');

CREATE FUNCTION idx_same(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE 'SELECT md5(string_agg(x::text, '','' ORDER BY x::text)) FROM idx_movies x WHERE ' || condition INTO mine;
  EXECUTE 'SELECT md5(string_agg(x::text, '','' ORDER BY x::text)) FROM idx_plain x WHERE ' || condition INTO plain;
  RETURN CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same' ELSE 'DIFFERS' END;
END $$;
CREATE FUNCTION idx_how(columns text, condition text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT trim(l) FROM explain_counts(format('SELECT %s FROM idx_movies WHERE %s', columns, condition)) l WHERE l ~ '(Access|Requests):'
$$;
CREATE TABLE idx_conditions AS SELECT c FROM unnest(ARRAY[$$'Fred' = ANY (actors)$$, $$'nobody' = ANY (actors)$$, $$'a/b' = ANY (actors)$$, $$'' = ANY (actors)$$, $$'Ümit' = ANY (actors)$$,
  $$repeat('long', 200) = ANY (actors)$$, $$NULL = ANY (actors)$$, $$'Fred' = ALL (actors)$$, $$'Fred' <> ANY (actors)$$, $$actors @> '{Fred}'$$, $$actors @> '{Fred,Bert}'$$, $$actors @> '{Bert,NULL}'$$,
  $$actors @> '{}'$$, $$actors @> NULL$$, $$actors && '{Fred,Bert}'$$, $$actors && '{Fred,NULL,Fred}'$$, $$actors && '{}'$$, $$actors && '{NULL}'$$, $$'{Fred}' <@ actors$$, $$actors <@ '{Fred}'$$,
  $$actors = '{Fred,Bert}'$$, $$actors[1] = 'Fred'$$, $$NOT 'Fred' = ANY (actors)$$, $$'Fred' = ANY (actors) AND 'Bert' = ANY (actors)$$, $$'Fred' = ANY (actors) OR 'Bert' = ANY (actors)$$,
  $$'Fred' = ANY (actors) AND genre = 'g1'$$, $$actors @> '{Fred}' AND year < 1995$$, $$'Fred' = ANY (actors) AND name LIKE 'm1%'$$, $$town = 'town2'$$, $$town = ''$$, $$town IN ('town2', 'town3', NULL)$$,
  $$town IS NULL$$, $$town > 'town2' COLLATE "C"$$, $$town LIKE 'town%'$$, $$town = 'town2' AND last_name = 'name1'$$, $$town = 'town2' AND last_name LIKE 'name%'$$, $$last_name = 'name1'$$,
  $$town = 'town3' AND last_name IN ('name1', 'name2')$$, $$town = 'town2' AND year = 1992$$, $$town = 'town2' AND year > 1995$$, $$town <> 'town2'$$]) c;
SELECT c, idx_same(c) AS pointer FROM idx_conditions;
SELECT idx_how('name, year', $$'Fred' = ANY (actors)$$);
SELECT idx_how('name', $$actors @> '{solo6}'$$);
SELECT idx_how('name, year', $$town = 'town2'$$);
SELECT idx_how('*', $$town = 'town2'$$);
SELECT idx_how('name', $$town = 'town2' AND last_name = 'name1'$$);
SELECT idx_how('name, genre, town', $$town = 'nowhere'$$);

-- a partial index covers the actors, so it answers alone: one request
CALL itable_create_index('idx_movies', 'idx_partial', key => '{actors}', include => '{actors,year}');
SELECT c, idx_same(c) AS partial FROM idx_conditions WHERE idx_same(c) <> 'same';
SELECT idx_how('genre, name, year', $$'Fred' = ANY (actors)$$);
SELECT idx_how('genre, name, year', $$actors @> '{Fred,Bert}'$$);
SELECT idx_how('genre, name', $$actors && '{Fred,Bert}'$$);
SELECT idx_how('genre, name', $$actors && '{}'$$);
SELECT idx_how('genre, name', $$actors @> '{}'$$);
SELECT idx_how('genre, name', $$'Fred' = ANY (actors) AND genre = 'g0' AND name = 'm4'$$);
SELECT strategy, key_columns, covered_columns FROM itable_indexes WHERE index::text LIKE 'idx\_%' ORDER BY index::text;

-- without indexes
SET itable_fdw.enable_index = off;
SELECT idx_how('name', $$'Fred' = ANY (actors)$$);
SELECT c, idx_same(c) AS no_index FROM idx_conditions WHERE idx_same(c) <> 'same';
RESET itable_fdw.enable_index;

-- the index table itself: a row for each entry; long keys come back whole
SELECT count(*), count(DISTINCT actor), max(length(actor)) FROM idx_partial;
SELECT count(*) FROM (SELECT actor, genre, name, actors, year FROM idx_partial EXCEPT SELECT DISTINCT a, genre, name, actors, year FROM idx_plain, unnest(actors) a WHERE a IS NOT NULL) d;
SELECT actor, genre, name FROM idx_pointer WHERE actor = 'solo6';
SELECT trim(l) FROM explain_counts($$SELECT * FROM idx_partial WHERE actor = 'Fred'$$) l WHERE l ~ '(Access|Store Filter|Requests):';
SELECT count(*) FROM idx_town_name WHERE town = 'town2' AND last_name >= 'name2' COLLATE "C";

-- after changes, and in the middle of them
BEGIN;
UPDATE idx_movies SET actors = array_append(actors, 'New'), town = 'town9' WHERE genre = 'g1' AND name IN ('m1', 'm5', 'm9');
DELETE FROM idx_movies WHERE 'Fred' = ANY (actors) AND year = 1992;
UPDATE idx_plain SET actors = array_append(actors, 'New'), town = 'town9' WHERE genre = 'g1' AND name IN ('m1', 'm5', 'm9');
DELETE FROM idx_plain WHERE 'Fred' = ANY (actors) AND year = 1992;
SELECT c, idx_same(c) AS own_writes FROM idx_conditions WHERE idx_same(c) <> 'same';
SELECT count(*) FROM idx_movies WHERE 'New' = ANY (actors);
COMMIT;
SELECT c, idx_same(c) AS committed FROM idx_conditions WHERE idx_same(c) <> 'same';
SELECT count(*) FROM idx_movies WHERE 'New' = ANY (actors);
SELECT count(*) FROM idx_movies WHERE town = 'town9';
CALL itable_drop_index('idx_pointer');
CALL itable_drop_index('idx_partial');
CALL itable_drop_index('idx_town');
CALL itable_drop_index('idx_town_name');
DROP FOREIGN TABLE idx_movies;
