-- IMPORT FOREIGN SCHEMA: columns and types from the entities, keys as they are.
CREATE FOREIGN TABLE imp_src (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, "Title" text, n int, big bigint, f double precision,
  b boolean, "when" timestamptz, id uuid, bin bytea, tags text[], nums int[], mostly int, "order" text, partition_key text) SERVER store OPTIONS (table_name 'impsrc', key_encoding 'raw');
SELECT itable_create_table('imp_src');
INSERT INTO imp_src (p, r, "Title", n, big, f, b, "when", id, bin, tags, nums, "order", partition_key) VALUES
  ('p', '1', 'Heat', 1, 5000000000, 1.5, true, '2020-01-02 03:04:05Z', '00000000-0000-0000-0000-000000000001', '\x0102', '{Al,"Robert \"Bob\""}', '{1,2}', 'x', 'y'),
  ('p', '2', '[not an array', 2, NULL, 'NaN', false, NULL, NULL, NULL, '{}', NULL, NULL, NULL);
CREATE FOREIGN TABLE imp_more (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL, mostly text) SERVER store OPTIONS (table_name 'impsrc', key_encoding 'raw');
INSERT INTO imp_src (p, r, mostly) SELECT 'p', i::text, i FROM generate_series(3, 5) i;
INSERT INTO imp_more VALUES ('p', '6', 'six');
CREATE FOREIGN TABLE imp_ours (genre text OPTIONS (key 'partition') NOT NULL, name text OPTIONS (key 'row') NOT NULL, actors text[]) SERVER store OPTIONS (table_name 'impOurs');
SELECT itable_create_table('imp_ours');
CALL itable_create_index('imp_ours', 'imp_ours_by_actor', key => '{actors}');
INSERT INTO imp_ours VALUES ('Drama', 'Face/Off', '{John,Nicolas}');
CREATE FOREIGN TABLE imp_none (p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL) SERVER store OPTIONS (table_name 'impnone');
SELECT itable_create_table('imp_none');

CREATE SCHEMA imp;
SELECT itable_stats_reset();
IMPORT FOREIGN SCHEMA tables LIMIT TO (impsrc, "impOurs", impnone, imp_unknown) FROM SERVER store INTO imp;
SELECT operation, requests FROM itable_stats() WHERE server = 'store' AND requests > 0 ORDER BY 1;
SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attfdwoptions FROM pg_attribute WHERE attrelid::regclass::text LIKE 'imp.%' AND attnum > 0 ORDER BY attrelid::regclass::text COLLATE "C", attnum;
SELECT ftrelid::regclass, ftoptions FROM pg_foreign_table WHERE ftrelid::regclass::text LIKE 'imp.%' ORDER BY ftrelid::regclass::text COLLATE "C";
SELECT * FROM imp.impsrc WHERE "Title" = 'Heat';
SELECT * FROM imp.impsrc WHERE tags @> '{Al}';
SELECT * FROM imp."impOurs" WHERE row_key = 'Face/Off';
SELECT * FROM imp.impnone;
-- both ways: what is written through the imported table is read through the other
UPDATE imp.impsrc SET "Title" = 'Cold', tags = '{a}' WHERE row_key = '2';
SELECT "Title", tags FROM imp_src WHERE r = '2';

-- an index table is not imported as a table
IMPORT FOREIGN SCHEMA tables LIMIT TO (impoursbyactor) FROM SERVER store INTO imp;
-- options
CREATE SCHEMA imp2;
IMPORT FOREIGN SCHEMA tables LIMIT TO (impsrc) FROM SERVER store INTO imp2 OPTIONS (sample_size '1', system_columns 'true');
SELECT attname FROM pg_attribute WHERE attrelid = 'imp2.impsrc'::regclass AND attnum > 0 AND attname IN ('etag', 'changed', 'mostly', 'Title') ORDER BY 1;
SELECT etag IS NOT NULL, changed > '2020-01-01' FROM imp2.impsrc WHERE row_key = '1';
IMPORT FOREIGN SCHEMA tables LIMIT TO (impsrc) FROM SERVER store INTO imp2 OPTIONS (sample_size '0');
IMPORT FOREIGN SCHEMA tables LIMIT TO (impsrc) FROM SERVER store INTO imp2 OPTIONS (sample '1');
IMPORT FOREIGN SCHEMA public FROM SERVER store INTO imp2;
SET client_min_messages = warning;
DROP SCHEMA imp CASCADE;
DROP SCHEMA imp2 CASCADE;
SELECT itable_drop_table('imp_src'), itable_drop_table('imp_none');
CALL itable_drop_index('imp_ours_by_actor');
SELECT itable_drop_table('imp_ours');
DROP FOREIGN TABLE imp_src, imp_more, imp_ours, imp_none;
