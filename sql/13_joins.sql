-- Joins, subqueries, LIMIT, ORDER BY, aggregates: as with plain tables.
CREATE FOREIGN TABLE joi_m (genre text OPTIONS (key 'partition') NOT NULL, id int OPTIONS (key 'row') NOT NULL, title text, actors text[], year int) SERVER store;
CREATE FOREIGN TABLE joi_a (p text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, born int) SERVER store;
SELECT itable_create_table('joi_m'), itable_create_table('joi_a');
CREATE SCHEMA joi_plain;
CREATE TABLE joi_plain.joi_m AS SELECT 'g' || i % 3 AS genre, i AS id, 't' || i AS title, ARRAY['a' || i % 5, 'a' || i % 7] AS actors, CASE WHEN i % 4 > 0 THEN 1990 + i % 9 END AS year FROM generate_series(1, 50) i;
CREATE TABLE joi_plain.joi_a AS SELECT 'x'::text AS p, 'a' || i AS name, 1950 + i AS born FROM generate_series(0, 8) i;
INSERT INTO joi_m SELECT * FROM joi_plain.joi_m;
INSERT INTO joi_a SELECT * FROM joi_plain.joi_a;
SET client_min_messages = warning;
CALL itable_create_index('joi_m', 'joi_by_actor', key => '{actors}', include => '{title}');
CREATE FUNCTION joi_run(query text, path text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  PERFORM set_config('search_path', path, true);
  EXECUTE 'SELECT md5(string_agg(q::text, chr(10))) || '' '' || count(*) FROM (' || query || ') q' INTO answer;
  PERFORM set_config('search_path', 'public', true);
  RETURN answer;
END $$;
CREATE TABLE joi_queries (q text);
INSERT INTO joi_queries VALUES
  ('SELECT m.id, a.name FROM joi_m m JOIN joi_a a ON a.name = ANY (m.actors) ORDER BY 1, 2'), ('SELECT a.name, m.title FROM joi_a a LEFT JOIN joi_m m ON m.actors @> ARRAY[a.name] AND m.year > 1995 ORDER BY 1, 2'),
  ('SELECT a.name, b.name FROM joi_a a FULL JOIN joi_a b ON a.born = b.born + 3 ORDER BY 1, 2'), ('SELECT name FROM joi_a a WHERE EXISTS (SELECT 1 FROM joi_m m WHERE a.name = ANY (m.actors) AND m.genre = ''g1'') ORDER BY 1'),
  ('SELECT name FROM joi_a a WHERE NOT EXISTS (SELECT 1 FROM joi_m m WHERE a.name = ANY (m.actors)) ORDER BY 1'), ('SELECT id FROM joi_m WHERE id NOT IN (SELECT born - 1950 FROM joi_a) ORDER BY 1'),
  ('SELECT id FROM joi_m WHERE genre IN (SELECT ''g'' || born % 2 FROM joi_a) ORDER BY 1'), ('SELECT name, (SELECT count(*) FROM joi_m m WHERE m.actors @> ARRAY[a.name]) FROM joi_a a ORDER BY 1'),
  ('SELECT name, (SELECT max(title) FROM joi_m m WHERE m.genre = ''g'' || a.born % 3 AND m.id > a.born - 1950) FROM joi_a a ORDER BY 1'), ('SELECT a.name, l.* FROM joi_a a, LATERAL (SELECT id, title FROM joi_m m WHERE m.genre = ''g'' || a.born % 3 ORDER BY id DESC LIMIT 2) l ORDER BY 1, 2'),
  ('SELECT genre, count(*), sum(year), min(title), array_agg(id ORDER BY id) FROM joi_m GROUP BY genre HAVING count(*) > 16 ORDER BY 1'), ('SELECT DISTINCT genre, year FROM joi_m ORDER BY 1, 2'), ('SELECT DISTINCT ON (genre) genre, id FROM joi_m ORDER BY genre, id DESC'),
  ('SELECT * FROM joi_m ORDER BY year NULLS FIRST, id LIMIT 7 OFFSET 3'), ('SELECT id, rank() OVER (PARTITION BY genre ORDER BY year) FROM joi_m ORDER BY id'), ('WITH c AS (SELECT * FROM joi_m WHERE genre = ''g1'') SELECT x.id, y.id FROM c x JOIN c y ON x.year = y.year AND x.id < y.id ORDER BY 1, 2'),
  ('WITH c AS MATERIALIZED (SELECT * FROM joi_m) SELECT count(*) FROM c WHERE year = 1995'), ('WITH RECURSIVE w(i, t) AS (SELECT 1, title FROM joi_m WHERE genre = ''g1'' AND id = 1 UNION ALL SELECT i + 3, m.title FROM w JOIN joi_m m ON m.genre = ''g1'' AND m.id = w.i + 3) SELECT * FROM w ORDER BY 1'),
  ('SELECT a.id, b.id FROM joi_m a JOIN joi_m b ON a.genre = b.genre AND a.id = b.id + 3 ORDER BY 1'), ('SELECT m FROM joi_m m WHERE genre = ''g2'' ORDER BY id'), ('SELECT genre FROM joi_m UNION SELECT name FROM joi_a ORDER BY 1'), ('SELECT id FROM joi_m EXCEPT SELECT born - 1950 FROM joi_a ORDER BY 1'),
  ('SELECT v.g, m.id FROM (VALUES (''g1'', 4), (''g2'', 5), (NULL, 6), (''g1'', NULL), (''g1'', 4)) v(g, i) JOIN joi_m m ON m.genre = v.g AND m.id = v.i ORDER BY 1, 2'), ('SELECT v.g, m.id FROM (VALUES (''g1''), (NULL), (''zz'')) v(g) LEFT JOIN joi_m m ON m.genre = v.g AND m.id < 10 ORDER BY 1, 2'),
  ('SELECT count(*) FROM joi_m TABLESAMPLE SYSTEM (100)'), ('SELECT count(*), count(year), count(DISTINCT genre) FROM joi_m'), ('SELECT exists(SELECT FROM joi_m WHERE genre = ''g1'')'), ('SELECT 1 FROM joi_m WHERE genre = ''g0'' FETCH FIRST 3 ROWS ONLY'), ('SELECT id FROM joi_m WHERE (genre, id) IN (SELECT ''g1'', born - 1950 FROM joi_a) ORDER BY 1');
DELETE FROM joi_queries WHERE q LIKE '%TABLESAMPLE%';
SELECT left(q, 80) AS differs FROM joi_queries WHERE joi_run(q, 'public') IS DISTINCT FROM joi_run(q, 'joi_plain, public');
-- each way of joining, forced
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SELECT left(q, 80) AS differs_nested FROM joi_queries WHERE joi_run(q, 'public') IS DISTINCT FROM joi_run(q, 'joi_plain, public');
SET enable_material = off;
SET enable_memoize = off;
SELECT left(q, 80) AS differs_rescanned FROM joi_queries WHERE joi_run(q, 'public') IS DISTINCT FROM joi_run(q, 'joi_plain, public');
RESET enable_hashjoin;
SET enable_nestloop = off;
SELECT left(q, 80) AS differs_hashed FROM joi_queries WHERE joi_run(q, 'public') IS DISTINCT FROM joi_run(q, 'joi_plain, public');
RESET ALL;
SELECT count(*) FROM joi_queries;
-- views, with conditions reaching through them
CREATE VIEW joi_v AS SELECT m.*, a.name, a.born FROM joi_m m JOIN joi_a a ON a.name = ANY (m.actors);
SELECT count(*) FROM joi_v WHERE genre = 'g1' AND name = 'a1';
CREATE VIEW joi_g1 AS SELECT * FROM joi_m WHERE genre = 'g1';
SELECT requests_of($$SELECT * FROM joi_g1 WHERE id = 4$$);
SET client_min_messages = warning;
CALL itable_drop_index('joi_by_actor');
SELECT itable_drop_table('joi_m'), itable_drop_table('joi_a');
DROP FOREIGN TABLE joi_m, joi_a CASCADE;
DROP SCHEMA joi_plain CASCADE;
