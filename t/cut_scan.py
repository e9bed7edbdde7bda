#!/usr/bin/env python3
"""Scans that are cut while they are read, beside writers whose partitions grow and
vanish: rows that nobody touches come once each, others at most once."""
import os
import random
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
import bed  # noqa: E402

WRITERS = 3
SCANS = int(os.environ.get("CUT_SCANS", "60"))
SEED = int(os.environ.get("CUT_SEED", str(random.randrange(1 << 30))))


def change(dice):
    """A partition comes or goes, or one that stays gets and loses rows at its ends."""
    p = dice.choice(["p%d" % dice.randrange(10), "p%da" % dice.randrange(10), "q", "é", "a"])
    kind = dice.random()
    if kind < 0.4:
        first = dice.randrange(900)
        return ("INSERT INTO slices SELECT '%s', 'x' || lpad(i::text, 4, '0'), -1 FROM generate_series(%d, %d) i "
                "ON CONFLICT DO NOTHING;" % (p, first, first + dice.randrange(120)))
    if kind < 0.8:
        return "DELETE FROM slices WHERE p = '%s' AND r >= 'x' COLLATE \"C\";" % p
    return "DELETE FROM slices WHERE p = '%s' AND r > 'x%04d' COLLATE \"C\" AND r < 'y' COLLATE \"C\";" % (p, dice.randrange(900))


class Writer(threading.Thread):
    def __init__(self, stop, seed):
        super().__init__(daemon=True)
        self.stop = stop
        self.dice = random.Random(seed)
        self.session = bed.Session()
        self.done = 0
        self.errors = set()
        self.start()

    def run(self):
        while not self.stop.is_set():
            result = self.session.run(change(self.dice))
            if result.sqlstate is None:
                self.done += 1
            elif result.sqlstate not in ("40001", "23505", "08007"):
                self.errors.add(result.sqlstate + " " + result.text[:300])


def main():
    session = bed.Session()
    bed.make_server(session, options=", fetch_size '20'")
    session.must("CREATE FOREIGN TABLE slices (p text OPTIONS (key 'partition') COLLATE \"C\" NOT NULL, "
                 "r text OPTIONS (key 'row') COLLATE \"C\" NOT NULL, n int) SERVER store;"
                 "SELECT itable_create_table('slices');"
                 "INSERT INTO slices SELECT 'p' || i % 10, 'r' || lpad(i::text, 5, '0'), i FROM generate_series(1, 2000) i;", 120)
    stop = threading.Event()
    writers = [Writer(stop, SEED + i) for i in range(WRITERS)]
    wrong = []
    cut = 0
    for i in range(SCANS):
        if i == SCANS // 2:
            session.must("ANALYZE slices;", 120)
        where = ("true", "true", "p = 'p3'", "n <> 0")[i % 4]
        row = session.must(
            "SELECT count(*) FILTER (WHERE n > 0), sum(n) FILTER (WHERE n > 0), count(*) - count(DISTINCT (p, r)),"
            " count(*) FILTER (WHERE back) FROM (SELECT *, (p, r) < (lag(p) OVER (), lag(r) OVER ()) AS back"
            " FROM slices WHERE %s) x;" % where, 120).rows[0]
        stays = ["200", "199600"] if where.startswith("p") else ["2000", "2001000"]
        if row[:2] != stays or row[2] != "0":
            wrong.append("scan %d, %s: %s" % (i, where, row))
        cut += row[3] != "0"
    stop.set()
    for writer in writers:
        writer.join()
        bed.ok(writer.done > 10 and not writer.errors, "a writer has run %d times" % writer.done, "\n".join(writer.errors))
    bed.ok(not wrong, "%d scans, every row that stays once, none twice (seed %d)" % (SCANS, SEED), "\n".join(wrong[:20]))
    bed.ok(cut > SCANS / 4, "%d scans were read in several pieces" % cut)
    bed.finish()


main()
