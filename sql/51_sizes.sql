-- batch_size, fetch_size and insert_mode decide how many requests are sent.
CREATE FOREIGN TABLE siz_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year integer
) SERVER store OPTIONS (table_name 'sizmovies');
SELECT itable_create_table('siz_movies');
CREATE VIEW siz_sent AS
  SELECT operation, sum(requests) AS requests FROM itable_stats()
  WHERE requests > 0 AND operation <> 'table' GROUP BY operation ORDER BY operation COLLATE "C";

-- batch_size
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'A', 'M' || i FROM generate_series(1, 250) i;
SELECT * FROM siz_sent;
ALTER FOREIGN TABLE siz_movies OPTIONS (ADD batch_size '10');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'B', 'M' || i FROM generate_series(1, 250) i;
SELECT * FROM siz_sent;
SELECT FROM itable_stats_reset();
UPDATE siz_movies SET year = 1 WHERE genre = 'B';
SELECT * FROM siz_sent WHERE operation <> 'query';
ALTER FOREIGN TABLE siz_movies OPTIONS (SET batch_size '1');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'C', 'M' || i FROM generate_series(1, 7) i;
SELECT * FROM siz_sent;
-- the table's option goes before the server's
ALTER FOREIGN TABLE siz_movies OPTIONS (DROP batch_size);
ALTER SERVER store OPTIONS (ADD batch_size '50');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'D', 'M' || i FROM generate_series(1, 100) i;
SELECT * FROM siz_sent;
ALTER FOREIGN TABLE siz_movies OPTIONS (ADD batch_size '100');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'E', 'M' || i FROM generate_series(1, 100) i;
SELECT * FROM siz_sent;
ALTER SERVER store OPTIONS (DROP batch_size);
SELECT error_of($$ALTER FOREIGN TABLE siz_movies OPTIONS (SET batch_size '101')$$);
SELECT error_of($$ALTER FOREIGN TABLE siz_movies OPTIONS (SET batch_size '0')$$);

-- fetch_size
SELECT requests_of($$SELECT * FROM siz_movies WHERE genre = 'A'$$);
ALTER FOREIGN TABLE siz_movies OPTIONS (ADD fetch_size '50');
SELECT requests_of($$SELECT * FROM siz_movies WHERE genre = 'A'$$) IN (5, 6) AS five_pages;
SELECT count(*), count(DISTINCT name) FROM siz_movies WHERE genre = 'A';
ALTER FOREIGN TABLE siz_movies OPTIONS (SET fetch_size '1');
SELECT requests_of($$SELECT * FROM siz_movies WHERE genre = 'C'$$) IN (7, 8) AS seven_pages;
SELECT count(*) FROM siz_movies WHERE genre = 'C';
SELECT error_of($$ALTER FOREIGN TABLE siz_movies OPTIONS (SET fetch_size '1001')$$);
ALTER FOREIGN TABLE siz_movies OPTIONS (DROP fetch_size);

-- insert_mode: with an index, 'reserve' writes a stub first, 'direct' does not
CALL itable_create_index('siz_movies', 'siz_by_actor', '{actors}', include => '{year}');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies VALUES ('I', 'reserved', '{a,b}', 1);
SELECT * FROM siz_sent;
ALTER FOREIGN TABLE siz_movies OPTIONS (ADD insert_mode 'direct');
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies VALUES ('I', 'direct', '{a,b}', 2);
SELECT * FROM siz_sent;
SELECT FROM itable_stats_reset();
INSERT INTO siz_movies SELECT 'J', 'M' || i, '{a,b}', i FROM generate_series(1, 100) i;
SELECT * FROM siz_sent;
SELECT FROM itable_stats_reset();
ALTER FOREIGN TABLE siz_movies OPTIONS (SET insert_mode 'reserve');
INSERT INTO siz_movies SELECT 'K', 'M' || i, '{a,b}', i FROM generate_series(1, 100) i;
SELECT * FROM siz_sent;
SELECT actor, count(*), sum(year) FROM siz_by_actor GROUP BY actor ORDER BY actor;
-- direct: a duplicate is found at the commit point, and leaves nothing visible
ALTER FOREIGN TABLE siz_movies OPTIONS (SET insert_mode 'direct');
INSERT INTO siz_movies VALUES ('I', 'direct', '{c}', 3);
SELECT actor, name, year FROM siz_by_actor WHERE actor IN ('c', 'a') AND genre = 'I' ORDER BY name;
SELECT name, year FROM siz_movies WHERE 'c' = ANY (actors);
-- the request count of an UPDATE: nothing of the index, a covered column, the key
SELECT FROM itable_stats_reset();
UPDATE siz_movies SET year = year WHERE genre = 'I' AND name = 'direct';
SELECT sum(requests) AS unchanged FROM siz_sent;
SELECT FROM itable_stats_reset();
UPDATE siz_movies SET year = 5 WHERE genre = 'I' AND name = 'direct';
SELECT sum(requests) AS covered_2_actors FROM siz_sent;
SELECT FROM itable_stats_reset();
UPDATE siz_movies SET actors = '{b,c}' WHERE genre = 'I' AND name = 'direct';
SELECT sum(requests) AS one_actor_replaced FROM siz_sent;
SELECT FROM itable_stats_reset();
DELETE FROM siz_movies WHERE genre = 'I' AND name = 'direct';
SELECT sum(requests) AS deleted_2_actors FROM siz_sent;

DROP VIEW siz_sent;
CALL itable_drop_index('siz_by_actor');
SELECT itable_drop_table('siz_movies');
DROP FOREIGN TABLE siz_movies;
