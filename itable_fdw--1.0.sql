/* itable_fdw--1.0.sql: the objects of the extension */

\echo Use "CREATE EXTENSION itable_fdw" to load this file. \quit

CREATE FUNCTION itable_fdw_handler() RETURNS fdw_handler
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

CREATE FUNCTION itable_fdw_validator(text[], oid) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

CREATE FOREIGN DATA WRAPPER itable_fdw
  HANDLER itable_fdw_handler VALIDATOR itable_fdw_validator;

-- What tells this database from a copy of it, in the store's catalog
DO $$
BEGIN
  EXECUTE pg_catalog.format('ALTER FOREIGN DATA WRAPPER itable_fdw OPTIONS (ADD cluster_id %L)',
    pg_catalog.substr(pg_catalog.replace(pg_catalog.gen_random_uuid()::text, '-', ''), 1, 16));
END $$;

-- Connecting by an Azure connection string

CREATE FUNCTION itable_connect(connection_string text, server_name name)
RETURNS void LANGUAGE plpgsql STRICT AS $$
DECLARE
  part text;
  settings jsonb := '{}';
  endpoint text;
  queue text;
  account text;
  mapping text := '';
BEGIN
  FOREACH part IN ARRAY pg_catalog.string_to_array(connection_string, ';') LOOP
    CONTINUE WHEN pg_catalog.btrim(part) = '';
    IF pg_catalog.strpos(part, '=') = 0 THEN
      RAISE EXCEPTION USING ERRCODE = 'HV024', MESSAGE = 'connection string is not understood',
        HINT = 'It is a list of Name=Value pairs between semicolons, as the portal shows it.';
    END IF;
    settings := settings || pg_catalog.jsonb_build_object(
      pg_catalog.lower(pg_catalog.btrim(pg_catalog.split_part(part, '=', 1))),
      pg_catalog.substr(part, pg_catalog.strpos(part, '=') + 1));
  END LOOP;
  IF pg_catalog.lower(settings ->> 'usedevelopmentstorage') = 'true' THEN
    -- the emulators' well-known account, the same everywhere
    settings := pg_catalog.jsonb_build_object(
      'accountname', 'devstoreaccount1',
      'accountkey', 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
      'tableendpoint', 'http://127.0.0.1:10002/devstoreaccount1',
      'queueendpoint', 'http://127.0.0.1:10001/devstoreaccount1') || settings;
  END IF;
  account := settings ->> 'accountname';
  endpoint := coalesce(settings ->> 'tableendpoint',
    coalesce(settings ->> 'defaultendpointsprotocol', 'https') || '://' || account || '.table.'
      || coalesce(settings ->> 'endpointsuffix', 'core.windows.net'));
  queue := coalesce(settings ->> 'queueendpoint', CASE WHEN settings ->> 'tableendpoint' IS NULL THEN
    coalesce(settings ->> 'defaultendpointsprotocol', 'https') || '://' || account || '.queue.'
      || coalesce(settings ->> 'endpointsuffix', 'core.windows.net') END);
  IF endpoint IS NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'HV024', MESSAGE = 'connection string names neither an account nor a table endpoint',
      HINT = 'AccountName=... or TableEndpoint=... is needed.';
  END IF;
  EXECUTE pg_catalog.format('CREATE SERVER %I FOREIGN DATA WRAPPER itable_fdw OPTIONS (endpoint %L%s)', server_name,
    pg_catalog.rtrim(endpoint, '/'),
    CASE WHEN queue IS NOT NULL THEN pg_catalog.format(', queue_endpoint %L', pg_catalog.rtrim(queue, '/')) END);
  IF account IS NOT NULL THEN
    mapping := mapping || pg_catalog.format(', account %L', account);
  END IF;
  IF settings ->> 'accountkey' IS NOT NULL THEN
    mapping := mapping || pg_catalog.format(', account_key %L', settings ->> 'accountkey');
  ELSIF settings ->> 'sharedaccesssignature' IS NOT NULL THEN
    mapping := mapping || pg_catalog.format(', sas_token %L', settings ->> 'sharedaccesssignature');
  END IF;
  EXECUTE pg_catalog.format('CREATE USER MAPPING FOR CURRENT_USER SERVER %I%s', server_name,
    CASE WHEN mapping <> '' THEN ' OPTIONS (' || pg_catalog.substr(mapping, 3) || ')' END);
END $$;
COMMENT ON FUNCTION itable_connect(text, name) IS
  'creates a server and the current user''s mapping from an Azure connection string';

-- Tables of the store

CREATE FUNCTION itable_create_table("table" regclass) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_create_table(regclass) IS
  'creates the foreign table''s table in the store; false when it is there already';

CREATE FUNCTION itable_drop_table("table" regclass) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_drop_table(regclass) IS
  'deletes the foreign table''s table and all its entities from the store';

-- Index tables

CREATE PROCEDURE itable_create_index(base regclass, name text, key text[],
  include text[] DEFAULT '{}', is_unique boolean DEFAULT false,
  maintenance text DEFAULT 'sync', colocated boolean DEFAULT false,
  buckets integer DEFAULT 1, partitions integer DEFAULT 0)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE itable_create_index(regclass, text, text[], text[],
  boolean, text, boolean, integer, integer) IS
  'declares an index table, fills it from the facts, and lets the planner use it';

CREATE PROCEDURE itable_build_index(index regclass)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE itable_build_index(regclass) IS
  'fills an index table again from its facts';

CREATE PROCEDURE itable_drop_index(index regclass)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE itable_drop_index(regclass) IS
  'drops an index table here and in the store';

CREATE FUNCTION itable_check_index(index regclass, OUT problem text,
  OUT index_partition_key text, OUT index_row_key text,
  OUT fact_partition_key text, OUT fact_row_key text, OUT detail text)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_check_index(regclass) IS
  'entries of an index table that are missing, dangling, contradicting or unverified';

CREATE PROCEDURE itable_repair_index(index regclass)
AS 'MODULE_PATHNAME' LANGUAGE C;
COMMENT ON PROCEDURE itable_repair_index(regclass) IS
  'mends what itable_check_index shows';

CREATE FUNCTION itable_index_list(OUT base regclass, OUT index regclass,
  OUT key_columns text[], OUT covered_columns text[], OUT strategy text,
  OUT is_unique boolean, OUT maintenance text, OUT colocated boolean,
  OUT buckets integer, OUT state text, OUT progress double precision,
  OUT backlog bigint) RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_index_list() IS 'what view itable_indexes shows';

CREATE FUNCTION itable_index_backlog(index regclass) RETURNS bigint
AS 'MODULE_PATHNAME' LANGUAGE C STRICT STABLE;
COMMENT ON FUNCTION itable_index_backlog(regclass) IS
  'how many queued changes an index table has yet to take; asks the store';

-- the backlog is counted only for queries that ask for that column
CREATE VIEW itable_indexes AS
  SELECT base, index, key_columns, covered_columns, strategy, is_unique, maintenance,
         colocated, buckets, state, progress,
         CASE WHEN maintenance = 'queued' THEN itable_index_backlog(index) ELSE 0 END AS backlog
    FROM itable_index_list();
COMMENT ON VIEW itable_indexes IS 'index tables of this database';
GRANT SELECT ON itable_indexes TO PUBLIC;

-- The catalog of indexes in the store

CREATE FUNCTION itable_catalog(base regclass, OUT index_table text, OUT state text,
  OUT epoch integer, OUT layout text, OUT definition jsonb, OUT facts_done bigint,
  OUT declared_as regclass) RETURNS SETOF record
AS 'MODULE_PATHNAME', 'itable_catalog_list' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_catalog(regclass) IS
  'the index tables of a fact table as the store''s catalog lists them';

CREATE FUNCTION itable_import_indexes(base regclass) RETURNS integer
LANGUAGE plpgsql STRICT VOLATILE AS $$
DECLARE
  listed record;
  imported integer := 0;
  fact text;
BEGIN
  -- one at a time; the other then finds them declared
  PERFORM pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('itable_import_indexes'), pg_catalog.hashtext(base::oid::text));
  SELECT coalesce((SELECT option_value FROM pg_catalog.pg_options_to_table(t.ftoptions) WHERE option_name = 'table_name'),
                  pg_catalog.regexp_replace(c.relname, '[^A-Za-z0-9]', '', 'g'))
    INTO fact
    FROM pg_catalog.pg_foreign_table t JOIN pg_catalog.pg_class c ON c.oid = t.ftrelid WHERE t.ftrelid = base;
  FOR listed IN
    SELECT c.*, s.srvname, n.nspname
      FROM @extschema@.itable_catalog(base) c
      JOIN pg_catalog.pg_class r ON r.oid = base
      JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
      JOIN pg_catalog.pg_foreign_table t ON t.ftrelid = base
      JOIN pg_catalog.pg_foreign_server s ON s.oid = t.ftserver
     WHERE c.declared_as IS NULL AND c.state <> 'dropped'
     ORDER BY c.index_table
  LOOP
    EXECUTE pg_catalog.format('CREATE FOREIGN TABLE %I.%I (%s) SERVER %I OPTIONS (%s)',
      listed.nspname, listed.definition ->> 'relation',
      (SELECT pg_catalog.string_agg(pg_catalog.format('%I %s%s%s', c ->> 'name', c ->> 'type',
          (SELECT ' OPTIONS (' || pg_catalog.string_agg(pg_catalog.format('%I %L', key, value), ', ' ORDER BY key) || ')'
             FROM pg_catalog.jsonb_each_text(c -> 'options')),
          CASE WHEN (c ->> 'not_null')::boolean THEN ' NOT NULL' END), ', ' ORDER BY place)
         FROM pg_catalog.jsonb_array_elements(listed.definition -> 'columns') WITH ORDINALITY AS x (c, place)),
      listed.srvname,
      (SELECT pg_catalog.string_agg(pg_catalog.format('%I %L', key, value), ', ')
         FROM (SELECT * FROM pg_catalog.jsonb_each_text(listed.definition -> 'options')
               UNION ALL VALUES ('table_name', listed.index_table), ('index_of', fact)
               UNION ALL SELECT 'state', CASE WHEN listed.state = 'building' THEN 'registered' ELSE listed.state END
                WHERE listed.state <> 'readable') o (key, value)));
    imported := imported + 1;
  END LOOP;
  -- imported earlier, readable since
  FOR listed IN
    SELECT c.declared_as FROM @extschema@.itable_catalog(base) c
      JOIN pg_catalog.pg_foreign_table t ON t.ftrelid = c.declared_as
     WHERE c.state = 'readable' AND 'state=registered' = ANY (t.ftoptions)
  LOOP
    EXECUTE pg_catalog.format('ALTER FOREIGN TABLE %s OPTIONS (DROP state)', listed.declared_as);
  END LOOP;
  RETURN imported;
END $$;
COMMENT ON FUNCTION itable_import_indexes(regclass) IS
  'declares the index tables that the store''s catalog lists and this database lacks; returns how many';

CREATE FUNCTION itable_process_queue(server name, max_messages integer DEFAULT 10000)
RETURNS integer
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_process_queue(name, integer) IS
  'brings queued index tables up to date; how many queued changes were done';

CREATE FUNCTION itable_check_ddl() RETURNS event_trigger
AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE EVENT TRIGGER itable_fdw_check_ddl ON ddl_command_end
  WHEN TAG IN ('CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
               'IMPORT FOREIGN SCHEMA')
  EXECUTE FUNCTION itable_check_ddl();
COMMENT ON EVENT TRIGGER itable_fdw_check_ddl IS
  'refuses definitions of itable_fdw foreign tables that do not hold together';

-- Advice.  A request is the unit: a scan sends one for each thousand rows, a
-- pointer lookup one for each entry, of which 32 weigh as much as a page
-- (plan/cost.c); an index pays while its lookups weigh less than a scan.

CREATE FUNCTION itable_break_even(base regclass, rows double precision, filtered boolean)
RETURNS double precision
AS 'MODULE_PATHNAME', 'itable_break_even_of' LANGUAGE C STRICT STABLE;
COMMENT ON FUNCTION itable_break_even(regclass, double precision, boolean) IS
  'share of a table of so many rows at which a lookup by a pointer index costs as much as a scan, by the planner''s own figures';

CREATE FUNCTION itable_index_advice(base regclass, OUT index regclass,
  OUT column_name name, OUT distinct_values double precision,
  OUT top_share double precision, OUT expected_entries double precision,
  OUT insert_requests double precision, OUT update_requests double precision,
  OUT delete_requests double precision, OUT break_even double precision,
  OUT verdict text, OUT reason text) RETURNS SETOF record
LANGUAGE sql STABLE STRICT AS $$
  WITH fact AS (
    SELECT c.oid, greatest(c.reltuples, 0)::float8 AS rows, c.reltuples >= 0 AS analyzed,
           c.relname, n.nspname,
           @extschema@.itable_break_even(c.oid, c.reltuples, false) AS scanned,
           @extschema@.itable_break_even(c.oid, c.reltuples, true) AS filtered
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE c.oid = base
  ), candidate AS (
    SELECT f.*, a.attname, a.attndims > 0 OR t.typcategory = 'A' AS is_array,
           coalesce(o.option_value, a.attname) AS property
      FROM fact f
      JOIN pg_catalog.pg_attribute a ON a.attrelid = f.oid AND a.attnum > 0 AND NOT a.attisdropped
      JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
      LEFT JOIN LATERAL (SELECT option_value FROM pg_catalog.pg_options_to_table(a.attfdwoptions)
                          WHERE option_name = 'property') o ON true
     WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_options_to_table(a.attfdwoptions)
                        WHERE option_name IN ('key', 'system'))
  ), measured AS (
    SELECT c.*, s.attname IS NOT NULL AS known,
           CASE WHEN c.is_array THEN c.scanned ELSE c.filtered END AS break_even,
           CASE WHEN c.is_array THEN coalesce(e.elements, 0)
                ELSE 1 - coalesce(s.null_frac, 0) END AS per_row,
           CASE WHEN c.is_array THEN greatest(pg_catalog.cardinality(s.most_common_elem_freqs) - 3, 1)
                WHEN s.n_distinct < 0 THEN -s.n_distinct * c.rows
                ELSE s.n_distinct END AS ndistinct,
           CASE WHEN c.is_array THEN s.most_common_elem_freqs[1]
                ELSE s.most_common_freqs[1] END AS top
      FROM candidate c
      LEFT JOIN pg_catalog.pg_stats s
        ON s.schemaname = c.nspname AND s.tablename = c.relname AND s.attname = c.attname AND NOT s.inherited
      LEFT JOIN LATERAL (SELECT s.elem_count_histogram[pg_catalog.cardinality(s.elem_count_histogram)] AS elements) e
        ON true
  ), matched AS (
    SELECT m.*, i.index, coalesce(i.strategy <> 'pointer', false) AS covering
      FROM measured m
      LEFT JOIN @extschema@.itable_indexes i
        ON i.base = m.oid AND EXISTS (
             SELECT FROM pg_catalog.pg_attribute k, pg_catalog.pg_options_to_table(k.attfdwoptions) ko
              WHERE k.attrelid = i.index AND NOT k.attisdropped
                AND k.attname = ANY (i.key_columns) AND ko.option_name IN ('key', 'element_of')
                AND (ko.option_name = 'element_of' AND ko.option_value = m.property OR
                     ko.option_name = 'key' AND k.attname = m.attname))
  )
  SELECT h.index, h.attname, round(h.ndistinct::numeric)::float8, coalesce(h.top, 0),
         h.rows * h.per_row,
         round(CASE WHEN h.covering THEN 2 * h.per_row + 2 ELSE h.per_row + 2 END::numeric, 1)::float8,
         round(CASE WHEN h.covering THEN 4 * h.per_row + 1 ELSE 3 * h.per_row + 1 END::numeric, 1)::float8,
         round((2 * h.per_row + 1)::numeric, 1)::float8,
         CASE WHEN h.covering THEN 1.0 ELSE round(h.break_even::numeric, 4)::float8 END,
         v.verdict, v.reason
    FROM matched h,
    LATERAL (SELECT CASE
        WHEN NOT h.analyzed OR NOT h.known THEN ARRAY['unknown', 'no statistics: ANALYZE the table']
        WHEN h.per_row = 0 THEN ARRAY['no', 'no row has a value']
        WHEN NOT h.is_array AND h.ndistinct <= 1 THEN ARRAY['no', 'one value only: a lookup returns the whole table']
        WHEN NOT h.is_array AND (1 - coalesce(h.top, 0)) / greatest(h.ndistinct - 1, 1) > h.break_even AND NOT h.covering THEN
          ARRAY['no', format('%s values only: a lookup returns about 1/%s of the table', round(h.ndistinct), round(h.ndistinct))]
        WHEN h.top > h.break_even AND NOT h.covering THEN
          ARRAY['partly', format('%s %% of the rows share one value, for which a scan is cheaper; useful for the others', round(h.top * 100))]
        ELSE ARRAY['yes', 'a lookup weighs less than a scan'] END) AS x (w),
    LATERAL (SELECT w[1] AS verdict, w[2] AS reason) v
   ORDER BY h.attname, h.index::text
$$;
COMMENT ON FUNCTION itable_index_advice(regclass) IS
  'whether an index on each column pays, from the statistics of ANALYZE';

-- Connections and statistics

CREATE FUNCTION itable_stats(OUT server name, OUT operation text,
  OUT requests bigint, OUT entities bigint, OUT bytes_sent bigint,
  OUT bytes_received bigint, OUT retries bigint, OUT throttles bigint,
  OUT connections bigint) RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_stats() IS
  'requests of this session, one row per server and operation; a retry is a request too';

CREATE FUNCTION itable_stats_reset() RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION itable_get_connections(OUT server_name text, OUT valid boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION itable_disconnect(server_name text) RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION itable_disconnect_all() RETURNS boolean
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;

CREATE FUNCTION itable_fdw_diag(OUT component text, OUT version text)
RETURNS SETOF record
AS 'MODULE_PATHNAME' LANGUAGE C STRICT VOLATILE;
COMMENT ON FUNCTION itable_fdw_diag() IS
  'versions of the extension, the server and its libraries';
