-- The catalog of indexes in the store: what it lists, who reads it and when.
CREATE FOREIGN TABLE cat_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'catmovies');
SELECT itable_create_table('cat_movies');
CREATE VIEW cat_asked AS
  SELECT coalesce(sum(requests) FILTER (WHERE operation = 'table'), 0) AS catalog,
    coalesce(sum(requests) FILTER (WHERE operation <> 'table'), 0) AS data FROM itable_stats();

-- a writer reads it once in a lease; 1,000 rows are ten requests on top
SELECT FROM itable_stats_reset();
INSERT INTO cat_movies SELECT 'Bulk', 'Movie ' || i FROM generate_series(1, 1000) i;
SELECT catalog <= 1 AS once, data FROM cat_asked;
INSERT INTO cat_movies VALUES ('Action', 'Heat', '{Al,Bob}', 1995);
UPDATE cat_movies SET year = 1996 WHERE genre = 'Action' AND name = 'Heat';
DELETE FROM cat_movies WHERE genre = 'Bulk' AND name > 'Movie 1';
SELECT catalog <= 1 AS once FROM cat_asked;
SET itable_fdw.catalog_lease = '1ms';
SELECT FROM itable_stats_reset();
SELECT pg_sleep(0.01);
UPDATE cat_movies SET year = 1997 WHERE genre = 'Action' AND name = 'Heat';
SELECT catalog >= 1 AS again FROM cat_asked;
SET itable_fdw.catalog_lease = '-1';
SELECT FROM itable_stats_reset();
UPDATE cat_movies SET year = 1995 WHERE genre = 'Action' AND name = 'Heat';
SELECT catalog FROM cat_asked;
RESET itable_fdw.catalog_lease;
-- readers without an index, and EXPLAIN, do not ask
SELECT FROM itable_stats_reset();
SELECT count(*) FROM cat_movies WHERE genre = 'Action';
EXPLAIN (COSTS OFF) UPDATE cat_movies SET year = 1 WHERE genre = 'Action';
SELECT catalog FROM cat_asked;

-- created, listed
CALL itable_create_index('cat_movies', 'cat_by_actor', '{actors}', include => '{year}');
SELECT index_table, state, facts_done, layout, declared_as FROM itable_catalog('cat_movies');
SELECT jsonb_pretty(definition) FROM itable_catalog('cat_movies');
EXPLAIN (COSTS OFF) SELECT year FROM cat_movies WHERE 'Al' = ANY (actors);
SELECT name, year FROM cat_movies WHERE 'Al' = ANY (actors);
-- registered: this database, once
CREATE FOREIGN TABLE cat_raw (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL,
  "Lease" integer, "State" text) SERVER store OPTIONS (table_name 'itablecatalog', key_encoding 'raw', updatable 'false');
SELECT rk LIKE '~writer~%' AS writer, "Lease", "State" FROM cat_raw WHERE pk = 'catmovies' ORDER BY rk COLLATE "C";

-- listed but not declared: nobody writes here until it is imported
DROP FOREIGN TABLE cat_by_actor;
INSERT INTO cat_movies VALUES ('Action', 'Ronin', '{Al,Jean}', 1998);
SELECT FROM itable_stats_reset();
BEGIN;
DELETE FROM cat_movies WHERE genre = 'Action' AND name = 'Heat';
COMMIT;
SELECT operation, requests FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1;
SELECT name, year FROM cat_movies WHERE 'Al' = ANY (actors);
SELECT itable_import_indexes('cat_movies');
SELECT itable_import_indexes('cat_movies');
INSERT INTO cat_movies VALUES ('Action', 'Ronin', '{Al,Jean}', 1998);
EXPLAIN (COSTS OFF) SELECT year FROM cat_movies WHERE 'Al' = ANY (actors);
SELECT name, year FROM cat_movies WHERE 'Al' = ANY (actors) ORDER BY 1;
SELECT count(*) FROM itable_check_index('cat_by_actor');
\d cat_by_actor

-- declared otherwise than listed
ALTER FOREIGN TABLE cat_by_actor DROP COLUMN year;
INSERT INTO cat_movies VALUES ('Action', 'Speed', '{Keanu}', 1994);
DROP FOREIGN TABLE cat_by_actor;
CALL itable_create_index('cat_movies', 'cat_by_actor', '{actors}');
SELECT itable_import_indexes('cat_movies');
INSERT INTO cat_movies VALUES ('Action', 'Speed', '{Keanu}', 1994);

-- declared by hand: maintained as ever, listed by itable_build_index
CREATE FOREIGN TABLE cat_by_year (
  year integer OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  genre text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (index_of 'catmovies');
SELECT itable_create_table('cat_by_year');
INSERT INTO cat_movies VALUES ('Drama', 'Fargo', '{Steve}', 1996);
SELECT year, name FROM cat_by_year ORDER BY 1;
SELECT index_table, state FROM itable_catalog('cat_movies') ORDER BY 1;
CALL itable_build_index('cat_by_year');
SELECT index_table, state FROM itable_catalog('cat_movies') ORDER BY 1;
SELECT year, name FROM cat_by_year ORDER BY 1;

-- dropped: gone from the list, and the name is free
CALL itable_drop_index('cat_by_year');
SELECT index_table, state FROM itable_catalog('cat_movies') ORDER BY 1;
-- the fact table is dropped: an index that nobody here has is forgotten
DROP FOREIGN TABLE cat_by_actor;
SELECT itable_drop_table('cat_movies');
SELECT count(*) FROM itable_catalog('cat_movies');
SELECT error_of('SELECT * FROM itable_catalog(''pg_class'')');

DROP VIEW cat_asked;
DROP FOREIGN TABLE cat_movies, cat_raw;
