-- Requests per operation with a unique index, for the table in docs/INDEXES.md.
-- Run: tools/with-store.sh --mock -- tools/with-cluster.sh -- psql -X -q -f bench/requests_unique.sql
\i tools/demo/00_connect.sql
SET client_min_messages = warning;
CREATE TABLE measured (kind text, operation text, requests bigint);
CREATE PROCEDURE measure(kind text, operation text, statement text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM itable_stats_reset();
  EXECUTE statement;
  COMMIT;
  INSERT INTO measured SELECT measure.kind, measure.operation, sum(requests) FROM itable_stats();
  COMMIT;
END $$;
CREATE PROCEDURE measure_all(kind text) LANGUAGE plpgsql AS $$
BEGIN
  -- the first write after DDL also reads the catalog
  CALL measure(kind, '0', format($q$INSERT INTO users VALUES ('first', %L)$q$, kind));
  CALL measure(kind, '1 insert one row', $q$INSERT INTO users VALUES ('T', 'one', 'one@x')$q$);
  CALL measure(kind, '2 update another column', $q$UPDATE users SET note = 'x' WHERE team = 'T' AND id = 'one'$q$);
  CALL measure(kind, '3 change the key', $q$UPDATE users SET email = 'two@x' WHERE team = 'T' AND id = 'one'$q$);
  CALL measure(kind, '4 move the row, key unchanged', $q$UPDATE users SET id = 'two' WHERE team = 'T' AND id = 'one'$q$);
  CALL measure(kind, '5 delete it', $q$DELETE FROM users WHERE team = 'T' AND id = 'two'$q$);
  CALL measure(kind, '6 insert 1,000', $q$INSERT INTO users SELECT 'U', n::text, n || '@x' FROM generate_series(1, 1000) n$q$);
  CALL measure(kind, '7 find by the key: team, id', $q$SELECT team, id FROM users WHERE email = '7@x'$q$);
  CALL measure(kind, '8 find by the key: other columns', $q$SELECT note FROM users WHERE email = '7@x'$q$);
  CALL measure(kind, '9 delete 1,000', $q$DELETE FROM users WHERE team = 'U'$q$);
END $$;
CREATE FOREIGN TABLE users (
  team  text OPTIONS (key 'partition') NOT NULL,
  id    text OPTIONS (key 'row') NOT NULL,
  email text,
  note  text
) SERVER store;
SELECT itable_create_table('users') \g /dev/null
CALL measure_all('no index');
CALL itable_create_index('users', 'users_by_email', key => '{email}', is_unique => true);
CALL measure_all('unique');
CALL itable_drop_index('users_by_email');
CALL itable_create_index('users', 'users_by_email', key => '{email}', include => '{team,id}', is_unique => true);
CALL measure_all('covering');
CALL itable_drop_index('users_by_email');
CALL itable_create_index('users', 'users_by_email', key => '{email}', is_unique => true, partitions => 8);
CALL measure_all('gathered in 8');
SELECT substr(operation, 3) AS operation, max(requests) FILTER (WHERE kind = 'no index') AS "no index", max(requests) FILTER (WHERE kind = 'unique') AS "unique",
  max(requests) FILTER (WHERE kind = 'covering') AS "unique, covering", max(requests) FILTER (WHERE kind = 'gathered in 8') AS "unique, gathered in 8"
FROM measured WHERE operation <> '0' GROUP BY measured.operation ORDER BY measured.operation;
