-- What each change of one row sends, beside what the protocol says it must:
-- stub, touches, commit point, settling (docs/PROTOCOL.md).  Reading the row that
-- is to be changed is one request, counted with it.
CREATE TABLE cnt_measured (n int GENERATED ALWAYS AS IDENTITY, indexes text, change text, requests bigint, designed bigint);
CREATE PROCEDURE cnt(indexes text, change text, designed bigint, statement text) LANGUAGE plpgsql AS $$
DECLARE
  before bigint;
BEGIN
  SELECT coalesce(sum(requests), 0) INTO before FROM itable_stats() WHERE operation <> 'table';
  EXECUTE statement;
  COMMIT;
  INSERT INTO cnt_measured (indexes, change, requests, designed)
    SELECT cnt.indexes, cnt.change, sum(requests) - before, cnt.designed FROM itable_stats() WHERE operation <> 'table';
  COMMIT;
END $$;
CREATE FOREIGN TABLE cnt_movies (
  genre text OPTIONS (key 'partition') NOT NULL,
  name text OPTIONS (key 'row') NOT NULL,
  actors text[],
  year int,
  director text,
  note text
) SERVER store OPTIONS (table_name 'cntmovies');
SELECT itable_create_table('cnt_movies');
-- n: entries of the row; k: of them replaced by an UPDATE; per: requests to settle one entry
CREATE PROCEDURE cnt_all(indexes text, inserted bigint, other bigint, replaced bigint, replaced2 bigint, deleted bigint) LANGUAGE plpgsql AS $$
BEGIN
  CALL cnt(indexes, 'INSERT', inserted, $q$INSERT INTO cnt_movies VALUES ('G', 'one', '{A,B,C}', 1999, 'D', 'x')$q$);
  CALL cnt(indexes, 'UPDATE of no index column', other, $q$UPDATE cnt_movies SET note = 'y' WHERE genre = 'G' AND name = 'one'$q$);
  CALL cnt(indexes, 'UPDATE, 1 of 3 actors', replaced, $q$UPDATE cnt_movies SET actors = '{A,B,X}' WHERE genre = 'G' AND name = 'one'$q$);
  CALL cnt(indexes, 'UPDATE, 2 of 3 actors', replaced2, $q$UPDATE cnt_movies SET actors = '{A,Y,Z}' WHERE genre = 'G' AND name = 'one'$q$);
  CALL cnt(indexes, 'DELETE', deleted, $q$DELETE FROM cnt_movies WHERE genre = 'G' AND name = 'one'$q$);
END $$;
-- no index: the row itself
CALL cnt_all('none', 1, 2, 2, 2, 2);
-- pointer, N = 3: N + 2; 2 + 3k (touch, read, delete); 2 + 2N (read, delete)
CALL itable_create_index('cnt_movies', 'cnt_by_actor', key => '{actors}');
CALL cnt_all('pointer', 3 + 2, 2, 2 + 3 * 1, 2 + 3 * 2, 2 + 2 * 3);
-- a second index with one entry, whose key does not change: one more touch, one read and one delete
CALL itable_create_index('cnt_movies', 'cnt_by_director', key => '{director}');
CALL cnt_all('two pointers', 3 + 1 + 2, 2, 2 + 3 * 1, 2 + 3 * 2, 2 + 2 * (3 + 1));
CALL itable_drop_index('cnt_by_director');
-- insert_mode 'direct': no stub
ALTER FOREIGN TABLE cnt_movies OPTIONS (ADD insert_mode 'direct');
CALL cnt_all('pointer, direct', 3 + 1, 2, 2 + 3 * 1, 2 + 3 * 2, 2 + 2 * 3);
ALTER FOREIGN TABLE cnt_movies OPTIONS (DROP insert_mode);
CALL itable_drop_index('cnt_by_actor');
-- covering year: touches and verifications, 2 + 2N; old entries are touched, 2 + 4k; the others stay as they are
CALL itable_create_index('cnt_movies', 'cnt_year', key => '{actors}', include => '{year}');
CALL cnt_all('covering year', 2 + 2 * 3, 2, 2 + 4 * 1, 2 + 4 * 2, 2 + 2 * 3);
CALL cnt('covering year', 'INSERT', 2 + 2 * 3, $q$INSERT INTO cnt_movies VALUES ('G', 'two', '{A,B,C}', 1999, 'D', 'x')$q$);
CALL cnt('covering year', 'UPDATE of the year', 2 + 2 * 3, $q$UPDATE cnt_movies SET year = 2000 WHERE genre = 'G' AND name = 'two'$q$);
CALL cnt('covering year', 'DELETE', 2 + 2 * 3, $q$DELETE FROM cnt_movies WHERE genre = 'G' AND name = 'two'$q$);
CALL itable_drop_index('cnt_year');
-- covering the array that is its key: every entry's contents change, 2 + 2 (N + k)
CALL itable_create_index('cnt_movies', 'cnt_actors', key => '{actors}', include => '{actors}');
CALL cnt_all('covering actors', 2 + 2 * 3, 2, 2 + 2 * (3 + 1), 2 + 2 * (3 + 2), 2 + 2 * 3);
CALL itable_drop_index('cnt_actors');
-- unique: stub, claim, commit point; a new key: claim, read of the old one, commit point, its release
CALL itable_create_index('cnt_movies', 'cnt_note', key => '{note}', is_unique => true);
CALL cnt_all('unique note', 3, 5, 2, 2, 4);
CALL itable_drop_index('cnt_note');
-- colocated: the entries travel with the fact
CALL itable_create_index('cnt_movies', 'cnt_colocated', key => '{genre,actors}', include => '{year}', colocated => true);
CALL cnt_all('colocated', 1, 2, 2, 2, 2);
CALL itable_drop_index('cnt_colocated');

-- queued: one outbox entity beside the fact, in its batch
CALL itable_create_index('cnt_movies', 'cnt_queued', key => '{actors}', maintenance => 'queued');
CALL cnt_all('queued', 1, 2, 2, 2, 2);
SELECT itable_process_queue('store', 1000) > 0 AS done;
SELECT count(*) FROM cnt_queued;
CALL itable_drop_index('cnt_queued');

SELECT indexes, change, requests, designed, requests = designed AS as_designed FROM cnt_measured ORDER BY n;
SELECT count(*) AS measured, count(*) FILTER (WHERE requests <> designed) AS otherwise FROM cnt_measured;

SELECT itable_drop_table('cnt_movies');
DROP FOREIGN TABLE cnt_movies;
DROP PROCEDURE cnt_all, cnt;
DROP TABLE cnt_measured;
