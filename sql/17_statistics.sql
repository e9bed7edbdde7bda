-- Functions about connections and statistics.
CREATE FOREIGN TABLE sta (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, n int) SERVER store;
SELECT * FROM itable_get_connections();
SELECT count(*) FROM itable_stats() WHERE requests > 0;
SELECT itable_create_table('sta'), itable_create_table('sta');
SELECT server, operation, requests >= 2 AS some FROM itable_stats() WHERE requests > 0 ORDER BY operation;
SELECT * FROM itable_get_connections();
SELECT itable_stats_reset();
SELECT DISTINCT server, requests, entities, bytes_sent, bytes_received, retries, throttles FROM itable_stats();
SELECT operation FROM itable_stats() ORDER BY operation;
INSERT INTO sta SELECT 'p', i, i FROM generate_series(1, 5) i;
SELECT n FROM sta WHERE p = 'p' AND r = '1';
SELECT count(n) FROM sta WHERE p = 'p';
SELECT operation, requests, entities, bytes_sent > 0 AS sent, bytes_received > 0 AS received, retries, throttles FROM itable_stats() WHERE requests > 0 AND operation IN ('get', 'query') ORDER BY operation;
SELECT sum(retries), sum(throttles) FROM itable_stats();
-- closing connections; counts stay
SELECT itable_disconnect('store');
SELECT * FROM itable_get_connections();
SELECT itable_disconnect('store');
SELECT requests FROM itable_stats() WHERE operation = 'get';
SELECT n FROM sta WHERE p = 'p' AND r = '2';
SELECT requests FROM itable_stats() WHERE operation = 'get';
SELECT itable_disconnect_all(), itable_disconnect_all();
SELECT itable_disconnect('nowhere');
-- in a transaction they are closed at its end
BEGIN;
SELECT n FROM sta WHERE p = 'p' AND r = '2';
SELECT itable_disconnect('store');
SELECT * FROM itable_get_connections();
SELECT n FROM sta WHERE p = 'p' AND r = '3';
COMMIT;
-- a changed server or mapping is noticed
SELECT n FROM sta WHERE p = 'p' AND r = '2';
ALTER SERVER store OPTIONS (ADD max_retries '2');
SELECT n FROM sta WHERE p = 'p' AND r = '2';
SELECT * FROM itable_get_connections();
ALTER SERVER store OPTIONS (DROP max_retries);
SELECT count(*) = 3 AS rows, bool_and(version ~ '[0-9]') AS versions FROM itable_fdw_diag();
SELECT itable_stats_reset();
SELECT n FROM sta WHERE p = 'p' AND r = '4';
SELECT operation, requests FROM itable_stats() WHERE requests > 0;
SELECT itable_drop_table('sta'), itable_drop_table('sta');
SELECT error_of('SELECT n FROM sta');
DROP FOREIGN TABLE sta;
