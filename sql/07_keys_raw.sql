-- key_encoding 'raw': keys of other programs, taken as they are.
CREATE FOREIGN TABLE raw_rows (
  p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL, n int
) SERVER store OPTIONS (table_name 'rawRows', key_encoding 'raw');
CREATE FOREIGN TABLE raw_escaped (
  p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') COLLATE "C" NOT NULL, n int
) SERVER store OPTIONS (table_name 'rawRows');
SELECT itable_create_table('raw_rows');
CREATE TABLE raw_plain (p text, r text COLLATE "C", n int);
INSERT INTO raw_plain SELECT 'p', t, row_number() OVER () FROM unnest(ARRAY['', ' ', 'a', 'a b', 'a''b', '%', '%2F', '%%', '+', '=', '!', '!2f', '~', '~~', '_x', '&', '"', ':',
  '<>', '{}', '[]', '|', '^', '`', 'ü', '中', '😀', U&'\E000', U&'\FFFD', '0', '00', '-1', '2024-01-01', '.', '..', repeat('x', 512), 'Z', 'zz']) t;
INSERT INTO raw_rows SELECT * FROM raw_plain;
SELECT count(*) FROM (TABLE raw_rows EXCEPT TABLE raw_plain) d;
SELECT count(*) FROM (TABLE raw_plain EXCEPT TABLE raw_rows) d;

-- forbidden characters are refused, nothing is sent
SELECT to_json(c) AS c, error_of(format('INSERT INTO raw_rows VALUES (''p'', %L, 0)', 'a' || c)) FROM unnest(ARRAY['/', '\', '#', '?', E'\t', E'\n', U&'\0001', U&'\007F', U&'\0085']) c;
SELECT error_of($$INSERT INTO raw_rows VALUES ('a/b', 'r', 0)$$);
INSERT INTO raw_rows VALUES ('p', 'Face/Off', 0);
SELECT count(*) FROM raw_rows;

-- but may be asked for: nothing has them, bounds are right nonetheless
CREATE FUNCTION raw_answers(relation text, condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE answer text;
BEGIN
  EXECUTE format('SELECT string_agg(n::text, '','' ORDER BY n) FROM %s WHERE p = ''p'' AND %s', relation, condition) INTO answer;
  RETURN coalesce(answer, 'none');
END $$;
SELECT to_json(c), op FROM (SELECT r FROM raw_plain UNION SELECT unnest(ARRAY['/', 'a/', 'a\', '#', '?', E'\t', U&'\0001', U&'\007F', U&'\0085', 'a/b', 'zzz', U&'\FFFF', U&'\+10FFFF', repeat('x', 513)])) AS x(c),
  unnest('{<,<=,=,>=,>,<>}'::text[]) op WHERE raw_answers('raw_rows', format('r %s %L', op, c)) <> raw_answers('raw_plain', format('r %s %L', op, c));
SELECT c FROM unnest(ARRAY['a%', '\%%', '%2%', '!%', '~%', 'ü%', '😀%', 'a/%', '/%', '_', 'x%', 'zz', 'a\%', '\\%', '\_%']) c
  WHERE raw_answers('raw_rows', format('r LIKE %L', c)) <> raw_answers('raw_plain', format('r LIKE %L', c));
SELECT trim(l) FROM explain_counts($$SELECT n FROM raw_rows WHERE p = 'p' AND r = '%2F'$$) l WHERE l ~ '(Access|Store Filter|Requests):';
SELECT trim(l) FROM explain_counts($$SELECT n FROM raw_rows WHERE p = 'p' AND r = 'a/b'$$) l WHERE l ~ '(Access|Store Filter|Requests):';
SELECT trim(l) FROM explain_counts($$SELECT n FROM raw_rows WHERE p = 'p' AND r >= 'a' AND r < 'b'$$) l WHERE l ~ '(Access|Store Filter|Requests):';
SELECT trim(l) FROM explain_counts($$SELECT n FROM raw_rows WHERE p = 'p' AND r LIKE 'a%'$$) l WHERE l ~ '(Access|Store Filter|Requests):';

-- changes
UPDATE raw_rows SET n = 1000 WHERE p = 'p' AND r = '%2F';
DELETE FROM raw_rows WHERE p = 'p' AND r < '%2F';
SELECT r, n FROM raw_rows WHERE p = 'p' AND r <= '%2F';

-- raw keys of other types are the type's text
CREATE FOREIGN TABLE raw_int (p int OPTIONS (key 'partition') NOT NULL, r bigint OPTIONS (key 'row') NOT NULL, n text)
  SERVER store OPTIONS (table_name 'rawInt', key_encoding 'raw');
CREATE FOREIGN TABLE raw_int_text (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL)
  SERVER store OPTIONS (table_name 'rawInt', key_encoding 'raw');
SELECT itable_create_table('raw_int');
INSERT INTO raw_int SELECT 1, r, r FROM unnest('{1,2,9,10,11,100,-1,-10,0,9223372036854775807}'::bigint[]) r;
SELECT r FROM raw_int_text WHERE p = '1' ORDER BY r COLLATE "C";
SELECT r FROM raw_int WHERE p = 1 AND r = 10;
SELECT r FROM raw_int WHERE p = 1 AND r > 9 ORDER BY r;
SELECT r FROM raw_int WHERE p = 1 AND r BETWEEN -5 AND 10 ORDER BY r;
SELECT trim(l) FROM explain_counts($$SELECT r FROM raw_int WHERE p = 1 AND r > 9$$) l WHERE l ~ '(Access|Store Filter|Requests):';
-- a key that is no such number is an error that says what to do
INSERT INTO raw_int_text VALUES ('1', 'ten');
SELECT count(r) FROM raw_int WHERE p = 1;
SELECT count(*) FROM raw_int WHERE p = 1;
SELECT count(*) FROM raw_int WHERE p = 1 AND r = 10;

-- what an escaped table makes of keys that are not its own
INSERT INTO raw_rows VALUES ('q', 'plain', 1), ('q', '100%', 2), ('q', 'a!b', 3);
SELECT p, r, n FROM raw_escaped WHERE p = 'q' AND n = 1;
SELECT error_of('SELECT r FROM raw_escaped WHERE p = ''q''');
SELECT itable_drop_table('raw_rows'), itable_drop_table('raw_int');
DROP FOREIGN TABLE raw_rows, raw_escaped, raw_int, raw_int_text;
