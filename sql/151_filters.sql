-- What the store filters by, and that it loses no row: each answer beside a plain table's.
SET timezone = 'Europe/Vienna';
CREATE FOREIGN TABLE flt (
  p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
  i int, b bigint, d float8, f real, e boolean, c text COLLATE "C", l text COLLATE "en-x-icu", t timestamptz, ts timestamp, dd date, u uuid, y bytea, a text[], n numeric,
  changed timestamptz OPTIONS (system 'timestamp')) SERVER store;
CREATE TABLE flt_plain (LIKE flt);
SELECT itable_create_table('flt');
INSERT INTO flt_plain SELECT 'p', k, CASE WHEN k % 5 > 0 THEN k - 20 END, CASE WHEN k % 4 > 0 THEN (k - 20) * 3000000000 END,
  CASE k % 6 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN '-Infinity' WHEN 3 THEN 'Infinity' ELSE k - 20.5 END::float8, k, CASE k % 3 WHEN 0 THEN NULL ELSE k % 3 = 1 END,
  (ARRAY[NULL, '', 'a', 'ab', 'A', U&'a\+01F600', U&'a\E000', U&'\+01F600', U&'\FFFD', 'it''s', 'z', '%', 'a%b', '_', U&'a\0001'])[k % 15 + 1],
  (ARRAY[NULL, '', 'a', 'ab', 'A', 'é', 'Z'])[k % 7 + 1],
  CASE WHEN k % 5 > 0 THEN '2024-03-31 00:30+00'::timestamptz + k * interval '17 minutes 0.0003 s' END,
  CASE WHEN k % 5 > 1 THEN '2024-03-30 23:00'::timestamp + k * interval '17 minutes' END, CASE WHEN k % 5 > 2 THEN '2024-03-20'::date + k % 15 END,
  CASE WHEN k % 4 > 0 THEN md5(k::text)::uuid END, CASE WHEN k % 4 > 0 THEN decode(md5(k::text), 'hex') END,
  CASE WHEN k % 3 > 0 THEN ARRAY[k::text] END, CASE WHEN k % 3 > 0 THEN k END
FROM generate_series(1, 90) k;
INSERT INTO flt SELECT p, r, i, b, d, f, e, c, l, t, ts, dd, u, y, a, n FROM flt_plain;
SELECT min(changed) > now() - interval '1 hour' AS changed_now FROM flt;
CREATE FUNCTION flt_how(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
  shown text;
BEGIN
  EXECUTE format('SELECT string_agg(r::text, '','' ORDER BY r) FROM flt WHERE %s', condition) INTO mine;
  EXECUTE format('SELECT string_agg(r::text, '','' ORDER BY r) FROM flt_plain WHERE %s', condition) INTO plain;
  SELECT string_agg(trim(l), E'\n   ') INTO shown FROM explain_counts(format('SELECT r FROM flt WHERE %s', condition)) l WHERE l ~ '(Store Filter|Kept Local):';
  RETURN condition || CASE WHEN mine IS DISTINCT FROM plain THEN '  DIFFERS' ELSE '' END || E'\n   ' || coalesce(shown, 'nothing');
END $$;
\pset format unaligned
\pset tuples_only on
-- there or not
SELECT flt_how(c || ' IS NOT NULL') FROM unnest('{i,b,d,e,c,t,ts,dd,u,y,a,n,r}'::text[]) c;
SELECT flt_how(c) FROM unnest(ARRAY[$$i IS NULL$$, $$e$$, $$NOT e$$, $$e IS TRUE$$, $$e IS NOT TRUE$$, $$e IS FALSE$$, $$e IS NOT FALSE$$, $$e IS NOT UNKNOWN$$, $$e <> true$$, $$NOT (i = 3)$$, $$NOT (i > 3 AND e)$$]) c;
-- text: C order, beginnings, hostile bounds
SELECT flt_how(c) FROM unnest(ARRAY[$$c < 'a'$$, $$c <= U&'a\+01F600'$$, $$c > U&'a\E000'$$, $$c >= U&'\FFFD'$$, $$c BETWEEN 'a' AND 'b'$$, $$c LIKE 'a%'$$, $$c LIKE 'a\%%'$$, $$c LIKE 'ab'$$, $$c LIKE '_'$$,
  $$c LIKE U&'a\+01F600%'$$, $$starts_with(c, 'a')$$, $$c ^@ ''$$, $$c ^@ U&'\+01F600'$$, $$l < 'b'$$, $$l < 'b' COLLATE "C"$$, $$l LIKE 'a%'$$, $$c <> 'a'$$, $$c NOT IN ('a', 'z')$$, $$c NOT IN ('a', NULL)$$,
  $$c <> ALL ('{}')$$, $$c IS DISTINCT FROM 'a'$$, $$c IS NOT DISTINCT FROM 'a'$$, $$c NOT LIKE 'a%'$$]) c;
-- numbers
SELECT flt_how(c) FROM unnest(ARRAY[$$d > 5$$, $$d < 5$$, $$d <> 3.5$$, $$d = 'NaN'$$, $$d IN (3.5, 5.5)$$, $$d NOT IN (3.5, 'NaN')$$, $$f > 5$$, $$n > 5$$, $$i > 3000000000$$, $$i < 3000000000$$, $$b >= 6000000000$$, $$i BETWEEN -3 AND 3$$, $$i NOT IN (1, 2)$$, $$i + 1 = 3$$, $$i = r$$]) c;
-- dates and times, also across their types
SELECT flt_how(c) FROM unnest(ARRAY[$$t > '2024-03-31'::date$$, $$t = '2024-03-31 02:00'::timestamp$$, $$t < '2024-03-31 03:00'::timestamp$$, $$ts >= '2024-03-31'::date$$, $$ts < '2024-03-31 03:30'::timestamptz$$,
  $$dd > '2024-03-31 02:30'::timestamp$$, $$dd = '2024-03-31'::timestamptz$$, $$dd <> '2024-03-31'$$, $$t < 'infinity'$$, $$dd < '5874897-01-01'::date$$, $$t < '5874897-01-01'::date$$, $$t >= '2024-03-31 12:00+00'::timestamptz - interval '1 hour'$$]) c;
SELECT flt_how(c) FROM unnest(ARRAY[$$u > '80000000-0000-0000-0000-000000000000'$$, $$u <> md5('1')::uuid$$, $$y = decode(md5('1'), 'hex')$$, $$(i, b) > (3, 4)$$, $$p = 'p' AND i > 0$$, $$i = 1 OR c = 'a'$$, $$i = 1 OR lower(c) = 'a'$$, $$random() < 0$$]) c;
-- as many comparisons as the service takes
SELECT flt_how(c) FROM unnest(ARRAY[$$i IN (1,2,3,4,5,6,7,8,9,10,11,12)$$, $$i IN (1,2,3,4,5,6) AND b > 0 AND c NOT IN ('1','2','3','4','5') AND e$$]) c;
-- stable functions are evaluated once; the store's own clock
EXPLAIN (VERBOSE, COSTS OFF) SELECT r FROM flt WHERE changed > now() - interval '1 day' AND t > current_date AND (dd = current_date OR i > 3);
SELECT count(*) FROM flt WHERE changed > now() - interval '1 day';
SELECT count(*) FROM flt WHERE changed > now() + interval '1 day';
SELECT count(*) FROM flt WHERE changed BETWEEN '-infinity' AND current_date + 2;
SELECT itable_drop_table('flt');
DROP FOREIGN TABLE flt;
