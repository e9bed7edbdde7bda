\echo
\echo '== Figure 8: an index table with actor partitions.  It copies the actors,'
\echo '== and leads to everything else by genre and name.'
\echo
CALL itable_create_index('movies', 'movies_by_actor',
                         key => '{actors}', include => '{actors}');

SELECT actor AS "Partition Key (Actor)", name AS "Row Key (Movie Name)",
       format('Starring Actor%s: %s, Genre: %s',
              CASE WHEN cardinality(actors) > 1 THEN 's' END,
              CASE WHEN cardinality(actors) > 1
                   THEN '[' || array_to_string(actors, ', ') || ']'
                   ELSE actors[1] END, genre) AS "Movie Data"
  FROM movies_by_actor ORDER BY actor, name;

\echo '== The index table is a foreign table like any other:'
\echo
\d movies_by_actor

\echo '== The same question with the index: one request, no fact is read.'
\echo
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT genre, name, actors FROM movies WHERE 'Fred' = ANY (actors);
SELECT genre, name, actors FROM movies WHERE 'Fred' = ANY (actors) ORDER BY name;

\echo '== A column the index does not copy: one request more for each movie.'
\echo
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT name, director FROM movies WHERE 'Fred' = ANY (actors);
SELECT name, director FROM movies WHERE 'Fred' = ANY (actors) ORDER BY name;

\echo '== The index follows every change.'
\echo
UPDATE movies SET actors = '{Fred,Susan}'
 WHERE genre = 'Action' AND name = 'Action Movie 1';
INSERT INTO movies (genre, name, actors, director)
VALUES ('Action', 'Face/Off', '{Nicolas,John}', 'John');
SELECT actor, genre, name FROM movies_by_actor
 WHERE actor IN ('Bert', 'Susan', 'John') ORDER BY actor, name;

SELECT index, key_columns, covered_columns, strategy, state FROM itable_indexes;
