-- Lists of values that are too long for one filter: asked for in parts where that is fewer requests and costs less, otherwise left local; EXPLAIN says why.
CREATE FOREIGN TABLE listed (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, n int, t text, d timestamptz) SERVER store OPTIONS (fetch_size '23');
CREATE TABLE listed_plain (p text, r int, n int, t text, d timestamptz);
SELECT itable_create_table('listed');
INSERT INTO listed_plain SELECT CASE WHEN i % 6 > 0 THEN 'large' ELSE 'small' || i % 4 END, i, NULLIF(i % 300, 7), 't''' || i % 400, '2020-01-01Z'::timestamptz + (i % 200) * interval '1 hour' FROM generate_series(1, 1200) i;
INSERT INTO listed SELECT * FROM listed_plain;
ANALYZE listed; ANALYZE listed_plain;
CREATE FUNCTION listed_how(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  differs bool;
BEGIN
  EXECUTE format('SELECT EXISTS ((SELECT * FROM listed WHERE %1$s EXCEPT ALL SELECT * FROM listed_plain WHERE %1$s)
    UNION ALL (SELECT * FROM listed_plain WHERE %1$s EXCEPT ALL SELECT * FROM listed WHERE %1$s))', condition) INTO differs;
  RETURN NEXT left(condition, 60) || CASE WHEN differs THEN '  DIFFERS' ELSE '' END;
  RETURN QUERY SELECT '  ' || regexp_replace(regexp_replace(trim(l), '''\{.*?\}''', '{...}', 'g'), 'Filter: .*\(and', 'Filter: ... (and') FROM explain_counts('SELECT * FROM listed WHERE ' || condition) l
    WHERE l ~ '(Access|Pieces|List Parts|Store Filter|Kept|Requests)';
END $$;
CREATE FUNCTION many(word text, n int, quote text DEFAULT '') RETURNS text LANGUAGE sql AS $$ SELECT string_agg(quote || word || i * 3 || quote, ', ') FROM generate_series(1, n) i $$;
CREATE TABLE listed_conditions (id serial, c text);
INSERT INTO listed_conditions (c) VALUES
 -- one filter, three, as many as are worth it, and more
 ('p = ''large'' AND n IN (' || many('', 9) || ')'), ('p = ''large'' AND n IN (' || many('', 30) || ')'), ('p = ''large'' AND n IN (' || many('', 100) || ')'),
 ('p = ''large'' AND n IN (' || many('', 3000) || ')'), ('p = ''small2'' AND n IN (' || many('', 30) || ')'), ('n IN (' || many('', 30) || ')'),
 -- values twice, NULL, beyond the type; other conditions beside; ranges of keys; texts, times (two comparisons each, and wider than the value)
 ('p = ''large'' AND n IN (' || many('', 30) || ', NULL, 5, 5, 3, 6, 9)'), ('p = ''large'' AND n = ANY (''{' || many('', 30) || ',99999999999}''::bigint[])'),
 ('p = ''large'' AND r > 200 AND d > ''2020-01-03Z'' AND n IN (' || many('', 40) || ') AND t <> ''t1'''), ('p = ''large'' AND t IN (' || many('t''''', 40, '''') || ')'),
 ('p = ''large'' AND d IN (SELECT d FROM listed_plain WHERE r < 3)'), ('p = ''large'' AND t = ANY (''{' || repeat('x', 900) || ',' || many(repeat('y', 700), 20) || ',t''''3}'')'),
 ('p = ''large'' AND n NOT IN (' || many('', 30) || ')'), ('p IN (''large'', ''small2'') AND n IN (' || many('', 30) || ')');
-- pieces that are read side by side are cheaper than walking the partition for each part
SELECT listed_how(c) FROM listed_conditions WHERE id = 2;
SET itable_fdw.scan_ranges = 1;
SELECT listed_how(c) FROM listed_conditions ORDER BY id;
SELECT count(*) FROM (SELECT 1 FROM listed WHERE p = 'large' AND n IN (3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48) LIMIT 4) x;
-- own rows are there once
BEGIN;
UPDATE listed SET n = 6 WHERE p = 'large' AND r IN (1, 3, 5); UPDATE listed_plain SET n = 6 WHERE p = 'large' AND r IN (1, 3, 5);
DELETE FROM listed WHERE p = 'large' AND n IN (9, 12); DELETE FROM listed_plain WHERE p = 'large' AND n IN (9, 12);
INSERT INTO listed VALUES ('large', 5000, 3, 't''3'); INSERT INTO listed_plain VALUES ('large', 5000, 3, 't''3');
SELECT count(*) FROM listed_conditions, listed_how(c) h WHERE h ~ 'DIFFERS';
ROLLBACK;
-- what does not go into a filter is known at execution: generic plans
SET plan_cache_mode = force_generic_plan;
PREPARE listed_p (int[], text) AS SELECT count(*) FROM listed WHERE p = 'large' AND n = ANY ($1) AND t = $2;
SELECT explain_counts('EXECUTE listed_p (''{3,6,9}'', ''a'')');
SELECT h FROM explain_counts(format('EXECUTE listed_p (%L, %L)', '{' || many('', 40) || '}', 'a')) h WHERE h ~ '(Kept|Requests)';
SELECT h FROM explain_counts(format('EXECUTE listed_p (%L, %L)', '{3}', repeat('x', 2500))) h WHERE h ~ '(Kept|Requests)';
SELECT h FROM explain_counts(format('EXECUTE listed_p (%L, %L)', '{NULL}', repeat('x', 2500))) h WHERE h ~ '(Kept|Requests)';
PREPARE listed_o (int, text) AS SELECT count(*) FROM listed WHERE p = 'large' AND (n = $1 OR t = $2) AND d BETWEEN '2020-01-02Z' AND '2020-01-09Z';
SELECT h FROM explain_counts(format('EXECUTE listed_o (3, %L)', repeat('x', 2500))) h WHERE h ~ '(Kept|Requests)';
RESET plan_cache_mode;
SELECT itable_drop_table('listed');
DROP FOREIGN TABLE listed;
DROP TABLE listed_plain, listed_conditions;
