/* itable_fdw--1.0.sql: the objects of the extension */

\echo Use "CREATE EXTENSION itable_fdw" to load this file. \quit

CREATE FUNCTION itable_fdw_handler() RETURNS fdw_handler
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

CREATE FUNCTION itable_fdw_validator(text[], oid) RETURNS void
AS 'MODULE_PATHNAME' LANGUAGE C STRICT;

CREATE FOREIGN DATA WRAPPER itable_fdw
  HANDLER itable_fdw_handler VALIDATOR itable_fdw_validator;

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

CREATE VIEW itable_indexes AS SELECT * FROM itable_index_list();
COMMENT ON VIEW itable_indexes IS 'index tables of this database';
GRANT SELECT ON itable_indexes TO PUBLIC;

CREATE FUNCTION itable_check_ddl() RETURNS event_trigger
AS 'MODULE_PATHNAME' LANGUAGE C;

CREATE EVENT TRIGGER itable_fdw_check_ddl ON ddl_command_end
  WHEN TAG IN ('CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
               'IMPORT FOREIGN SCHEMA')
  EXECUTE FUNCTION itable_check_ddl();
COMMENT ON EVENT TRIGGER itable_fdw_check_ddl IS
  'refuses definitions of itable_fdw foreign tables that do not hold together';

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
