-- Half a surrogate pair in an array that another program wrote costs one
-- character, as in any other text, and is found by an index.
CREATE FOREIGN TABLE halves (
  p text OPTIONS (key 'partition') NOT NULL,
  r int OPTIONS (key 'row') NOT NULL,
  a text[]
) SERVER store;
CREATE FOREIGN TABLE halves_text (
  p text OPTIONS (key 'partition') NOT NULL,
  r int OPTIONS (key 'row') NOT NULL,
  a text
) SERVER store OPTIONS (table_name 'halves');
SELECT itable_create_table('halves');
INSERT INTO halves_text VALUES ('p', 1, '["\ud83d","x\ude00y"]'), ('p', 2, '["\ud83d\ude00"]'), ('p', 3, '["\ud83d\u0041\/"]'), ('p', 4, '["a"]');
CREATE TABLE halves_plain AS SELECT * FROM halves;
SELECT r, a FROM halves ORDER BY r;
CALL itable_create_index('halves', 'halves_a', '{a}');
EXPLAIN (COSTS OFF) SELECT r FROM halves WHERE E'\uFFFD' = ANY (a);
SELECT r FROM halves WHERE E'\uFFFD' = ANY (a);
SELECT r FROM halves WHERE E'x\uFFFDy' = ANY (a);
SELECT r FROM halves WHERE E'\uFFFDA/' = ANY (a);
SELECT r FROM halves WHERE E'\U0001F600' = ANY (a);
SELECT * FROM itable_check_index('halves_a');
-- a change writes what was read
UPDATE halves SET a = a || 'z'::text WHERE r < 4;
SELECT * FROM itable_check_index('halves_a');
SELECT h.r, h.a = p.a || 'z'::text AS same FROM halves h JOIN halves_plain p USING (p, r) WHERE r < 4 ORDER BY r;
CALL itable_drop_index('halves_a');
SELECT r, a FROM halves_text ORDER BY r;
-- what no text can hold, and what is no array, is still refused
INSERT INTO halves_text VALUES ('q', 1, '["a\u0000"]'), ('q', 2, '["\ud83d\u"]');
SELECT a FROM halves WHERE p = 'q' AND r = 1;
SELECT a FROM halves WHERE p = 'q' AND r = 2;
DROP FOREIGN TABLE halves, halves_text;
DROP TABLE halves_plain;
