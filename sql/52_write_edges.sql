-- Writing: system columns, cursors that are held, deferred triggers, CTEs, DDL between.
CREATE FOREIGN TABLE edg_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  year integer,
  etag text OPTIONS (system 'etag'),
  changed timestamptz OPTIONS (system 'timestamp')
) SERVER store OPTIONS (table_name 'edgmovies');
SELECT itable_create_table('edg_movies');

-- the store's columns are the store's: what is said for them is not written
INSERT INTO edg_movies VALUES ('A', 'x', 1, 'mine', '2000-01-01') RETURNING *;
INSERT INTO edg_movies VALUES ('A', 'y', 1, NULL), ('A', 'z', 1, 'mine');
SELECT name, etag <> 'mine' AS real_etag, changed > '2020-01-01' AS real_time FROM edg_movies ORDER BY 1;
UPDATE edg_movies SET etag = 'mine', year = 2 WHERE name = 'x' RETURNING *;
UPDATE edg_movies SET year = 3 WHERE name = 'x' RETURNING *;
-- changed in this transaction: not known yet
BEGIN;
UPDATE edg_movies SET year = 4 WHERE name = 'x';
SELECT name, year, etag IS NULL AS no_etag, changed IS NULL AS no_time FROM edg_movies ORDER BY 1;
COMMIT;
-- an ETag as a condition
BEGIN;
UPDATE edg_movies SET year = 5 WHERE name = 'x' AND etag = 'an old one' RETURNING name;
UPDATE edg_movies m SET year = 5 FROM (SELECT name, etag FROM edg_movies) old
  WHERE m.name = old.name AND m.etag = old.etag AND m.name = 'x' RETURNING m.name, m.year;
COMMIT;

-- a cursor held over the commit has what was seen before it
BEGIN;
INSERT INTO edg_movies VALUES ('B', 'held');
DECLARE held CURSOR WITH HOLD FOR SELECT genre, name FROM edg_movies ORDER BY 1, 2;
FETCH 1 FROM held;
COMMIT;
FETCH ALL FROM held;
CLOSE held;

-- deferred triggers of local tables write at commit
CREATE TABLE edg_local (i integer);
CREATE FUNCTION edg_deferred() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO edg_movies VALUES ('Deferred', 'd' || NEW.i);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER edg_trigger AFTER INSERT ON edg_local DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION edg_deferred();
BEGIN;
INSERT INTO edg_local VALUES (1), (2);
SELECT count(*) FROM edg_movies WHERE genre = 'Deferred';
COMMIT;
SELECT name FROM edg_movies WHERE genre = 'Deferred' ORDER BY name;
-- and when they fail there, the local rows are gone too
INSERT INTO edg_local VALUES (3), (1);
SELECT (SELECT count(*) FROM edg_local) AS local, (SELECT count(*) FROM edg_movies WHERE genre = 'Deferred') AS stored;

-- commands that write several times
WITH gone AS (DELETE FROM edg_movies WHERE genre = 'Deferred' RETURNING *)
  INSERT INTO edg_movies (genre, name, year) SELECT 'Moved', name, 7 FROM gone;
SELECT genre, name, year FROM edg_movies WHERE genre IN ('Moved', 'Deferred') ORDER BY 1, 2;
WITH one AS (UPDATE edg_movies SET year = 8 WHERE genre = 'Moved' AND name = 'd1' RETURNING name)
  UPDATE edg_movies SET year = 9 WHERE genre = 'Moved' AND name IN ('d1', 'd2') RETURNING name;
SELECT name, year IN (8, 9) AS once FROM edg_movies WHERE genre = 'Moved' ORDER BY 1;

-- a row whose insert was rolled back is asked for again
BEGIN;
SAVEPOINT a;
INSERT INTO edg_movies VALUES ('Moved', 'd1', 0), ('Moved', 'free', 0);
ROLLBACK TO a;
INSERT INTO edg_movies VALUES ('Moved', 'd1', 0), ('Moved', 'free', 0) ON CONFLICT DO NOTHING RETURNING name;
COMMIT;
SELECT name FROM edg_movies WHERE genre = 'Moved' ORDER BY 1;

-- isolation levels, and read only
BEGIN READ ONLY;
INSERT INTO edg_movies VALUES ('R', 'no');
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE;
INSERT INTO edg_movies VALUES ('R', 'yes');
UPDATE edg_movies SET year = 1 WHERE genre = 'R';
SELECT name, year FROM edg_movies WHERE genre = 'R';
COMMIT;
SELECT name, year FROM edg_movies WHERE genre = 'R';

-- columns that come and go within the transaction
BEGIN;
INSERT INTO edg_movies VALUES ('C', '1');
ALTER FOREIGN TABLE edg_movies ADD COLUMN extra text;
INSERT INTO edg_movies (genre, name, extra) VALUES ('C', '2', 'q');
UPDATE edg_movies SET extra = 'r' WHERE genre = 'C' AND name = '1';
COMMIT;
SELECT name, extra FROM edg_movies WHERE genre = 'C' ORDER BY 1;
BEGIN;
UPDATE edg_movies SET year = 1 WHERE genre = 'C' AND name = '1';
ALTER FOREIGN TABLE edg_movies DROP COLUMN extra;
UPDATE edg_movies SET year = 9 WHERE genre = 'C';
COMMIT;
ALTER FOREIGN TABLE edg_movies ADD COLUMN extra text;
SELECT name, year, extra FROM edg_movies WHERE genre = 'C' ORDER BY 1;

-- hostile keys
INSERT INTO edg_movies VALUES ('', ''), (' ', ' '), ('''', ''''), ('%2F', 'a/b\c?d#e'), (E'\t', E'\n');
UPDATE edg_movies SET year = length(name) WHERE genre IN ('', ' ', '''', '%2F', E'\t');
UPDATE edg_movies SET name = name || '/' WHERE genre = '''';
SELECT to_json(genre) AS genre, to_json(name) AS name, year FROM edg_movies
  WHERE genre IN ('', ' ', '''', '%2F', E'\t') ORDER BY genre COLLATE "C";
DELETE FROM edg_movies WHERE genre IN ('', ' ', '''', '%2F', E'\t');
SELECT count(*) FROM edg_movies WHERE genre IN ('', ' ', '''', '%2F', E'\t');

SELECT itable_drop_table('edg_movies');
DROP FOREIGN TABLE edg_movies;
DROP TABLE edg_local;
DROP FUNCTION edg_deferred();
