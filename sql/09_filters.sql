-- Filters on properties: what the store evaluates never changes a result.
SET TimeZone = 'UTC';
CREATE TABLE fil_plain (p text, r int, t text, v varchar(9), i2 smallint, i4 int, i8 bigint, f4 real, f8 double precision, b boolean,
  d date, ts timestamp, tz timestamptz, u uuid, n numeric, o8 int, tn text COLLATE "en-x-icu");
CREATE FOREIGN TABLE fil (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, t text, v varchar(9), i2 smallint, i4 int, i8 bigint,
  f4 real, f8 double precision, b boolean, d date, ts timestamp, tz timestamptz, u uuid, n numeric, o8 int OPTIONS (edm_type 'Edm.Int64'), tn text COLLATE "en-x-icu") SERVER store;
SELECT itable_create_table('fil');
-- constants of each column; every one of them also stands in a row
CREATE TABLE fil_values (col text, type text, c text);
INSERT INTO fil_values SELECT col, 'text', c FROM unnest('{t,v,tn}'::text[]) col, unnest(ARRAY['', ' ', 'a', 'A', 'a''b', 'ü', '😀', '5', '%', 'null', 'é', 'a ']) c;
INSERT INTO fil_values SELECT 'i2', t, c FROM unnest('{smallint,int,bigint}'::text[]) t, unnest('{-32768,-1,0,1,32767}'::text[]) c;
INSERT INTO fil_values SELECT col, t, c FROM unnest('{i4,o8,i8}'::text[]) col, unnest('{int,bigint}'::text[]) t, unnest('{-2147483648,-1,0,1,7,2147483647}'::text[]) c;
INSERT INTO fil_values SELECT 'i8', 'bigint', c FROM unnest('{-9223372036854775808,9223372036854775807,9007199254740992,9007199254740993,2147483648}'::text[]) c;
INSERT INTO fil_values SELECT col, t, c FROM (VALUES ('f8', 'double precision'), ('f4', 'real')) x(col, t), unnest('{NaN,Infinity,-Infinity,0,1,-1,0.1,1.5,3,123456.75,1e10}'::text[]) c;
INSERT INTO fil_values SELECT 'f8', 'double precision', c FROM unnest('{1e300,-1e300,1e-7,5e-324,1e21,1e22,0.30000000000000004,0.3,9007199254740993}'::text[]) c;
INSERT INTO fil_values VALUES ('b', 'boolean', 't'), ('b', 'boolean', 'f');
INSERT INTO fil_values SELECT 'd', 'date', c FROM unnest('{1601-01-01,1999-12-31,2000-01-01,2000-01-02,9999-12-31}'::text[]) c;
INSERT INTO fil_values SELECT col, t, c FROM (VALUES ('ts', 'timestamp'), ('tz', 'timestamptz')) x(col, t), unnest('{1601-01-01 00:00:00,2000-01-01 00:00:00,2000-01-01 00:00:00.000001,
  2000-01-01 00:00:00.000999,2000-01-01 00:00:00.001,1999-12-31 23:59:59.999999,9999-12-31 23:59:59.999999}'::text[]) c;
INSERT INTO fil_values SELECT 'u', 'uuid', c FROM unnest('{00000000-0000-0000-0000-000000000000,ABCDEF00-1111-2222-3333-444444444444,ffffffff-ffff-ffff-ffff-ffffffffffff}'::text[]) c;
INSERT INTO fil_values SELECT 'n', 'numeric', c FROM unnest('{0,1.50,-3,NaN,12345678901234567890}'::text[]) c;
DO $$
DECLARE v record;
BEGIN
  FOR v IN SELECT col, c, row_number() OVER (ORDER BY col, c) AS k FROM fil_values GROUP BY col, c LOOP
    EXECUTE format('INSERT INTO fil_plain (p, r, %I) VALUES (%L, %s, %L)', v.col, 'p' || v.k % 2, v.k, v.c);
  END LOOP;
END $$;
INSERT INTO fil_plain (p, r) VALUES ('p0', 900), ('p1', 901);
INSERT INTO fil_plain SELECT 'p0', 910 + x, 'a', 'a', x, x, x, x, x, x = 0, '2000-01-01', '2000-01-01', '2000-01-01', 'abcdef00-1111-2222-3333-444444444444', x, x, 'a' FROM generate_series(-2, 2) x;
INSERT INTO fil SELECT * FROM fil_plain;
SELECT count(*) = (SELECT count(*) FROM fil_plain) AS all_there FROM (TABLE fil INTERSECT TABLE fil_plain) x;
-- constants that no row holds, or that no property can hold
INSERT INTO fil_values VALUES ('i2', 'int', '32768'), ('i2', 'bigint', '-5000000000'), ('i4', 'bigint', '2147483648'), ('i4', 'bigint', '-2147483649'), ('i4', 'smallint', '1'), ('i4', 'numeric', '1.0'),
  ('i4', 'double precision', '1.5'), ('o8', 'bigint', '9223372036854775807'), ('i8', 'numeric', '1e30'), ('f8', 'int', '1'), ('f8', 'numeric', '0.1'), ('f8', 'real', '0.1'), ('f4', 'double precision', '0.1'),
  ('d', 'date', 'infinity'), ('d', 'date', '-infinity'), ('d', 'date', '0001-01-01'), ('d', 'date', '10000-01-01'), ('d', 'timestamp', '2000-01-01 12:00'), ('d', 'timestamptz', '2000-01-01 00:00Z'),
  ('ts', 'timestamp', 'infinity'), ('ts', 'timestamp', '-infinity'), ('ts', 'timestamp', '1600-12-31 23:59:59.999999'), ('ts', 'timestamp', '10000-01-01'), ('ts', 'date', '2000-01-01'), ('tz', 'timestamptz', '10000-01-01 00:00Z'),
  ('tz', 'timestamp', '2000-01-01'), ('tz', 'date', 'infinity'), ('t', 'varchar', 'a'), ('v', 'varchar', 'ü'), ('t', 'char(5)', 'a'), ('t', 'name', 'a'), ('tn', 'text', 'zzz'), ('f8', 'double precision', '-0');
INSERT INTO fil_values SELECT DISTINCT col, type, NULL FROM fil_values;

CREATE FUNCTION fil_differs(condition text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE 'SELECT md5(string_agg(r::text, '','' ORDER BY r)) FROM fil WHERE ' || condition INTO mine;
  EXECUTE 'SELECT md5(string_agg(r::text, '','' ORDER BY r)) FROM fil_plain WHERE ' || condition INTO plain;
  IF mine IS DISTINCT FROM plain THEN
    RAISE WARNING 'differs: %', condition;
  END IF;
  RETURN mine IS DISTINCT FROM plain;
END $$;
CREATE TABLE fil_conditions AS SELECT col, format('%s %s %s::%s', col, op, quote_nullable(c), type) AS one, format('%3$s::%4$s %2$s %1$s', col, op, quote_nullable(c), type) AS turned
  FROM fil_values, unnest('{=,<>,<,<=,>,>=}'::text[]) op WHERE col <> 'b' OR op IN ('=', '<>', '<');
-- one comparison, either way round
SELECT col, count(*), count(*) FILTER (WHERE fil_differs(one)) AS differ FROM fil_conditions GROUP BY 1 ORDER BY 1;
SELECT count(*) FILTER (WHERE fil_differs(turned)) AS differ, count(*) FILTER (WHERE fil_differs('NOT ' || one)) AS not_differ FROM fil_conditions WHERE hashtext(one) % 3 = 0;
-- nests of them
SELECT count(*), count(*) FILTER (WHERE fil_differs(c)) AS differ FROM (SELECT unnest(ARRAY[
    format('(%s OR %s)', a.one, b.one), format('p = ''p0'' AND (%s AND %s OR NOT (%1$s))', a.one, b.one), format('(%s OR p = ''p1'') AND %s IS NOT NULL', a.one, b.col),
    format('NOT (%s AND %s)', a.one, b.one), format('(%s) IS NOT TRUE', a.one), format('(%s OR (%s AND b) OR r < 20)', a.one, b.one), format('(%s) = (%s)', a.one, b.one)]) AS c
  FROM fil_conditions a JOIN fil_conditions b ON hashtext(a.one || b.one) % 6000 = 0) x;
-- IN and = ANY: NULLs, doubles, empty, too many, wide
SELECT col, count(*), count(*) FILTER (WHERE fil_differs(c)) AS differ FROM (SELECT col, unnest(ARRAY[
    format('%s = ANY (ARRAY[%s]::%s[])', col, string_agg(quote_nullable(c), ','), type), format('%s = ANY (ARRAY[%s,%2$s]::%s[]) OR t = ''5''', col, string_agg(quote_nullable(c), ','), type),
    format('%s <> ALL (ARRAY[%s]::%s[])', col, string_agg(quote_nullable(c), ','), type), format('NOT %s = ANY (ARRAY[%s]::%s[])', col, string_agg(quote_nullable(c), ','), type),
    format('%s = ANY (ARRAY[]::%s[])', col, type), format('%s = ANY (ARRAY[NULL]::%s[])', col, type), format('%s = ANY (NULL::%s[])', col, type), format('%s > ANY (ARRAY[%s]::%s[])', col, string_agg(quote_nullable(c), ','), type)]) AS c
  FROM (SELECT col, type, c, row_number() OVER (PARTITION BY col, type ORDER BY c) / 3 AS piece FROM fil_values) x GROUP BY col, type, piece) y GROUP BY col ORDER BY col;
SELECT left(c, 50) AS condition, fil_differs(c) FROM unnest(ARRAY['b', 'NOT b', 'b IS TRUE', 'b IS NOT FALSE', 'b IS UNKNOWN', 'b = true', 'b <> true', 'b = (i4 = 0)', 't IS NULL', 't IS NOT NULL', 't = v', 'i4 = i8', 't LIKE ''a%''', 'lower(t) = ''a''', 't = ''A'' COLLATE "C"',
  'i4 IN (' || (SELECT string_agg(i::text, ',') FROM generate_series(-5, 30) i) || ')', 't = repeat(''x'', 20000)', 't <> repeat(''ü'', 20000)', 't IN (' || (SELECT string_agg(quote_literal(repeat('😀', 500 + i)), ',') FROM generate_series(1, 9) i) || ',''a'')',
  'tz = now()', 'tz < now()', 'd < current_date', 'u <> ''abcdef00-1111-2222-3333-444444444444''', 'i4 % 2 = 1', 'random() < 2', 'coalesce(t, '''') = ''''', '(t, i4) = (''a'', 1)', '(i4, i8) > (0, 0)', 't IS DISTINCT FROM ''a''', 'i4 BETWEEN SYMMETRIC 1 AND -1', 'CASE WHEN b THEN i4 > 0 ELSE t = ''a'' END']) c;
SELECT itable_drop_table('fil');
DROP FOREIGN TABLE fil;
