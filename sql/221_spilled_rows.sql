-- Rows in the temporary file are changed, rolled back and read like any others.
CREATE FOREIGN TABLE sp_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  director text,
  year int,
  score float8,
  note text
) SERVER store OPTIONS (table_name 'spmovies');
SELECT itable_create_table('sp_movies');
CALL itable_create_index('sp_movies', 'sp_by_actor', '{actors}');
CALL itable_create_index('sp_movies', 'sp_by_director', '{director}', include => '{year}');
INSERT INTO sp_movies
  SELECT 'G' || i % 3, 'M' || i, ARRAY['A' || i % 4, NULL, 'All'], 'D' || i % 5, 1990 + i, 0, repeat('x', i)
  FROM generate_series(0, 19) i;
CREATE TABLE sp_plain AS SELECT * FROM sp_movies;
CREATE FUNCTION sp_both(statement text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(statement, 'sp_movies');
  EXECUTE format(statement, 'sp_plain');
END $$;
-- every kind of scan beside the plain table; every difference is printed
CREATE FUNCTION sp_differences(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY EXECUTE format(
    'SELECT %L || row_to_json(x) FROM ((SELECT ''extra'' AS what, t::text FROM sp_movies t WHERE %2$s
       EXCEPT ALL SELECT ''extra'', t::text FROM sp_plain t WHERE %2$s)
     UNION ALL (SELECT ''missing'' AS what, t::text FROM sp_plain t WHERE %2$s
       EXCEPT ALL SELECT ''missing'', t::text FROM sp_movies t WHERE %2$s)) x', condition || ': ', condition);
END $$;
CREATE VIEW sp_check AS
  SELECT c AS condition, d AS difference
  FROM unnest(ARRAY[$$genre = 'G1' AND name = 'M1'$$, $$genre = 'G1'$$, $$name = 'M2'$$, $$year > 2000$$,
    $$genre IN ('G0', 'G9')$$, $$'A1' = ANY (actors)$$, $$actors && '{A3,New}'$$, $$director = 'D1'$$,
    $$director = 'D1' OR genre = 'G2'$$, 'true']) c, sp_differences(c) d;
SET itable_fdw.write_buffer = 0;
BEGIN;
SELECT sp_both($$INSERT INTO %I SELECT 'G9', 'N' || i, ARRAY['New', 'A1'], 'D1', 2000 + i, '-0', NULL
  FROM generate_series(1, 10) i$$);
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
SELECT * FROM sp_check;
-- what is equal is not written again: a row like one that is like another
SELECT sp_both('UPDATE %I SET year = year + 1');
SELECT sp_both('UPDATE %I SET score = 0 WHERE genre = ''G9''');
SELECT sp_both('UPDATE %I SET score = ''-0'', note = NULL WHERE name LIKE ''M1%%''');
SELECT sp_both('UPDATE %I SET director = NULL, actors = ''{}'' WHERE name IN (''N1'', ''M3'')');
SELECT sp_both('UPDATE %I SET director = ''D1'', note = ''again'' WHERE director IS NULL');
SELECT * FROM sp_check;
SELECT name, year, score, note FROM sp_movies WHERE genre = 'G9' ORDER BY name LIMIT 3;
SAVEPOINT a;
SELECT sp_both('UPDATE %I SET genre = ''G8'' WHERE genre = ''G9''');
SELECT sp_both('DELETE FROM %I WHERE year > 2005 AND genre <> ''G8''');
SELECT * FROM sp_check;
SAVEPOINT b;
SELECT sp_both('DELETE FROM %I');
SELECT count(*) FROM sp_movies;
ROLLBACK TO b;
SELECT * FROM sp_check;
ROLLBACK TO a;
SELECT * FROM sp_check;
-- a cursor over own rows, ordered and not, while others are written and undone
DECLARE unordered CURSOR FOR SELECT name, note FROM sp_movies WHERE genre = 'G9';
DECLARE ordered SCROLL CURSOR FOR SELECT genre, name, year FROM sp_movies WHERE genre >= 'G2' ORDER BY genre, name;
DECLARE through CURSOR FOR SELECT name, year FROM sp_movies WHERE director = 'D1' ORDER BY director, name;
FETCH 2 FROM unordered;
FETCH 3 FROM ordered;
FETCH 2 FROM through;
SAVEPOINT c;
INSERT INTO sp_movies SELECT 'G9', 'Z' || i, NULL, 'D1', i, i, repeat('z', 1000) FROM generate_series(1, 200) i;
UPDATE sp_movies SET year = 0 WHERE genre = 'G9';
FETCH 2 FROM unordered;
FETCH 3 FROM ordered;
FETCH 2 FROM through;
ROLLBACK TO c;
FETCH 100 FROM unordered;
FETCH 100 FROM ordered;
FETCH BACKWARD 2 FROM ordered;
FETCH 100 FROM through;
CLOSE ALL;
-- rows given back by RETURNING, joined with others, inserted again
WITH gone AS (DELETE FROM sp_movies WHERE name IN ('N2', 'M4') RETURNING *)
  SELECT name, year, score, note FROM gone ORDER BY name;
DELETE FROM sp_plain WHERE name IN ('N2', 'M4');
UPDATE sp_movies m SET note = o.name FROM sp_movies o WHERE o.genre = m.genre AND o.year = m.year + 3;
UPDATE sp_plain m SET note = o.name FROM sp_plain o WHERE o.genre = m.genre AND o.year = m.year + 3;
INSERT INTO sp_movies SELECT 'G7', name, actors, director, year, score, note FROM sp_movies WHERE genre = 'G9';
INSERT INTO sp_plain SELECT 'G7', name, actors, director, year, score, note FROM sp_plain WHERE genre = 'G9';
SELECT * FROM sp_check;
INSERT INTO sp_movies VALUES ('G7', 'N3');
ROLLBACK;
SELECT count(*) AS files FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
SELECT * FROM sp_check;
-- the same and COMMIT
BEGIN;
SELECT sp_both($$INSERT INTO %I SELECT 'G9', 'N' || i, ARRAY['New', 'A1'], 'D1', 2000 + i, -1, NULL
  FROM generate_series(1, 10) i$$);
SELECT sp_both('UPDATE %I SET year = year + 1');
SAVEPOINT a;
SELECT sp_both('DELETE FROM %I');
ROLLBACK TO a;
SELECT sp_both('UPDATE %I SET genre = ''G8'' WHERE name LIKE ''%%5''');
SELECT sp_both('DELETE FROM %I WHERE name LIKE ''%%7''');
COMMIT;
SELECT * FROM sp_check;
SELECT * FROM itable_check_index('sp_by_actor');
SELECT * FROM itable_check_index('sp_by_director');
