-- Two index tables at once: facts are read only where the entries of both name them, and only where statistics say that it pays.
CREATE FOREIGN TABLE sec (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL, town text, job text, tags text[], n int) SERVER store OPTIONS (fetch_size '100');
CREATE TABLE sec_plain (p text, r int, town text, job text, tags text[], n int);
SELECT itable_create_table('sec');
INSERT INTO sec_plain SELECT 'p' || i % 3, i, 'town' || i % 10, NULLIF('job' || i % 11, 'job3'), CASE WHEN i % 4 > 0 THEN ARRAY['tag' || i % 13, 'all'] END, i FROM generate_series(1, 1500) i;
INSERT INTO sec_plain SELECT 'p1', 5000 + i, 'rare' || i, 'rare' || i, '{x}', i FROM generate_series(1, 30) i;
INSERT INTO sec SELECT * FROM sec_plain;
CALL itable_create_index('sec', 'sec_by_town', key => '{town}');
CALL itable_create_index('sec', 'sec_by_job', key => '{job}');
CALL itable_create_index('sec', 'sec_by_tag', key => '{tags}', include => '{tags}');
-- a guess does not do
SELECT access_of($$SELECT n FROM sec WHERE town = 'town1' AND job = 'job1'$$);
ANALYZE sec;
CREATE FUNCTION sec_how(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  differs bool;
BEGIN
  EXECUTE format('SELECT EXISTS ((SELECT * FROM sec WHERE %1$s EXCEPT ALL SELECT * FROM sec_plain WHERE %1$s)
    UNION ALL (SELECT * FROM sec_plain WHERE %1$s EXCEPT ALL SELECT * FROM sec WHERE %1$s))', condition) INTO differs;
  RETURN NEXT condition || CASE WHEN differs THEN '  DIFFERS' ELSE '' END;
  RETURN QUERY SELECT '  ' || trim(l) FROM explain_counts('SELECT n FROM sec WHERE ' || condition) l
    WHERE l ~ '(Access|Store Filter|Kept Local|Requests):' AND (l ~ 'Access' OR access_of('SELECT n FROM sec WHERE ' || condition) <> 'Access: full');
END $$;
-- without it: one index and all its facts; with it: two pages of entries and the facts in both; where one is selective enough, one does
SET itable_fdw.full_scan = 'error';
SELECT sec_how(c) FROM unnest(ARRAY[$$town = 'town1' AND job = 'job1'$$, $$town = 'town1' AND job = 'job1' AND n > 700$$, $$town = 'rare1' AND job = 'job1'$$, $$town = 'town1' AND job = 'rare1'$$,
  $$town = 'town1' AND tags @> '{tag1}'$$, $$town = 'town1' AND job = 'nowhere'$$, $$town IN ('town1', 'town2') AND job IN ('job1', 'job2')$$, $$town = 'town1' AND tags @> '{all}'$$]) c;
-- own writes are seen, once
BEGIN;
UPDATE sec SET job = 'job1' WHERE p = 'p1' AND r = 1;
UPDATE sec_plain SET job = 'job1' WHERE p = 'p1' AND r = 1;
UPDATE sec SET town = 'town1', job = 'job1' WHERE p = 'p2' AND r IN (2, 5);
UPDATE sec_plain SET town = 'town1', job = 'job1' WHERE p = 'p2' AND r IN (2, 5);
DELETE FROM sec WHERE town = 'town1' AND job = 'job1' AND n > 700;
DELETE FROM sec_plain WHERE town = 'town1' AND job = 'job1' AND n > 700;
INSERT INTO sec VALUES ('new', 1, 'town1', 'job1');
INSERT INTO sec_plain VALUES ('new', 1, 'town1', 'job1');
SELECT sec_how($$town = 'town1' AND job = 'job1'$$);
COMMIT;
SELECT sec_how($$town = 'town1' AND job = 'job1'$$);
-- more entries than work_mem holds: the other table's are left, and every fact is read
SET work_mem = '64kB';
SELECT sec_how($$town IN ('town1', 'town2', 'town3') AND job IN ('job1', 'job2')$$);
RESET work_mem;
-- generic plans
SET plan_cache_mode = force_generic_plan;
PREPARE sec_both (text, text) AS SELECT count(*) FROM sec WHERE town = $1 AND job = $2;
EXPLAIN (COSTS OFF, VERBOSE) EXECUTE sec_both ('town1', 'job1');
EXECUTE sec_both ('town1', 'job1');
EXECUTE sec_both ('town2', 'job2');
EXECUTE sec_both (NULL, 'job2');
SELECT count(*) FILTER (WHERE town = 'town1' AND job = 'job1'), count(*) FILTER (WHERE town = 'town2' AND job = 'job2') FROM sec_plain;
RESET itable_fdw.full_scan;
CALL itable_drop_index('sec_by_town');
CALL itable_drop_index('sec_by_job');
CALL itable_drop_index('sec_by_tag');
SELECT itable_drop_table('sec');
DROP FOREIGN TABLE sec;
