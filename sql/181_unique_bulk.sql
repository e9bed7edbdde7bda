-- The claims of a bulk change are read where they stand dense: gathered claims as
-- ranges of keys, those with a partition of their own by their keys.
CREATE FOREIGN TABLE ubk_people (
  town text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  email text,
  score int
) SERVER store OPTIONS (table_name 'ubkpeople');
SELECT itable_create_table('ubk_people');
CREATE TABLE ubk_plain AS SELECT 'T' || n % 2 AS town, 'n' || n AS name, 'e' || n AS email, n AS score FROM generate_series(1, 400) n;
CREATE PROCEDURE ubk(statement text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM itable_stats_reset();
  EXECUTE statement;
  EXECUTE replace(statement, 'ubk_people', 'ubk_plain');
  COMMIT;
END $$;
CREATE FUNCTION ubk_requests() RETURNS TABLE (operation text, requests bigint) LANGUAGE sql AS
  $$SELECT operation, requests FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1$$;
CALL itable_create_index('ubk_people', 'ubk_email', '{email}', is_unique => true, partitions => 2);
CREATE FUNCTION ubk_differences() RETURNS TABLE (wrong text) LANGUAGE sql AS
  $$SELECT p::text FROM ((TABLE ubk_people EXCEPT TABLE ubk_plain) UNION ALL (TABLE ubk_plain EXCEPT TABLE ubk_people)) p
    UNION ALL SELECT email FROM (SELECT email FROM ubk_email EXCEPT SELECT email FROM ubk_plain) u
    UNION ALL SELECT problem || ' ' || index_row_key FROM itable_check_index('ubk_email')$$;
INSERT INTO ubk_people TABLE ubk_plain;
CALL ubk('UPDATE ubk_people SET email = ''x'' || email WHERE score <= 200');
SELECT * FROM ubk_requests();
-- NULL keys have no claims; the others are passed on within the statement
CALL ubk('UPDATE ubk_people SET email = CASE WHEN score % 2 = 0 THEN ''e'' || score + 1000 END WHERE score > 200');
SELECT * FROM ubk_requests();
SELECT * FROM ubk_differences();
-- a few among many are read by their keys
CALL ubk('DELETE FROM ubk_people WHERE score % 50 = 2');
SELECT * FROM ubk_requests();
CALL ubk('DELETE FROM ubk_people');
SELECT * FROM ubk_requests();
SELECT * FROM ubk_differences();
SELECT count(*) FROM ubk_email;
DROP FUNCTION ubk_differences();
CALL itable_drop_index('ubk_email');

-- a partition for each key: nothing stands dense
CALL itable_create_index('ubk_people', 'ubk_email', '{email}', is_unique => true);
INSERT INTO ubk_people SELECT 'T', 'n' || n, 'e' || n, n FROM generate_series(1, 30) n;
INSERT INTO ubk_plain SELECT 'T', 'n' || n, 'e' || n, n FROM generate_series(1, 30) n;
CALL ubk('DELETE FROM ubk_people');
SELECT * FROM ubk_requests();
SELECT count(*) FROM ubk_people;
SELECT count(*) FROM ubk_email;
CALL itable_drop_index('ubk_email');
SELECT itable_drop_table('ubk_people');
DROP FOREIGN TABLE ubk_people;
DROP TABLE ubk_plain;
DROP PROCEDURE ubk;
DROP FUNCTION ubk_requests();
