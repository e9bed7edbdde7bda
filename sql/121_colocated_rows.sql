-- With colocated indexes a table answers as a plain one does.
CREATE FOREIGN TABLE colr (
  shop text OPTIONS (key 'partition') NOT NULL,
  dept integer OPTIONS (key 'partition') NOT NULL,
  sku text OPTIONS (key 'row') NOT NULL,
  maker text, tags text[], price integer, sold date
) SERVER store OPTIONS (table_name 'colr');
CREATE TABLE colr_plain (LIKE colr);
SELECT itable_create_table('colr');
-- declared by hand, before the first row; and beside an index of its own
CREATE FOREIGN TABLE colr_maker (
  shop text OPTIONS (key 'partition') NOT NULL, dept integer OPTIONS (key 'partition') NOT NULL,
  maker text OPTIONS (key 'row') NOT NULL, sku text OPTIONS (key 'row') NOT NULL, price integer
) SERVER store OPTIONS (index_of 'colr', colocated 'true');
CALL itable_create_index('colr', 'colr_tags', '{tags}', include => '{maker,price,sold}', colocated => true);
CALL itable_create_index('colr', 'colr_sold', '{sold,price}', colocated => true);
CALL itable_create_index('colr', 'colr_makers', '{maker}', include => '{price}');

-- runs a statement on both
CREATE PROCEDURE colr_both(statement text) LANGUAGE plpgsql AS $$
DECLARE
  a bigint;
  b bigint;
BEGIN
  EXECUTE replace(statement, 'colr', 'colr_plain');
  GET DIAGNOSTICS a = ROW_COUNT;
  EXECUTE statement;
  GET DIAGNOSTICS b = ROW_COUNT;
  IF a <> b THEN
    RAISE EXCEPTION '% rows, but % of the plain table: %', b, a, statement;
  END IF;
END $$;
-- what differs between both, through every index
CREATE FUNCTION colr_differences() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  wanted text;
  n bigint;
BEGIN
  FOREACH wanted IN ARRAY ARRAY[
    'SELECT * FROM colr',
    'SELECT * FROM colr WHERE shop = ''S/1'' AND dept = 1',
    'SELECT sku, price FROM colr WHERE shop = ''S/1'' AND dept = 1 AND maker = ''m*3''',
    'SELECT sku, price, tags FROM colr WHERE shop = ''S/1'' AND dept = 1 AND maker LIKE ''m*%'' AND price > 10',
    'SELECT sku, maker FROM colr WHERE shop = ''S0'' AND dept IN (0, 1) AND ''t2'' = ANY (tags)',
    'SELECT * FROM colr WHERE shop = ''S0'' AND dept = 0 AND tags && ''{t1,t3}''',
    'SELECT sku FROM colr WHERE shop = ''S0'' AND dept = 0 AND sold = ''2020-01-05'' AND price BETWEEN 5 AND 50',
    'SELECT sku FROM colr WHERE shop = ''S0'' AND dept = 0 AND sold < ''2020-01-05''',
    'SELECT sku FROM colr WHERE shop = ''S0'' AND dept = 0 AND maker IS NULL',
    'SELECT maker, count(*) FROM colr GROUP BY maker',
    'SELECT a.sku, b.sku FROM colr a JOIN colr b ON a.shop = b.shop AND a.dept = b.dept AND a.maker = b.maker WHERE a.price = 7']
  LOOP
    EXECUTE format('SELECT count(*) FROM ((%1$s EXCEPT ALL %2$s) UNION ALL (%2$s EXCEPT ALL %1$s)) d', wanted, replace(wanted, 'colr', 'colr_plain')) INTO n;
    IF n > 0 THEN
      RETURN NEXT n || ': ' || wanted;
    END IF;
  END LOOP;
END $$;

CALL colr_both($$INSERT INTO colr SELECT CASE WHEN i % 2 = 0 THEN 'S0' ELSE 'S/1' END, i % 3, 's' || i,
  nullif('m*' || i % 5, 'm*4'), CASE WHEN i % 7 > 0 THEN ARRAY['t' || i % 3, 't' || i % 4, NULL] END, i, '2020-01-01'::date + i % 9
  FROM generate_series(1, 120) i$$);
SELECT * FROM colr_differences();
-- keys that are strange, also before and after the section
CALL colr_both($$INSERT INTO colr VALUES ('S0', 0, ' ', 'm*1', '{t1}', 1, NULL), ('S0', 0, '!', '!', '{!}', 2, NULL), ('S0', 0, '"!', '"', '{t1}', 3, NULL),
  ('S0', 0, '"', '', '{""}', 4, NULL), ('S0', 0, '~', 'é', '{t1}', 5, NULL), ('S0', 0, repeat('k', 300), repeat('v', 400), '{t1}', 6, NULL)$$);
SELECT * FROM colr_differences();
SELECT sku, price FROM colr WHERE shop = 'S0' AND dept = 0 AND price < 7 ORDER BY price LIMIT 3;
SELECT length(sku), price FROM colr WHERE shop = 'S0' AND dept = 0 AND maker = repeat('v', 400);
SELECT price FROM colr WHERE shop = 'S0' AND dept = 0 AND maker IN ('', '"', '!') ORDER BY price;

-- contents, keys of entries, keys of facts
CALL colr_both($$UPDATE colr SET price = price + 1000 WHERE dept = 1$$);
CALL colr_both($$UPDATE colr SET maker = 'm*3', tags = tags || '{t9}' WHERE price % 4 = 0$$);
CALL colr_both($$UPDATE colr SET sku = sku || 'x' WHERE price % 5 = 0$$);
CALL colr_both($$UPDATE colr SET dept = 2 WHERE price % 6 = 0$$);
CALL colr_both($$UPDATE colr SET maker = NULL, tags = NULL, sold = NULL WHERE price % 8 = 0$$);
SELECT * FROM colr_differences();
CALL colr_both($$DELETE FROM colr WHERE price % 3 = 0$$);
SELECT * FROM colr_differences();
SELECT 'maker', * FROM itable_check_index('colr_maker') UNION ALL SELECT 'tags', * FROM itable_check_index('colr_tags')
  UNION ALL SELECT 'sold', * FROM itable_check_index('colr_sold') UNION ALL SELECT 'makers', * FROM itable_check_index('colr_makers');

-- a transaction's own rows, through the index and the index table
BEGIN;
CALL colr_both($$INSERT INTO colr VALUES ('S0', 0, 'own', 'm*own', '{own,own}', 1, '2021-01-01')$$);
CALL colr_both($$UPDATE colr SET maker = 'm*own' WHERE sku = 's2x' OR sku = 's4'$$);
SAVEPOINT a;
CALL colr_both($$UPDATE colr SET maker = 'm*lost', tags = '{lost}' WHERE shop = 'S0'$$);
SELECT * FROM colr_differences();
ROLLBACK TO a;
SELECT shop, dept, sku FROM colr_maker WHERE shop = 'S0' AND dept = 0 AND maker = 'm*own' ORDER BY sku;
SELECT tag, sku FROM colr_tags WHERE shop = 'S0' AND dept = 0 AND tag = 'own';
SELECT * FROM colr_differences();
COMMIT;
SELECT * FROM colr_differences();

-- a generic plan
PREPARE by_maker AS SELECT count(*), sum(price) FROM colr WHERE shop = $1 AND dept = $2 AND maker = $3;
SET plan_cache_mode = force_generic_plan;
EXECUTE by_maker('S0', 0, 'm*own'); EXECUTE by_maker('S0', 0, 'm*1'); EXECUTE by_maker('S0', 1, 'm*1'); EXECUTE by_maker('S0', 0, NULL);
EXECUTE by_maker('S/1', 0, 'm*1'); EXECUTE by_maker('S/1', 1, 'm*1'); EXECUTE by_maker('S/1', 2, 'm*3'); EXECUTE by_maker('S0', 2, 'm*3');
EXPLAIN (COSTS OFF) EXECUTE by_maker('S0', 0, 'm*own');
RESET plan_cache_mode;

CALL colr_both('TRUNCATE colr');
SELECT count(*) FROM colr_maker;
CALL itable_drop_index('colr_maker'); CALL itable_drop_index('colr_tags'); CALL itable_drop_index('colr_sold'); CALL itable_drop_index('colr_makers');
SELECT itable_drop_table('colr');
DROP FUNCTION colr_differences(); DROP PROCEDURE colr_both(text);
DROP FOREIGN TABLE colr; DROP TABLE colr_plain;
