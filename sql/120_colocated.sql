-- Colocated indexes: declared, built, used, dropped; what they cost.
CREATE FOREIGN TABLE col_people (
  town text OPTIONS (key 'partition') NOT NULL,
  id integer OPTIONS (key 'row') NOT NULL,
  name text, tags text[], age integer
) SERVER store OPTIONS (table_name 'colpeople');
SELECT itable_create_table('col_people');
INSERT INTO col_people SELECT 'T' || i % 3, i, 'n' || i % 7, ARRAY['a' || i % 2, 'b' || i % 5], i FROM generate_series(1, 300) i;
CALL itable_create_index('col_people', 'col_name', '{name}', include => '{age}', colocated => true);
CALL itable_create_index('col_people', 'col_tags', '{tags}', colocated => true);
SELECT attname, attfdwoptions FROM pg_attribute WHERE attrelid = 'col_name'::regclass AND attnum > 0 ORDER BY attnum;
SELECT index, key_columns, covered_columns, strategy, colocated, state FROM itable_indexes WHERE base = 'col_people'::regclass ORDER BY 1;
SELECT count(*), min(age), max(age) FROM col_people;
SELECT count(*), sum(age) FROM col_name;
SELECT tag, count(*) FROM col_tags GROUP BY tag ORDER BY tag;
ANALYZE col_people;
SELECT reltuples FROM pg_class WHERE oid = 'col_people'::regclass;

-- used where the partition is known, and only there
SELECT explain_counts('SELECT id, age FROM col_people WHERE town = ''T1'' AND name = ''n3''');
SELECT access_of('SELECT id FROM col_people WHERE name = ''n3''');
SELECT access_of('SELECT * FROM col_people WHERE town = ANY (''{T0,T1}'') AND name = ''n3''');
SELECT access_of('SELECT * FROM col_people WHERE town > ''T0'' AND name = ''n3''');
SELECT access_of('SELECT * FROM col_people WHERE town = ''T1'' AND name LIKE ''n3%'' AND id = 3');
SELECT explain_counts('SELECT * FROM col_people WHERE town = ''T1'' AND name = ''n3'' AND id < 50');
SELECT id, age FROM col_people WHERE town = 'T1' AND name = 'n3' AND id < 50 ORDER BY id;
SELECT id FROM col_people WHERE town = 'T1' AND 'b3' = ANY (tags) AND id < 50 ORDER BY id;
SELECT id FROM col_name WHERE town = 'T1' AND name BETWEEN 'n5' AND 'n6' AND id < 50 ORDER BY id;
-- scans of facts leave the entries in the store
SELECT explain_counts('SELECT count(*) FROM col_people WHERE town = ''T0''');
SELECT explain_counts('SELECT count(*) FROM col_people WHERE town = ''T0'' AND id BETWEEN 1 AND 99');

-- one request, whatever the rows and entries of a partition, as many as fit
SELECT requests_of($$INSERT INTO col_people VALUES ('T9', 1000, 'x', '{p,q}', 1)$$) AS insert_before_commit;
SELECT itable_stats_reset();
INSERT INTO col_people SELECT 'T9', 1000 + i, 'x', '{p,q}', 1 FROM generate_series(1, 25) i;
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1;
SELECT itable_stats_reset();
INSERT INTO col_people SELECT 'T9', 2000 + i, 'x', '{p,q}', 1 FROM generate_series(1, 26) i;
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1;
SELECT itable_stats_reset();
UPDATE col_people SET name = 'y', tags = '{q,r}' WHERE town = 'T9' AND id = 1001;
UPDATE col_people SET age = 2 WHERE town = 'T9' AND id = 1001;
DELETE FROM col_people WHERE town = 'T9' AND id = 1001;
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0 AND operation <> 'table' ORDER BY 1;

-- a row and its entries must fit into one transaction of the store
INSERT INTO col_people VALUES ('T8', 1, 'n', (SELECT array_agg('x' || i) FROM generate_series(1, 99) i), 1);
INSERT INTO col_people VALUES ('T8', 2, 'n', (SELECT array_agg('x' || i) FROM generate_series(1, 98) i), 1);
SELECT count(*) FROM col_people WHERE town = 'T8';
UPDATE col_people SET tags = (SELECT array_agg('y' || i) FROM generate_series(1, 2) i) WHERE town = 'T8';
UPDATE col_people SET tags = NULL WHERE town = 'T8';
SELECT count(*) FROM col_tags WHERE town = 'T8';
ALTER SERVER store OPTIONS (ADD batch_size '5');
INSERT INTO col_people VALUES ('T8', 3, 'n', '{a,b,c,d,e,f,g}', 1);
ALTER SERVER store OPTIONS (DROP batch_size);
SELECT tag FROM col_tags WHERE town = 'T8' ORDER BY tag;

SELECT problem FROM itable_check_index('col_name') UNION ALL SELECT problem FROM itable_check_index('col_tags');

-- it has no table of its own, to be created or dropped
SELECT itable_create_table('col_name'), itable_drop_table('col_name');
SELECT count(*) > 0 AS facts_are_there FROM col_people;
-- refused
\set VERBOSITY default
\set SHOW_CONTEXT never
CALL itable_create_index('col_people', 'col_bad', '{name}', is_unique => true, colocated => true);
CALL itable_create_index('col_people', 'col_bad', '{name}', maintenance => 'queued', colocated => true);
CALL itable_create_index('col_people', 'col_bad', '{name}', buckets => 2, colocated => true);
CALL itable_create_index('col_people', 'col_bad', '{name}', partitions => 2, colocated => true);
CREATE FOREIGN TABLE col_bad (name text OPTIONS (key 'partition') NOT NULL, id integer OPTIONS (key 'row') NOT NULL,
  town text OPTIONS (key 'row') NOT NULL) SERVER store OPTIONS (index_of 'colpeople', colocated 'true');
CREATE FOREIGN TABLE col_bad (town text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'partition') NOT NULL,
  id integer OPTIONS (key 'row') NOT NULL) SERVER store OPTIONS (index_of 'colpeople', colocated 'true');
CREATE FOREIGN TABLE col_raw (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, x text)
  SERVER store OPTIONS (table_name 'colpeople', key_encoding 'raw');
CREATE FOREIGN TABLE col_other (pk text OPTIONS (key 'partition') NOT NULL, rk text OPTIONS (key 'row') NOT NULL, x text)
  SERVER store OPTIONS (table_name 'colother', key_encoding 'raw');
CALL itable_create_index('col_other', 'col_bad', '{x}', colocated => true);
DROP FOREIGN TABLE col_other;
\set VERBOSITY terse
\set SHOW_CONTEXT errors

-- a raw table shows what is there
SELECT count(*) FROM col_raw WHERE rk LIKE '"!icolname!%';
CALL itable_drop_index('col_name');
SELECT count(*) FROM col_raw WHERE rk LIKE '"!icolname!%';
SELECT count(*) FROM col_raw WHERE rk LIKE '"!icoltags!%';
TRUNCATE col_people;
SELECT count(*) FROM col_raw;
CALL itable_drop_index('col_tags');
DROP FOREIGN TABLE col_raw;
SELECT itable_drop_table('col_people');
DROP FOREIGN TABLE col_people;
