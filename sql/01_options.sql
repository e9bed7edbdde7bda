-- Options: what may be set where, what it may say, and what is said otherwise.
CREATE FUNCTION opt_server(options text) RETURNS text LANGUAGE sql AS $$
  SELECT error_of('CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw
    OPTIONS (endpoint ''http://localhost:1/a''' ||
    CASE WHEN options = '' THEN '' ELSE ', ' || options END || ');
    DROP SERVER opt_try')
$$;
CREATE FUNCTION opt_table(options text) RETURNS text LANGUAGE sql AS $$
  SELECT error_of('CREATE FOREIGN TABLE opt_try (p text OPTIONS (key ''partition'') NOT NULL,
    r text OPTIONS (key ''row'') NOT NULL) SERVER store OPTIONS (' || options || ');
    DROP FOREIGN TABLE opt_try')
$$;
CREATE FUNCTION opt_column(type text, options text) RETURNS text LANGUAGE sql AS $$
  SELECT error_of('CREATE FOREIGN TABLE opt_try (p text OPTIONS (key ''partition'') NOT NULL,
    r text OPTIONS (key ''row'') NOT NULL, c ' || type || ' OPTIONS (' || options || ')) SERVER store;
    DROP FOREIGN TABLE opt_try')
$$;

-- servers: good and bad values of each option
SELECT o AS server_option, opt_server(o) FROM unnest(ARRAY[
  '', 'queue_endpoint ''https://q.example''', 'queue_endpoint ''q.example''', 'ca_file ''/x''', 'ca_file ''''',
  'connect_timeout ''5''', 'connect_timeout ''0''', 'connect_timeout ''x''', 'connect_timeout ''1.5''',
  'request_timeout ''3600''', 'request_timeout ''3601''', 'max_retries ''0''', 'max_retries ''-1''',
  'max_connections ''256''', 'max_connections ''0''', 'fetch_size ''1''', 'fetch_size ''1000''', 'fetch_size ''0''',
  'fetch_size ''1001''', 'fetch_size ''''', 'fetch_size ''99999999999999999999''', 'batch_size ''100''', 'batch_size ''101''',
  'fdw_startup_cost ''1.5''', 'fdw_startup_cost ''-1''', 'fdw_tuple_cost ''0''', 'fdw_tuple_cost ''nan''',
  'updatable ''no''', 'updatable ''perhaps''', 'async_capable ''on''', 'async_capable ''2''',
  'keep_connections ''off''', 'keep_connections ''x''', 'insert_mode ''reserve''', 'insert_mode ''direct''',
  'insert_mode ''quick''']) AS o;

-- user mappings
CREATE SERVER opt_srv FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://localhost:1/a');
SELECT o AS mapping_option, error_of('CREATE USER MAPPING FOR PUBLIC SERVER opt_srv OPTIONS (' || o || ');
  DROP USER MAPPING FOR PUBLIC SERVER opt_srv') FROM unnest(ARRAY[
  'account ''a''', 'account ''''', 'account_key ''a2V5''', 'account_key ''''', 'sas_token ''sv=1''',
  'bearer_token_file ''/x''', 'credentials_required ''false''', 'credentials_required ''maybe''']) AS o;

-- tables
SELECT o AS table_option, opt_table(o) FROM unnest(ARRAY[
  'table_name ''optTable1''', 'table_name ''''', 'updatable ''false''', 'updatable ''5''', 'fetch_size ''7''',
  'fetch_size ''7x''', 'batch_size ''1''', 'batch_size ''0''', 'async_capable ''true''', 'insert_mode ''direct''',
  'insert_mode ''DIRECT''', 'key_encoding ''escaped''', 'key_encoding ''raw''', 'key_encoding ''none''']) AS o;

-- columns
SELECT t, o AS column_option, opt_column(t, o) FROM (VALUES
  ('text', 'property ''Other'''), ('text', 'property '''''), ('text', 'key ''row'''), ('text', 'key ''primary'''),
  ('text', 'system ''etag'''), ('timestamptz', 'system ''timestamp'''), ('text', 'system ''timestamp'''),
  ('int', 'system ''etag'''), ('text', 'system ''tag'''), ('text', 'system ''etag'', key ''row'''),
  ('int', 'edm_type ''Edm.Int64'''), ('int', 'edm_type ''Int64'''), ('int', 'edm_type ''Edm.Int64 Edm.Guid''')) AS v(t, o);

-- hashed keys belong to partition keys
SELECT opt_column('text', 'hash_of ''p'''), opt_column('text', 'buckets ''4''');

-- options that are for index tables only
SELECT o, opt_table(o) FROM unnest(ARRAY['unique ''true''', 'maintenance ''sync''', 'colocated ''true''',
  'buckets ''2''', 'state ''readable''']) AS o;

-- names: the nearest one is proposed; wrong places are refused
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpont 'http://x');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://x', fetchsize '1');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://x', account 'a');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://x', zzzzzzzzzzzzzzzzzzzzzzzzzzzz 'a');
CREATE USER MAPPING FOR PUBLIC SERVER opt_srv OPTIONS (user 'a');
CREATE USER MAPPING FOR PUBLIC SERVER opt_srv OPTIONS (acount_key 'a');
CREATE FOREIGN TABLE opt_try (p text) SERVER store OPTIONS (tablename 'x');
CREATE FOREIGN TABLE opt_try (p text OPTIONS (kye 'partition')) SERVER store;
CREATE FOREIGN TABLE opt_try (p text OPTIONS (table_name 'x')) SERVER store;
ALTER FOREIGN DATA WRAPPER itable_fdw OPTIONS (ADD endpoint 'http://x');

-- the endpoint
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw;
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (fetch_size '5');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'ftp://x');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://user:pw@x');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint 'http://x?sv=1');
CREATE SERVER opt_try FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint '');
ALTER SERVER opt_srv OPTIONS (DROP endpoint);

-- some are for superusers
CREATE ROLE itable_opt_user;
GRANT USAGE ON FOREIGN SERVER opt_srv TO itable_opt_user;
SET ROLE itable_opt_user;
CREATE USER MAPPING FOR CURRENT_USER SERVER opt_srv OPTIONS (account 'a', bearer_token_file '/etc/passwd');
CREATE USER MAPPING FOR CURRENT_USER SERVER opt_srv OPTIONS (account 'a', credentials_required 'false');
CREATE USER MAPPING FOR CURRENT_USER SERVER opt_srv OPTIONS (account 'a', account_key 'a2V5');
ALTER USER MAPPING FOR CURRENT_USER SERVER opt_srv OPTIONS (ADD credentials_required 'false');
RESET ROLE;
DROP USER MAPPING FOR itable_opt_user SERVER opt_srv;

-- a table's settings win over its server's
ALTER SERVER opt_srv OPTIONS (ADD fetch_size '5', ADD updatable 'false');
CREATE FOREIGN TABLE opt_both (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL)
  SERVER opt_srv OPTIONS (updatable 'true');
CREATE FOREIGN TABLE opt_one (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL)
  SERVER opt_srv;
SELECT relname, pg_relation_is_updatable(oid, false) FROM pg_class WHERE relname LIKE 'opt\_%' AND relkind = 'f' ORDER BY 1;
DROP SERVER opt_srv CASCADE;
REVOKE ALL ON SCHEMA public FROM itable_opt_user;
DROP ROLE itable_opt_user;
