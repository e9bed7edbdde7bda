-- Columns: projection, system columns, dropped, added and renamed ones.
CREATE FOREIGN TABLE col (x text, p text OPTIONS (key 'partition') NOT NULL, n int, r text OPTIONS (key 'row') NOT NULL, tag text OPTIONS (system 'etag'),
  changed timestamptz OPTIONS (system 'timestamp'), note text OPTIONS (property 'Remark'), gone int) SERVER store OPTIONS (table_name 'colFacts');
SELECT itable_create_table('col');
INSERT INTO col (p, r, x, n, note, gone) VALUES ('p', '1', 'one', 1, 'first', 7), ('p', '2', NULL, NULL, NULL, NULL), ('p', '3', 'three', 3, NULL, 9);
SELECT p, r, x, n, note, gone, tag IS NOT NULL AS tag, changed IS NOT NULL AS changed FROM col ORDER BY r;
SELECT n FROM col ORDER BY n;
SELECT note FROM col WHERE x = 'one';
SELECT count(*) FROM col;
SELECT 1 AS one FROM col WHERE p = 'p';
SELECT r FROM col WHERE tag IS NOT NULL AND changed > '2000-01-01' AND changed < 'infinity' ORDER BY r;
SELECT (c).n, c IS NULL AS is_null, c.tag = (c).tag AS same FROM col c ORDER BY r;
SELECT tableoid::regclass, r FROM col WHERE p = 'p' AND r = '1';
SELECT ctid FROM col WHERE false;
SELECT xmin IS NULL FROM col WHERE false;
-- the ETag changes with each change; keys and system columns are not to be set
SELECT tag AS before FROM col WHERE p = 'p' AND r = '1' \gset
UPDATE col SET n = 11 WHERE p = 'p' AND r = '1';
SELECT tag <> :'before' AS changed, n FROM col WHERE p = 'p' AND r = '1';
-- another view of the same table: other names, other types, fewer columns
CREATE FOREIGN TABLE col_two (r text OPTIONS (key 'row') NOT NULL, p text OPTIONS (key 'partition') NOT NULL, number bigint OPTIONS (property 'n', edm_type 'Edm.Int32'), remark varchar(5) OPTIONS (property 'Remark'))
  SERVER store OPTIONS (table_name 'colFacts');
SELECT * FROM col_two ORDER BY r;
SELECT r FROM col_two WHERE number > 2::bigint ORDER BY r;
UPDATE col_two SET number = 33 WHERE p = 'p' AND r = '3';
SELECT r, x, n, gone FROM col ORDER BY r;
-- dropped, added, renamed; the store keeps what no column names
PREPARE col_all AS SELECT * FROM col WHERE p = 'p' AND r = '3';
PREPARE col_n AS SELECT n FROM col WHERE p = 'p' AND n > 0 ORDER BY r;
EXECUTE col_n;
ALTER FOREIGN TABLE col DROP COLUMN tag, DROP COLUMN changed, DROP COLUMN x;
EXECUTE col_all;
EXECUTE col_n;
SELECT * FROM col ORDER BY r;
INSERT INTO col VALUES ('p', 4, '4', 'four', 44);
UPDATE col SET n = 12 WHERE p = 'p' AND r = '1';
ALTER FOREIGN TABLE col ADD COLUMN x text, ADD COLUMN fresh date;
SELECT * FROM col ORDER BY r;
ALTER FOREIGN TABLE col RENAME COLUMN n TO m;
SELECT r, m FROM col ORDER BY r;
ALTER FOREIGN TABLE col ALTER COLUMN m OPTIONS (ADD property 'n');
SELECT r, m FROM col ORDER BY r;
EXECUTE col_n;
ALTER FOREIGN TABLE col ALTER COLUMN note OPTIONS (SET property 'Other');
SELECT r, note FROM col WHERE p = 'p' AND r = '1';
ALTER FOREIGN TABLE col ALTER COLUMN note OPTIONS (DROP property), ALTER COLUMN m TYPE bigint, ALTER COLUMN m OPTIONS (ADD edm_type 'Edm.Int32');
SELECT r, m, note FROM col WHERE m IS NOT NULL ORDER BY r;
-- the store's table may be changed under a prepared statement
CREATE FOREIGN TABLE col_other (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store OPTIONS (table_name 'colOther');
SELECT itable_create_table('col_other');
INSERT INTO col_other VALUES ('p', 'other', 99);
PREPARE col_m AS SELECT m FROM col WHERE p = 'p' AND m > 0 ORDER BY r;
EXECUTE col_m;
ALTER FOREIGN TABLE col OPTIONS (SET table_name 'colOther');
EXECUTE col_m;
SELECT itable_drop_table('col'), itable_drop_table('col_two');
SELECT error_of('SELECT * FROM col');
DROP FOREIGN TABLE col, col_two, col_other;
