-- itable_fdw.write_buffer: rows in a temporary file, and machines that make their
-- entries again, write the same with the same requests.
CREATE FOREIGN TABLE wb_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  director text,
  year int,
  score float8,
  seen timestamptz,
  poster bytea,
  good boolean,
  id uuid
) SERVER store OPTIONS (table_name 'wbmovies');
SELECT itable_create_table('wb_movies');
SHOW itable_fdw.write_buffer;
CREATE TABLE wb_plain (LIKE wb_movies);
INSERT INTO wb_plain
  SELECT 'G' || i % 3, 'M' || i || CASE WHEN i % 10 = 0 THEN E' /\\#?%"\t!\u00e9\U0001F3AC' ELSE '' END,
         CASE WHEN i % 7 = 0 THEN NULL WHEN i % 11 = 0 THEN '{}' ELSE ARRAY['A' || i % 20, 'A' || i % 13, NULL] END,
         nullif('D' || i % 9, 'D0'), nullif(1950 + i % 60, 1950), (ARRAY[0, -1, 'NaN', 'Infinity', i / 7.0])[1 + i % 5],
         nullif('2020-01-01 00:00Z'::timestamptz + i * interval '1 hour', '2020-01-01 05:00Z'),
         decode(repeat(to_hex(i % 16), 2 * (i % 5)), 'hex'), nullif(i % 3, 0) = 1, md5(i::text)::uuid
    FROM generate_series(1, 300) i;
-- what is in the file, as PostgreSQL sees it
CREATE VIEW wb_file AS SELECT count(*) AS files, coalesce(sum(size), 0) > 0 AS filled
  FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
CREATE TABLE wb_measured (step text, buffer text, requests bigint, entities bigint, differences bigint);
CREATE PROCEDURE wb_run(what text, size text, statement text) LANGUAGE plpgsql AS $$
DECLARE
  used record;
BEGIN
  PERFORM set_config('itable_fdw.write_buffer', size, false);
  PERFORM itable_stats_reset();
  EXECUTE format(statement, 'wb_movies');
  SELECT * INTO used FROM wb_file;
  IF (used.files > 0) <> (size = '0') THEN
    RAISE NOTICE '% with %: % files', what, size, used.files;
  END IF;
  COMMIT;
  INSERT INTO wb_measured SELECT what, size, sum(requests), sum(entities) FROM itable_stats() WHERE operation <> 'table';
  COMMIT;
  IF size = '0' THEN
    EXECUTE format(statement, 'wb_plain');
    SELECT * INTO used FROM wb_file;
    IF used.files > 0 THEN
      RAISE NOTICE 'the file is still there';
    END IF;
  END IF;
  UPDATE wb_measured m SET differences =
      (SELECT count(*) FROM (SELECT t::text FROM wb_movies t EXCEPT ALL SELECT t::text FROM wb_plain t) x) +
      (SELECT count(*) FROM (SELECT t::text FROM wb_plain t EXCEPT ALL SELECT t::text FROM wb_movies t) x)
    WHERE m.step = what AND m.buffer = size AND size = '0';
  COMMIT;
END $$;
-- first with everything in memory, undone, then with nothing
CREATE PROCEDURE wb_both(step text, statement text, undo text) LANGUAGE plpgsql AS $$
BEGIN
  CALL wb_run(step, '1GB', statement);
  EXECUTE undo;
  COMMIT;
  CALL wb_run(step, '0', statement);
END $$;
CREATE PROCEDURE wb_all(layout text) LANGUAGE plpgsql AS $$
BEGIN
  TRUNCATE wb_movies;
  COMMIT;
  CREATE TEMP TABLE wb_rows AS SELECT * FROM wb_plain;
  TRUNCATE wb_plain;
  CALL wb_both(layout || ': insert', 'INSERT INTO %I SELECT * FROM wb_rows', 'DELETE FROM wb_movies');
  CALL wb_both(layout || ': update', 'UPDATE %I SET year = year + 1, director = ''D'' || year %% 4, score = score - 1',
    'TRUNCATE wb_movies; INSERT INTO wb_movies SELECT * FROM wb_rows');
  COMMIT;
  CALL wb_both(layout || ': keys', 'UPDATE %I SET name = name || ''x'', actors = actors || ''B''::text WHERE year %% 2 = 0',
    'TRUNCATE wb_movies; INSERT INTO wb_movies SELECT * FROM wb_plain');
  CALL wb_both(layout || ': delete', 'DELETE FROM %I WHERE year %% 2 = 1',
    'TRUNCATE wb_movies; INSERT INTO wb_movies SELECT * FROM wb_plain');
  TRUNCATE wb_plain;
  INSERT INTO wb_plain SELECT * FROM wb_rows;
  DROP TABLE wb_rows;
  COMMIT;
END $$;
CALL wb_all('no index');
CALL itable_create_index('wb_movies', 'wb_by_actor', '{actors}');
CALL itable_create_index('wb_movies', 'wb_by_director', '{director}', include => '{year,actors,score}', partitions => 4);
CALL wb_all('pointer and covering');
SELECT * FROM itable_check_index('wb_by_actor');
SELECT * FROM itable_check_index('wb_by_director');
CALL itable_drop_index('wb_by_actor');
CALL itable_drop_index('wb_by_director');
CALL itable_create_index('wb_movies', 'wb_colocated', '{director}', colocated => true);
CALL itable_create_index('wb_movies', 'wb_by_id', '{id}', is_unique => true);
CALL wb_all('colocated and unique');
SELECT * FROM itable_check_index('wb_colocated');
SELECT * FROM itable_check_index('wb_by_id');
SELECT a.step, a.requests = b.requests AS same_requests, a.entities = b.entities AS same_entities, b.differences
  FROM wb_measured a JOIN wb_measured b USING (step) WHERE a.buffer = '1GB' AND b.buffer = '0' ORDER BY step COLLATE "C";
