-- From a duplicating index to a pointer index and back, beside a plain table; and
-- how many requests filling an index takes.
CREATE FOREIGN TABLE swp_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store;
SELECT itable_create_table('swp_movies');
CREATE TABLE swp_plain (genre text, name text, actors text[], year integer);
INSERT INTO swp_plain SELECT 'G' || i % 5, 'm' || i, ARRAY['A' || i % 40, 'A' || (i * 7 + 1) % 40, 'A' || (i * 11 + 2) % 40], i
  FROM generate_series(1, 1000) i;
INSERT INTO swp_movies SELECT * FROM swp_plain;
CREATE VIEW swp_wrong AS
  SELECT a FROM generate_series(0, 39) n, LATERAL (SELECT 'A' || n AS a) x
  WHERE (SELECT array_agg(name || year ORDER BY name) FROM swp_movies WHERE a = ANY (actors))
    IS DISTINCT FROM (SELECT array_agg(name || year ORDER BY name) FROM swp_plain WHERE a = ANY (actors));
CREATE FUNCTION swp_batches() RETURNS bigint LANGUAGE sql AS $$
  SELECT sum(requests)::bigint FROM itable_stats() WHERE operation = 'batch' $$;
CREATE FUNCTION swp_access() RETURNS text LANGUAGE sql AS $$
  SELECT access_of('SELECT name, year FROM swp_movies WHERE ''A1'' = ANY (actors)') $$;
SELECT count(*) AS entries, count(DISTINCT a) AS keys FROM (SELECT DISTINCT genre, name, a FROM swp_plain, unnest(actors) a) x;

-- a pointer index: for each actor's partition entries / 100 batches, at least one
SELECT FROM itable_stats_reset();
CALL itable_create_index('swp_movies', 'swp_pointer', '{actors}');
SELECT swp_batches() AS pointer;
SELECT sum(ceil(n / 100.0)) AS expected FROM (SELECT count(DISTINCT name) AS n FROM swp_plain, unnest(actors) a GROUP BY a) x;
SELECT swp_access();
SELECT * FROM swp_wrong;

-- a duplicating one beside it: touched, verified, and each fact fenced between
SELECT FROM itable_stats_reset();
CALL itable_create_index('swp_movies', 'swp_full', '{actors}', include => '{actors,year}', partitions => 4);
SELECT swp_batches() AS gathered;
SELECT 2 * ceil((SELECT sum(n) FROM (SELECT count(DISTINCT name) AS n FROM swp_plain, unnest(actors) a GROUP BY a) x) / 100.0) + 10 AS about;
SELECT swp_access();
SELECT * FROM swp_wrong;
UPDATE swp_movies SET actors = '{A1,A2}', year = -year WHERE genre = 'G1';
UPDATE swp_plain SET actors = '{A1,A2}', year = -year WHERE genre = 'G1';
SELECT * FROM swp_wrong;
CALL itable_drop_index('swp_pointer');
SELECT swp_access();
SELECT * FROM swp_wrong;

-- and back
CALL itable_create_index('swp_movies', 'swp_pointer', '{actors}');
SELECT * FROM swp_wrong;
CALL itable_drop_index('swp_full');
SELECT swp_access();
SELECT * FROM swp_wrong;
DELETE FROM swp_movies WHERE year % 3 = 0;
DELETE FROM swp_plain WHERE year % 3 = 0;
SELECT * FROM swp_wrong;
SELECT * FROM itable_check_index('swp_pointer');

CALL itable_drop_index('swp_pointer');
SELECT itable_drop_table('swp_movies');
DROP VIEW swp_wrong;
DROP FUNCTION swp_batches(), swp_access();
DROP TABLE swp_plain;
DROP FOREIGN TABLE swp_movies;
