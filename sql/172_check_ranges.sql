-- itable_check_index and itable_repair_index read several ranges of keys at a time once ANALYZE knows the tables, and find the same.
CREATE FOREIGN TABLE rng_movies (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, actors text[], year int)
  SERVER store OPTIONS (table_name 'rngmovies', fetch_size '10');
SELECT itable_create_table('rng_movies');
INSERT INTO rng_movies SELECT 'G' || i % 7, 'Movie ' || i, ARRAY['A' || i % 11, 'B' || i % 13], i FROM generate_series(1, 300) i;
CALL itable_create_index('rng_movies', 'rng_by_actor', '{actors}', include => '{year}');
CALL itable_create_index('rng_movies', 'rng_by_year', '{genre,year}', colocated => true);
ALTER FOREIGN TABLE rng_by_actor OPTIONS (ADD fetch_size '10');
ALTER FOREIGN TABLE rng_by_year OPTIONS (ADD fetch_size '10');
SET itable_fdw.repair_age = 0;
-- behind the indexes' back
SET itable_fdw.catalog_lease = -1;
CREATE FOREIGN TABLE rng_entries (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, year int)
  SERVER store OPTIONS (table_name 'rngbyactor', key_encoding 'raw');
DELETE FROM rng_entries WHERE rk LIKE 'Movie 17%';
UPDATE rng_entries SET year = -1 WHERE rk LIKE 'Movie 25_"%';
RESET itable_fdw.catalog_lease;
CREATE VIEW rng AS SELECT problem, fact_partition_key, fact_row_key, count(*) FROM itable_check_index('rng_by_actor') GROUP BY 1, 2, 3;

CREATE TABLE rng_one AS SELECT * FROM rng;
SELECT problem, sum(count) FROM rng_one GROUP BY 1 ORDER BY 1;
SELECT count(*) FROM itable_check_index('rng_by_year');
ANALYZE rng_movies;
ANALYZE rng_by_actor;
ANALYZE rng_by_year;
SELECT itable_stats_reset();
CREATE TABLE rng_many AS SELECT * FROM rng;
SELECT sum(requests) AS many FROM itable_stats() WHERE operation = 'query' \gset
SELECT count(*) FROM ((TABLE rng_one EXCEPT TABLE rng_many) UNION ALL (TABLE rng_many EXCEPT TABLE rng_one)) d;
SELECT count(*) FROM itable_check_index('rng_by_year');
SET itable_fdw.scan_ranges = 1;
SELECT itable_stats_reset();
SELECT count(*) FROM ((TABLE rng EXCEPT TABLE rng_many) UNION ALL (TABLE rng_many EXCEPT TABLE rng)) d;
-- each range ends with a page of its own
SELECT sum(requests) / 2 < :many AS fewer FROM itable_stats() WHERE operation = 'query';
RESET itable_fdw.scan_ranges;
CALL itable_repair_index('rng_by_actor');
SELECT count(*) FROM rng;
RESET itable_fdw.repair_age;
DROP VIEW rng;
DROP TABLE rng_one, rng_many;
CALL itable_drop_index('rng_by_actor');
CALL itable_drop_index('rng_by_year');
SELECT itable_drop_table('rng_movies');
DROP FOREIGN TABLE rng_entries, rng_movies;
