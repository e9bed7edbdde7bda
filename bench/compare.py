#!/usr/bin/env python3
"""Scans, joins, bulk writes and lookups beside other clients, as ratios of one run.

Run by tools/bench-clients.sh, which starts a mock with the latency asked for and a
cluster.  Prints a Markdown table and, with --tsv FILE, appends what it measured.
"""
import argparse
import os
import re
import subprocess
import sys

from session import ACCOUNT, ENDPOINT, KEY, psql

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS = """p text OPTIONS (key 'partition') NOT NULL, r text OPTIONS (key 'row') NOT NULL,
  number int, title text, actors text[], note text"""
ROW = """'p' || i / 10000, 'r' || lpad((i % 10000)::text, 7, '0'), i, 'Title ' || i,
  ARRAY['A' || i % {a}, 'B' || i % {a}, 'C' || i % {a}], repeat('x', 150)"""


def timed(statement, settings=(), times=1):
    """Seconds and requests of a statement, with its COMMIT, over a warm connection."""
    text = psql(*["SET %s" % setting for setting in settings],
                "DO $do$ BEGIN PERFORM count(*) FROM warm WHERE p = '' AND r = ''; END $do$",
                "SELECT itable_stats_reset()",
                "DO $do$ DECLARE t timestamptz := clock_timestamp(); BEGIN\n"
                "FOR n IN 1 .. %d LOOP %s; END LOOP; COMMIT;\n"
                "RAISE NOTICE 'took %%', extract(epoch FROM clock_timestamp() - t); END $do$"
                % (times, statement),
                "SELECT 'sent ' || sum(requests) FROM itable_stats()")
    return (float(re.search(r"took ([0-9.]+)", text).group(1)),
            int(re.search(r"sent ([0-9]+)", text).group(1)))


def other(*command):
    """Seconds of another client's work."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s failed" % command[0])
    return float(done.stdout.split()[0]), int(done.stdout.split()[1])


def best(measure, times=3):
    """The quickest of several: others may have been at work."""
    return min((measure() for _ in range(times)), key=lambda measured: measured[0])


class Comparison:
    def __init__(self, arguments):
        self.arguments = arguments
        self.rows = []

    def javascript(self, work, table, n=0):
        return other("node", os.path.join(ROOT, "bench/clients/client.js"), self.arguments.modules,
                     ENDPOINT, ACCOUNT, KEY, work, table, str(n))

    def add(self, what, ours, theirs, goal, units):
        """units: how much was done, for a rate."""
        self.rows.append((what, units / ours[0], ours[1], units / theirs[0] if theirs else None,
                          theirs[1] if theirs else None, theirs[0] / ours[0] if theirs else None, goal))

    def scans(self, n):
        read = "PERFORM count(number), sum(octet_length(title)), sum(cardinality(actors)), sum(octet_length(note)) FROM %s"

        def ours(ranges=None):
            return best(lambda: timed(read % "facts", ["itable_fdw.scan_ranges = %d" % ranges] if ranges else []))

        pages = best(lambda: other(self.arguments.pages, ENDPOINT, ACCOUNT, KEY, "facts"))
        script = best(lambda: self.javascript("scan", "facts"))
        one = ours(1)
        self.add("scan of %d, one connection / libcurl, nothing read" % n, one, pages, "0.7", n)
        self.add("the same / JavaScript client", one, script, "8", n)
        self.add("4 ranges at a time, never analyzed / libcurl, one connection", ours(4), pages, "", n)
        psql("ANALYZE facts")
        self.add("4 ranges at a time / libcurl, one connection", ours(4), pages, "3 at 10 ms", n)
        self.add("as many ranges as connections / JavaScript client", ours(), script, "8", n)

    def join(self):
        psql("CREATE TABLE wanted AS SELECT 'p0'::text AS p, 'r' || lpad(((i * 97) % 10000)::text, 7, '0') AS r"
             " FROM generate_series(0, 999) i", "ANALYZE wanted")
        ours = timed("PERFORM count(f.title) FROM wanted w JOIN facts f ON f.p = w.p AND f.r = w.r",
                     ["enable_hashjoin = off", "enable_mergejoin = off"])
        self.add("join of 1,000 keys / JavaScript, get after get", ours, self.javascript("gets", "facts", 1000),
                 "5", 1000)

    def inserts(self, n):
        row = ROW.format(a=499)
        psql("CREATE FOREIGN TABLE bulk0 (%s) SERVER store" % COLUMNS, "SELECT itable_create_table('bulk0')",
             "CREATE FOREIGN TABLE bulk1 (%s) SERVER store" % COLUMNS, "SELECT itable_create_table('bulk1')",
             "CALL itable_create_index('bulk1', 'bulk1_by_actor', key => '{actors}', partitions => 64)")

        def ours(table):
            return min(timed("INSERT INTO %s SELECT %s FROM generate_series(%d, %d) i"
                             % (table, row, run * n, run * n + n - 1)) for run in range(3))

        script = min(self.javascript("insert", "bulkjs%d" % run, n) for run in range(3))
        self.add("INSERT of %d / JavaScript, batches of 100" % n, ours("bulk0"), script, "4", n)
        self.add("the same with an index of 3 actors each", ours("bulk1"), script, "1", n)

    def lookups(self, n):
        name = "look%d" % n
        psql("CREATE FOREIGN TABLE %s (%s) SERVER store" % (name, COLUMNS), "SELECT itable_create_table('%s')" % name,
             "CALL itable_create_index('%s', '%s_by_actor', key => '{actors}', partitions => 64)" % (name, name))
        for start in range(0, n, 100000):
            psql("INSERT INTO %s SELECT %s FROM generate_series(%d, %d) i"
                 % (name, ROW.format(a=n // 10), start, min(n, start + 100000) - 1))
        look = "PERFORM count(title) FROM %s WHERE 'A' || (7 * n) = ANY (actors)" % name
        found = timed(look, times=100)
        scan = timed("PERFORM count(title) FROM %s WHERE 'A7' = ANY (actors)" % name,
                     ["itable_fdw.enable_index = off"])
        self.add("lookup of 10 among %d / scan" % n, (found[0] / 100, found[1] / 100), scan, "", 1)

    def print(self):
        print("| latency %s ms: what / beside what | ours, 1/s | requests | theirs, 1/s | requests | ratio | goal |"
              % self.arguments.latency)
        print("|---|---|---|---|---|---|---|")
        for what, rate, requests, rate2, requests2, ratio, goal in self.rows:
            print("| %s | %s | %s | %s | %s | %.2f | %s |"
                  % (what, "{:,.0f}".format(rate), "{:,.0f}".format(requests), "{:,.1f}".format(rate2),
                     "{:,.0f}".format(requests2), ratio, goal))
        if self.arguments.tsv:
            with open(self.arguments.tsv, "a") as file:
                for row in self.rows:
                    file.write("\t".join(map(str, (self.arguments.latency,) + row)) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", required=True, help="the program of bench/clients/pages.c")
    parser.add_argument("--modules", required=True, help="folder of the JavaScript client's node_modules")
    parser.add_argument("--latency", default="0", help="of the store, ms: for the title")
    parser.add_argument("--entities", type=int, default=100000)
    parser.add_argument("--sizes", default="10000 100000 1000000", help="of the tables that are looked into")
    parser.add_argument("--tsv")
    arguments = parser.parse_args()

    run = Comparison(arguments)
    n = arguments.entities
    psql("CREATE FOREIGN TABLE warm (p text OPTIONS (key 'partition'), r text OPTIONS (key 'row')) SERVER store",
         "SELECT itable_create_table('warm')",
         "CREATE FOREIGN TABLE facts (%s) SERVER store" % COLUMNS, "SELECT itable_create_table('facts')",
         "INSERT INTO facts SELECT %s FROM generate_series(0, %d) i" % (ROW.format(a=499), n - 1))
    run.scans(n)
    run.join()
    run.inserts(10000)
    for size in arguments.sizes.replace(",", " ").split():
        run.lookups(int(size))
    run.print()


main()
