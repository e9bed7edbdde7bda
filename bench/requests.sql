-- Requests per operation, for the tables in docs/INDEXES.md; those for the
-- catalog (one a lease, operation "table") are left out.
-- Run: tools/with-store.sh --mock -- tools/with-cluster.sh -- psql -X -q -f bench/requests.sql
\i tools/demo/00_connect.sql
SET client_min_messages = warning;
CREATE TABLE measured (kind text, operation text, requests bigint);
CREATE PROCEDURE measure(kind text, operation text, statement text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM itable_stats_reset();
  EXECUTE statement;
  COMMIT;
  INSERT INTO measured SELECT measure.kind, measure.operation, coalesce(sum(requests), 0)
    FROM itable_stats() s WHERE s.operation <> 'table';
  COMMIT;
END $$;
CREATE PROCEDURE measure_all(kind text) LANGUAGE plpgsql AS $$
BEGIN
  CALL measure(kind, '1 insert one movie, 3 actors', $q$INSERT INTO films VALUES ('G', 'one', 1999, '{A,B,C}')$q$);
  CALL measure(kind, '2 update a column no index has', $q$UPDATE films SET note = 'x' WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '3 replace one of 3 actors', $q$UPDATE films SET actors = '{A,B,D}' WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '4 delete it', $q$DELETE FROM films WHERE genre = 'G' AND name = 'one'$q$);
  CALL measure(kind, '5 insert 1,000 of one genre, 150 actors, 3 each',
    $q$INSERT INTO films SELECT 'H', n::text, n, ARRAY['A' || n % 50, 'B' || n % 50, 'C' || n % 50] FROM generate_series(1, 1000) n$q$);
  IF kind = 'queued pointer' THEN
    CALL measure(kind, '6 the worker, for these 1,000', $q$SELECT itable_process_queue('store', 100000)$q$);
  END IF;
  IF kind = 'unique year' THEN
    CALL measure(kind, '7 find one by its year', $q$SELECT note FROM films WHERE year = 7$q$);
  ELSE
    CALL measure(kind, '7 find the 20 movies of an actor, copied columns',
      format('SELECT count(year) FROM films WHERE %s', CASE kind WHEN 'colocated partial' THEN $q$genre = 'H' AND $q$ ELSE '' END)
      || $q$'A7' = ANY (actors)$q$);
    CALL measure(kind, '8 find them, other columns',
      format('SELECT count(note) FROM films WHERE %s', CASE kind WHEN 'colocated partial' THEN $q$genre = 'H' AND $q$ ELSE '' END)
      || $q$'A7' = ANY (actors)$q$);
  END IF;
  CALL measure(kind, '9 delete 1,000', $q$DELETE FROM films WHERE genre = 'H'$q$);
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
CALL itable_create_index('films', 'films_gathered', key => '{actors}', include => '{actors,year}', partitions => 64);
CALL measure_all('partial, 64 partitions');
CALL itable_drop_index('films_gathered');
CALL itable_create_index('films', 'films_colocated', key => '{genre,actors}', include => '{actors,year}', colocated => true);
CALL measure_all('colocated partial');
CALL itable_drop_index('films_colocated');
CALL itable_create_index('films', 'films_queued', key => '{actors}', maintenance => 'queued');
CALL measure_all('queued pointer');
SELECT itable_process_queue('store', 100000) \g /dev/null
CALL itable_drop_index('films_queued');
CALL itable_create_index('films', 'films_unique', key => '{year}', is_unique => true);
CALL measure_all('unique year');
\pset format unaligned
\pset tuples_only on
SELECT '| operation | ' || string_agg(kind, ' | ' ORDER BY n) || ' |' || E'\n|---|' || repeat('---|', count(*)::int)
  FROM unnest('{no index,pointer,partial,"partial, 64 partitions",colocated partial,queued pointer,unique year}'::text[]) WITH ORDINALITY AS k (kind, n);
SELECT format('| %s | %s |', substr(o.operation, 3), string_agg(coalesce(m.requests::text, '–'), ' | ' ORDER BY n))
  FROM (SELECT DISTINCT operation FROM measured) o
  CROSS JOIN unnest('{no index,pointer,partial,"partial, 64 partitions",colocated partial,queued pointer,unique year}'::text[])
             WITH ORDINALITY AS k (kind, n)
  LEFT JOIN measured m USING (operation, kind)
 GROUP BY o.operation ORDER BY o.operation;
