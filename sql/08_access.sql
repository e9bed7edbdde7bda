-- Ways to read: what is asked, and with how many requests.
CREATE FOREIGN TABLE acc (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL, n int) SERVER store;
CREATE FOREIGN TABLE acc_lang (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') COLLATE "en-x-icu" NOT NULL, n int)
  SERVER store OPTIONS (table_name 'acc');
CREATE TABLE acc_plain (p text, r text COLLATE "C", n int);
SELECT itable_create_table('acc');
INSERT INTO acc_plain SELECT 'p' || i % 3, chr(97 + i % 26) || CASE WHEN i % 2 = 0 THEN upper(chr(97 + i % 7)) ELSE '' END || i, i FROM generate_series(1, 60) i;
INSERT INTO acc_plain VALUES ('p0', 'É', 61), ('p0', 'e', 62), ('p0', 'E', 63), ('p0', 'f', 64), ('p0', '_x', 65), ('p0', 'a%b', 66);
INSERT INTO acc SELECT * FROM acc_plain;

CREATE FUNCTION acc_explain(condition text, relation text DEFAULT 'acc') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  mine text;
  plain text;
BEGIN
  EXECUTE format('SELECT string_agg(n::text, '','' ORDER BY n) FROM %s WHERE %s', relation, condition) INTO mine;
  EXECUTE format('SELECT string_agg(n::text, '','' ORDER BY n) FROM %s WHERE %s',
    CASE relation WHEN 'acc_lang' THEN '(SELECT p, r COLLATE "en-x-icu" AS r, n FROM acc_plain) x' ELSE 'acc_plain' END, condition) INTO plain;
  RETURN NEXT condition || CASE WHEN mine IS DISTINCT FROM plain THEN '  DIFFERS' ELSE '' END;
  RETURN QUERY SELECT '  ' || trim(l) FROM explain_counts(format('SELECT n FROM %s WHERE %s', relation, condition)) l WHERE l ~ '(Access|Store Filter|Requests):';
END $$;
SELECT acc_explain(c) FROM unnest(ARRAY[
  $$p = 'p1' AND r = 'bB1'$$, $$p = 'p1' AND r = 'b1'$$, $$'p1' = p AND 'b1' = r$$, $$p = 'p1'$$, $$p = 'p1' AND r < 'c'$$, $$p = 'p1' AND r <= 'b1'$$,
  $$p = 'p1' AND r > 'x'$$, $$p = 'p1' AND r >= 'x'$$, $$p = 'p1' AND 'x' < r$$, $$p = 'p1' AND r BETWEEN 'b' AND 'd'$$, $$p = 'p1' AND r LIKE 'b%'$$, $$p = 'p0' AND r LIKE '\_%'$$,
  $$p = 'p0' AND r LIKE 'a\%_'$$, $$p = 'p0' AND r LIKE '%b'$$, $$p = 'p1' AND r LIKE 'b1'$$, $$p = 'p1' AND r ~~ 'b_'$$, $$p = 'p1' AND r NOT LIKE 'b%'$$, $$p = 'p1' AND r <> 'b1'$$,
  $$p = 'p1' AND r > 'd' AND r < 'c'$$, $$p = 'p1' AND r = 'b1' AND r = 'c2'$$, $$p = 'p1' AND p = 'p2'$$, $$p = NULL$$, $$p = 'p1' AND r = NULL$$, $$p = 'p1' AND r < NULL::text$$,
  $$p IN ('p1', 'p2')$$, $$p IN ('p1', 'p1', NULL)$$, $$p = 'p1' AND r IN ('b1', 'e4', 'nothing')$$, $$p IN ('p0', 'p1') AND r = 'b1'$$, $$p > 'p1'$$, $$p >= 'p1' AND p < 'p2'$$, $$p LIKE 'p1%'$$,
  $$r = 'b1'$$, $$r < 'b'$$, $$true$$, $$p = 'p1' OR p = 'p2'$$, $$p || '' = 'p1'$$, $$p = upper('P') || 'x'$$, $$(p, r) = ('p1', 'b1')$$, $$(p, r) IN (('p1', 'b1'), ('p2', 'c2'))$$,
  $$p = 'p1' AND r IS NULL$$, $$p = 'p1' AND r IS NOT DISTINCT FROM 'b1'$$, $$p = ANY ('{}')$$, $$p = ANY (NULL::text[])$$]) c;

-- another collation: equality is the same, order and LIKE are not the key's unless COLLATE "C" says so
SELECT acc_explain(c, 'acc_lang') FROM unnest(ARRAY[$$p = 'p0' AND r = 'e'$$, $$p = 'p0' AND r < 'f'$$, $$p = 'p0' AND r BETWEEN 'e' AND 'f'$$, $$p = 'p0' AND r < 'f' COLLATE "C"$$, $$p = 'p0' AND r LIKE 'e%'$$, $$p = 'p0' AND r IN ('e', 'E')$$]) c;

-- pages: continuation to the end, one request each; LIMIT ends early
ALTER FOREIGN TABLE acc OPTIONS (ADD fetch_size '2');
SELECT trim(l) FROM explain_counts($$SELECT n FROM acc WHERE p = 'p1'$$) l WHERE l ~ '(Access|Requests):';
SELECT count(*), sum(n) FROM acc WHERE p = 'p1';
SELECT requests_of($$SELECT n FROM acc WHERE p = 'p1' LIMIT 1$$), requests_of($$SELECT n FROM acc WHERE p = 'p1' LIMIT 3$$);
SELECT requests_of($$SELECT n FROM acc WHERE p = 'p1' LIMIT 0$$), requests_of($$SELECT n FROM acc WHERE false$$);
SELECT count(*) FROM (SELECT * FROM acc EXCEPT SELECT * FROM acc_plain) d;
ALTER FOREIGN TABLE acc OPTIONS (SET fetch_size '20');
SELECT requests_of($$SELECT n FROM acc WHERE p = 'p1'$$) AS twenty_rows_a_page;
ALTER FOREIGN TABLE acc OPTIONS (SET fetch_size '1000');
SELECT requests_of($$SELECT n FROM acc$$) AS one_page;

-- many points: one request each, doubles asked once; a long list
SELECT requests_of($$SELECT n FROM acc WHERE p = 'p1' AND r = ANY (ARRAY(SELECT 'b1' FROM generate_series(1, 50)))$$);
SELECT requests_of($$SELECT n FROM acc WHERE p = 'p1' AND r = ANY (ARRAY(SELECT 'x' || i FROM generate_series(1, 300) i))$$);
SELECT count(*) FROM acc WHERE p = ANY (ARRAY(SELECT DISTINCT p FROM acc_plain)) AND r = ANY (ARRAY(SELECT r FROM acc_plain));
-- a list too long to be points is filtered here, not multiplied
SELECT count(*) FROM acc WHERE p = ANY (ARRAY(SELECT 'p' || i FROM generate_series(0, 199999) i)) AND r = ANY (ARRAY(SELECT r FROM acc_plain UNION ALL SELECT 'x' || i FROM generate_series(1, 100000) i));
SELECT itable_drop_table('acc');
DROP FOREIGN TABLE acc, acc_lang;
