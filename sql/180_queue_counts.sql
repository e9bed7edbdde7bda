-- What the worker sends for 440 queued changes: what a statement in bulk would
-- send, and for itself the outbox's pages, the facts in ranges of keys, the baton
-- (looked at, taken, passed on) and the removal of the outbox entities.  The
-- designed numbers are counted from the rows: full batches for each partition.
CREATE FOREIGN TABLE quc_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year int
) SERVER store OPTIONS (table_name 'qucmovies');
SELECT itable_create_table('quc_movies');
CREATE TABLE quc_before (LIKE quc_movies);
CREATE TABLE quc_plain AS
  SELECT 'G' || n % 4 AS genre, 'Movie ' || n AS name,
         ARRAY['Actor ' || n % 3, 'Actor ' || 50 + n % 10, 'Actor ' || 120 + n * n % 17] AS actors, 1900 + n % 100 AS year
    FROM generate_series(1, 440) n;
CREATE TABLE quc_measured (n int GENERATED ALWAYS AS IDENTITY, layout text, change text, done int, requests bigint, designed bigint);
-- full batches, and what is left over, of rows by partition
CREATE FUNCTION quc_batches(partitions text[]) RETURNS bigint LANGUAGE sql AS
  'SELECT coalesce(sum(ceil(size / 100.0)), 0)::bigint FROM (SELECT count(*) AS size FROM unnest(partitions) p GROUP BY p) x';
CREATE FUNCTION quc_old() RETURNS TABLE (actor text, genre text, name text) LANGUAGE sql AS
  'SELECT unnest(actors), genre, name FROM quc_before';
CREATE FUNCTION quc_new() RETURNS TABLE (actor text, genre text, name text) LANGUAGE sql AS
  'SELECT unnest(actors), genre, name FROM quc_plain';
-- entries touched, and settled: verified (covering), deleted; partitions by "bucket"
CREATE FUNCTION quc_entries(covering boolean, bucket text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  result bigint;
BEGIN
  EXECUTE format('SELECT quc_batches(ARRAY(SELECT %1$s FROM (SELECT * FROM quc_old() UNION SELECT * FROM quc_new()) e)) +
    quc_batches(ARRAY(SELECT %1$s FROM ((SELECT * FROM quc_old() EXCEPT SELECT * FROM quc_new())
                                        UNION SELECT * FROM quc_new() WHERE %2$L) e))', bucket, covering) INTO result;
  RETURN result;
END $$;
CREATE PROCEDURE quc(layout text, change text, covering boolean, bucket text) LANGUAGE plpgsql AS $$
DECLARE
  processed int;
  facts text[];
  gone boolean;
BEGIN
  CASE change
    WHEN 'insert' THEN
      TRUNCATE quc_before;
      INSERT INTO quc_movies SELECT * FROM quc_plain;
    WHEN 'update' THEN
      TRUNCATE quc_before;
      INSERT INTO quc_before SELECT * FROM quc_plain;
      UPDATE quc_plain SET actors[1] = 'Star ' || length(name);
      UPDATE quc_movies m SET actors[1] = 'Star ' || length(name);
    WHEN 'delete' THEN
      TRUNCATE quc_before;
      INSERT INTO quc_before SELECT * FROM quc_plain;
      TRUNCATE quc_plain;
      DELETE FROM quc_movies;
  END CASE;
  COMMIT;
  PERFORM itable_stats_reset();
  SELECT itable_process_queue('store', 10000) INTO processed;
  facts := ARRAY(SELECT genre FROM (SELECT genre, name FROM quc_before UNION SELECT genre, name FROM quc_plain) f);
  gone := NOT EXISTS (SELECT FROM quc_plain);
  INSERT INTO quc_measured (layout, change, done, requests, designed)
    SELECT quc.layout, quc.change, processed, sum(requests),
           -- the baton; a page; a range for each partition of facts, of facts that are gone again instead of a fence
           3 + 1 + 4 * (1 + gone::int) + (2 - gone::int) * quc_batches(facts) + quc_entries(covering, bucket)
      FROM itable_stats() WHERE operation <> 'table';
  COMMIT;
END $$;

CREATE TABLE quc_rows AS TABLE quc_plain;
CALL itable_create_index('quc_movies', 'quc_pointer', '{actors}', maintenance => 'queued');
CALL quc('pointer', 'insert', false, 'actor');
CALL quc('pointer', 'update', false, 'actor');
CALL quc('pointer', 'delete', false, 'actor');
SELECT count(*) FROM quc_pointer;
CALL itable_drop_index('quc_pointer');

INSERT INTO quc_plain TABLE quc_rows;
CALL itable_create_index('quc_movies', 'quc_covering', '{actors}', include => '{year}', maintenance => 'queued');
CALL quc('covering', 'insert', true, 'actor');
CALL quc('covering', 'update', true, 'actor');
SET itable_fdw.repair_age = 0;
SELECT * FROM itable_check_index('quc_covering');
RESET itable_fdw.repair_age;
CALL quc('covering', 'delete', true, 'actor');
SELECT count(*) FROM quc_covering;
CALL itable_drop_index('quc_covering');

-- gathered: the buckets as the index table has them
INSERT INTO quc_plain TABLE quc_rows;
CALL itable_create_index('quc_movies', 'quc_gathered', '{actors}', include => '{year}', partitions => 8, maintenance => 'queued');
INSERT INTO quc_movies TABLE quc_plain;
UPDATE quc_movies SET actors[1] = 'Star ' || length(name);
SELECT itable_process_queue('store', 10000);
CREATE TABLE quc_buckets AS SELECT DISTINCT actor, actor_bucket FROM quc_gathered;
UPDATE quc_movies SET actors = p.actors FROM quc_plain p WHERE p.genre = quc_movies.genre AND p.name = quc_movies.name;
SELECT itable_process_queue('store', 10000);
INSERT INTO quc_buckets SELECT DISTINCT actor, actor_bucket FROM quc_gathered EXCEPT TABLE quc_buckets;
CALL quc('8 partitions', 'update', true, '(SELECT actor_bucket::text FROM quc_buckets b WHERE b.actor = e.actor)');
CALL quc('8 partitions', 'delete', true, '(SELECT actor_bucket::text FROM quc_buckets b WHERE b.actor = e.actor)');
SELECT layout, change, done, requests, designed, requests = designed AS ok FROM quc_measured ORDER BY n;

-- facts that stand alone are read by their keys
INSERT INTO quc_movies SELECT 'S' || i, 'alone', '{x}', i FROM generate_series(1, 20) i;
SELECT itable_stats_reset();
SELECT itable_process_queue('store', 100);
SELECT operation, requests FROM itable_stats() WHERE requests > 0 ORDER BY 1;
-- a few among many: one page tells that the others are far
INSERT INTO quc_movies SELECT 'many', 'm' || lpad(i::text, 5, '0'), '{}', i FROM generate_series(1, 1000) i;
UPDATE quc_movies SET actors = '{y}' WHERE genre = 'many' AND year % 100 = 1;
SELECT itable_stats_reset();
SELECT itable_process_queue('store', 100);
SELECT operation, requests FROM itable_stats() WHERE requests > 0 ORDER BY 1;
SELECT count(*) FROM quc_gathered WHERE actor = 'y';
CALL itable_drop_index('quc_gathered');
SELECT itable_drop_table('quc_movies');
DROP FOREIGN TABLE quc_movies;
DROP TABLE quc_before, quc_plain, quc_rows, quc_buckets, quc_measured;
DROP FUNCTION quc_batches, quc_old, quc_new, quc_entries;
DROP PROCEDURE quc;
