-- A fact with NULL in an index key column, or without elements, has no entry:
-- an index serves only queries that reject such rows.
CREATE FOREIGN TABLE nullable (
  p   text OPTIONS (key 'partition') NOT NULL,
  k   text OPTIONS (key 'row') NOT NULL,
  a   int,
  b   int,
  n   int NOT NULL,
  l   text[]
) SERVER store;
SELECT itable_create_table('nullable');
INSERT INTO nullable VALUES ('p', 'all', 1, 1, 1, '{x}'), ('p', 'no b', 1, NULL, 1, '{x}'), ('p', 'no a', NULL, 1, 1, '{}'),
  ('p', 'no l', 1, 1, 2, NULL), ('p', 'null in l', 2, 2, 2, '{NULL}');
CALL itable_create_index('nullable', 'nullable_ab', key => '{a,b}');
CALL itable_create_index('nullable', 'nullable_an', key => '{n,a}', include => '{b}');
CALL itable_create_index('nullable', 'nullable_al', key => '{a,l}');
-- b may be NULL where a is 1
SELECT access_of('SELECT k FROM nullable WHERE a = 1');
SELECT k FROM nullable WHERE a = 1 ORDER BY k;
SELECT access_of('SELECT k FROM nullable WHERE a = 1 AND b <> 7');
SELECT k FROM nullable WHERE a = 1 AND b <> 7 ORDER BY k;
-- n is never NULL, a may be
SELECT access_of('SELECT k FROM nullable WHERE n = 1');
SELECT k FROM nullable WHERE n = 1 ORDER BY k;
SELECT access_of('SELECT k FROM nullable WHERE n = 1 AND a > 0');
SELECT k FROM nullable WHERE n = 1 AND a > 0 ORDER BY k;
-- without elements there is no entry
SELECT access_of('SELECT k FROM nullable WHERE a = 1 AND b = 1 AND l && ''{x}''');
SELECT k FROM nullable WHERE a = 1 AND l && '{x}' ORDER BY k;
SELECT access_of('SELECT k FROM nullable WHERE a = 2 AND k = ''x''');
SELECT a, b, n FROM nullable WHERE a IS NULL;
SELECT count(*) FROM nullable_ab;
SELECT count(*) FROM nullable_al;
