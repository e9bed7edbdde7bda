-- The order of numbers, dates and other keys, composite ones too.
CREATE FUNCTION same_typed(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found text[];
  expected text[];
BEGIN
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'typed')) INTO found;
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'typed_plain')) INTO expected;
  RETURN found = expected AND cardinality(found) > 0;
END $$;
CREATE FOREIGN TABLE typed (
  a bigint OPTIONS (key 'partition') NOT NULL,
  b date OPTIONS (key 'partition') NOT NULL,
  c smallint OPTIONS (key 'row') NOT NULL,
  d text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  e timestamptz OPTIONS (key 'row') NOT NULL,
  u uuid OPTIONS (key 'row') NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '9');
SELECT itable_create_table('typed');
CREATE TABLE typed_plain (LIKE typed);
INSERT INTO typed_plain
  SELECT (ARRAY[-9223372036854775808, -10, -9, 0, 5, 9223372036854775807])[1 + i % 6],
         (ARRAY['1601-01-01', '1999-12-31', '2024-02-29']::date[])[1 + i % 3],
         (ARRAY[-32768, -2, -1, 0, 7, 32767])[1 + i / 3 % 6],
         (ARRAY['', 'a', 'a b', 'a/b', 'ab', 'a' || chr(9), 'a!', 'a.'])[1 + i / 5 % 8],
         timestamptz '2000-01-01 00:00:00+00' + make_interval(secs => (i * 7919 % 1000 - 500) * 1.000001),
         md5(i::text)::uuid, i
  FROM generate_series(1, 400) i;
INSERT INTO typed SELECT * FROM typed_plain;
SET enable_sort = off;
SET timezone = 'UTC';

EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a = 5 AND b = '2024-02-29' ORDER BY c, d, e, u;
EXPLAIN (COSTS OFF) SELECT * FROM typed ORDER BY a, b, c;
EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a = 5 ORDER BY b;
EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a = 5 AND b = '2024-02-29' AND c = -1 ORDER BY d;
EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a IN (0, 5) AND b = '2024-02-29' ORDER BY c;
EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a = 5 AND b = '2024-02-29' AND c IN (-1, 0, 7) ORDER BY c, d;
-- c is not fixed to one value: no order by d
EXPLAIN (COSTS OFF) SELECT * FROM typed WHERE a = 5 AND b = '2024-02-29' AND c > 0 ORDER BY d;

SELECT same_typed('SELECT * FROM {} ORDER BY a, b, c, d, e, u');
SELECT same_typed('SELECT a FROM {} ORDER BY a');
SELECT same_typed('SELECT * FROM {} WHERE a = 5 ORDER BY b, c, d, e, u');
SELECT same_typed('SELECT * FROM {} WHERE a > -10 ORDER BY a, b, c, d, e, u');
SELECT same_typed('SELECT * FROM {} WHERE a IN (5, -10, 0) ORDER BY a, b, c, d, e, u');
SELECT same_typed('SELECT c, d, e, u FROM {} WHERE a IN (5, -9, 0) AND b IN (''1999-12-31'', ''2024-02-29'') ORDER BY c, d, e, u');
SELECT same_typed('SELECT * FROM {} WHERE a = -10 AND b = ''1999-12-31'' AND c IN (7, -1, -2) ORDER BY c, d, e, u');
SELECT same_typed('SELECT d, e, u FROM {} WHERE a IN (5, -10) AND b = ''1999-12-31'' AND c IN (7, 0) ORDER BY d, e, u');
SELECT bool_and(same_typed(format('SELECT * FROM {} WHERE a >= %s ORDER BY a, b, c, d, e, u LIMIT %s', a, n)))
  FROM (VALUES (-100), (0)) a(a), generate_series(1, 60, 7) n;
SELECT same_typed('SELECT min(a), max(a), count(*) FROM {}');
SELECT same_typed('SELECT min(b) FROM {} WHERE a = 5');
SELECT same_typed('SELECT min(c), max(c) FROM {} WHERE a = 5 AND b = ''2024-02-29''');

-- a merge join on a composite key
SET enable_hashjoin = off;
SET enable_nestloop = off;
SET enable_material = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM typed x JOIN typed y USING (a, b, c, d, e, u);
SELECT count(*) FROM typed x JOIN typed y USING (a, b, c, d, e, u);
RESET enable_hashjoin;
RESET enable_nestloop;
RESET enable_material;

-- order by a partition of foreign partitions
CREATE TABLE parts (p text COLLATE "C" NOT NULL, r integer NOT NULL) PARTITION BY LIST (p);
CREATE FOREIGN TABLE parts_a (p text OPTIONS (key 'partition') COLLATE "C" NOT NULL, r integer OPTIONS (key 'row') NOT NULL) SERVER store;
CREATE FOREIGN TABLE parts_b (p text OPTIONS (key 'partition') COLLATE "C" NOT NULL, r integer OPTIONS (key 'row') NOT NULL) SERVER store;
ALTER TABLE parts ATTACH PARTITION parts_a FOR VALUES IN ('a');
ALTER TABLE parts ATTACH PARTITION parts_b FOR VALUES IN ('b');
SELECT itable_create_table('parts_a'), itable_create_table('parts_b');
INSERT INTO parts SELECT chr(97 + i % 2), i FROM generate_series(1, 20) i;
EXPLAIN (COSTS OFF) SELECT r FROM parts WHERE p IN ('a', 'b') ORDER BY p, r LIMIT 3;
SELECT p, r FROM parts ORDER BY p, r LIMIT 3;

-- raw keys: numbers are not in order, texts are
CREATE FOREIGN TABLE rawo (p text OPTIONS (key 'partition') NOT NULL, r integer OPTIONS (key 'row') NOT NULL) SERVER store OPTIONS (key_encoding 'raw');
SELECT itable_create_table('rawo');
INSERT INTO rawo SELECT 'p', i FROM generate_series(-3, 12) i;
EXPLAIN (COSTS OFF) SELECT r FROM rawo WHERE p = 'p' ORDER BY r;
EXPLAIN (COSTS OFF) SELECT p FROM rawo ORDER BY p COLLATE "C";
SELECT array_agg(r) FROM (SELECT r FROM rawo WHERE p = 'p' ORDER BY r) x;
