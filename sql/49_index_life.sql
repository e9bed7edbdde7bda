-- An index table's life: made over rows that are there, built again, dropped.
CREATE FOREIGN TABLE lif_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'lifmovies');
-- the same table of the store, seen by another application
CREATE FOREIGN TABLE lif_other (
  pk text OPTIONS (key 'partition', property 'genre') NOT NULL,
  rk text OPTIONS (key 'row', property 'name') NOT NULL,
  cast_list text[] OPTIONS (property 'actors'),
  released integer OPTIONS (property 'year'),
  extra text
) SERVER store OPTIONS (table_name 'LifMovies');
SELECT itable_create_table('lif_movies');
INSERT INTO lif_movies SELECT 'G' || i % 7, 'M' || i, ARRAY['A' || i % 5, 'All', 'All'], 1900 + i % 50
  FROM generate_series(1, 1500) i;
UPDATE lif_movies SET actors = NULL WHERE year = 1901;
CREATE TABLE lif_plain AS SELECT * FROM lif_movies;
CREATE FUNCTION lif_sent() RETURNS bigint LANGUAGE sql AS $$
  SELECT sum(requests)::bigint FROM itable_stats() WHERE operation <> 'table' $$;

-- backfill
CALL itable_create_index('lif_movies', 'lif_by_actor', '{actors}');
CALL itable_create_index('lif_movies', 'lif_by_year', '{year}', include => '{actors}');
SELECT base, index, key_columns, covered_columns, strategy, is_unique, maintenance, state, progress
  FROM itable_indexes WHERE base = 'lif_movies'::regclass ORDER BY index::text;
\d lif_by_year
CREATE VIEW lif_differences AS
  SELECT 'by actor' AS what, count(*) FROM (
    (SELECT actor, genre, name FROM lif_by_actor EXCEPT ALL
     SELECT DISTINCT unnest(actors), genre, name FROM lif_plain)
    UNION ALL (SELECT DISTINCT unnest(actors), genre, name FROM lif_plain EXCEPT ALL
     SELECT actor, genre, name FROM lif_by_actor)) x
  UNION ALL
  SELECT 'by year', count(*) FROM (
    (SELECT year, genre, name, actors FROM lif_by_year EXCEPT ALL
     SELECT year, genre, name, actors FROM lif_plain)
    UNION ALL (SELECT year, genre, name, actors FROM lif_plain EXCEPT ALL
     SELECT year, genre, name, actors FROM lif_by_year)) x;
SELECT * FROM lif_differences;
SELECT count(*) FROM lif_movies WHERE 'A1' = ANY (actors);
SELECT count(*) FROM lif_plain WHERE 'A1' = ANY (actors);
-- the backfilled covering index answers alone: all entries are verified
SELECT FROM itable_stats_reset();
SELECT count(*) FROM (SELECT name, actors FROM lif_movies WHERE year = 1907) x;
SELECT lif_sent() AS requests;

-- a foreign table that does not know the index by name maintains it too
UPDATE lif_other SET cast_list = '{New}', extra = 'kept' WHERE pk = 'G1' AND rk = 'M1';
DELETE FROM lif_other WHERE pk = 'G2' AND rk = 'M2';
INSERT INTO lif_other VALUES ('G9', 'M9', '{New,A1}', 2000);
UPDATE lif_plain SET actors = '{New}' WHERE genre = 'G1' AND name = 'M1';
DELETE FROM lif_plain WHERE genre = 'G2' AND name = 'M2';
INSERT INTO lif_plain VALUES ('G9', 'M9', '{New,A1}', 2000);
SELECT * FROM lif_differences;
SELECT name FROM lif_movies WHERE 'New' = ANY (actors) ORDER BY name;
SELECT rk, extra FROM lif_other WHERE 'New' = ANY (cast_list) ORDER BY rk;
-- both in one transaction
BEGIN;
UPDATE lif_movies SET year = 1 WHERE name = 'M9';
UPDATE lif_other SET cast_list = '{Newer}' WHERE rk = 'M9';
SELECT genre, name, year, actors FROM lif_movies WHERE 'Newer' = ANY (actors) ORDER BY 1;
COMMIT;
UPDATE lif_plain SET year = 1, actors = '{Newer}' WHERE name = 'M9';
SELECT * FROM lif_differences;

-- entries that were lost or that nobody justifies: building again mends the first
CREATE FOREIGN TABLE lif_entries (
  pk text OPTIONS (key 'partition') NOT NULL,
  rk text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (table_name 'lifbyactor', key_encoding 'raw');
DELETE FROM lif_entries WHERE pk = 'A3';
SELECT count(*) FROM lif_movies WHERE 'A3' = ANY (actors);
CALL itable_build_index('lif_by_actor');
SELECT * FROM lif_differences;
SELECT count(*) FROM lif_movies WHERE 'A3' = ANY (actors);
CALL itable_build_index('lif_by_year');
SELECT * FROM lif_differences;
SELECT index, state FROM itable_indexes WHERE base = 'lif_movies'::regclass ORDER BY index::text;

-- not in a transaction block, not on others' terms
BEGIN;
CALL itable_create_index('lif_movies', 'lif_no', '{year}');
ROLLBACK;
BEGIN;
CALL itable_drop_index('lif_by_year');
ROLLBACK;
DO $$BEGIN CALL itable_build_index('lif_by_year'); EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; END$$;
CALL itable_create_index('lif_movies', 'lif_by_year', '{year}');
CALL itable_create_index('lif_movies', 'lif_no', '{nothing}');
CALL itable_create_index('lif_movies', 'lif_no', '{}');
CALL itable_create_index('lif_by_year', 'lif_no', '{year}');
CALL itable_drop_index('lif_movies');
SELECT count(*) FROM pg_class WHERE relname = 'lif_no';

DROP VIEW lif_differences;
-- dropped: no longer written, its table gone; the other index stays
CALL itable_drop_index('lif_by_actor');
SELECT index FROM itable_indexes WHERE base = 'lif_movies'::regclass;
\set VERBOSITY terse
SELECT count(*) FROM lif_entries;
\set VERBOSITY default
SELECT FROM itable_stats_reset();
INSERT INTO lif_movies VALUES ('G1', 'after', '{A1,A2,A3}', NULL);
SELECT lif_sent() AS requests_stub_and_fact;
CALL itable_drop_index('lif_by_year');
SELECT FROM itable_stats_reset();
INSERT INTO lif_movies VALUES ('G1', 'after all', '{A1,A2,A3}', NULL);
SELECT lif_sent() AS requests_fact;
SELECT count(*) FROM itable_indexes WHERE base = 'lif_movies'::regclass;
-- facts once indexed are still there, and an index can be made again
CALL itable_create_index('lif_movies', 'lif_by_actor', '{actors}');
SELECT name FROM lif_movies WHERE 'New' = ANY (actors) OR 'A1' = ANY (actors) AND name LIKE 'after%' ORDER BY 1;
CALL itable_drop_index('lif_by_actor');

SELECT itable_drop_table('lif_movies');
DROP FUNCTION lif_sent();
DROP FOREIGN TABLE lif_movies, lif_other, lif_entries;
DROP TABLE lif_plain;
