-- Unique indexes of every layout: composite, gathered, of elements, of long keys;
-- what is refused; what a plain table with unique indexes does.
CREATE FOREIGN TABLE uqk (
  p text OPTIONS (key 'partition') NOT NULL,
  k int OPTIONS (key 'row') NOT NULL,
  town text,
  house int,
  born date,
  tags text[],
  long text
) SERVER store OPTIONS (insert_mode 'direct');
SELECT itable_create_table('uqk');
CALL itable_create_index('uqk', 'uqk_address', key => '{town,house}', is_unique => true);
CALL itable_create_index('uqk', 'uqk_gathered', key => '{born}', include => '{k,p}', is_unique => true, partitions => 4);
CALL itable_create_index('uqk', 'uqk_tag', key => '{tags}', is_unique => true, partitions => 8);
CALL itable_create_index('uqk', 'uqk_team', key => '{p,long}', is_unique => true);
SELECT index, key_columns, covered_columns, strategy, is_unique FROM itable_indexes WHERE base = 'uqk'::regclass ORDER BY 1;
INSERT INTO uqk SELECT 'p' || i % 3, i, 'town' || i % 5, i, '2000-01-01'::date + i, ARRAY['a' || i, 'b' || i], repeat('long/', 200) || i FROM generate_series(1, 60) i;
INSERT INTO uqk VALUES ('n', 1, 'town1', NULL, NULL, NULL, NULL), ('n', 2, 'town1', NULL, NULL, '{}', NULL), ('n', 3, NULL, 1, NULL, '{NULL}', NULL);
-- one element twice in a row is one entry
INSERT INTO uqk VALUES ('n', 4, 'town1', 1000, NULL, '{z,z}', 'short');
SELECT (SELECT count(*) FROM uqk), (SELECT count(*) FROM uqk_address), (SELECT count(*) FROM uqk_gathered), (SELECT count(*) FROM uqk_tag), (SELECT count(*) FROM uqk_team);
SELECT access_of('SELECT k FROM uqk WHERE town = ''town2'' AND house = 7'), requests_of('SELECT k FROM uqk WHERE town = ''town2'' AND house = 7');
SELECT k FROM uqk WHERE town = 'town2' AND house = 7;
SELECT access_of('SELECT k FROM uqk WHERE town = ''town2'' AND house > 30');
SELECT k FROM uqk WHERE town = 'town2' AND house > 30 ORDER BY k;
SELECT access_of('SELECT p, k FROM uqk WHERE born = ''2000-01-08'''), requests_of('SELECT p, k FROM uqk WHERE born = ''2000-01-08''');
SELECT p, k FROM uqk WHERE born = '2000-01-08';
SELECT access_of('SELECT k FROM uqk WHERE ''b9'' = ANY (tags)'), requests_of('SELECT long FROM uqk WHERE ''b9'' = ANY (tags)');
SELECT k FROM uqk WHERE tags && '{a1,b9,b60,no}' ORDER BY k;
SELECT k, length(long) FROM uqk WHERE p = 'p0' AND long = repeat('long/', 200) || 9;
-- 23505 in each
INSERT INTO uqk (p, k, town, house) VALUES ('x', 1, 'town2', 7);
INSERT INTO uqk (p, k, born) VALUES ('x', 1, '2000-01-08');
INSERT INTO uqk (p, k, tags) VALUES ('x', 1, '{new,a5}');
\set VERBOSITY terse
INSERT INTO uqk (p, k, long) VALUES ('p0', 100, repeat('long/', 200) || 9);
\set VERBOSITY default
INSERT INTO uqk (p, k, long) VALUES ('n', 5, 'short');
-- and not for the parts
INSERT INTO uqk (p, k, town, house, long) VALUES ('x', 1, 'town2', 8, 'short'), ('x', 2, 'town3', 7, repeat('long/', 200) || 9);
SELECT count(*) FROM uqk WHERE p = 'x';

-- as in a plain table, statement by statement
CREATE TABLE uqk_plain (LIKE uqk, PRIMARY KEY (p, k), UNIQUE (town, house), UNIQUE (born), UNIQUE (p, long));
INSERT INTO uqk_plain SELECT * FROM uqk;
UPDATE uqk SET house = house + 100 WHERE town = 'town1';
UPDATE uqk_plain SET house = house + 100 WHERE town = 'town1';
UPDATE uqk SET born = NULL WHERE k % 2 = 0;
UPDATE uqk_plain SET born = NULL WHERE k % 2 = 0;
UPDATE uqk SET born = '2000-01-12' WHERE k = 20 AND p = 'p2';
UPDATE uqk_plain SET born = '2000-01-12' WHERE k = 20 AND p = 'p2';
DELETE FROM uqk WHERE k < 10 AND p <> 'x';
DELETE FROM uqk_plain WHERE k < 10 AND p <> 'x';
INSERT INTO uqk (p, k, town, house) VALUES ('y', 1, 'town2', 8);
INSERT INTO uqk_plain (p, k, town, house) VALUES ('y', 1, 'town2', 8);
SELECT count(*) FROM ((TABLE uqk EXCEPT TABLE uqk_plain) UNION ALL (TABLE uqk_plain EXCEPT TABLE uqk)) d;

-- prepared: seven times, so that the generic plan is used too
PREPARE uqk_get (date) AS SELECT p, k FROM uqk WHERE born = $1;
EXECUTE uqk_get ('2000-01-12');
EXECUTE uqk_get ('2000-01-14');
EXECUTE uqk_get (NULL);
EXECUTE uqk_get ('2000-01-16');
EXECUTE uqk_get ('1999-01-16');
EXECUTE uqk_get ('2000-01-18');
EXECUTE uqk_get ('2000-01-20');
-- joined by the key
SELECT u.k FROM (VALUES ('town2', 7), ('town0', 15), ('none', 1)) v (t, h) JOIN uqk u ON u.town = v.t AND u.house = v.h ORDER BY 1;

-- refused
SELECT error_of(format('CREATE FOREIGN TABLE uqk_no (%s) SERVER store OPTIONS (index_of ''uqk'', unique ''true'' %s)', c, o)) FROM (VALUES
  ('town text OPTIONS (key ''partition'') NOT NULL', ', colocated ''true'''),
  ('town text OPTIONS (key ''partition'') NOT NULL', ', maintenance ''queued'''),
  ('town text OPTIONS (key ''partition'') NOT NULL', ', buckets ''4'''),
  ('town text OPTIONS (key ''partition'') NOT NULL, k int OPTIONS (key ''row'') NOT NULL, p text OPTIONS (key ''row'') NOT NULL', ''),
  ('town text OPTIONS (key ''partition'') NOT NULL, k bigint', ''),
  ('town text', '')) v (c, o);
