-- ORDER BY from the order of keys: the rows of a plain table, in its order.
CREATE FOREIGN TABLE sorted (
  p text OPTIONS (key 'partition') COLLATE "C" NOT NULL,
  r text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  v integer
) SERVER store OPTIONS (fetch_size '7');
CREATE TABLE sorted_plain (p text COLLATE "C", r text COLLATE "C", v integer, PRIMARY KEY (p, r));
SELECT itable_create_table('sorted');
-- every character that the store orders differently, in every place
INSERT INTO sorted_plain
  SELECT p, a || b || c, row_number() OVER ()
  FROM (VALUES ('x'), ('y/z'), ('y-'), ('y b'), (E'y\tq'), ('')) p(p),
       (VALUES (''), ('a'), ('A '), ('a/')) a(a),
       (VALUES (''), (' '), ('!'), ('/'), ('.'), ('0'), ('-'), (E'\t'), ('%'), ('$'), ('"'), (''''),
               (U&'\+01F600'), (U&'\E000'), (U&'\FFFD')) b(b),
       (VALUES (''), ('b'), (' b'), ('/')) c(c)
  ON CONFLICT DO NOTHING;
INSERT INTO sorted SELECT * FROM sorted_plain ORDER BY v;

-- Is the answer the same, row by row?  {} is the table
CREATE FUNCTION same_order(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found text[];
  expected text[];
BEGIN
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'sorted')) INTO found;
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', 'sorted_plain')) INTO expected;
  RETURN found = expected;
END $$;

SET enable_sort = off;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p = 'x' ORDER BY r;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p IN ('x', 'y/z') ORDER BY r;
EXPLAIN (COSTS OFF) SELECT * FROM sorted ORDER BY p, r;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p > 'x' ORDER BY p;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p = 'x' ORDER BY r NULLS FIRST;

SELECT same_order('SELECT * FROM {} WHERE p = ''x'' ORDER BY r');
SELECT same_order('SELECT * FROM {} ORDER BY p, r');
SELECT same_order('SELECT r, p FROM {} WHERE p IN (''y/z'', ''x'', ''y b'') ORDER BY r, p');
SELECT same_order('SELECT r FROM {} WHERE p IN (''y/z'', ''x'', ''nothing'', NULL) ORDER BY r');
SELECT same_order('SELECT p, r FROM {} WHERE p IN (''y/z'', ''x'', ''y b'') ORDER BY p, r');
SELECT same_order('SELECT p, r FROM {} WHERE p >= ''y'' AND p < ''y0'' ORDER BY p, r');
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' AND r BETWEEN ''a '' AND ''a/b'' ORDER BY r');
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' AND r LIKE ''a%'' ORDER BY r');
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' AND r IN (''a/'', ''a-'', ''a'', ''nothing'') ORDER BY r');
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' AND v % 3 = 0 ORDER BY r');
SELECT same_order('SELECT * FROM {} WHERE p IN (''x'', ''y-'') AND v > 50 ORDER BY r, p');
SELECT bool_and(same_order(format('SELECT * FROM {} WHERE p = %L ORDER BY r LIMIT %s OFFSET %s', p, n, n * m)))
  FROM (VALUES ('x'), ('y b')) p(p), generate_series(1, 9) n, generate_series(0, 3) m;
SELECT bool_and(same_order(format('SELECT * FROM {} WHERE r >= %L ORDER BY p, r LIMIT %s', r, n)))
  FROM (VALUES (''), ('a'), ('a/')) r(r), generate_series(1, 40, 6) n;

-- no order is claimed where there is none
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p = 'x' ORDER BY r DESC;
EXPLAIN (COSTS OFF) SELECT * FROM sorted ORDER BY r;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p = 'x' ORDER BY v;
EXPLAIN (COSTS OFF) SELECT * FROM sorted WHERE p = 'x' ORDER BY r COLLATE "en-x-icu";

-- own writes stand at their places, deleted rows nowhere
BEGIN;
INSERT INTO sorted VALUES ('x', 'a', -1) ON CONFLICT DO NOTHING;
INSERT INTO sorted VALUES ('x', 'a ', -2) ON CONFLICT DO NOTHING;
INSERT INTO sorted VALUES ('x', 'zz', -3), ('x', 'aa', -4), ('y', 'a b', -5);
INSERT INTO sorted_plain VALUES ('x', 'zz', -3), ('x', 'aa', -4), ('y', 'a b', -5);
DELETE FROM sorted WHERE p = 'x' AND v % 5 = 0;
DELETE FROM sorted_plain WHERE p = 'x' AND v % 5 = 0;
UPDATE sorted SET v = -v WHERE p = 'y b' AND v % 7 = 0;
UPDATE sorted_plain SET v = -v WHERE p = 'y b' AND v % 7 = 0;
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' ORDER BY r');
SELECT same_order('SELECT * FROM {} ORDER BY p, r');
SELECT same_order('SELECT r, p, v FROM {} WHERE p IN (''x'', ''y'', ''y b'') ORDER BY r, p');
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' ORDER BY r LIMIT 3');
ROLLBACK;
SELECT same_order('SELECT * FROM {} WHERE p = ''x'' ORDER BY r');

-- merge joins rely on it
SET enable_hashjoin = off;
SET enable_nestloop = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM sorted a JOIN sorted b USING (r) WHERE a.p = 'x' AND b.p = 'y b';
SELECT count(*) FROM sorted a JOIN sorted b USING (r) WHERE a.p = 'x' AND b.p = 'y b';
SELECT count(*) FROM sorted a JOIN sorted_plain b USING (p, r);
RESET enable_hashjoin;
RESET enable_nestloop;

-- a cursor goes on where it was
BEGIN;
DECLARE c CURSOR FOR SELECT to_json(r) FROM sorted WHERE p = 'x' ORDER BY r;
FETCH 3 FROM c;
MOVE 100 FROM c;
FETCH 2 FROM c;
COMMIT;

-- a generic plan knows its partition, and its LIMIT, when it runs
PREPARE page(text, integer) AS SELECT to_json(r) FROM sorted WHERE p = $1 ORDER BY r LIMIT $2;
SET plan_cache_mode = force_generic_plan;
EXPLAIN (COSTS OFF) EXECUTE page('x', 2);
EXECUTE page('x', 2);
EXECUTE page('y/z', 3);
EXECUTE page('none', 3);
EXECUTE page('x', NULL) \g /dev/null
EXECUTE page('x', 0);
EXECUTE page('x', 1);
EXECUTE page('y-', 1);
RESET plan_cache_mode;
DEALLOCATE page;
