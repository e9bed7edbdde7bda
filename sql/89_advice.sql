-- When an index pays: the pattern's "when to use", from statistics.
CREATE FOREIGN TABLE advised (
  shop   text OPTIONS (key 'partition') NOT NULL,
  id     int  OPTIONS (key 'row') NOT NULL,
  gender text,
  kind   text,
  town   text,
  note   text,
  tags   text[]
) SERVER store;
SELECT itable_create_table('advised');
INSERT INTO advised
SELECT 'S' || n % 2, n, (ARRAY['f', 'm', 'x'])[1 + n % 3], CASE WHEN n % 10 = 0 THEN 'rare ' || n ELSE 'common' END,
       'Town ' || n % 800, NULL, ARRAY['all', 'tag ' || n % 500]
  FROM generate_series(1, 4000) n;
SELECT column_name, verdict, reason FROM itable_index_advice('advised');
ANALYZE advised;
SELECT column_name, distinct_values, round(top_share::numeric, 1) AS top_share, expected_entries AS entries, insert_requests AS ins,
       update_requests AS upd, delete_requests AS del, break_even
  FROM itable_index_advice('advised') WHERE column_name <> 'tags';
SELECT column_name, verdict, reason FROM itable_index_advice('advised');
-- the planner agrees
CALL itable_create_index('advised', 'advised_by_gender', key => '{gender}');
CALL itable_create_index('advised', 'advised_by_kind', key => '{kind}');
CALL itable_create_index('advised', 'advised_by_tag', key => '{tags}', include => '{gender,tags}');
SELECT access_of('SELECT * FROM advised WHERE gender = ''f''');
SELECT access_of('SELECT * FROM advised WHERE kind = ''common''');
SELECT access_of('SELECT * FROM advised WHERE kind = ''rare 10''');
SELECT access_of('SELECT id, gender FROM advised WHERE ''all'' = ANY (tags)');
SELECT index, column_name, insert_requests AS ins, verdict FROM itable_index_advice('advised') WHERE index IS NOT NULL;
