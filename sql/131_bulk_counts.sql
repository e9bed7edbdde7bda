-- What 1,000 rows with 3 entries each send: the same phases, in batches of up to
-- 100 entities of one partition.  The designed numbers are counted from the rows
-- themselves: full batches for each partition of facts and of entries.
CREATE FOREIGN TABLE blk_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year int
) SERVER store OPTIONS (table_name 'blkmovies');
SELECT itable_create_table('blk_movies');
CREATE TABLE blk_plain AS
  SELECT 'G' || n % 4 AS genre, 'Movie ' || n AS name,
         ARRAY['Actor ' || n % 50, 'Actor ' || 50 + n % 70, 'Actor ' || 120 + n * n % 97] AS actors, 1900 + n % 100 AS year
    FROM generate_series(1, 1000) n;
CREATE TABLE blk_measured (n int GENERATED ALWAYS AS IDENTITY, layout text, change text, requests bigint, designed bigint);
-- full batches, and what is left over, for each partition
CREATE FUNCTION blk_batches(sizes bigint[]) RETURNS bigint LANGUAGE sql AS
  'SELECT coalesce(sum(ceil(size / 100.0)), 0)::bigint FROM unnest(sizes) size';
CREATE PROCEDURE blk(layout text, change text, entries text, phases int, more bigint, statement text) LANGUAGE plpgsql AS $$
DECLARE
  facts bigint;
  partitions bigint;
BEGIN
  PERFORM itable_stats_reset();
  EXECUTE statement;
  COMMIT;
  INSERT INTO blk_measured (layout, change, requests)
    SELECT blk.layout, blk.change, sum(requests) FROM itable_stats() WHERE operation <> 'table';
  SELECT blk_batches(array_agg(c)) INTO facts FROM (SELECT count(*) AS c FROM blk_plain GROUP BY genre) x;
  EXECUTE format('SELECT blk_batches(array_agg(c)) FROM (SELECT count(*) AS c FROM %s) x', entries) INTO partitions;
  UPDATE blk_measured SET designed = more + facts * (CASE blk.change WHEN 'insert' THEN 2 ELSE 1 END) + partitions * phases
    WHERE designed IS NULL;
  COMMIT;
END $$;

-- one partition for each actor
CALL itable_create_index('blk_movies', 'blk_pointer', key => '{actors}');
CALL blk('pointer, a partition per actor', 'insert', '(SELECT unnest(actors) a FROM blk_plain) e GROUP BY a', 1, 0,
  'INSERT INTO blk_movies SELECT * FROM blk_plain');
SELECT count(*) FROM blk_pointer;
CALL blk('pointer, a partition per actor', 'delete', '(SELECT unnest(actors) a FROM blk_plain) e GROUP BY a', 2, 1,
  'DELETE FROM blk_movies');
SELECT count(*) FROM blk_pointer;
CALL itable_drop_index('blk_pointer');
CALL itable_create_index('blk_movies', 'blk_covering', key => '{actors}', include => '{year}');
CALL blk('covering, a partition per actor', 'insert', '(SELECT unnest(actors) a FROM blk_plain) e GROUP BY a', 2, 0,
  'INSERT INTO blk_movies SELECT * FROM blk_plain');
SELECT count(*) FROM blk_covering;
CALL blk('covering, a partition per actor', 'update', '(SELECT unnest(actors) a FROM blk_plain) e GROUP BY a', 2, 1,
  'UPDATE blk_movies SET year = year + 1');
CALL blk('covering, a partition per actor', 'delete', '(SELECT unnest(actors) a FROM blk_plain) e GROUP BY a', 2, 1,
  'DELETE FROM blk_movies');
CALL itable_drop_index('blk_covering');

-- gathered: 64 hash partitions; the fewer they are, the fuller the batches
CALL itable_create_index('blk_movies', 'blk_gathered', key => '{actors}', include => '{year}', partitions => 64);
CALL blk('covering, 64 partitions', 'insert', 'blk_gathered GROUP BY actor_bucket', 2, 0,
  'INSERT INTO blk_movies SELECT * FROM blk_plain');
CREATE TABLE blk_gathered_plain AS SELECT actor_bucket, actor FROM blk_gathered;
SELECT count(*), count(DISTINCT actor_bucket) AS partitions FROM blk_gathered_plain;
CALL blk('covering, 64 partitions', 'delete', 'blk_gathered_plain GROUP BY actor_bucket', 2, 1, 'DELETE FROM blk_movies');
CALL itable_drop_index('blk_gathered');
CALL itable_create_index('blk_movies', 'blk_eight', key => '{actors}', partitions => 8);
CALL blk('pointer, 8 partitions', 'insert', 'blk_eight GROUP BY actor_bucket', 1, 0,
  'INSERT INTO blk_movies SELECT * FROM blk_plain');
SELECT count(*) FROM itable_check_index('blk_eight');
CALL itable_drop_index('blk_eight');

SELECT layout, change, requests, designed, requests = designed AS as_designed FROM blk_measured ORDER BY n;

SELECT itable_drop_table('blk_movies');
DROP FOREIGN TABLE blk_movies;
DROP PROCEDURE blk;
DROP FUNCTION blk_batches;
DROP TABLE blk_plain, blk_gathered_plain, blk_measured;
