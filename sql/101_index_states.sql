-- What writers, the planner and lookups make of an index's state in the store's
-- catalog, which another database may have changed.
CREATE FOREIGN TABLE ist_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store;
SELECT itable_create_table('ist_movies');
INSERT INTO ist_movies SELECT 'G' || i % 3, 'm' || i, ARRAY['A' || i % 4], i FROM generate_series(1, 12) i;
CALL itable_create_index('ist_movies', 'ist_by_actor', '{actors}', include => '{year}');
CREATE FOREIGN TABLE ist_entries (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL,
  verified boolean OPTIONS (property 'verified')) SERVER store OPTIONS (table_name 'istbyactor', key_encoding 'raw', updatable 'false');
CREATE FOREIGN TABLE ist_catalog (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL,
  "State" text, "Layout" text) SERVER store OPTIONS (table_name 'itablecatalog', key_encoding 'raw');
-- another database moves the index, when what is known here is older than a lease
CREATE PROCEDURE ist_move(state text) LANGUAGE sql AS $$
  SELECT pg_sleep(0.01);
  UPDATE ist_catalog SET "State" = state WHERE pk = 'istmovies' AND rk = 'istbyactor' $$;
CREATE FUNCTION ist_indexed() RETURNS text LANGUAGE sql AS $$
  SELECT access_of('SELECT sum(year) FROM ist_movies WHERE ''A1'' = ANY (actors)') $$;
-- whatever is known is read again
SET itable_fdw.catalog_lease = '1ms';

PREPARE ist AS SELECT name FROM ist_movies WHERE 'A1' = ANY (actors) ORDER BY year;
EXECUTE ist;
EXECUTE ist;
EXECUTE ist;
EXECUTE ist;
EXECUTE ist;
EXECUTE ist;
EXECUTE ist;

-- deprecated: no longer planned, but what was planned is still right
CALL ist_move('deprecated');
EXECUTE ist;
SELECT ist_indexed();
EXECUTE ist;
INSERT INTO ist_movies VALUES ('G9', 'deprecated', '{A1}', 100);
SELECT count(*) FROM ist_entries WHERE rk LIKE 'deprecated%';
EXECUTE ist;
CALL itable_build_index('ist_by_actor');

-- dropping: a plan that uses it says so once, writers leave it alone
CALL ist_move('readable');
INSERT INTO ist_movies VALUES ('G9', 'readable', '{A1}', 101);
SELECT ist_indexed();
CALL ist_move('dropping');
SELECT error_of('SELECT sum(year) FROM ist_movies WHERE ''A1'' = ANY (actors)');
SELECT sum(year) FROM ist_movies WHERE 'A1' = ANY (actors);
EXECUTE ist;
SELECT ist_indexed();
INSERT INTO ist_movies VALUES ('G9', 'dropping', '{A1}', 102);
SELECT count(*) FROM ist_entries WHERE rk LIKE 'dropping%';
CALL itable_build_index('ist_by_actor');
-- begun by somebody, ended here
CALL itable_drop_index('ist_by_actor');
SELECT index_table, state FROM itable_catalog('ist_movies');
SELECT count(*) FROM pg_class WHERE relname = 'ist_by_actor';

-- registered: touched, not verified, not used; a new builder begins again
CALL itable_create_index('ist_movies', 'ist_by_actor', '{actors}', include => '{year}');
CALL ist_move('registered');
INSERT INTO ist_movies VALUES ('G9', 'registered', '{A1}', 103);
SELECT ist_indexed();
SELECT problem, fact_row_key FROM (SELECT set_config('itable_fdw.repair_age', '0', true)) x, itable_check_index('ist_by_actor');
CALL itable_repair_index('ist_by_actor');
CALL itable_build_index('ist_by_actor');
SELECT problem, fact_row_key FROM (SELECT set_config('itable_fdw.repair_age', '0', true)) x, itable_check_index('ist_by_actor');
SELECT ist_indexed();
SELECT index, state, progress FROM itable_indexes WHERE base = 'ist_movies'::regclass;

-- imported before it was readable: used when it is
CALL ist_move('building');
DROP FOREIGN TABLE ist_by_actor;
SELECT itable_import_indexes('ist_movies');
SELECT index, state, progress FROM itable_indexes WHERE base = 'ist_movies'::regclass;
SELECT ist_indexed();
CALL ist_move('readable');
SELECT count(*) FROM ist_movies WHERE 'A1' = ANY (actors);
SELECT ist_indexed();
SELECT index, state, progress FROM itable_indexes WHERE base = 'ist_movies'::regclass;
SELECT itable_import_indexes('ist_movies');
SELECT array_to_string(ftoptions, ' ') FROM pg_foreign_table WHERE ftrelid = 'ist_by_actor'::regclass;

-- dropped elsewhere: the name is free, what is declared here is left alone
CALL ist_move('dropped');
INSERT INTO ist_movies VALUES ('G9', 'dropped', '{A1}', 104);
SELECT count(*) FROM ist_entries WHERE rk LIKE 'dropped%';
SELECT ist_indexed();
DROP FOREIGN TABLE ist_by_actor;
SELECT itable_import_indexes('ist_movies');
CALL itable_create_index('ist_movies', 'ist_by_actor', '{actors}');
EXECUTE ist;
SELECT index_table, state FROM itable_catalog('ist_movies');
SELECT * FROM itable_check_index('ist_by_actor');
-- a name that somebody else has listed meanwhile
DO $$BEGIN PERFORM pg_sleep(0.01); END$$;
UPDATE ist_catalog SET "Layout" = 'something else' WHERE pk = 'istmovies' AND rk = 'istbyactor';
SELECT FROM itable_stats_reset();
\set VERBOSITY terse
INSERT INTO ist_movies VALUES ('G9', 'no', '{A1}', 105);
\set VERBOSITY default
SELECT sum(requests) FILTER (WHERE operation NOT IN ('table')) AS data FROM itable_stats();
RESET itable_fdw.catalog_lease;

CALL itable_drop_index('ist_by_actor');
SELECT itable_drop_table('ist_movies');
DROP PROCEDURE ist_move;
DROP FUNCTION ist_indexed;
DROP FOREIGN TABLE ist_movies, ist_entries, ist_catalog;
