-- A key that one row gives up and another takes in the same transaction.
CREATE FOREIGN TABLE uqm (
  p text OPTIONS (key 'partition') NOT NULL,
  k int OPTIONS (key 'row') NOT NULL,
  code text,
  tags text[]
) SERVER store;
SELECT itable_create_table('uqm');
CALL itable_create_index('uqm', 'uqm_code', key => '{code}', is_unique => true);
CALL itable_create_index('uqm', 'uqm_tag', key => '{tags}', include => '{p,k,code}', is_unique => true);
INSERT INTO uqm VALUES ('a', 1, 'x', '{s,t}'), ('a', 2, 'y', '{u}'), ('b', 1, 'z', NULL);
CREATE VIEW uqm_wrong AS SELECT * FROM itable_check_index('uqm_code') UNION ALL SELECT * FROM itable_check_index('uqm_tag');

-- deleted and inserted elsewhere
BEGIN;
DELETE FROM uqm WHERE code = 'x';
INSERT INTO uqm VALUES ('c', 1, 'x', '{t}'), ('c', 2, 'new', '{s}');
COMMIT;
SELECT * FROM uqm ORDER BY p, k;
SELECT p, k FROM uqm WHERE code = 'x';
SELECT * FROM uqm_tag ORDER BY tag;
SELECT * FROM uqm_wrong;
-- the row's own key is changed: to the store another entity
UPDATE uqm SET p = 'd', k = 9 WHERE code = 'y';
SELECT p, k FROM uqm WHERE code = 'y';
SELECT p, k FROM uqm WHERE 'u' = ANY (tags);
-- a row takes the key of one that takes another
BEGIN;
UPDATE uqm SET code = 'free' WHERE code = 'x';
UPDATE uqm SET code = 'x' WHERE code = 'y';
UPDATE uqm SET code = 'y' WHERE code = 'z';
COMMIT;
SELECT p, k, code FROM uqm ORDER BY code;
-- every row takes the next one's key, which a plain table refuses in this order
INSERT INTO uqm SELECT 'n', i, 'n' || i, NULL FROM generate_series(1, 20) i;
UPDATE uqm SET code = 'n' || k + 1 WHERE p = 'n';
SELECT count(*), count(DISTINCT code), min(k), max(k), bool_and(code = 'n' || k + 1) FROM uqm WHERE p = 'n';
SELECT k FROM uqm WHERE code IN ('n1', 'n2', 'n21') ORDER BY 1;
SELECT * FROM uqm_wrong;

-- an exchange is refused, and nothing is sent
BEGIN;
UPDATE uqm SET code = 'tmp' WHERE code = 'x';
UPDATE uqm SET code = 'x' WHERE code = 'y';
UPDATE uqm SET code = 'y' WHERE code = 'tmp';
SELECT code FROM uqm WHERE code IN ('x', 'y') ORDER BY 1;
SELECT itable_stats_reset();
COMMIT;
SELECT sum(requests) FILTER (WHERE operation <> 'query' AND operation <> 'get') FROM itable_stats();
-- if the row that takes it cannot be written, nothing is given up
BEGIN;
DELETE FROM uqm WHERE code = 'x';
INSERT INTO uqm VALUES ('b', 1, 'x', NULL);
COMMIT;
SELECT p, k, code FROM uqm WHERE code IN ('x', 'y') ORDER BY code;
SELECT * FROM uqm_wrong;
-- nor where only a single commit point is allowed
SET itable_fdw.multi_partition_commit = 'error';
UPDATE uqm SET k = 10 WHERE code = 'x';
RESET itable_fdw.multi_partition_commit;
SELECT p, k FROM uqm WHERE code = 'x';
-- what it costs: the old row's entry is touched, so that nobody takes it between
CREATE VIEW uqm_sent AS SELECT operation, requests FROM itable_stats() WHERE requests > 0 ORDER BY 1;
CREATE PROCEDURE uqm_move() LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM uqm WHERE p = 'n' AND k = 1;
  INSERT INTO uqm VALUES ('o', 1, 'n2', NULL);
END $$;
SELECT itable_stats_reset();
CALL uqm_move();
SELECT * FROM uqm_sent;
SELECT * FROM uqm_wrong;
