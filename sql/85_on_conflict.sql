-- INSERT ... ON CONFLICT DO NOTHING asks the store before it buffers a row.
CREATE FOREIGN TABLE conflicts (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  actors text[]
) SERVER store;
SELECT itable_create_table('conflicts');
CALL itable_create_index('conflicts', 'conflicts_by_actor', key => '{actors}');
INSERT INTO conflicts VALUES ('A', '1', '{Fred}'), ('A', '2', '{Bert}');
INSERT INTO conflicts VALUES ('A', '1', '{Mary}') ON CONFLICT DO NOTHING;
INSERT INTO conflicts VALUES ('A', '1', '{Mary}'), ('A', '3', '{Mary}'), ('A', '3', '{Ted}'), ('B', '1', '{Ted}')
  ON CONFLICT DO NOTHING RETURNING genre, name, actors;
SELECT * FROM conflicts ORDER BY genre, name;
SELECT * FROM conflicts_by_actor ORDER BY actor, name;

-- many rows: the questions go out together
INSERT INTO conflicts SELECT 'A', n::text, '{Many}' FROM generate_series(1, 250) n ON CONFLICT DO NOTHING;
SELECT count(*), count(*) FILTER (WHERE actors = '{Many}') FROM conflicts;
SELECT requests_of($$INSERT INTO conflicts SELECT 'A', n::text FROM generate_series(1, 20) n ON CONFLICT DO NOTHING$$);

-- what this transaction did counts first
BEGIN;
DELETE FROM conflicts WHERE genre = 'A' AND name = '1';
INSERT INTO conflicts VALUES ('A', '1', '{Again}') ON CONFLICT DO NOTHING;
INSERT INTO conflicts VALUES ('A', '1', '{Never}') ON CONFLICT DO NOTHING;
INSERT INTO conflicts VALUES ('C', 'new', '{New}') ON CONFLICT DO NOTHING;
SAVEPOINT s;
DELETE FROM conflicts WHERE genre = 'C';
ROLLBACK TO s;
INSERT INTO conflicts VALUES ('C', 'new', '{Never}') ON CONFLICT DO NOTHING;
COMMIT;
SELECT * FROM conflicts WHERE name IN ('1', 'new') ORDER BY genre;
SELECT count(*) FROM conflicts WHERE 'Never' = ANY (actors);
INSERT INTO conflicts VALUES ('A', '1') ON CONFLICT (genre, name) DO NOTHING;
