-- Triggers, views with check option, partitions, generated columns, COPY WHERE.
CREATE FOREIGN TABLE trg_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  year integer,
  decade integer GENERATED ALWAYS AS (year / 10 * 10) STORED,
  note text
) SERVER store OPTIONS (table_name 'trgmovies');
SELECT itable_create_table('trg_movies');

-- row triggers: BEFORE changes and refuses, AFTER sees what was written
CREATE FUNCTION trg_before() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    RETURN CASE WHEN OLD.note = 'keep' THEN NULL ELSE OLD END;
  END IF;
  IF NEW.year < 1888 THEN
    RETURN NULL;
  END IF;
  NEW.note := coalesce(NEW.note, lower(TG_OP));
  RETURN NEW;
END $$;
CREATE FUNCTION trg_after() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % -> %, % rows', TG_WHEN, TG_OP, CASE WHEN TG_OP <> 'INSERT' THEN row_to_json(OLD) END,
    CASE WHEN TG_OP <> 'DELETE' THEN row_to_json(NEW) END, (SELECT count(*) FROM trg_movies);
  RETURN NULL;
END $$;
CREATE FUNCTION trg_statement() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % statement', TG_WHEN, TG_OP;
  RETURN NULL;
END $$;
CREATE TRIGGER trg_b BEFORE INSERT OR UPDATE OR DELETE ON trg_movies FOR EACH ROW EXECUTE FUNCTION trg_before();
CREATE TRIGGER trg_a AFTER INSERT OR UPDATE OR DELETE ON trg_movies FOR EACH ROW EXECUTE FUNCTION trg_after();
CREATE TRIGGER trg_s AFTER INSERT OR UPDATE OR DELETE ON trg_movies FOR EACH STATEMENT EXECUTE FUNCTION trg_statement();
INSERT INTO trg_movies (genre, name, year) VALUES ('A', 'one', 1991), ('A', 'old', 1887), ('B', 'two', 2002);
UPDATE trg_movies SET year = year + 10, note = NULL WHERE genre = 'A' RETURNING *;
UPDATE trg_movies SET genre = 'C' WHERE name = 'two';
UPDATE trg_movies SET note = 'keep' WHERE name = 'two';
DELETE FROM trg_movies RETURNING name;
COPY trg_movies (genre, name, year) FROM stdin WHERE year < 2000;
C	copied	1999
C	too new	2001
C	too old	1800
\.
DROP TRIGGER trg_a ON trg_movies;
DROP TRIGGER trg_s ON trg_movies;
SELECT * FROM trg_movies ORDER BY 1, 2;
-- a trigger that writes to the table and to another
CREATE FUNCTION trg_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trg_movies (genre, name, note) SELECT 'Audit', NEW.name, 'audit' WHERE NEW.genre <> 'Audit';
  RETURN NULL;
END $$;
CREATE TRIGGER trg_audit AFTER INSERT ON trg_movies FOR EACH ROW EXECUTE FUNCTION trg_audit();
INSERT INTO trg_movies (genre, name, year) VALUES ('D', 'x', 2001), ('D', 'y', 2002);
DROP TRIGGER trg_audit ON trg_movies;
SELECT genre, name, note FROM trg_movies WHERE genre IN ('D', 'Audit') ORDER BY 1, 2;
-- one that changes the row under the command is refused, as by a plain table
CREATE FUNCTION trg_meddle() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE trg_movies SET note = 'meddled' WHERE genre = OLD.genre AND name = OLD.name;
  RETURN NEW;
END $$;
CREATE TRIGGER trg_meddle BEFORE UPDATE ON trg_movies FOR EACH ROW
  WHEN (NEW.year = 2010) EXECUTE FUNCTION trg_meddle();
UPDATE trg_movies SET year = 2010 WHERE genre = 'D' AND name = 'x';
DROP TRIGGER trg_meddle ON trg_movies;
DROP TRIGGER trg_b ON trg_movies;
-- generated columns
INSERT INTO trg_movies (genre, name, decade) VALUES ('E', 'g', 5);
UPDATE trg_movies SET year = 1955 WHERE genre = 'D' RETURNING name, decade;
SELECT name, year, decade FROM trg_movies WHERE decade = 1950 ORDER BY name;

-- constraints are not enforced by PostgreSQL on foreign tables; a view's are
CREATE VIEW trg_recent AS SELECT genre, name, year FROM trg_movies WHERE year > 2000 WITH CHECK OPTION;
INSERT INTO trg_recent VALUES ('V', 'fine', 2020) RETURNING *;
INSERT INTO trg_recent VALUES ('V', 'not fine', 1920);
UPDATE trg_recent SET year = 1900 WHERE name = 'fine';
INSERT INTO trg_recent SELECT 'V', 'n' || i, 2003 - i FROM generate_series(1, 4) i;
SELECT * FROM trg_recent WHERE genre = 'V';

-- a partitioned table: one foreign partition, another, and a local one
CREATE TABLE trg_parted (region text NOT NULL, name text NOT NULL, year integer) PARTITION BY LIST (region);
CREATE FOREIGN TABLE trg_eu (
  region text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, year integer
) SERVER store OPTIONS (table_name 'trgeu');
ALTER TABLE trg_parted ATTACH PARTITION trg_eu FOR VALUES IN ('de', 'fr');
CREATE FOREIGN TABLE trg_us (
  region text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, year integer
) SERVER store OPTIONS (table_name 'trgus');
ALTER TABLE trg_parted ATTACH PARTITION trg_us FOR VALUES IN ('ca', 'us');
CREATE TABLE trg_local PARTITION OF trg_parted DEFAULT;
SELECT itable_create_table('trg_eu'), itable_create_table('trg_us');
INSERT INTO trg_parted VALUES ('de', 'a', 1), ('us', 'b', 2), ('fr', 'c', 3), ('xx', 'd', 4), ('ca', 'e', 5);
COPY trg_parted FROM stdin;
de	f	6
us	g	7
xx	h	8
\.
SELECT tableoid::regclass, * FROM trg_parted ORDER BY name;
UPDATE trg_parted SET year = year + 100 WHERE name < 'e' RETURNING tableoid::regclass, *;
-- rows move into foreign partitions; PostgreSQL moves none out of them, so that is refused
UPDATE trg_parted SET region = 'fr', year = -1 WHERE name = 'd' RETURNING tableoid::regclass, *;
UPDATE trg_parted SET region = 'us' WHERE name = 'a';
UPDATE trg_parted SET region = 'yy' WHERE name = 'a';
INSERT INTO trg_eu VALUES ('us', 'wrong');
INSERT INTO trg_eu SELECT 'us', 'wrong' || i FROM generate_series(1, 3) i;
UPDATE trg_parted SET region = CASE region WHEN 'de' THEN 'fr' WHEN 'fr' THEN 'de' ELSE region END;
-- into a partition that the same command updates afterwards
CREATE TABLE trg_first PARTITION OF trg_parted FOR VALUES IN ('aa');
INSERT INTO trg_parted VALUES ('aa', 'moving', 0);
UPDATE trg_parted SET region = CASE region WHEN 'aa' THEN 'us' ELSE region END, year = year + 1000
  WHERE region IN ('aa', 'us');
SELECT tableoid::regclass, * FROM trg_parted ORDER BY name;
DELETE FROM trg_parted WHERE name > 'd' RETURNING tableoid::regclass, name;
SELECT count(*) FROM trg_parted;

SELECT itable_drop_table('trg_movies'), itable_drop_table('trg_eu'), itable_drop_table('trg_us');
DROP VIEW trg_recent;
DROP TABLE trg_parted;
DROP FOREIGN TABLE trg_movies;
DROP FUNCTION trg_before(), trg_after(), trg_statement(), trg_audit(), trg_meddle();
