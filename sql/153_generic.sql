-- Generic plans: what is known only at execution, each answer beside a plain table's.
CREATE FOREIGN TABLE gen (p text OPTIONS (key 'partition') COLLATE "C" NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  t text COLLATE "C", n int, d timestamptz, a text[], b int[]) SERVER store OPTIONS (fetch_size '10');
CREATE TABLE gen_plain (p text COLLATE "C", r text COLLATE "C", t text COLLATE "C", n int, d timestamptz, a text[], b int[]);
SELECT itable_create_table('gen');
INSERT INTO gen_plain SELECT 'p' || i % 6, 'r' || i, 't' || i % 7, CASE WHEN i % 5 > 0 THEN i END, '2000-01-01 00:00+00'::timestamptz + i * interval '1 day',
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '{}' ELSE ARRAY['a' || i % 9, NULLIF('b' || i % 3, 'b2')] END, CASE WHEN i % 3 > 0 THEN ARRAY[i % 8, i % 5] END FROM generate_series(1, 120) i;
INSERT INTO gen SELECT * FROM gen_plain;
CALL itable_create_index('gen', 'gen_by_a', key => '{a}');
CALL itable_create_index('gen', 'gen_by_b', key => '{b}', include => '{b,t}');
CALL itable_create_index('gen', 'gen_by_t', key => '{t}');
SET timezone = 'UTC';
-- every statement with every argument eight times over
CREATE FUNCTION gen_check(condition text, types text, arguments text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
  wrong int := 0;
BEGIN
  EXECUTE format('PREPARE gen_s (%s) AS SELECT string_agg(p || r, '','' ORDER BY p, r) FROM gen WHERE %s', types, condition);
  EXECUTE format('PREPARE gen_p (%s) AS SELECT string_agg(p || r, '','' ORDER BY p, r) FROM gen_plain WHERE %s', types, condition);
  FOR i IN 1..8 LOOP
    FOR j IN 1..cardinality(arguments) LOOP
      EXECUTE format('EXECUTE gen_s (%s)', arguments[j]) INTO mine;
      EXECUTE format('EXECUTE gen_p (%s)', arguments[j]) INTO plain;
      wrong := wrong + (mine IS DISTINCT FROM plain)::int;
    END LOOP;
  END LOOP;
  DEALLOCATE gen_s;
  DEALLOCATE gen_p;
  RETURN condition || ': ' || CASE wrong WHEN 0 THEN 'same' ELSE wrong || ' DIFFER' END;
END $$;
CREATE TABLE gen_cases (c text, types text, arguments text[]);
INSERT INTO gen_cases VALUES
  ('a @> $1', 'text[]', ARRAY['''{a2}''', '''{a2,b0}''', '''{}''', 'NULL', '''{NULL}''', '''{NULL,a2}''', '''{{a2},{a2}}''', '''{{a2},{b0}}''', '''{zz}''', 'ARRAY[]::text[][]']),
  ('a && $1', 'text[]', ARRAY['''{a2}''', '''{a2,b0}''', '''{}''', 'NULL', '''{NULL}''', '''{{a2},{b0}}''', '''{a2,a2,NULL}''']),
  ('b @> $1 AND t = $2', 'int[], text', ARRAY['''{2}'', ''t1''', '''{}'', ''t2''', 'NULL, ''t1''', '''{2}'', NULL']),
  ('b && $1 OR t = $2', 'int[], text', ARRAY['''{2,3}'', ''t1''', '''{}'', ''t1''', 'NULL, ''t1''', 'NULL, NULL', '''{NULL}'', ''t9''']),
  ('a @> $1 OR b @> $2', 'text[], int[]', ARRAY['''{a2}'', ''{2}''', '''{}'', ''{2}''', '''{a2}'', ''{}''', 'NULL, ''{2}''', '''{}'', NULL']),
  ('p = $1 OR p = $2', 'text, text', ARRAY['''p1'', ''p2''', '''p1'', ''p1''', 'NULL, ''p2''', 'NULL, NULL']),
  ('(p = $1 AND r = $2) OR (p = $3 AND r > $4)', 'text, text, text, text', ARRAY['''p1'', ''r1'', ''p2'', ''r5''', '''p1'', ''r1'', ''p1'', ''r0''', 'NULL, NULL, ''p2'', ''r5''']),
  ('(p, r) > ($1, $2)', 'text, text', ARRAY['''p3'', ''r5''', '''p3'', NULL', 'NULL, ''r5''', ''''', ''''', '''p9'', ''''']),
  ('(p, r) IN (($1, $2), ($2, $1), ($1, $1))', 'text, text', ARRAY['''p1'', ''r1''', '''r1'', ''p1''', 'NULL, ''r1''']),
  ('t LIKE $1', 'text', ARRAY['''t1''', '''t1%''', '''%1''', '''_1''', 'NULL', '''''', '''t\1''', '''t\%''']),
  ('p LIKE $1 AND starts_with(r, $2)', 'text, text', ARRAY['''p1'', ''r1''', '''p%'', ''r1''', '''%'', ''''', 'NULL, ''r''', '''p1'', NULL']),
  ('t ^@ $1 AND t >= $2', 'text, text', ARRAY['''t'', ''t3''', ''''', ''t3''', 'U&''t\E000'', ''''', '''t'', U&''t\E000''', '''t'', U&''t\+01F600''']),
  ('t <> ALL ($1)', 'text[]', ARRAY['''{t1,t2}''', '''{}''', 'NULL', '''{t1,NULL}''', '''{{t1},{t2}}''']),
  ('n IS NOT NULL AND n <> $1', 'int', ARRAY['3', 'NULL']), ('n IS NOT DISTINCT FROM $1', 'int', ARRAY['3', 'NULL']), ('t IS NOT DISTINCT FROM $1', 'text', ARRAY['''t1''', 'NULL']),
  ('d > $1', 'date', ARRAY['''2000-02-01''', '''infinity''', '''-infinity''', 'NULL', '''5874897-01-01''']), ('d <= $1', 'timestamp', ARRAY['''2000-02-01 12:00''', '''infinity''', 'NULL']),
  ('($1 IS NULL OR t = $1) AND ($2::int IS NULL OR n > $2)', 'text, int', ARRAY['''t1'', 3', 'NULL, 100', '''t1'', NULL', 'NULL, NULL']),
  ('p = $1 OR $2', 'text, bool', ARRAY['''p1'', false', '''p1'', NULL', '''p1'', true', 'NULL, true']), ('t = $1 OR (p = $2 AND $3 > 1) OR ($3 > 2 AND n < 9)', 'text, text, int', ARRAY['''t1'', ''p1'', 1', '''t1'', ''p1'', 2', '''t1'', ''p1'', 3', 'NULL, NULL, NULL']),
  ('$1 = ANY (a) AND ($2 = ANY (b) OR t = $3)', 'text, int, text', ARRAY['''a2'', 2, ''t1''', '''a2'', NULL, ''t1''', 'NULL, 2, ''t1''']);
SELECT gen_check(c, types, arguments) FROM gen_cases;
SET plan_cache_mode = force_generic_plan;
SELECT gen_check(c, types, arguments) FROM gen_cases;
-- the same plan asks the index, or everything
PREPARE has (text[]) AS SELECT r FROM gen WHERE a @> $1;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE has ('{}');
SELECT trim(l) FROM explain_counts($$EXECUTE has ('{a2}')$$) l WHERE l ~ '(Access|Fallback|Requests):';
SELECT trim(l) FROM explain_counts($$EXECUTE has ('{}')$$) l WHERE l ~ '(Access|Fallback|Requests):';
SELECT trim(l) FROM explain_counts($$EXECUTE has ('{NULL}')$$) l WHERE l ~ '(Access|Fallback|Requests):';
-- also within a join: each outer row by itself
SELECT count(*), count(g.r) FROM (VALUES ('{a2}'::text[]), ('{}'), (NULL), ('{a2,b0}')) v(x) LEFT JOIN gen g ON g.a @> v.x;
SELECT count(*), count(g.r) FROM (VALUES ('{a2}'::text[]), ('{}'), (NULL), ('{a2,b0}')) v(x) LEFT JOIN gen_plain g ON g.a @> v.x;
PREPARE either (int[], text) AS SELECT r FROM gen WHERE b && $1 OR t = $2;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE either ('{1}', 't1');
PREPARE optional (text) AS SELECT r FROM gen WHERE $1 IS NULL OR t = $1;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE optional ('t1');
SELECT trim(l) FROM explain_counts($$EXECUTE optional ('t1')$$) l WHERE l ~ '(Access|Otherwise|Fallback|Requests):';
SELECT trim(l) FROM explain_counts($$EXECUTE optional (NULL)$$) l WHERE l ~ '(Access|Otherwise|Fallback|Requests):';
CALL itable_drop_index('gen_by_a');
CALL itable_drop_index('gen_by_b');
CALL itable_drop_index('gen_by_t');
SELECT itable_drop_table('gen');
DROP FOREIGN TABLE gen;
