#!/usr/bin/env python3
"""Sessions that change the same movies while requests and replies get lost and some
sessions are ended: no increment is lost or applied twice, indexes equal the facts."""
import os
import random
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402
import movies  # noqa: E402

SESSIONS = 4
TRANSACTIONS = 120
COUNTERS = 4
FAULTS = [{"action": "drop_reply"}, {"action": "drop_before"}, {"action": "status", "status": 503},
          {"action": "delay", "ms": 30}, {"action": "status", "status": 500, "code": "InternalError"}]
EXPECTED = ("40001", "23505", "08007", "08006", "gone", "57P01")


class Tally:
    def __init__(self):
        self.lock = threading.Lock()
        self.sure = [0] * COUNTERS
        self.unsure = [0] * COUNTERS
        self.outcomes = {}
        self.surprises = []

    def count(self, counter, result):
        with self.lock:
            outcome = result.sqlstate or "committed"
            self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
            if outcome != "committed" and outcome not in EXPECTED:
                self.surprises.append(result.text)
            if counter is not None and outcome == "committed":
                self.sure[counter] += 1
            elif counter is not None and outcome in ("08007", "gone", "57P01"):
                self.unsure[counter] += 1


def actors(rng):
    return "{%s}" % ",".join(sorted(rng.sample(movies.ACTORS, rng.randrange(0, 4))))


def statement(rng):
    """A transaction and the counter that it increments, if any."""
    dice = rng.random()
    if dice < 0.55:
        counter = rng.randrange(COUNTERS)
        return ("BEGIN; UPDATE movies SET year = year + 1, actors = '%s' WHERE genre = 'Count' AND name = 'c%d';"
                "UPDATE movies SET note = 'seen' WHERE genre = 'Other' AND name = 'm%d'; COMMIT;"
                % (actors(rng), counter, rng.randrange(5)) if dice < 0.2 else
                "UPDATE movies SET year = year + 1, actors = '%s' WHERE genre = 'Count' AND name = 'c%d';"
                % (actors(rng), counter)), counter
    key = "genre = 'Other' AND name = 'm%d'" % rng.randrange(5)
    if dice < 0.75:
        return "INSERT INTO movies VALUES ('Other', 'm%d', '%s', 0, 'x');" % (rng.randrange(5), actors(rng)), None
    if dice < 0.9:
        return "DELETE FROM movies WHERE %s;" % key, None
    return "UPDATE movies SET name = 'm%d', actors = '%s' WHERE %s;" % (rng.randrange(5), actors(rng), key), None


def work(seed, tally, pids):
    rng = random.Random(seed)
    session = bed.Session()
    for _ in range(TRANSACTIONS):
        pids[seed % SESSIONS] = session.pid
        sql, counter = statement(rng)
        result = session.run(sql)
        tally.count(counter, result)
        if session.process.poll() is not None or result.sqlstate in ("gone", "57P01"):
            session.close()
            session = bed.Session()
        elif result.sqlstate is not None:
            session.run("ROLLBACK;")
    session.close()


def trouble(seed, watcher, pids, over):
    rng = random.Random(seed)
    while not over.wait(rng.random() * 0.05):
        if rng.random() < 0.3:
            bed.control("DELETE", "/faults")
        bed.control("POST", "/faults", dict(rng.choice(FAULTS), nth=rng.randrange(1, 10),
                                            operation=rng.choice(["any", "batch", "update", "insert"])))
        if rng.random() < 0.1:
            watcher.run("SELECT pg_terminate_backend(%d);" % rng.choice(pids))


def main():
    seed = int(os.environ.get("ITABLE_TEST_SEED", random.randrange(10 ** 6)))
    print("# ITABLE_TEST_SEED=%d" % seed)
    watcher = bed.Session()
    bed.make_server(watcher)
    movies.create(watcher)
    watcher.must("INSERT INTO movies SELECT 'Count', 'c' || i, '{}', 0, 'x' FROM generate_series(0, %d) i;"
                 % (COUNTERS - 1))
    tally = Tally()
    pids = [0] * SESSIONS
    over = threading.Event()
    workers = [threading.Thread(target=work, args=(seed * SESSIONS + i, tally, pids)) for i in range(SESSIONS)]
    troubler = threading.Thread(target=trouble, args=(seed, bed.Session(), pids, over))
    for thread in workers + [troubler]:
        thread.start()
    for thread in workers:
        thread.join()
    over.set()
    troubler.join()
    bed.control("DELETE", "/faults")
    print("# outcomes: %s" % tally.outcomes)
    bed.ok(tally.outcomes.get("committed", 0) > SESSIONS * TRANSACTIONS / 4, "many transactions committed")
    bed.ok(not tally.surprises, "no unexpected error", "\n".join(tally.surprises[:5]))
    state = movies.facts(watcher)
    for i in range(COUNTERS):
        value = int(state[("Count", "c%d" % i)][1])
        bed.ok(tally.sure[i] <= value <= tally.sure[i] + tally.unsure[i],
               "counter %d has every increment once" % i,
               "%d, not %d to %d" % (value, tally.sure[i], tally.sure[i] + tally.unsure[i]))
    found = movies.problems(watcher)
    bed.ok(not found, "indexes equal the facts", "\n".join(found))
    watcher.must("DELETE FROM movies;")
    bed.ok(movies.goes_on(watcher), "and then everything goes on")
    bed.finish()


main()
