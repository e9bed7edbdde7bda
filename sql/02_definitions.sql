-- Definitions that do not hold together are refused at DDL time, with a hint.
CREATE FUNCTION def_try(columns text, options text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  message text;
  hint text;
BEGIN
  EXECUTE 'CREATE FOREIGN TABLE def_try (' || columns || ') SERVER store' ||
    CASE WHEN options = '' THEN '' ELSE ' OPTIONS (' || options || ')' END;
  EXECUTE 'DROP FOREIGN TABLE def_try';
  RETURN 'good';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
  RETURN SQLSTATE || ': ' || message || ' / ' || hint;
END $$;
\set p 'p text OPTIONS (key ''partition'')'
\set r 'r text OPTIONS (key ''row'')'
\set pr 'p text OPTIONS (key ''partition''), r text OPTIONS (key ''row''), '

-- keys
SELECT def_try('a text');
SELECT def_try(:'p');
SELECT def_try(:'r');
SELECT def_try(:'p' || ', ' || :'r');
SELECT def_try(:'pr' || 'p2 int OPTIONS (key ''partition''), r2 date OPTIONS (key ''row'')');

-- which types can be keys
CREATE DOMAIN def_name AS text CHECK (length(VALUE) < 100);
CREATE DOMAIN def_ids AS int[];
CREATE TYPE def_mood AS ENUM ('sad', 'happy');
CREATE COLLATION def_any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT t, split_part(def_try(:'p' || ', r ' || t || ' OPTIONS (key ''row'')' || o), ' / ', 1) FROM (SELECT
  split_part(t, ' COLLATE', 1) AS t, CASE WHEN t LIKE '%COLLATE%' THEN ' COLLATE' || split_part(t, 'COLLATE', 2) ELSE '' END AS o
  FROM unnest(ARRAY[
  'text', 'varchar', 'varchar(20)', 'smallint', 'int', 'bigint', 'boolean', 'date', 'timestamp', 'timestamptz', 'uuid',
  'def_name', 'text COLLATE "C"', 'text COLLATE def_any_case', 'char(5)', 'name', 'numeric', 'real', 'double precision',
  'bytea', 'json', 'jsonb', 'time', 'interval', 'text[]', 'def_ids', 'def_mood', 'inet']) AS t) AS v;
SELECT def_try(:'p' || ', r numeric OPTIONS (key ''row'')');

-- property names
SELECT c, split_part(def_try(:'pr' || c), ' / ', 1) FROM unnest(ARRAY[
  'a_b1 text', '"Größe" text', '"a-b" text', '"a b" text', '"1a" text', '"a.b" text', '"x$y" text',
  '"PartitionKey" text', '"RowKey" text', '"Timestamp" text', 'partitionkey text', '"_itStub" text', '"_items" text',
  'a text OPTIONS (property ''RowKey'')', 'a text OPTIONS (property ''x y'')',
  '"a b" text OPTIONS (property ''a_b'')', '"x-y" text OPTIONS (key ''row'')']) AS c;
SELECT def_try(:'pr' || 'a text, b text OPTIONS (property ''a'')');
SELECT def_try(:'pr' || 'a text, "A" text');
SELECT def_try(:'pr' || 'a text, b text OPTIONS (property ''' || repeat('x', 255) || ''')');
SELECT left(def_try(:'pr' || 'a text, b text OPTIONS (property ''' || repeat('x', 256) || ''')'), 60);

-- the store's table names; the default is the relation's letters and digits
SELECT left(n, 10), left(def_try(:'p' || ', ' || :'r', 'table_name ''' || n || ''''), 50) FROM unnest(ARRAY[
  'abc', 'ab', 'a-b', 'a_bc', '1abc', 'ABC9', 'tables', repeat('x', 63), repeat('x', 64), 'größe']) AS n;
CREATE FOREIGN TABLE "__" (p text OPTIONS (key 'partition'), r text OPTIONS (key 'row')) SERVER store;
CREATE FOREIGN TABLE "def_9" (p text OPTIONS (key 'partition'), r text OPTIONS (key 'row')) SERVER store;

-- raw keys are one column each
SELECT def_try(:'p' || ', ' || :'r', 'key_encoding ''raw''');
SELECT def_try(:'pr' || 'r2 text OPTIONS (key ''row'')', 'key_encoding ''raw''');
SELECT def_try(:'pr' || 'p2 text OPTIONS (key ''partition'')', 'key_encoding ''raw''');

-- index tables
CREATE FOREIGN TABLE def_fact (
  genre text OPTIONS (key 'partition') NOT NULL, id int OPTIONS (key 'row') NOT NULL,
  actors text[], tags varchar[], town text, born date, note text OPTIONS (property 'Remark')
) SERVER store OPTIONS (table_name 'defFact');
\set keys 'id int OPTIONS (key ''row''), genre text OPTIONS (key ''row'')'
SELECT i, def_try(c || ', ' || :'keys' || more, 'index_of ''defFact''') FROM (VALUES
  (1, 'actor text OPTIONS (key ''partition'', element_of ''actors'')', ''),
  (2, 'town text OPTIONS (key ''partition'')', ', born date, actors text[]'),
  (3, 'remark text OPTIONS (key ''partition'', property ''Remark'')', ''),
  (4, 'note text OPTIONS (key ''partition'')', ''),
  (5, 'city text OPTIONS (key ''partition'')', ''),
  (6, 'actor text OPTIONS (key ''partition'', element_of ''actor'')', ''),
  (7, 'actor text OPTIONS (key ''partition'', element_of ''town'')', ''),
  (8, 'actors text OPTIONS (key ''partition'')', ''),
  (9, 'tag text OPTIONS (key ''partition'', element_of ''tags'')', ''),
  (10, 'born text OPTIONS (key ''partition'')', ''),
  (11, 'town text OPTIONS (key ''partition'')', ', born timestamp'),
  (12, 'town text OPTIONS (key ''partition'')', ', nothing text'),
  (13, 'actor text OPTIONS (key ''partition'', element_of ''actors'')', ', tag varchar OPTIONS (key ''row'', element_of ''tags'')'),
  (14, 'town text OPTIONS (key ''partition'')', ', born date OPTIONS (edm_type ''Edm.String'')')) AS v(i, c, more);
-- the fact's key must be there
SELECT def_try('town text OPTIONS (key ''partition''), id int OPTIONS (key ''row'')', 'index_of ''defFact''');
SELECT def_try('town text OPTIONS (key ''partition''), id int OPTIONS (key ''row''), genre text', 'index_of ''defFact''');
SELECT def_try('town text OPTIONS (key ''partition''), id bigint OPTIONS (key ''row''), genre text OPTIONS (key ''row'')', 'index_of ''defFact''');
SELECT def_try('town text OPTIONS (key ''partition''), ' || :'keys', 'index_of ''nowhere''');
SELECT def_try('town text OPTIONS (key ''partition''), ' || :'keys', 'index_of ''DEFFACT''');
SELECT def_try('town text OPTIONS (key ''partition''), ' || :'keys', 'index_of ''defFact'', key_encoding ''raw''');
SELECT o, def_try('town text OPTIONS (key ''partition''), ' || :'keys', 'index_of ''defFact'', ' || o) FROM unnest(ARRAY[
  'unique ''false''', 'maintenance ''sync''', 'buckets ''1''', 'colocated ''no''', 'unique ''true''',
  'maintenance ''queued''', 'buckets ''8''', 'colocated ''yes''', 'buckets ''0''', 'state ''new''']) AS o;
-- element_of outside an index table
SELECT def_try(:'pr' || 'a text OPTIONS (element_of ''b''), b text[]');

-- ALTER is checked too, and leaves what was
ALTER FOREIGN TABLE def_fact ALTER COLUMN id OPTIONS (DROP key);
ALTER FOREIGN TABLE def_fact DROP COLUMN id;
ALTER FOREIGN TABLE def_fact ADD COLUMN extra text OPTIONS (property 'town');
ALTER FOREIGN TABLE def_fact ALTER COLUMN genre TYPE numeric USING 0;
ALTER FOREIGN TABLE def_fact OPTIONS (SET table_name 'a_b');
ALTER FOREIGN TABLE def_fact RENAME COLUMN town TO "to wn";
ALTER FOREIGN TABLE def_fact ADD COLUMN extra text, DROP COLUMN note;
SELECT attname, attfdwoptions FROM pg_attribute WHERE attrelid = 'def_fact'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum;
DROP FOREIGN TABLE def_fact, def_9;
