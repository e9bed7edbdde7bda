#!/usr/bin/env python3
"""Ordered scans through an index whose entries a crash has left behind: every row once, at its place;
and a partition whose first entities are no rows is not skipped."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import plain  # noqa: E402


def key(name, row):
    """RowKey of an entry: name, the fact's row key, its partition."""
    return '%s",%010d",p' % (name, row)


def leave_behind(row, name, **more):
    """An entry of a fact that is not there any more, or never was."""
    for table in ("stalepointer", "stalecover"):
        plain.put(table, "Kent", key(name, row), **dict({"_itFactPK": "p", "_itFactRK": "%010d" % row, "_itEpoch": 0}, **more))


def compare(session, what, order, tail=""):
    answers = []
    for table in ("stale", "stale_plain"):
        answers.append(session.must("SELECT %s FROM %s WHERE town = 'Kent' ORDER BY %s%s;" % (what, table, order, tail)).rows)
    bed.ok(answers[0] == answers[1], "%s ORDER BY %s%s" % (what, order, tail), "found %s\nexpected %s" % tuple(answers))


def main():
    session = bed.Session()
    bed.make_server(session)
    session.must("""SET itable_fdw.repair_age = '1h'; SET enable_sort = off;
        CREATE FOREIGN TABLE stale (p text OPTIONS (key 'partition') NOT NULL, r integer OPTIONS (key 'row') NOT NULL,
          town text NOT NULL, name text NOT NULL, n integer) SERVER store OPTIONS (fetch_size '4');
        SELECT itable_create_table('stale');
        CALL itable_create_index('stale', 'stale_pointer', key => '{town,name}');
        CALL itable_create_index('stale', 'stale_cover', key => '{town,name}', include => '{n}');
        INSERT INTO stale SELECT 'p', i, 'Kent', 'n' || to_char(i * 7 % 20, 'FM00'), i FROM generate_series(1, 20) i;
        CREATE TABLE stale_plain AS SELECT * FROM stale;""")
    for row, name in ((3, "a"), (3, "n99"), (5, "n00x"), (6, "n12x"), (7, "zz"), (8, "n"), (99, "n05x"), (98, "a")):
        leave_behind(row, name)
    for tail in ("", " LIMIT 1", " LIMIT 3", " LIMIT 9 OFFSET 4"):
        compare(session, "name, r, p", "name", tail)        # the pointer index, or entries that are not verified
        compare(session, "name, n", "name", tail)           # the covering index
    plan = session.must("EXPLAIN (COSTS OFF) SELECT name, n FROM stale WHERE town = 'Kent' ORDER BY name;").text
    bed.ok("Order: name" in plan and "covering" in plan, "the order is the index's", plan)
    session.must("BEGIN; UPDATE stale SET name = 'n07x' WHERE p = 'p' AND r IN (3, 9); UPDATE stale_plain SET name = 'n07x' WHERE r IN (3, 9);"
                 "DELETE FROM stale WHERE p = 'p' AND r = 8; DELETE FROM stale_plain WHERE r = 8;")
    compare(session, "name, n", "name, n")
    compare(session, "name, r, p", "name, r")
    session.must("ROLLBACK;")
    rows = session.must("SELECT name FROM stale_pointer WHERE town = 'Kent' ORDER BY name;").rows
    bed.ok(rows == sorted(rows) and len(rows) == 20, "the index table itself shows what facts justify, in order", rows)
    # partitions: one of stubs only, one that begins with them
    stub = {"_itStub": True}
    for row in range(1, 6):
        plain.put("stale", "stubs", "%010d" % row, **stub)
        plain.put("stale", "some", "%010d" % row, **stub)
    session.must("INSERT INTO stale VALUES ('some', 9, 'Oslo', 'x', 1); ANALYZE stale;")
    plan = session.must("EXPLAIN (COSTS OFF) SELECT DISTINCT p FROM stale;").text
    session.must("ALTER SERVER store OPTIONS (ADD fdw_startup_cost '0.001');")
    skipped = session.must("EXPLAIN (COSTS OFF) SELECT DISTINCT p FROM stale;").text
    bed.ok("skip" in plan + skipped, "partitions are skipped", plan + skipped)
    rows = sorted(row[0] for row in session.must("SELECT DISTINCT p FROM stale;").rows)
    bed.ok(rows == ["p", "some"], "stubs are no rows", rows)
    bed.finish()


main()
