-- Keys of several columns: an equal prefix fixes a part, the next column may be bounded.
CREATE TABLE com_plain (a text COLLATE "C", b int, x text COLLATE "C", y date, z text COLLATE "C", n int);
CREATE FOREIGN TABLE com (
  a text OPTIONS (key 'partition') COLLATE "C" NOT NULL, b int OPTIONS (key 'partition') NOT NULL,
  x text OPTIONS (key 'row') COLLATE "C" NOT NULL, y date OPTIONS (key 'row') NOT NULL, z text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  n int
) SERVER store;
SELECT itable_create_table('com');
-- neighbours that a careless separator would mix up
INSERT INTO com_plain SELECT a, b, x, y, z, row_number() OVER ()
  FROM unnest(ARRAY['', 'a', 'a ', 'ab', 'b!', '😀']) a, unnest('{-1,2}'::int[]) b, unnest(ARRAY['', ' ', '!', 'k', 'k ', 'k/', 'kk', 'k~', 'ü']) x,
    unnest('{1999-12-31,2024-02-29}'::date[]) y, unnest(ARRAY['', 'k', 'z']) z;
INSERT INTO com SELECT * FROM com_plain;
SELECT count(*) FROM (SELECT * FROM com EXCEPT SELECT * FROM com_plain) d;
SELECT count(*) FROM com;

CREATE FUNCTION com_same(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE 'SELECT string_agg(n::text, '','' ORDER BY n) FROM com WHERE ' || condition INTO mine;
  EXECUTE 'SELECT string_agg(n::text, '','' ORDER BY n) FROM com_plain WHERE ' || condition INTO plain;
  RETURN CASE WHEN mine IS NOT DISTINCT FROM plain THEN 'same' ELSE 'DIFFERS' END;
END $$;

-- every combination of conditions on the columns of both keys
WITH ca(c) AS (VALUES ('true'), ('a = ''a'''), ('a = '''''), ('a IN (''a'', ''ab'', ''zz'')'), ('a LIKE ''a%'''), ('a > ''a'''), ('a <= ''a ''')),
  cb(c) AS (VALUES ('true'), ('b = 2'), ('b < 0'), ('b IN (2, -1, 5000000000)')),
  cx(c) AS (VALUES ('true'), ('x = ''k'''), ('x = '''''), ('x IN (''k'', '''', ''k/'')'), ('x LIKE ''k%'''), ('x LIKE ''k/%'''), ('x > ''k'''), ('x >= ''k'''), ('x < ''k'''), ('x <= ''k'''), ('x BETWEEN '' '' AND ''k ''')),
  cy(c) AS (VALUES ('true'), ('y = ''2024-02-29'''), ('y > ''1999-12-31'''), ('y < ''infinity''')),
  cz(c) AS (VALUES ('true'), ('z = ''k'''), ('z LIKE ''k%'''), ('z <> ''k'''), ('z <= ''k'''))
SELECT com_same(concat_ws(' AND ', ca.c, cb.c, cx.c, cy.c, cz.c)) AS answer, count(*) FROM ca, cb, cx, cy, cz
  WHERE hashtext(ca.c || cb.c || cx.c || cy.c || cz.c) % 5 = 0 OR (ca.c LIKE 'a =%' AND cb.c LIKE 'b =%' AND hashtext(cx.c || cy.c || cz.c) % 3 = 0) GROUP BY 1;

-- what is asked of the store
CREATE FUNCTION com_explain(condition text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT trim(l) FROM explain_counts('SELECT n FROM com WHERE ' || condition) l WHERE l ~ '(Access|Store Filter|Requests):'
$$;
SELECT com_explain($$a = 'a' AND b = 2 AND x = 'k' AND y = '2024-02-29' AND z = ''$$);
SELECT com_explain($$a = 'a' AND b = 2 AND x = 'k/' AND y = '2024-02-29'$$);
SELECT com_explain($$a = 'a' AND b = 2 AND x = 'k' AND y = '2024-02-29' AND z LIKE 'k%'$$);
SELECT com_explain($$a = 'a' AND b = 2 AND x LIKE 'k%'$$);
SELECT com_explain($$a = 'a' AND b = 2 AND x > 'k'$$);
SELECT com_explain($$a = 'a' AND b = 2 AND x = 'k' AND y >= '2000-01-01'$$);
SELECT com_explain($$a = 'a' AND b = 2 AND y >= '2000-01-01'$$);
SELECT com_explain($$a = 'a' AND b = 2$$);
SELECT com_explain($$a = 'a'$$);
SELECT com_explain($$a LIKE 'a%'$$);
SELECT com_explain($$a = 'a' AND b > 0 AND x = 'k'$$);
SELECT com_explain($$b = 2$$);
SELECT com_explain($$a IN ('a', 'ab') AND b IN (-1, 2) AND x = 'k' AND y = '2024-02-29' AND z IN ('k', 'z')$$);

-- changes by a part of the key
UPDATE com SET n = -n WHERE a = 'a' AND b = 2 AND x LIKE 'k%';
UPDATE com_plain SET n = -n WHERE a = 'a' AND b = 2 AND x LIKE 'k%';
DELETE FROM com WHERE a = 'ab' AND x = '';
DELETE FROM com_plain WHERE a = 'ab' AND x = '';
SELECT count(*) FROM (TABLE com EXCEPT TABLE com_plain) d;
SELECT count(*) FROM (TABLE com_plain EXCEPT TABLE com) d;
-- a key as a whole may be too long though its parts are not
SELECT error_of($$INSERT INTO com VALUES ('a', 1, repeat('x', 300), '2000-01-01', repeat('z', 300))$$);
SELECT error_of($$INSERT INTO com VALUES ('a', 1, 'x', NULL, 'z')$$);
SELECT n FROM com WHERE a = 'a' AND b = 1 AND x = repeat('x', 300) AND y = '2000-01-01' AND z = repeat('z', 300);
SELECT count(*) FROM com WHERE a = 'a' AND b = 2 AND x = repeat('x', 700);
SELECT com_same($$a = 'a' AND b = 2 AND x > repeat('k', 700)$$), com_same($$a = 'a' AND b = 2 AND x < repeat('k', 700)$$), com_same($$a = 'a' AND b = 2 AND x LIKE repeat('k', 700) || '%'$$);
SELECT itable_drop_table('com');
DROP FOREIGN TABLE com;
