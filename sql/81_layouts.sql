-- How an index lays out its key values in partitions: one each, gathered in a
-- few (many values with few facts), or spread over several (few values with
-- many facts).  The answers are always the same.
CREATE FOREIGN TABLE layouts (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  rating int,
  actors text[]
) SERVER store;
SELECT itable_create_table('layouts');
CREATE TABLE plain_layouts (genre text, name text, rating int, actors text[]);
INSERT INTO plain_layouts
SELECT 'G' || n % 3, 'Movie ' || n, n % 5,
       ARRAY['Star', 'Actor ' || n % 40, 'Actor/' || n % 7]
  FROM generate_series(1, 300) n;

CREATE PROCEDURE compare_layouts() LANGUAGE plpgsql AS $$
DECLARE
  actor text;
  different int := 0;
  asked int := 0;
BEGIN
  FOR actor IN SELECT DISTINCT unnest(actors) FROM plain_layouts UNION SELECT 'nobody' LOOP
    asked := asked + 1;
    IF (SELECT md5(string_agg(t::text, ';' ORDER BY genre, name)) FROM layouts t WHERE actor = ANY (actors))
       IS DISTINCT FROM
       (SELECT md5(string_agg(t::text, ';' ORDER BY genre, name)) FROM plain_layouts t WHERE actor = ANY (actors)) THEN
      different := different + 1;
    END IF;
  END LOOP;
  RAISE NOTICE '% actors asked for, % answers differ', asked, different;
END $$;

-- gathered: 8 partitions for all actors, so that batches fill
CALL itable_create_index('layouts', 'layouts_gathered', key => '{actors}', include => '{actors,rating}', partitions => 8);
\d layouts_gathered
SELECT itable_stats_reset();
INSERT INTO layouts SELECT * FROM plain_layouts;
SELECT operation, requests, entities FROM itable_stats() WHERE requests > 0 AND operation <> 'table';
SELECT count(DISTINCT actor_bucket) AS partitions, count(*) AS entries FROM layouts_gathered;
SELECT * FROM explain_counts($$SELECT genre, name, rating FROM layouts WHERE 'Actor/3' = ANY (actors) AND rating = 2$$);
SELECT requests_of($$SELECT genre, name FROM layouts WHERE actors && '{Actor/3,Actor 17}'$$);
SELECT requests_of($$SELECT actor, name FROM layouts_gathered WHERE actor LIKE 'Actor 1%'$$);
CALL compare_layouts();
UPDATE layouts SET actors = actors || '{New/Comer}' WHERE rating = 3;
UPDATE plain_layouts SET actors = actors || '{New/Comer}' WHERE rating = 3;
DELETE FROM layouts WHERE name LIKE 'Movie 2%';
DELETE FROM plain_layouts WHERE name LIKE 'Movie 2%';
CALL compare_layouts();
CALL itable_drop_index('layouts_gathered');

-- spread: each key value over 4 partitions, read in parallel
CALL itable_create_index('layouts', 'layouts_spread', key => '{actors}', include => '{actors,rating}', buckets => 4);
\d layouts_spread
SELECT index, buckets, strategy, state FROM itable_indexes WHERE index = 'layouts_spread'::regclass;
SELECT * FROM explain_counts($$SELECT genre, name, rating FROM layouts WHERE 'Star' = ANY (actors) AND rating = 2$$);
CALL compare_layouts();
UPDATE layouts SET actors = array_remove(actors, 'Star') WHERE rating = 1;
UPDATE plain_layouts SET actors = array_remove(actors, 'Star') WHERE rating = 1;
CALL compare_layouts();
SELECT count(*) FROM layouts_spread WHERE actor = 'Star';
SELECT count(*) FROM plain_layouts WHERE 'Star' = ANY (actors);

-- not both, and not without bounds
CALL itable_create_index('layouts', 'bad', key => '{actors}', buckets => 4, partitions => 4);
CALL itable_create_index('layouts', 'bad', key => '{actors}', buckets => 0);
CALL itable_create_index('layouts', 'bad', key => '{actors}', partitions => 5000);
