-- ORDER BY from the order of an index.
CREATE FOREIGN TABLE ranked (
  p text OPTIONS (key 'partition') NOT NULL,
  r integer OPTIONS (key 'row') NOT NULL,
  town text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  born date NOT NULL,
  tags text[] NOT NULL
) SERVER store OPTIONS (fetch_size '6');
SELECT itable_create_table('ranked');
CREATE TABLE ranked_plain (LIKE ranked);
INSERT INTO ranked_plain
  SELECT chr(97 + i % 4), i, (ARRAY['Kent', 'Oslo', 'San Jose', 'San/Jose', 'San'])[1 + i % 5],
         (ARRAY['', 'Al', 'Al ', 'Al-Bo', 'Al/Bo', 'Al' || chr(9), 'Bo', chr(128512), chr(57344)])[1 + i % 9] || repeat('x', i % 3),
         date '2000-01-01' + (i * 37 % 100 - 50), ARRAY['t' || i % 3, 't' || i % 2]
  FROM generate_series(1, 120) i;
INSERT INTO ranked SELECT * FROM ranked_plain;
CALL itable_create_index('ranked', 'ranked_town', key => '{town,name}');
CALL itable_create_index('ranked', 'ranked_cover', key => '{town,name}', include => '{born}');
CALL itable_create_index('ranked', 'ranked_born', key => '{born}', partitions => 3);
CALL itable_create_index('ranked', 'ranked_tag', key => '{tags,name}', buckets => 2);

CREATE FUNCTION same_rank(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found text[];
  expected text[];
BEGIN
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'ranked')) INTO found;
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'ranked_plain')) INTO expected;
  RETURN found = expected AND cardinality(found) > 0;
END $$;
SET enable_sort = off;

-- equality on the index's PartitionKey, order by what follows
EXPLAIN (COSTS OFF) SELECT * FROM ranked WHERE town = 'Oslo' ORDER BY name LIMIT 3;
EXPLAIN (COSTS OFF) SELECT name, born FROM ranked WHERE town = 'Oslo' ORDER BY name;
-- all of an index, in its order
EXPLAIN (COSTS OFF) SELECT town, name FROM ranked ORDER BY town, name LIMIT 3;
-- a gathered index: ranges over the unhashed value, merged
EXPLAIN (COSTS OFF) SELECT * FROM ranked WHERE born > '2000-02-01' ORDER BY born LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM ranked ORDER BY born LIMIT 2;
-- a spread index: every bucket, merged
EXPLAIN (COSTS OFF) SELECT * FROM ranked WHERE 't1' = ANY (tags) ORDER BY name LIMIT 2;

SELECT same_rank('SELECT town, name, r FROM {} WHERE town = ''Oslo'' ORDER BY name, r');
SELECT same_rank('SELECT name, born, r FROM {} WHERE town = ''San'' ORDER BY name, r');
SELECT same_rank('SELECT name, r FROM {} WHERE town IN (''San'', ''Kent'', ''San/Jose'') ORDER BY name, r');
SELECT same_rank('SELECT town, name, r FROM {} ORDER BY town, name, r');
SELECT same_rank('SELECT born, p, r FROM {} WHERE born > ''2000-01-20'' ORDER BY born, p, r');
SELECT same_rank('SELECT born, p, r FROM {} ORDER BY born, r');
SELECT same_rank('SELECT name, r, tags FROM {} WHERE ''t1'' = ANY (tags) ORDER BY name, r');
SELECT same_rank('SELECT name, r, tags FROM {} WHERE tags && ''{t0,t2}'' ORDER BY name, r');
SELECT same_rank('SELECT min(born) FROM {}');
SELECT same_rank('SELECT min(name) FROM {} WHERE town = ''Oslo''');
SELECT bool_and(same_rank(format('SELECT born, p, r FROM {} ORDER BY born, r LIMIT %s', n))) FROM generate_series(1, 40, 5) n;
SELECT bool_and(same_rank(format('SELECT name, r FROM {} WHERE town = %L ORDER BY name, r LIMIT %s', t, n)))
  FROM (VALUES ('San'), ('San Jose'), ('San/Jose')) t(t), generate_series(1, 20, 5) n;

-- own writes, merged at their places; a fact that moves within the index
BEGIN;
UPDATE ranked SET name = 'Zo' WHERE p = 'a' AND name LIKE 'Al%' AND town = 'Oslo';
UPDATE ranked_plain SET name = 'Zo' WHERE p = 'a' AND name LIKE 'Al%' AND town = 'Oslo';
UPDATE ranked SET town = 'Oslo', born = '1900-01-01' WHERE p = 'b' AND r < 30;
UPDATE ranked_plain SET town = 'Oslo', born = '1900-01-01' WHERE p = 'b' AND r < 30;
DELETE FROM ranked WHERE r % 10 = 0;
DELETE FROM ranked_plain WHERE r % 10 = 0;
INSERT INTO ranked VALUES ('z', 1000, 'Oslo', 'Al' || chr(1), '1999-01-01', '{t1}');
INSERT INTO ranked_plain VALUES ('z', 1000, 'Oslo', 'Al' || chr(1), '1999-01-01', '{t1}');
SELECT same_rank('SELECT town, name, r FROM {} WHERE town = ''Oslo'' ORDER BY name, r');
SELECT same_rank('SELECT name, born, r FROM {} WHERE town = ''Oslo'' ORDER BY name, r');
SELECT same_rank('SELECT born, p, r FROM {} ORDER BY born, r LIMIT 20');
SELECT same_rank('SELECT town, name, r FROM {} ORDER BY town, name, r');
SELECT same_rank('SELECT name, r, tags FROM {} WHERE ''t1'' = ANY (tags) ORDER BY name, r');
COMMIT;
SELECT same_rank('SELECT town, name, r FROM {} WHERE town = ''Oslo'' ORDER BY name, r');
SELECT same_rank('SELECT born, p, r FROM {} ORDER BY born, r');

-- the index table itself
EXPLAIN (COSTS OFF) SELECT town, name FROM ranked_town WHERE town = 'Oslo' ORDER BY name;
SELECT (SELECT array_agg(name) FROM (SELECT name FROM ranked_town WHERE town = 'Oslo' ORDER BY name) a) =
       (SELECT array_agg(name) FROM (SELECT name FROM ranked_plain WHERE town = 'Oslo' ORDER BY name) b) AS same;
-- few facts are read for few rows
SELECT line FROM explain_counts('SELECT * FROM ranked WHERE town = ''Oslo'' ORDER BY name LIMIT 1') line WHERE line LIKE '%Requests%';
