#!/usr/bin/env python3
"""itable_check_index while others write: no problem, ever, whoever repairs or
builds an index meanwhile; and none at the end."""
import os
import random
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402

WRITERS = 6
SECONDS = float(os.environ.get("CHECK_SECONDS", "12"))
SEED = int(os.environ.get("CHECK_SEED", str(random.randrange(1 << 30))))


def actors(dice):
    return "{%s}" % ",".join(dice.sample(movies.ACTORS, dice.randrange(4)))


def statement(dice):
    genre = dice.choice(["Action", "Drama"])
    name = "n%d" % dice.randrange(12)
    where = "WHERE genre = '%s' AND name = '%s'" % (genre, name)
    kind = dice.random()
    if kind < 0.35:
        return "INSERT INTO movies VALUES ('%s', '%s', '%s', %d);" % (genre, name, actors(dice), dice.randrange(9))
    if kind < 0.6:
        return "UPDATE movies SET actors = '%s' %s;" % (actors(dice), where)
    if kind < 0.7:
        return "UPDATE movies SET year = %d %s;" % (dice.randrange(9), where)
    if kind < 0.78:
        return "UPDATE movies SET note = '%d' %s;" % (dice.randrange(20), where)
    if kind < 0.95:
        return "DELETE FROM movies %s;" % where
    return "BEGIN; %s %s %s COMMIT;" % tuple(statement(dice) for _ in range(3)) if kind < 0.98 else \
        "UPDATE movies SET actors = '%s' WHERE name = '%s';" % (actors(dice), name)


class Worker(threading.Thread):
    """Runs what next() makes, one after the other, until told to stop."""

    def __init__(self, stop, make):
        super().__init__(daemon=True)
        self.stop = stop
        self.make = make
        self.session = bed.Session()
        self.done = 0
        self.errors = {}
        self.start()

    def run(self):
        while not self.stop.is_set():
            result = self.session.run(self.make())
            if result.sqlstate is None:
                self.done += 1
            else:
                self.errors[result.sqlstate] = self.errors.get(result.sqlstate, 0) + 1
                if result.sqlstate not in ("40001", "23505", "08007"):
                    self.errors[result.sqlstate + " " + result.text[:300]] = 1
                self.session.run("ROLLBACK;")


def checks(session, indexes, seconds, label):
    end = time.monotonic() + seconds
    rounds = 0
    rows = []
    while time.monotonic() < end:
        for index in indexes:
            rows += session.must("SELECT '%s', * FROM itable_check_index('%s');" % (index, index), 120).text.split("\n")
        rounds += 1
    rows = [row for row in rows if row != ""]
    bed.ok(not rows and rounds > 2, "%s: %d times, no problem (seed %d)" % (label, rounds, SEED), "\n".join(rows[:20]))


def at_rest(session, indexes, label):
    """Nobody writes: what is left over is not young to us, and can be mended."""
    left = []
    for index in indexes:
        left += session.must("SET itable_fdw.repair_age = 0; SELECT problem FROM itable_check_index('%s');" % index).rows
    kinds = {row[0] for row in left if row[0]}
    bed.ok(kinds <= {"dangling", "unverified"}, "%s: left over %s" % (label, sorted(kinds)), left)
    for index in indexes:
        session.must("CALL itable_repair_index('%s');" % index)
        text = session.must("SELECT * FROM itable_check_index('%s');" % index).text
        bed.ok(text == "", "nothing is wrong with %s after a repair" % index, text)
    session.must("RESET itable_fdw.repair_age;")
    found = movies.problems(session)
    bed.ok(not found, "lookups agree with the facts", "\n".join(found))


def main():
    session = bed.Session()
    bed.make_server(session, options=", fetch_size '40'")
    movies.create(session)
    session.must("INSERT INTO movies SELECT 'Still', 's' || i, ARRAY['s' || i % 20], i FROM generate_series(1, 300) i;")
    # 24 movies want 20 notes: 23505, and claims that change hands
    session.must("CALL itable_create_index('movies', 'by_note', '{note}', is_unique => true);", 120)
    session.must("CALL itable_create_index('movies', 'by_place', '{genre,year}', include => '{note}', colocated => true);", 120)
    indexes = ["by_pointer", "by_covering", "by_note", "by_place"]
    dices = [random.Random(SEED + i) for i in range(WRITERS)]

    stop = threading.Event()
    writers = [Worker(stop, lambda dice=dice: statement(dice)) for dice in dices]
    checks(session, indexes, SECONDS, "while others write")

    # those who mend at any age meet everybody's half-done work
    mending = threading.Event()
    menders = [Worker(mending, lambda index=index: "SET itable_fdw.repair_age = 0; CALL itable_repair_index('%s');"
                      % index) for index in indexes]
    menders.append(Worker(mending, lambda: "SET itable_fdw.repair_age = 0; SELECT count(*) FROM by_covering;"))
    checks(session, indexes, SECONDS, "while others write and mend")
    mending.set()
    for mender in menders:
        mender.join()
        bed.ok(mender.done > 2, "a mender has run %d times: %s" % (mender.done, mender.errors))

    session.must("CALL itable_create_index('movies', 'by_late', '{year}', include => '{note}');", 120)
    indexes.append("by_late")
    checks(session, indexes, SECONDS / 2, "an index built while others write")
    stop.set()
    for writer in writers:
        writer.join()
    errors = {}
    for writer in writers:
        for state, n in writer.errors.items():
            errors[state] = errors.get(state, 0) + n
    bed.ok(sum(writer.done for writer in writers) > 100 and not set(errors) - {"40001", "23505", "08007"},
           "%d statements, errors %s" % (sum(writer.done for writer in writers), errors))
    at_rest(session, indexes, "at rest")
    bed.finish()


main()
