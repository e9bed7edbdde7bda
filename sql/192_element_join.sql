-- A join by an array's element is estimated from the elements' statistics: lookups where they are fewer, a scan where not.
CREATE FOREIGN TABLE cast_of (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, actors text[], n int[]) SERVER store OPTIONS (fetch_size '20');
CREATE TABLE cast_plain (p text, r int, actors text[], n int[]);
SELECT itable_create_table('cast_of');
-- one actor is everywhere, 1,000 are in four films each
INSERT INTO cast_plain SELECT 'p' || i % 5, i, CASE WHEN i % 50 > 0 THEN ARRAY['Star', 'A' || i % 1000, NULL, 'A' || i % 1000] END, ARRAY[i % 400] FROM generate_series(1, 4000) i;
INSERT INTO cast_of SELECT * FROM cast_plain;
CREATE TABLE fans (id int, actor text, n bigint);
INSERT INTO fans SELECT i, 'A' || i * 37, i FROM generate_series(1, 8) i;
CREATE TABLE crowd AS SELECT i AS id, 'A' || i % 1000 AS actor FROM generate_series(1, 3000) i;
CREATE TABLE lovers AS SELECT i AS id, CASE WHEN i % 4 > 0 THEN 'Star' ELSE 'A7' END AS actor FROM generate_series(1, 8) i;
SET client_min_messages = warning;
CALL itable_create_index('cast_of', 'cast_by_actor', key => '{actors}');
CALL itable_create_index('cast_of', 'cast_by_n', key => '{n}');
ANALYZE cast_of; ANALYZE cast_plain; ANALYZE fans; ANALYZE crowd; ANALYZE lovers;
CREATE FUNCTION join_of(query text) RETURNS TABLE (access text, estimate text, rows bigint, differ bigint) LANGUAGE plpgsql AS $$
DECLARE
  j jsonb;
  est numeric;
BEGIN
  EXECUTE 'EXPLAIN (FORMAT JSON) ' || query INTO j;
  est := (j->0->'Plan'->>'Plan Rows')::numeric;
  EXECUTE format('SELECT count(*) FROM (%s) x', query) INTO rows;
  EXECUTE format('WITH mine AS MATERIALIZED (%s), plain AS MATERIALIZED (%s) SELECT count(*) FROM ((TABLE mine EXCEPT ALL TABLE plain) UNION ALL (TABLE plain EXCEPT ALL TABLE mine)) x',
    query, replace(query, 'cast_of', 'cast_plain')) INTO differ;
  access := access_of(query);
  estimate := CASE WHEN est BETWEEN rows * 0.3 AND rows * 3.5 + 1 THEN 'about right' ELSE 'off' END;
  RETURN NEXT;
END $$;
-- a few fans of rare actors: lookups; of the one everywhere: a scan
SELECT * FROM join_of('SELECT f.id, c.p, c.r FROM fans f JOIN cast_of c ON f.actor = ANY (c.actors)');
SELECT * FROM join_of('SELECT f.id, c.p, c.r FROM lovers f JOIN cast_of c ON f.actor = ANY (c.actors)');
-- requests: what the estimate saves
SELECT requests_of('SELECT f.id, c.p, c.r FROM fans f JOIN cast_of c ON f.actor = ANY (c.actors)') AS lookups,
  requests_of('SELECT f.id, c.p, c.r FROM lovers f JOIN cast_of c ON f.actor = ANY (c.actors)') BETWEEN 200 AND 270 AS pages;
-- other kinds of joins, more conditions, a value of another type
SELECT * FROM join_of('SELECT f.id, c.p, c.r FROM fans f LEFT JOIN cast_of c ON f.actor = ANY (c.actors) AND c.r > 1500');
SELECT * FROM join_of('SELECT f.id FROM fans f WHERE EXISTS (SELECT FROM cast_of c WHERE f.actor = ANY (c.actors))');
SELECT * FROM join_of('SELECT f.id FROM fans f WHERE NOT EXISTS (SELECT FROM cast_of c WHERE f.actor = ANY (c.actors))');
SELECT * FROM join_of('SELECT f.id, c.r FROM fans f JOIN cast_of c ON f.id = ANY (c.n)');
SELECT * FROM join_of('SELECT f.id, c.r FROM fans f JOIN cast_of c ON f.n = ANY (c.n)');
SELECT * FROM join_of($$SELECT f.id, c.r FROM fans f JOIN cast_of c ON upper(f.actor) = ANY (c.actors) AND c.p = 'p1'$$);
-- a parameter: the mean element
SET plan_cache_mode = force_generic_plan;
PREPARE by_actor (text) AS SELECT count(*) FROM cast_of WHERE $1 = ANY (actors);
EXPLAIN (COSTS OFF) EXECUTE by_actor ('A1');
EXECUTE by_actor ('A1');
EXECUTE by_actor ('Star');
EXECUTE by_actor (NULL);
RESET plan_cache_mode;
SELECT itable_drop_table('cast_by_n'), itable_drop_table('cast_by_actor'), itable_drop_table('cast_of');
DROP FOREIGN TABLE cast_of CASCADE;
DROP TABLE cast_plain, fans, crowd, lovers;
DROP FUNCTION join_of;
