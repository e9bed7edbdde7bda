-- Prepared statements: custom and generic plans give the same answers.
CREATE FOREIGN TABLE pre (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, n int, d date, a text[]) SERVER store;
CREATE TABLE pre_plain (p text, r int, t text, n int, d date, a text[]);
SELECT itable_create_table('pre');
INSERT INTO pre_plain SELECT 'p' || i % 3, i, 't' || i % 4, CASE WHEN i % 5 > 0 THEN i END, '2000-01-01'::date + i, ARRAY['a' || i % 2, 'b' || i % 3] FROM generate_series(1, 40) i;
INSERT INTO pre SELECT * FROM pre_plain;
SET client_min_messages = warning;
CALL itable_create_index('pre', 'pre_by_a', key => '{a}', include => '{t}');
-- every statement with every argument, ten times over, against the plain table
CREATE FUNCTION pre_check(condition text, types text, arguments text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
  argument text;
  wrong int := 0;
BEGIN
  EXECUTE format('PREPARE pre_s (%s) AS SELECT string_agg(r::text, '','' ORDER BY r) FROM pre WHERE %s', types, condition);
  EXECUTE format('PREPARE pre_p (%s) AS SELECT string_agg(r::text, '','' ORDER BY r) FROM pre_plain WHERE %s', types, condition);
  FOR i IN 1..10 LOOP
    FOREACH argument IN ARRAY arguments LOOP
      EXECUTE format('EXECUTE pre_s (%s)', argument) INTO mine;
      EXECUTE format('EXECUTE pre_p (%s)', argument) INTO plain;
      wrong := wrong + (mine IS DISTINCT FROM plain)::int;
    END LOOP;
  END LOOP;
  DEALLOCATE pre_s;
  DEALLOCATE pre_p;
  RETURN condition || ': ' || CASE wrong WHEN 0 THEN 'same' ELSE wrong || ' DIFFER' END;
END $$;
CREATE TABLE pre_cases (c text, types text, arguments text[]);
INSERT INTO pre_cases VALUES ('p = $1 AND r = $2', 'text, int', ARRAY['''p1'', 1', '''p1'', 2', '''p2'', 2', 'NULL, 1', '''p1'', NULL']), ('p = $1 AND r = $2', 'text, bigint', ARRAY['''p1'', 1', '''p1'', 5000000000']),
  ('p = $1', 'text', ARRAY['''p0''', '''p1''', 'NULL', '''zz''']), ('p = $1 AND r BETWEEN $2 AND $3', 'text, int, int', ARRAY['''p1'', 5, 20', '''p0'', 20, 5', '''p1'', NULL, 7']), ('p = $1 AND r > $2', 'text, int', ARRAY['''p1'', 5', '''p2'', -1', '''p2'', NULL']),
  ('p IN ($1, $2)', 'text, text', ARRAY['''p1'', ''p2''', '''p1'', ''p1''', '''p1'', NULL', 'NULL, NULL']), ('p = ANY ($1)', 'text[]', ARRAY['''{p1,p2}''', '''{}''', 'NULL', '''{NULL,p0}''']), ('p = $1 AND r = ANY ($2)', 'text, int[]', ARRAY['''p1'', ''{1,4,5}''', '''p1'', ''{}''', '''p1'', NULL']),
  ('a @> $1', 'text[]', ARRAY['''{a1}''', '''{a1,b2}''', '''{}''', 'NULL', '''{NULL}''', '''{zz}''']), ('a && $1', 'text[]', ARRAY['''{a1}''', '''{b1,b2}''', '''{}''', 'NULL', '''{NULL,b0}''']), ('$1 = ANY (a)', 'text', ARRAY['''a1''', '''b1''', 'NULL', '''zz''']),
  ('n = $1', 'int', ARRAY['1', '10', 'NULL']), ('n > $1 AND d <= $2', 'bigint, date', ARRAY['10, ''2000-01-20''', '5000000000, ''2000-01-20''', '10, ''infinity''', 'NULL, NULL']), ('t = $1 OR n = $2', 'text, int', ARRAY['''t1'', 3', 'NULL, 3', '''t1'', NULL']),
  ('t = ANY ($1) AND n <> $2', 'text[], int', ARRAY['''{t1,t2}'', 7', 'NULL, 7', '''{}'', 7', '''{t0}'', NULL']), ('p LIKE $1', 'text', ARRAY['''p%''', '''p1''', 'NULL']), ('t = ANY ($1)', 'text[]', ARRAY['string_to_array(''t3'' || repeat('',t1'', 40), '','')', '''{t3}''']);
SELECT pre_check(c, types, arguments) FROM pre_cases;
SET plan_cache_mode = force_generic_plan;
SELECT pre_check(c, types, arguments) FROM pre_cases;
-- what generic plans ask
PREPARE pre_point (text, int) AS SELECT n FROM pre WHERE p = $1 AND r = $2;
PREPARE pre_filter (int) AS SELECT r FROM pre WHERE n = $1;
PREPARE pre_index (text) AS SELECT t FROM pre WHERE $1 = ANY (a);
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE pre_point ('p1', 1);
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE pre_filter (1);
SELECT requests_of($$EXECUTE pre_point ('p1', 1)$$), requests_of($$EXECUTE pre_point ('p1', NULL)$$), requests_of($$EXECUTE pre_filter (NULL)$$);
-- a plan notices that its index has gone, or come back
CALL itable_drop_index('pre_by_a');
EXECUTE pre_index ('zz');
EXPLAIN (COSTS OFF) EXECUTE pre_index ('a1');
CALL itable_create_index('pre', 'pre_by_a', key => '{a}', include => '{t}');
SELECT count(*) FROM pre WHERE 'a1' = ANY (a);
-- options changed in between take effect
PREPARE pre_all AS SELECT count(*) FROM pre WHERE p = 'p1';
SELECT requests_of('EXECUTE pre_all');
ALTER FOREIGN TABLE pre OPTIONS (ADD fetch_size '5');
SELECT requests_of('EXECUTE pre_all');
ALTER SERVER store OPTIONS (ADD fetch_size '2');
ALTER FOREIGN TABLE pre OPTIONS (DROP fetch_size);
SELECT requests_of('EXECUTE pre_all');
ALTER SERVER store OPTIONS (DROP fetch_size);
SELECT requests_of('EXECUTE pre_all');
CALL itable_drop_index('pre_by_a');
SELECT itable_drop_table('pre');
DROP FOREIGN TABLE pre;
