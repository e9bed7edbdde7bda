-- EXPLAIN: access, what the store filters, what stays and why; it sends nothing.
CREATE FOREIGN TABLE exp (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL, t text, n int, f real, b boolean,
  d date, a text[], tag text OPTIONS (system 'etag'), changed timestamptz OPTIONS (system 'timestamp')) SERVER store;
SELECT itable_create_table('exp');
INSERT INTO exp (p, r, t, n, b, d) SELECT 'p', 'r' || i, 't' || i % 3, i, i % 2 = 0, '2000-01-01'::date + i FROM generate_series(1, 9) i;
SELECT itable_stats_reset();
EXPLAIN (COSTS OFF) SELECT * FROM exp WHERE p = 'p' AND r = 'r1';
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE p = 'p' AND n > 3 AND t = 't1' AND d = '2000-01-05' AND b;
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE (n = 1 OR n = 2 OR t = 'it''s') AND n = ANY ('{1,2,NULL}') AND d < '2020-01-01';
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE lower(t) = 't1' AND t IS NULL AND NOT (n = 1 AND t = 'x') AND t > 'a' AND f = 1 AND 'x' = ANY (a) AND tag = 'x' AND random() < 2 AND d <> '2000-01-01';
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE p = 'p' AND (n = 1 OR lower(t) = 'x');
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE p IN ('p', 'q') AND r LIKE 'r%' AND n = NULL;
EXPLAIN (COSTS OFF, VERBOSE) SELECT r FROM exp WHERE p = (SELECT 'p') AND r > (SELECT 'a') AND n = (SELECT 1);
EXPLAIN (COSTS OFF, FORMAT JSON) SELECT r FROM exp WHERE p = 'p';
EXPLAIN (COSTS OFF, VERBOSE, FORMAT JSON) SELECT r FROM exp WHERE p = 'p' AND lower(t) = 't1' AND t IS NULL;
EXPLAIN (COSTS OFF, VERBOSE, FORMAT YAML) SELECT r FROM exp WHERE p = 'p' AND n = 1;
SELECT sum(requests) AS sent_by_explain FROM itable_stats();
SELECT explain_counts($$SELECT r FROM exp WHERE p = 'p' AND n > 7$$);
SELECT explain_counts($$SELECT r FROM exp WHERE p = 'p' AND lower(t) = 't1'$$);
SELECT explain_counts($$SELECT r FROM exp WHERE p = 'none'$$);
-- the filter is the store's work: only what matches travels
SELECT requests_of($$SELECT * FROM exp WHERE n = 5$$);
SELECT itable_drop_table('exp');
DROP FOREIGN TABLE exp;
