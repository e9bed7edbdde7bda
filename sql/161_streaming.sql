-- Pages follow each other in bounded memory; pages without types say the same.
CREATE FOREIGN TABLE flow (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, i int, b bigint, f double precision, n numeric, ok boolean, d date, ts timestamp, tz timestamptz, u uuid, x bytea, a text[], v smallint, g real, e text OPTIONS (system 'etag')) SERVER store OPTIONS (fetch_size '5');
CREATE TABLE flow_plain (p text, r int, t text, i int, b bigint, f double precision, n numeric, ok boolean, d date, ts timestamp, tz timestamptz, u uuid, x bytea, a text[], v smallint, g real);
SELECT itable_create_table('flow');
INSERT INTO flow_plain SELECT 'p' || i % 3, i, CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN '2020-01-01T00:00:00Z' WHEN 2 THEN '' WHEN 3 THEN 'AAAA' WHEN 4 THEN '{"a":"\u00e9\n"}' WHEN 5 THEN '5000000000' ELSE 'é😀' || chr(57344) END,
  i, i * 5000000000, CASE i % 6 WHEN 0 THEN 'NaN' WHEN 1 THEN 'Infinity' WHEN 2 THEN '-Infinity' WHEN 3 THEN 3 ELSE i / 7.0 END, i / 3.0, i % 2 = 0, '1900-01-01'::date + i * 100, '2001-02-03 04:05:06.789012'::timestamp + i * interval '1.000001 s', '9999-12-31 23:59:59.999999+00'::timestamptz - i * interval '1 day',
  md5(i::text)::uuid, decode(md5(i::text), 'hex'), ARRAY['x' || i, NULL, '"', 'ü'], i, i / 2.0 FROM generate_series(1, 60) i;
INSERT INTO flow SELECT * FROM flow_plain;
-- all columns that need no types; then with the ETag, which needs them; both against the plain table
SELECT count(*) FROM (SELECT p, r, t, i, b, f, n, ok, d, ts, tz, u, a, v, g FROM flow EXCEPT SELECT p, r, t, i, b, f, n, ok, d, ts, tz, u, a, v, g FROM flow_plain) x;
SELECT count(*) FROM (SELECT p, r, t, i, b, f, n, ok, d, ts, tz, u, a, v, g FROM flow WHERE e IS NOT NULL EXCEPT SELECT p, r, t, i, b, f, n, ok, d, ts, tz, u, a, v, g FROM flow_plain) x;
SELECT count(*) FROM (SELECT p, r, x, b FROM flow EXCEPT SELECT p, r, x, b FROM flow_plain) x;
SELECT count(*) FROM flow JOIN flow_plain USING (p, r, t, i, b, n, ok, d, ts, tz, u, a, v, g) WHERE flow.f = flow_plain.f;
-- a property of another type than declared reads the same from both kinds of pages
CREATE FOREIGN TABLE flow_other (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, b text, f numeric, i bigint, tz timestamp, u text, e text OPTIONS (system 'etag')) SERVER store OPTIONS (table_name 'flow');
SELECT count(*) FROM (SELECT p, r, b, f, i, tz, u FROM flow_other WHERE f <> 'NaN' AND r % 6 > 2 INTERSECT SELECT p, r, b, f, i, tz, u FROM flow_other WHERE e IS NOT NULL) x;
-- a page without ETags is smaller
SET client_min_messages = warning;
SELECT itable_stats_reset();
SELECT count(t), count(i), count(b), count(u) FROM flow;
CREATE TEMP TABLE bytes AS SELECT bytes_received AS n FROM itable_stats() WHERE operation = 'query' AND server = 'store';
SELECT itable_stats_reset();
SELECT count(t), count(i), count(b), count(u), count(e) FROM flow;
SELECT bytes_received > 1.2 * bytes.n AS smaller FROM itable_stats(), bytes WHERE operation = 'query' AND server = 'store';
-- LIMIT: no page is asked for ahead while few rows were read
SELECT requests_of('SELECT * FROM flow LIMIT 1');
SET itable_fdw.scan_ranges = 1;
SELECT requests_of('SELECT count(*) FROM flow');
RESET itable_fdw.scan_ranges;
-- memory stays flat: 600 pages, measured after 20 and at the end
INSERT INTO flow SELECT 'q', i, repeat('x', 200), i FROM generate_series(1, 3000) i;
CREATE FUNCTION scan_memory() RETURNS bigint LANGUAGE sql AS 'SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE ''itable_fdw%''';
BEGIN;
DECLARE c CURSOR FOR SELECT length(t), i FROM flow WHERE p = 'q';
MOVE 100 IN c;
CREATE TEMP TABLE early AS SELECT scan_memory() AS n;
MOVE 2895 IN c;
SELECT scan_memory() < early.n * 1.5 AS flat FROM early;
FETCH ALL FROM c;
COMMIT;
-- rescans: what one scan keeps it gives back
SELECT count(*) FROM generate_series(1, 40) s, LATERAL (SELECT count(*) FROM flow WHERE p = 'p' || s % 3 OFFSET 0) x;
BEGIN;
DECLARE c CURSOR FOR SELECT s, x.r FROM generate_series(1, 200) s, LATERAL (SELECT r FROM flow WHERE p = 'p' || s % 3 ORDER BY r LIMIT 1) x;
MOVE 20 IN c;
CREATE TEMP TABLE early2 AS SELECT scan_memory() AS n;
MOVE 179 IN c;
SELECT scan_memory() < early2.n * 1.5 AS flat FROM early2;
COMMIT;
SELECT scan_memory() < early.n * 2 AS given_back FROM early;
SELECT itable_drop_table('flow');
DROP FOREIGN TABLE flow, flow_other;
DROP TABLE flow_plain;
