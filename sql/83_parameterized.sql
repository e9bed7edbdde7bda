-- Joins that hand keys of the other side to a scan: point reads, ranges and
-- index lookups on the inner side of nested loops.
SET itable_fdw.enable_lookup_join = off;
CREATE FOREIGN TABLE films (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  actors text[],
  town   text
) SERVER store;
SELECT itable_create_table('films');
CREATE TABLE plain_films (genre text, name text COLLATE "C", actors text[], town text);
INSERT INTO plain_films
SELECT 'G' || n % 3, 'M' || lpad(n::text, 2, '0'), ARRAY['A' || n % 5, 'B' || n % 7], nullif('T' || n % 4, 'T0')
  FROM generate_series(1, 60) n;
INSERT INTO films SELECT * FROM plain_films;
CALL itable_create_index('films', 'films_by_actor', key => '{actors}', include => '{actors}');
CALL itable_create_index('films', 'films_by_town', key => '{town}', include => '{town}');
CREATE TABLE wishes (id int, genre text, name text COLLATE "C", actor text, town text);
INSERT INTO wishes VALUES (1, 'G1', 'M01', 'A1', 'T1'), (2, 'G2', 'M02', 'A2', 'T2'), (3, 'G0', 'M03', 'nobody', NULL),
  (4, 'G1', 'M99', NULL, 'T9'), (5, NULL, 'M05', 'B3', 'T1'), (6, 'G1', 'M01', 'A1', 'T1');
ANALYZE wishes;

SET enable_memoize = off;
-- by key: a point read for each outer row, none for NULL
SELECT * FROM explain_counts('SELECT w.id, f.town FROM wishes w JOIN films f ON f.genre = w.genre AND f.name = w.name');
-- by partition and a bound
SELECT * FROM explain_counts('SELECT w.id, f.name FROM wishes w JOIN films f ON f.genre = w.genre AND f.name < w.name');
-- by element, by index key
SELECT * FROM explain_counts('SELECT w.id, f.name FROM wishes w JOIN films f ON w.actor = ANY (f.actors)');
SELECT * FROM explain_counts('SELECT w.id, f.name FROM wishes w JOIN films f ON f.town = w.town WHERE w.id < 3');
-- the index table as the inner side
SELECT * FROM explain_counts('SELECT w.id, i.name FROM wishes w JOIN films_by_actor i ON i.actor = w.actor');

-- the same rows as plain tables, for every kind of join
CREATE FUNCTION same_rows(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  question text := 'SELECT count(*) || '' '' || coalesce(md5(string_agg(q::text, chr(10) ORDER BY q::text COLLATE "C")), '''') FROM (%s) q';
  found text;
  expected text;
BEGIN
  EXECUTE format(question, query) INTO found;
  EXECUTE format(question, replace(query, 'films', 'plain_films')) INTO expected;
  RETURN split_part(found, ' ', 1) || CASE WHEN found = expected THEN ' rows, the same' ELSE ' rows, expected ' || expected END;
END $$;
SELECT same_rows(query), query FROM (VALUES
  ('SELECT w.id, f.* FROM wishes w JOIN films f USING (genre, name)'),
  ('SELECT w.id, f.* FROM wishes w LEFT JOIN films f USING (genre, name)'),
  ('SELECT w.id, f.* FROM wishes w FULL JOIN films f USING (genre, name)'),
  ('SELECT w.id FROM wishes w WHERE EXISTS (SELECT FROM films f WHERE f.genre = w.genre AND f.name = w.name)'),
  ('SELECT w.id FROM wishes w WHERE NOT EXISTS (SELECT FROM films f WHERE f.genre = w.genre AND f.name = w.name)'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON w.actor = ANY (f.actors)'),
  ('SELECT w.id, f.name FROM wishes w LEFT JOIN films f ON w.actor = ANY (f.actors) AND f.genre = w.genre'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON f.actors && ARRAY[w.actor, ''B1'']'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON f.actors @> ARRAY[w.actor]'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON f.town = w.town'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON f.town = w.town AND f.name > w.name'),
  ('SELECT w.id, f.name FROM wishes w JOIN films f ON f.genre = w.genre AND f.name BETWEEN w.name AND ''M30'''),
  ('SELECT w.id, l.name FROM wishes w, LATERAL (SELECT name FROM films WHERE genre = w.genre ORDER BY name DESC LIMIT 2) l'),
  ('SELECT a.name, b.name FROM films a JOIN films b ON b.genre = a.genre AND b.name = a.name WHERE a.town = ''T2'''),
  ('SELECT a.name, b.name FROM films a JOIN films b ON b.town = a.town WHERE a.genre = ''G1'' AND a.name < ''M10''')
) t (query);

-- generic plans
PREPARE wish(int) AS SELECT f.name FROM wishes w JOIN films f ON w.actor = ANY (f.actors) WHERE w.id = $1 ORDER BY 1 LIMIT 2;
SET plan_cache_mode = force_generic_plan;
EXECUTE wish(1);
EXECUTE wish(2);
EXECUTE wish(3);
EXECUTE wish(4);
EXECUTE wish(NULL);
RESET plan_cache_mode;

-- UPDATE and DELETE by join
UPDATE films f SET town = 'seen' FROM wishes w WHERE f.genre = w.genre AND f.name = w.name;
SELECT genre, name FROM films WHERE town = 'seen' ORDER BY name;
SELECT requests_of('DELETE FROM films f USING wishes w WHERE f.genre = w.genre AND f.name = w.name') AS reads;
SELECT count(*) FROM films WHERE town = 'seen';
