-- Nothing of what was rolled back is sent (G3).
CREATE FOREIGN TABLE rb_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'rbmovies');
SELECT itable_create_table('rb_movies');
CALL itable_create_index('rb_movies', 'rb_by_actor', '{actors}');
INSERT INTO rb_movies VALUES ('A', 'one', '{x}', 1), ('A', 'two', '{y}', 2);
-- what was written to the store since the last reset
CREATE VIEW rb_written AS
  SELECT operation, sum(requests) AS requests FROM itable_stats()
  WHERE requests > 0 AND operation IN ('insert', 'update', 'delete', 'batch')
  GROUP BY operation ORDER BY operation COLLATE "C";
CREATE VIEW rb_rows AS
  SELECT string_agg(genre || '/' || name || coalesce('=' || year, ''), ' ' ORDER BY genre, name) AS rows,
    (SELECT string_agg(actor || '/' || name, ' ' ORDER BY actor, name) FROM rb_by_actor) AS entries
  FROM rb_movies;

-- ROLLBACK
SELECT FROM itable_stats_reset();
BEGIN;
INSERT INTO rb_movies VALUES ('A', 'three', '{x}', 3);
UPDATE rb_movies SET year = 10 WHERE name = 'one';
DELETE FROM rb_movies WHERE name = 'two';
SELECT * FROM rb_rows;
ROLLBACK;
SELECT * FROM rb_rows;

-- ROLLBACK TO, nested; RELEASE
BEGIN;
INSERT INTO rb_movies VALUES ('B', '0');
SAVEPOINT a;
INSERT INTO rb_movies VALUES ('B', 'a');
UPDATE rb_movies SET year = 100 WHERE name = 'one';
SAVEPOINT b;
INSERT INTO rb_movies VALUES ('B', 'b');
DELETE FROM rb_movies WHERE name = 'one';
UPDATE rb_movies SET name = 'a2' WHERE genre = 'B' AND name = 'a';
SELECT * FROM rb_rows;
ROLLBACK TO b;
SELECT * FROM rb_rows;
INSERT INTO rb_movies VALUES ('B', 'b'), ('B', 'a2');
RELEASE b;
SELECT * FROM rb_rows;
ROLLBACK TO a;
SELECT * FROM rb_rows;
SAVEPOINT c;
DELETE FROM rb_movies WHERE name = 'two';
RELEASE c;
SAVEPOINT d;
INSERT INTO rb_movies VALUES ('A', 'two', '{z}', 22);
RELEASE d;
SELECT * FROM rb_rows;
ROLLBACK TO a;
SELECT * FROM rb_rows;
ROLLBACK;
SELECT * FROM rb_written;

-- what survives the savepoints is sent, and only that
BEGIN;
SAVEPOINT a;
INSERT INTO rb_movies VALUES ('C', 'gone');
DELETE FROM rb_movies WHERE genre = 'A';
ROLLBACK TO a;
UPDATE rb_movies SET year = 11 WHERE name = 'one';
SAVEPOINT b;
UPDATE rb_movies SET year = 12 WHERE name = 'one';
ROLLBACK TO b;
COMMIT;
SELECT * FROM rb_written;
SELECT * FROM rb_rows;
-- all of it undone: nothing
SELECT FROM itable_stats_reset();
BEGIN;
SAVEPOINT a;
UPDATE rb_movies SET year = 13;
DELETE FROM rb_movies;
ROLLBACK TO a;
COMMIT;
SELECT * FROM rb_written;

-- an error in the middle, of a statement and of a row
BEGIN;
INSERT INTO rb_movies VALUES ('D', 'x');
SELECT 1 / 0;
COMMIT;
INSERT INTO rb_movies SELECT 'D', 'n' || i, NULL, 1 / (5 - i) FROM generate_series(1, 9) i;
SELECT * FROM rb_written;
-- rows of a command that failed in a savepoint
BEGIN;
SAVEPOINT a;
INSERT INTO rb_movies SELECT 'D', 'n' || i, NULL, 1 / (5 - i) FROM generate_series(1, 9) i;
ROLLBACK TO a;
SELECT count(*) FROM rb_movies WHERE genre = 'D';
COMMIT;
SELECT * FROM rb_written;

-- exception blocks
DO $$
BEGIN
  FOR i IN 1 .. 4 LOOP
    BEGIN
      INSERT INTO rb_movies VALUES ('E', 'row ' || i, ARRAY['e'], i);
      IF i % 2 = 0 THEN
        RAISE EXCEPTION 'no even rows';
      END IF;
    EXCEPTION WHEN raise_exception THEN
      RAISE NOTICE 'row %: %, % rows now', i, SQLERRM, (SELECT count(*) FROM rb_movies WHERE genre = 'E');
    END;
  END LOOP;
END $$;
SELECT * FROM rb_rows;
-- many subtransactions
DO $$
BEGIN
  FOR i IN 1 .. 300 LOOP
    BEGIN
      INSERT INTO rb_movies VALUES ('F', 'row ' || i, NULL, i);
      PERFORM 1 / (i % 3);
    EXCEPTION WHEN division_by_zero THEN NULL;
    END;
  END LOOP;
END $$;
SELECT count(*), sum(year % 3) FROM rb_movies WHERE genre = 'F';
DELETE FROM rb_movies WHERE genre = 'F';

-- COMMIT and ROLLBACK inside a procedure
DO $$
BEGIN
  FOR i IN 1 .. 4 LOOP
    INSERT INTO rb_movies VALUES ('G', 'row ' || i);
    IF i % 2 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
  END LOOP;
END $$;
SELECT * FROM rb_rows;

DROP VIEW rb_rows, rb_written;
CALL itable_drop_index('rb_by_actor');
SELECT itable_drop_table('rb_movies');
DROP FOREIGN TABLE rb_movies;
