-- Queued indexes: written later, from what each change leaves beside its fact.
CREATE FOREIGN TABLE que_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[], year integer
) SERVER store OPTIONS (table_name 'quemovies');
SELECT itable_create_table('que_movies');
INSERT INTO que_movies SELECT 'G' || i % 3, 'm' || i, ARRAY['a' || i % 2, 'b' || i % 5], i FROM generate_series(1, 30) i;
CALL itable_create_index('que_movies', 'que_actors', '{actors}', include => '{year}', maintenance => 'queued');
CALL itable_create_index('que_movies', 'que_year', '{year}', maintenance => 'queued');
SELECT index, maintenance, strategy, state, backlog FROM itable_indexes WHERE base = 'que_movies'::regclass ORDER BY 1;
SELECT (SELECT count(*) FROM que_actors) AS actors, (SELECT count(*) FROM que_year) AS years;

-- what a change costs, and that nobody sees what it leaves
SELECT itable_stats_reset();
INSERT INTO que_movies VALUES ('G0', 'new', '{a0,c}', 77);
UPDATE que_movies SET year = 78 WHERE genre = 'G0' AND name = 'new';
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1;
SELECT count(*) FROM que_movies;
SELECT count(*) FROM que_movies WHERE genre = 'G0';
-- the backlog is counted when it is asked for
SELECT requests_of('SELECT index, state FROM itable_indexes') AS requests;
SELECT index, backlog FROM itable_indexes WHERE base = 'que_movies'::regclass ORDER BY 1;
-- a change that concerns no index leaves nothing
UPDATE que_movies SET actors = actors, year = year WHERE name = 'm2';
SELECT index, backlog FROM itable_indexes WHERE base = 'que_movies'::regclass ORDER BY 1;

-- an answer must be right: the planner does not use them unless allowed to
SELECT access_of('SELECT * FROM que_movies WHERE ''c'' = ANY (actors)');
SELECT name, year FROM que_movies WHERE 'c' = ANY (actors);
SET itable_fdw.allow_queued = on;
EXPLAIN (COSTS OFF) SELECT genre, year FROM que_movies WHERE 'c' = ANY (actors);
SELECT name, year FROM que_movies WHERE 'c' = ANY (actors);
SELECT access_of('UPDATE que_movies SET year = 1 WHERE ''c'' = ANY (actors)');
SELECT access_of('DELETE FROM que_movies WHERE ''c'' = ANY (actors)');
SELECT itable_process_queue('store', 100);
SELECT name, year FROM que_movies WHERE 'c' = ANY (actors);
SELECT actor, name, year FROM que_actors WHERE actor = 'c';
-- what is found is rechecked at the fact
UPDATE que_movies SET actors = '{d}' WHERE name = 'new';
UPDATE que_movies SET year = 79 WHERE name = 'new';
SELECT name, year FROM que_movies WHERE 'c' = ANY (actors);
SELECT actor, name, year FROM que_actors WHERE actor = 'c';
-- also in a plan that was made before
SET plan_cache_mode = force_generic_plan;
PREPARE que_by_actor(text) AS SELECT name, year FROM que_movies WHERE actors @> ARRAY[$1];
EXECUTE que_by_actor('d');
RESET itable_fdw.allow_queued;
EXECUTE que_by_actor('d');
EXPLAIN (COSTS OFF) EXECUTE que_by_actor('d');
RESET plan_cache_mode;
DEALLOCATE que_by_actor;

-- several changes of one row, rows deleted, inserted again, before the worker comes
UPDATE que_movies SET actors = '{e,d}' WHERE name = 'new';
DELETE FROM que_movies WHERE name IN ('m1', 'm2', 'm3');
INSERT INTO que_movies VALUES ('G1', 'm1', '{a0,back}', 1);
UPDATE que_movies SET year = year + 100 WHERE genre = 'G1';
BEGIN;
UPDATE que_movies SET actors = '{lost}' WHERE genre = 'G0';
ROLLBACK;
SELECT index, backlog FROM itable_indexes WHERE base = 'que_movies'::regclass ORDER BY 1;
SELECT problem, count(*) FROM itable_check_index('que_actors') GROUP BY 1 ORDER BY 1;
-- a few, then all, then nothing
SELECT itable_process_queue('store', 3);
SELECT itable_process_queue('store', 100);
SELECT itable_process_queue('store', 100);
SET itable_fdw.repair_age = 0;
SELECT * FROM itable_check_index('que_actors');
SELECT * FROM itable_check_index('que_year');
RESET itable_fdw.repair_age;
SELECT actor, name, year FROM que_actors WHERE name IN ('new', 'm1', 'm2') ORDER BY 1, 2;

-- large arrays are no matter
INSERT INTO que_movies VALUES ('G9', 'large', (SELECT array_agg('x' || i) FROM generate_series(1, 500) i), 9);
SELECT itable_process_queue('store', 100);
UPDATE que_movies SET actors = (SELECT array_agg('y' || i) FROM generate_series(1, 500) i) WHERE name = 'large';
SELECT itable_process_queue('store', 100);
SELECT count(*), min(actor), max(actor) FROM que_actors WHERE name = 'large';
DELETE FROM que_movies WHERE name = 'large';

-- a dropped index is asked for no more
UPDATE que_movies SET year = 5 WHERE name = 'm10';
CALL itable_drop_index('que_year');
SELECT itable_process_queue('store', 100);
TRUNCATE que_movies;
SELECT itable_process_queue('store', 100);
SELECT count(*) FROM que_actors;

-- refused
\set SHOW_CONTEXT never
\set VERBOSITY default
CALL itable_create_index('que_movies', 'que_bad', '{year}', is_unique => true, maintenance => 'queued');
CALL itable_create_index('que_movies', 'que_bad', '{year}', maintenance => 'sometimes');
SELECT itable_process_queue('store', 0);
SELECT itable_process_queue('nowhere', 1);
CREATE ROLE que_other;
SET ROLE que_other;
SELECT itable_process_queue('store', 1);
RESET ROLE;
DROP ROLE que_other;
CALL itable_drop_index('que_actors');
SELECT itable_drop_table('que_movies');
DROP FOREIGN TABLE que_movies;
