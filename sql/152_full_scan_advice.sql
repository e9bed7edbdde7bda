-- itable_fdw.full_scan names the table, the predicate that is missing and the index that would help.
CREATE FOREIGN TABLE adv (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL,
  director text, year int, town text, last_name text, actors text[], "Odd ""Name" text OPTIONS (property 'odd')) SERVER store;
CREATE FOREIGN TABLE adv_shard (s int OPTIONS (key 'partition', hash_of 'id', buckets '4') NOT NULL, id text OPTIONS (key 'row') NOT NULL, n int) SERVER store;
SELECT itable_create_table('adv'), itable_create_table('adv_shard');
INSERT INTO adv VALUES ('g', 'm', 'Sid', 1999, 'Redmond', 'Hughes', '{Fred,Bert}', 'x');
CALL itable_create_index('adv', 'adv_by_town', key => '{town,last_name}');
SET itable_fdw.full_scan = 'error';
SELECT name FROM adv;
SELECT name FROM adv WHERE director = 'Sid';
SELECT name FROM adv WHERE year > 1990;
SELECT name FROM adv WHERE year > 1990 AND director IN ('Sid', 'Bert');
SELECT name FROM adv WHERE 'Fred' = ANY (actors) OR year = 3;
SELECT name FROM adv WHERE 'Fred' = ANY (actors);
SELECT name FROM adv WHERE "Odd ""Name" = 'x';
SELECT name FROM adv WHERE lower(director) = 'sid';
SELECT n FROM adv_shard WHERE n = 1;
SELECT n FROM adv_shard WHERE id = 'a';
-- an index table that almost serves
SELECT name FROM adv WHERE town = 'Redmond';
SELECT name FROM adv WHERE town = 'Redmond' AND last_name IS NOT NULL;
SET itable_fdw.enable_index = off;
SELECT name FROM adv WHERE town = 'Redmond' AND last_name = 'Hughes';
RESET itable_fdw.enable_index;
SELECT * FROM adv_by_town WHERE last_name = 'Hughes';
-- changes and joins
UPDATE adv SET year = 2000 WHERE director = 'Sid';
DELETE FROM adv WHERE year < 1900;
UPDATE adv SET year = 2000 WHERE town = 'Redmond' AND last_name = 'Hughes';
SELECT adv.name FROM (VALUES ('Sid'), ('Bert')) v (d) JOIN adv ON adv.director = v.d;
SELECT adv.name FROM (VALUES ('g', 'm'), ('g', 'x')) v (g, n) JOIN adv ON adv.genre = v.g AND adv.name = v.n;
SELECT a.name FROM adv a JOIN adv b ON a.director = b.director WHERE b.genre = 'g';
-- refused, a full scan is the last resort: other ways are taken though they cost more
RESET itable_fdw.full_scan;
CALL itable_create_index('adv', 'adv_by_actor', key => '{actors}');
SELECT access_of('SELECT name FROM adv WHERE actors && ARRAY[''a'',''b'',''c'',''d'',''e'',''f'',''g'',''h'',''i'',''j'',''k'',''l'',''m'',''n'',''o'',''p'',''q'',''r'',''s'',''t''] OR town > '''' COLLATE "C" AND last_name > '''' ');
SET itable_fdw.full_scan = 'error';
SELECT access_of('SELECT name FROM adv WHERE actors && ARRAY[''a'',''b'',''c'',''d'',''e'',''f'',''g'',''h'',''i'',''j'',''k'',''l'',''m'',''n'',''o'',''p'',''q'',''r'',''s'',''t''] OR town > '''' COLLATE "C" AND last_name > '''' ');
-- values that leave nothing to ask for
SET plan_cache_mode = force_generic_plan;
PREPARE has (text[]) AS SELECT name FROM adv WHERE actors @> $1;
EXECUTE has ('{Fred}');
EXECUTE has ('{}');
EXECUTE has (NULL);
PREPARE named (text) AS SELECT name FROM adv WHERE genre LIKE $1;
EXECUTE named ('g%');
EXECUTE named ('%g');
SET itable_fdw.full_scan = 'warn';
EXECUTE has ('{}');
EXECUTE named ('%g');
-- no request is sent before the refusal
SET itable_fdw.full_scan = 'error';
SELECT requests_of($$SELECT error_of('SELECT name FROM adv WHERE director = ''Sid''')$$), requests_of($$SELECT error_of('EXECUTE has (''{}'')')$$);
RESET itable_fdw.full_scan;
RESET plan_cache_mode;
CALL itable_drop_index('adv_by_town');
CALL itable_drop_index('adv_by_actor');
SELECT itable_drop_table('adv'), itable_drop_table('adv_shard');
DROP FOREIGN TABLE adv, adv_shard;
