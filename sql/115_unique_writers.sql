-- Two foreign tables over one table of the store are one table to a unique index;
-- savepoints, COPY, TRUNCATE.
CREATE FOREIGN TABLE uqs (p text OPTIONS (key 'partition') NOT NULL, k int OPTIONS (key 'row') NOT NULL, code text) SERVER store;
SELECT itable_create_table('uqs');
CALL itable_create_index('uqs', 'uqs_code', key => '{code}', is_unique => true);
CREATE FOREIGN TABLE uqs_again (p text OPTIONS (key 'partition') NOT NULL, k int OPTIONS (key 'row') NOT NULL, code text)
  SERVER store OPTIONS (table_name 'uqs');
INSERT INTO uqs VALUES ('a', 1, 'x');
INSERT INTO uqs_again VALUES ('a', 2, 'x');
BEGIN;
INSERT INTO uqs VALUES ('a', 3, 'y');
INSERT INTO uqs_again VALUES ('a', 4, 'y') ON CONFLICT DO NOTHING;
INSERT INTO uqs_again VALUES ('a', 5, 'z');
COMMIT;
SELECT * FROM uqs_again ORDER BY k;
BEGIN;
DELETE FROM uqs WHERE code = 'x';
INSERT INTO uqs_again VALUES ('b', 1, 'x');
COMMIT;
SELECT p, k FROM uqs_again WHERE code = 'x';
-- savepoints: a key that was rolled back is free
BEGIN;
SAVEPOINT s;
INSERT INTO uqs VALUES ('c', 1, 'w');
ROLLBACK TO s;
INSERT INTO uqs VALUES ('c', 2, 'w');
UPDATE uqs SET code = 'v' WHERE code = 'w';
INSERT INTO uqs VALUES ('c', 3, 'w');
COMMIT;
SELECT k, code FROM uqs WHERE p = 'c' ORDER BY k;
-- COPY, and rows that another clause than the key finds
COPY uqs FROM stdin;
d	1	d1
d	2	d2
d	3	x
\.
COPY uqs FROM stdin;
d	1	d1
d	2	d2
\.
UPDATE uqs SET code = upper(code) WHERE p = 'd' RETURNING code;
DELETE FROM uqs WHERE code IN ('D1', 'nothing') RETURNING k;
TRUNCATE uqs;
INSERT INTO uqs VALUES ('e', 1, 'x');
SELECT * FROM itable_check_index('uqs_code');
SELECT count(*) FROM uqs_code;
