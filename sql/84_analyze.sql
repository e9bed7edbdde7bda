-- ANALYZE gives the planner row counts and values; TRUNCATE is a transaction's
-- DELETE of everything.
CREATE FOREIGN TABLE skewed (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  rating int,
  kind   text,
  actors text[]
) SERVER store OPTIONS (fetch_size '100');
SELECT itable_create_table('skewed');
-- nine of ten rows are of one kind; one actor is everywhere
INSERT INTO skewed
SELECT 'G' || n % 3, 'M' || n, n % 5, CASE WHEN n % 10 = 0 THEN 'rare ' || n ELSE 'common' END,
       ARRAY['Star', 'Actor ' || n % 300]
  FROM generate_series(1, 3000) n;
CALL itable_create_index('skewed', 'skewed_by_kind', key => '{kind}');
CALL itable_create_index('skewed', 'skewed_by_actor', key => '{actors}');
SELECT reltuples FROM pg_class WHERE oid = 'skewed'::regclass;
ANALYZE skewed;
SELECT reltuples FROM pg_class WHERE oid = 'skewed'::regclass;
SELECT attname, n_distinct, most_common_vals IS NOT NULL AS has_common_values
  FROM pg_stats WHERE tablename = 'skewed' AND attname IN ('genre', 'rating') ORDER BY attname;

-- the planner: the index for what is rare, a scan for what is common
SELECT access_of($$SELECT * FROM skewed WHERE kind = 'rare 10'$$);
SELECT access_of($$SELECT * FROM skewed WHERE kind = 'common'$$);
SELECT access_of($$SELECT * FROM skewed WHERE 'Actor 7' = ANY (actors)$$);
SELECT access_of($$SELECT * FROM skewed WHERE 'Star' = ANY (actors)$$);
SELECT count(*) FROM skewed WHERE kind = 'common';
SELECT count(*) FROM skewed WHERE 'Star' = ANY (actors) AND rating = 1;
SELECT count(*) FROM skewed WHERE 'Actor 7' = ANY (actors);

-- the index table has statistics of its own
ANALYZE skewed_by_actor;
SELECT reltuples FROM pg_class WHERE oid = 'skewed_by_actor'::regclass;

-- a transaction's own rows count
BEGIN;
INSERT INTO skewed (genre, name) SELECT 'G9', n::text FROM generate_series(1, 500) n;
ANALYZE skewed;
SELECT reltuples FROM pg_class WHERE oid = 'skewed'::regclass;
ROLLBACK;

-- TRUNCATE
BEGIN;
INSERT INTO skewed (genre, name) VALUES ('G9', 'own');
TRUNCATE skewed;
SELECT count(*) FROM skewed;
SELECT count(*) FROM skewed_by_actor;
INSERT INTO skewed (genre, name, actors) VALUES ('G0', 'M3', '{Fred}');
SELECT * FROM skewed;
ROLLBACK;
SELECT count(*) FROM skewed;
TRUNCATE skewed_by_actor;
BEGIN;
TRUNCATE skewed;
INSERT INTO skewed (genre, name, actors) VALUES ('G0', 'M3', '{Fred}'), ('G8', 'new', '{Bert}');
COMMIT;
SELECT genre, name, actors FROM skewed ORDER BY genre;
SELECT actor, name FROM skewed_by_actor ORDER BY actor;
TRUNCATE skewed;
SELECT count(*) FROM skewed;
