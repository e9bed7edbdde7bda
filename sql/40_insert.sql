-- INSERT and COPY FROM: what arrives, and how many requests it takes.
CREATE FOREIGN TABLE ins_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer DEFAULT 1990 + 5,
  rating double precision DEFAULT 7.5,
  note text
) SERVER store OPTIONS (table_name 'insmovies');
SELECT itable_create_table('ins_movies');

-- one row, several rows, defaults, RETURNING
INSERT INTO ins_movies VALUES ('Action', 'Heat', '{Al,Bob}', 1995, 8.3, 'x');
INSERT INTO ins_movies (genre, name) VALUES ('Action', 'Ronin'), ('Drama', 'Fargo')
  RETURNING *;
INSERT INTO ins_movies (name, genre, year, note)
  VALUES ('Face/Off', 'Action', DEFAULT, NULL), ('#1 \ 50% ?', 'Sci-Fi', NULL, '')
  RETURNING upper(name) AS loud, year, note IS NULL AS no_note;
SELECT * FROM ins_movies ORDER BY genre, name COLLATE "C";
SELECT * FROM ins_movies WHERE genre = 'Action' AND name = 'Face/Off';

-- zero rows send nothing
SELECT requests_of($$INSERT INTO ins_movies SELECT 'a', 'b' WHERE false$$);
CREATE FUNCTION sent() RETURNS TABLE (operation text, requests bigint)
  LANGUAGE sql AS $$
  SELECT operation, sum(requests)::bigint FROM itable_stats()
  WHERE requests > 0 AND operation <> 'table' GROUP BY operation ORDER BY operation COLLATE "C" $$;

-- a single INSERT without index is one request; 1,000 rows of a genre are ten
SELECT itable_stats_reset();
INSERT INTO ins_movies VALUES ('Action', 'Speed');
SELECT * FROM sent();
SELECT itable_stats_reset();
INSERT INTO ins_movies SELECT 'Bulk', 'Movie ' || i FROM generate_series(1, 1000) i;
SELECT * FROM sent();
SELECT count(*), count(DISTINCT name), min(year), max(year) FROM ins_movies WHERE genre = 'Bulk';

-- rows of several partitions: one request for each
SELECT itable_stats_reset();
INSERT INTO ins_movies SELECT 'Genre ' || i % 5, 'Movie ' || i FROM generate_series(1, 50) i;
SELECT * FROM sent();

-- several commands of one transaction are sent together
SELECT itable_stats_reset();
BEGIN;
INSERT INTO ins_movies VALUES ('Together', 'a');
INSERT INTO ins_movies VALUES ('Together', 'b');
INSERT INTO ins_movies VALUES ('Together', 'c');
SELECT * FROM sent();
COMMIT;
SELECT * FROM sent();

-- INSERT ... SELECT from itself does not meet its own rows
INSERT INTO ins_movies (genre, name)
  SELECT 'Copy of ' || genre, name FROM ins_movies WHERE genre IN ('Action', 'Drama');
SELECT genre, count(*) FROM ins_movies WHERE genre LIKE 'Copy%' GROUP BY genre ORDER BY 1;
BEGIN;
INSERT INTO ins_movies VALUES ('Twice', '0');
INSERT INTO ins_movies (genre, name) SELECT genre, name || 'x' FROM ins_movies WHERE genre = 'Twice';
INSERT INTO ins_movies (genre, name) SELECT genre, name || 'y' FROM ins_movies WHERE genre = 'Twice';
SELECT name FROM ins_movies WHERE genre = 'Twice' ORDER BY name COLLATE "C";
COMMIT;
SELECT name FROM ins_movies WHERE genre = 'Twice' ORDER BY name COLLATE "C";

-- COPY
SELECT itable_stats_reset();
COPY ins_movies (genre, name, actors, note) FROM stdin;
Copied	One	{Al}	tab\there
Copied	Two	\N	\N
Copied	Three	{}	ü € 𝄞
Copied	Four	{Al,NULL,"a,b"}	
\.
SELECT * FROM sent();
SELECT * FROM ins_movies WHERE genre = 'Copied' ORDER BY name COLLATE "C";
COPY ins_movies (genre, name, year) FROM stdin (FORMAT csv);
Copied,Five,5
Copied,Six,six
\.
SELECT count(*) FROM ins_movies WHERE genre = 'Copied';

-- with indexes: a stub, an entry for each actor, the fact
CREATE FOREIGN TABLE ins_indexed (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[]
) SERVER store OPTIONS (table_name 'insindexed');
SELECT itable_create_table('ins_indexed');
CALL itable_create_index('ins_indexed', 'ins_by_actor', '{actors}');
SELECT itable_stats_reset();
INSERT INTO ins_indexed VALUES ('Action', 'Heat', '{Al,Bob,Val}');
SELECT sum(requests) AS pointer_3_actors FROM sent();
SELECT itable_stats_reset();
INSERT INTO ins_indexed VALUES ('Action', 'Alone', NULL);
SELECT sum(requests) AS pointer_0_actors FROM sent();
CALL itable_drop_index('ins_by_actor');
CALL itable_create_index('ins_indexed', 'ins_by_actor', '{actors}', include => '{actors}');
SELECT itable_stats_reset();
INSERT INTO ins_indexed VALUES ('Action', 'Ronin', '{Bob,Jean,Sean}');
SELECT sum(requests) AS covering_3_actors FROM sent();
SELECT actor, genre, name, actors FROM ins_by_actor ORDER BY actor, name;
SELECT itable_stats_reset();
INSERT INTO ins_indexed SELECT 'Bulk', 'Movie ' || i, ARRAY['X', 'Y'] FROM generate_series(1, 100) i;
SELECT sum(requests) AS covering_100_rows_2_actors FROM sent();

CALL itable_drop_index('ins_by_actor');
SELECT itable_drop_table('ins_movies'), itable_drop_table('ins_indexed');
DROP FOREIGN TABLE ins_movies, ins_indexed;
DROP FUNCTION sent();
