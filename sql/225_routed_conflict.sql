-- INSERT ... ON CONFLICT DO NOTHING into a partitioned table: rows that are
-- routed to a foreign partition are asked about, too.
CREATE TABLE rc (p int NOT NULL, k text NOT NULL, code int) PARTITION BY LIST (p);
CREATE FOREIGN TABLE rc_1 (
  p int OPTIONS (key 'partition') NOT NULL,
  k text OPTIONS (key 'row') NOT NULL,
  code int
) SERVER store;
CREATE FOREIGN TABLE rc_2 (
  p int OPTIONS (key 'partition') NOT NULL,
  k text OPTIONS (key 'row') NOT NULL,
  code int
) SERVER store;
SELECT itable_create_table('rc_1'), itable_create_table('rc_2');
ALTER TABLE rc ATTACH PARTITION rc_1 FOR VALUES IN (1);
ALTER TABLE rc ATTACH PARTITION rc_2 FOR VALUES IN (2);
CALL itable_create_index('rc_2', 'rc_2_code', key => '{code}', is_unique => true);
INSERT INTO rc VALUES (1, 'a', 1), (2, 'a', 1);

-- rows that are there, rows of the same statement, keys of a unique index
INSERT INTO rc VALUES (1, 'a', 2), (1, 'b', 2), (1, 'b', 3), (2, 'a', 2), (2, 'b', 1), (2, 'c', 4), (2, 'd', 4)
  ON CONFLICT DO NOTHING RETURNING *;
SELECT * FROM rc ORDER BY p, k;

-- rows of this transaction; and what it gave up
BEGIN;
INSERT INTO rc VALUES (1, 'c', 5), (2, 'e', 6);
DELETE FROM rc WHERE k = 'a';
INSERT INTO rc VALUES (1, 'c', 7), (2, 'f', 6), (1, 'a', 8), (2, 'g', 1) ON CONFLICT DO NOTHING RETURNING *;
COMMIT;
SELECT * FROM rc ORDER BY p, k;

-- a prepared statement
PREPARE put(int, text, int) AS INSERT INTO rc VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING k;
EXECUTE put(1, 'x', 1);
EXECUTE put(1, 'x', 1);
EXECUTE put(2, 'x', 1);
EXECUTE put(2, 'x', 10);
EXECUTE put(2, 'x', 11);
EXECUTE put(2, 'y', 10);
EXECUTE put(2, 'y', 12);
SELECT * FROM rc WHERE k >= 'x' ORDER BY p, k;

-- without the clause a key that is there is an error still; COPY
SELECT error_of($$INSERT INTO rc VALUES (1, 'x', 1)$$);
COPY rc FROM STDIN (DELIMITER ' ');
1 z 1
\.
SELECT * FROM rc WHERE k >= 'z';
DROP TABLE rc CASCADE;
