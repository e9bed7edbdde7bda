-- Keys of other types: their byte order is their SQL order.
SET TimeZone = 'UTC';
SET DateStyle = 'ISO';
CREATE TABLE key_values (type text, v text);
INSERT INTO key_values VALUES ('boolean', 'f'), ('boolean', 't');
INSERT INTO key_values SELECT 'smallint', v::smallint FROM unnest('{-32768,-32767,-1000,-256,-255,-2,-1,0,1,2,9,10,11,99,100,255,256,257,32766,32767}'::int[]) v;
INSERT INTO key_values SELECT 'int', v FROM unnest('{-2147483648,-2147483647,-65537,-65536,-32769,-1,0,1,9,10,32768,65535,65536,2147483646,2147483647}'::int[]) v;
INSERT INTO key_values SELECT 'bigint', v FROM unnest('{-9223372036854775808,-9223372036854775807,-4294967297,-2147483649,-1,0,1,10,9,4294967295,4294967296,9223372036854775806,9223372036854775807}'::bigint[]) v;
INSERT INTO key_values SELECT 'date', v FROM unnest('{1601-01-01,1601-01-02,1899-12-31,1969-12-31,1970-01-01,1999-12-31,2000-01-01,2000-02-29,2024-06-30,9999-12-30,9999-12-31}'::date[]) v;
INSERT INTO key_values SELECT t, v FROM unnest('{timestamp,timestamptz}'::text[]) t, unnest('{1601-01-01 00:00:00,1601-01-01 00:00:00.000001,
  1999-12-31 23:59:59.999999,2000-01-01 00:00:00,2000-01-01 00:00:00.000001,2000-01-01 00:00:00.001,2024-05-05 12:00:00,9999-12-31 23:59:59.999999}'::timestamp[]) v;
INSERT INTO key_values SELECT 'uuid', v FROM unnest('{00000000-0000-0000-0000-000000000000,00000000-0000-0000-0000-000000000001,0fffffff-ffff-ffff-ffff-ffffffffffff,
  7fffffff-0000-0000-0000-000000000000,80000000-0000-0000-0000-000000000000,12345678-9abc-def0-1234-56789abcdef0,a0000000-0000-0000-0000-00000000000a,ffffffff-ffff-ffff-ffff-ffffffffffff}'::uuid[]) v;

-- one table per type: the type is the row key of kt_TYPE, the partition key of kp_TYPE
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT DISTINCT type FROM key_values ORDER BY 1 LOOP
    EXECUTE format('CREATE FOREIGN TABLE kt_%1$s (p text OPTIONS (key ''partition'') NOT NULL, k %1$s OPTIONS (key ''row'') NOT NULL, n text) SERVER store', t);
    EXECUTE format('CREATE FOREIGN TABLE kp_%1$s (k %1$s OPTIONS (key ''partition'') NOT NULL, r text OPTIONS (key ''row'') NOT NULL, n text) SERVER store', t);
    EXECUTE format('SELECT itable_create_table(%L), itable_create_table(%L)', 'kt_' || t, 'kp_' || t);
    EXECUTE format('INSERT INTO kt_%1$s SELECT ''p'', v::%1$s, v FROM key_values WHERE type = %1$L', t);
    EXECUTE format('INSERT INTO kp_%1$s SELECT v::%1$s, ''r'', v FROM key_values WHERE type = %1$L', t);
    EXECUTE format('CREATE TABLE kl_%1$s AS SELECT v::%1$s AS k, v AS n FROM key_values WHERE type = %1$L', t);
  END LOOP;
END $$;

-- constants: the values themselves and some that no key can be
CREATE TABLE key_constants AS SELECT type, v FROM key_values;
INSERT INTO key_constants VALUES ('date', 'infinity'), ('date', '-infinity'), ('date', '0001-01-01'), ('date', '1600-12-31'), ('date', '10000-01-01'),
  ('date', '4713-01-01 BC'), ('date', '5874897-12-31'), ('timestamp', 'infinity'), ('timestamp', '-infinity'), ('timestamp', '0001-01-01'),
  ('timestamp', '10000-01-01'), ('timestamp', '294276-12-31 23:59:59.999999'), ('timestamptz', 'infinity'), ('timestamptz', '-infinity'),
  ('timestamptz', '1600-12-31 23:59:59.999999Z'), ('timestamptz', '10000-01-01 00:00Z'), ('date', NULL), ('int', NULL), ('uuid', NULL), ('boolean', NULL);

CREATE FUNCTION key_answers(relation text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE format('SELECT string_agg(n, '','' ORDER BY k) FROM %s WHERE %s', relation, condition) INTO answer;
  RETURN coalesce(answer, 'none');
END $$;

-- every comparison against every constant
SELECT type, op, count(*), count(*) FILTER (WHERE a IS DISTINCT FROM l) AS rows_differ, count(*) FILTER (WHERE b IS DISTINCT FROM l) AS partitions_differ
FROM (SELECT type, op, key_answers('kt_' || type, 'p = ''p'' AND k ' || op || quote_nullable(v) || '::' || type) AS a,
             key_answers('kp_' || type, 'k ' || op || quote_nullable(v) || '::' || type) AS b,
             key_answers('kl_' || type, 'k ' || op || quote_nullable(v) || '::' || type) AS l
      FROM key_constants, unnest('{<,<=,=,>=,>,<>}'::text[]) op) x GROUP BY 1, 2 HAVING op = '=' OR
  count(*) FILTER (WHERE a IS DISTINCT FROM l OR b IS DISTINCT FROM l) > 0 ORDER BY 1, 2;
-- BETWEEN, IN and = ANY
SELECT type, count(*) FILTER (WHERE key_answers('kt_' || type, 'p = ''p'' AND ' || c) <> key_answers('kl_' || type, c)) AS differ
FROM (SELECT a.type, c FROM key_constants a JOIN key_constants b USING (type), LATERAL (SELECT unnest(ARRAY[
        format('k BETWEEN %L AND %L', a.v, b.v), format('k IN (%1$L, %2$L, %1$L)', a.v, b.v), format('k > %L AND k <= %L', a.v, b.v)]) AS c) y
      WHERE a.v IS NOT NULL AND b.v IS NOT NULL AND hashtext(a.v || b.v) % 3 = 0) x GROUP BY 1 ORDER BY 1;

-- integers of other widths, also outside the key's own
SELECT c, key_answers('kt_smallint', 'p = ''p'' AND k ' || c) = key_answers('kl_smallint', 'k ' || c) AS same,
  key_answers('kt_int', 'p = ''p'' AND k ' || c) = key_answers('kl_int', 'k ' || c) AS same4,
  key_answers('kt_bigint', 'p = ''p'' AND k ' || c) = key_answers('kl_bigint', 'k ' || c) AS same8
FROM unnest(ARRAY['= 100000', '< 100000', '> 100000', '<> 100000', '= 1::smallint', '>= -1::bigint', '= 5000000000', '< 5000000000', '> -5000000000', '< -5000000000',
  'IN (1, 5000000000, NULL)', '= ANY (ARRAY[]::bigint[])', '= ANY (NULL::int[])', '= 1.0', '< 1.5', 'BETWEEN -5000000000 AND 10']) c;
SELECT count(*) FILTER (WHERE k) AS t, count(*) FILTER (WHERE NOT k) AS f FROM kt_boolean;
SELECT n FROM kt_boolean WHERE p = 'p' AND k;
SELECT n FROM kt_boolean WHERE p = 'p' AND NOT k;
SELECT n FROM kt_boolean WHERE p = 'p' AND k IS NOT TRUE;

-- ranges are asked of the store, not filtered here
SELECT explain_counts($$SELECT n FROM kt_int WHERE p = 'p' AND k BETWEEN -1 AND 10$$);
SELECT explain_counts($$SELECT n FROM kt_timestamptz WHERE p = 'p' AND k >= '2000-01-01 02:00+02' AND k < '2000-01-01 00:00:00.001Z'$$);
SELECT explain_counts($$SELECT n FROM kp_date WHERE k = '2000-02-29'$$);
-- the session's time zone does not matter
SET TimeZone = 'Asia/Kolkata';
SELECT count(*) FROM kt_timestamptz WHERE p = 'p' AND k = '1999-12-31 23:59:59.999999Z';
SELECT count(*) FROM kt_timestamptz f JOIN kl_timestamptz l USING (k);

-- keys that cannot be written
SELECT type, error_of(format('INSERT INTO kt_%s VALUES (''p'', %L)', type, v)) FROM key_constants c WHERE v IS NULL OR NOT EXISTS
  (SELECT 1 FROM key_values k WHERE k.type = c.type AND k.v = c.v) ORDER BY type, v COLLATE "C";
SET client_min_messages = warning;
DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT DISTINCT type FROM key_values LOOP
    EXECUTE format('DROP TABLE kl_%1$s', t);
    EXECUTE format('DROP FOREIGN TABLE kt_%1$s, kp_%1$s', t);
  END LOOP;
END $$;
DROP TABLE key_values, key_constants;
