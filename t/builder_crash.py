#!/usr/bin/env python3
"""A cluster that builds an index is killed (kill -9) at several requests and comes
back by itself; another cluster goes on with the index.  It is complete and right."""
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
from clusters import differences, fill, lease_over, prepare  # noqa: E402


def crashed(here):
    """The builder's whole cluster goes down with it (kill -9) and comes back by itself;
    another cluster goes on where it was."""
    second = bed.Cluster()
    session = bed.Session(second)
    prepare(session)
    session.must("CHECKPOINT;")
    n = 2
    cursors = 0
    while True:
        builder = bed.Session(second)
        bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 0, "action": "silent"})
        builder.start("CALL itable_create_index('movies', 'by_actor', '{actors}', include => '{year}');")
        bed.wait_until(lambda: bed.rule_hits() > 0 or not builder.lines.empty(), 60)
        hit = bed.rule_hits() > 0
        if hit:
            os.kill(builder.pid, signal.SIGKILL)
            bed.wait_until(lambda: not bed.is_alive(builder.pid))
        bed.control("DELETE", "/faults")
        builder.wait()
        builder.close()
        if not hit:
            break
        session = bed.after_restart(session)
        lease_over()
        cursors += here.must("SELECT count(*) FROM itable_catalog('movies') WHERE facts_done > 0 AND state = 'building';").text == "1"
        wrote = here.run("UPDATE movies SET actors = '{A%d}' WHERE genre = 'G2' AND name = 'm%d';" % (n % 12, n % 60))
        known = here.must("SELECT itable_import_indexes('movies');").text == "1"
        bed.ok(wrote.sqlstate is None or (wrote.sqlstate == "55000" and known), "another cluster writes, or is told to import",
               wrote.text)
        built = here.run("CALL itable_build_index('by_actor');" if known else
                         "CALL itable_create_index('movies', 'by_actor', '{actors}', include => '{year}');")
        bed.ok(built.sqlstate is None, "a cluster is killed at request %d, another builds" % n, built.text)
        session.must("SELECT itable_import_indexes('movies');")
        # what its own builder declared is "building" there until somebody says that it is not
        again = session.run("CALL itable_build_index('by_actor');")
        bed.ok(again.sqlstate is None, "the first is back, and has it too", again.text)
        for name, one in (("here", here), ("where it was begun", session)):
            found = differences(one, "by_actor")
            bed.ok(not found, "complete and right, seen from %s" % name, found)
        here.must("CALL itable_drop_index('by_actor');")
        session.must("CALL itable_drop_index('by_actor');")
        n += 3 if n < 14 else 23
    bed.ok(n > 60 and cursors > 0, "up to request %d, resumed from a cursor %d times" % (n - 1, cursors))
    second.end()


def main():
    here = bed.Session()
    prepare(here)
    here.must("SELECT itable_create_table('movies');")
    fill(here, 1500)
    crashed(here)
    bed.finish()


main()
