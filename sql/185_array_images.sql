-- Arrays of texts are put together here: byte for byte as PostgreSQL makes them.
CREATE FOREIGN TABLE image (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, a text[], t text, n int) SERVER store;
CREATE TABLE image_plain (p text, r int, a text[], t text, n int);
SELECT itable_create_table('image');
INSERT INTO image_plain SELECT 'p', i, CASE i % 9 WHEN 0 THEN NULL WHEN 1 THEN '{}' WHEN 2 THEN ARRAY[NULL, NULL]::text[]
    WHEN 3 THEN ARRAY['', 'a', 'ab', 'abc', 'abcd', 'abcde'] WHEN 4 THEN ARRAY['é😀' || chr(57344), '"\', E'\n\t\x01', 'null', '{,}', NULL]
    WHEN 5 THEN ARRAY[repeat('x', i), NULL, repeat('ü"', i)] WHEN 6 THEN ARRAY(SELECT 'e' || g FROM generate_series(1, i) g)
    WHEN 7 THEN ARRAY(SELECT CASE WHEN g % 3 > 0 THEN g::text END FROM generate_series(1, 8 + i % 10) g) ELSE ARRAY['A' || i] END,
  CASE i % 4 WHEN 0 THEN NULL WHEN 1 THEN '' WHEN 2 THEN repeat('\"é', i) ELSE 't' || i END, CASE WHEN i % 5 > 0 THEN i - 100 END FROM generate_series(0, 199) i;
INSERT INTO image SELECT * FROM image_plain;
SELECT count(*), count(*) FILTER (WHERE record_image_eq(ROW(f.a, f.t, f.n), ROW(i.a, i.t, i.n))) AS images, count(*) FILTER (WHERE f.a IS NOT DISTINCT FROM i.a) AS equal,
  count(*) FILTER (WHERE array_send(f.a) IS NOT DISTINCT FROM array_send(i.a)) AS sent FROM image f JOIN image_plain i ON i.r = f.r;
SELECT a[2], a[5], cardinality(a), array_dims(a) FROM image WHERE r IN (2, 3, 4, 5, 7) ORDER BY r;
-- written by other programs: spaces, numbers, escapes
CREATE FOREIGN TABLE image_text (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, a text, t text) SERVER store OPTIONS (table_name 'image');
INSERT INTO image_text VALUES ('q', 1, ' [ 1 , -2.5e3 , true , null , "\u00e9\ud83d\ude00\/" ] ', 'x'), ('q', 2, '[]', 'x');
SELECT r, a FROM image WHERE p = 'q' ORDER BY r;
INSERT INTO image_text VALUES ('s', 1, '["a\u0000"]', 'x'), ('s', 2, '["a",]', 'x');
SELECT a FROM image WHERE p = 's' AND r = 1;
SELECT a FROM image WHERE p = 's' AND r = 2;
-- the same rows prepared, through a cursor, and written here but not committed
BEGIN;
INSERT INTO image SELECT 'own', r, a, t, n FROM image_plain;
PREPARE images (text) AS SELECT count(*), md5(string_agg(a::text || t || n, '' ORDER BY r)) FROM image WHERE p = $1;
EXECUTE images ('own'); EXECUTE images ('p'); EXECUTE images ('p'); EXECUTE images ('p'); EXECUTE images ('p'); EXECUTE images ('p'); EXECUTE images ('p');
SELECT count(*), md5(string_agg(a::text || t || n, '' ORDER BY r)) FROM image_plain;
ROLLBACK;
DEALLOCATE images;
SELECT itable_drop_table('image');
DROP FOREIGN TABLE image, image_text;
DROP TABLE image_plain;
