#!/usr/bin/env python3
"""Requests that do not need each other's answers are under way together: the arms of a union and the lists
of an intersection, over one index table and over several.  The mock holds every query until all have come."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402


def paused():
    return len(json.loads(bed.control("GET", "/paused")))


def held(session, statement, wanted):
    """Runs it while every query stops once; how many have come before any of them was answered, and its result."""
    bed.control("POST", "/faults", {"operation": "query", "times": wanted, "action": "pause", "point": "held"})
    session.start(statement)
    together = bed.wait_until(lambda: paused() >= wanted, 5)
    most = wanted if together else paused()
    bed.control("DELETE", "/faults")
    return most, session.wait()


def main():
    session = bed.Session()
    bed.make_server(session)
    session.must("""CREATE FOREIGN TABLE facts (p text OPTIONS (key 'partition') NOT NULL, r int OPTIONS (key 'row') NOT NULL,
          town text, job text, tags text[], n int) SERVER store OPTIONS (fetch_size '100');
        CREATE TABLE plain (p text, r int, town text, job text, tags text[], n int);
        SELECT itable_create_table('facts');
        INSERT INTO plain SELECT 'p' || i % 20, i, 'town' || i % 10, 'job' || i % 11, ARRAY['a' || i % 12, 'b' || i % 13, 'c' || i % 17], i FROM generate_series(1, 1500) i;
        INSERT INTO facts SELECT * FROM plain;
        CALL itable_create_index('facts', 'by_town', key => '{town}');
        CALL itable_create_index('facts', 'by_job', key => '{job}');
        CALL itable_create_index('facts', 'by_tag', key => '{tags}');
        ANALYZE facts; SET itable_fdw.full_scan = error; SET itable_fdw.catalog_lease = '10min';
        SELECT FROM facts WHERE town = 'town1';""")
    for name, condition, tail, wanted in [
            ("a union of two index tables and a partition", "town = 'town1' OR job = 'job1' OR p = 'p1'", "", 3),
            ("a union over one table", "town = 'town1' OR town = 'town2' AND n > 5 OR town LIKE 'town3'", "", 3),
            ("two lists of an intersection", "town = 'town1' AND job = 'job1'", "", 2),
            ("two elements of one array", "tags @> '{a1,b1}'", "", 2),
            ("a union of which one row is wanted", "town = 'town1' OR job = 'job1' OR p = 'p1'", " LIMIT 1", 1)]:
        statement = "SELECT %s FROM %%s WHERE %s%s;" % ("count(*), sum(n)" if not tail else "count(*)", condition, tail)
        if tail:
            statement = "SELECT count(*) FROM (SELECT n FROM %%s WHERE %s%s) x;" % (condition, tail)
        expected = session.must(statement % "plain").text
        most, result = held(session, statement % "facts", wanted)
        bed.ok(result.text == expected, "%s: the rows of a plain table" % name, result.text)
        bed.ok(most == wanted, "%s: %d queries wait together" % (name, wanted), "%d did" % most)
    before = session.must("SELECT sum(requests) FROM itable_stats() WHERE operation = 'query';").text
    session.must("SELECT n FROM facts WHERE town = 'town1' OR job = 'job1' OR p = 'p1' LIMIT 1;")
    after = session.must("SELECT sum(requests) FROM itable_stats() WHERE operation = 'query';").text
    bed.ok(int(after) - int(before) == 1, "one row is one query, the others are not asked", "%s to %s" % (before, after))
    bed.finish()


main()
