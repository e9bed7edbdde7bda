-- Cursors: parts of a scan, several at once, scans that end early.
CREATE FOREIGN TABLE cur (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, a text[]) SERVER store OPTIONS (fetch_size '3');
SELECT itable_create_table('cur');
INSERT INTO cur SELECT 'p', i, ARRAY['a' || i % 2] FROM generate_series(1, 20) i;
SET client_min_messages = warning;
CALL itable_create_index('cur', 'cur_by_a', key => '{a}');
BEGIN;
DECLARE one CURSOR FOR SELECT r FROM cur WHERE p = 'p';
DECLARE two CURSOR FOR SELECT r FROM cur WHERE p = 'p' AND r > 10;
DECLARE three SCROLL CURSOR FOR SELECT r FROM cur WHERE p = 'p';
DECLARE four CURSOR FOR SELECT r FROM cur WHERE 'a1' = ANY (a);
FETCH 2 FROM one;
FETCH 2 FROM two;
FETCH 2 FROM one;
FETCH 2 FROM four;
FETCH 4 FROM three;
FETCH BACKWARD 2 FROM three;
FETCH LAST FROM three;
FETCH FIRST FROM three;
FETCH ABSOLUTE 7 FROM three;
CLOSE one;
FETCH 3 FROM two;
FETCH 100 FROM four;
FETCH 1 FROM four;
MOVE 3 IN two;
FETCH 2 FROM two;
FETCH BACKWARD 1 FROM two;
ROLLBACK;
-- beyond the transaction; a cursor sees the state at its start
BEGIN;
DECLARE held CURSOR WITH HOLD FOR SELECT r FROM cur WHERE p = 'p' AND r <= 5;
FETCH 1 FROM held;
INSERT INTO cur VALUES ('p', 0, NULL);
DECLARE later CURSOR FOR SELECT r FROM cur WHERE p = 'p' AND r < 3;
DELETE FROM cur WHERE p = 'p' AND r = 2;
SELECT count(*) FROM (SELECT r FROM cur WHERE p = 'p' AND r < 3) x;
COMMIT;
FETCH ALL FROM held;
CLOSE held;
SELECT r FROM cur WHERE p = 'p' AND r < 4 ORDER BY r;
-- an error, a subtransaction and a disconnect in the middle of a scan
BEGIN;
DECLARE broken CURSOR FOR SELECT r / (r - 3) FROM cur WHERE p = 'p';
FETCH 2 FROM broken;
SAVEPOINT s;
FETCH 5 FROM broken;
ROLLBACK TO s;
DECLARE next CURSOR FOR SELECT r FROM cur WHERE p = 'p';
FETCH 4 FROM next;
SELECT itable_disconnect('store');
FETCH 4 FROM next;
COMMIT;
SELECT requests_of('SELECT r FROM cur WHERE p = ''p'' LIMIT 2'), requests_of('SELECT r FROM cur WHERE p = ''p'' LIMIT 5'), requests_of('SELECT r FROM cur WHERE p = ''p''');
SELECT requests_of($$SELECT 1 FROM cur WHERE 'a1' = ANY (a) LIMIT 1$$) <= 6 AS few;
DO $$
DECLARE
  x record;
  y record;
  n int := 0;
BEGIN
  FOR x IN SELECT r FROM cur WHERE p = 'p' AND r < 8 LOOP
    FOR y IN SELECT r FROM cur WHERE p = 'p' AND r > x.r LOOP
      n := n + 1;
      EXIT WHEN y.r > 10;
    END LOOP;
  END LOOP;
  RAISE WARNING 'rows: %', n;
END $$;
CALL itable_drop_index('cur_by_a');
SELECT itable_drop_table('cur');
DROP FOREIGN TABLE cur;
