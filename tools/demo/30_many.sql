\echo
\echo '== 20,000 generated movies; a few actors play in very many of them.'
\echo
CREATE FOREIGN TABLE catalogue (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row')       NOT NULL,
  year   int,
  actors text[]
) SERVER store;
SELECT itable_create_table('catalogue') AS table_created;
CALL itable_create_index('catalogue', 'catalogue_by_actor',
                         key => '{actors}', include => '{actors,year}');
SELECT itable_stats_reset();
\timing on
INSERT INTO catalogue (genre, name, year, actors)
SELECT (ARRAY['Action','Comedy','Drama','Horror','Musical','Western'])[1 + n % 6],
       format('Movie %s', lpad(n::text, 5, '0')),
       1920 + n % 100,
       -- the k-th actor about as often as 1/k
       ARRAY(SELECT DISTINCT format('Actor %s',
               floor(exp(ln(2000) * ((n * 7919::bigint * (a * 31 + 17)) % 10007) / 10007.0))::int)
               FROM generate_series(1, 3) a)
  FROM generate_series(1, 20000) n;
\timing off
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0;

\echo
\echo '== A star and a beginner, each by the index and without it.'
\echo
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT genre, name, year FROM catalogue WHERE 'Actor 1' = ANY (actors);
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT genre, name, year FROM catalogue WHERE 'Actor 1000' = ANY (actors);
SET itable_fdw.enable_index = off;
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
SELECT genre, name, year FROM catalogue WHERE 'Actor 1000' = ANY (actors);
RESET itable_fdw.enable_index;

\echo '== How often the actors play.'
\echo
SELECT actor, count(*) AS movies FROM catalogue_by_actor
 WHERE actor IN ('Actor 1', 'Actor 10', 'Actor 100', 'Actor 1000')
 GROUP BY actor ORDER BY actor;
