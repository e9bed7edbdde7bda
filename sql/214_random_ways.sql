-- Random conditions that are read by intersections, unions and lists in parts, in transactions that change rows: always the rows of a plain table.
CREATE FOREIGN TABLE ways (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, town text, tags text[], n int, d timestamptz) SERVER store OPTIONS (fetch_size '80');
CREATE TABLE ways_plain (p text, r int, town text, tags text[], n int, d timestamptz);
SELECT itable_create_table('ways');
INSERT INTO ways_plain SELECT 'p' || i % 4, i, CASE WHEN i % 19 > 0 THEN 'town' || i % 6 END,
  CASE WHEN i % 17 > 0 THEN ARRAY['x' || i % 3, 'x' || i % 5, 'it''s ' || i % 4, CASE WHEN i % 7 > 1 THEN '"' || i % 2 END] WHEN i % 2 = 0 THEN '{}' END,
  NULLIF(i % 100, 7), '2020-01-01Z'::timestamptz + (i % 90) * interval '1 hour' FROM generate_series(1, 1000) i;
INSERT INTO ways SELECT * FROM ways_plain;
CALL itable_create_index('ways', 'ways_by_tag', key => '{tags}');
CALL itable_create_index('ways', 'ways_by_town', key => '{town}', include => '{n}');
CALL itable_create_index('ways', 'ways_by_spread_tag', key => '{tags}', include => '{town}', partitions => 4);
ANALYZE ways;
CREATE TABLE ways_seen (kind text);
CREATE FUNCTION pick(VARIADIC choices text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT choices[1 + floor(random() * cardinality(choices))::int] $$;
CREATE FUNCTION tag() RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT pick('x0', 'x1', 'x2', 'x3', 'it''s 1', 'it''s 2', '"0', '"1', 'none') $$;
CREATE FUNCTION element() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE floor(random() * 5)::int WHEN 0 THEN format('%L = ANY (tags)', tag()) WHEN 1 THEN format('tags @> %L', ARRAY[tag(), tag()]::text) WHEN 2 THEN format('tags @> %L', ARRAY[tag(), tag(), tag()]::text)
    WHEN 3 THEN format('%L <@ tags', ARRAY[tag()]::text) ELSE format('town = %L', 'town' || floor(random() * 7)::int) END;
END $$;
CREATE FUNCTION list(n int) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT string_agg(pick('NULL', floor(random() * 120)::text, floor(random() * 120)::text, floor(random() * 120)::text), ', ') FROM generate_series(1, n) $$;
CREATE FUNCTION more() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN pick('', '', format(' AND n > %s', floor(random() * 100)), format(' AND p <> %L', 'p1'), ' AND town IS NULL', format(' AND n NOT IN (%s)', floor(random() * 100)), format(' AND tags && %L', ARRAY[tag(), tag()]::text));
END $$;
CREATE FUNCTION condition() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE floor(random() * 4)::int WHEN 0 THEN element() || ' AND ' || element() || more() WHEN 1 THEN element() || ' AND ' || element() || ' AND ' || element() || more()
    WHEN 2 THEN format('p = %L AND n IN (%s)', 'p' || floor(random() * 5)::int, list(12 + floor(random() * 50)::int)) || more()
    ELSE format('((%s AND %s) OR %s OR p = %L AND r < 60)', element(), element(), element(), 'p2') || more() END;
END $$;
CREATE FUNCTION way(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  what text := pick('*', 'p, r, n', 'p, r, town', 'count(*), sum(n)');
  differs bool;
BEGIN
  FOR line IN EXECUTE format('EXPLAIN (COSTS OFF) SELECT %s FROM ways WHERE %s', what, condition) LOOP
    INSERT INTO ways_seen SELECT (regexp_match(line, 'intersection|union|List Parts'))[1] WHERE line ~ 'intersection|union|List Parts';
  END LOOP;
  EXECUTE format('SELECT EXISTS ((SELECT %2$s FROM ways WHERE %1$s EXCEPT ALL SELECT %2$s FROM ways_plain WHERE %1$s) UNION ALL (SELECT %2$s FROM ways_plain WHERE %1$s EXCEPT ALL SELECT %2$s FROM ways WHERE %1$s))', condition, what) INTO differs;
  RETURN CASE WHEN differs THEN 'DIFFERS: ' || what || ' WHERE ' || condition ELSE 'same' END;
END $$;
SET itable_fdw.full_scan = 'error'; SET itable_fdw.scan_ranges = 1;
SELECT setseed(0.5);
SELECT way(condition()), count(*) >= 15 FROM generate_series(1, 15) GROUP BY 1;
SET work_mem = '64kB';
SELECT way(condition()), count(*) >= 5 FROM generate_series(1, 5) GROUP BY 1;
RESET work_mem;
BEGIN;
UPDATE ways SET tags = tags || '{x1,"it''s 1"}', n = 3 WHERE town = 'town1' AND n % 4 = 1;
UPDATE ways_plain SET tags = tags || '{x1,"it''s 1"}', n = 3 WHERE town = 'town1' AND n % 4 = 1;
DELETE FROM ways WHERE tags @> '{x0}' AND n < 20;
DELETE FROM ways_plain WHERE tags @> '{x0}' AND n < 20;
INSERT INTO ways VALUES ('p2', 9001, 'town2', '{x1,x2,"it''s 2",NULL}', 30), ('p9', 1, NULL, '{x0}', NULL);
INSERT INTO ways_plain VALUES ('p2', 9001, 'town2', '{x1,x2,"it''s 2",NULL}', 30), ('p9', 1, NULL, '{x0}', NULL);
SELECT way(condition()), count(*) >= 10 FROM generate_series(1, 10) GROUP BY 1;
SAVEPOINT s;
DELETE FROM ways WHERE town = 'town2'; DELETE FROM ways_plain WHERE town = 'town2';
SELECT way(condition()), count(*) >= 5 FROM generate_series(1, 5) GROUP BY 1;
ROLLBACK TO s;
SELECT way(condition()), count(*) >= 5 FROM generate_series(1, 5) GROUP BY 1;
COMMIT;
SELECT way(condition()), count(*) >= 15 FROM generate_series(1, 15) GROUP BY 1;
SELECT kind, count(*) > 2 FROM ways_seen GROUP BY kind ORDER BY kind;
RESET itable_fdw.full_scan; RESET itable_fdw.scan_ranges;
CALL itable_drop_index('ways_by_tag');
CALL itable_drop_index('ways_by_town');
CALL itable_drop_index('ways_by_spread_tag');
SELECT itable_drop_table('ways');
DROP FOREIGN TABLE ways;
DROP TABLE ways_plain, ways_seen;
DROP FUNCTION pick, tag, element, list, more, condition, way;
