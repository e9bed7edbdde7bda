-- OR: each side by its own way, every row once.
-- with many connections lookups are cheap beside these few pages
ALTER SERVER store OPTIONS (ADD max_connections '32');
SET itable_fdw.scan_ranges = 8;
CREATE FOREIGN TABLE orx (
  p text OPTIONS (key 'partition') COLLATE "C" NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  n int, town text, tags text[]) SERVER store OPTIONS (fetch_size '20');
CREATE TABLE orx_plain (p text COLLATE "C", r text COLLATE "C", n int, town text, tags text[]);
SELECT itable_create_table('orx');
INSERT INTO orx_plain
  SELECT 'p' || i % 15, 'r' || to_char(i, 'FM0000'), NULLIF(i % 50, 7), NULLIF('town' || i % 120, 'town3'),
    CASE WHEN i % 9 = 0 THEN NULL WHEN i % 10 = 0 THEN '{}' ELSE ARRAY['tag' || i % 100, 'odd' || i % 7] END
  FROM generate_series(1, 1500) i;
INSERT INTO orx_plain VALUES ('', '', 1, '', '{""}'), ('p/1', 'it''s', 2, 'a/b', '{"x,y"}'), ('p1''', 'r', 3, ''' or 1 eq 1', NULL);
INSERT INTO orx SELECT * FROM orx_plain;
CALL itable_create_index('orx', 'orx_by_town', key => '{town}');
CALL itable_create_index('orx', 'orx_by_tag', key => '{tags}', include => '{n,town,tags}');
-- exact: not more pages than are read whole
ALTER FOREIGN TABLE orx OPTIONS (SET fetch_size '1000');
ANALYZE orx;
ALTER FOREIGN TABLE orx OPTIONS (SET fetch_size '20');
-- what is asked, and whether the answer is the plain table's
CREATE FUNCTION or_how(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  differs bool;
BEGIN
  EXECUTE format('SELECT EXISTS ((SELECT * FROM orx WHERE %1$s EXCEPT ALL SELECT * FROM orx_plain WHERE %1$s)
    UNION ALL (SELECT * FROM orx_plain WHERE %1$s EXCEPT ALL SELECT * FROM orx WHERE %1$s))', condition) INTO differs;
  RETURN NEXT condition || CASE WHEN differs THEN '  DIFFERS' ELSE '' END;
  RETURN QUERY SELECT '  ' || trim(l) FROM explain_counts('SELECT * FROM orx WHERE ' || condition) l
    WHERE l ~ '(Access|Store Filter|Requests):' AND (l ~ 'Access' OR access_of('SELECT * FROM orx WHERE ' || condition) <> 'Access: full');
END $$;
-- one list: as IN
SELECT or_how(c) FROM unnest(ARRAY[
  $$p = 'p1' OR p = 'p2'$$, $$p = 'p1' OR p IN ('p2', 'p1') OR 'p3' = p$$, $$p = 'p1' AND (r = 'r0001' OR r = 'r0006' OR r = NULL)$$,
  $$(p = 'p1' OR p = 'p2') AND (r = 'r0001' OR r = 'r0002')$$, $$town = 'town1' OR town = 'a/b'$$, $$'tag1' = ANY (tags) OR tags && '{tag2}'$$,
  $$p = 'p1' OR p = 'nowhere'$$, $$p = '' OR p = 'p/1'$$]) c;
-- points and ranges of the relation itself
SELECT or_how(c) FROM unnest(ARRAY[
  $$(p = 'p1' AND r = 'r0001') OR (p = 'p2' AND r = 'r0002')$$, $$(p, r) IN (('p1', 'r0001'), ('p2', 'r0002'), ('p1', 'r0001'), ('', ''))$$,
  $$(p = 'p1' AND r < 'r0010') OR (p = 'p2' AND r >= 'r1390')$$, $$(p = 'p1' AND r < 'r0100') OR (p = 'p1' AND r < 'r0050')$$,
  $$p = 'p1' OR (p = 'p1' AND r = 'r0001') OR (p = 'p2' AND r = 'r0002')$$, $$p = 'p1' AND (r = 'r0001' OR r > 'r1390')$$,
  $$(p = 'p1' AND (r = 'r0001' OR (r > 'r1390' AND n > 1))) OR p = ''$$, $$(p = 'p1' AND n = 1) OR (p = 'p2' AND n = 2)$$,
  $$(p, r) > ('p3', 'r0300')$$, $$(p, r) <= ('p0', 'r0010')$$, $$('p3', 'r0300') < (p, r) AND p < 'p4'$$, $$p = 'p1' AND (r, n) >= ('r1390', 5)$$]) c;
-- several tables: index tables and the relation
SELECT or_how(c) FROM unnest(ARRAY[
  $$town = 'town1' OR 'tag2' = ANY (tags)$$, $$town = 'town1' OR (p = 'p1' AND r = 'r0001')$$, $$tags && '{tag1,tag2}' OR town IN ('town5', '') OR p = ''$$,
  $$(town = 'town1' AND n = 1) OR (town = 'town2' AND n = 2)$$, $$town = 'town1' OR town = 'town1' AND n = 1$$, $$'odd1' = ANY (tags) AND (town = 'town1' OR town = 'town2' OR p = '')$$,
  $$town = 'town1' OR n = 3$$, $$town = 'town1' OR town IS NULL$$, $$p = 'p1' OR 'tag1' = ANY (tags)$$]) c;
-- own writes, kept and taken back: each row once
BEGIN;
UPDATE orx SET town = 'town1', tags = '{tag2}' WHERE p = 'p1' AND r IN ('r0001', 'r0006');
UPDATE orx_plain SET town = 'town1', tags = '{tag2}' WHERE p = 'p1' AND r IN ('r0001', 'r0006');
DELETE FROM orx WHERE town = 'town2' OR 'tag9' = ANY (tags);
DELETE FROM orx_plain WHERE town = 'town2' OR 'tag9' = ANY (tags);
INSERT INTO orx VALUES ('new', 'new', 1, 'town1', '{tag2}');
INSERT INTO orx_plain VALUES ('new', 'new', 1, 'town1', '{tag2}');
SELECT or_how(c) FROM unnest(ARRAY[
  $$town = 'town1' OR 'tag2' = ANY (tags)$$, $$town = 'town1' OR (p = 'p1' AND r = 'r0001')$$, $$(p = 'p1' AND r < 'r0010') OR (p = 'new' AND r >= 'a')$$]) c;
COMMIT;
SELECT or_how($$town = 'town1' OR 'tag2' = ANY (tags)$$);
-- an index table itself
SELECT count(*), count(DISTINCT (tag, p, r)) FROM orx_by_tag WHERE (tag = 'tag1' AND r < 'r9' COLLATE "C") OR (tag = 'tag1' AND r > 'r0' COLLATE "C") OR tag = 'tag2';
-- the union as long as it is cheaper than all pages
SELECT access_of('SELECT * FROM orx WHERE town = ''town1'' OR ''tag2'' = ANY (tags)') AS narrow,
  access_of('SELECT * FROM orx WHERE town IN (SELECT ''town'' || i FROM generate_series(1, 30) i) OR ''odd1'' = ANY (tags)') AS other,
  access_of('SELECT * FROM orx WHERE town > '''' COLLATE "C" OR ''tag2'' = ANY (tags)') AS wide;
ALTER FOREIGN TABLE orx OPTIONS (SET fetch_size '1000');
SELECT access_of('SELECT * FROM orx WHERE town = ''town1'' OR ''tag2'' = ANY (tags)') AS one_page;
ALTER FOREIGN TABLE orx OPTIONS (SET fetch_size '20');
-- joins: each outer row its own union
SET enable_material = off;
SELECT access_of('SELECT * FROM (VALUES (''town1'', ''p1'', ''r0001'')) v(a, b, c) LEFT JOIN orx ON town = a OR (p = b AND r = c)');
SELECT a, b, count(orx.r) FROM (VALUES ('town1', 'p1', 'r0001'), ('town5', 'p5', 'r0005'), (NULL, 'p1', 'r0016'), ('town1', 'p1', 'r0001'), (NULL, NULL, NULL)) v(a, b, c) LEFT JOIN orx ON town = a OR (p = b AND orx.r = c) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT a, b, count(orx_plain.r) FROM (VALUES ('town1', 'p1', 'r0001'), ('town5', 'p5', 'r0005'), (NULL, 'p1', 'r0016'), ('town1', 'p1', 'r0001'), (NULL, NULL, NULL)) v(a, b, c) LEFT JOIN orx_plain ON town = a OR (p = b AND orx_plain.r = c) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT trim(l) FROM explain_counts($$SELECT * FROM (VALUES ('town1', 'p1', 'r0001'), ('town5', 'p5', 'r0005'), (NULL, 'p1', 'r0016')) v(a, b, c) LEFT JOIN orx ON town = a OR (p = b AND r = c)$$) l WHERE l ~ '(Access|Store Filter|Requests):';
CALL itable_drop_index('orx_by_town');
CALL itable_drop_index('orx_by_tag');
SELECT itable_drop_table('orx');
DROP FOREIGN TABLE orx;
ALTER SERVER store OPTIONS (DROP max_connections);
