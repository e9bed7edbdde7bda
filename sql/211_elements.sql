-- Conditions on several elements of one array: the rarest is looked up, or the lists of entries of several are intersected, where statistics say that it saves facts.
CREATE FOREIGN TABLE tagged (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, town text, tags text[], nums int[], n int) SERVER store OPTIONS (fetch_size '200');
CREATE TABLE tagged_plain (p text, r int, town text, tags text[], nums int[], n int);
SELECT itable_create_table('tagged');
INSERT INTO tagged_plain SELECT 'p' || i % 3, i, 'town' || i % 2,
  CASE WHEN i % 17 > 0 THEN ARRAY['all', 'a' || i % 5, 'b' || i % 7, CASE WHEN i % 3 > 0 THEN 'c' || i % 4 END, CASE WHEN i % 300 = 0 THEN 'rare' ELSE 'all' END] WHEN i % 2 = 0 THEN '{}' END,
  ARRAY[i % 5, i % 7 + 10, 99], i FROM generate_series(1, 1200) i;
INSERT INTO tagged SELECT * FROM tagged_plain;
CALL itable_create_index('tagged', 'tagged_by_tag', key => '{tags}');
CALL itable_create_index('tagged', 'tagged_by_num', key => '{nums}', partitions => 3, include => '{town}');
CALL itable_create_index('tagged', 'tagged_by_town', key => '{town}');
ANALYZE tagged;
CREATE FUNCTION tagged_how(condition text, what text DEFAULT 'n') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  differs bool;
BEGIN
  EXECUTE format('SELECT EXISTS ((SELECT %2$s FROM tagged WHERE %1$s EXCEPT ALL SELECT %2$s FROM tagged_plain WHERE %1$s)
    UNION ALL (SELECT %2$s FROM tagged_plain WHERE %1$s EXCEPT ALL SELECT %2$s FROM tagged WHERE %1$s))', condition, what) INTO differs;
  RETURN NEXT condition || CASE WHEN differs THEN '  DIFFERS' ELSE '' END;
  RETURN QUERY SELECT '  ' || trim(l) FROM explain_counts(format('SELECT %s FROM tagged WHERE %s', what, condition)) l WHERE l ~ '(Access|Store Filter|Kept Local|Requests):';
END $$;
CREATE TABLE tagged_conditions (id serial, c text);
INSERT INTO tagged_conditions (c) VALUES
 -- two and three elements, however they are said
 ($$tags @> '{a1,b1}'$$), ($$tags @> '{b1,a1,a1}'$$), ($$'a1' = ANY (tags) AND 'b1' = ANY (tags)$$), ($$'{a1,b1}' <@ tags$$), ($$tags @> '{a1}' AND tags @> '{b1}'$$),
 ($$tags @> '{a1,b1,c1}'$$), ($$tags @> '{a1,b1,c1,all}' AND n > 100$$),
 -- one that is rare does alone, wherever it stands
 ($$tags @> '{all,a0,rare}'$$), ($$'all' = ANY (tags) AND 'rare' = ANY (tags)$$), ($$tags @> '{all,nobody}'$$),
 -- elements and another index; a gathered index with integers; one element in every row is no use
 ($$tags @> '{a1,b1}' AND town = 'town1'$$), ($$nums @> '{1,11}'$$), ($$nums @> '{1,11}' AND tags @> '{a1,b1}'$$), ($$nums @> '{99,1}' AND 11 = ANY (nums)$$),
 -- nothing, NULL, and what stays as it is
 ($$tags @> '{a1,a2}'$$), ($$tags @> '{a1,NULL}'$$), ($$tags @> '{{a1,b1},{c1,all}}'$$), ($$tags @> '{a1,b1}' AND tags && '{c1,c2}'$$), ($$NOT tags @> '{a1,b1}' AND 'rare' = ANY (tags)$$),
 ($$(tags @> '{a1,b1}' OR town = 'nowhere')$$);
-- a table so small would be read whole
SET itable_fdw.full_scan = 'error';
SELECT tagged_how(c) FROM tagged_conditions ORDER BY id;
-- what the entries of the rarer one say is enough: no facts, no intersection
SELECT tagged_how($$nums @> '{1,11}' AND town = 'town1'$$, 'p, r, town');
-- own writes, savepoints
BEGIN;
UPDATE tagged SET tags = '{a1,b1,c1,rare}' WHERE p = 'p1' AND r < 50;
UPDATE tagged_plain SET tags = '{a1,b1,c1,rare}' WHERE p = 'p1' AND r < 50;
SAVEPOINT s;
DELETE FROM tagged WHERE tags @> '{a1,b1}' AND n > 700;
DELETE FROM tagged_plain WHERE tags @> '{a1,b1}' AND n > 700;
INSERT INTO tagged VALUES ('new', 1, 'town1', '{a1,b1,NULL}', '{1,11,11}', 5), ('new', 2, NULL, NULL, '{}', 6);
INSERT INTO tagged_plain VALUES ('new', 1, 'town1', '{a1,b1,NULL}', '{1,11,11}', 5), ('new', 2, NULL, NULL, '{}', 6);
SELECT count(*) FROM tagged_conditions, tagged_how(c) h WHERE h ~ 'DIFFERS';
ROLLBACK TO s;
SELECT count(*) FROM tagged_conditions, tagged_how(c) h WHERE h ~ 'DIFFERS';
COMMIT;
SELECT count(*) FROM tagged_conditions, tagged_how(c) h WHERE h ~ 'DIFFERS';
-- more entries than work_mem holds: what fits restricts, the rest is rechecked
SET work_mem = '64kB';
SELECT count(*) FROM tagged_conditions, tagged_how(c) h WHERE h ~ 'DIFFERS';
RESET work_mem;
-- prepared: elements that are known only at execution are not split; a join
PREPARE tagged_two (text, text) AS SELECT count(*), sum(n) FROM tagged WHERE $1 = ANY (tags) AND $2 = ANY (tags);
PREPARE tagged_list (text[]) AS SELECT count(*), sum(n) FROM tagged WHERE tags @> $1;
EXECUTE tagged_two ('a1', 'b1'); EXECUTE tagged_two ('all', 'rare'); EXECUTE tagged_two ('a1', 'a2'); EXECUTE tagged_two (NULL, 'a1'); EXECUTE tagged_two ('a1', 'b2'); EXECUTE tagged_two ('a1', 'b1');
EXECUTE tagged_two ('a2', 'b2'); EXECUTE tagged_two ('a3', 'b3');
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE tagged_two ('a1', 'b1');
EXECUTE tagged_two ('a1', 'b1'); EXECUTE tagged_list ('{a1,b1}');  EXECUTE tagged_list ('{a1,NULL}');
SELECT count(*) FILTER (WHERE tags @> '{a1,b1}'), sum(n) FILTER (WHERE tags @> '{a1,b1}'), count(*) FILTER (WHERE tags @> '{}') FROM tagged_plain;
RESET plan_cache_mode; RESET itable_fdw.full_scan;
SELECT count(*), sum(t.n) FROM (VALUES ('a1'), ('a2'), (NULL)) o (x) JOIN tagged t ON o.x = ANY (t.tags) AND t.tags @> '{b1,all}';
SELECT count(*), sum(t.n) FROM (VALUES ('a1'), ('a2'), (NULL)) o (x) JOIN tagged_plain t ON o.x = ANY (t.tags) AND t.tags @> '{b1,all}';
CALL itable_drop_index('tagged_by_tag');
CALL itable_drop_index('tagged_by_num');
CALL itable_drop_index('tagged_by_town');
SELECT itable_drop_table('tagged');
DROP FOREIGN TABLE tagged;
DROP TABLE tagged_plain, tagged_conditions;
