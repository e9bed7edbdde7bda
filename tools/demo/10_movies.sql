\echo
\echo '== Figure 7: movies in genre partitions, sorted by name.'
\echo
CREATE FOREIGN TABLE movies (
  genre    text OPTIONS (key 'partition') NOT NULL,
  name     text OPTIONS (key 'row')       NOT NULL,
  actors   text[],
  director text,
  released date
) SERVER store;
SELECT itable_create_table('movies') AS table_created;

INSERT INTO movies (genre, name, actors, director, released) VALUES
  ('Action', 'Action Movie 1', '{Fred,Bert}',   'Sid',   '2013-01-01'),
  ('Action', 'Action Movie 2', '{Mary,Fred}',   'Harry', '2013-02-02'),
  ('Action', 'Action Movie 3', '{Bill,Ted}',    'Sid',   '2013-03-03'),
  ('Comedy', 'Comedy Movie 1', '{Harry}',       'Sid',   '2013-01-04'),
  ('Comedy', 'Comedy Movie 2', '{Alice,Anne}',  'Fred',  '2013-01-02'),
  ('Comedy', 'Comedy Movie 3', '{Bert,Bill}',   'Harry', '2013-05-03'),
  ('Drama',  'Drama Movie 1',  '{Keith}',       'Fred',  '2013-01-01'),
  ('Drama',  'Drama Movie 2',  '{Susan}',       'Harry', '2013-05-04'),
  ('Drama',  'Drama Movie 3',  '{Keith,Susan}', 'Fred',  '2013-08-01');

SELECT genre AS "Partition Key (Genre)", name AS "Row Key (Movie Name)",
       format('Starring Actor%s: %s, Director: %s, Date Released %s',
              CASE WHEN cardinality(actors) > 1 THEN 's' END,
              CASE WHEN cardinality(actors) > 1
                   THEN '[' || array_to_string(actors, ', ') || ']'
                   ELSE actors[1] END,
              director, to_char(released, 'FMDD/FMMM/YYYY')) AS "Movie Data"
  FROM movies ORDER BY genre, name;

\echo
\echo '== Which movies star Fred?  Without an index: the whole table is read.'
\echo
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT genre, name, actors FROM movies WHERE 'Fred' = ANY (actors);
