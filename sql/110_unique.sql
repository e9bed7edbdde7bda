-- A unique index holds one entry for each key value: definition and requests.
CREATE FOREIGN TABLE uq_users (
  team  text OPTIONS (key 'partition') NOT NULL,
  id    bigint OPTIONS (key 'row') NOT NULL,
  email text,
  name  text
) SERVER store;
SELECT itable_create_table('uq_users');
INSERT INTO uq_users VALUES ('red', 1, 'ann@x', 'Ann'), ('red', 2, 'bob@x', 'Bob'), ('blue', 1, NULL, 'Cid'), ('blue', 2, '', 'Dee');
CALL itable_create_index('uq_users', 'uq_email', key => '{email}', is_unique => true);
CALL itable_create_index('uq_users', 'uq_name', key => '{name}', include => '{id,team,email}', is_unique => true);
\d uq_email
\d uq_name
SELECT index, key_columns, covered_columns, strategy, is_unique, state FROM itable_indexes WHERE base = 'uq_users'::regclass ORDER BY 1;
SELECT * FROM uq_email ORDER BY email;
SELECT * FROM uq_name ORDER BY name;

-- a point read of the entry, and of the fact where the entry does not answer
SELECT access_of('SELECT name FROM uq_users WHERE email = ''ann@x''');
SELECT name FROM uq_users WHERE email = 'ann@x';
SELECT requests_of('SELECT name FROM uq_users WHERE email = ''ann@x''');
SELECT access_of('SELECT team, id, email FROM uq_users WHERE name = ''Bob''');
SELECT team, id, email FROM uq_users WHERE name = 'Bob';
SELECT requests_of('SELECT team, id, email FROM uq_users WHERE name = ''Bob''');
SELECT requests_of('SELECT * FROM uq_name WHERE name = ''Bob''');
SELECT name FROM uq_users WHERE email IN ('ann@x', 'bob@x', 'no@x') ORDER BY 1;
SELECT name FROM uq_users WHERE email = '';
SELECT name FROM uq_users WHERE email IS NULL;

-- what a change costs
CREATE VIEW uq_sent AS SELECT operation, requests FROM itable_stats() WHERE requests > 0 ORDER BY 1;
SELECT itable_stats_reset();
INSERT INTO uq_users VALUES ('red', 3, 'eve@x', 'Eve'); -- stub, two claims, fact, one verified
SELECT * FROM uq_sent;
SELECT itable_stats_reset();
UPDATE uq_users SET email = 'eva@x' WHERE team = 'red' AND id = 3; -- read; new claim, touch of the copy, old claim; fact; settling
SELECT * FROM uq_sent;
SELECT itable_stats_reset();
DELETE FROM uq_users WHERE team = 'red' AND id = 3;
SELECT * FROM uq_sent;
SELECT * FROM itable_check_index('uq_email');
SELECT * FROM itable_check_index('uq_name');
SELECT count(*) FROM uq_email;

-- duplicates
INSERT INTO uq_users VALUES ('green', 9, 'ann@x', 'Zoe');
UPDATE uq_users SET email = 'ann@x' WHERE name = 'Bob';
UPDATE uq_users SET email = 'same@x';
INSERT INTO uq_users VALUES ('green', 9, 'new@x', 'Xia'), ('green', 10, 'new@x', 'Yao');
SELECT * FROM uq_users ORDER BY team, id;
SELECT count(*) FROM uq_email;
UPDATE uq_users SET email = 'ann@y' WHERE email = 'ann@x';
INSERT INTO uq_users VALUES ('green', 9, 'ann@x', 'Zoe');
SELECT team, id FROM uq_users WHERE email = 'ann@x';
SELECT * FROM itable_check_index('uq_email');
SELECT * FROM itable_check_index('uq_name');
