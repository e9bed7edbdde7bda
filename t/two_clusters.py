#!/usr/bin/env python3
"""Two PostgreSQL clusters write one store's tables: what one does to an index, the
other takes into account, whoever crashes meanwhile."""
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
from clusters import ACTORS, LEASE_MS, differences, fill, lease_over, prepare  # noqa: E402

REPEAT = ("40001", "23505", "08007")


class Writer(threading.Thread):
    """Changes movies at random until it is told to stop; imports when it is told to."""

    def __init__(self, cluster, seed):
        super().__init__(daemon=True)
        self.session = bed.Session(cluster)
        self.rng = random.Random(seed)
        self.ending = False
        self.imports = self.commits = 0
        self.outcomes = {}
        self.surprises = []

    def statement(self):
        key = "genre = 'G%d' AND name = 'm%d'" % (self.rng.randrange(4), self.rng.randrange(150))
        cast = "{%s}" % ",".join(sorted(self.rng.sample(ACTORS, self.rng.randrange(0, 4))))
        dice = self.rng.random()
        if dice < 0.5:
            return "UPDATE movies SET actors = '%s', year = %d WHERE %s;" % (cast, self.rng.randrange(100), key)
        if dice < 0.7:
            return "DELETE FROM movies WHERE %s;" % key
        if dice < 0.8:
            return "UPDATE movies SET note = 'seen' WHERE %s;" % key
        return "INSERT INTO movies VALUES ('G%d', 'm%d', '%s', %d);" % (
            self.rng.randrange(4), self.rng.randrange(150), cast, self.rng.randrange(100))

    def run(self):
        while not self.ending:
            result = self.session.run(self.statement())
            outcome = result.sqlstate or "committed"
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
            self.commits += result.sqlstate is None
            if outcome == "55000":
                self.imports += 1
                if not self.session.run("SELECT itable_import_indexes('movies');").text.isdigit():
                    self.surprises.append("import failed")
            elif result.sqlstate is not None and outcome not in REPEAT:
                self.surprises.append(result.text)

    def end(self):
        self.ending = True
        self.join(60)
        self.session.close()


def learns(here, there):
    """A cluster that does not know an index refuses to write; import mends it."""
    fill(here)
    there.must("UPDATE movies SET note = 'x' WHERE genre = 'G1' AND name = 'm1';")
    begin = time.monotonic()
    here.must("CALL itable_create_index('movies', 'by_actor', '{actors}');")
    took = time.monotonic() - begin
    bed.ok(took > 2 * LEASE_MS / 1000, "the builder waits for the other cluster", took)
    refused = there.run("UPDATE movies SET actors = '{A1,New}' WHERE genre = 'G1' AND name = 'm1';")
    bed.ok(refused.sqlstate == "55000" and "itable_import_indexes('movies')" in refused.text,
           "the other cluster refuses to write and says what to do", refused.text)
    bed.ok(here.must("SELECT count(*) FROM movies WHERE 'New' = ANY (actors);").text == "0", "nothing was written")
    bed.ok(there.must("SELECT itable_import_indexes('movies');").text == "1", "it imports the index")
    there.must("UPDATE movies SET actors = '{A1,New}' WHERE genre = 'G1' AND name = 'm1';")
    for name, session in (("here", here), ("there", there)):
        bed.ok("index by_actor" in session.must("EXPLAIN SELECT name FROM movies WHERE 'New' = ANY (actors);").text,
               "the index is used %s" % name)
        bed.ok(session.must("SELECT name FROM movies WHERE 'New' = ANY (actors);").text == "m1", "and finds the row %s" % name)


def imported_early(here, there):
    """Imported while it is being built, it is used as soon as it may be."""
    bed.control("POST", "/faults", {"operation": "any", "table": "byyear", "action": "delay", "ms": 400})
    here.start("CALL itable_create_index('movies', 'by_year', '{year}');")
    bed.wait_until(lambda: there.must("SELECT count(*) FROM itable_catalog('movies') WHERE index_table = 'byyear';").text == "1")
    there.must("SELECT itable_import_indexes('movies');")
    state = there.must("SELECT state FROM itable_indexes WHERE index = 'by_year'::regclass;").text
    plan = there.must("EXPLAIN SELECT name FROM movies WHERE year = 3;").text
    bed.ok(state in ("registered", "building") and "Access: full" in plan, "imported while being built: not used (%s)" % state, plan)
    there.must("UPDATE movies SET year = 1003 WHERE genre = 'G1' AND name = 'm2';")
    built = here.wait()
    bed.control("DELETE", "/faults")
    bed.ok(built.sqlstate is None, "it is built", built.text)
    lease_over()
    there.must("UPDATE movies SET year = 1004 WHERE genre = 'G1' AND name = 'm3';")
    plan = there.must("EXPLAIN SELECT name FROM movies WHERE year = 3;").text
    bed.ok("index by_year" in plan, "the next writer's session knows that it is readable", plan)
    rows = there.must("SELECT name FROM movies WHERE year IN (1003, 1004) ORDER BY 1;").text
    bed.ok(rows == "m2\nm3", "and finds rows of both times", rows)
    fresh = bed.Session(there.cluster)
    fresh.must("SELECT count(*) FROM movies WHERE year = 1003;")
    plan = fresh.must("EXPLAIN SELECT name FROM movies WHERE year = 3;").text
    bed.ok("index by_year" in plan, "a session that only reads learns it too", plan)
    fresh.close()


def overtaken(here, there):
    """An index appears while a commit is between its touches and its commit point."""
    bed.control("POST", "/faults", {"operation": "any", "table": "byactor", "action": "delay", "ms": 5 * LEASE_MS})
    there.start("INSERT INTO movies VALUES ('G7', 'over', '{A1}', 1, 'n');")
    bed.wait_until(lambda: bed.rule_hits() > 0)
    built = here.run("CALL itable_create_index('movies', 'by_note', '{note}');")
    result = there.wait()
    bed.control("DELETE", "/faults")
    bed.ok(built.sqlstate is None, "an index is created during a slow commit", built.text)
    bed.ok(result.sqlstate == "40001" and "bynote" in result.text, "which does not know it and ends", result.text)
    bed.ok(here.must("SELECT count(*) FROM movies WHERE genre = 'G7';").text == "0", "with nothing written")
    there.must("SELECT itable_import_indexes('movies'); INSERT INTO movies VALUES ('G7', 'over', '{A1}', 1, 'n');")
    bed.ok(here.must("SELECT name FROM movies WHERE note = 'n';").text == "over", "imported, it is written and found")
    here.must("CALL itable_drop_index('by_note');")
    there.must("CALL itable_drop_index('by_note');")


def late(session):
    """A commit point that the store puts off beyond the lease is not sent again."""
    bed.control("POST", "/faults", {"operation": "update", "table": "movies", "nth": 1, "times": 9, "action": "status",
                                    "status": 503, "retry_after": 2})
    result = session.run("UPDATE movies SET note = 'late' WHERE genre = 'G1' AND name = 'm5';")
    bed.control("DELETE", "/faults")
    bed.ok(result.sqlstate == "53000" and result.seconds < 1.5, "a commit point is not repeated after the lease (%s, %.1f s)"
           % (result.sqlstate, result.seconds), result.text)
    note = session.must("SELECT note FROM movies WHERE genre = 'G1' AND name = 'm5';").text
    bed.ok(note != "late", "nor is it applied", note)
    bed.ok(session.run("UPDATE movies SET note = 'now' WHERE genre = 'G1' AND name = 'm5';").sqlstate is None, "the next one is")


def retired(here, there):
    """Dropped over here: readers over there are told, writers go on."""
    reader = bed.Session(there.cluster)
    reader.must("PREPARE p AS SELECT count(*) FROM movies WHERE year = 1003;")
    for _ in range(8):
        reader.must("EXECUTE p;")
    here.must("CALL itable_drop_index('by_year');")
    result = reader.run("EXECUTE p;")
    bed.ok(result.sqlstate == "40001" or result.text == "1", "a prepared lookup: an answer that is right, or 40001", result.text)
    lease_over()
    result = reader.run("EXECUTE p;")
    bed.ok(result.text == "1", "repeated, it is answered another way", result.text)
    reader.close()
    there.must("UPDATE movies SET year = 1 WHERE genre = 'G1' AND name = 'm2';")
    bed.ok(there.run("CALL itable_drop_index('by_year');").sqlstate is None, "what is left over there is dropped")
    here.must("CALL itable_drop_index('by_actor');")
    there.must("CALL itable_drop_index('by_actor');")


def concurrent(here, there):
    """Both clusters write while one builds."""
    for include in ("{}", "{year}"):
        writers = [Writer(cluster, seed) for seed, cluster in enumerate((None, None, there.cluster, there.cluster))]
        for writer in writers:
            writer.start()
        built = here.run("CALL itable_create_index('movies', 'by_actor', '{actors}', include => '%s');" % include, 120)
        bed.ok(built.sqlstate is None, "built under writers of both clusters, including %s" % include, built.text)
        time.sleep(1)
        for writer in writers:
            writer.end()
        bed.ok(all(w.commits > 5 for w in writers) and writers[2].imports + writers[3].imports >= 1,
               "%s commits" % [w.commits for w in writers], [w.outcomes for w in writers])
        bed.ok(not any(w.surprises for w in writers), "no other errors", [w.surprises[:2] for w in writers])
        for name, session in (("here", here), ("there", there)):
            found = differences(session, "by_actor")
            bed.ok(not found, "complete and right, seen from %s" % name, found)
        here.must("CALL itable_drop_index('by_actor');")
        there.must("CALL itable_drop_index('by_actor');")


def migrates(here, there):
    """Duplicate (covering) to pointer and back while everybody asks all the time."""
    here.must("CALL itable_create_index('movies', 'dup', '{actors}', include => '{year}');")
    there.must("SELECT itable_import_indexes('movies');")
    wrong = []
    asked = [0]
    stop = threading.Event()

    def ask(cluster):
        session = bed.Session(cluster)
        while not stop.is_set():
            result = session.run("SELECT count(*) FROM movies WHERE 'Const' = ANY (actors);"
                                 "SELECT sum(year) FROM movies WHERE 'Const' = ANY (actors);")
            asked[0] += 1
            if result.sqlstate not in (None, "40001") or (result.sqlstate is None and result.text != "3\n6"):
                wrong.append(result.text)
            if cluster is None and result.sqlstate is not None:
                wrong.append(result.text)
        session.close()

    here.must("INSERT INTO movies VALUES ('C', 'c1', '{Const}', 1), ('C', 'c2', '{Const,A1}', 2), ('D', 'c3', '{Const}', 3);")
    threads = [threading.Thread(target=ask, args=(cluster,)) for cluster in (None, there.cluster)]
    for thread in threads:
        thread.start()
    for old, new, include in (("dup", "ptr", "{}"), ("ptr", "dup", "{year}")):
        here.must("CALL itable_create_index('movies', '%s', '{actors}', include => '%s');" % (new, include))
        there.must("SELECT itable_import_indexes('movies');")
        here.must("CALL itable_drop_index('%s');" % old)
        there.must("CALL itable_drop_index('%s');" % old)
    stop.set()
    for thread in threads:
        thread.join(30)
    bed.ok(asked[0] > 20 and not wrong, "%d questions during the swaps, all answered right" % asked[0], wrong[:3])
    here.must("CALL itable_drop_index('dup');")
    there.must("CALL itable_drop_index('dup');")


def killed(here, there):
    """The builder is killed at its n-th request; the next one goes on."""
    here.must("DELETE FROM movies;")
    fill(here, 1500)
    n = 1
    cursors = 0
    while True:
        builder = bed.Session()
        bed.control("POST", "/faults", {"operation": "any", "nth": n, "times": 0, "action": "silent"})
        builder.start("CALL itable_create_index('movies', 'by_actor', '{actors}', include => '{year}');")
        bed.wait_until(lambda: bed.rule_hits() > 0 or not builder.lines.empty(), 60)
        hit = bed.rule_hits() > 0
        if hit:
            here.must("SELECT pg_terminate_backend(%d);" % builder.pid)
            bed.wait_until(lambda: not bed.is_alive(builder.pid))
        bed.control("DELETE", "/faults")
        builder.wait()
        builder.close()
        if not hit:
            break
        lease_over()
        declared = here.must("SELECT to_regclass('by_actor') IS NOT NULL;").text == "t"
        cursors += here.must("SELECT count(*) FROM itable_catalog('movies') WHERE facts_done > 0 AND state = 'building';").text == "1"
        wrote = there.run("UPDATE movies SET actors = '{A%d}' WHERE genre = 'G1' AND name = 'm%d';" % (n % 12, n % 60))
        if wrote.sqlstate == "55000":
            there.must("SELECT itable_import_indexes('movies');")
        again = here.run("CALL itable_build_index('by_actor');" if declared else
                         "CALL itable_create_index('movies', 'by_actor', '{actors}', include => '{year}');")
        bed.ok(again.sqlstate is None, "killed at request %d, built by the next" % n, again.text)
        found = differences(here, "by_actor")
        bed.ok(not found, "complete and right", found)
        here.must("CALL itable_drop_index('by_actor');")
        there.run("CALL itable_drop_index('by_actor');")
        n += 1 if n < 16 else 7
    bed.ok(n > 16 and cursors > 0, "%d requests, resumed from a cursor %d times" % (n - 1, cursors))


def main():
    other = bed.Cluster()
    here, there = bed.Session(), bed.Session(other)
    prepare(here)
    prepare(there)
    here.must("SELECT itable_create_table('movies');")
    learns(here, there)
    imported_early(here, there)
    overtaken(here, there)
    late(here)
    retired(here, there)
    concurrent(here, there)
    migrates(here, there)
    if "--quick" not in sys.argv:
        killed(here, there)
    other.end()
    bed.finish()


main()
