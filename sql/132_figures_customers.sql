-- The Index Table pattern's figures 1 to 6 with its own customers: each index
-- table is shown as the figure shows it, then a query that it answers.
CREATE FOREIGN TABLE fig_customers (
  region text OPTIONS (key 'partition') NOT NULL,
  id bigint OPTIONS (key 'row') NOT NULL,
  last_name text NOT NULL,
  town text NOT NULL,
  phone text
) SERVER store OPTIONS (table_name 'figcustomers');
SELECT itable_create_table('fig_customers');
INSERT INTO fig_customers SELECT 'US', id, last_name, town, '555-' || id FROM (VALUES
  (1, 'Smith', 'Redmond'), (2, 'Jones', 'Seattle'), (3, 'Robinson', 'Portland'), (4, 'Brown', 'Redmond'), (5, 'Smith', 'Chicago'),
  (6, 'Green', 'Redmond'), (7, 'Clarke', 'Portland'), (8, 'Smith', 'Redmond'), (9, 'Jones', 'Chicago'), (1000, 'Clarke', 'Chicago'))
  AS v (id, last_name, town);
CREATE FUNCTION fig_plan(query text) RETURNS TABLE (access text, requests bigint) LANGUAGE sql AS
  'SELECT access_of(query), requests_of(query)';

-- figure 1: organised by the primary key; any other question reads the table
SELECT id, last_name, town FROM fig_customers ORDER BY id;
SELECT * FROM fig_plan($$SELECT * FROM fig_customers WHERE region = 'US' AND id = 4$$);
SELECT * FROM fig_plan($$SELECT * FROM fig_customers WHERE town = 'Redmond'$$);
-- figure 2: the data duplicated in each index table, by town and by last name
CALL itable_create_index('fig_customers', 'fig2_town', key => '{town}', include => '{last_name,phone}');
CALL itable_create_index('fig_customers', 'fig2_name', key => '{last_name}', include => '{town,phone}');
SELECT index, strategy, covered_columns FROM itable_indexes WHERE base = 'fig_customers'::regclass ORDER BY index::text;
SELECT town, id, last_name, phone FROM fig2_town ORDER BY town, id;
SELECT last_name, id, town, phone FROM fig2_name ORDER BY last_name, id;
SELECT * FROM fig_plan($$SELECT id, last_name, town, phone FROM fig_customers WHERE town = 'Redmond'$$);
SELECT * FROM fig_plan($$SELECT id, last_name, town, phone FROM fig_customers WHERE last_name = 'Smith'$$);
CALL itable_drop_index('fig2_town');
CALL itable_drop_index('fig2_name');
-- figure 3: references; two lookups, the entries and the facts
CALL itable_create_index('fig_customers', 'fig3_town', key => '{town}');
CALL itable_create_index('fig_customers', 'fig3_name', key => '{last_name}');
SELECT index, strategy, covered_columns FROM itable_indexes WHERE base = 'fig_customers'::regclass ORDER BY index::text;
SELECT town, id FROM fig3_town ORDER BY town, id;
SELECT last_name, id FROM fig3_name ORDER BY last_name, id;
SELECT * FROM fig_plan($$SELECT id, phone FROM fig_customers WHERE town = 'Portland'$$);
SELECT id, last_name, town, phone FROM fig_customers WHERE town = 'Portland' ORDER BY id;
CALL itable_drop_index('fig3_town');
CALL itable_drop_index('fig3_name');
-- figure 4: what is asked for often is duplicated, the rest referenced
CALL itable_create_index('fig_customers', 'fig4_town', key => '{town}', include => '{last_name}');
SELECT index, strategy, covered_columns FROM itable_indexes WHERE base = 'fig_customers'::regclass;
SELECT town, id, last_name FROM fig4_town ORDER BY town, id;
SELECT * FROM fig_plan($$SELECT id, last_name FROM fig_customers WHERE town = 'Portland'$$);
SELECT * FROM fig_plan($$SELECT id, last_name, phone FROM fig_customers WHERE town = 'Portland'$$);
CALL itable_drop_index('fig4_town');
-- figure 5: a composite key (Town, LastName), sorted by both; here both are the
-- RowKey of one partition, so that the whole index is one sorted block
CALL itable_create_index('fig_customers', 'fig5_town_name', key => '{region,town,last_name}', include => '{phone}');
SELECT town, last_name, id FROM fig5_town_name WHERE region = 'US';
SELECT * FROM fig_plan($$SELECT id, phone FROM fig_customers WHERE region = 'US' AND town = 'Redmond' AND last_name = 'Smith'$$);
SELECT id, phone FROM fig_customers WHERE region = 'US' AND town = 'Redmond' AND last_name = 'Smith' ORDER BY id;
SELECT town, last_name, id FROM fig5_town_name WHERE region = 'US' AND town = 'Redmond' AND last_name LIKE 'S%' ORDER BY id;
CALL itable_drop_index('fig5_town_name');
SELECT itable_drop_table('fig_customers');
DROP FOREIGN TABLE fig_customers;

-- figure 6: facts in hashed shards; entries carry the shard, nobody recomputes it
CREATE FOREIGN TABLE fig_sharded (
  shard int OPTIONS (key 'partition', hash_of 'id', buckets '4'),
  id bigint OPTIONS (key 'row') NOT NULL,
  last_name text NOT NULL,
  town text NOT NULL
) SERVER store OPTIONS (table_name 'figsharded');
SELECT itable_create_table('fig_sharded');
INSERT INTO fig_sharded (id, last_name, town) VALUES
  (1, 'Smith', 'Redmond'), (2, 'Jones', 'Seattle'), (3, 'Robinson', 'Portland'), (4, 'Brown', 'Redmond'), (5, 'Smith', 'Chicago'),
  (6, 'Green', 'Redmond'), (7, 'Clarke', 'Portland'), (8, 'Smith', 'Redmond'), (9, 'Jones', 'Chicago'), (1000, 'Clarke', 'Chicago');
CALL itable_create_index('fig_sharded', 'fig6_town_name', key => '{town,last_name}');
SELECT e.town, e.last_name, e.shard, e.id, f.shard = e.shard AS right_shard
  FROM fig6_town_name e JOIN fig_sharded f USING (id) ORDER BY 1, 2, 4;
-- all customers in Redmond: a contiguous block of entries, then their shards
SELECT * FROM fig_plan($$SELECT shard, id, last_name FROM fig_sharded WHERE town = 'Redmond'$$);
SELECT shard, id, last_name FROM fig_sharded WHERE town = 'Redmond' ORDER BY last_name, id;
-- a range over what is not hashed, in its order
SELECT last_name, id FROM fig6_town_name WHERE town = 'Redmond' AND last_name BETWEEN 'C' AND 'T';
-- a lookup by the hashed column computes the shard
SELECT * FROM fig_plan($$SELECT * FROM fig_sharded WHERE id = 1000$$);
CALL itable_drop_index('fig6_town_name');
SELECT itable_drop_table('fig_sharded');
DROP FOREIGN TABLE fig_sharded;
DROP FUNCTION fig_plan;
