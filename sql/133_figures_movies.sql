-- The pattern's figures 7 and 8 with its own movies, and what its "issues and
-- considerations" ask for.
CREATE FOREIGN TABLE fig_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  director text,
  released date
) SERVER store OPTIONS (table_name 'figmovies');
SELECT itable_create_table('fig_movies');
INSERT INTO fig_movies VALUES
  ('Action', 'Action Movie 1', '{Fred,Bert}', 'Sid', '2013-01-01'), ('Action', 'Action Movie 2', '{Mary,Fred}', 'Harry', '2013-02-02'),
  ('Action', 'Action Movie 3', '{Bill,Ted}', 'Sid', '2013-03-03'), ('Comedy', 'Comedy Movie 1', '{Harry}', 'Sid', '2013-04-01'),
  ('Comedy', 'Comedy Movie 2', '{Alice,Anne}', 'Fred', '2013-02-01'), ('Comedy', 'Comedy Movie 3', '{Bert,Bill}', 'Harry', '2013-03-05'),
  ('Drama', 'Drama Movie 1', '{Keith}', 'Fred', '2013-01-01'), ('Drama', 'Drama Movie 2', '{Susan}', 'Harry', '2013-04-05'),
  ('Drama', 'Drama Movie 3', '{Keith,Susan}', 'Fred', '2013-01-08');
-- figure 7: genre partitions, sorted by name within each
SELECT name, actors, director, released FROM fig_movies WHERE genre = 'Action';
SELECT name, actors, director, released FROM fig_movies WHERE genre = 'Comedy';
SELECT name, actors, director, released FROM fig_movies WHERE genre = 'Drama';
SELECT access_of($$SELECT * FROM fig_movies WHERE genre = 'Drama'$$),
       access_of($$SELECT * FROM fig_movies WHERE 'Bert' = ANY (actors)$$);
-- figure 8: actor partitions; a movie is in as many as it has actors; the other
-- actors are duplicated, the genre leads to the rest
CALL itable_create_index('fig_movies', 'fig8_actors', key => '{actors}', include => '{actors}');
SELECT actor, name, actors, genre FROM fig8_actors ORDER BY actor, name;
SELECT access_of($$SELECT genre, name, actors FROM fig_movies WHERE 'Susan' = ANY (actors)$$),
       requests_of($$SELECT genre, name, actors FROM fig_movies WHERE 'Susan' = ANY (actors)$$);
SELECT genre, name, actors FROM fig_movies WHERE 'Susan' = ANY (actors) ORDER BY name;
SELECT access_of($$SELECT name, director FROM fig_movies WHERE 'Susan' = ANY (actors)$$),
       requests_of($$SELECT name, director FROM fig_movies WHERE 'Susan' = ANY (actors)$$);
SELECT name, director FROM fig_movies WHERE 'Susan' = ANY (actors) ORDER BY name;
-- consistency: the index changes with the fact, or not at all
BEGIN;
UPDATE fig_movies SET actors = '{Bert}' WHERE genre = 'Action' AND name = 'Action Movie 1';
SELECT name FROM fig_movies WHERE 'Fred' = ANY (actors) ORDER BY name;
ROLLBACK;
SELECT name FROM fig_movies WHERE 'Fred' = ANY (actors) ORDER BY name;
UPDATE fig_movies SET actors = '{Bert}' WHERE genre = 'Action' AND name = 'Action Movie 1';
SELECT name FROM fig8_actors WHERE actor = 'Fred' ORDER BY name;
DELETE FROM fig_movies WHERE genre = 'Drama' AND name = 'Drama Movie 3';
SELECT actor, name FROM fig8_actors WHERE actor IN ('Keith', 'Susan') ORDER BY actor;
SELECT count(*) AS problems FROM itable_check_index('fig8_actors');
-- from a duplicating index to a pointer index: create, switch, drop
CALL itable_create_index('fig_movies', 'fig8_pointer', key => '{actors}');
CALL itable_drop_index('fig8_actors');
SELECT index, strategy, state FROM itable_indexes WHERE base = 'fig_movies'::regclass;
SELECT genre, name FROM fig_movies WHERE 'Bill' = ANY (actors) ORDER BY name;
CALL itable_drop_index('fig8_pointer');
-- entries in the facts' own partition, in one transaction of the store with them
CALL itable_create_index('fig_movies', 'fig8_directors', key => '{genre,director}', include => '{released}', colocated => true);
SELECT genre, director, name, released FROM fig8_directors ORDER BY genre, director, name;
SELECT access_of($$SELECT name, released FROM fig_movies WHERE genre = 'Comedy' AND director = 'Sid'$$);
CALL itable_drop_index('fig8_directors');
-- index tables partitioned themselves: gathered, and spread
CALL itable_create_index('fig_movies', 'fig8_gathered', key => '{actors}', partitions => 4);
SELECT count(*), count(DISTINCT actor_bucket) BETWEEN 1 AND 4 AS partitions FROM fig8_gathered;
CALL itable_drop_index('fig8_gathered');
CALL itable_create_index('fig_movies', 'fig8_spread', key => '{genre}', buckets => 4);
SELECT count(*) FROM fig8_spread WHERE genre = 'Action';
CALL itable_drop_index('fig8_spread');
-- when not to use it: few values, skew: 89_advice shows what is advised and done
ANALYZE fig_movies;
SELECT count(*) > 0 AS advises FROM itable_index_advice('fig_movies');
SELECT itable_drop_table('fig_movies');
DROP FOREIGN TABLE fig_movies;

-- one-to-one: a user is found by e-mail address, and no two have the same
CREATE FOREIGN TABLE fig_users (
  tenant text OPTIONS (key 'partition') NOT NULL,
  id text OPTIONS (key 'row') NOT NULL,
  name text,
  email text,
  favorite_color text
) SERVER store OPTIONS (table_name 'figusers');
SELECT itable_create_table('fig_users');
CALL itable_create_index('fig_users', 'fig_by_email', key => '{email}', is_unique => true);
CALL itable_create_index('fig_users', 'fig_by_color', key => '{favorite_color}');
INSERT INTO fig_users VALUES ('t', '1', 'Ann', 'ann@example.org', 'blue'), ('t', '2', 'Bob', 'bob@example.org', 'blue');
INSERT INTO fig_users VALUES ('t', '3', 'Eve', 'ann@example.org', 'red');
SELECT id, name FROM fig_users WHERE email = 'ann@example.org';
SELECT id, name FROM fig_users WHERE favorite_color = 'blue' ORDER BY id;
UPDATE fig_users SET email = 'ann@example.com' WHERE tenant = 't' AND id = '1';
INSERT INTO fig_users VALUES ('t', '3', 'Eve', 'ann@example.org', 'red');
SELECT email FROM fig_by_email ORDER BY email;
SELECT email, id, name FROM fig_users ORDER BY id;
CALL itable_drop_index('fig_by_email');
CALL itable_drop_index('fig_by_color');
SELECT itable_drop_table('fig_users');
DROP FOREIGN TABLE fig_users;
