-- Paging by keys over texts, keys of several parts, and the orders of indexes.
CREATE FOREIGN TABLE keytext (
  p text OPTIONS (key 'partition') COLLATE "C" NOT NULL,
  r1 text OPTIONS (key 'row') COLLATE "C" NOT NULL,
  r2 integer OPTIONS (key 'row') NOT NULL,
  town text COLLATE "C" NOT NULL,
  born date NOT NULL
) SERVER store OPTIONS (fetch_size '7');
CREATE TABLE keytext_plain (p text COLLATE "C", r1 text COLLATE "C", r2 integer, town text COLLATE "C", born date, PRIMARY KEY (p, r1, r2));
SELECT itable_create_table('keytext');
-- characters that the store orders differently
INSERT INTO keytext_plain
  SELECT p, a || b, i, (ARRAY['Kent', 'Oslo', 'San Jose', 'San/Jose', E'San\tJose'])[1 + length(a || b || p) % 5], date '2000-01-01' + length(b) * i
  FROM (VALUES ('x'), ('y/z'), ('y-'), (E'y\tq')) p(p), (VALUES (''), ('a'), ('A ')) a(a),
       (VALUES (''), (' '), ('/'), ('.'), (E'\t'), ('"'), (U&'\+01F600'), (U&'\E000')) b(b), generate_series(-1, 1) i;
INSERT INTO keytext SELECT * FROM keytext_plain;
CALL itable_create_index('keytext', 'keytext_town', key => '{town,r1}');
CALL itable_create_index('keytext', 'keytext_born', key => '{born}', partitions => 2, include => '{town}');
CALL itable_create_index('keytext', 'keytext_near', key => '{town}', colocated => true);
ANALYZE keytext;
SET enable_sort = off;

EXPLAIN (COSTS OFF) SELECT * FROM keytext WHERE p = 'x' AND (r1, r2) > ('a', 0) ORDER BY r1, r2 LIMIT 3;
EXPLAIN (COSTS OFF) SELECT * FROM keytext WHERE town = 'Oslo' AND (r1, r2, p) > ('a', 0, 'x') ORDER BY r1, r2, p LIMIT 3;
EXPLAIN (COSTS OFF) SELECT born, r1, r2, p FROM keytext WHERE (born, r1) > ('2000-01-01', 'a') ORDER BY born, r1 LIMIT 3;

-- from every row on: the next ones are those of the plain table
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE (p, r1, r2) %s (%L, %L, %s) ORDER BY p, r1, r2 LIMIT %s', op, p, r1, r2, 1 + length(r1) * 4), 'keytext'))
  FROM keytext_plain, (VALUES ('>'), ('>='), ('<')) op(op) WHERE r2 = 0 AND p = 'y-';
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE p = %L AND (r1, r2) %s (%L, %s) ORDER BY r1, r2 LIMIT 5', p, op, r1, r2), 'keytext'))
  FROM keytext_plain, (VALUES ('>'), ('<=')) op(op) WHERE p = 'y-' AND r2 = 1;
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE town = %L AND (r1, r2, p) > (%L, %s, %L) ORDER BY r1, r2, p LIMIT 4', town, r1, r2, p), 'keytext'))
  FROM keytext_plain WHERE r2 = 0 AND p <> 'x';
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE (born, r1, r2, p) > (%L, %L, %s, %L) ORDER BY born, r1, r2, p LIMIT 4', born, r1, r2, p), 'keytext'))
  FROM keytext_plain WHERE r2 = 0 AND p <> 'x';
SELECT count(*), bool_and(same_rows(format(
         'SELECT p, r1, r2 FROM {} WHERE (town = %L AND r1 > %L) OR (town = ''Kent'' AND r1 <= %2$L) ORDER BY town, r1, r2, p LIMIT 9', town, r1), 'keytext'))
  FROM keytext_plain WHERE r2 = 0 AND p = 'x';

-- own rows among them, through an index, too
BEGIN;
UPDATE keytext SET town = 'Oslo' WHERE r2 = 1 AND p = 'y-';
UPDATE keytext_plain SET town = 'Oslo' WHERE r2 = 1 AND p = 'y-';
DELETE FROM keytext WHERE r2 = 0 AND r1 > 'a';
DELETE FROM keytext_plain WHERE r2 = 0 AND r1 > 'a';
INSERT INTO keytext VALUES (E'y\t', E'a\t', 5, 'Oslo', '2000-01-01'), ('x', 'a0', 7, 'Kent', '2001-01-01');
INSERT INTO keytext_plain VALUES (E'y\t', E'a\t', 5, 'Oslo', '2000-01-01'), ('x', 'a0', 7, 'Kent', '2001-01-01');
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE (p, r1, r2) > (%L, %L, %s) ORDER BY p, r1, r2 LIMIT 4', p, r1, r2), 'keytext')) FROM keytext_plain WHERE r2 <> 0 AND p = 'x';
SELECT count(*), bool_and(same_rows(format(
         'SELECT * FROM {} WHERE town = %L AND (r1, r2, p) > (%L, %s, %L) ORDER BY r1, r2, p LIMIT 4', town, r1, r2, p), 'keytext'))
  FROM keytext_plain WHERE r2 = 5 OR r2 = 1 AND p <> 'x';
ROLLBACK;

-- an index table read by name
SELECT r1, r2, to_json(p) FROM keytext_town WHERE town = 'Oslo' AND (r1, r2, p) > ('A ', 0, 'y-') ORDER BY r1, r2, p LIMIT 3;
SELECT r1, r2, to_json(p) FROM keytext_plain WHERE town = 'Oslo' AND (r1, r2, p) > ('A ', 0, 'y-') ORDER BY r1, r2, p LIMIT 3;

-- the whole table in pages, by a prepared statement
PREPARE next(text, text, integer) AS SELECT p, r1, r2 FROM keytext WHERE (p, r1, r2) > ($1, $2, $3) ORDER BY p, r1, r2 LIMIT 10;
CREATE FUNCTION keytext_walk() RETURNS TABLE (pages integer, same boolean) LANGUAGE plpgsql AS $$
DECLARE
  found text[] := '{}';
  last record;
  one record;
BEGIN
  pages := 0;
  last := ROW(''::text, ''::text, -9);
  LOOP
    pages := pages + 1;
    FOR one IN EXECUTE format('EXECUTE next(%L, %L, %s)', last.f1, last.f2, last.f3) LOOP
      found := found || one::text;
    END LOOP;
    EXIT WHEN cardinality(found) % 10 <> 0 OR pages > 99;
    last := ROW(one.p, one.r1, one.r2);
  END LOOP;
  same := found = (SELECT array_agg(ROW(p, r1, r2)::text ORDER BY p, r1, r2) FROM keytext_plain);
  RETURN NEXT;
END $$;
SELECT * FROM keytext_walk();
