-- INSERT ... ON CONFLICT DO NOTHING skips rows with a key of a unique index that
-- another row has; everything as in a plain table.
CREATE FOREIGN TABLE uqd (
  p text OPTIONS (key 'partition') NOT NULL,
  k int OPTIONS (key 'row') NOT NULL,
  code text,
  note text
) SERVER store;
SELECT itable_create_table('uqd');
CALL itable_create_index('uqd', 'uqd_code', key => '{code}', is_unique => true);
CALL itable_create_index('uqd', 'uqd_note', key => '{p,note}', include => '{k}', is_unique => true);
CREATE TABLE plain (p text, k int, code text UNIQUE, note text, PRIMARY KEY (p, k), UNIQUE (p, note));
-- what differs, and how many rows there are
CREATE FUNCTION same_rows() RETURNS text LANGUAGE sql AS $$
  SELECT count(*) || ' rows, ' || (SELECT count(*) FROM ((TABLE plain EXCEPT TABLE uqd) UNION ALL (TABLE uqd EXCEPT TABLE plain)) d) || ' differ'
  FROM uqd $$;
CREATE PROCEDURE on_both(statement text) LANGUAGE plpgsql AS $$
DECLARE
  a bigint;
  b bigint;
BEGIN
  EXECUTE replace(statement, 'TAB', 'uqd');
  GET DIAGNOSTICS a = ROW_COUNT;
  EXECUTE replace(statement, 'TAB', 'plain');
  GET DIAGNOSTICS b = ROW_COUNT;
  RAISE NOTICE '% rows, % in the plain table', a, b;
END $$;
CALL on_both($$INSERT INTO TAB VALUES ('a', 1, 'x', 'n1'), ('a', 2, 'y', 'n2'), ('b', 1, NULL, 'n1')$$);
CALL on_both($$INSERT INTO TAB VALUES ('c', 1, 'x', NULL), ('c', 2, 'z', NULL), ('c', 3, 'z', NULL), ('a', 1, 'w', NULL) ON CONFLICT DO NOTHING$$);
CALL on_both($$INSERT INTO TAB VALUES ('a', 3, NULL, 'n1'), ('a', 4, NULL, 'n3'), ('a', 5, 'v', 'n3') ON CONFLICT DO NOTHING$$);
SELECT same_rows();
CALL on_both($$INSERT INTO TAB SELECT 'm', i, 'c' || i % 40, 'n' || i % 50 FROM generate_series(1, 300) i ON CONFLICT DO NOTHING$$);
CALL on_both($$INSERT INTO TAB SELECT 'o', i, 'c' || i % 60, NULL FROM generate_series(1, 300) i ON CONFLICT DO NOTHING$$);
SELECT same_rows();
INSERT INTO uqd VALUES ('r', 1, 'x', NULL), ('r', 2, 'r2', NULL) ON CONFLICT DO NOTHING RETURNING k, code;
INSERT INTO plain VALUES ('r', 2, 'r2', NULL);

-- what this transaction has written counts
BEGIN;
CALL on_both($$INSERT INTO TAB VALUES ('t', 1, 't1', NULL)$$);
CALL on_both($$INSERT INTO TAB VALUES ('t', 2, 't1', NULL), ('t', 3, 't3', NULL) ON CONFLICT DO NOTHING$$);
CALL on_both($$UPDATE TAB SET code = 't4' WHERE code = 't1'$$);
CALL on_both($$INSERT INTO TAB VALUES ('t', 5, 't1', NULL), ('t', 6, 't4', NULL) ON CONFLICT DO NOTHING$$);
SAVEPOINT s;
CALL on_both($$INSERT INTO TAB VALUES ('t', 7, 't7', NULL)$$);
ROLLBACK TO s;
CALL on_both($$INSERT INTO TAB VALUES ('t', 8, 't7', NULL) ON CONFLICT DO NOTHING$$);
COMMIT;
SELECT same_rows();
SELECT p, k, code FROM uqd WHERE code IN ('t1', 't4', 't7') ORDER BY code;
-- a question for each key of each row, and nothing is written
CREATE VIEW uqd_sent AS SELECT operation, requests FROM itable_stats() WHERE requests > 0 ORDER BY 1;
SELECT itable_stats_reset();
INSERT INTO uqd VALUES ('q', 1, 'x', 'n9') ON CONFLICT DO NOTHING;
SELECT * FROM uqd_sent;
-- a conflict target needs an index of PostgreSQL's own
INSERT INTO uqd VALUES ('q', 1, 'x', NULL) ON CONFLICT (code) DO NOTHING;
SELECT * FROM itable_check_index('uqd_code');
SELECT * FROM itable_check_index('uqd_note');
