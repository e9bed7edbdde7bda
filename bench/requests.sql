-- Requests per operation, for the table in docs/INDEXES.md.
-- Run: tools/with-store.sh --mock -- tools/with-cluster.sh -- psql -X -q -f bench/requests.sql
\i tools/demo/00_connect.sql
SET client_min_messages = warning;
CREATE TABLE measured (kind text, operation text, requests bigint);
CREATE PROCEDURE measure(kind text, operation text, statement text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM itable_stats_reset();
  EXECUTE statement;
  COMMIT;
  INSERT INTO measured SELECT measure.kind, measure.operation, sum(requests) FROM itable_stats();
  COMMIT;
END $$;
CREATE PROCEDURE measure_all(kind text) LANGUAGE plpgsql AS $$
BEGIN
  CALL measure(kind, '1 insert one movie, 3 actors', $q$INSERT INTO films VALUES ('G', 'one', 1999, '{A,B,C}')$q$);
  CALL measure(kind, '2 update a column no index has', $q$UPDATE films SET note = 'x' WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '3 replace one of 3 actors', $q$UPDATE films SET actors = '{A,B,D}' WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '4 delete it', $q$DELETE FROM films WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '5 insert 1,000 of one genre, 50 actors, 3 each',
    $q$INSERT INTO films SELECT 'H', n::text, n, ARRAY['A' || n % 50, 'B' || n % 50, 'C' || n % 50] FROM generate_series(1, 1000) n$q$);
  CALL measure(kind, '6 find the 20 movies of an actor, copied columns', $q$SELECT count(year) FROM films WHERE 'A7' = ANY (actors)$q$);
  CALL measure(kind, '7 find them, other columns', $q$SELECT count(note) FROM films WHERE 'A7' = ANY (actors)$q$);
  CALL measure(kind, '8 delete 1,000', $q$DELETE FROM films WHERE genre = 'H'$q$);
END $$;
CREATE FOREIGN TABLE films (
  genre  text OPTIONS (key 'partition') NOT NULL,
  name   text OPTIONS (key 'row') NOT NULL,
  year   int,
  actors text[],
  note   text
) SERVER store;
SELECT itable_create_table('films') \g /dev/null
CALL measure_all('no index');
CALL itable_create_index('films', 'films_pointer', key => '{actors}');
CALL measure_all('pointer');
CALL itable_drop_index('films_pointer');
CALL itable_create_index('films', 'films_partial', key => '{actors}', include => '{actors,year}');
CALL measure_all('partial');
CALL itable_drop_index('films_partial');
CALL itable_create_index('films', 'films_gathered', key => '{actors}', include => '{actors,year}', partitions => 8);
CALL measure_all('partial, gathered in 8');
\pset format unaligned
\pset tuples_only on
SELECT '| operation | no index | pointer | partial | partial, gathered in 8 |';
SELECT '|---|---|---|---|---|';
SELECT format('| %s | %s |', substr(operation, 3), string_agg(requests::text, ' | '
         ORDER BY array_position('{no index,pointer,partial,"partial, gathered in 8"}', kind)))
  FROM measured GROUP BY operation ORDER BY operation;
