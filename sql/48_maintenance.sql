-- Random operations: index tables and lookups equal a plain table, always.
CREATE FOREIGN TABLE mnt_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer,
  note text
) SERVER store OPTIONS (table_name 'mntmovies');
SELECT itable_create_table('mnt_movies');
CALL itable_create_index('mnt_movies', 'mnt_pointer', '{actors}');
CALL itable_create_index('mnt_movies', 'mnt_covering', '{actors}', include => '{year,actors}');
CALL itable_create_index('mnt_movies', 'mnt_by_year', '{year}', include => '{note}');
CREATE TABLE mnt_plain (genre text, name text, actors text[], year integer, note text,
  PRIMARY KEY (genre, name));

-- names that are hard on keys, filters, JSON and arrays; '' and NULL too
CREATE TABLE mnt_names (n serial, actor text);
INSERT INTO mnt_names (actor) VALUES ('Al'), ('O''Hara'), ('a/b\c#d?e'), ('100%'), (' lead'), ('trail '),
  (''), ('"quoted", {x}'), ('ünï €'), (E'tab\tnew\nline'), ('~!~1'), ('*'), ('al'), (NULL), ('𝄞'), ('&amp;=+');
CREATE FUNCTION mnt_actors() RETURNS text[] LANGUAGE sql VOLATILE AS $$
  SELECT CASE WHEN random() < 0.1 THEN NULL
    ELSE ARRAY(SELECT actor FROM generate_series(1, floor(random() * 5)::int) g
      JOIN LATERAL (SELECT floor(random() * 16)::int + 1 + g * 0 AS k) r ON true
      JOIN mnt_names ON n = k ORDER BY random()) END $$;

-- what differs, in the fact table, the index tables, and lookups through either index
CREATE VIEW mnt_facts_expected AS SELECT genre, name, actors, year, note FROM mnt_plain;
CREATE VIEW mnt_entries_expected AS
  SELECT DISTINCT actor, genre, name, year, actors FROM mnt_plain, unnest(actors) actor WHERE actor IS NOT NULL;
CREATE FUNCTION mnt_differences() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  pair record;
  lookup text;
  switch text;
BEGIN
  FOR pair IN SELECT * FROM (VALUES
      ('SELECT genre, name, actors, year, note FROM mnt_movies', 'SELECT * FROM mnt_facts_expected'),
      ('SELECT actor, genre, name FROM mnt_pointer', 'SELECT actor, genre, name FROM mnt_entries_expected'),
      ('SELECT actor, genre, name, year, actors FROM mnt_covering', 'SELECT * FROM mnt_entries_expected'),
      ('SELECT year, genre, name, note FROM mnt_by_year',
       'SELECT year, genre, name, note FROM mnt_facts_expected WHERE year IS NOT NULL')) v(ours, theirs) LOOP
    RETURN QUERY EXECUTE format('SELECT ''extra '' || row_to_json(x) FROM (%1$s EXCEPT ALL %2$s) x
      UNION ALL SELECT ''missing '' || row_to_json(x) FROM (%2$s EXCEPT ALL %1$s) x', pair.ours, pair.theirs);
  END LOOP;
END $$;
-- every name asked, one by one; with note: through the pointer index, without: from the covering one
CREATE FUNCTION mnt_lookups() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  asked text;
  columns text;
  found text;
  expected text;
BEGIN
  FOREACH columns IN ARRAY ARRAY['genre, name, year', 'genre, name, note'] LOOP
    FOR asked IN SELECT actor FROM mnt_names LOOP
      EXECUTE format('SELECT string_agg(x::text, '' '' ORDER BY x::text) FROM (SELECT %s FROM mnt_movies WHERE %L = ANY (actors)) x',
        columns, asked) INTO found;
      EXECUTE format('SELECT string_agg(x::text, '' '' ORDER BY x::text) FROM (SELECT %s FROM mnt_plain WHERE %L = ANY (actors)) x',
        columns, asked) INTO expected;
      IF found IS DISTINCT FROM expected THEN
        RETURN NEXT format('%s for %L: %s instead of %s', columns, asked, found, expected);
      END IF;
    END LOOP;
  END LOOP;
END $$;

-- one random operation on both tables; a duplicate key is left out on both
CREATE PROCEDURE mnt_operation() LANGUAGE plpgsql AS $$
DECLARE
  g text := 'g' || floor(random() * 3);
  m text := (ARRAY['m', 'M/', 'x#'])[floor(random() * 3) + 1] || floor(random() * 4);
  a text[] := mnt_actors();
  y integer := CASE WHEN random() < 0.2 THEN NULL ELSE floor(random() * 4) END;
  new_name text := 'moved' || floor(random() * 3);
  dice double precision := random();
  target text;
BEGIN
  FOREACH target IN ARRAY ARRAY['mnt_plain', 'mnt_movies'] LOOP
    IF dice < 0.35 THEN
      IF NOT EXISTS (SELECT FROM mnt_plain WHERE genre = g AND name = m) OR target = 'mnt_movies' THEN
        EXECUTE format('INSERT INTO %I VALUES ($1, $2, $3, $4, $5)', target) USING g, m, a, y, 'new';
      ELSE
        EXIT;
      END IF;
    ELSIF dice < 0.6 THEN
      EXECUTE format('UPDATE %I SET actors = $1, year = $2 WHERE genre = $3', target) USING a, y, g;
    ELSIF dice < 0.7 THEN
      EXECUTE format('UPDATE %I SET note = $1 WHERE name = $2', target) USING 'note ' || coalesce(y::text, ''), m;
    ELSIF dice < 0.8 THEN
      IF EXISTS (SELECT FROM mnt_plain WHERE genre = g AND name = new_name) AND target = 'mnt_plain' THEN
        EXIT;
      END IF;
      EXECUTE format('UPDATE %I SET name = $1, year = $2 WHERE genre = $3 AND name = $4', target)
        USING new_name, y, g, m;
    ELSE
      EXECUTE format('DELETE FROM %I WHERE genre = $1 AND (name = $2 OR $3 = ANY (actors))', target)
        USING g, m, a[1];
    END IF;
  END LOOP;
END $$;

SELECT FROM setseed(0.42);
DO $$
DECLARE
  difference text;
  rolled_back integer := 0;
BEGIN
  FOR i IN 1 .. 70 LOOP
    FOR j IN 1 .. 1 + i % 5 LOOP
      CALL mnt_operation();
    END LOOP;
    -- seen before the end of the transaction, and after it
    FOR difference IN SELECT mnt_differences() LOOP
      RAISE WARNING 'step %, own writes: %', i, difference;
    END LOOP;
    IF i % 4 = 0 THEN
      ROLLBACK;
      rolled_back := rolled_back + 1;
    ELSE
      COMMIT;
    END IF;
    FOR difference IN SELECT mnt_differences() LOOP
      RAISE WARNING 'step %: %', i, difference;
    END LOOP;
    IF i % 10 = 0 THEN
      FOR difference IN SELECT mnt_lookups() LOOP
        RAISE WARNING 'step %: %', i, difference;
      END LOOP;
    END IF;
  END LOOP;
  RAISE NOTICE '% transactions rolled back', rolled_back;
END $$;
SELECT count(*) > 10 AS rows, count(DISTINCT actor) > 8 AS actors FROM mnt_entries_expected;
-- no entry is left over in the store, not even one that readers would skip
CREATE FOREIGN TABLE mnt_raw (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'mntpointer', key_encoding 'raw');
SELECT (SELECT count(*) FROM mnt_raw) = (SELECT count(*) FROM mnt_entries_expected) AS no_more_entries;

DROP VIEW mnt_facts_expected, mnt_entries_expected;
DROP FUNCTION mnt_differences(), mnt_lookups(), mnt_actors();
DROP PROCEDURE mnt_operation();
DROP TABLE mnt_plain, mnt_names;
CALL itable_drop_index('mnt_pointer');
CALL itable_drop_index('mnt_covering');
CALL itable_drop_index('mnt_by_year');
SELECT itable_drop_table('mnt_movies');
DROP FOREIGN TABLE mnt_movies, mnt_raw;
