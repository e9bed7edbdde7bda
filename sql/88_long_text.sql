-- Long texts beyond ASCII, alone and in batches, up to the store's 64 KiB.
CREATE FOREIGN TABLE long_text (
  p text OPTIONS (key 'partition') NOT NULL,
  k text OPTIONS (key 'row') NOT NULL,
  t text
) SERVER store;
SELECT itable_create_table('long_text');
CREATE TABLE plain_long (p text, k text, t text);
INSERT INTO plain_long VALUES
  ('batch', '1', repeat('€', 20000)), ('batch', '2', repeat('€', 32768)), ('batch', '3', repeat('a😀', 10000)),
  ('one', '1', repeat('€', 32768)), ('two', '1', repeat('€é', 15000)), ('three', '1', repeat('😀', 16384)),
  ('four', '1', repeat('"\', 16384)), ('five', '1', repeat(E'\n', 32768)), ('six', '1', repeat(U&'\2028', 8191));
INSERT INTO long_text SELECT * FROM plain_long;
INSERT INTO long_text SELECT 'many', n::text, repeat(chr(200 + n), 1500) FROM generate_series(1, 99) n;
SELECT p, k, length(t) FROM long_text WHERE p <> 'many'
EXCEPT SELECT p, k, length(t) FROM plain_long;
SELECT count(*) FROM (SELECT * FROM long_text INTERSECT SELECT * FROM plain_long) same;
SELECT count(*), bool_and(t = repeat(chr(200 + k::int), 1500)) FROM long_text WHERE p = 'many';
INSERT INTO long_text VALUES ('x', 'x', repeat('€', 32769));
