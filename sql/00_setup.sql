-- The extension, the server all tests use, and small helpers for them.
\getenv endpoint ITABLE_TEST_ENDPOINT
\getenv account ITABLE_TEST_ACCOUNT
\getenv account_key ITABLE_TEST_KEY
CREATE EXTENSION itable_fdw;
\set ECHO none
CREATE SERVER store FOREIGN DATA WRAPPER itable_fdw
  OPTIONS (endpoint :'endpoint');
CREATE USER MAPPING FOR CURRENT_USER SERVER store
  OPTIONS (account :'account', account_key :'account_key');
\set ECHO all

-- EXPLAIN (ANALYZE) without what differs between stores, runs and PostgreSQL
-- versions (18 shows fractions of rows)
CREATE FUNCTION explain_counts(query text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE
    'EXPLAIN (ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) ' || query
  LOOP
    line := regexp_replace(line, 'Bytes: \d+', 'Bytes: N');
    IF line ~ 'rows=\d+\.\d+' THEN
      line := regexp_replace(line, 'rows=\d+\.\d+', 'rows=' || round(substring(line, 'rows=(\d+\.\d+)')::numeric));
    END IF;
    RETURN NEXT line;
  END LOOP;
END $$;

-- How many requests a statement sends; those about tables (the catalog, read
-- once in a lease) do not count
CREATE FUNCTION requests_of(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  before bigint;
BEGIN
  SELECT coalesce(sum(requests), 0) INTO before FROM itable_stats() WHERE operation <> 'table';
  EXECUTE query;
  RETURN (SELECT sum(requests) FROM itable_stats() WHERE operation <> 'table') - before;
END $$;

-- The error of a statement: SQLSTATE and primary message
CREATE FUNCTION error_of(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE query;
  RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ': ' || SQLERRM;
END $$;

-- How the planner would read
CREATE FUNCTION access_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP
    IF line LIKE '%Access:%' THEN
      RETURN trim(line);
    END IF;
  END LOOP;
END $$;

SELECT component, version IS NOT NULL AS has_version FROM itable_fdw_diag();

-- Requests, pages and entities of a query.
CREATE FUNCTION sent_for(query text) RETURNS text LANGUAGE sql AS $$
  SELECT regexp_replace(trim(line), '  Bytes.*', '') FROM explain_counts($1) line WHERE line LIKE '%Requests:%'
$$;

-- Does a foreign table give the rows of its plain counterpart, in their order?  {} is the table.
CREATE FUNCTION same_rows(query text, name text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  found text[];
  expected text[];
BEGIN
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', name)) INTO found;
  EXECUTE format('SELECT array_agg(x::text) FROM (%s) x', replace(query, '{}', name || '_plain')) INTO expected;
  RETURN found IS NOT DISTINCT FROM expected;
END $$;
