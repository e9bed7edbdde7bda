-- Hashed shard keys (figure 6 of the pattern): the PartitionKey is a hash of
-- the key the table is asked by, and index entries carry it.
CREATE FOREIGN TABLE customers (
  shard     integer OPTIONS (key 'partition', hash_of 'id', buckets '16'),
  id        bigint  OPTIONS (key 'row') NOT NULL,
  last_name text,
  town      text
) SERVER store;
SELECT itable_create_table('customers');
CREATE TABLE plain_customers (id bigint PRIMARY KEY, last_name text, town text);
INSERT INTO plain_customers
SELECT n, (ARRAY['Smith', 'Jones', 'Robinson', 'Brown', 'Green', 'Clarke', 'Johnson'])[1 + n % 7],
       (ARRAY['Redmond', 'Seattle', 'Portland', 'Chicago'])[1 + n % 4]
  FROM generate_series(1, 100) n;
INSERT INTO customers (id, last_name, town) SELECT * FROM plain_customers;

-- computed, the same in every version: sha256 of the key's form, modulo 16
SELECT shard, id FROM customers WHERE id IN (1, 2, 3) ORDER BY id;
SELECT count(DISTINCT shard) AS shards FROM customers;
SELECT bool_and(shard = get_byte(substr(sha256(convert_to(lpad(id::text, 19, '0'), 'UTF8')), 8, 1), 0) % 16)
  FROM customers;

-- who knows the id needs no shard: a point read
SELECT * FROM explain_counts('SELECT last_name FROM customers WHERE id = 42');
SELECT requests_of('SELECT * FROM customers WHERE id IN (1, 2, 3, 2)');
PREPARE by_id(bigint) AS SELECT id, last_name FROM customers WHERE id = $1;
EXECUTE by_id(1);
EXECUTE by_id(2);
EXECUTE by_id(3);
EXECUTE by_id(4);
EXECUTE by_id(5);
EXECUTE by_id(6);
EXECUTE by_id(7);
EXECUTE by_id(NULL);
-- a range of ids asks every shard for its part
SELECT * FROM explain_counts('SELECT id FROM customers WHERE id BETWEEN 10 AND 12');
SELECT id FROM customers WHERE id BETWEEN 10 AND 12 ORDER BY id;

-- the shard is not for the user to choose, but follows the id
INSERT INTO customers (shard, id) VALUES (0, 1000);
INSERT INTO customers (shard, id) SELECT shard, 1000 FROM customers WHERE id = 42;
INSERT INTO customers (id) VALUES (1000) RETURNING shard, id;
UPDATE customers SET id = 1001 WHERE id = 1000 RETURNING shard, id;
SELECT count(*) FROM customers WHERE id IN (1000, 1001);
DELETE FROM customers WHERE id = 1001;
INSERT INTO customers (last_name) VALUES ('nobody');

-- an index by what is not hashed: entries in order, with the shard in them
CALL itable_create_index('customers', 'customers_by_town', key => '{town,last_name}');
\d customers_by_town
SELECT town, last_name, id, shard FROM customers_by_town
 WHERE town = 'Redmond' AND last_name >= 'R' COLLATE "C" ORDER BY last_name, id LIMIT 4;
SELECT * FROM explain_counts('SELECT id FROM customers WHERE town = ''Redmond'' AND last_name = ''Smith''');
SELECT id FROM customers WHERE town = 'Redmond' AND last_name = 'Smith'
EXCEPT SELECT id FROM plain_customers WHERE town = 'Redmond' AND last_name = 'Smith';
SELECT count(*) FROM customers WHERE town = 'Redmond' AND last_name = 'Smith';
SELECT count(*) FROM plain_customers WHERE town = 'Redmond' AND last_name = 'Smith';

-- definitions that do not hold together
SELECT error_of($$CREATE FOREIGN TABLE bad (p int OPTIONS (key 'partition', hash_of 'x'), r text OPTIONS (key 'row')) SERVER store$$);
SELECT error_of($$CREATE FOREIGN TABLE bad (p date OPTIONS (key 'partition', hash_of 'r'), r text OPTIONS (key 'row')) SERVER store$$);
SELECT error_of($$CREATE FOREIGN TABLE bad (p int OPTIONS (key 'partition', hash_of 'p'), r text OPTIONS (key 'row')) SERVER store$$);
SELECT error_of($$CREATE FOREIGN TABLE bad (p int OPTIONS (key 'partition', hash_of 'r'), r text OPTIONS (key 'row')) SERVER store OPTIONS (key_encoding 'raw')$$);

-- as text the buckets are padded
CREATE FOREIGN TABLE shards_text (
  shard text OPTIONS (key 'partition', hash_of 'name', buckets '100'),
  name  text OPTIONS (key 'row') NOT NULL
) SERVER store;
SELECT itable_create_table('shards_text');
INSERT INTO shards_text (name) VALUES ('Fred'), ('Face/Off'), ('');
SELECT length(shard), name FROM shards_text ORDER BY name;
SELECT requests_of($$SELECT * FROM shards_text WHERE name = 'Face/Off'$$), count(*) FROM shards_text WHERE name = 'Face/Off';
