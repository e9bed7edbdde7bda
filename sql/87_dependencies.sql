-- DROP, RENAME and changes of definitions, with index tables in the picture.
CREATE FOREIGN TABLE deps (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  actors text[],
  town   text
) SERVER store;
SELECT itable_create_table('deps');
CALL itable_create_index('deps', 'deps_by_actor', key => '{actors}', include => '{actors}');
INSERT INTO deps VALUES ('A', '1', '{Fred}', 'Redmond');

-- a fact table with indexes is not dropped by accident
DROP FOREIGN TABLE deps;
-- nor loses a column that an index is made of
ALTER FOREIGN TABLE deps DROP COLUMN actors;
ALTER FOREIGN TABLE deps DROP COLUMN town;
ALTER FOREIGN TABLE deps ADD COLUMN town text;

-- names in PostgreSQL do not matter: index_of names the store's table
ALTER FOREIGN TABLE deps RENAME TO renamed;
INSERT INTO renamed VALUES ('A', '2', '{Fred}');
ALTER FOREIGN TABLE deps_by_actor RENAME TO renamed_by_actor;
INSERT INTO renamed VALUES ('A', '3', '{Fred}');
SELECT * FROM renamed_by_actor ORDER BY name;
SELECT base, index FROM itable_indexes WHERE base = 'renamed'::regclass;

-- an index table made first, as a restore may do, serves its fact table too
CREATE FOREIGN TABLE late_by_town (
  town  text OPTIONS (key 'partition') NOT NULL,
  name  text OPTIONS (key 'row') NOT NULL,
  genre text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (index_of 'late');
SELECT * FROM late_by_town;
CREATE FOREIGN TABLE late (
  genre text OPTIONS (key 'partition') NOT NULL,
  name  text OPTIONS (key 'row') NOT NULL,
  town  text
) SERVER store;
SELECT itable_create_table('late'), itable_create_table('late_by_town');
INSERT INTO late VALUES ('A', '1', 'Redmond');
SELECT * FROM late_by_town;
DROP FOREIGN TABLE late;
DROP FOREIGN TABLE late CASCADE;
-- a fact table that does not fit an index table that waits for it is refused
CREATE FOREIGN TABLE late_by_town (
  town  text OPTIONS (key 'partition') NOT NULL,
  name  text OPTIONS (key 'row') NOT NULL,
  genre text OPTIONS (key 'row') NOT NULL
) SERVER store OPTIONS (index_of 'late');
CREATE FOREIGN TABLE late (
  genre text OPTIONS (key 'partition') NOT NULL,
  name  text OPTIONS (key 'row') NOT NULL
) SERVER store;
DROP FOREIGN TABLE late_by_town;
DROP FOREIGN TABLE renamed CASCADE;
